"""Which item of one list goes with which item of another.

Every function gives pairs of indexes (expected, output), each index at most once, sorted by the expected index. What is
left over is the caller's to report: an omission on one side, a hallucination on the other.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from typing import Any

Pairs = list[tuple[int, int]]


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
    """The pairing with the greatest total gain; pairs that gain nothing stay apart. Ties as `assign_gains`."""
    return assign_gains([[gain(row, column) for column in range(output)] for row in range(expected)])


def assign_gains(table: Sequence[Sequence[int]], least: int = 1) -> Pairs:
    """The pairing with the greatest total gain; pairs that gain less than `least` stay apart.

    Gains are whole numbers, so that the sum is exact. Ties go to the pairing nearest to list order, so that a run can
    be repeated.
    """
    expected, output = len(table), len(table[0]) if table else 0
    unit = (expected + output) * min(expected, output) + 1  # one unit of gain outweighs every sum of distances
    nearest = [
        [(value * unit if value >= least else 0) - abs(row - column) for column, value in enumerate(line)]
        for row, line in enumerate(table)
    ]
    return [(row, column) for row, column in assign(nearest) if table[row][column] >= least]


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
    kind = value.__class__
    if kind is str:
        return str(value)
    if kind is dict:
        return frozenset((key, identity(inner)) for key, inner in value.items())
    if kind is list:
        return tuple(identity(inner) for inner in value)
    return (kind is bool, value)


def assign(gain: Sequence[Sequence[float]]) -> Pairs:
    """Pair rows with columns so that the total gain is greatest.

    `gain` is n × m, any finite floats; the result has min(n, m) pairs, sorted by row. O(n²m).

    Source: Kuhn 1955, in the shortest augmenting path form with potentials of Jonker and Volgenant 1987.
    """
    rows, columns = len(gain), len(gain[0]) if gain else 0
    if not rows or not columns:
        return []
    if rows > columns:
        flipped = assign([[gain[row][column] for row in range(rows)] for column in range(columns)])
        return sorted((row, column) for column, row in flipped)
    nowhere = float("inf")
    row_price: list[float] = [0] * (rows + 1)  # whole as long as gains are, so that large ones stay exact
    column_price: list[float] = [0] * (columns + 1)
    owner = [0] * (columns + 1)  # the row of each column, counted from 1; 0 is free
    for row in range(1, rows + 1):
        owner[0], column = row, 0
        slack, came_from, done = [nowhere] * (columns + 1), [0] * (columns + 1), [False] * (columns + 1)
        while owner[column]:
            done[column] = True
            here, step, ahead = owner[column], nowhere, 0
            gains, price = gain[here - 1], row_price[here]
            for other in range(1, columns + 1):
                if done[other]:
                    continue
                reduced = -gains[other - 1] - price - column_price[other]
                if reduced < slack[other]:
                    slack[other], came_from[other] = reduced, column
                if slack[other] < step:
                    step, ahead = slack[other], other
            for other in range(columns + 1):
                if done[other]:
                    row_price[owner[other]] += step
                    column_price[other] -= step
                else:
                    slack[other] -= step
            column = ahead
        while column:
            owner[column], column = owner[came_from[column]], came_from[column]
    return sorted((owner[column] - 1, column - 1) for column in range(1, columns + 1) if owner[column])
