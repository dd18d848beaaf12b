"""The one best pairing of two lists, given what each pair gains.

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

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from evaluators.limits import still_time

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
    found = _undisputed(gains)
    if found is not None:
        return found
    rows, columns = rows or range(len(gains)), columns or range(len(gains[0]))
    # a unit of gain outweighs every sum of distances
    few, many = sorted((rows[-1] + 1, columns[-1] + 1))
    unit = few * (many - 1) + 1
    weights = [
        [value and value * unit - abs(row - column) for column, value in zip(columns, line, strict=True)]
        for row, line in zip(rows, gains, strict=True)
    ]
    return [(row, column) for row, column in enumerate(_earliest(*_solve(weights))) if column >= 0]


def _undisputed(table: Sequence[Sequence[int]]) -> Pairs | None:
    """The pairing in which every item of the shorter list has its one best partner; None where there is none."""
    flipped = len(table) > len(table[0])
    found: Pairs = []
    for row, line in enumerate(zip(*table, strict=True) if flipped else table):
        most = max(line)
        if most:
            if line.count(most) > 1:
                return None
            column = line.index(most)
            found.append((column, row) if flipped else (row, column))
    longer = {pair[0] if flipped else pair[1] for pair in found}
    return sorted(found) if len(longer) == len(found) else None


def _solve(weights: Sequence[Sequence[int]]) -> tuple[Partners, list[int], int, list[int]]:
    """A best pairing of rows with columns, by weights that are 0 or more, and what its equals may be made of.

    Pairs of weight 0 stay apart. With the partners come, as bits, the columns that each row has in some pairing as good
    (and perhaps some more) and the rows without a price, which may stay alone; and the price of each column.
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
    """(the row of each column, u, v) of a best pairing in which every row has a column. Rows are not the longer side."""
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
    return sum(1 << index for index in indexes)


# Among equals


def _earliest(partners: Partners, tight: list[int], loose_rows: int, prices: list[int]) -> Partners:
    """The one pairing as good as the given one in which the rows, first to last, have their earliest partners.

    A row may take a column when whoever is put out can be placed: by a walk from row to row, each taking the column of
    the next, that comes back to it. A walk may lead through the place that costs nothing: there a row without a price,
    or a column without one, is left alone, and one that was alone comes in.
    """
    exchange: _Exchange | None = None
    for row, options in enumerate(tight):
        now = partners[row]
        earlier = options & ((1 << now) - 1) if now >= 0 else options
        if earlier:
            exchange = exchange or _Exchange(partners, tight, loose_rows, prices)
            still_time()
            exchange.improve(row, earlier)
    return partners


class _Exchange:
    """Moves rows to earlier columns, in place, without giving up what is fixed: the rows before."""

    def __init__(self, partners: Partners, tight: list[int], loose_rows: int, prices: list[int]) -> None:
        self.partners, self.tight, self.loose_rows, self.prices = partners, tight, loose_rows, prices
        self.owner = [-1] * len(prices)
        self.takers = [0] * len(prices)
        for row, options in enumerate(tight):
            if partners[row] >= 0:
                self.owner[partners[row]] = row
            for column in _each_bit(options):
                self.takers[column] |= 1 << row

    def improve(self, row: int, earlier: int) -> None:
        """Gives a row the first of these columns that it can have: each row of the walk takes the column of the next."""
        partners, owner = self.partners, self.owner
        follows = self._walks_to(row)
        column = next((column for column in _each_bit(earlier) if owner[column] in follows), None)
        if column is None:
            return
        moves, node = [(row, column)], owner[column]
        while node != row:
            after = follows[node]
            if node != -1:
                moves.append((node, partners[after] if after != -1 else self._alone(node)))
            node = after
        for mover, _ in moves:
            if partners[mover] >= 0:
                owner[partners[mover]] = -1
        for mover, place in moves:
            partners[mover] = place
            if place >= 0:
                owner[place] = mover

    def _walks_to(self, goal: int) -> dict[int, int]:
        """Every row from which a walk leads to the goal, with the next row of its walk. -1 is the place in between."""
        follows = {goal: goal}
        open_rows = -1 << (goal + 1)  # rows before the goal are fixed
        pending = [goal]
        for node in pending:
            if node == -1:
                before = self._leaving() & open_rows
            else:
                column = self.partners[node]
                before = self.takers[column] & open_rows if column >= 0 else 0
                if -1 not in follows and (column < 0 or not self.prices[column]):
                    follows[-1] = node
                    pending.append(-1)
            open_rows &= ~before
            for other in _each_bit(before):
                follows[other] = node
                pending.append(other)
        return follows

    def _leaving(self) -> int:
        """The rows that may be left alone, or may take a column that nobody has."""
        rows = self.loose_rows & _bits(row for row, column in enumerate(self.partners) if column >= 0)
        for column, holder in enumerate(self.owner):
            if holder < 0:
                rows |= self.takers[column]
        return rows

    def _alone(self, row: int) -> int:
        """Where a row goes that makes room: a column that nobody has, or -1."""
        if self.loose_rows >> row & 1:
            return -1
        return next(column for column in _each_bit(self.tight[row]) if self.owner[column] < 0)


def _each_bit(bits: int) -> Iterable[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
