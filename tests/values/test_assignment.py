"""The one best pairing: by trying all of them, and by every solver."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.values import assignment
from evaluators.values.assignment import Pairs, assign_gains, compiled

Table = list[list[int]]
MODEST = settings(max_examples=150, deadline=None)
FEW = settings(max_examples=30, deadline=None)


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


@MODEST
@given(tables())
def test_no_other_pairing_ranks_higher(table: Table) -> None:
    wanted = min(every_pairing(table), key=lambda pairs: rank(table, pairs))
    assert assign_gains(table, pure=True) == wanted
    assert assign_gains(table, pure=False) == wanted


@MODEST
@given(tables(most=12, top=2))
def test_every_solver_gives_the_same_pairing(table: Table) -> None:
    assert assign_gains(table, pure=True) == assign_gains(table, pure=False)


@FEW
@given(
    st.integers(20, 60), st.integers(20, 60), st.integers(1, 3), st.sampled_from([0.05, 0.5, 1.0]), st.integers(0, 2**32)
)
def test_every_solver_gives_the_same_pairing_of_long_lists(
    rows: int, columns: int, top: int, share: float, seed: int
) -> None:
    random = Random(seed)
    table = [[random.randint(1, top) if random.random() < share else 0 for _ in range(columns)] for _ in range(rows)]
    assert assign_gains(table, pure=True) == assign_gains(table, pure=False)


@MODEST
@given(tables())
def test_a_unit_of_gain_is_never_given_up_for_a_nearer_pair(table: Table) -> None:
    larger = [[720_720 * value for value in line] for line in table]
    assert assign_gains(larger) == assign_gains(table)


@MODEST
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_lists_does_not_change_the_total(table: Table, random: Any) -> None:
    rows, columns = [*range(len(table))], [*range(len(table[0]))]
    random.shuffle(rows)
    random.shuffle(columns)
    moved = [[table[row][column] for column in columns] for row in rows]
    assert rank(moved, assign_gains(moved))[0] == rank(table, assign_gains(table))[0]


@MODEST
@given(tables())
def test_gains_of_any_size_are_exact(table: Table) -> None:
    huge = [[value * 10**40 for value in line] for line in table]
    assert assign_gains(huge, pure=False) == assign_gains(table)


def test_numbers_that_differ_by_less_than_a_float_can_tell_still_differ() -> None:
    most = 10**30
    table = [[most, most + 1], [most, most]]
    assert assign_gains(table, pure=False) == [(0, 1), (1, 0)]


def test_a_row_takes_the_earliest_of_equal_columns_and_gives_way_only_to_a_gain() -> None:
    assert assign_gains([[0, 0, 1, 1], [0, 0, 1, 1]]) == [(0, 2), (1, 3)]
    assert assign_gains([[0, 1, 0], [1, 1, 0]]) == [(0, 1), (1, 0)]
    assert assign_gains([[0], [1], [1]]) == [(1, 0)]


@FEW
@given(
    st.integers(20, 40), st.integers(20, 40), st.integers(1, 3), st.sampled_from([0.05, 0.5, 1.0]), st.integers(0, 2**32)
)
def test_gains_that_leave_no_room_for_distances_are_paired_in_two_steps(
    rows: int, columns: int, top: int, share: float, seed: int
) -> None:
    random = Random(seed)
    large = assignment.EXACT // 4
    table = [
        [large + random.randint(1, top) if random.random() < share else 0 for _ in range(columns)] for _ in range(rows)
    ]
    assert assign_gains(table, pure=False) == assign_gains(table, pure=True)
    answered = assignment._assign_array(table)
    assert answered is not None or not any(map(any, table))


def small_tables() -> Iterator[Table]:
    """Always the same ones: few rows and columns, with many ties."""
    for seed in range(150):
        random = Random(seed)
        rows, columns, top = random.randint(1, 4), random.randint(1, 5), random.randint(1, 4)
        yield [[random.randint(0, top) for _ in range(columns)] for _ in range(rows)]


@pytest.mark.parametrize("least", [0, assignment.SMALL])
def test_none_of_these_tables_has_a_pairing_that_ranks_higher(least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignment, "SMALL", least)  # at 0 every piece goes to compiled code
    for table in small_tables():
        wanted = min(every_pairing(table), key=lambda pairs: rank(table, pairs))
        assert [assign_gains(table, pure) for pure in (True, False)] == [wanted, wanted], table


@pytest.mark.parametrize("large", [0, assignment.EXACT // 4], ids=["in one step", "in two steps"])
@pytest.mark.parametrize(("rows", "columns"), [(25, 25), (20, 34), (34, 20)])
@pytest.mark.parametrize("share", [0.06, 0.4, 1.0])
def test_long_lists_are_paired_alike_by_every_solver(rows: int, columns: int, share: float, large: int) -> None:
    for seed in range(3):
        random = Random(seed)
        table = [
            [large + random.randint(1, 2) if random.random() < share else 0 for _ in range(columns)] for _ in range(rows)
        ]
        answered = assignment._assign_array(table)
        assert answered == assign_gains(table, pure=True) == assign_gains(table, pure=False)


def test_lists_of_which_few_items_are_alike_fall_into_pieces() -> None:
    numpy, _ = compiled() or pytest.fail("the package lapx is part of the development packages")
    table = numpy.array([[1, 0, 0, 0], [0, 0, 2, 0], [0, 0, 3, 1], [0, 0, 0, 0]])
    assert assignment._pieces(numpy, table) == [([0], [0]), ([1, 2], [2, 3])]
    assert assignment._pieces(numpy, numpy.ones((9, 8))) == [([*range(9)], [*range(8)])]


def test_numbers_that_no_float_holds_are_left_to_the_other_solver() -> None:
    assert assignment._assign_array([[2**51 + 1, 2**51 + 1]] * 200) is None
    assert assignment._assign_array([[2**51, 2**51]] * 200) == [(0, 0), (1, 1)]
    assert assignment._assign_array([[2**70]]) is None


def test_nothing_is_paired_with_nothing() -> None:
    assert assign_gains([]) == []
    assert assign_gains([[], []]) == []
    assert assign_gains([[0, 0]]) == []


def test_a_thousand_items_are_paired_exactly() -> None:
    numpy, _ = compiled() or pytest.fail("the package lapx is part of the development packages")
    size = 1_000
    random = numpy.random.default_rng(7)
    order = random.permutation(size)
    table = random.integers(0, 300_000, (size, size))
    table[numpy.arange(size), order] = 600_001  # two others never make up for one of these
    assert assign_gains(table) == list(enumerate(order.tolist()))


def test_an_answer_that_is_not_the_best_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    numpy, _ = compiled() or pytest.fail("the package lapx is part of the development packages")

    class Careless:
        @staticmethod
        def lapjv(cost: Any, **_: object) -> Any:
            return numpy.arange(len(cost)), numpy.arange(len(cost))

    table = [[5, 6, 0], [6, 6, 1], [1, 1, 1]]
    wanted = assign_gains(table, pure=True)
    monkeypatch.setattr(assignment, "compiled", lambda: (numpy, Careless))
    assert assign_gains(table, pure=False) == wanted == [(0, 1), (1, 0), (2, 2)]


def test_without_compiled_code_the_pure_solver_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignment, "compiled", lambda: None)
    assert assign_gains([[0, 1], [1, 1]], pure=False) == [(0, 1), (1, 0)]
