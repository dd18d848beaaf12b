"""The comparator that a JSON type gets when a schema names none, and a schema in which every place says how it is compared.

What a program chooses holds where it was chosen: in its thread, task or `with` block. Another thread, or a library that
is called, does not see it.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from contextvars import ContextVar
from types import MappingProxyType, TracebackType
from typing import Any, Final, TypeVar

from evaluators.model.issues import problem
from evaluators.model.registry import suggestion
from evaluators.model.settings import BadSettings, bad, spell, word_or_map
from evaluators.scoring.fields.metrics import resolve_metric
from evaluators.scoring.fields.named_comparators import NeedsJudge
from evaluators.scoring.fields.references import CHOICES
from evaluators.scoring.fields.schema_keywords import (
    ADDRESSES,
    DEFAULTED,
    EVALUATION_CONFIG,
    SAYS_TYPE,
    branches_of,
    container_kind,
    types_of,
)

BUILT_IN: Final[Mapping[str, Any]] = MappingProxyType(
    {"string": "exact", "number": "numeric", "integer": "numeric", "boolean": "exact"}
)
BY_FORMAT: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "date": "date",
        "date-time": "date",
        "time": "date",
        "uri": "url",
        "email": {"normalized": {"accents": "keep", "whitespace": "trim"}},
    }
)
"""The comparators that `infer-schema` writes for texts whose `format` a JSON Schema names."""
OTHERWISE: Final = "exact"
"""What every other type gets."""

# ambient: `set_type_default` is a function of another system, whose `evaluate` takes no argument for it
_chosen: ContextVar[Mapping[str, Any]] = ContextVar("type_defaults", default=BUILT_IN)


class TypeDefault:
    """A default that was just set. As a `with` block it ends with the block."""

    def __init__(self, before: Mapping[str, Any]) -> None:
        self._before = before

    def __enter__(self) -> TypeDefault:
        """The default, which is already set."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Sets the defaults of this thread or task back to what they were before."""
        _chosen.set(self._before)


def type_defaults() -> Mapping[str, Any]:
    """The comparator of each JSON type that has one of its own, as it is written: those set in this thread or task, else the built-in
    ones."""
    return _chosen.get()


def set_type_default(json_type: str, comparator: object) -> TypeDefault:
    """Let fields of a JSON type be compared with a comparator, a word or a one-key map, when they name none.

    The type `multi` is that of fields which may have several types. The default holds in this thread or task until
    `reset_type_defaults`, or for one `with` block. Raises Problems (config) for a type that is not known, and for options
    that the comparator does not take. A comparator may be registered later, or need a judge: whether it is there is known
    when a schema is read.
    """
    if not isinstance(json_type, str) or not json_type:
        raise problem("bad-type-default", f"a JSON type is text, such as string; found {spell(json_type)}")
    if json_type not in DEFAULTED:
        hint = suggestion(json_type, DEFAULTED) or f"known: {', '.join(DEFAULTED)}"
        raise problem("bad-type-default", f'"{json_type}" is not a JSON type', hint=hint)
    try:
        read_entry(comparator)
        resolve_metric(comparator, {}, json_type)
    except BadSettings as error:
        detail = next(
            (detail for detail in error.details if detail.code != "unknown-name" and not isinstance(detail, NeedsJudge)),
            None,
        )
        if detail is not None:
            raise problem("bad-type-default", detail.message, hint=detail.hint) from error
    before = _chosen.get()
    _chosen.set(MappingProxyType({**before, json_type: comparator}))
    return TypeDefault(before)


def reset_type_defaults() -> None:
    """Sets the comparators of JSON types in this thread or task back to those that the package comes with."""
    _chosen.set(BUILT_IN)


def read_entry(entry: object) -> tuple[str, dict[str, Any]]:
    """The name and the options of a comparator that is written as a word or a one-key map. Raises BadSettings."""
    name, options = word_or_map(entry, "comparator")
    if not name:
        raise bad("the name of a comparator is empty")
    return name, options


Schema = TypeVar("Schema", bound=dict[str, Any])

