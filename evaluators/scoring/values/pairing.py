"""Which item of one list goes with which item of another.

Every function gives pairs of indexes (expected, output), each index at most once, sorted by the expected index. What is
left over is the caller's to report: an omission on one side, a hallucination on the other.

The one best pairing of two lists, given what each pair gains.

Strategy. A pairing is judged by three things, in this order: the greatest total gain; then the least sum of distances
between the indexes of its pairs; then the expected items one by one, each with the earliest partner there is, and no
partner last. The third leaves exactly one pairing, so a run can be repeated anywhere.

1. Where every item has one best partner and no two want the same, that is the answer.
2. Gains are multiplied so that one unit outweighs every sum of distances, and the distances are taken off. The solver
   finds a pairing that is best in these numbers.
3. It comes with prices: u for each row, v for each column, none below 0, with u + v ≥ weight for every pair, and
   equality for the pairs that were chosen. They prove that no pairing is better, and they show all its equals: those
   made of pairs with u + v = weight that leave out nothing with a price. Among these the rows choose, first to last, by
   exchanges along closed walks.

Everything is whole numbers, of any size.

Sources: Kuhn 1955, in the shortest augmenting path form with prices of Jonker and Volgenant 1987.
"""

from __future__ import annotations

import sys
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from evaluators.model.limits import still_time

Pairs: TypeAlias = list[tuple[int, int]]
Table: TypeAlias = Sequence[Sequence[int]]
Partners: TypeAlias = list[int]
"""The column of every row; -1 without one."""


def assign_gains(gains: Table, rows: Sequence[int] = (), columns: Sequence[int] = ()) -> Pairs:
    """The pairing with the greatest total gain; pairs that gain nothing stay apart.

    `gains` has a line for each row: whole numbers. Ties are settled as the module says.
    `rows` and `columns` are the indexes of a part of two lists, rising; the pairs are places among the gains all the same.
    """
    if not gains or not gains[0]:
        return []
    pairs = undisputed_pairs(gains)
    if pairs is not None:
        return pairs
    rows, columns = rows or range(len(gains)), columns or range(len(gains[0]))
    # a unit of gain outweighs every sum of distances
    few, many = sorted((rows[-1] + 1, columns[-1] + 1))
    unit = few * (many - 1) + 1
    weights = [
        [value * unit - abs(row - column) if value else 0 for column, value in zip(columns, line, strict=True)]
        for row, line in zip(rows, gains, strict=True)
    ]
    return [(row, column) for row, column in enumerate(_earliest_partners(*_best_pairing(weights))) if column >= 0]


def undisputed_pairs(table: Table) -> Pairs | None:
    """The pairing in which every item of the shorter list has its one best partner, sorted by the rows of a table of gains; None where
    two items want one partner, or an item has several best ones."""
    flipped = len(table) > len(table[0])
    pairs: Pairs = []
    for row, line in enumerate(zip(*table, strict=True) if flipped else table):
        most = max(line)
        if most:
            if line.count(most) > 1:
                return None
            column = line.index(most)
            pairs.append((column, row) if flipped else (row, column))
    longer = {pair[0] if flipped else pair[1] for pair in pairs}
    return sorted(pairs) if len(longer) == len(pairs) else None


def _best_pairing(weights: Sequence[Sequence[int]]) -> tuple[Partners, list[int], int, list[int]]:
    """A best pairing of rows with columns, by weights that are 0 or more, and what pairings as good may be made of: (partners, tight,
    loose, prices).

    Pairs of weight 0 stay apart. `tight` has, as bits, the columns that each row has in some pairing as good, and perhaps some more;
    `loose`, as bits, the rows without a price, which may stay alone; `prices` are those of the columns.
    """
    rows, columns = len(weights), len(weights[0])
    flipped = rows > columns
    lines = [list(line) for line in zip(*weights, strict=True)] if flipped else weights
    owner, u, v = _augment(lines)
    if flipped:
        partners, u, v = [row if row >= 0 and weights[column][row] else -1 for column, row in enumerate(owner)], v, u
    else:
        partners = [-1] * rows
        for column, row in enumerate(owner):
            if row >= 0 and weights[row][column]:
                partners[row] = column
    tight = [
        _bits(column for column, value in enumerate(line) if value and value == price + v[column])
        for price, line in zip(u, weights, strict=True)
    ]
    return partners, tight, _bits(row for row, price in enumerate(u) if not price), v


