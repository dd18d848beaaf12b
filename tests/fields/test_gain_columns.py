"""What pairs of items are worth, field by field: the same as pair by pair."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.comparators.fuzzy import Fuzzy
from evaluators.comparators.normalized import Normalized
from evaluators.comparators.numeric import Numeric, Tolerance
from evaluators.comparators.one_of import OneOf
from evaluators.comparators.regex import Regex
from evaluators.fields.gain_columns import weigher
from evaluators.fields.gains import COMPLETE, NOTHING_ALIKE, GainArrays, Worth
from evaluators.fields.gather import gather
from evaluators.fields.pair import Alike
from evaluators.fields.tree import FieldNode
from evaluators.fields.units import Unit
from evaluators.fields.weighing import Scales
from evaluators.model import JSON
from evaluators.values.transforms import Transform, parse_transform
from tests.fields.trees import array, leaf, metric, obj, tree

NEAR = metric(Numeric(tolerance=Tolerance(abs=0.1)), "numeric")
PLAIN = metric(Normalized(), "normalized")
ALIKE = metric(Fuzzy(), "fuzzy")
LOWER = (parse_transform("lowercase"),)
ITEM = obj({"a": leaf(), "b": leaf(NEAR), "c": leaf(ALIKE), "d": leaf(PLAIN, transforms=LOWER), "e": leaf(skip=True)})
VALUES = st.sampled_from(["", "abcde", "ABCDE", "abcdX", 1, 1.0, 1.05, 2, True, None, [], ["abcde"], {"k": 1}])
ITEMS = st.dictionaries(st.sampled_from("abcde"), VALUES, max_size=5)


def one_by_one(item: FieldNode, expected: list[JSON], output: list[JSON]) -> list[list[Worth]]:
    def worth(one: JSON, other: JSON) -> Worth:
        return Scales().worth([found for found in gather(item, one, other) if isinstance(found, Unit)], one, other)

    return [[worth(one, other) for other in output] for one in expected]


def at_once(item: FieldNode, expected: list[JSON], output: list[JSON]) -> Any:
    weigh = weigher(item)
    assert weigh is not None
    found = weigh(expected, output)
    if isinstance(found, Alike):
        return found.worths()
    if isinstance(found, GainArrays):
        matched, whole = numpy.broadcast_arrays(found.matched, found.whole)
        return [list(map(Worth, *line)) for line in zip(matched.tolist(), whole.tolist(), strict=True)]
    return found


@settings(max_examples=100, deadline=None)
@given(st.lists(ITEMS, min_size=1, max_size=4), st.lists(ITEMS, min_size=1, max_size=4), st.sampled_from([1, 15]))
def test_items_are_worth_what_they_are_worth_pair_by_pair(expected: list[JSON], output: list[JSON], times: int) -> None:
    item = tree(ITEM)
    found = at_once(item, expected * times, output * times)
    assert found is None or found == one_by_one(item, expected * times, output * times)


@settings(max_examples=50, deadline=None)
@given(st.lists(VALUES, min_size=1, max_size=5), st.lists(VALUES, min_size=1, max_size=5), st.sampled_from([1, 15]))
def test_plain_items_are_worth_what_they_are_worth_pair_by_pair(
    expected: list[JSON], output: list[JSON], times: int
) -> None:
    for unit in (leaf(), leaf(NEAR), leaf(ALIKE), leaf(PLAIN, transforms=LOWER), leaf(metric(OneOf(values=["abcde"])))):
        item = tree(unit)
        found = at_once(item, expected * times, output * times)
        assert found is None or found == one_by_one(item, expected * times, output * times)


ROWS: list[JSON] = [
    {"a": "abcde", "b": 1, "c": "abcde", "d": "ABCDE"}, {"a": "ABCDE", "b": 1.05, "c": "abcdX", "d": "abcde"},
    {"a": "abcde", "b": 2}, {"c": "x", "d": None}, {"a": True, "b": 1, "c": "abcde"}, {"a": 1, "b": None},
]  # fmt: skip
SIMPLE: list[JSON] = ["abcde", "ABCDE", "abcdX", 1, 1.05, 2, True, None, ""]


@pytest.mark.parametrize("times", [1, 15], ids=["lists", "arrays"])
def test_these_items_are_worth_what_they_are_worth_pair_by_pair(times: int) -> None:
    item = tree(obj({"a": leaf(), "b": leaf(NEAR), "c": leaf(ALIKE), "d": leaf(PLAIN, transforms=LOWER)}))
    for expected, output in ((ROWS, ROWS[::-1]), (ROWS[:3], ROWS[1:]), (ROWS[2:], ROWS[:2])):
        found = at_once(item, expected * times, output * times)
        assert found == one_by_one(item, expected * times, output * times)


@pytest.mark.parametrize("times", [1, 15], ids=["lists", "arrays"])
@pytest.mark.parametrize("unit", [leaf(), leaf(NEAR), leaf(ALIKE), leaf(PLAIN)])
def test_these_plain_items_are_worth_what_they_are_worth_pair_by_pair(unit: Any, times: int) -> None:
    item = tree(unit)
    assert at_once(item, SIMPLE * times, SIMPLE[::-1] * times) == one_by_one(item, SIMPLE * times, SIMPLE[::-1] * times)


def test_each_value_is_transformed_once() -> None:
    asked: list[Any] = []

    def apply(value: Any) -> Any:
        asked.append(value)
        return value

    counted = Transform("counted", apply)
    names: list[JSON] = [f"Name {number}" for number in range(30)]
    assert at_once(tree(leaf(PLAIN, transforms=(counted,))), names, names) is not None
    assert len(asked) == 60


def test_values_that_no_column_takes_are_transformed_once_too() -> None:
    halved = Transform("halved", lambda value: value / 2 if isinstance(value, float) else value)
    item = tree(leaf(NEAR, transforms=(halved,)))
    assert (
        at_once(item, [1.0, "a"], [1.3, "a"])
        == one_by_one(item, [1.0, "a"], [1.3, "a"])
        == [[NOTHING_ALIKE, NOTHING_ALIKE], [NOTHING_ALIKE, COMPLETE]]
    )


def test_items_that_the_schema_does_not_foresee_are_weighed_one_by_one() -> None:
    item = tree(ITEM)
    assert at_once(item, [{"a": 1}], [{"a": 1, "z": 2}]) is None
    assert at_once(item, [{"a": 1}, None], [{"a": 1}]) is None
    assert at_once(item, [{"a": 1}], [{}]) is None
    assert at_once(item, [{"a": 1, "z": 2}], [{"a": 1}]) == [[COMPLETE]]


@pytest.mark.parametrize(
    "item",
    [
        leaf(skip=True),
        leaf(metric(), PLAIN),
        leaf(metric(Regex(pattern="a"), "regex")),
        array(leaf()),
        obj({"a": obj({"b": leaf()})}),
        obj({"a": leaf(required=True)}),
        obj({"a": leaf()}, others=leaf()),
        obj({"a": leaf(), "b": leaf()}, compound=(("a", "b"), metric())),
        obj({"a": leaf(skip=True)}),
    ],
)
def test_items_of_other_shapes_are_not_weighed_at_once(item: Any) -> None:
    assert weigher(tree(item)) is None
