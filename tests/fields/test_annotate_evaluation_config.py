"""The words that are written into a schema without `evaluation_config`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluators.fields.annotate import annotate_evaluation_config
from evaluators.fields.evaluation_config import read_evaluation_config
from tests.data.extract_bench import files


@pytest.mark.parametrize(
    ("schema", "word"),
    [
        ({"type": "string"}, "string_exact"),
        ({"type": ["string", "null"]}, "string_exact"),
        ({"type": "string", "format": "uri"}, "string_url"),
        ({"type": "integer"}, "integer_exact"),
        ({"type": "number"}, "number_tolerance"),
        ({"type": "boolean"}, "boolean_exact"),
        ({"type": "string", "evaluation_config": "skip"}, "skip"),
        ({"type": ["string", "integer"]}, None),
        ({"type": "object", "properties": {}}, None),
        ({"type": "array", "items": {"type": "string"}}, None),
    ],
)
def test_a_value_of_one_plain_type_gets_a_word(schema: dict[str, Any], word: str | None) -> None:
    assert annotate_evaluation_config(schema).get("evaluation_config") == word


def test_everything_below_is_looked_at_and_a_property_may_have_any_name() -> None:
    schema: dict[str, Any] = {
        "type": "object",
        "$defs": {"d": {"type": "string"}},
        "properties": {"type": {"type": "integer"}, "l": {"type": "array", "items": {"anyOf": [{"type": "number"}]}}},
        "additionalProperties": {"type": "boolean"},
    }
    found = annotate_evaluation_config(schema)
    assert json.dumps(found).count("evaluation_config") == 4
    assert found["properties"]["type"]["evaluation_config"] == "integer_exact"


def test_a_schema_that_says_nothing_is_read_without_a_judge() -> None:
    for path, data in files("dataset/"):
        if path.endswith("-schema.json"):
            bare = _without_words(json.loads(data))
            schema = annotate_evaluation_config(bare.get("schema_definition", bare))
            read_evaluation_config(schema, {"fallback": {"semantic": "exact"}, "defaults": {}, "notes": []})
            assert "string_semantic" not in json.dumps(schema)


def _without_words(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_words(one) for one in value]
    if isinstance(value, dict):
        return {key: _without_words(one) for key, one in value.items() if key != "evaluation_config"}
    return value