def _augment(lines: Sequence[Sequence[int]]) -> tuple[list[int], list[int], list[int]]:
    """A best pairing in which every row has a column: the row of each column, and the prices `u` of rows and `v` of columns.

    Prices prove that it is best: u + v of a row and a column is never below their weight, and equal to it where they are paired. Rows
    are not the longer side. Each free row in turn gets a column by the cheapest path of exchanges (Jonker and Volgenant 1987).
    """
    columns = len(lines[0])
    owner, partner = [-1] * columns, [-1] * len(lines)
    u, v = [max(line) for line in lines], [0] * columns
    waiting = []
    for row, line in enumerate(lines):
        column = line.index(u[row])
        if owner[column] < 0:
            owner[column], partner[row] = row, column
        else:
            waiting.append(row)
    for start in waiting:
        still_time()
        row, ahead, walked = start, -1, 0
        line = lines[row]
        price = u[row]
        slack = [price + other - value for other, value in zip(v, line, strict=True)]
        came_from, left, seen = [row] * columns, list(range(columns)), []
        while True:
            walked = min([slack[column] for column in left])
            # a free column first: it ends the search
            near = [column for column in left if slack[column] == walked]
            ahead = next((column for column in near if owner[column] < 0), near[0])
            if owner[ahead] < 0:
                break
            left.remove(ahead)
            seen.append(ahead)
            row = owner[ahead]
            line, price = lines[row], u[row] + walked
            for column in left:
                reduced = price + v[column] - line[column]
                if reduced < slack[column]:
                    slack[column], came_from[column] = reduced, row
        u[start] -= walked
        for column in seen:
            u[owner[column]] -= walked - slack[column]
            v[column] += walked - slack[column]
        while True:
            row = came_from[ahead]
            owner[ahead] = row
            partner[row], ahead = ahead, partner[row]
            if row == start:
                break
    return owner, u, v


def _bits(indexes: Iterable[int]) -> int:
    """A whole number in which the bits at these indexes are set."""
    return sum(1 << index for index in indexes)


# Among equals


def _earliest_partners(partners: Partners, tight: list[int], loose_rows: int, prices: list[int]) -> Partners:
    """The one pairing as good as the given one in which the rows, first to last, have their earliest partners. The arguments are those that
    `_best_pairing` gives; rows and columns are bits of whole numbers.

    A row may take a column when whoever is put out can be placed: by a walk from row to row, each taking the column of
    the next, that comes back to it. Each row and each column without a price has a stand-in, with which it pairs to stay
    alone; stand-ins that nobody has pair with each other. So everything is always paired, and every walk is one of rows.
    """
    rows, columns = len(partners), len(prices)
    if not any(options & ((1 << now) - 1) if now >= 0 else options for options, now in zip(tight, partners, strict=True)):
        return partners
    taken, spare = set(partners), (columns + row for row, column in enumerate(partners) if column >= 0)
    match = [column if column >= 0 else columns + row for row, column in enumerate(partners)]
    match += [next(spare) if column in taken else column for column in range(columns)]
    stand_ins = ((1 << columns) - 1) << rows
    takers = [0 if price else 1 << (rows + column) for column, price in enumerate(prices)]
    takers += [stand_ins | (loose_rows & 1 << row) for row in range(rows)]
    for row, options in enumerate(tight):
        for column in _each_bit(options):
            takers[column] |= 1 << row
    for row, options in enumerate(tight):
        if earlier := options & ((1 << match[row]) - 1):
            still_time()
            _take_earlier_partner(row, earlier, match, takers)
    return [column if column < columns else -1 for column in match[:rows]]


def _take_earlier_partner(goal: int, earlier: int, match: list[int], takers: list[int]) -> None:
    """Gives the row `goal` the first of the columns `earlier`, as bits, that it can have without a change to the rows before. Changes
    `match`, the column of each row, along the walk that this takes."""
    # every row from which a walk leads to the goal, with the next row of its walk
    follows, pending = {goal: goal}, [goal]
    left = -1 << (goal + 1)
    for row in pending:
        before = takers[match[row]] & left
        left &= ~before
        for other in _each_bit(before):
            follows[other] = row
            pending.append(other)
    owner = {match[row]: row for row in pending}
    column = next((column for column in _each_bit(earlier) if column in owner), None)
    if column is None:
        return
    row, match[goal], free = owner[column], column, match[goal]
    while row != goal:
        after = follows[row]
        match[row] = free if after == goal else match[after]
        row = after


