"""What pairing two items is worth, and the one whole number that says it.

A pairing of two lists is the better one when it has more *complete* pairs, in which every measured result is a match; then
by the greater sum of F1; then by its rank: the fields that match, in their order. Distances come last, and
`values.assignment` sees to them. What no field looks at decides nothing.

`gains` writes that as one whole number for each pair, so that the pairing with the greatest sum is the best one. A unit of
a level outweighs whatever a pairing can gain at the levels below it: sums of F1 are whole over their common denominator,
and a pairing has min(n, m) pairs at most. Levels that tell no two pairs apart are left out, which keeps numbers small.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple

from evaluators.values.assignment import Table

WHOLE: Final = Fraction(1)


class Worth(NamedTuple):
    """What a pair of items comes to: its F1 is 2 × matched / whole, as `Confusion` has it."""

    matched: int
    """Measured results that match."""
    whole: int
    """The results that both sides have, twice, and those that one side has; never 0."""
    rank: int = 0
    """What decides among pairings with the same sum of F1."""


COMPLETE: Final = Worth(1, 2)
NOTHING_ALIKE: Final = Worth(0, 2)


def judged(matches: bool) -> Worth:
    """The worth of a pair that is one result."""
    return COMPLETE if matches else NOTHING_ALIKE


def gains(worths: Sequence[Sequence[Worth]], least: Fraction) -> Table:
    """One whole number for each pair, by rows; 0 for a pair whose F1 is 0, or below `least`."""
    most = min(len(worths), len(worths[0]))
    numbers = _numbers({worth for line in worths for worth in line}, least, most)
    return [[numbers[worth] for worth in line] for line in worths]


def _numbers(worths: Iterable[Worth], least: Fraction, most: int) -> dict[Worth, int]:
    """The number of every worth: complete pairs, then F1, then rank."""
    shares = {worth: f1(worth) for worth in worths}
    kept = {worth: share for worth, share in shares.items() if share and share >= least}
    unit = lcm(*(share.denominator for share in kept.values()))
    below = most * max((worth.rank for worth in kept), default=0) + 1
    found = {worth: share.numerator * (unit // share.denominator) * below + worth.rank for worth, share in kept.items()}
    if any(share != WHOLE for share in kept.values()):
        bonus = most * max(found.values()) + 1
        found = {worth: value + bonus * (kept[worth] == WHOLE) for worth, value in found.items()}
    return {worth: found.get(worth, 0) for worth in shares}


def f1(worth: Worth) -> Fraction:
    """The F1 of a pair."""
    return Fraction(2 * worth.matched, worth.whole)
