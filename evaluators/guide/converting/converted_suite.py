"""What `evaluators convert` makes: a suite that the language accepts, its rows, and a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from evaluators.api.loading import load
from evaluators.guide.converting.converted_text import (
    converted_text,
    evaluator_data,
    make_names_unique,
    path_from_folder,
    refusal_note,
    rows_csv_text,
    summary_lines,
)
from evaluators.guide.converting.converter import CONVERTERS, Conversion, ConvertedEvaluator, system_of_files
from evaluators.guide.converting.result_files import refuse_results
from evaluators.guide.converting.sources import apply_reading
from evaluators.guide.converting.verdicts import verdict_lines
from evaluators.model.issues import Blame, Issue, Problems
from evaluators.reports.display import visible
from evaluators.runs.metrics import rows_text
from evaluators.testsets.columns import usual_columns


class Converted(Struct, frozen=True):
    """A suite as text, its rows as text if there are any to write, and a summary for the reader."""

    suite: str
    rows: str | None
    words: str


def convert(
    system: str | None,
    files: Sequence[str],
    suite: str | None,
    rows: str | None,
    reading: Mapping[str, Any] | None = None,
) -> Converted:
    """The suite for another system's files; without `system` their text tells which it is.

    `reading` are settings of `test_set` that say how files with rows are read.

    Raises Problems (config) when nothing in them has a counterpart.
    """
    paths = [Path(file) for file in files]
    refuse_results(paths)
    conversion = CONVERTERS.find(system or system_of_files(paths))().convert(paths, reading or {})
    apply_reading(conversion)
    make_names_unique(
        [*conversion.evaluators, *conversion.judged_evaluators], [group.name for group in conversion.groups]
    )
    conversion.parts = [
        _accepted_or_note(part) if isinstance(part, ConvertedEvaluator) and not part.asks_judge else part
        for part in conversion.parts
    ]
    if not conversion.evaluators and conversion.judged_evaluators:
        conversion.remarks.append("Every check asks a judge: the suite has no evaluator until one is named.")
    elif not conversion.evaluators:
        raise Problems(
            Issue("no-counterpart", Blame.CONFIG, f"{finding.theirs}: {finding.note or finding.status}", finding.place)
            for finding in conversion.findings
        )
    if conversion.rows:
        _use_rows(conversion, rows)
    text = converted_text(conversion, suite)
    lines = [*summary_lines(conversion), *verdict_lines(conversion, suite)]
    if suite is not None:
        lines.append(f"wrote {suite}")
    if rows is not None and conversion.rows:
        lines.append(f"wrote {rows}: {rows_text(len(conversion.rows))}")
    lines += [f"note: {remark}" for remark in conversion.remarks]
    if suite is not None:
        lines += ["", f"Next: look through {suite}, then: evaluators check {suite}"]
    written = rows_csv_text(conversion.rows) if rows is not None and conversion.rows else None
    return Converted(text, written, "".join(f"{visible(line)}\n" for line in lines))


def _use_rows(conversion: Conversion, rows: str | None) -> None:
    """Makes the rows that stand in the converted files the test set of the suite, where `rows` names the file that they are written to, and
    remarks on empty outputs; without such a file only a remark is added."""
    if rows is None:
        conversion.remarks.append(
            f"{conversion.sources[0]} holds {rows_text(len(conversion.rows))}. --rows rows.csv writes them as a test set."
        )
        return
    header = {name for row in conversion.rows for name in row} | {"output"}
    unclear = {
        role: name for role, name in conversion.roles.items() if name in header and usual_columns(header, role) != [name]
    }
    columns = {**conversion.test_set.get("columns", {}), **unclear}
    conversion.test_set = {**conversion.test_set, "file": rows, **({"columns": columns} if columns else {})}
    if not any("output" in row and row["output"] is not None for row in conversion.rows):
        conversion.remarks.append(f"{rows} has no outputs yet: fill the column output with what the model answers.")
        for row in conversion.rows:
            row.setdefault("output", None)


def _accepted_or_note(evaluator: ConvertedEvaluator) -> Any:
    """The evaluator; where the language refuses it, as it does a pattern that only the other system can read, the note that says why."""
    data = evaluator_data(evaluator)
    if isinstance(schema := data.get("schema"), str):
        data["schema"] = path_from_folder(schema, Path())
    try:
        load({"evaluators": [data]})
    except Problems as error:
        return refusal_note(evaluator, "; ".join(issue.message for issue in error.issues))
    return evaluator
