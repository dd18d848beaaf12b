"""What pairing two items is worth, and the one whole number that says it.

A pairing of two lists is the better one when it has more *complete* pairs, in which every measured result is a match; then
by the greater sum of F1; then by its rank: the fields that match, in their order. Distances come last, and
`values.pairing` sees to them. What no field looks at decides nothing.

`gains` writes that as one whole number for each pair, so that the pairing with the greatest sum is the best one. A unit of
a level outweighs whatever a pairing can gain at the levels below it: sums of F1 are whole over their common denominator,
and a pairing has min(n, m) pairs at most. Levels that tell no two pairs apart are left out, which keeps numbers small.

How much work it is to compare every item of a list with every item of another, counted before anything is compared.

The limit (`limits: {list_cells: …}` sets another) is that of lists of 1,000 items with four values each.

The unit is a *cell*: one value of an item compared with one value of another. Lists of n and m items come to n × m cells
for each value that an item has on average. A comparator that tells how alike two texts are counts `SLOW` times; a list
inside an item counts each of its values with each, where its own items are paired freely, too.

Above the limit, equal items are paired first and the rest in list order. Only the documents are counted, so that the
answer is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any, Final, NamedTuple

from msgspec import Struct

from evaluators.model.limits import limits_here
from evaluators.scoring.values.pairing import Table

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
    return _f1(worth.matched, worth.whole)


@lru_cache(maxsize=10_000)
def _f1(matched: int, whole: int) -> Fraction:
    return Fraction(2 * matched, whole)


SLOW: Final = 20
"""How many cells one question to a slow comparator counts for."""
LONG: Final = 200
"""For a slow comparator, a text counts as one value for every so many characters."""
FEW: Final = 100
"""Up to this many pairs of items are always compared: that is fast, whatever the items are."""


class PairCost(Struct, frozen=True):
    """How costly it is to compare two items."""

    slow: bool = False
    """Some comparator of theirs tells how alike two texts are, or is a function or a pattern of the user's."""
    deep: bool = False
    """Some list inside the items has items that are paired freely, too."""


def crowded(cost: PairCost, expected: Sequence[Any], output: Sequence[Any], limit: int | None = None) -> bool:
    """Whether two lists are too long to compare every item of one with every item of the other."""
    rows, columns = len(expected), len(output)
    if rows * columns <= FEW:
        return False
    most = limits_here().list_cells if limit is None else limit
    if rows * columns > most:
        return True
    return cells(cost, expected, output) > most


def cells(cost: PairCost, expected: Sequence[Any], output: Sequence[Any]) -> int:
    """How much work it is to compare every item of one list with every item of the other, in pairs of single values."""
    ours, theirs = (sum(_values(item, cost) for item in side) for side in (expected, output))
    return (len(output) * ours + len(expected) * theirs) // 2 * (SLOW if cost.slow else 1)


def _values(item: Any, cost: PairCost) -> int:
    """The values of an item, without recursion: documents may be nested deeply."""
    found, waiting = 0, [item]
    while waiting:
        value = waiting.pop()
        kind = value.__class__
        if kind is dict:
            waiting.extend(value.values())
        elif kind is list:
            if cost.deep:
                found += len(value) * len(value)
            waiting.extend(value)
        else:
            found += 1 + len(value) // LONG if cost.slow and kind is str else 1
    return found or 1
