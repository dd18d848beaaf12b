"""The measures of a run: columns of numbers, and what judges cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.reports.document import (
    Block,
    Column,
    Item,
    Listing,
    Paragraph,
    Section,
    table_of,
    text_column,
)
from evaluators.reports.parts import ALWAYS, Brief, metric_columns, metric_texts
from evaluators.reports.sections.evaluators import MOST_SLICES, clusters_text, metric_meaning, slice_text
from evaluators.runs.metric_table import MEASURE_METRICS, Place
from evaluators.runs.metrics import counted, full_name, more_text, rows_text
from evaluators.runs.result import NumericColumnStats, RunResult

MOST_IN_SUMMARY: Final = 3
_SHOWN: Final = [one for one in MEASURE_METRICS if one.place == "always"]
_IF_ANY: Final[tuple[Place, ...]] = ("if any",)
_N: Final = Column("n", lambda one: f"{one.n:,} of {one.rows:,}")
_COLUMNS: Final = (
    text_column("measure", lambda one: one.name),
    text_column("slice", lambda one: slice_text(one.slice), optional=True),
    text_column("variant", optional=True),
    *metric_columns(MEASURE_METRICS, (*ALWAYS, "all fields"), intervals=True),
    _N,
    *metric_columns(MEASURE_METRICS, _IF_ANY),
)


def measure_section(result: RunResult) -> tuple[Section, ...]:
    """The measures with their metrics and counts, then those of slices; nothing without measures."""
    if not result.measures:
        return ()
    slices = [one for one in result.measures if one.slice is not None]
    items = (*(item for one in result.whole_measures for item in _remarks(one)), *_legend(result))
    blocks: list[Block] = [table_of(result.whole_measures, _COLUMNS), Listing(items)]
    if slices:
        blocks += [Paragraph("By slice:"), table_of(slices[:MOST_SLICES], _COLUMNS)]
    if len(slices) > MOST_SLICES:
        rest = more_text(len(slices) - MOST_SLICES, "slice")
        blocks.append(Paragraph(f"The first {MOST_SLICES}; {rest} in run.json."))
    return (Section("Measures", tuple(blocks)),)


def measure_brief(result: RunResult) -> Brief:
    """The measures over all rows, a line each: `cost: mean 0.002, median 0.001, p95 0.004; 24 of 24 rows`."""
    lines = [
        f"{full_name(one)}: {metric_texts(_SHOWN, one)}; {one.n:,} of {rows_text(one.rows)}"
        for one in result.whole_measures[:MOST_IN_SUMMARY]
    ]
    rest = len(result.whole_measures) - len(lines)
    return Brief(tuple(lines), counted(rest, "measure") if rest else "")


def _remarks(one: NumericColumnStats) -> Iterator[Item]:
    """What the numbers of a measure leave out: empty cells, and cells that are no numbers.

    Empty cells are a note, or a warning where the numbers are from judges.
    """
    if one.missing and one.of_judges:
        yield Item(f"{one.name}: the {one.column} of {rows_text(one.missing)} is not known", tone="warning")
    elif one.missing:
        cells = f"{counted(one.missing, 'cell')} of {one.column}"
        yield Item(f"{one.name}: {cells} {'is' if one.missing == 1 else 'are'} empty", tone="note")
    if one.unreadable:
        cells = f"{counted(one.unreadable, 'cell')} of {one.column}"
        are = "is not a number" if one.unreadable == 1 else "are not numbers"
        yield Item(f"{one.name}: {cells} {are}", tone="warning")


def _legend(result: RunResult) -> Iterator[Item]:
    yield Item(f"95 % CI: where the mean would likely be with many more rows like these{clusters_text(result)}")
    yield from (Item(metric_meaning(one)) for one in MEASURE_METRICS if one.kind == "value" and one.meaning)
