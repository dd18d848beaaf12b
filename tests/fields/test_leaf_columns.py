"""Long lists of listed fields are compared column by column: the same pairs as pair by pair."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from evaluators.builtin.json_multi_field_match import JsonMultiFieldMatch
from evaluators.fields import leaf_columns
from evaluators.fields.closed import ClosedTree
from evaluators.fields.items import pair_values, places
from evaluators.settings import build
from evaluators.values.arrays import numpy

VALUES = ["", "abcde", "ABCDE", "abcdX", 1, 1.0, 1.05, 2, True, None, [], ["abcde"], {"b": 1}, "2024-01-02", "2 Jan 2024"]
FIELDS: dict[str, dict[str, Any]] = {
    "exact": {"items[*].a": "exact", "items[*].b": "exact"},
    "keys, distances and dates": {"items[*].a": "normalized", "items[*].b": "fuzzy", "items[*].c": "date"},
    "numbers and transforms": {
        "items[*].a": {"compare": "exact", "transforms": ["lowercase"]},
        "items[*].c": {"compare": {"numeric": {"tolerance": {"abs": 0.1}}}},
    },
    "keys with dots": {"items[*].a.b": "exact", "items[*].c": "exact"},
    "whole items": {"items[*]": "exact"},
    "one side alone": {"items[*].a": {"regex": {"pattern": "b"}}, "items[*].b": "exact"},
}


def document(random: Random) -> Any:
    keys = ["a", "b", "c", "a.b", "d"]
    items = [{key: random.choice(VALUES) for key in keys if random.random() < 0.6} for _ in range(random.randint(0, 7))]
    return {"items": [item if random.random() < 0.9 else random.choice(VALUES) for item in items]}


@pytest.fixture(autouse=True)
def short_lists_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaf_columns, "arrays_for", lambda rows, columns: numpy() if rows and columns else None)


@pytest.mark.parametrize("fields", FIELDS)
@pytest.mark.parametrize("align", ["any_order", "hungarian"])
def test_items_pair_as_they_do_pair_by_pair(fields: str, align: str) -> None:
    settings = {"fields": {"items": {"align": align}, **FIELDS[fields]}}
    one = build(JsonMultiFieldMatch, settings)
    tree = ClosedTree(tuple(one.fields), tuple(one.transforms))
    (node,) = tree.lists
    for seed in range(150):
        random = Random(seed)
        expected, output = document(random), document(random)
        assert places(node, expected, output, tree.matches, None, tree.columns) == places(
            node, expected, output, tree.matches
        ), seed


@pytest.mark.parametrize("comparator", ["exact", "normalized", "fuzzy", "date", {"numeric": {"tolerance": {"abs": 0.1}}}])
@pytest.mark.parametrize("align", ["any_order", "hungarian"])
def test_values_pair_as_they_do_pair_by_pair(comparator: Any, align: str) -> None:
    one = build(JsonMultiFieldMatch, {"fields": {"tags": {"compare": comparator, "align": align}}})
    (field,) = ClosedTree(tuple(one.fields)).fields
    assert field.column is not None
    assert field.line.align is not None
    for seed in range(150):
        random = Random(seed)
        expected, output = ([random.choice(VALUES) for _ in range(random.randint(0, 7))] for _ in range(2))
        slowly = pair_values(field.line.align, expected, output, field.matches)
        assert pair_values(field.line.align, expected, output, field.matches, column=field.column) == slowly, seed


def test_the_field_that_is_listed_first_decides_among_equals() -> None:
    fields = {"items": {"align": "hungarian"}, "items[*].a": "exact", "items[*].b": "exact", "items[*].c": "exact"}
    tree = ClosedTree(tuple(build(JsonMultiFieldMatch, {"fields": fields}).fields))
    expected = {"items": [{"a": 1, "b": 1, "c": 1}]}
    output = {"items": [{"a": 2, "b": 2, "c": 1}, {"a": 2, "b": 1, "c": 2}, {"a": 1, "b": 2, "c": 2}]}
    found = places(tree.lists[0], expected, output, tree.matches, None, tree.columns)
    assert (found[0][0].expected, found[0][0].actual) == (1, 1)
