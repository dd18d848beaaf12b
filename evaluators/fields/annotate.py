"""Writes how a place is compared where a schema leaves it out, in either dialect, so that a person can review it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final, TypeVar

from evaluators.fields.references import CHOICES
from evaluators.fields.schema_types import EVALUATION_CONFIG, SAYS_TYPE, branches_of, looked_into, types_of
from evaluators.fields.type_defaults import OTHERWISE, type_defaults

Schema = TypeVar("Schema", bound=dict[str, Any])

WITHOUT_JUDGE: Final[Mapping[str, str]] = {
    "string": "string_exact",
    "number": "number_tolerance",
    "integer": "integer_exact",
    "boolean": "boolean_exact",
}
"""What is written for a value of a type. The dialect's own default for text is `string_semantic`, which asks a judge."""
_ADDRESSES: Final = ("uri", "url", "iri")


def annotate_xeval(schema: Schema, defaults: Mapping[str, Any] | None = None) -> Schema:
    """Give every place that is compared as one value the comparator of its type, and return the same schema.

    Places that have one, or an `x-eval-skip`, stay as they are. `defaults` are comparators by JSON type, which come
    before those of `set_type_default`.
    """
    _annotate(schema, {**type_defaults(), **(defaults or {})}, set())
    return schema


def _annotate(schema: Any, defaults: Mapping[str, Any], done: set[int]) -> None:
    if not isinstance(schema, dict) or id(schema) in done:
        return
    done.add(id(schema))
    for name in ("$defs", "definitions"):
        _annotate_each(schema.get(name), defaults, done)
    has_inside = _annotate_inside(schema, defaults, done)
    if not has_inside and not {"x-eval-compare", "x-eval-skip", "$ref", "allOf"} & schema.keys():
        kind = types_of(schema).defaulted if "type" in schema else ""
        schema["x-eval-compare"] = copy.deepcopy(defaults.get(kind, OTHERWISE))


def _annotate_inside(schema: dict[str, Any], defaults: Mapping[str, Any], done: set[int]) -> bool:
    """Annotate the schemas inside a schema. False when what it describes is compared as one value."""
    kind, branches = looked_into(schema), branches_of(schema)
    if kind == "array":
        _annotate(schema["items"], defaults, done)
    if kind == "object":
        _annotate_each(schema.get("properties"), defaults, done)
        _annotate(schema.get("additionalProperties") or None, defaults, done)
    for key in ("allOf", *CHOICES):
        for branch in schema[key] if isinstance(schema.get(key), list) else ():
            # the other branches only restrict the value, by a minimum say, or the list or object that the schema describes
            if isinstance(branch, dict) and (looked_into(branch) or (kind is None and branch.keys() & SAYS_TYPE)):
                _annotate(branch, defaults, done)
    return kind is not None or bool(branches)


def _annotate_each(schemas: Any, defaults: Mapping[str, Any], done: set[int]) -> None:
    for schema in schemas.values() if isinstance(schemas, dict) else ():
        _annotate(schema, defaults, done)


def annotate_evaluation_config(schema: Schema) -> Schema:
    """Give every value of one plain type the word that compares it, and return the same schema.

    Places that have an `evaluation_config` stay as they are. Lists and objects get none: what stands in them is compared.
    """
    waiting: list[Any] = [schema]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if not isinstance(one, dict) or id(one) in seen or EVALUATION_CONFIG in one:
            continue
        seen.add(id(one))
        word = WITHOUT_JUDGE.get(types_of(one).one or "") if "type" in one and "$ref" not in one else None
        if word is not None:
            one[EVALUATION_CONFIG] = "string_url" if one.get("format") in _ADDRESSES else word
            continue
        for name in ("properties", "$defs", "definitions"):
            waiting.extend(one[name].values() if isinstance(one.get(name), dict) else ())
        for name in ("allOf", *CHOICES):
            waiting.extend(one[name] if isinstance(one.get(name), list) else ())
        waiting.extend((one.get("items"), one.get("additionalProperties")))
    return schema
