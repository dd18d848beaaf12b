"""Intervals: how far a figure could be from what many more rows like these would give.

Rates have intervals of their own, which are honest for few rows and near 0 and 1. Means have the bootstrap's interval in
its closed form: what resampling would find is computed from the first three moments, so that there is no chance in it,
nothing to seed, and no cost per row. Rows that belong together (`statistics: {cluster: …}`) are one unit.

Every interval is one of 95 %, and None where there is too little to say anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, pi, sqrt, tan
from typing import Final

from evaluators.runs.result import Interval
from evaluators.runs.statistics import Z_95, wilson

Z_80: Final = 0.8416212335729143
"""The 80 % quantile of the standard normal distribution."""


@dataclass(frozen=True, slots=True)
class Moments:
    """What an interval of a mean is made from: the number of units, their mean, and two central moments, all exact."""

    units: int
    mean: Fraction
    second: Fraction
    """The mean of the squared deviations."""
    third: Fraction
    """The mean of the cubed deviations."""

    @property
    def error(self) -> float:
        """The standard error of the mean, with n − 1 in the denominator. Needs two units."""
        return sqrt(self.second / (self.units - 1))


def moments_of_powers(count: int, powers: Mapping[int, tuple[int, int, int]]) -> Moments | None:
    """The moments of `count` scores from their power sums; None without any.

    `powers` maps a denominator to (Σ num, Σ num², Σ num³) of the scores over it.
    """
    if count == 0:
        return None
    common = lcm(*powers)
    first = second = third = 0
    for den, (one, two, three) in powers.items():
        scale = common // den
        first += one * scale
        second += two * scale**2
        third += three * scale**3
    mean = Fraction(first, common * count)
    square = Fraction(second, common**2 * count)
    cube = Fraction(third, common**3 * count)
    return Moments(count, mean, square - mean**2, cube - 3 * mean * square + 2 * mean**3)


def moments_of_values(values: Mapping[Fraction, int]) -> Moments | None:
    """The moments of some values, given how often each occurs; None without any."""
    count = sum(values.values())
    if count == 0:
        return None
    mean = Fraction(sum((value * times for value, times in values.items()), Fraction(0)) / count)
    second = sum(((value - mean) ** 2 * times for value, times in values.items()), Fraction(0)) / count
    third = sum(((value - mean) ** 3 * times for value, times in values.items()), Fraction(0)) / count
    return Moments(count, mean, second, third)


def moments_of_clusters(clusters: Iterable[tuple[int, Fraction]]) -> Moments | None:
    """The moments of a mean over rows that come in clusters, each (its rows, the sum over them); None without rows.

    The mean is a ratio of two sums. Each cluster deviates from it by what it adds: (its sum − mean × its rows), divided
    by the average number of rows of a cluster.

    Source: Cochran 1977, "Sampling Techniques", 3rd edition, section 6.3 (the linearized ratio estimator).
    """
    known = [(rows, total) for rows, total in clusters if rows]
    if not known:
        return None
    units, rows = len(known), sum(rows for rows, _ in known)
    mean = Fraction(sum((total for _, total in known), Fraction(0)) / rows)
    size = Fraction(rows, units)
    deviations = [(total - mean * own) / size for own, total in known]
    return Moments(
        units,
        mean,
        sum((each**2 for each in deviations), Fraction(0)) / units,
        sum((each**3 for each in deviations), Fraction(0)) / units,
    )


def bootstrap(moments: Moments | None, low: float = 0.0, high: float = 1.0) -> Interval | None:
    """The bootstrap interval of a mean, kept inside [low, high]; None for fewer than two units, or without any spread.

    It is the ABC interval, the closed form of the bias-corrected and accelerated one (BCa), so the skewness of scores is
    in it. For few units it is widened as a t interval is: by n / (n − 1) in the variance, and Student's quantile.

    Source: DiCiccio and Efron 1992, "More accurate confidence intervals in exponential families", Biometrika 79; the
    correction for few units as in Hesterberg 2015, "What teachers should know about the bootstrap", The American
    Statistician 69, section 5.2.
    """
    if moments is None or moments.units < 2 or not moments.second:
        return None
    ends = abc(moments, moments.error, student_95(moments.units - 1))
    return Interval(max(low, ends.low), min(high, ends.high))


def abc(moments: Moments, error: float, quantile: float) -> Interval:
    """The ABC interval of a mean for a standard error and a quantile, without any correction.

    With acceleration a = Σd³ / 6(Σd²)^(3/2) and w = a ± z, an end is mean + error × w / (1 − aw)²: for a mean, the bias
    and the curvature of the general formula are zero.

    Source: DiCiccio and Efron 1992; Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section 14.4.
    """
    acceleration = float(moments.third) / (6 * sqrt(moments.units) * sqrt(float(moments.second) ** 3))

    def end(z: float) -> float:
        w = acceleration + z
        shrink = 1 - acceleration * w
        return float(moments.mean) + error * w / (shrink * shrink)

    return Interval(end(-quantile), end(quantile))


def student_95(freedom: int) -> float:
    """The 97.5 % quantile of Student's distribution, to about one part in a thousand.

    Source: exact for 1 and 2 degrees of freedom; Abramowitz and Stegun 1964, formula 26.7.5, above.
    """
    if freedom == 1:
        return tan(pi * 0.475)
    if freedom == 2:
        return 0.95 * sqrt(2 / (4 * 0.975 * 0.025))
    z = Z_95
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / float(freedom**power) for power, term in enumerate(terms))


def paired_rates(both: int, broken: int, fixed: int, neither: int) -> Interval | None:
    """The interval of the difference of two rates over the same rows: that of the new run less that of the base.

    The rows are counted by what they were: right in both runs, in the base only (broken), in the new one only (fixed),
    in neither. None without rows.

    Source: Newcombe 1998, "Improved confidence intervals for the difference between binomial proportions based on
    paired data", Statistics in Medicine 17, method 10: Wilson's intervals of the two rates, joined by their correlation.
    """
    rows = both + broken + fixed + neither
    base, new = wilson(both + broken, rows), wilson(both + fixed, rows)
    if base is None or new is None:
        return None
    was, now = (both + broken) / rows, (both + fixed) / rows
    phi = _correlation(both, broken, fixed, neither)
    down, up = now - new.low, base.high - was
    below = sqrt(max(0.0, down**2 - 2 * phi * down * up + up**2))
    down, up = was - base.low, new.high - now
    above = sqrt(max(0.0, down**2 - 2 * phi * down * up + up**2))
    return Interval(max(-1.0, now - was - below), min(1.0, now - was + above))


def _correlation(both: int, broken: int, fixed: int, neither: int) -> float:
    """Newcombe's estimate of the correlation, with his correction for continuity; 0 where a margin is empty."""
    margins = (both + broken) * (fixed + neither) * (both + fixed) * (broken + neither)
    if margins == 0:
        return 0.0
    product: float = both * neither - broken * fixed
    if product > 0:
        product = max(product - (both + broken + fixed + neither) / 2, 0.0)
    return product / sqrt(margins)


def detectable_pairs(moments: Moments | None) -> float | None:
    """The smallest true difference that a comparison of so many pairs would notice four times out of five.

    `moments` are those of the differences between the pairs; None where they do not differ, or are fewer than two.

    Source: Cohen 1988, "Statistical Power Analysis for the Behavioral Sciences", 2nd edition, chapter 2: two-sided test
    at 5 %, power 80 %, normal approximation.
    """
    if moments is None or moments.units < 2 or not moments.second:
        return None
    return min(1.0, (Z_95 + Z_80) * moments.error)


def detectable_runs(moments: Moments | None) -> float | None:
    """The same for two runs of so many rows each with a spread like this one's, when nothing is known of their pairs.

    Rows that are paired usually tell smaller differences apart, so this is on the safe side.

    Source: Cohen 1988, chapter 2, two samples of equal size.
    """
    if moments is None or moments.units < 2 or not moments.second:
        return None
    return min(1.0, (Z_95 + Z_80) * moments.error * sqrt(2))
