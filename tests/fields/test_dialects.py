"""Which dialect a schema is written in, and the schema inside a wrapper."""

from __future__ import annotations

from typing import Any

import pytest

from evaluators.fields.dialects import dialect_note, dialect_of, dialects_in, unwrap
from evaluators.fields.references import pointer
from evaluators.settings import BadSettings

X_EVAL = {"type": "string", "x-eval-compare": "exact"}
CONFIG = {"type": "string", "evaluation_config": "string_exact"}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": CONFIG}},
        {"items": {"anyOf": [{"type": "null"}, CONFIG]}},
        {"$defs": {"a": CONFIG}, "properties": {"b": {"$ref": "#/$defs/a"}}},
        {"additionalProperties": CONFIG},
        {"name": "n", "schema_definition": {"properties": {"a": CONFIG}}},
    ],
)
def test_evaluation_config_is_known_by_its_keyword(schema: Any) -> None:
    assert dialect_of(schema) == "evaluation_config"
    assert dialect_note(schema) is None


def test_x_eval_is_known_by_its_keywords() -> None:
    assert dialect_of({"properties": {"a": X_EVAL}}) == "x-eval"
    assert dialect_of({"type": "array", "x-eval-align": "hungarian", "items": {"type": "string"}}) == "x-eval"


def test_a_schema_without_either_is_x_eval_and_says_so() -> None:
    schema = {"properties": {"a": {"type": "string"}}}
    assert dialect_of(schema) == "x-eval"
    said = dialect_note(schema) or ""
    assert "so it is read as x-eval" in said
    assert "dialect: evaluation_config" in said


def test_properties_and_values_are_no_keywords() -> None:
    named = {"properties": {"evaluation_config": {"type": "string"}, "x-eval-compare": {"type": "string"}}}
    assert dialects_in(named) == {}
    assert dialects_in({"default": {"evaluation_config": "skip"}, "enum": [{"x-eval-skip": True}]}) == {}


def test_both_dialects_are_refused_with_both_places() -> None:
    with pytest.raises(BadSettings) as raised:
        dialect_of({"properties": {"a": X_EVAL, "b": CONFIG}})
    (detail,) = raised.value.details
    assert pointer(detail.loc) == "#/properties/b/evaluation_config"
    assert detail.message == (
        "the schema uses two dialects: x-eval at #/properties/a/x-eval-compare, "
        "and evaluation_config at #/properties/b/evaluation_config"
    )


def test_wrappers_are_taken_away() -> None:
    schema = {"type": "object", "properties": {"schema": {"type": "string"}}}
    assert unwrap(schema) == (schema, ())
    assert unwrap({"name": "n", "description": "d", "schema_definition": schema}) == (schema, ("schema_definition",))
    assert unwrap({"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}) == (
        schema,
        ("json_schema", "schema"),
    )
    assert unwrap({"title": "anything"}) == ({"title": "anything"}, ())
    assert unwrap(None) == (None, ())
