"""Tests: could a difference between two runs of the same rows be chance?

Both tests are exact where they can be. The question is the same for both: if it were a coin toss which of the two runs a
row's result belongs to, how often would the difference be at least as large?
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import exp, lcm, lgamma, log
from random import Random
from typing import Final

LEVEL: Final = 0.05
"""A difference is called real when chance explains it less often than this, after the correction for many tests."""
LEAST_CHANGED: Final = 6
"""With fewer changed rows no exact test falls below the level: 2 / 2⁵ is 0.0625."""
DRAWS: Final = 9_999
SEED: Final = 20_240_101
MOST_WORK: Final = 30_000_000
"""Machine words that the exact test may touch; beyond, chance is drawn."""
MOST_VALUES: Final = 200
"""Different sizes of differences beyond which they are rounded to hundredths before chance is drawn."""


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
    for place in range(fewer, -1, -1):
        tail += term
        term *= place / (changed - place + 1)
        if term <= tail * 1e-17:
            break
    return min(1.0, 2 * tail)


def sign_flips(differences: Mapping[Fraction, int]) -> float:
    """The two-sided p-value of a mean of paired differences, given how often each difference occurs.

    Every difference keeps its size and tosses a coin for its sign. All 2ⁿ outcomes are counted where that is feasible;
    otherwise 9,999 are drawn, always the same ones, and p is (1 + those at least as extreme) / 10,000.

    Source: Fisher 1935, "The Design of Experiments", section 21; for the drawn form Phipson and Smyth 2010, "Permutation
    p-values should never be zero", Statistical Applications in Genetics and Molecular Biology 9.
    """
    sizes: dict[Fraction, int] = {}
    for difference, count in differences.items():
        if difference:
            sizes[abs(difference)] = sizes.get(abs(difference), 0) + count
    total = abs(sum((difference * count for difference, count in differences.items()), Fraction(0)))
    if not total:
        return 1.0
    if len(sizes) == 1:
        plus = sum(count for difference, count in differences.items() if difference > 0)
        return mcnemar(sum(sizes.values()) - plus, plus)
    units = sum(sizes.values())
    common = lcm(*(size.denominator for size in sizes))
    steps = {int(size * common): count for size, count in sizes.items()}
    span = sum(step * count for step, count in steps.items())
    if span * (units + 1) // 64 * units <= MOST_WORK:
        return _counted(steps, span, int(total * common))
    return _drawn(sizes, total)


def _counted(steps: Mapping[int, int], span: int, total: int) -> float:
    """All outcomes, counted: a polynomial whose coefficients stand side by side in one whole number."""
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


def _drawn(sizes: Mapping[Fraction, int], total: Fraction) -> float:
    if len(sizes) > MOST_VALUES:
        rounded: dict[Fraction, int] = {}
        for size, count in sizes.items():
            near = Fraction(round(size * 100), 100)
            rounded[near] = rounded.get(near, 0) + count
        sizes = rounded
    random, goal = Random(SEED), float(total) * (1 - 1e-12)
    parts = [(float(size), count) for size, count in sorted(sizes.items()) if size]
    extreme = sum(
        abs(sum([size * (2 * random.getrandbits(count).bit_count() - count) for size, count in parts])) >= goal
        for _ in range(DRAWS)
    )
    return (1 + extreme) / (1 + DRAWS)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values, corrected for being many, in their own order: the chance that any of them is called real in error
    stays below the level.

    Source: Holm 1979, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6.
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    found, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, p_values[place] * (len(p_values) - rank)))
        found[place] = least
    return found
