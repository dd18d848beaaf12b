"""What an editor offers at a place of a suite: the keys and the words that the schema has there, and no old ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.language import language_schema
from tests.kit import read_yaml

TABLE: list[dict[str, Any]] = read_yaml(Path(__file__).with_suffix(".yaml"))
SCHEMA = language_schema()


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["it"])
def test_an_editor_offers_these_words_and_no_others(entry: dict[str, Any]) -> None:
    keys, words = offered(entry["at"])
    assert keys == listed(entry.get("keys"))
    assert words == listed(entry.get("words"))


def listed(said: dict[object, str | None] | list[object] | None) -> dict[object, str | None]:
    """What the table lists: words with what is said of each, or words alone."""
    return said if isinstance(said, dict) else dict.fromkeys(said or ())


def offered(place: Sequence[str | int]) -> tuple[dict[object, str | None], dict[object, str | None]]:
    """The keys and the values that an editor proposes at a place, whichever of the shapes there it is to become, each with
    what it says about it."""
    keys: dict[object, str | None] = {}
    words: dict[object, str | None] = {}
    for schema in shapes(at(place)):
        for key, inner in schema.get("properties", {}).items():
            if proposed(inner):
                keys[key] = keys.get(key) or description(inner)
        values = schema.get("enum", [schema["const"]] if "const" in schema else [])
        said = schema.get("enumDescriptions") or [None] * len(values)
        words |= dict(zip(values, said, strict=True)) | dict.fromkeys(schema.get("examples", ()))
    return keys, words


def description(schema: dict[str, Any]) -> str | None:
    """The first paragraph of what is said beside a schema, or in what it refers to."""
    for one in shapes([schema]):
        if "description" in one:
            return " ".join(one["description"].partition("\n\n")[0].split())
    return None


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
