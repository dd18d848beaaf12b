"""`fields.md` of a run folder: every field with its counts, and below them what became of every field of every row, where there are few."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.reports.document import Page, PageTable, Paragraph, Section, heads
from evaluators.reports.headline import headline
from evaluators.reports.outcomes import evaluators_by_schema, outcomes_of, rows_by_schema
from evaluators.reports.rows import FieldView
from evaluators.reports.schema_sections import array_table, items_in_words
from evaluators.reports.sections.fields import field_section
from evaluators.run.metrics import full_name, score_text
from evaluators.run.reader import Run
from evaluators.run.result import EvaluatorStats, RunResult
from evaluators.words import plain_word

MOST_OUTCOMES: Final = 1_000
"""Outcomes of a run that are listed; a table beyond that is for a spreadsheet."""

_COLUMNS: Final = heads(
    "row", "path", "metric", "#score", "passed", "reason", "#right", "#wrong", "#missing", "#extra", "#precision",
    "#recall", "#F1",
)  # fmt: skip


def fields_page(result: RunResult, record: Run | None = None) -> Page:
    """Every field of every evaluator, with its counts and ratios; below them, from the record, the arrays and outcomes of those with a
    schema, where there are few."""
    sections = [field_section(stats) for stats in result.evaluators if stats.fields]
    if not sections:
        sections = [Section(None, (Paragraph("No evaluator of this run scores fields."),))]
    if not result.complete:
        sections.insert(0, Section(None, (Paragraph(f"This run was {headline(result)}.", "warning"),)))
    listed = evaluators_by_schema(record) if record is not None else []
    if record is not None and sum(one.counts.n + one.counts.not_judged for one in listed if one.counts) <= MOST_OUTCOMES:
        sections += (each for stats in listed for each in _sections(record, stats))
    return Page(f"{result.name}: fields", tuple(sections))


def _sections(record: Run, stats: EvaluatorStats) -> Iterator[Section]:
    name = full_name(stats)
    arrays = array_table([stats])
    if arrays is not None:
        yield Section(f"{name}: arrays", (arrays,))
    yield Section(f"{name}: outcomes", (PageTable(_COLUMNS, tuple(_rows(record, stats))),))


def _rows(record: Run, stats: EvaluatorStats) -> Iterator[tuple[str, ...]]:
    for row, _, found in rows_by_schema(record, stats):
        yield from ((row.name, *_cells(view)) for view in (outcomes_of(found) if found is not None else ()))


def _cells(view: FieldView) -> tuple[str, ...]:
    items: tuple[str, ...] = ("",) * 7
    (outcome,) = view.outcomes
    if (array := view.array) is not None:
        ratios = (array.precision, array.recall, array.f1)
        shown = (score_text(None if one is None else float(one)) for one in ratios)
        items = (*map(str, items_in_words(array)), *shown)
    passed = "yes" if outcome.passed else "no"
    return outcome.path, outcome.metric, score_text(outcome.score), passed, plain_word(outcome.code), *items
