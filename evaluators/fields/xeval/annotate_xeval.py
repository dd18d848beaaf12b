"""Writes `x-eval-compare` where a schema leaves it out, so that a person can review it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, TypeVar

from evaluators.fields.references import CHOICES
from evaluators.fields.xeval.defaults import OTHERWISE, type_defaults
from evaluators.fields.xeval.structure import SAYS_TYPE, branches_of, looked_into, types_of

Schema = TypeVar("Schema", bound=dict[str, Any])


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
    if not _below(schema, defaults, done) and not {"x-eval-compare", "x-eval-skip", "$ref", "allOf"} & schema.keys():
        kind = types_of(schema).defaulted if "type" in schema else ""
        schema["x-eval-compare"] = copy.deepcopy(defaults.get(kind, OTHERWISE))


def _below(schema: dict[str, Any], defaults: Mapping[str, Any], done: set[int]) -> bool:
    """Annotate what stands below a schema. False when it is compared as one value."""
    kind, (_, branches) = looked_into(schema), branches_of(schema)
    if kind == "array":
        _annotate(schema["items"], defaults, done)
    if kind == "object":
        _annotate_each(schema.get("properties"), defaults, done)
        _annotate(schema.get("additionalProperties") or None, defaults, done)
    for key in ("allOf", *CHOICES):
        for branch in schema[key] if isinstance(schema.get(key), list) else ():
            if isinstance(branch, dict) and (looked_into(branch) or (kind is None and branch.keys() & SAYS_TYPE)):
                _annotate(branch, defaults, done)
    return kind is not None or bool(branches)


def _annotate_each(schemas: Any, defaults: Mapping[str, Any], done: set[int]) -> None:
    for schema in schemas.values() if isinstance(schemas, dict) else ():
        _annotate(schema, defaults, done)
