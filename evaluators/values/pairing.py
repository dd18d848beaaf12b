"""Which item of one list goes with which item of another.

Every function gives pairs of indexes (expected, output), each index at most once, sorted by the expected index. What is
left over is the caller's to report: an omission on one side, a hallucination on the other.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from evaluators.values.assignment import Pairs as Pairs
from evaluators.values.assignment import assign_gains
from evaluators.values.equality import same


def in_order(expected: int, output: int) -> Pairs:
    """First with first, second with second, as far as both go."""
    return [(index, index) for index in range(min(expected, output))]


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


def best(expected: int, output: int, gain: Callable[[int, int], int]) -> Pairs:
    """The pairing with the greatest total gain; pairs that gain nothing stay apart. `assignment` says how ties go."""
    return assign_gains([[gain(row, column) for column in range(output)] for row in range(expected)])


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
