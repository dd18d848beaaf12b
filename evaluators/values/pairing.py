"""Which item of one list goes with which item of another.

Every function gives pairs of indexes (expected, output), each index at most once, sorted by the expected index. What is
left over is the caller's to report: an omission on one side, a hallucination on the other.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Sequence
from typing import Any, Final

from evaluators.values.assignment import Pairs as Pairs
from evaluators.values.equality import same

NEAREST: Final = 250_000
"""Up to so many places of equal items it is looked for those that are nearest: the items of the few times those to leave out."""


def by_key(expected: Sequence[Hashable | None], output: Sequence[Hashable | None]) -> Pairs:
    """Items that share a key. Items that share it with others of their own list pair first come, first served.

    A key of None means that the item has none: it pairs with nothing.
    """
    waiting: dict[Hashable, deque[int]] = defaultdict(deque)
    for index, key in enumerate(output):
        if key is not None:
            waiting[key].append(index)
    pairs = []
    for index, key in enumerate(expected):
        if key is not None and waiting.get(key):
            pairs.append((index, waiting[key].popleft()))
    return pairs


def by_equality(expected: Sequence[Hashable], output: Sequence[Hashable]) -> Pairs:
    """As many pairs of equal items as there can be: what `assign_gains` gives where equal items gain 1, and others 0.

    Items that equal each other are paired without crossing. Where one list has more of them, those are left out that
    bring the others nearest; of more than `NEAREST` possible places, the last ones are left out. Equal items score alike.
    """
    ours, theirs = places(expected), places(output)
    pairs: Pairs = []
    for value, rows in ours.items():
        columns = theirs.get(value, [])
        if len(rows) <= len(columns):
            pairs.extend(_nearest(rows, columns))
        else:
            pairs.extend((row, column) for column, row in _nearest(columns, rows))
    return sorted(pairs)


def places(values: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    """The indexes of each value."""
    found: dict[Hashable, list[int]] = {}
    for index, value in enumerate(values):
        found.setdefault(value, []).append(index)
    return found


def _nearest(few: Sequence[int], many: Sequence[int]) -> Pairs:
    """Each of the few with one of the many, in order, at the least sum of distances; the earliest among equal ones."""
    spare = len(many) - len(few)
    if not spare or spare * len(few) > NEAREST:
        return [*zip(few, many, strict=False)]
    # least[one][skipped]: from the one-th of the few on, once so many of the many are skipped
    least = [[0] * (spare + 1)]
    for one in range(len(few) - 1, -1, -1):
        after, line = least[-1], [0] * (spare + 1)
        line[spare] = after[spare] + abs(few[one] - many[one + spare])
        for skipped in range(spare - 1, -1, -1):
            line[skipped] = min(line[skipped + 1], after[skipped] + abs(few[one] - many[one + skipped]))
        least.append(line)
    least.reverse()
    pairs, skipped = [], 0
    for one, place in enumerate(few):
        while least[one][skipped] < least[one + 1][skipped] + abs(place - many[one + skipped]):
            skipped += 1
        pairs.append((place, many[one + skipped]))
    return pairs


def left_over(pairs: Pairs, expected: int, output: int) -> tuple[list[int], list[int]]:
    """The indexes of either list that are in no pair, in order."""
    rows, columns = {row for row, _ in pairs}, {column for _, column in pairs}
    return [row for row in range(expected) if row not in rows], [one for one in range(output) if one not in columns]


def repeated(keys: Sequence[Hashable | None]) -> tuple[int, ...]:
    """The indexes of keys that stand earlier in the list, too."""
    if len(set(keys)) == len(keys):
        return ()
    seen: set[Hashable] = set()
    found = []
    for index, key in enumerate(keys):
        if key is not None and key in seen:
            found.append(index)
        seen.add(key)
    return tuple(found)


def identity(value: Any) -> Hashable:
    """A JSON value as something to look up by: equal exactly where the values are, key order and `true` included."""
    try:
        return _identity(value)
    except RecursionError:
        return _Deep(value)


def _identity(value: Any) -> Hashable:
    kind = value.__class__
    if kind is str:
        return str(value)
    if kind is dict:
        return frozenset((key, _identity(inner)) for key, inner in value.items())
    if kind is list:
        return tuple(_identity(inner) for inner in value)
    return (kind is bool, value)


class _Deep:
    """A value that is nested too deeply to be looked into level by level."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Deep) and same(self.value, other.value)

    def __hash__(self) -> int:
        return 0
