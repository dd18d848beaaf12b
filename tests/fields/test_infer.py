"""Schemas made of examples."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluators.fields.expected_check import check_expected
from evaluators.fields.infer import infer_schema, infer_with_issues
from evaluators.fields.xeval import read_xeval
from evaluators.issues import Problems


def test_the_keys_of_all_documents_are_there_sorted() -> None:
    found = infer_schema([{"b": 1}, {"a": "x", "b": 2}])
    assert found == {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}
    assert list(found["properties"]) == ["a", "b"]


@pytest.mark.parametrize("values", [[1, 2.5], [2.5, 1]])
def test_whole_numbers_beside_others_are_numbers_in_any_order(values: list[Any]) -> None:
    assert infer_schema(values) == {"type": "number"}


def test_true_is_a_boolean_and_no_number() -> None:
    assert infer_schema([True]) == {"type": "boolean"}


def test_the_items_of_all_arrays_are_taken_together() -> None:
    assert infer_schema([{"t": []}, {"t": [None, 3]}]) == {
        "type": "object",
        "properties": {"t": {"type": "array", "items": {"type": "integer"}}},
    }


def test_several_types_are_reported_with_their_place_and_the_first_wins() -> None:
    schema, issues = infer_with_issues([{"a": [{"b": "x"}]}, {"a": [{"b": 1}]}])
    assert schema["properties"]["a"]["items"]["properties"]["b"] == {"type": "string"}
    assert [issue.code for issue in issues] == ["several-types"]
    assert issues[0].message == 'a[*].b has several types: string ("x"), integer (1); the schema says string'


def test_a_place_that_is_always_null_is_reported() -> None:
    schema, issues = infer_with_issues([{"a": None}])
    assert schema["properties"]["a"] == {"type": "string"}
    assert [issue.code for issue in issues] == ["only-nulls"]


def test_no_document_at_all_is_a_problem() -> None:
    with pytest.raises(Problems, match="no documents"):
        infer_schema([])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60)
@given(st.lists(JSON, min_size=1, max_size=4))
def test_documents_of_one_type_at_each_place_fit_the_schema_made_of_them(documents: list[Any]) -> None:
    schema, issues = infer_with_issues(documents)
    tree = read_xeval(schema, {"defaults": {}})
    if not any(issue.code == "several-types" for issue in issues):
        found = check_expected(documents, tree, warn_missing=False, strict_types=True)
        assert [one for one in found if one.level == "error"] == []
