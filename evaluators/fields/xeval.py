"""The x-eval dialect: a JSON Schema whose `x-eval-` keys say how each place is compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

from evaluators.fields.fallbacks import OF_LISTS, NeedsJudge
from evaluators.fields.metrics import (
    refuse_list_metric,
    resolve_alignment,
    resolve_compound,
    resolve_metric,
)
from evaluators.fields.named_comparators import word_in
from evaluators.fields.reading import read_transforms
from evaluators.fields.references import CHOICES, Placed, as_problems, place_of
from evaluators.fields.schema_parts import SchemaPart, SchemaReader, read_parts
from evaluators.fields.schema_types import (
    SAYS_TYPE,
    X_EVAL,
    Types,
    branches_of,
    looked_into,
    shape_of,
    types_of,
    whole_branch,
)  # fmt: skip
from evaluators.fields.tree import ORDERED, FieldNode, Metric, SchemaPath
from evaluators.fields.type_defaults import OTHERWISE, read_entry, type_defaults
from evaluators.fields.xeval_align import read_xeval_align
from evaluators.registry import suggestion
from evaluators.settings import BadSettings, Detail, Loc, bad, spell
from evaluators.values.path_text import display

KEYS: Final = ("x-eval-compare", "x-eval-transform", "x-eval-skip", "x-eval-align")
NULLS: Final = "x-eval-nulls"
"""At the top of a schema: what null says, as `nulls:` of a suite, which comes before it."""
KNOWN_TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
Read = TypeVar("Read")


def parse_eval_schema(schema: object) -> FieldNode:
    """The tree of a schema in which every place says how it is compared.

    Raises Problems (config) with everything that is wrong with it, each with its place in the schema.
    """
    try:
        return read_xeval(schema)
    except BadSettings as error:
        raise as_problems(error) from error


def parse_xeval_entry(entry: object) -> tuple[str, dict[str, Any]]:
    """The name and the options of an entry of `x-eval-compare` or `x-eval-transform`. Raises BadSettings."""
    return read_entry(entry, "comparator or transform")


def read_xeval(schema: object, context: Mapping[str, Any] | None = None) -> FieldNode:
    """The tree of a schema. Raises BadSettings with every problem, each with its place inside the schema.

    `context` has what `fields:` have (`comparators`, `fallback`, `judge`), `notes` to add remarks to, and `defaults`,
    comparators by JSON type. With `defaults`, if only an empty map, a place that names no comparator gets the one of its
    type; without them it is a problem.
    """
    return read_parts(schema, context or {}, _fill)


def _fill(
    reader: SchemaReader, part: SchemaPart, schema: Mapping[str, Any], loc: Loc, path: SchemaPath, idle: bool
) -> None:
    """Reads what a schema says into its part."""
    _refuse_unknown_keys(reader, schema, loc)
    if isinstance(schema, Placed) and (schema.lost or schema.anything):
        part.skip = schema.lost
        part.metrics = () if schema.lost or idle else (_default(reader, "", OTHERWISE, display(path)),)
        return
    types, branches, inside = types_of(schema), branches_of(schema), looked_into(schema)
    whole = [whole_branch(branch, schema, SAYS_TYPE - {*CHOICES}, loc) for branch in branches]
    several = bool(branches) and (inside is None or any(map(looked_into, branches)))
    part.skip = _skip(reader, schema, loc)
    typed = several or part.skip or _check_types(reader, schema, types, loc)
    part.kind = "choice" if several else "object" if inside == "object" else "array" if inside else "leaf"
    part.shape = shape_of(schema, types.names, types.nullable)
    align = partial(read_xeval_align, schema=schema, path=path, note=reader.note)
    part.transforms = _reading(reader, schema, "x-eval-transform", loc, path, read_transforms, ())
    part.align = _reading(reader, schema, "x-eval-align", loc, path, align, ORDERED)
    idle = idle or part.skip
    _compare(reader, part, schema, loc, path, idle or not typed)
    if part.kind == "choice" and part.metrics:
        part.kind = "leaf"
        if any(metric.name == OF_LISTS for metric in part.metrics):
            parts = (reader.part(branch, loc, path, True) for branch in whole)
            part.items = next((each.items for each in parts if each.items is not None), None)
    elif part.kind == "choice":
        part.branches = reader.branches(part, whole, loc, path, idle)
    below_idle = idle or bool(part.metrics)
    if part.kind == "object":
        reader.keys(part, schema, path, below_idle)
    if part.kind == "array":
        reader.items(part, schema, path, below_idle)
    if part.transforms and not part.metrics and part.compound is None and part.kind != "leaf" and not idle:
        reader.note(f'"x-eval-transform" of {display(path)} changes nothing: its parts are compared, not the whole')


def _compare(
    reader: SchemaReader, part: SchemaPart, schema: Mapping[str, Any], loc: Loc, path: SchemaPath, idle: bool
) -> None:
    """How the value is compared, if it is compared as one value."""
    shown, types = display(path), types_of(schema)
    if "x-eval-compare" not in schema:
        if part.kind == "leaf" and not idle:
            part.metrics = _unnamed(reader, types.defaulted, loc, path)
        return
    entry, place = schema["x-eval-compare"], place_of(schema, "x-eval-compare", loc)
    try:
        if isinstance(entry, Mapping) and len(entry) == 1 and "compound" in entry:
            _compound(reader, entry["compound"], part, schema, shown)
            return
        refuse_list_metric(word_in(entry), _possible(reader, schema, types), reader.context)
        alignment = resolve_alignment(entry, reader.context) if part.kind == "array" else None
        if alignment is not None:
            part.align, part.fallback_for = alignment, OF_LISTS
            return
        part.metrics = (_metric(reader, entry, shown),)
    except BadSettings as error:
        reader.met(error.details, place, path, idle)
        return
    if part.metrics[0].name == "numeric" and types.one in ("string", "boolean"):
        reader.note(f"{shown} is compared as a number, but the schema says {types.one}")


def _unnamed(reader: SchemaReader, json_type: str, loc: Loc, path: SchemaPath) -> tuple[Metric, ...]:
    """The comparator of a place that names none: that of its type, where the reader fills in, else a problem."""
    if reader.context.get("defaults") is None:
        named = f'"{display(path)}"' if path else "the schema"
        hint = 'add "x-eval-compare", or let annotate_xeval add it everywhere'
        message = f"{named} does not say how it is compared"
        reader.details.append(Detail(loc, message, hint, key=True, code="not-compared"))
        return ()
    try:
        return (_default(reader, json_type, type_defaults().get(json_type, OTHERWISE), display(path)),)
    except BadSettings as error:
        whose = f'the default of "{json_type}"'
        details = [
            each if isinstance(each, NeedsJudge) else Detail((), f"{whose}: {each.message}", each.hint, False, each.code)
            for each in error.details
        ]
        reader.met(details, loc, path)
        return ()


def _possible(reader: SchemaReader, schema: Mapping[str, Any], types: Types) -> tuple[str, ...]:
    """The types that a value may have, those of the branches of a choice; none where they are not all known."""
    branches = branches_of(schema)
    if types.names or not branches:
        return types.names
    named = [types_of(reader.target(one) if list(one) == ["$ref"] else one).names for one in branches]
    return tuple(name for names in named for name in names) if all(named) else ()


def _metric(reader: SchemaReader, entry: object, shown: str) -> Metric:
    """What an entry of x-eval-compare names. Equal entries share a comparator, so that a batch is asked once."""
    known = json.dumps(entry, default=repr)
    if known not in reader.metrics:
        if entry == "skip" or (isinstance(entry, Mapping) and list(entry) == ["skip"]):
            raise bad('"skip" is no comparator', hint='write "x-eval-skip": true', key=isinstance(entry, Mapping))
        if isinstance(entry, Mapping) and not all(isinstance(key, str) for key in entry):
            raise bad(f"the name of a comparator is text; found {spell(next(iter(entry)))}")
        if entry == "":
            raise bad("the name of the comparator is empty", hint="write exact, or another comparator")
        reader.metrics[known] = resolve_metric(entry, reader.context, shown)
    return reader.metrics[known]


def _default(reader: SchemaReader, json_type: str, otherwise: object, shown: str) -> Metric:
    """What compares a field of a JSON type that names no comparator: the suite's default, or else the dialect's."""
    known = f"default of {json_type}"
    if known not in reader.metrics:
        named = (reader.context.get("defaults") or {}).get(json_type, otherwise)
        reader.metrics[known] = resolve_metric(named, reader.context, shown)
    return reader.metrics[known]


def _compound(reader: SchemaReader, options: object, part: SchemaPart, schema: Mapping[str, Any], shown: str) -> None:
    """Keys of this object that are compared as one unit."""
    if part.kind != "object":
        message = f'"compound" compares keys of an object; "{shown}" has none'
        raise bad(message, "compound", hint="write it on the object that has the keys", key=True)
    details: list[Detail] = []
    try:
        part.compound, first = resolve_compound(options, reader.context, shown)
        part.transforms = (*first, *part.transforms)
    except BadSettings as error:
        details.extend(detail.under("compound") for detail in error.details)
    names = options.get("fields") if isinstance(options, Mapping) else None
    known = list(schema.get("properties", ()))
    for index, name in enumerate(names if isinstance(names, list) else ()):
        if isinstance(name, str) and name not in known:
            hint = suggestion(name, known) or f"known: {', '.join(known)}"
            details.append(Detail(("compound", "fields", index), f'"{shown}" has no key "{name}"', hint))
    if details:
        raise BadSettings(details)


def _skip(reader: SchemaReader, schema: Mapping[str, Any], loc: Loc) -> bool:
    skip = schema.get("x-eval-skip", False)
    if not isinstance(skip, bool):
        place = place_of(schema, "x-eval-skip", loc)
        reader.details.append(Detail(place, f'"x-eval-skip" must be true or false; found {spell(skip)}'))
    return skip is True


def _check_types(reader: SchemaReader, schema: Mapping[str, Any], types: Types, loc: Loc) -> bool:
    """Whether a schema has a type, and keywords that fit it."""
    before = len(reader.details)
    place = place_of(schema, "type", loc) if "type" in schema else loc
    if not types.names:
        message = "the schema has no type" if "type" not in schema else f"type says nothing: {spell(schema['type'])}"
        known = f"known: {', '.join(KNOWN_TYPES)}"
        reader.details.append(Detail(place, message, known, key="type" not in schema, code="bad-type"))
    for name in types.names:
        if name not in KNOWN_TYPES:
            hint = suggestion(name, KNOWN_TYPES) or f"known: {', '.join(KNOWN_TYPES)}"
            reader.details.append(Detail(place, f'unknown type "{name}"', hint, code="bad-type"))
    if types.one not in (None, "object") and schema.get("properties"):
        place = place_of(schema, "properties", loc)
        message = f'properties belong to an object, but the type is "{types.one}"'
        hint = "write them under items" if types.one == "array" else "write type: object"
        reader.details.append(Detail(place, message, hint, key=True, code="bad-type"))
    return len(reader.details) == before


def _refuse_unknown_keys(reader: SchemaReader, schema: Mapping[str, Any], loc: Loc) -> None:
    for key in schema:
        known = KEYS if loc else (*KEYS, NULLS)
        if str(key).startswith(X_EVAL) and key not in known:
            hint = suggestion(key, known) or f"known: {', '.join(known)}"
            place = place_of(schema, key, loc)
            reader.details.append(Detail(place, f'unknown setting "{key}"', hint, key=True, code="unknown-setting"))


def _reading(
    reader: SchemaReader,
    schema: Mapping[str, Any],
    key: str,
    loc: Loc,
    path: SchemaPath,
    read: Callable[[object], Read],
    otherwise: Read,
) -> Read:
    if key not in schema:
        return otherwise
    try:
        return read(schema[key])
    except BadSettings as error:
        reader.met(error.details, place_of(schema, key, loc), path)
        return otherwise
