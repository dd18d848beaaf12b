"""Which item goes with which: optimal, in order, the same every time."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.values.pairing import Pairs, assign, best, by_key, in_order

Table = list[list[int]]
MODEST = settings(max_examples=100, deadline=None)


@st.composite
def tables(draw: st.DrawFn, most: int = 5, low: int = -3, high: int = 4) -> Table:
    rows, columns = draw(st.integers(1, most)), draw(st.integers(1, most))
    line = st.lists(st.integers(low, high), min_size=columns, max_size=columns)
    return draw(st.lists(line, min_size=rows, max_size=rows))


def total(gain: Table, pairs: Pairs) -> int:
    return sum(gain[row][column] for row, column in pairs)


def greatest(gain: Table) -> int:
    """The greatest total of all pairings of the shorter side, by trying them all."""
    rows, columns = len(gain), len(gain[0])
    if rows <= columns:
        return max(
            sum(gain[row][column] for row, column in enumerate(each)) for each in permutations(range(columns), rows)
        )
    return max(sum(gain[row][column] for column, row in enumerate(each)) for each in permutations(range(rows), columns))


def is_a_pairing(pairs: Pairs) -> bool:
    rows, columns = [row for row, _ in pairs], [column for _, column in pairs]
    return rows == sorted(set(rows)) and len(set(columns)) == len(columns)


@MODEST
@given(tables())
def test_an_assignment_is_as_good_as_any(gain: Table) -> None:
    pairs = assign(gain)
    assert len(pairs) == min(len(gain), len(gain[0]))
    assert is_a_pairing(pairs)
    assert total(gain, pairs) == greatest(gain)


@MODEST
@given(tables())
def test_an_assignment_is_the_same_every_time(gain: Table) -> None:
    assert assign(gain) == assign([list(line) for line in gain])


@MODEST
@given(tables())
def test_an_assignment_of_the_flipped_table_is_as_good(gain: Table) -> None:
    flipped = [list(line) for line in zip(*gain, strict=True)]
    assert total(flipped, assign(flipped)) == total(gain, assign(gain))


@MODEST
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_lists_does_not_change_the_best_total(gain: Table, random: object) -> None:
    rows, columns = list(range(len(gain))), list(range(len(gain[0])))
    random.shuffle(rows)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    random.shuffle(columns)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    moved = [[gain[row][column] for column in columns] for row in rows]
    assert total(moved, assign(moved)) == total(gain, assign(gain))


def test_nothing_is_assigned_to_nothing() -> None:
    assert assign([]) == []
    assert assign([[], []]) == []


def test_ties_go_to_list_order() -> None:
    for rows in range(1, 6):
        for columns in range(1, 6):
            assert best(rows, columns, lambda *_: 1) == in_order(rows, columns)


@MODEST
@given(tables(low=0))
def test_the_best_pairing_gains_the_most_and_leaves_apart_what_gains_nothing(gain: Table) -> None:
    pairs = best(len(gain), len(gain[0]), lambda row, column: gain[row][column])
    assert is_a_pairing(pairs)
    assert total(gain, pairs) == greatest(gain)
    assert all(gain[row][column] > 0 for row, column in pairs)


@MODEST
@given(tables(low=0))
def test_a_gain_is_never_given_up_for_a_nearer_pair(gain: Table) -> None:
    doubled = [[2 * value for value in line] for line in gain]
    once = best(len(gain), len(gain[0]), lambda row, column: gain[row][column])
    assert best(len(gain), len(gain[0]), lambda row, column: doubled[row][column]) == once


def test_the_best_pairing_of_an_empty_list_is_empty() -> None:
    assert best(0, 3, lambda *_: 1) == []
    assert best(3, 0, lambda *_: 1) == []


def test_items_pair_by_key_wherever_they_stand() -> None:
    assert by_key(["a", "b", "c"], ["c", "a", "d"]) == [(0, 1), (2, 0)]


def test_items_that_share_a_key_pair_first_come_first_served() -> None:
    assert by_key(["a", "a", "a"], ["a", "b", "a"]) == [(0, 0), (1, 2)]
    assert by_key(["a"], ["a", "a"]) == [(0, 0)]


def test_an_item_without_a_key_pairs_with_nothing() -> None:
    assert by_key([None, "a"], ["a", None]) == [(1, 0)]


@MODEST
@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_pairs_by_key_share_it_and_are_as_many_as_can_be(expected: list[str], output: list[str]) -> None:
    pairs = by_key(expected, output)
    assert is_a_pairing(pairs)
    assert all(expected[row] == output[column] for row, column in pairs)
    assert len(pairs) == sum(min(expected.count(key), output.count(key)) for key in "abc")


@MODEST
@given(st.permutations(range(6)))
def test_distinct_keys_find_each_other_in_any_order(order: list[int]) -> None:
    assert by_key(range(6), order) == [(key, order.index(key)) for key in range(6)]


def test_pairs_in_order_go_as_far_as_the_shorter_list() -> None:
    assert in_order(2, 3) == [(0, 0), (1, 1)]
    assert in_order(3, 0) == []
