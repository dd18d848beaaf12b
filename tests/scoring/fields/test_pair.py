"""Which items of two lists go together."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.fields.pairing import COMPLETE, NOTHING_ALIKE, Paired, Worth
from evaluators.scoring.fields.reading import Align, read_align
from evaluators.scoring.values.equality import json_equal
from tests.scoring.fields.paired import pair_items


def paired(align: object, expected: list[Any], output: list[Any]) -> Paired:
    """Paired where a pair is worth everything when it is equal, and half when its items are of one kind."""

    def weigh(row: int, column: int) -> Worth:
        one, other = expected[row], output[column]
        return COMPLETE if json_equal(one, other) else Worth(1, 4) if type(one) is type(other) else NOTHING_ALIKE

    return pair_items(read_align(align), expected, output, weigh)


def by_key(expected: list[Any], output: list[Any], **settings: Any) -> Paired:
    return paired({"key_field": {"key": "id", **settings}}, expected, output)


def test_a_threshold_is_exact() -> None:
    align = read_align({"hungarian": {"at_least": 0.7}})
    assert pair_items(align, ["a"], ["b"], lambda *_: Worth(7, 20)).pairs == [(0, 0)]
    assert pair_items(align, ["a"], ["b"], lambda *_: Worth(699_999, 2_000_000)).pairs == []


def test_equal_lists_are_paired_without_a_question() -> None:
    def weigh(row: int, column: int) -> Worth:
        raise AssertionError("asked")

    assert pair_items(Align("hungarian"), [1, {"a": 2}], [1.0, {"a": 2}], weigh).pairs == [(0, 0), (1, 1)]


def test_equal_items_share_an_answer() -> None:
    asked: list[tuple[int, int]] = []

    def weigh(row: int, column: int) -> Worth:
        asked.append((row, column))
        return COMPLETE

    pair_items(Align("hungarian"), ["a", "a", "b", True], ["x", 1, "x"], weigh)
    assert asked == [(0, 0), (0, 1), (2, 0), (2, 1), (3, 0), (3, 1)]


def test_true_is_no_key_1() -> None:
    assert by_key([{"id": True}], [{"id": 1}]).pairs == []


def test_a_key_that_cannot_be_transformed_stays_as_it_is() -> None:
    found = by_key([{"id": 5}, {"id": "A"}], [{"id": "a"}, {"id": 6}], transforms=["lowercase"], keyless="apart")
    assert found == ([(1, 0)], [0], [1], False, False)
    assert by_key([{"id": 5}], [{"id": 5.0}], transforms=["lowercase"], keyless="apart").pairs == [(0, 0)]


@given(
    st.sampled_from(
        ["ordered", "any_order", "hungarian", {"hungarian": {"at_least": 0.6}}, {"key_field": {"key": "id"}}]
    ),
    st.lists(st.sampled_from([1, 2, True, "a", "b", None, {"id": 1}, {"id": 2}, {}, []]), max_size=5),
    st.lists(st.sampled_from([1, 2, True, "a", "b", None, {"id": 1}, {"id": 2}, {}, []]), max_size=5),
)
def test_every_item_is_in_one_pair_or_left_over(align: object, expected: list[Any], output: list[Any]) -> None:
    pairs, lost, extra, *_ = paired(align, expected, output)
    assert pairs == sorted(pairs)
    assert sorted([*(row for row, _ in pairs), *lost]) == [*range(len(expected))]
    assert sorted([*(column for _, column in pairs), *extra]) == [*range(len(output))]
    assert paired(align, expected, expected).pairs == [(row, row) for row in range(len(expected))]
