"""Figures from exact sums: every ratio is kept in integers and rounded once, at the end.

A figure with nothing in its denominator is never 1: it is 0 where anything went wrong, and None (undefined) where nothing
was there to score.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm, sqrt
from typing import Final, NamedTuple

from evaluators.run.result import Counts, Interval
from evaluators.values.confusion import RATIOS, Confusion

LEVEL: Final = 0.05
"""A difference is called real when chance explains it less often than this, after the correction for many tests."""
Z_95: Final = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


class Ratios(NamedTuple):
    """The four micro figures of one set of counts."""

    accuracy: float | None
    precision: float | None
    recall: float | None
    f1: float | None


def wilson(passed: int, scored: int) -> Interval | None:
    """The 95 % CI of a pass rate; None when nothing was scored.

    It stays inside [0, 1] and is honest for few rows and for rates near 0 and 1.

    Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference", JASA 22; without
    continuity correction, as method 3 of Newcombe 1998, "Two-sided confidence intervals for the single proportion".
    """
    if scored == 0:
        return None
    square = Z_95 * Z_95
    middle = 2 * passed + square
    reach = Z_95 * sqrt(square + 4 * passed * (scored - passed) / scored)
    whole = 2 * (scored + square)
    low = 0.0 if passed == 0 else (middle - reach) / whole
    high = 1.0 if passed == scored else (middle + reach) / whole
    return Interval(low, high)


def mean_of(sums: Mapping[int, int], count: int) -> float | None:
    """The mean of `count` scores, correctly rounded; None without any.

    `sums` maps a denominator to the sum of the numerators over it: the scores 1/2, 1/2 and 2/3 are `{2: 2, 3: 2}`.
    """
    if count == 0:
        return None
    common = lcm(*sums)
    return sum(num * (common // den) for den, num in sums.items()) / (common * count)


def ratios(counts: Counts) -> Ratios:
    """Accuracy, precision, recall and F1 of the counts."""
    found = confusion(counts)
    return Ratios(*[found.rounded(figure) for figure in RATIOS])


def confusion(counts: Counts) -> Confusion:
    """The counts that figures are made of; errors are wrong."""
    return Confusion(counts.match, counts.mismatch + counts.error, counts.omission, counts.hallucination)


def share(part: int, whole: int) -> float | None:
    """`part` of `whole`, correctly rounded; None of nothing."""
    return part / whole if whole else None
