"""Mistakes in schemas are found all at once, with their places: keywords, references, dialects, what is inside of what."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import loads
from evaluators.integrations.compat import struct_extract_eval
from evaluators.model.issues import Problems
from evaluators.model.settings import BadSettings
from evaluators.scoring.fields.references import pointer
from evaluators.scoring.fields.schema_keywords import keyword_problems
from evaluators.scoring.fields.schema_scoring import read_schema

TEXT = {"type": "string", "x-eval-compare": "exact"}


def complaints(schema: Any, dialect: Any = "auto", **context: Any) -> list[tuple[str, str, str | None]]:
    with pytest.raises(BadSettings) as raised:
        read_schema(schema, dialect, context)
    return [(pointer(detail.loc), detail.message, detail.hint) for detail in raised.value.details]


@pytest.mark.parametrize(
    ("schema", "place", "said"),
    [
        ({"type": "object", "propertis": {"a": TEXT}}, "#/propertis", 'did you mean "properties"?'),
        ({"type": "object", "requierd": ["a"], "properties": {"a": TEXT}}, "#/requierd", 'did you mean "required"?'),
        ({"type": "array", "item": TEXT}, "#/item", 'did you mean "items"?'),
        ({"typ": "string"}, "#/typ", 'did you mean "type"?'),
        ({**TEXT, "x_eval_skip": True}, "#/x_eval_skip", 'did you mean "x-eval-skip"?'),
        ({"type": "string", "evaluation_confg": "skip"}, "#/evaluation_confg", 'did you mean "evaluation_config"?'),
        (
            {"type": "array", "items": {"properties": ["a"]}},
            "#/items/properties",
            '"properties" must be a map of schemas',
        ),
        ({"type": "object", "required": "a"}, "#/required", '"required" must be a list of names; found the text "a"'),
        ({"anyOf": 3}, "#/anyOf", '"anyOf" must be a list of schemas; found the number 3'),
        ({"type": "array", "items": "string"}, "#/items", "write items: {type: string}"),
    ],
)
def test_a_keyword_that_cannot_be_meant_is_refused(schema: Any, place: str, said: str) -> None:
    (detail,) = keyword_problems(schema)
    assert pointer(detail.loc) == place
    assert said in f"{detail.message}\n{detail.hint}"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"propertis": TEXT, "item": TEXT, "typ": TEXT}},
        {"type": "string", "ref": "DIN 5008", "remark": "as printed", "example": "x", "x-order": 3, "Types": "text"},
        {"type": "array", "items": [TEXT, TEXT]},
        {"type": "object", "required": True, "additionalProperties": False},
    ],
)
def test_names_of_properties_and_remarks_are_no_misspelt_keywords(schema: Any) -> None:
    assert keyword_problems(schema) == []


@pytest.mark.parametrize(("word", "config"), [("x-eval-compare", "exat"), ("evaluation_config", "string_exat")])
def test_a_reference_that_leads_nowhere_hides_no_other_mistake(word: str, config: str) -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}, "c": {"type": "string", word: config}}}
    assert [place for place, *_ in complaints(schema)] == ["#/properties/a/$ref", f"#/properties/c/{word}"]


@pytest.mark.parametrize(
    ("dialect", "word", "other"),
    [("x-eval", "evaluation_config", "evaluation_config"), ("evaluation_config", "x-eval-compare", "x-eval")],
)
def test_a_schema_in_the_words_of_the_other_dialect_is_refused(dialect: Any, word: str, other: str) -> None:
    ((place, _, hint),) = complaints({"type": "string", word: "string_exact"}, dialect)
    assert (place, hint) == (f"#/{word}", f"write dialect: {other}")
    both = {"type": "string", "x-eval-compare": "exact", "evaluation_config": "string_exact"}
    assert read_schema(both, dialect).dialect == dialect


def test_mistakes_in_a_schema_file_have_their_places_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_text('{"properties": {"a": {"type": "string", "x-eval-compare": "exat"}, "b": {"$ref": "#/c"}}}')
    with pytest.raises(Problems) as raised:
        loads("evaluators: [{schema_match: {schema: a.json}}]")
    assert [issue.message for issue in raised.value.issues] == [
        'a.json at #/properties/b/$ref: $ref "#/c" leads nowhere',
        'a.json at #/properties/a/x-eval-compare: unknown comparator "exat"',
    ]


@pytest.mark.parametrize(
    ("settings", "hint"),
    [
        ("{shema: infer}", 'did you mean "schema"?'),
        ("{schema: infr}", 'did you mean "infer"?'),
        ("{schema: nope.json}", "looked for"),
        ("{schema: infer, fallback: {array_llm: hungarain}}", 'did you mean "hungarian"?'),
    ],
)
def test_a_suggestion_is_what_can_be_written_there(
    settings: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other.json").write_text("{}")
    with pytest.raises(Problems) as raised:
        loads(f"evaluators: [{{schema_match: {settings}}}]")
    assert any((issue.hint or "").startswith(hint) for issue in raised.value.issues)


def keyed(**align: Any) -> dict[str, Any]:
    properties = {"id": {"type": "string", "x-eval-transform": ["lowercase"]}, "line": {"type": "integer"}}
    items = {"type": "object", "properties": properties}
    return {"type": "object", "properties": {"xs": {"type": "array", "x-eval-align": align, "items": items}}}


def test_keys_of_items_may_be_changed_before_they_are_compared() -> None:
    expected = {"xs": [{"id": "A", "line": 1}, {"id": "B", "line": 1}]}
    output = {"xs": [{"id": "b", "line": 1}, {"id": "a", "line": 1}]}
    for key in ("id", ["id", "line"]):
        schema = keyed(match_by="key_field", key=key, transforms=["strip", "lowercase"], keyless="apart")
        assert struct_extract_eval.evaluate([expected], [output], schema).mean_f1 == 1.0


@pytest.mark.parametrize(
    ("align", "place", "said"),
    [
        ({"match_by": "key_field", "key": "id", "transforms": ["strp"]}, "transforms/0", 'did you mean "strip"?'),
        ({"match_by": "key_field", "key": "id", "keyless": "away"}, "keyless", "keyless must be ordered or apart"),
        ({"match_by": "hungarian", "transforms": ["strip"]}, "transforms", "hungarian uses none"),
    ],
)
def test_what_is_said_of_keys_is_checked(align: dict[str, Any], place: str, said: str) -> None:
    ((found, message, hint),) = complaints(keyed(**align))
    assert found == f"#/properties/xs/x-eval-align/{place}"
    assert said in f"{message}\n{hint}"
