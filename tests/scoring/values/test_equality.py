"""JSON equality, held to a slow and obvious definition of it."""

from __future__ import annotations

import copy
import inspect
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.values.equality import _equal_step_by_step, json_equal, json_type, same_json_type

leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, -0.0, 0.0, 1.0, 2**53, 2**53 + 1, float(2**53), 10**30, 1e30]),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=3),
)
documents = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=4)
)


def kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else type(value).__name__


def plainly_same(a: object, b: object) -> bool:
    if kind(a) != kind(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(plainly_same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(plainly_same, a, b))
    return a == b


def swap_some_leaves(value: object, choose: st.DataObject) -> object:
    """The same document, with leaves that Python's == cannot tell apart."""
    if isinstance(value, dict):
        return {key: swap_some_leaves(item, choose) for key, item in reversed(value.items())}
    if isinstance(value, list):
        return [swap_some_leaves(item, choose) for item in value]
    if isinstance(value, int | float) and value in (0, 1):
        return choose.draw(st.sampled_from([int(value), float(value), bool(value)]))
    return value


@given(documents, documents)
def test_agrees_with_the_plain_definition(a: object, b: object) -> None:
    assert json_equal(a, b) == plainly_same(a, b)


@given(documents, st.data())
def test_agrees_where_only_the_kind_of_a_leaf_can_differ(a: object, data: st.DataObject) -> None:
    b = swap_some_leaves(a, data)
    assert json_equal(a, b) == plainly_same(a, b) == json_equal(b, a)


@given(documents)
def test_a_document_equals_its_copy(a: object) -> None:
    assert json_equal(a, copy.deepcopy(a))


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (True, 1, False),
        (False, 0.0, False),
        (1, 1.0, True),
        (0.0, -0.0, True),
        ("30", 30, False),
        (None, False, False),
        (None, 0, False),
        ([], {}, False),
        ("", None, False),
        (2**53, 2**53 + 1, False),
        (2**53 + 1, float(2**53), False),
        ([1, 2], [2, 1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ([[True]], [[1]], False),
        ({"a": {"b": [0]}}, {"a": {"b": [False]}}, False),
        ({"a": [1, {"b": 1.0}]}, {"a": [1.0, {"b": 1}]}, True),
        ("é", "e\u0301", False),
    ],
)
def test_values(a: object, b: object, equal: bool) -> None:
    assert json_equal(a, b) is equal
    assert json_equal(b, a) is equal


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ([1, "a", None, True], [1.0, "a", None, True], True),
        ([1], [2], False),
        ([1], ["1"], False),
        ([[]], [{}], False),
        ([{}], [0], False),
        ([0], [[]], False),
        ([1, 2], [1], False),
        ([1, [2, 3]], [1, [2, 4]], False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, {"a": 1, "b": 1}, False),
        ({"a": {"b": [1, 2]}, "c": 3}, {"c": 3.0, "a": {"b": [1, 2]}}, True),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [2, 1]}}, False),
        ([1, 2, "x"], [1, 3, "x"], False),
    ],
)
def test_step_by_step_says_what_python_says(a: object, b: object, equal: bool) -> None:
    assert _equal_step_by_step(a, b) is _equal_step_by_step(b, a) is (a == b) is equal


def test_each_value_has_one_of_six_types() -> None:
    values = [None, True, 1, 1.5, "1", [1], {"a": 1}]
    assert [json_type(value) for value in values] == ["null", "boolean", "number", "number", "string", "list", "object"]
    assert [same_json_type(1, other) for other in (2.5, True, "1", None)] == [True, False, False, False]


def nested(leaf: str, depth: int) -> str:
    return '[{"a":' * depth + leaf + "}]" * depth


def test_deep_documents_are_compared_when_little_of_the_stack_is_left() -> None:
    yes, one, again = (json.loads(nested(leaf, 250)) for leaf in ("true", "1", "true"))

    def with_little_stack_left(depth: int) -> tuple[bool, bool]:
        if depth:
            return with_little_stack_left(depth - 1)
        return json_equal(yes, again), json_equal(yes, one)

    used = len(inspect.stack(0))
    assert with_little_stack_left(sys.getrecursionlimit() - used - 60) == (True, False)


def test_what_is_no_json_number_does_not_equal_null() -> None:
    infinite = float("inf")
    assert not json_equal([infinite], [None])
    assert json_equal([infinite], [float("inf")])
    assert not json_equal([float("nan")], [float("nan")])
