"""`fields.md` of a run folder: every field with its counts, and below them what became of every field of every row, where there are few."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.model.words import plain_word
from evaluators.reports.document import Column, Page, Paragraph, Section, table_of, text_column
from evaluators.reports.headline import headline
from evaluators.reports.outcomes import evaluators_by_schema, outcomes_of, rows_by_schema
from evaluators.reports.schema_sections import array_table, item_columns
from evaluators.reports.sections.fields import field_section
from evaluators.runs.metrics import full_name, score_text
from evaluators.runs.reader import Run
from evaluators.runs.result import EvaluatorStats, RunResult

MOST_OUTCOMES: Final = 1_000
"""Outcomes of a run that are listed; a table beyond that is for a spreadsheet."""


def fields_page(result: RunResult, record: Run | None = None) -> Page:
    """Every field of every evaluator, with its counts and ratios; below them, from the record, the arrays and outcomes of those with a
    schema, where there are few."""
    sections = [field_section(stats) for stats in result.evaluators if stats.fields]
    if not sections:
        sections = [Section(None, (Paragraph("No evaluator of this run scores fields."),))]
    if not result.complete:
        sections.insert(0, Section(None, (Paragraph(f"This run was {headline(result)}.", "warning"),)))
    listed = evaluators_by_schema(record) if record is not None else []
    if (
        record is not None
        and sum(stats.counts.n + stats.counts.not_judged for stats in listed if stats.counts) <= MOST_OUTCOMES
    ):
        sections += (each for stats in listed for each in _sections(record, stats))
    return Page(f"{result.name}: fields", tuple(sections))


def _sections(record: Run, stats: EvaluatorStats) -> Iterator[Section]:
    """The lists of an evaluator as a section, where it has some, and the outcome of every field of every row as another."""
    name = full_name(stats)
    arrays = array_table([stats])
    if arrays is not None:
        yield Section(f"{name}: arrays", (arrays,))
    columns = (
        text_column("row", lambda item: item[0].name),
        text_column("path", lambda item: item[1].outcomes[0].path),
        text_column("metric", lambda item: item[1].outcomes[0].metric),
        Column("score", lambda item: score_text(item[1].outcomes[0].score)),
        text_column("passed", lambda item: "yes" if item[1].outcomes[0].passed else "no"),
        text_column("reason", lambda item: plain_word(item[1].outcomes[0].code)),
        *item_columns(lambda item: item[1].array),
    )
    rows_with_views = [
        (row, view)
        for row, _, outcomes in rows_by_schema(record, stats)
        for view in (outcomes_of(outcomes) if outcomes is not None else ())
    ]
    yield Section(f"{name}: outcomes", (table_of(rows_with_views, columns),))
