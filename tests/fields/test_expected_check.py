"""Expected documents held against the schema that scores them."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from evaluators.fields.expected_check import ExpectedFinding, ExpectedProblems, check_expected, validate_gold
from evaluators.fields.xeval import read_xeval

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


def test_a_document_that_fits_has_no_finding() -> None:
    assert told([{"name": "a", "age": 1, "tags": [{"x": 1.5}]}], strict_types=True) == []


def test_all_undeclared_keys_of_all_documents_are_errors() -> None:
    documents = [{"name": "a", "agee": 1, "tags": [{"x": 1}, {"y": None}]}, {"name": "b", "zz": {}}]
    assert told(documents, warn_missing=False) == [
        ("error", "undeclared-key", 0, "tags[1].y"),
        ("error", "undeclared-key", 0, "agee"),
        ("error", "undeclared-key", 1, "zz"),
    ]
    undeclared = found(documents, warn_missing=False)
    assert (undeclared[0].field, undeclared[1].hint) == ("tags[*].y", 'did you mean "age"?')


def test_a_declared_key_that_is_absent_is_a_warning() -> None:
    documents = [{"age": 1, "tags": []}]
    assert told(documents) == [("warning", "key-missing", 0, "name")]
    assert found(documents)[0].allowed == "the schema declares it and requires it"
    assert told(documents, warn_missing=False) == []


def test_types_of_single_values_count_when_strict() -> None:
    documents = [{"name": 5, "age": True, "tags": None}, {"name": "x", "age": 1.5, "tags": []}]
    assert told(documents) == []
    assert told(documents, strict_types=True) == [("error", "wrong-type", 0, "name"), ("error", "wrong-type", 0, "age")]


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


def test_the_id_is_declared_at_the_top_only() -> None:
    document = {"id": 1, "name": "a", "tags": [{"id": 1}]}
    assert told([document], id_field="id", warn_missing=False) == [("error", "undeclared-key", 0, "tags[0].id")]


def test_what_is_compared_as_a_whole_is_not_looked_into() -> None:
    schema = {"type": "object", "properties": {"o": {**SCHEMA, "x-eval-compare": "exact"}}}
    assert told([{"o": {"zz": 1}}], schema) == []


def test_what_is_skipped_is_looked_into() -> None:
    schema = {"type": "object", "properties": {"o": {**SCHEMA, "x-eval-skip": True}}}
    assert told([{"o": {"zz": 1}}], schema, warn_missing=False) == [("error", "undeclared-key", 0, "o.zz")]


def test_a_value_outside_a_list_of_types_is_a_warning() -> None:
    schema = {"type": "object", "properties": {"q": {"type": ["string", "object"]}}}
    assert told([{"q": "x"}, {"q": {"a": 1}}, {"q": None}, {"q": [1]}], schema) == [("warning", "wrong-type", 3, "q")]


def test_a_choice_is_held_against_the_branch_that_fits_best() -> None:
    branches = [{"type": "object", "properties": {name: {"type": "string"}}} for name in ("x", "y")]
    schema = {"type": "object", "properties": {"c": {"anyOf": branches}}}
    assert told([{"c": {"y": "1"}}], schema) == []
    assert told([{"c": {"y": "1", "z": "2"}}], schema) == [("error", "undeclared-key", 0, "c.z")]


def test_a_key_of_another_branch_is_not_called_undeclared() -> None:
    branches = [
        {"type": "object", "properties": {name: {"type": "string"}, "n": {"type": "string"}}} for name in ("x", "y")
    ]
    schema = {"type": "object", "properties": {"c": {"anyOf": branches}}}
    (one,) = found([{"c": {"x": "1", "y": "2", "n": None}}], schema, warn_missing=False)
    assert one.found == '"y" belongs to another branch of the schema than the rest, so it would not be scored'
    assert (one.path, one.level, one.hint) == ("c.y", "error", "keep the keys of one branch, or declare it in both")


def test_keys_that_additional_properties_describe_are_declared() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "number"}}
    assert told([{"a": "x", "b": 1, "c": "no"}], schema, strict_types=True) == [("error", "wrong-type", 0, "c")]


def test_a_key_with_dots_is_an_ordinary_key() -> None:
    schema = {"type": "object", "properties": {"a.b": {"type": "integer"}}}
    assert told([{"a.b": 1}], schema) == []


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
