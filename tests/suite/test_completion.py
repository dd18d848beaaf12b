"""What an editor offers at a place of a suite: the keys and the words that the schema has there, and no old ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluators.api.language import language_schema

TABLE: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
SCHEMA = language_schema()


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["it"])
def test_an_editor_offers_these_words_and_no_others(entry: dict[str, Any]) -> None:
    keys, words = offered(entry["at"])
    assert keys == entry.get("keys", [])
    assert words == entry.get("words", [])


def test_what_is_offered_says_what_it_is() -> None:
    places: list[list[str | int]] = [["evaluators", 0], ["evaluators", 0, "json_multi_field_match", "fields", "total"]]
    for place in places:
        for schema in shapes(at(place)):
            if "enumDescriptions" in schema:
                assert len(schema["enumDescriptions"]) == len(schema["enum"])
                assert all(schema["enumDescriptions"])


def offered(place: Sequence[str | int]) -> tuple[list[str], list[object]]:
    """The keys and the values that an editor proposes at a place, whichever of the shapes there it is to become."""
    keys: dict[str, None] = {}
    words: dict[object, None] = {}
    for schema in shapes(at(place)):
        keys.update({key: None for key, inner in schema.get("properties", {}).items() if proposed(inner)})
        words.update(dict.fromkeys(schema.get("enum", ())))
    return list(keys), list(words)


def proposed(schema: object) -> bool:
    return isinstance(schema, dict) and not schema.get("doNotSuggest")


def at(place: Sequence[str | int]) -> list[dict[str, Any]]:
    found = [SCHEMA]
    for step in place:
        found = [inner for schema in shapes(found) for inner in below(schema, step)]
    return found


def below(schema: dict[str, Any], step: str | int) -> Iterator[dict[str, Any]]:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    if isinstance(step, int):
        yield from [schema["items"]] if "items" in schema else []
    elif isinstance(properties.get(step), dict):
        yield properties[step]
    elif isinstance(others, dict):
        yield others


def shapes(schemas: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The schemas, and those that stand in for them: what they refer to, and each branch.

    A branch that waits for the value of a key, as the settings beside `type: NAME` do, is none before that is written.
    """
    for schema in schemas:
        yield schema
        branches = ("else",) if "properties" in schema.get("if", {}) else ("then", "else")
        inside = [schema[key] for key in branches if key in schema]
        inside += [one for key in ("allOf", "anyOf", "oneOf") for one in schema.get(key, ())]
        if "$ref" in schema:
            inside.append(SCHEMA["definitions"][schema["$ref"].removeprefix("#/definitions/")])
        yield from shapes([one for one in inside if isinstance(one, dict)])
