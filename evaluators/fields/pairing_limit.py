"""How much work it is to compare every item of a list with every item of another, counted before anything is compared.

The limit (`limits: {list_cells: …}` sets another) is that of lists of 1,000 items with four values each.

The unit is a *cell*: one value of an item compared with one value of another. Lists of n and m items come to n × m cells
for each value that an item has on average. A comparator that tells how alike two texts are counts `SLOW` times; a list
inside an item counts each of its values with each, where its own items are paired freely, too.

Above the limit, equal items are paired first and the rest in list order. Only the documents are counted, so that the
answer is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from evaluators.limits import limits_here

SLOW: Final = 20
"""How many cells one question to a slow comparator counts for."""
LONG: Final = 200
"""So many characters of a text are one value for a slow comparator."""
FEW: Final = 100
"""Up to so many pairs of items nothing is counted: it is soon done, whatever the items are."""


class PairCost(NamedTuple):
    """What it takes to compare two items."""

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
    """The cells that two lists come to."""
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
