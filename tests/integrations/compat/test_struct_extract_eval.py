"""Schemas made of examples, as struct-extract-eval makes them."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.integrations.compat.struct_extract_eval import infer_schema
from evaluators.model.issues import Problems


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


def test_the_first_of_several_types_wins() -> None:
    schema = infer_schema([{"a": [{"b": "x"}]}, {"a": [{"b": 1}]}])
    assert schema["properties"]["a"]["items"]["properties"]["b"] == {"type": "string"}


def test_a_place_that_is_always_null_is_text() -> None:
    assert infer_schema([{"a": None}])["properties"]["a"] == {"type": "string"}


def test_no_document_at_all_is_a_problem() -> None:
    with pytest.raises(Problems, match="no documents"):
        infer_schema([])
