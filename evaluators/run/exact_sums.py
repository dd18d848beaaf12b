"""Sums of figures that are fractions: one whole number per denominator, the same for any split of the rows.

Denominators up to EXACT are summed apart, and exactly. A figure with a larger one is first rounded to a whole number of
UNITs, half to even, always to the same: all such figures then share one sum. So a sum takes no more memory for more rows,
and adding and merging never round.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Final, TypeAlias

EXACT: Final = 2**16
"""The largest denominator that has a sum of its own."""
UNITS: Final = 2**80
"""The denominator of all others."""

Sums: TypeAlias = dict[int, int]
"""Denominator → sum of numerators."""


def summand(num: int, den: int) -> tuple[int, int]:
    """The figure num/den as it is summed: (numerator, denominator). `den` is above 0."""
    if den <= EXACT:
        return num, den
    whole, rest = divmod(num * UNITS, den)
    return whole + (2 * rest > den or (2 * rest == den and whole % 2 == 1)), UNITS


def add_to(sums: MutableMapping[int, int], num: int, den: int, times: int = 1) -> None:
    """Adds a figure that was met some number of times."""
    num, den = summand(num, den)
    sums[den] = sums.get(den, 0) + num * times


def merge_sums(mine: MutableMapping[int, int], theirs: Mapping[int, int]) -> None:
    """Adds the sums of other rows."""
    for den, num in theirs.items():
        mine[den] = mine.get(den, 0) + num