WITHOUT_JUDGE: Final[Mapping[str, str]] = {
    "string": "string_exact",
    "number": "number_tolerance",
    "integer": "integer_exact",
    "boolean": "boolean_exact",
}
"""What is written for a value of a type. The dialect's own default for text is `string_semantic`, which asks a judge."""


def annotate_xeval(
    schema: Schema, defaults: Mapping[str, Any] | None = None, formats: Mapping[str, Any] | None = None
) -> Schema:
    """Give every place that is compared as one value the comparator of its type, and return the same schema.

    Places that have one, or an `x-eval-skip`, stay as they are. `defaults` are comparators by JSON type, which come
    before those of `set_type_default`. `formats` are comparators of texts by the `format` that the schema names.
    """
    chosen = {**type_defaults(), **(defaults or {})}
    _annotate(
        schema, {**chosen, **{_format_key(name): comparator for name, comparator in (formats or {}).items()}}, set()
    )
    return schema


def _annotate(schema: Any, defaults: Mapping[str, Any], done: set[int]) -> None:
    """Writes a comparator into a schema and those inside it, where none is written. `done` has the ids of those that were visited."""
    if not isinstance(schema, dict) or id(schema) in done:
        return
    done.add(id(schema))
    for name in ("$defs", "definitions"):
        _annotate_each(schema.get(name), defaults, done)
    has_inside = _annotate_inside(schema, defaults, done)
    if not has_inside and not {"x-eval-compare", "x-eval-skip", "$ref", "allOf"} & schema.keys():
        kind = types_of(schema).default_type if "type" in schema else ""
        of_kind = defaults.get(kind, OTHERWISE)
        named = defaults.get(_format_key(str(schema.get("format"))), of_kind) if kind == "string" else of_kind
        schema["x-eval-compare"] = copy.deepcopy(named)


def _format_key(name: str) -> str:
    """The name under which the comparator of a format stands among those of the types."""
    return f"string:{name}"


def _annotate_inside(schema: dict[str, Any], defaults: Mapping[str, Any], done: set[int]) -> bool:
    """Annotate the schemas inside a schema. False when what it describes is compared as one value."""
    kind, branches = container_kind(schema), branches_of(schema)
    if kind == "array":
        _annotate(schema["items"], defaults, done)
    if kind == "object":
        _annotate_each(schema.get("properties"), defaults, done)
        _annotate(schema.get("additionalProperties") or None, defaults, done)
    for key in ("allOf", *CHOICES):
        for branch in schema[key] if isinstance(schema.get(key), list) else ():
            # the other branches only restrict the value, by a minimum say, or the list or object that the schema describes
            if isinstance(branch, dict) and (container_kind(branch) or (kind is None and branch.keys() & SAYS_TYPE)):
                _annotate(branch, defaults, done)
    return kind is not None or bool(branches)


def _annotate_each(schemas: Any, defaults: Mapping[str, Any], done: set[int]) -> None:
    """Writes comparators into each schema of a map of schemas."""
    for schema in schemas.values() if isinstance(schemas, dict) else ():
        _annotate(schema, defaults, done)


def annotate_evaluation_config(schema: Schema) -> Schema:
    """Give every value of one plain type the word that compares it, and return the same schema.

    Places that have an `evaluation_config` stay as they are. Lists and objects get none: what stands in them is compared.
    """
    waiting: list[Any] = [schema]
    seen: set[int] = set()
    while waiting:
        schema_part = waiting.pop()
        if not isinstance(schema_part, dict) or id(schema_part) in seen or EVALUATION_CONFIG in schema_part:
            continue
        seen.add(id(schema_part))
        word = (
            WITHOUT_JUDGE.get(types_of(schema_part).single_type or "")
            if "type" in schema_part and "$ref" not in schema_part
            else None
        )
        if word is not None:
            schema_part[EVALUATION_CONFIG] = "string_url" if schema_part.get("format") in ADDRESSES else word
            continue
        for name in ("properties", "$defs", "definitions"):
            waiting.extend(schema_part[name].values() if isinstance(schema_part.get(name), dict) else ())
        for name in ("allOf", *CHOICES):
            waiting.extend(schema_part[name] if isinstance(schema_part.get(name), list) else ())
        waiting.extend((schema_part.get("items"), schema_part.get("additionalProperties")))
    return schema
