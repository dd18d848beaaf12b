"""Bounds of figures that are made by hand, as if every row had one value of each field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import get_args

from evaluators.runs.intervals import confusion, wilson
from evaluators.runs.result import Counts, FieldStats, MetricCI
from evaluators.scoring.values.confusion import RATIOS, Confusion, Ratio


def ratios(counts: Counts) -> tuple[float | None, float | None, float | None, float | None]:
    """Accuracy, precision, recall and F1 of the counts."""
    accuracy, precision, recall, f1 = map(confusion(counts).as_float, RATIOS)
    return accuracy, precision, recall, f1


def bounds_of(
    fields: Iterable[FieldStats], counts: Counts | None = None, rows: int | None = None
) -> tuple[MetricCI, ...]:
    """Those of every figure of some fields, and of all of them together in so many rows."""
    named = [(one.path, one.counts) for one in fields]
    return tuple(
        bound
        for path, each in [*named, *([(None, counts)] if counts else [])]
        for bound in _bounds(path, each, rows if path is None else None)
    )


def _bounds(path: str | None, counts: Counts, rows: int | None) -> Iterator[MetricCI]:
    wrong = counts.mismatch + counts.error
    for figure in get_args(Ratio):
        part, whole = Confusion(counts.match, wrong, counts.omission, counts.hallucination).sums(figure)
        metric = figure if path is not None else f"micro_{figure}"
        yield MetricCI(path, metric, whole if rows is None else rows, wilson(part, whole))
