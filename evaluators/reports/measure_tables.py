"""The tables of measures: numbers of the test set's own columns, over the run and by slice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.reports.document import Head, Item, Listing, PageTable, Paragraph, Section, dense
from evaluators.run.figures import counted, more_text, quantity_interval_text, quantity_text
from evaluators.run.result import MeasureStats, RunResult

MOST_SLICES: Final = 20
"""Slices that a summary lists for all measures together; all of them are in run.json."""

_COLUMNS: Final = (
    Head("measure"), Head("slice"), Head("variant"), Head("mean", True), Head("95 % CI", True), Head("median", True),
    Head("p95", True), Head("min", True), Head("max", True), Head("sum", True), Head("n", True),
    Head("missing", True), Head("unreadable", True),
)  # fmt: skip
_ALWAYS: Final = ("measure", "mean", "95 % CI", "median", "p95", "sum", "min", "max", "n")


def measure_section(result: RunResult) -> tuple[Section, ...]:
    """The measures with their figures and counts, then those of slices; nothing without measures."""
    if not result.measures:
        return ()
    whole = result.whole_measures
    slices = [one for one in result.measures if one.slice is not None]
    table = dense(PageTable(_COLUMNS, tuple(map(_row, whole))), _ALWAYS)
    blocks: list[PageTable | Listing | Paragraph] = [table, Listing(tuple(_remarks(result, whole)))]
    if slices:
        blocks.append(Paragraph("By slice:"))
        blocks.append(dense(PageTable(_COLUMNS, tuple(map(_row, slices[:MOST_SLICES]))), (*_ALWAYS, "slice")))
        if len(slices) > MOST_SLICES:
            rest = len(slices) - MOST_SLICES
            blocks.append(Paragraph(f"The first {MOST_SLICES}; {more_text(rest, 'slice')} in run.json."))
    return (Section("Measures", tuple(blocks)),)


def _row(one: MeasureStats) -> tuple[str, ...]:
    about = f"{one.slice[0].removeprefix('row.')} = {one.slice[1]}" if one.slice else ""
    figures = (one.median, one.p95, one.min, one.max)
    total = quantity_text(one.sum, 7)
    return (
        one.name, about, one.variant or "", quantity_text(one.mean), quantity_interval_text(one.mean_ci),
        *map(quantity_text, figures), total, f"{one.n:,} of {one.rows:,}", f"{one.missing:,}", f"{one.unreadable:,}",
    )  # fmt: skip


def _remarks(result: RunResult, whole: tuple[MeasureStats, ...]) -> Iterator[Item]:
    for one in whole:
        if one.missing:
            cells = counted(one.missing, "cell")
            yield Item(f"{one.name}: {cells} of {one.column} {'is' if one.missing == 1 else 'are'} empty", tone="note")
        if one.unreadable:
            cells = counted(one.unreadable, "cell")
            are = "is not a number" if one.unreadable == 1 else "are not numbers"
            yield Item(f"{one.name}: {cells} of {one.column} {are}", tone="warning")
        if one.digits is not None:
            said = f"median and p95 are cut after {counted(one.digits, 'significant digit')}"
            yield Item(f"{one.name}: it has too many different numbers to keep, so its {said}", tone="note")
    together = f"; rows of one {result.cluster} count as one" if result.cluster else ""
    yield Item(f"95 % CI: where the mean would likely be with many more rows like these{together}")
    yield Item("p95: at least 95 % of the numbers are no greater than this")
