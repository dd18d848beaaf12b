"""What became of measures, such as cost, from one run to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from evaluators.compare.comparison import MeasureDifference
from evaluators.run.result import MeasureStats

FIGURES: Final = ("mean", "median", "p95", "sum")


def measure_differences(base: Sequence[MeasureStats], new: Sequence[MeasureStats]) -> Iterator[MeasureDifference]:
    """The figures of each measure that both runs have, in the order of the new one."""
    before = {(one.name, one.variant): one for one in base}
    for after in new:
        was = before.get((after.name, after.variant))
        for figure in FIGURES if was is not None else ():
            old: float | None = getattr(was, figure)
            now: float | None = getattr(after, figure)
            difference = None if old is None or now is None else now - old
            yield MeasureDifference(after.name, figure, old, now, difference, after.variant)
