"""Metrics from exact sums, and their intervals: how far a metric could be from what many more rows like these would give.

Every ratio is kept in integers and rounded once, at the end. A metric with nothing in its denominator is never 1: it is 0 where
anything went wrong, and None (undefined) where nothing was there to score.

Rates have intervals of their own, which are honest for few rows and near 0 and 1. Means have one interval, whatever they
are means of: scores, differences, or ratios of sums such as precision. It is made from the first four moments, so that
there is no chance in it, nothing to seed, and no cost per row. Rows that belong together (`statistics: {cluster: …}`) are
one unit.

Every interval is one of 95 %, and None where there is nothing to say anything about. How often each of them holds the
truth is counted in docs/contributing/interval-tables.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb, copysign, exp, lcm, lgamma, log, log1p, pi, sqrt, tan
from typing import Annotated, Final

from msgspec import Meta, Struct, field

from evaluators.runs.result import Counts, Interval
from evaluators.scoring.values.confusion import Confusion

LEVEL: Final = 0.05
"""A difference is called real when chance explains it less often than this, after the correction for many tests."""
Z_95: Final = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""
Z_80: Final = 0.8416212335729143
"""The 80 % quantile of the standard normal distribution."""


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


def confusion(counts: Counts) -> Confusion:
    """The counts of a field as right, wrong, missing and extra values; errors count as wrong."""
    return Confusion(counts.match, counts.mismatch + counts.error, counts.omission, counts.hallucination)


def chance_of_at_most(count: int, trials: int, rate: float) -> float:
    """How likely at most `count` of `trials` events happen, each with the chance `rate`, which is above 0 and below 1.

    It is not above 0.05 exactly where the one-sided 95 % upper bound of Clopper and Pearson is not above the rate.

    Source: Abramowitz and Stegun 1964, formula 26.5.24 (the binomial as an incomplete beta function) and 26.5.8 (its continued
    fraction), evaluated as in Lentz 1976, Applied Optics 15.
    """
    if count >= trials:
        return 1.0
    a, b = trials - count, count + 1
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log1p(-rate) + b * log(rate))
    if (1 - rate) < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, 1 - rate) / a
    return 1 - front * _beta_fraction(b, a, rate) / b


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function of a and b at x, by Lentz's method. It converges fast for x below (a + 1) /
    (a + b + 2)."""
    tiny = 1e-300  # in place of 0, by which nothing is divided
    above, below = 1.0, 1 / (1 - (a + b) * x / (a + 1) or tiny)
    fraction = below
    for m in range(1, 10_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            below, above = 1 / (1 + term * below or tiny), 1 + term / above or tiny
            fraction *= below * above
        if abs(below * above - 1) < 1e-13:
            break
    return fraction


def share(part: int, whole: int) -> float | None:
    """`part` of `whole`, correctly rounded; None of nothing."""
    return part / whole if whole else None


class Moments(Struct, frozen=True):
    """The moments that an interval of a mean is made from: the number of units, their mean, and three central moments, all exact."""

    units: int
    mean: Fraction
    second: Fraction
    """The mean of the squared deviations."""
    third: Fraction
    """The mean of the cubed deviations."""
    fourth: Fraction
    """The mean of the deviations to the fourth power."""

    @property
    def error(self) -> float:
        """The standard error of the mean, with n − 1 in the denominator. Needs two units."""
        return sqrt(self.second / (self.units - 1))


def moments_of_powers(count: int, powers: Mapping[int, tuple[int, int, int, int]]) -> Moments | None:
    """The moments of `count` scores from their power sums; None without any.

    `powers` maps a denominator to (Σ num, Σ num², Σ num³, Σ num⁴) of the scores over it.
    """
    if count == 0:
        return None
    common = lcm(*powers)
    sums = [0, 0, 0, 0]
    for den, each in powers.items():
        scale = common // den
        for index, power in enumerate(each):
            sums[index] += power * scale ** (index + 1)
    mean, square, cube, fourth = (Fraction(total, count * common ** (index + 1)) for index, total in enumerate(sums))
    return Moments(
        count,
        mean,
        square - mean**2,
        cube - 3 * mean * square + 2 * mean**3,
        fourth - 4 * mean * cube + 6 * mean**2 * square - 3 * mean**4,
    )


def moments_of_values(values: Mapping[Fraction, int]) -> Moments | None:
    """The moments of some values, given how often each occurs; None without any."""
    powers: dict[int, tuple[int, int, int, int]] = {}
    for value, times in values.items():
        num, den = value.numerator, value.denominator
        total, squares, cubes, fourths = powers.get(den, (0, 0, 0, 0))
        powers[den] = (
            total + num * times,
            squares + num**2 * times,
            cubes + num**3 * times,
            fourths + num**4 * times,
        )
    return moments_of_powers(sum(values.values()), powers)


class RatioSums(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """The sums that an interval of a ratio is made from, such as precision: the matches of all units over their results.

    A unit is a row. Each adds a part of a whole, both whole numbers; one without a whole says nothing. Sums are exact.
    """

    units: int = 0
    sums: Annotated[list[int], Meta(min_length=14, max_length=14)] = field(default_factory=lambda: [0] * len(_DEGREES))
    """Σ partⁱ · wholeʲ for each (i, j) of _DEGREES: i + j from 1 to 4."""
    rows: int = 0
    """The rows that have the metric, with a whole or without."""

    def add(self, part: int, whole: int, times: int = 1) -> None:
        """Adds the unit `part` of `whole`, as often as `times` says. One whose whole is 0 counts as a row, and as no unit."""
        self.rows += times
        if whole:
            self.units += times
            part2, whole2 = part * part, whole * whole
            part3, whole3 = part2 * part, whole2 * whole
            powers = (
                whole, part, whole2, part * whole, part2, whole3, part * whole2, part2 * whole, part3,
                whole2 * whole2, part * whole3, part2 * whole2, part3 * whole, part2 * part2,
            )  # fmt: skip
            self.sums = [total + times * each for total, each in zip(self.sums, powers, strict=True)]

    def with_more(self, units: int) -> RatioSums:
        """The sums with `units` more units, each of which adds 0 of 1."""
        sums = RatioSums(self.units, [*self.sums], self.rows)
        sums.add(0, 1, units)
        return sums

    def power_sum(self, i: int, j: int) -> int:
        """The sum of partⁱ · wholeʲ over all units."""
        return self.sums[_DEGREES.index((i, j))]

    def moments(self, common: int = 1) -> Moments | None:
        """The moments of the ratio's deviations: of each unit (part − ratio × whole), over the average whole. Parts are stored
        multiplied by `common`, so that they are whole numbers.

        Source: Cochran 1977, "Sampling Techniques", 3rd edition, section 6.3 (the linearized ratio estimator).
        """
        if not self.units:
            return None
        units, part, whole = self.units, self.power_sum(1, 0), self.power_sum(0, 1)

        def central_moment(power: int) -> Fraction:
            """The central moment of that power of the units' deviations, times `common` to that power."""
            terms = (
                comb(power, i) * (-part) ** (power - i) * whole**i * self.power_sum(i, power - i)
                for i in range(power + 1)
            )
            return Fraction(sum(terms) * units ** (power - 1), whole ** (2 * power))

        second, third, fourth = (central_moment(power) / common**power for power in (2, 3, 4))
        return Moments(units, Fraction(part, whole * common), second, third, fourth)


_DEGREES: Final[tuple[tuple[int, int], ...]] = tuple((i, power - i) for power in range(1, 5) for i in range(power + 1))


def moments_of_clusters(clusters: Iterable[tuple[int, Fraction]]) -> Moments | None:
    """The moments of a mean over rows that come in clusters, each (its rows, the sum over them); None without rows.

    The mean is a ratio of two sums. Each cluster deviates from it by what it adds: (its sum − mean × its rows), divided
    by the average number of rows of a cluster.

    Source: Cochran 1977, "Sampling Techniques", 3rd edition, section 6.3 (the linearized ratio estimator).
    """
    known = [(rows, total) for rows, total in clusters if rows]
    common = lcm(*{total.denominator for _, total in known})
    sums = RatioSums()
    for rows, total in known:
        sums.add(total.numerator * (common // total.denominator), rows)
    return sums.moments(common)


def mean_interval(moments: Moments | None, low: float = 0.0, high: float = 1.0, least: float = 3.0) -> Interval | None:
    """The interval of a mean, or of a ratio, of what lies in [low, high]; None without units.

    Each end is the farther one of two intervals that fail in opposite places: Student's, which is too short on the side of
    a long tail, and the bootstrap's, which is too short on the other side when few units differ from the rest. Where few
    units differ, the spread itself is hardly known: the degrees of freedom are then those that the kurtosis leaves, about
    two for each such unit, and `least` for the bootstrap's end.

    Units that are all alike show no spread. Those that nobody saw may then lie anywhere, and may be as many as Wilson's
    interval allows.

    Source: Student 1908, "The probable error of a mean", Biometrika 6; `abc_interval` for the bootstrap's; degrees of freedom from
    the fourth moment as in Satterthwaite 1946, "An approximate distribution of estimates of variance components",
    Biometrics Bulletin 2 (with one taken off, since the shape is estimated as well).
    """
    if moments is None:
        return None
    if moments.units < 2 or not moments.second:
        mean, unseen = float(moments.mean), _largest_unseen_share(moments.units)
        return Interval(mean - (mean - low) * unseen, mean + (high - mean) * unseen)
    most, freedom = moments.units - 1, _degrees_of_freedom(moments)
    interval = _farther_ends(
        _student_interval(moments, student_95(min(most, max(2.0, freedom)))),
        abc_interval(moments, moments.error, student_95(min(most, max(least, freedom)))),
    )
    return Interval(max(low, interval.low), min(high, interval.high))


def share_interval(moments: Moments | None) -> Interval | None:
    """The interval of a mean score, or of a ratio: that of a mean, and never surer than that of a perfect run of as many
    units. With fewer than eight degrees of freedom, one row that is wholly wrong would hold the lower end down further than two
    do."""
    interval = mean_interval(moments, least=8.0)
    if interval is None or moments is None:
        return None
    unseen = _largest_unseen_share(moments.units)
    return Interval(min(interval.low, 1 - unseen), max(interval.high, unseen))


def difference_interval(interval: Interval | None, p: float, difference: float) -> Interval | None:
    """The interval of a difference, made to say of 0 what the p-value says: it holds 0 if and only if p is not below 0.05.

    At 0 the interval asks the very test that p comes from. An end that the test does not bear out is moved: to 0, or to
    just beyond 0 (a thousandth of the difference).

    Source: the duality of tests and intervals, Lehmann and Romano 2005, "Testing Statistical Hypotheses", section 3.5: a
    set of all values that are not rejected covers, whichever test is used for each value.
    """
    if interval is None:
        return None
    if p >= LEVEL:
        return Interval(min(interval.low, 0.0), max(interval.high, 0.0))
    if difference > 0:
        return interval if interval.low > 0 else Interval(difference / 1000, interval.high)
    return interval if interval.high < 0 else Interval(interval.low, difference / 1000)


def _student_interval(moments: Moments, quantile: float) -> Interval:
    """Student's interval of the mean for that quantile of his distribution."""
    reach = quantile * moments.error
    return Interval(float(moments.mean) - reach, float(moments.mean) + reach)


def _farther_ends(*intervals: Interval) -> Interval:
    """The interval with the lowest of all lower ends and the highest of all upper ends."""
    return Interval(min(interval.low for interval in intervals), max(interval.high for interval in intervals))


def _largest_unseen_share(units: int) -> float:
    """The largest share that something may have which none of so many units shows."""
    interval = wilson(0, units)
    return interval.high if interval else 1.0


def _degrees_of_freedom(moments: Moments) -> float:
    """How many degrees of freedom the spread of the units leaves, by its kurtosis; at most two fewer than there are units."""
    peaked = float(moments.fourth / moments.second**2) - 1
    most = moments.units - 2
    return most if peaked <= 0 else min(most, 2 * moments.units / peaked - 1)


def abc_interval(moments: Moments, error: float, quantile: float) -> Interval:
    """The ABC interval of a mean for a standard error and a quantile, without any correction.

    It is the closed form of the bootstrap's bias-corrected and accelerated interval (BCa), so the skewness of scores is in
    it. With acceleration a = Σd³ / 6(Σd²)^(3/2) and w = a ± z, an end is mean + error × w / (1 − aw)²: for a mean, the bias
    and the curvature of the general formula are zero.

    Source: DiCiccio and Efron 1992, "More accurate confidence intervals in exponential families", Biometrika 79; Efron and
    Tibshirani 1993, "An Introduction to the Bootstrap", section 14.4.
    """
    skewness = copysign(sqrt(moments.third**2 / moments.second**3), moments.third)
    acceleration = skewness / (6 * sqrt(moments.units))

    def interval_end(z: float) -> float:
        """The end of the interval for the quantile `z`, which is negative for the lower end."""
        w = acceleration + z
        shrink = 1 - acceleration * w
        return float(moments.mean) + error * w / (shrink * shrink)

    return Interval(interval_end(-quantile), interval_end(quantile))


def student_95(freedom: float) -> float:
    """The 97.5 % quantile of Student's distribution, to about one part in a thousand; freedom is 1, or 2 and more.

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
    return sum(term / freedom**power for power, term in enumerate(terms))


def pairs_interval(both: int, broken: int, fixed: int, neither: int) -> Interval | None:
    """The interval of the difference of two rates over the same rows, which are counted as in `paired_rates`; None without rows.

    Each end is the farther one of Newcombe's, which is too short where all that changed went the same way, and of the two
    that the interval of a mean is made of. How much a row can change is known here, so Student's degrees of freedom stay.
    """
    rates = paired_rates(both, broken, fixed, neither)
    moments = moments_of_values({Fraction(1): fixed, Fraction(-1): broken, Fraction(0): both + neither})
    if rates is None or moments is None:
        return None
    if moments.units < 2 or not moments.second:
        interval = mean_interval(moments, -1.0, 1.0) or rates
    else:
        quantile = student_95(moments.units - 1)
        interval = _farther_ends(_student_interval(moments, quantile), abc_interval(moments, moments.error, quantile))
    whole = _farther_ends(rates, interval)
    return Interval(max(-1.0, whole.low), min(1.0, whole.high))


def paired_rates(both: int, broken: int, fixed: int, neither: int) -> Interval | None:
    """Newcombe's interval of the difference of two rates over the same rows: that of the new run less that of the base.

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
    """Newcombe's estimate of the correlation of two rates, with his correction for continuity; 0 where a margin is empty. Rows are counted
    as in `paired_rates`."""
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
    """The smallest true difference that a comparison of two unpaired runs, each like this one, would notice four times out of five.

    Rows that are paired usually tell smaller differences apart, so this is on the safe side.

    Source: Cohen 1988, chapter 2, two samples of equal size.
    """
    if moments is None or moments.units < 2 or not moments.second:
        return None
    return min(1.0, (Z_95 + Z_80) * moments.error * sqrt(2))
