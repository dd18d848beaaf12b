"""The one best pairing: by trying all of them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.values.pairing import Pairs, assign_gains

Table = list[list[int]]


@st.composite
def tables(draw: st.DrawFn, most: int = 5, top: int = 4) -> Table:
    """Gains with many ties: few different numbers, and few of these at a time."""
    rows, columns = draw(st.integers(1, most)), draw(st.integers(1, most))
    value = st.integers(0, draw(st.integers(1, top)))
    return draw(st.lists(st.lists(value, min_size=columns, max_size=columns), min_size=rows, max_size=rows))


def every_pairing(table: Table, row: int = 0, taken: frozenset[int] = frozenset()) -> Iterator[Pairs]:
    """Every way to pair some rows with some columns."""
    if row == len(table):
        yield []
        return
    for column, value in enumerate(table[row]):
        if value and column not in taken:
            for rest in every_pairing(table, row + 1, taken | {column}):
                yield [(row, column), *rest]
    yield from every_pairing(table, row + 1, taken)


def rank(table: Table, pairs: Pairs) -> tuple[int, int, list[int]]:
    """The tie rule, as plainly as it can be written."""
    partner = dict(pairs)
    gain = sum(table[row][column] for row, column in pairs)
    distance = sum(abs(row - column) for row, column in pairs)
    return -gain, distance, [partner.get(row, len(table[0])) for row in range(len(table))]


@given(tables())
def test_no_other_pairing_ranks_higher(table: Table) -> None:
    wanted = min(every_pairing(table), key=lambda pairs: rank(table, pairs))
    assert assign_gains(table) == wanted


@given(tables())
def test_a_unit_of_gain_is_never_given_up_for_a_nearer_pair(table: Table) -> None:
    larger = [[720_720 * value for value in line] for line in table]
    assert assign_gains(larger) == assign_gains(table)


@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_lists_does_not_change_the_total(table: Table, random: Any) -> None:
    rows, columns = [*range(len(table))], [*range(len(table[0]))]
    random.shuffle(rows)
    random.shuffle(columns)
    moved = [[table[row][column] for column in columns] for row in rows]
    assert rank(moved, assign_gains(moved))[0] == rank(table, assign_gains(table))[0]


@given(tables())
def test_gains_of_any_size_are_exact(table: Table) -> None:
    huge = [[value * 10**40 for value in line] for line in table]
    assert assign_gains(huge) == assign_gains(table)


def test_numbers_that_differ_by_less_than_a_float_can_tell_still_differ() -> None:
    most = 10**30
    table = [[most, most + 1], [most, most]]
    assert assign_gains(table) == [(0, 1), (1, 0)]


def test_a_row_takes_the_earliest_of_equal_columns_and_gives_way_only_to_a_gain() -> None:
    assert assign_gains([[0, 0, 1, 1], [0, 0, 1, 1]]) == [(0, 2), (1, 3)]
    assert assign_gains([[0, 1, 0], [1, 1, 0]]) == [(0, 1), (1, 0)]
    assert assign_gains([[0], [1], [1]]) == [(1, 0)]


def small_tables() -> Iterator[Table]:
    """Always the same ones: few rows and columns, with many ties."""
    for seed in range(150):
        random = Random(seed)
        rows, columns, top = random.randint(1, 4), random.randint(1, 5), random.randint(1, 4)
        yield [[random.randint(0, top) for _ in range(columns)] for _ in range(rows)]


def test_none_of_these_tables_has_a_pairing_that_ranks_higher() -> None:
    for table in small_tables():
        assert assign_gains(table) == min(every_pairing(table), key=lambda pairs: rank(table, pairs)), table


def test_nothing_is_paired_with_nothing() -> None:
    assert assign_gains([]) == []
    assert assign_gains([[], []]) == []
    assert assign_gains([[0, 0]]) == []


@pytest.mark.parametrize(("rows", "columns"), [(30, 30), (20, 34), (34, 20)])
@pytest.mark.parametrize("share", [0.06, 0.4, 1.0])
def test_the_total_of_long_lists_is_that_of_another_solver(rows: int, columns: int, share: float) -> None:
    for seed in range(3):
        random = Random(seed)
        table = [[random.randint(1, 9) if random.random() < share else 0 for _ in range(columns)] for _ in range(rows)]
        assert sum(table[row][column] for row, column in assign_gains(table)) == greatest_total(table)


def greatest_total(table: Table) -> int:
    """What the best pairing gains, by auctions: rows bid for columns until each has the one that it likes best.

    With bids of less than a unit for each row, the total of whole numbers is exact. Sides are made equally long.
    """
    size = max(len(table), len(table[0]))
    gains = [[value * (size + 1) for value in line] + [0] * (size - len(line)) for line in table]
    gains += [[0] * size for _ in range(size - len(table))]
    prices, owner, waiting = [0] * size, [-1] * size, [*range(size)]
    while waiting:
        row = waiting.pop()
        worth = [gain - price for gain, price in zip(gains[row], prices, strict=True)]
        best = worth.index(max(worth))
        prices[best] += worth[best] - max(worth[:best] + worth[best + 1 :]) + 1
        if owner[best] >= 0:
            waiting.append(owner[best])
        owner[best] = row
    return sum(gains[row][column] for column, row in enumerate(owner)) // (size + 1)


def test_a_thousand_items_are_paired_exactly() -> None:
    size, random = 1_000, Random(7)
    order = random.sample(range(size), size)
    table = [random.choices(range(300_000), k=size) for _ in range(size)]
    for row, column in enumerate(order):
        table[row][column] = 600_001  # two others never make up for one of these
    assert assign_gains(table) == list(enumerate(order))