def _each_bit(bits: int) -> Iterable[int]:
    """The places of the bits that are set in a whole number, from the lowest."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


NEAREST: Final = 250_000
"""Up to so many places of equal items it is looked for those that are nearest: the items of the few times those to leave out."""


def pairs_by_key(expected: Sequence[Hashable | None], output: Sequence[Hashable | None]) -> Pairs:
    """The pairs of items that share a key. Items that share it with others of their own list pair first come, first served.

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


def pairs_by_equality(expected: Sequence[Hashable], output: Sequence[Hashable]) -> Pairs:
    """The most pairs of equal items that two lists allow: as `assign_gains`, where equal items gain 1 and others 0.

    Items that equal each other are paired without crossing. Where one list has more of them, those are left out that
    bring the others nearest; of more than `NEAREST` possible places, the last ones are left out. Equal items score alike.
    """
    ours, theirs = indexes_by_value(expected), indexes_by_value(output)
    pairs: Pairs = []
    for value, rows in ours.items():
        columns = theirs.get(value, [])
        if len(rows) <= len(columns):
            pairs.extend(_nearest_pairs(rows, columns))
        else:
            pairs.extend((row, column) for column, row in _nearest_pairs(columns, rows))
    return sorted(pairs)


def indexes_by_value(values: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    """For each value, the indexes at which it stands."""
    places: dict[Hashable, list[int]] = {}
    for index, value in enumerate(values):
        places.setdefault(value, []).append(index)
    return places


def _nearest_pairs(few: Sequence[int], many: Sequence[int]) -> Pairs:
    """A pair for each of the `few` with one of the `many`, in order, at the least sum of distances; the earliest among equal ones."""
    spare = len(many) - len(few)
    if not spare or spare * len(few) > NEAREST:
        return [*zip(few, many, strict=False)]
    # least[index][skipped]: the least sum from this index of the few on, once so many of the many are skipped
    least = [[0] * (spare + 1)]
    for index in range(len(few) - 1, -1, -1):
        after, line = least[-1], [0] * (spare + 1)
        line[spare] = after[spare] + abs(few[index] - many[index + spare])
        for skipped in range(spare - 1, -1, -1):
            line[skipped] = min(line[skipped + 1], after[skipped] + abs(few[index] - many[index + skipped]))
        least.append(line)
    least.reverse()
    pairs, skipped = [], 0
    for index, place in enumerate(few):
        while least[index][skipped] < least[index + 1][skipped] + abs(place - many[index + skipped]):
            skipped += 1
        pairs.append((place, many[index + skipped]))
    return pairs


def unpaired_indexes(pairs: Pairs, expected: int, output: int) -> tuple[list[int], list[int]]:
    """The indexes of the expected items, and of the output items, that are in no pair, in order. `expected` and `output` are the
    numbers of items."""
    rows, columns = {row for row, _ in pairs}, {column for _, column in pairs}
    return [row for row in range(expected) if row not in rows], [
        column for column in range(output) if column not in columns
    ]


def repeated_indexes(keys: Sequence[Hashable | None]) -> tuple[int, ...]:
    """The indexes of the keys that also occur earlier in the list, in order. None is no key."""
    if len(set(keys)) == len(keys):
        return ()
    seen: set[Hashable] = set()
    repeated = []
    for index, key in enumerate(keys):
        if key is not None and key in seen:
            repeated.append(index)
        seen.add(key)
    return tuple(repeated)


def lookup_key(value: Any) -> Hashable:
    """A key for a JSON value: two keys are equal exactly where `json_equal` says that their values are."""
    kind = value.__class__
    if kind is str:
        return str(value)
    if kind is dict:
        return frozenset((key, lookup_key(inner)) for key, inner in value.items())
    if kind is list:
        return tuple(lookup_key(inner) for inner in value)
    if value == -1:
        return _MINUS_ONE
    return _long_number_key(value) if kind is int and abs(value) >= _MODULUS else (kind is bool, value)


# whole numbers that differ by the modulus have one hash, and so have -1 and -2: lists of them would be looked up in quadratic time
_MODULUS: Final = sys.hash_info.modulus
_MINUS_ONE: Final = (2, 0)


def _long_number_key(number: int) -> Hashable:
    """The key of a long whole number: the same as that of a float that is equal to it, else one with a hash of its own."""
    with suppress(OverflowError):
        if float(number) == number:
            return (False, number)
    return (2, hex(number))
