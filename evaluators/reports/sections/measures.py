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
from evaluators.runs.metrics import count_text, full_name, more_text, rows_text
from evaluators.runs.result import NumericColumnStats, RunResult

MOST_IN_SUMMARY: Final = 3
_SHOWN: Final = [metric for metric in MEASURE_METRICS if metric.place == "always"]
_IF_ANY: Final[tuple[Place, ...]] = ("if any",)
_N: Final = Column("n", lambda one: f"{one.n:,} of {one.rows:,}")
_COLUMNS: Final = (
    text_column("measure", lambda measure: measure.name),
    text_column("slice", lambda measure: slice_text(measure.slice), optional=True),
    text_column("variant", optional=True),
    *metric_columns(MEASURE_METRICS, (*ALWAYS, "all fields"), intervals=True),
    _N,
    *metric_columns(MEASURE_METRICS, _IF_ANY),
)


def measure_section(result: RunResult) -> tuple[Section, ...]:
    """The section with a table of the measures, with their metrics and counts, then one of those of slices; empty without measures."""
    if not result.measures:
        return ()
    slices = [measure for measure in result.measures if measure.slice is not None]
    items = (*(item for measure in result.whole_measures for item in _remarks(measure)), *_legend(result))
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
        f"{full_name(measure)}: {metric_texts(_SHOWN, measure)}; {measure.n:,} of {rows_text(measure.rows)}"
        for measure in result.whole_measures[:MOST_IN_SUMMARY]
    ]
    rest = len(result.whole_measures) - len(lines)
    return Brief(tuple(lines), count_text(rest, "measure") if rest else "")


def _remarks(measure: NumericColumnStats) -> Iterator[Item]:
    """Remarks on cells that a measure leaves out: empty ones, and those that are no numbers.

    Empty cells are a note, or a warning where the numbers are from judges.
    """
    if measure.missing and measure.of_judges:
        yield Item(f"{measure.name}: the {measure.column} of {rows_text(measure.missing)} is not known", tone="warning")
    elif measure.missing:
        cells = f"{count_text(measure.missing, 'cell')} of {measure.column}"
        yield Item(f"{measure.name}: {cells} {'is' if measure.missing == 1 else 'are'} empty", tone="note")
    if measure.unreadable:
        cells = f"{count_text(measure.unreadable, 'cell')} of {measure.column}"
        are = "is not a number" if measure.unreadable == 1 else "are not numbers"
        yield Item(f"{measure.name}: {cells} {are}", tone="warning")


def _legend(result: RunResult) -> Iterator[Item]:
    yield Item(f"95 % CI: where the mean would likely be with many more rows like these{clusters_text(result)}")
    yield from (Item(metric_meaning(metric)) for metric in MEASURE_METRICS if metric.kind == "value" and metric.meaning)
