"""Markdown with pipe tables: `-o FILE.md` for a pull request or a CI page, and `fields.md` in the run folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from evaluators.fields.scored import ListOutcome
from evaluators.model import Outcome
from evaluators.reports.document import Head, Page, PageTable, Section
from evaluators.reports.format import PageFormat
from evaluators.reports.headline import Options
from evaluators.reports.markdown import page_markdown
from evaluators.reports.outcome_format import OpenFile, OutcomesFormat
from evaluators.reports.outcomes import ReportPart, outcomes_of
from evaluators.reports.run_page import fields_page
from evaluators.reports.schema_sections import array_table, items_in_words
from evaluators.reports.tables import full_name
from evaluators.run.figures import score_text
from evaluators.run.result import RunResult
from evaluators.words import plain_word

MOST_OUTCOMES: Final = 1_000
"""Outcomes of a run that are listed; a table beyond that is for a spreadsheet."""

_COLUMNS: Final = (
    Head("row"), Head("path"), Head("metric"), Head("score", True), Head("passed"), Head("reason"),
    Head("right", True), Head("wrong", True), Head("missing", True), Head("extra", True),
    Head("precision", True), Head("recall", True), Head("F1", True),
)  # fmt: skip


class MarkdownFormat(PageFormat, OutcomesFormat):
    """Markdown."""

    words = ("markdown", "md")
    suffixes = (".md", ".markdown")

    def page(self, document: Page) -> str:
        """The page as Markdown."""
        return page_markdown(document)

    def folder_files(self, result: RunResult, options: Options) -> Mapping[str, str]:
        """`fields.md`, with every field."""
        return {"fields.md": self.page(fields_page(result))}

    def folder_outcomes(self, result: RunResult, parts: Sequence[ReportPart], open_file: OpenFile) -> None:
        """`fields.md` once more, with every outcome below the fields, where there are few."""
        if sum(part.outcomes for part in parts) <= MOST_OUTCOMES:
            with open_file("fields.md") as stream:
                stream.write(self.page(_with_outcomes(fields_page(result), parts)))


def _with_outcomes(document: Page, parts: Sequence[ReportPart]) -> Page:
    """The page with the arrays and the outcomes of every part below."""
    return replace(document, sections=(*document.sections, *(each for part in parts for each in _sections(part))))


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
