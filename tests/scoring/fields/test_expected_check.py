"""Expected documents held against the schema that scores them."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from evaluators.scoring.fields.expected_check import ExpectedFinding, ExpectedProblems, check_expected, validate_gold
from evaluators.scoring.fields.xeval import read_xeval

SCHEMA = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}}}},
    },
}


def found(documents: list[Any], schema: Any = SCHEMA, **options: Any) -> list[ExpectedFinding]:
    return list(check_expected(documents, read_xeval(schema, {"defaults": {}}), **options))


def told(documents: list[Any], schema: Any = SCHEMA, **options: Any) -> list[tuple[str, str, int, str]]:
    return [(one.level, one.code, one.row, one.path) for one in found(documents, schema, **options)]


def test_another_kind_where_an_object_or_list_belongs_is_a_warning() -> None:
    documents = [{"name": "a", "age": 1, "tags": ["x"]}, "text"]
    assert told(documents) == [("warning", "wrong-type", 0, "tags[0]"), ("warning", "wrong-type", 1, "$")]
    assert {one.level for one in found(documents, strict_types=True)} == {"error"}


def test_ids_are_there_and_usable_and_their_own() -> None:
    documents = [{"id": "r1"}, {"id": "r1"}, {"id": True}, {}, {"id": 7}]
    assert told(documents, id_field="id", warn_missing=False) == [
        ("error", "id-twice", 1, "id"),
        ("error", "bad-id", 2, "id"),
        ("error", "id-missing", 3, "id"),
    ]


def test_a_value_outside_a_list_of_types_is_a_warning() -> None:
    schema = {"type": "object", "properties": {"q": {"type": ["string", "object"]}}}
    assert told([{"q": "x"}, {"q": {"a": 1}}, {"q": None}, {"q": [1]}], schema) == [("warning", "wrong-type", 3, "q")]


def test_a_choice_is_held_against_the_branch_that_fits_best() -> None:
    branches = [{"type": "object", "properties": {name: {"type": "string"}}} for name in ("x", "y")]
    schema = {"type": "object", "properties": {"c": {"anyOf": branches}}}
    assert told([{"c": {"y": "1"}}], schema) == []
    assert told([{"c": {"y": "1", "z": "2"}}], schema) == [("error", "undeclared-key", 0, "c.z")]


def test_validate_gold_raises_with_everything() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "x-eval-compare": "exact"}}}
    with pytest.raises(ExpectedProblems) as caught:
        validate_gold([{"id": "r1", "b": 1, "c": 2}], schema, id_field="id")
    assert [issue.where for issue in caught.value.issues] == ['row 1 (id "r1"), b', 'row 1 (id "r1"), c']
    assert [one.level for one in caught.value.findings] == ["warning", "error", "error"]
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_validate_gold_gives_the_warnings() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "x-eval-compare": "exact"}}}
    assert [one.code for one in validate_gold([{}], schema)] == ["key-missing"]
