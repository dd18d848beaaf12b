"""`fields.md` of a run folder: every field with its counts, and below them what became of every field of every row, where there are few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from evaluators.fields.scored import ListOutcome
from evaluators.model import Outcome
from evaluators.reports.document import Head, Page, PageTable, Paragraph, Section
from evaluators.reports.headline import headline
from evaluators.reports.outcomes import ReportPart, outcomes_of
from evaluators.reports.run_tables import field_section
from evaluators.reports.schema_sections import array_table, items_in_words
from evaluators.reports.tables import full_name
from evaluators.run.metrics import score_text
from evaluators.run.result import RunResult
from evaluators.words import plain_word

MOST_OUTCOMES: Final = 1_000
"""Outcomes of a run that are listed; a table beyond that is for a spreadsheet."""

_COLUMNS: Final = (
    Head("row"), Head("path"), Head("metric"), Head("score", True), Head("passed"), Head("reason"),
    Head("right", True), Head("wrong", True), Head("missing", True), Head("extra", True),
    Head("precision", True), Head("recall", True), Head("F1", True),
)  # fmt: skip


def fields_page(result: RunResult, parts: Sequence[ReportPart] = ()) -> Page:
    """Every field of every evaluator, with its counts and ratios; below them the arrays and the outcomes of every part, where there
    are few."""
    sections = [field_section(stats) for stats in result.evaluators if stats.fields]
    if not sections:
        sections = [Section(None, (Paragraph("No evaluator of this run scores fields."),))]
    if not result.complete:
        sections.insert(0, Section(None, (Paragraph(f"This run was {headline(result)}.", "warning"),)))
    if sum(part.outcomes for part in parts) <= MOST_OUTCOMES:
        sections += (each for part in parts for each in _sections(part))
    return Page(f"{result.name}: fields", tuple(sections))


def _sections(part: ReportPart) -> Iterator[Section]:
    name = full_name(part.stats)
    arrays = array_table([part.stats])
    if arrays is not None:
        yield Section(f"{name}: arrays", (arrays,))
    yield Section(f"{name}: outcomes", (PageTable(_COLUMNS, tuple(_rows(part))),))


def _rows(part: ReportPart) -> Iterator[tuple[str, ...]]:
    for row, found in part.rows():
        if found is not None:
            yield from ((row.name, *_cells(outcome, array)) for outcome, array, _ in outcomes_of(found))


def _cells(outcome: Outcome, array: ListOutcome | None) -> tuple[str, ...]:
    items: tuple[str, ...] = ("",) * 7
    if array is not None:
        ratios = (array.precision, array.recall, array.f1)
        shown = (score_text(None if one is None else float(one)) for one in ratios)
        items = (*map(str, items_in_words(array)), *shown)
    passed = "yes" if outcome.passed else "no"
    return outcome.path, outcome.metric, score_text(outcome.score), passed, plain_word(outcome.code), *items
