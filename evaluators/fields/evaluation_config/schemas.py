"""What a JSON Schema whose references are filled in says of a value: its types, its shape, and what else it may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from evaluators.fields.dialects import EVALUATION_CONFIG
from evaluators.fields.judge_fallbacks import OF_LISTS
from evaluators.fields.metrics import JSON_TYPES
from evaluators.fields.references import CHOICES, Placed, merge, own_place, place_of
from evaluators.fields.tree import Kind, Shape
from evaluators.registry import suggestion
from evaluators.settings import Detail, spell

OF_A_VALUE: Final = ("type", "properties", "items", "additionalProperties", "enum", "const", "$ref", EVALUATION_CONFIG)
_ABOUT_FIELDS: Final = ("properties", "additionalProperties", "required", "items", "prefixItems")


def kind_of(schema: Mapping[str, Any]) -> Kind:
    """Whether a schema is of an object, an array, or something that is compared as it is."""
    types = types_of(schema)
    if types - {"null"} == {"object"}:
        return "object"
    if types - {"null"} == {"array"}:
        return "array"
    if types:
        return "leaf"
    if "properties" in schema or isinstance(schema.get("additionalProperties"), Mapping):
        return "object"
    return "array" if "items" in schema else "leaf"


def types_of(schema: Mapping[str, Any]) -> frozenset[str]:
    """The JSON types that a schema declares, or that the values it lists have."""
    known = frozenset(one for one in _declared(schema) if one in JSON_TYPES)
    return known or _types_of_values(schema)


def bad_types(schema: Mapping[str, Any]) -> list[Detail]:
    """What a schema declares as a type and is none."""
    return [
        Detail(
            place_of(schema, "type", ()),
            f"type must name a JSON type; found {spell(one)}",
            suggestion(str(one), JSON_TYPES) or f"known: {', '.join(JSON_TYPES)}",
            code="bad-schema",
        )
        for one in _declared(schema)
        if one not in JSON_TYPES
    ]


def _declared(schema: Mapping[str, Any]) -> list[Any]:
    declared = schema.get("type")
    return declared if isinstance(declared, list) else [] if declared is None else [declared]


def _types_of_values(schema: Mapping[str, Any]) -> frozenset[str]:
    """The types of the values that a schema lists, where it declares no type."""
    listed = schema.get("enum", [schema["const"]] if "const" in schema else [])
    names = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
    found = [names.get(type(value)) for value in listed] if isinstance(listed, list) else []
    return frozenset() if None in found else frozenset(name for name in found if name)


def shape_of(schema: Mapping[str, Any]) -> Shape:
    """What a schema declares of a value."""
    types, required = types_of(schema), schema.get("required")
    nullable = "null" in types or schema.get("nullable") is True or getattr(schema, "nullable", False)
    title, description = schema.get("title"), schema.get("description")
    return Shape(
        types,
        bool(nullable),
        frozenset(name for name in required if isinstance(name, str)) if isinstance(required, list) else frozenset(),
        title if isinstance(title, str) else None,
        description if isinstance(description, str) else None,
    )


def branches_of(schema: Mapping[str, Any]) -> list[Placed]:
    """What a value may be, where that is more than one thing. Each has what the schema says beside the choice."""
    for key in CHOICES:
        listed = schema.get(key)
        found = [branch for branch in listed if _says_something(branch)] if isinstance(listed, list) else []
        if found:
            made = {id(branch): branch for branch in found}
            made = {own: _with(branch, schema, key) for own, branch in made.items()}
            return [made[id(branch)] for branch in found]  # what is written once is read once
    types = sorted(types_of(schema) - {"null"}, key=JSON_TYPES.index)
    if len(types) < 2 or not isinstance(schema.get("type"), list):
        return []
    return [_narrowed(schema, name) for name in types]


def _says_something(branch: object) -> bool:
    """A branch that says what the value is. Others only say more about a value that the schema itself describes."""
    return isinstance(branch, Mapping) and any(key in branch for key in (*OF_A_VALUE, *CHOICES))


_OF_THE_CHOICE: Final = (EVALUATION_CONFIG, "title", "description")
"""What a schema says of a choice, and of no branch."""


def _with(branch: Mapping[str, Any], schema: Mapping[str, Any], key: str) -> Placed:
    if isinstance(branch, Placed) and schema.keys() <= {key, *_OF_THE_CHOICE}:
        return branch
    merged = copy_of(branch)
    merge(merged, copy_of(schema, without=(key, *_OF_THE_CHOICE, "type")))
    if "type" not in merged and "type" in schema and not any(name in merged for name in ("$ref", *CHOICES)):
        merged["type"] = schema["type"]
    return merged


def _narrowed(schema: Mapping[str, Any], name: str) -> Placed:
    """A schema with several types as one of just this type."""
    without: Iterable[str] = () if name in ("object", "array") else _ABOUT_FIELDS
    narrowed = copy_of(schema, without=(*without, EVALUATION_CONFIG))
    narrowed["type"] = name
    return narrowed


def with_words(branch: Placed, schema: Mapping[str, Any]) -> Placed:
    """A branch with the words that stand on its choice."""
    found = copy_of(branch)
    found[EVALUATION_CONFIG] = {"metrics": schema[EVALUATION_CONFIG]["metrics"]} if _mapped(schema) else OF_LISTS
    found.written[EVALUATION_CONFIG] = place_of(schema, EVALUATION_CONFIG, ())
    return found


def _mapped(schema: Mapping[str, Any]) -> bool:
    return isinstance(schema[EVALUATION_CONFIG], Mapping)


def copy_of(schema: Mapping[str, Any], without: Iterable[str] = ()) -> Placed:
    """A copy to which something may be added, without some of its keys."""
    copied = Placed(own_place(schema, ()))
    for key, value in _but(schema, without):
        copied[key] = dict(value) if key == "properties" and isinstance(value, Mapping) else value
        copied.written[key] = place_of(schema, key, ())
    copied.nullable = bool(getattr(schema, "nullable", False))
    return copied


def _but(schema: Mapping[str, Any], without: Iterable[str]) -> Iterator[tuple[str, Any]]:
    left = frozenset(without)
    return ((key, value) for key, value in schema.items() if key not in left)
