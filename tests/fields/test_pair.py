"""Which items of two lists go together."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from evaluators.fields.gains import COMPLETE, NOTHING_ALIKE, Worth
from evaluators.fields.pair import Keys, Paired
from evaluators.fields.reading import Align, read_align
from evaluators.values.equality import same
from tests.fields.paired import pair_items


def paired(align: object, expected: list[Any], output: list[Any]) -> Paired:
    """Paired where a pair is worth everything when it is equal, and half when its items are of one kind."""

    def weigh(row: int, column: int) -> Worth:
        one, other = expected[row], output[column]
        return COMPLETE if same(one, other) else Worth(1, 4) if type(one) is type(other) else NOTHING_ALIKE

    return pair_items(read_align(align), expected, output, weigh)


def by_key(expected: list[Any], output: list[Any], **settings: Any) -> Paired:
    return paired({"key_field": {"key": "id", **settings}}, expected, output)


def test_in_order_the_longer_list_has_items_left_over() -> None:
    assert paired("ordered", [1, 2], [2, 1, 3]) == ([(0, 0), (1, 1)], [], [2], Keys())


def test_any_order_pairs_equal_items_and_no_others() -> None:
    assert paired("any_order", ["a", "b", "c"], ["c", "a", "d"]) == ([(0, 1), (2, 0)], [1], [2], Keys())


def test_hungarian_pairs_what_agrees_in_part() -> None:
    assert paired("hungarian", ["a", "b", 1], ["b", 1, "x"]).pairs == [(0, 2), (1, 0), (2, 1)]


def test_at_least_keeps_apart_what_agrees_too_little() -> None:
    assert paired({"hungarian": {"at_least": 0.5}}, ["a", "b"], ["b", "x"]).pairs == [(0, 1), (1, 0)]
    assert paired({"hungarian": {"at_least": 0.51}}, ["a", "b"], ["b", "x"]) == ([(1, 0)], [0], [1], Keys())


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


def test_items_of_one_value_are_paired_by_what_they_share_when_they_match() -> None:
    def weigh(row: int, column: int) -> Worth:
        raise AssertionError("asked")

    key = "?abcacaaa".__getitem__
    assert pair_items(Align("hungarian"), [1, 2, 3, 4], [5, 6, 7, 8], weigh, key_of=key).pairs == [(0, 1), (2, 0), (3, 3)]


def test_items_with_the_same_key_are_a_pair_wherever_they_stand() -> None:
    assert by_key([{"id": 1}, {"id": "1"}], [{"id": "1"}, {"id": 1.0}]).pairs == [(0, 1), (1, 0)]


def test_true_is_no_key_1() -> None:
    assert by_key([{"id": True}], [{"id": 1}]).pairs == []


def test_a_key_may_be_made_of_several_places() -> None:
    align = {"key_field": {"key": ["order.no", "line"]}}
    items = [{"order": {"no": 7}, "line": line} for line in (1, 2)]
    assert paired(align, items, items[::-1]).pairs == [(0, 1), (1, 0)]
    assert paired(align, [{"line": 1}], [{"order": {"no": 7}, "line": 1}]).pairs == []
    assert paired(align, [{"line": 1}], [{"line": 1}, {"line": 1, "order": {}}]).pairs == [(0, 0)]


def test_keys_are_transformed_before_they_are_compared() -> None:
    settings = {"transforms": ["strip", "lowercase"]}
    assert by_key([{"id": " A1"}], [{"id": "a1"}]).pairs == []
    assert by_key([{"id": " A1"}], [{"id": "a1"}], **settings).pairs == [(0, 0)]


def test_a_key_that_cannot_be_transformed_stays_as_it_is() -> None:
    found = by_key([{"id": 5}, {"id": "A"}], [{"id": "a"}, {"id": 6}], transforms=["lowercase"], keyless="apart")
    assert found == ([(1, 0)], [0], [1], Keys())
    assert by_key([{"id": 5}], [{"id": 5.0}], transforms=["lowercase"], keyless="apart").pairs == [(0, 0)]


def test_items_without_a_key_pair_with_each_other_in_list_order() -> None:
    expected, output = [{"x": 1}, {"id": 1}, {"x": 2}, 3], [{"id": 1}, {"x": 2}]
    assert by_key(expected, output) == ([(0, 1), (1, 0)], [2, 3], [], Keys((0, 2, 3), (1,)))
    assert by_key(expected, output, keyless="apart").pairs == [(1, 0)]


def test_items_that_share_a_key_pair_first_come_first_served_and_are_reported() -> None:
    found = by_key([{"id": 1, "n": 1}, {"id": 1, "n": 2}], [{"id": 1, "n": 2}, {"id": 2}, {"id": 1}, {"id": 1}])
    assert found == Paired([(0, 0), (1, 2)], [], [1, 3], Keys(repeated_expected=(1,), repeated_output=(2, 3)))
    assert found.keys.said() == [
        "1 expected item with the key of an earlier one",
        "2 output items with the key of an earlier one",
    ]


@given(
    st.sampled_from(
        ["ordered", "any_order", "hungarian", {"hungarian": {"at_least": 0.6}}, {"key_field": {"key": "id"}}]
    ),
    st.lists(st.sampled_from([1, 2, True, "a", "b", None, {"id": 1}, {"id": 2}, {}, []]), max_size=5),
    st.lists(st.sampled_from([1, 2, True, "a", "b", None, {"id": 1}, {"id": 2}, {}, []]), max_size=5),
)
def test_every_item_is_in_one_pair_or_left_over(align: object, expected: list[Any], output: list[Any]) -> None:
    pairs, lost, extra, _ = paired(align, expected, output)
    assert pairs == sorted(pairs)
    assert sorted([*(row for row, _ in pairs), *lost]) == [*range(len(expected))]
    assert sorted([*(column for _, column in pairs), *extra]) == [*range(len(output))]
    assert paired(align, expected, expected).pairs == [(row, row) for row in range(len(expected))]
