"""Which item goes with which: in order, by key, the same every time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.values import pairing
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.pairing import (
    Pairs,
    assign_gains,
    lookup_key,
    pairs_by_equality,
    pairs_by_key,
    repeated_indexes,
    unpaired_indexes,
)


def is_a_pairing(pairs: Pairs) -> bool:
    rows, columns = [row for row, _ in pairs], [column for _, column in pairs]
    return rows == sorted(set(rows)) and len(set(columns)) == len(columns)


def test_ties_go_to_list_order() -> None:
    for rows in range(1, 6):
        for columns in range(1, 6):
            assert (
                assign_gains([[1] * columns] * rows)
                == pairs_by_equality("a" * rows, "a" * columns)
                == [(at, at) for at in range(min(rows, columns))]
            )


def test_items_pair_by_key_wherever_they_stand() -> None:
    assert pairs_by_key(["a", "b", "c"], ["c", "a", "d"]) == [(0, 1), (2, 0)]


def test_items_that_share_a_key_pair_first_come_first_served() -> None:
    assert pairs_by_key(["a", "a", "a"], ["a", "b", "a"]) == [(0, 0), (1, 2)]
    assert pairs_by_key(["a"], ["a", "a"]) == [(0, 0)]


def test_an_item_without_a_key_pairs_with_nothing() -> None:
    assert pairs_by_key([None, "a"], ["a", None]) == [(1, 0)]


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_pairs_by_key_share_it_and_are_as_many_as_can_be(expected: list[str], output: list[str]) -> None:
    pairs = pairs_by_key(expected, output)
    assert is_a_pairing(pairs)
    assert all(expected[row] == output[column] for row, column in pairs)
    assert len(pairs) == sum(min(expected.count(key), output.count(key)) for key in "abc")


@given(st.permutations(range(6)))
def test_distinct_keys_find_each_other_in_any_order(order: list[int]) -> None:
    assert pairs_by_key(range(6), order) == [(key, order.index(key)) for key in range(6)]


@given(st.lists(st.sampled_from("abc"), max_size=9), st.lists(st.sampled_from("abc"), max_size=9))
def test_equal_items_pair_as_they_do_by_their_gains(expected: list[str], output: list[str]) -> None:
    table = [[int(one == other) for other in output] for one in expected]
    assert pairs_by_equality(expected, output) == assign_gains(table)


@pytest.mark.parametrize(
    ("expected", "output", "pairs"),
    [
        ("xya", "azaa", [(2, 2)]),
        ("a...", "..a.a", [(0, 2), (1, 0), (2, 1), (3, 3)]),
        ("xa", "aba", [(1, 0)]),
        ("xxaxa", "aaayy", [(2, 1), (4, 2)]),
        ("aaayy", "xxaxa", [(1, 2), (2, 4)]),
        ("xxxxa", "ayyya", [(4, 4)]),
        ("xxaxxxa", "ayyyyaay", [(2, 0), (6, 6)]),
    ],
)
def test_equal_items_pair_with_the_nearest_ones(expected: str, output: str, pairs: Pairs) -> None:
    assert pairs_by_equality(expected, output) == pairs


def test_equal_items_of_these_lists_pair_as_they_do_by_their_gains() -> None:
    for seed in range(200):
        random = Random(seed)
        expected, output = (random.choices("ab", k=random.randint(0, 8)) for _ in range(2))
        table = [[int(one == other) for other in output] for one in expected]
        assert pairs_by_equality(expected, output) == assign_gains(table), (expected, output)


@pytest.mark.parametrize(("most", "pairs"), [(4, [(1, 1), (2, 2)]), (3, [(1, 0), (2, 1)])])
def test_beyond_a_number_of_places_the_last_ones_are_left_out(
    most: int, pairs: Pairs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairing, "NEAREST", most)
    assert pairs_by_equality("xaa", "aaaa") == pairs


def test_what_is_in_no_pair_is_left_over() -> None:
    assert unpaired_indexes([(0, 2), (2, 0)], 4, 3) == ([1, 3], [1])
    assert unpaired_indexes([], 0, 1) == ([], [0])


def test_a_key_that_an_earlier_item_has_is_repeated() -> None:
    assert repeated_indexes(["a", "b", "a", None, None, "a"]) == (2, 5)
    assert repeated_indexes(["a", "b"]) == ()


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.0, 1.0, -1.0, 0.5, 2**70, 2.0**70, 2**70 + 1, -(10**400)])
    | st.sampled_from(["", "a", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)


@pytest.mark.parametrize(
    "kind", [lambda at: at * sys.hash_info.modulus, lambda at: [-1 - (at >> bit & 1) for bit in range(12)]]
)
def test_values_that_a_hash_cannot_tell_apart_are_told_apart_by_their_identity(kind: Callable[[int], object]) -> None:
    found = [lookup_key(kind(at)) for at in range(4000)]
    assert len(set(found)) == 4000
    assert len({hash(one) for one in found}) > 3900


@given(VALUES, VALUES)
def test_values_are_found_by_their_identity_where_they_are_equal(one: object, other: object) -> None:
    assert (lookup_key(one) == lookup_key(other)) is json_equal(one, other)
    assert lookup_key(one) != lookup_key([one])
