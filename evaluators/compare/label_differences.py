"""What became of labels from one run to another: precision, recall and F1 of each, and their averages."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from evaluators.compare.comparison import LabelDifference, LabelFigure
from evaluators.run.result import ConfusionMatrix, LabelFigures

FIGURES: Final[tuple[LabelFigure, ...]] = ("precision", "recall", "f1")


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
            for figures in now:
                if figures.label in known:
                    yield from _of_one(table, average, known[figures.label], figures)


def _of_one(table: ConfusionMatrix, average: bool, old: LabelFigures, now: LabelFigures) -> Iterator[LabelDifference]:
    for figure in FIGURES:
        before: float | None = getattr(old, figure)
        after: float | None = getattr(now, figure)
        difference = None if before is None or after is None else after - before
        yield LabelDifference(
            table.evaluator, now.label, average, figure, before, after, difference, now.support, table.variant
        )
