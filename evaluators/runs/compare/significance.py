"""Tests: could a difference between two runs of the same rows be chance?

Both tests are exact where they can be. The question is the same for both: if it were a coin toss which of the two runs a
row's result belongs to, how often would the difference be at least as large?
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import erfc, exp, lcm, lgamma, log, sqrt
from operator import getitem
from random import Random
from typing import Final

LEAST_CHANGED: Final = 6
"""With fewer changed rows no exact test falls below the level: 2 / 2⁵ is 0.0625."""
DRAWS: Final = 9_999
SEED: Final = 20_240_101
MOST_WORK: Final = 30_000_000
"""Machine words that the exact test may touch; beyond, chance is drawn."""
MOST_TRIED: Final = 24
"""Differences of which every combination of signs is tried, where their sizes have no common step to count in."""
MOST_DRAWN: Final = 256
"""Differences whose signs are drawn one by one, the largest ones; the sum of the smaller ones is taken as normal."""
_TABLE: Final = 8  # signs in one byte
_NOISE: Final = 1e-12  # two sums that differ by less are equal: they are added up in floating point


def mcnemar(broken: int, fixed: int) -> float:
    """The exact two-sided p-value for rows that changed between right and wrong; 1 when none did.

    Source: McNemar 1947, "Note on the sampling error of the difference between correlated proportions or percentages",
    Psychometrika 12, in its exact form: the sign test, a binomial with one half. The smaller tail is doubled.
    """
    changed, fewer = broken + fixed, min(broken, fixed)
    if 2 * fewer >= changed - 1:
        return 1.0
    term = exp(lgamma(changed + 1) - lgamma(fewer + 1) - lgamma(changed - fewer + 1) - changed * log(2))
    tail = 0.0
    for index in range(fewer, -1, -1):
        tail += term
        term *= index / (changed - index + 1)
        if term <= tail * 1e-17:
            break
    return min(1.0, 2 * tail)


def sign_flips(differences: Mapping[Fraction, int]) -> float:
    """The two-sided p-value of a mean of paired differences, given how often each difference occurs.

    Every difference keeps its size, to the last bit, and tosses a coin for its sign. All 2ⁿ outcomes are counted where that
    is feasible. Otherwise 9,999 are drawn, always the same ones, and p is (1 + those at least as extreme) / 10,000. Of very
    many differences the signs of the 256 largest are drawn, and the sum of the others is normal: none of them has more
    than 1/256 of the whole variance, so the error this makes in p is less than one in ten thousand.

    Source: Fisher 1935, "The Design of Experiments", section 21; for the drawn form Phipson and Smyth 2010, "Permutation
    p-values should never be zero", Statistical Applications in Genetics and Molecular Biology 9; counting in two halves as
    in Horowitz and Sahni 1974, "Computing partitions with applications to the knapsack problem", Journal of the ACM 21.
    """
    sizes: dict[Fraction, int] = {}
    for difference, count in differences.items():
        if difference:
            sizes[abs(difference)] = sizes.get(abs(difference), 0) + count
    total = abs(total_of(differences))
    if not total:
        return 1.0
    if len(sizes) == 1:
        plus = sum(count for difference, count in differences.items() if difference > 0)
        return mcnemar(sum(sizes.values()) - plus, plus)
    units = sum(sizes.values())
    common = lcm(*{size.denominator for size in sizes})
    span = int(total_of(sizes) * common)
    if span * (units + 1) // 64 * units <= MOST_WORK:
        return _p_by_counting({int(size * common): count for size, count in sizes.items()}, span, int(total * common))
    if units <= MOST_TRIED:
        return _p_by_trying([float(size) for size, count in sizes.items() for _ in range(count)], float(total))
    return _p_by_drawing(sizes, total, common)


def total_of(values: Mapping[Fraction, int]) -> Fraction:
    """The exact sum of some values, given how often each occurs."""
    by_den: dict[int, int] = {}
    for value, count in values.items():
        by_den[value.denominator] = by_den.get(value.denominator, 0) + value.numerator * count
    common = lcm(*by_den)
    return Fraction(sum(num * (common // den) for den, num in by_den.items()), common)


def _p_by_counting(steps: Mapping[int, int], span: int, total: int) -> float:
    """The exact p-value by counting all combinations of signs. `steps` says how often each size occurs, `span` is the sum of
    all sizes and `total` the absolute sum of the differences, all in whole steps. The counts are the coefficients of a
    polynomial, which stand side by side in one whole number."""
    units = sum(steps.values())
    width = units + 1  # bits of a coefficient: all of them together are 2 ** units
    outcomes = 1
    for step, count in steps.items():
        for _ in range(count):
            outcomes += outcomes << (step * width)
    # a sum of signs S and the sum of those chosen to be positive, P, are tied by S = 2 P − span
    first = -(-(span + total) // 2)
    upper = (outcomes >> (first * width)) % ((1 << width) - 1)  # the sum of the coefficients, by casting out
    return min(1.0, float(Fraction(2 * upper, 1 << units)))


def _p_by_trying(sizes: Sequence[float], total: float) -> float:
    """The p-value by trying every combination of signs of few differences. The sums of each half are put in order, so that one
    look-up counts many pairs. `total` is the absolute sum of the differences."""
    middle = len(sizes) // 2
    one, other = _sorted_signed_sums(sizes[:middle]), _sorted_signed_sums(sizes[middle:])
    goal = total * (1 - _NOISE)
    upper = sum(len(other) - bisect_left(other, goal - first) for first in one)
    return min(1.0, 2 * upper / (len(one) * len(other)))


def _sorted_signed_sums(sizes: Iterable[float]) -> list[float]:
    """The sums of the sizes under every combination of signs, in ascending order."""
    sums = [0.0]
    for size in sizes:
        sums = sorted([each - size for each in sums] + [each + size for each in sums])
    return sums


def _p_by_drawing(sizes: Mapping[Fraction, int], total: Fraction, common: int) -> float:
    """The p-value by random signs, which are the same every time. `sizes` says how often each absolute difference occurs,
    `total` is the absolute sum, `common` a common denominator. Beyond the `MOST_DRAWN` largest, the sum is taken as normal."""
    units = sorted([float(size) for size, count in sizes.items() for _ in range(count)], reverse=True)
    tables = [_signed_sums(units[start : start + _TABLE]) for start in range(0, min(len(units), MOST_DRAWN), _TABLE)]
    spread = sqrt(sum(size * size for size in units[MOST_DRAWN:]))
    random, goal = Random(SEED), float(total) * (1 - _NOISE)
    sums = [abs(sum(map(getitem, tables, random.randbytes(len(tables))))) for _ in range(DRAWS)]
    if not spread:
        return (1 + sum(total >= goal for total in sums)) / (1 + DRAWS)
    goal = float(total - Fraction(1, common))  # sums are two steps apart: half way to the one below
    scale = spread * sqrt(2)
    return (1 + sum((erfc((goal - total) / scale) + erfc((goal + total) / scale)) / 2 for total in sums)) / (1 + DRAWS)


def _signed_sums(sizes: Sequence[float]) -> list[float]:
    """For every byte, the sum of up to eight sizes, each with the sign that its bit gives it."""
    sums = [0.0]
    for size in sizes:
        sums = [each - size for each in sums] + [each + size for each in sums]
    return sums * (256 // len(sums))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values, corrected for being many, in their own order: the chance that any of them is called real in error
    stays below the level.

    Source: Holm 1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, p_values[place] * (len(p_values) - rank)))
        corrected[place] = least
    return corrected
