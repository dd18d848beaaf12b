"""The corrected expected answers of a run, each with its old and its new value."""

from __future__ import annotations

from evaluators.reports.document import Paragraph, Section, table_of, text_column
from evaluators.runs.metrics import full_name, score_text
from evaluators.runs.result import RunResult
from evaluators.scoring.values.paths import path_for_people


def correction_section(result: RunResult) -> tuple[Section, ...]:
    """The section with a table of the corrections that were and were not made, and the mean of each evaluator with and without them; empty
    where the test set has no corrections."""
    known = result.corrections
    if known is None or not known.values:
        return ()
    columns = (
        text_column("id"),
        text_column("field", lambda correction: "" if correction.path is None else path_for_people(correction.path)),
        text_column("old", lambda correction: correction.old or "nothing"),
        text_column("new", lambda correction: correction.new or "nothing"),
        text_column("reason"),
        text_column("not made, because", lambda correction: correction.void or "", optional=True),
    )
    table = table_of(known.values, columns, lambda correction: "note" if correction.void is None else "warning")
    lines = [
        Paragraph(f"{full_name(stats)}: mean {score_text(stats.mean)}, without the corrections {score_text(before.mean)}")
        for stats in result.evaluators
        if (before := known.without_of(stats)) is not None
    ]
    if known.why_not is not None:
        lines.append(Paragraph(f"The scores without the corrections were not counted: {known.why_not}.", "note"))
    return (Section("Corrected expected answers", (table, *lines), id="corrections"),)
