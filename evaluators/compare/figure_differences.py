"""What became of the figures of labels and of measures, such as cost, from one run to another. They are not tested."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from evaluators.compare.comparison import LabelDifference, LabelFigure, MeasureDifference
from evaluators.run.result import ConfusionMatrix, MeasureStats

OF_LABELS: Final[tuple[LabelFigure, ...]] = ("precision", "recall", "f1")
OF_MEASURES: Final = ("mean", "median", "p95", "sum")


def label_differences(
    base: Sequence[ConfusionMatrix], new: Sequence[ConfusionMatrix], evaluators: Collection[str]
) -> Iterator[LabelDifference]:
    """The figures of each label that both runs have, then of the averages, of those evaluators, in the order of the new run."""
    before = {(one.evaluator, one.variant): one for one in base}
    for table in new:
        was = before.get((table.evaluator, table.variant))
        if was is None or table.evaluator not in evaluators:
            continue
        for average, old, now in ((False, was.labels, table.labels), (True, was.averages, table.averages)):
            known = {one.label: one for one in old}
            for one, figure in ((one, figure) for one in now if one.label in known for figure in OF_LABELS):
                found = _moved(known[one.label], one, figure)
                yield LabelDifference(table.evaluator, one.label, average, figure, *found, one.support, table.variant)


def measure_differences(base: Sequence[MeasureStats], new: Sequence[MeasureStats]) -> Iterator[MeasureDifference]:
    """The figures of each measure that both runs have, in the order of the new one."""
    before = {(one.name, one.variant): one for one in base}
    for one in new:
        if (was := before.get((one.name, one.variant))) is not None:
            for figure in OF_MEASURES:
                yield MeasureDifference(one.name, figure, *_moved(was, one, figure), one.variant)


def _moved(was: object, now: object, figure: str) -> tuple[float | None, float | None, float | None]:
    """The figure in both runs, and its difference."""
    old, new = getattr(was, figure), getattr(now, figure)
    return old, new, None if old is None or new is None else new - old
