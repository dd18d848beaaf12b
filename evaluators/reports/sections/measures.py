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
    count_columns,
    table_of,
    text_column,
)
from evaluators.reports.parts import table_part
from evaluators.reports.sections.evaluators import MOST_SLICES, clusters_text, slice_text
from evaluators.runs.metrics import counted, more_text, quantity_interval_text, quantity_text, rows_text
from evaluators.runs.result import NumericColumnStats, RunResult

_COLUMNS: Final = (
    text_column("measure", lambda one: one.name),
    text_column("slice", lambda one: slice_text(one.slice), optional=True),
    text_column("variant", optional=True),
    Column("mean", lambda one: quantity_text(one.mean)),
    Column("95 % CI", lambda one: quantity_interval_text(one.mean_ci)),
    Column("median", lambda one: quantity_text(one.median)),
    Column("p95", lambda one: quantity_text(one.p95)),
    Column("min", lambda one: quantity_text(one.min)),
    Column("max", lambda one: quantity_text(one.max)),
    Column("sum", lambda one: quantity_text(one.sum, 7)),
    Column("n", lambda one: f"{one.n:,} of {one.rows:,}"),
    *count_columns("missing", "unreadable", optional=True),
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


def measure_part(result: RunResult) -> tuple[Section, ...]:
    """The measures over all rows."""
    columns = [one for one in _COLUMNS if one.head in ("measure", "variant", "mean", "median", "p95", "n")]
    return table_part(result.whole_measures, 3, columns)


def _remarks(one: NumericColumnStats) -> Iterator[Item]:
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
    yield Item("p95: at least 95 % of the numbers are no greater than this")
