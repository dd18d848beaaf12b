"""What the schema of a recorded case of struct-extract-eval is like: predicates for `divergences.yaml`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from evaluators.comparators._comparator import COMPARATORS
from evaluators.fields.schema_types import DEFAULTED
from tests.conformance.cases import Case
from tests.conformance.values import kind

TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
THEIRS: Final = ("exact", "numeric", "oneof")
SCHEMA_KEYS: Final = ("properties", "$defs", "definitions")
TRANSFORMS: Final[Mapping[str, Mapping[str, Callable[[Any], bool]]]] = {
    "round_digits": {"digits": lambda value: isinstance(value, int) and not isinstance(value, bool)},
    "type_convert": {"to": lambda value: value in ("float", "int", "str", "bool")},
}


def schemas(case: Case) -> Iterator[Mapping[str, Any]]:
    """Every schema of the case, and every schema inside one."""
    given = case.settings.get("schema")
    waiting = [given]
    while waiting:
        schema = waiting.pop()
        if not isinstance(schema, dict):
            continue
        yield schema
        for key, value in schema.items():
            if key in SCHEMA_KEYS and isinstance(value, dict):
                waiting.extend(value.values())
            elif key in ("anyOf", "oneOf", "allOf") and isinstance(value, list):
                waiting.extend(value)
            elif key in ("items", "additionalProperties"):
                waiting.append(value)


def _entries(case: Case, key: str) -> Iterator[tuple[str, Any]]:
    """The names and options of x-eval-compare or x-eval-transform."""
    for schema in schemas(case):
        found = schema.get(key)
        for one in found if isinstance(found, list) else [found]:
            if isinstance(one, str):
                yield one, {}
            elif isinstance(one, dict) and len(one) == 1:
                yield next(iter(one.items()))


def _registered(case: Case) -> set[str]:
    return {entry["name"] for entry in case.settings.get("register") or ()}


def _unusable_options(case: Case) -> bool:
    """Options that a comparator or a transform does not have, lacks, or cannot use."""
    compared = (
        name not in _registered(case) and isinstance(options, dict) and unusable(name, options)
        for name, options in _entries(case, "x-eval-compare")
    )
    transformed = (
        name in TRANSFORMS and isinstance(options, dict) and _misfits(TRANSFORMS[name], options)
        for name, options in _entries(case, "x-eval-transform")
    )
    plain = (
        bool(options) and name not in TRANSFORMS and name not in _registered(case)
        for name, options in _entries(case, "x-eval-transform")
    )
    return any(compared) or any(transformed) or any(plain)


def unusable(name: str, options: Mapping[str, Any]) -> bool:
    """Options that a comparator lacks, does not have, or cannot use."""
    if name == "exact":
        return bool(options)
    if name == "oneof":
        values = options.get("values")
        return set(options) != {"values"} or not isinstance(values, list) or not values
    if name != "numeric":
        return False
    tolerance = options.get("tolerance")
    if set(options) - {"tolerance"} or not options:
        return bool(options)
    if tolerance is None:
        return False
    limits = tolerance.values() if isinstance(tolerance, dict) else [None]
    good = all(one is None or (kind(one) == "number" and 0 <= one < float("inf")) for one in limits)
    given = isinstance(tolerance, dict) and set(tolerance) <= {"abs", "rel"} and any(one is not None for one in limits)
    return not (good and given)


def _misfits(wanted: Mapping[str, Callable[[Any], bool]], options: Mapping[str, Any]) -> bool:
    return options.keys() != wanted.keys() or not all(fits(options[name]) for name, fits in wanted.items())


def _unknown_x_eval_key(case: Case) -> bool:
    """A key that begins with x-eval- and is none of the four."""
    known = {"x-eval-compare", "x-eval-transform", "x-eval-skip", "x-eval-align"}
    return any(key.startswith("x-eval-") and key not in known for schema in schemas(case) for key in schema)


def _unclear_alignment(case: Case) -> bool:
    """An alignment with a key that it does not have, or without a word that says how items are paired."""
    for schema in schemas(case):
        align = schema.get("x-eval-align")
        if not isinstance(align, dict):
            continue
        how = align.get("match_by")
        if set(align) - {"ordered", "match_by", "key", "threshold"} or (how is None and not align.get("ordered")):
            return True
        threshold = align.get("threshold")
        if threshold is not None and not (kind(threshold) == "number" and 0 <= threshold <= 1):
            return True
    return False


def _unknown_type(case: Case) -> bool:
    """A type that JSON Schema does not know."""
    for schema in schemas(case):
        types = schema.get("type")
        names = types if isinstance(types, list) else [types]
        if schema.get("x-eval-skip") is not True and any(isinstance(name, str) and name not in TYPES for name in names):
            return True
    return False


def _properties_of_no_object(case: Case) -> bool:
    """Properties beside a type that is no object, or items that nothing compares beside one that is no list."""
    for schema in schemas(case):
        types = schema.get("type")
        names = {name for name in (types if isinstance(types, list) else [types]) if isinstance(name, str)} - {"null"}
        names = names - {"integer"} if "number" in names else names
        if types is None or len(names) > 1 or schema.get("x-eval-skip") is True:
            continue
        if schema.get("properties") and names != {"object"}:
            return True
        if isinstance(schema.get("items"), dict) and names != {"array"} and not _says_how(schema):
            return True
    return False


def _says_how(schema: Mapping[str, Any]) -> bool:
    return "x-eval-compare" in schema or bool(schema.get("properties"))


def _no_schema(case: Case) -> bool:
    """What should be a schema is none: the whole, or that of a property, which may be true or false too."""
    whole = case.settings.get("schema")
    properties = (one for schema in schemas(case) for one in _map(schema, "properties").values())
    return not isinstance(whole, dict) or any(not isinstance(one, (dict, bool)) for one in properties)


def _true_or_false(case: Case) -> bool:
    """The schema of a property is true or false."""
    return any(isinstance(one, bool) for schema in schemas(case) for one in _map(schema, "properties").values())


def _has(*keys: str) -> Callable[[Case], bool]:
    return lambda case: any(key in schema for schema in schemas(case) for key in keys)


def _reference_with_neighbours(case: Case) -> bool:
    """Something stands beside a $ref."""
    return any("$ref" in schema and len(schema.keys() - {"$defs", "definitions"}) > 1 for schema in schemas(case))


def _refers_to_itself(case: Case) -> bool:
    """A target of a $ref has the same $ref inside, or leads to it."""
    root = case.settings.get("schema")
    definitions = {**_map(root, "$defs"), **_map(root, "definitions")} if isinstance(root, dict) else {}
    for name in definitions:
        met, waiting = set(), [name]
        while waiting:
            for other in _named(definitions.get(waiting.pop())):
                if other == name:
                    return True
                if other not in met:
                    met.add(other)
                    waiting.append(other)
    return isinstance(root, dict) and any(schema.get("$ref") == "#" for schema in schemas(case))


def _map(root: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = root.get(key)
    return found if isinstance(found, dict) else {}


def _named(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str):
                yield value.rpartition("/")[2]
            else:
                yield from _named(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _named(value)


def _choice(case: Case, *keys: str) -> bool:
    """A choice of schemas, under one of the keywords."""
    return any(isinstance(schema.get(key), list) for schema in schemas(case) for key in keys)


def _property_called_choice(case: Case) -> bool:
    """A property that is called as a keyword with a list is."""
    names = ("anyOf", "allOf", "oneOf")
    return any(name in _map(schema, "properties") for schema in schemas(case) for name in names)


def _null_branch_with_more(case: Case) -> bool:
    """A branch that is null and says something else too."""
    branches = (one for schema in schemas(case) for one in schema.get("anyOf") or () if isinstance(schema["anyOf"], list))
    return any(isinstance(one, dict) and one.get("type") == "null" and len(one) > 1 for one in branches)


def _type_told_by_keywords(case: Case) -> bool:
    """A schema without a type, which properties, items, enum or const tell."""
    told = ("properties", "items", "enum", "const")
    return any("type" not in schema and any(key in schema for key in told) for schema in schemas(case))


def _comparator_of_ours(case: Case) -> bool:
    """A comparator that the other system lacks, and ours has."""
    named = {name for name, _ in _entries(case, "x-eval-compare")} - set(THEIRS) - _registered(case)
    return bool(named) and all(name in COMPARATORS for name in named)


def _transform_of_ours(case: Case) -> bool:
    """A transform that the other system lacks, and ours has."""
    ours = {"casefold", "strip_accents", "remove_punctuation", "regex_replace"}
    return any(name in ours for name, _ in _entries(case, "x-eval-transform"))


def _inside_what_is_not_compared(case: Case) -> bool:
    """Places without a comparator below something that is skipped, or compared as a whole."""
    outer = [schema for schema in schemas(case) if schema.get("x-eval-skip") is True or "x-eval-compare" in schema]
    return any(_map(schema, "properties") or isinstance(schema.get("items"), dict) for schema in outer)


def _whole_and_decimal(case: Case) -> bool:
    """A place with whole numbers first and other numbers later."""
    return _mixed(case.settings.get("values") or [])


def _mixed(values: list[Any]) -> bool:
    kinds = [type(value) for value in values if kind(value) == "number"]
    if kinds and kinds[0] is int and float in kinds:
        return True
    objects = [value for value in values if isinstance(value, dict)]
    keys = {key for value in objects for key in value}
    items = [item for value in values if isinstance(value, list) for item in value]
    return any(_mixed([value.get(key) for value in objects]) for key in keys) or (bool(items) and _mixed(items))


def _id_of_no_use(case: Case) -> bool:
    """An id that stands in two documents."""
    name = (case.settings.get("options") or {}).get("id_field")
    found = [one.get(name) for one in case.settings.get("gold") or () if isinstance(one, dict)]
    there = [one for one in found if isinstance(one, (str, int))]
    return name is not None and len(set(there)) < len(there)


def _skipped_without_a_type(case: Case) -> bool:
    """A place that is skipped and has no type."""
    return any(one.get("x-eval-skip") is True and "type" not in one for one in schemas(case))


def unknown_type_default(case: Case) -> bool:
    """A default is set for what is no JSON type."""
    return any(json_type not in DEFAULTED for json_type, _ in case.line.get("type_defaults", ()))


def _one_type_twice(case: Case) -> bool:
    """A list of types that comes to one: a type twice, or integer beside number."""
    for schema in schemas(case):
        types = schema.get("type")
        if isinstance(types, list):
            names = [name for name in types if name != "null"]
            if len(names) > 1 and len({"number" if name == "integer" else name for name in names}) == 1:
                return True
    return False


def _empty_items(case: Case) -> bool:
    """A list whose items are described by nothing."""
    return any(schema.get("items") == {} for schema in schemas(case))


def _several_keys(case: Case) -> bool:
    """Items that are paired by several keys at once."""
    aligns = (schema.get("x-eval-align") for schema in schemas(case))
    return any(isinstance(align, dict) and isinstance(align.get("key"), list) for align in aligns)


def _key_is_a_number(case: Case) -> bool:
    """The key by which items are paired is a number."""
    aligns = (schema.get("x-eval-align") for schema in schemas(case))
    return any(isinstance(align, dict) and kind(align.get("key")) == "number" for align in aligns)


def _ordered_beside_pairing(case: Case) -> bool:
    """An alignment is ordered, and says how items are paired as well."""
    aligns = (schema.get("x-eval-align") for schema in schemas(case))
    return any(isinstance(align, dict) and align.get("ordered") is True and align.get("match_by") for align in aligns)


def _alignment_of_ours(case: Case) -> bool:
    """Items are paired in a way that the other system lacks."""
    aligns = (schema.get("x-eval-align") for schema in schemas(case))
    return any(isinstance(align, dict) and align.get("match_by") in ("any_order", "ordered") for align in aligns)


def _keys_of_several_types(case: Case) -> bool:
    """Items are paired by a key, and may be something else than objects."""
    paired = (
        one for one in schemas(case) if isinstance(one.get("x-eval-align"), dict) and one["x-eval-align"].get("key")
    )
    items = (one["items"] for one in paired if isinstance(one.get("items"), dict))
    return any(isinstance(one.get("type"), list) and len(set(one["type"]) - {"null"}) > 1 for one in items)


def _options_left_empty(case: Case) -> bool:
    """A comparator or a transform has nothing where its options go."""
    named = (*_entries(case, "x-eval-compare"), *_entries(case, "x-eval-transform"))
    return any(options is None for _, options in named)


def _value_is(case: Case, asked: Any) -> bool:
    """The value that is transformed is of one of these kinds."""
    return kind(case.settings.get("value")) in (asked if isinstance(asked, list) else [asked])


def _params_outside(case: Case) -> bool:
    """Options of a transform that it cannot use."""
    return unusable_parameters(case.settings["name"], case.settings.get("params") or {})


def unusable_parameters(name: str, options: Mapping[str, Any]) -> bool:
    """Options that a transform lacks, does not have, or cannot use."""
    return _misfits(TRANSFORMS.get(name, {}), options)


PREDICATES: Final[Mapping[str, Callable[[Case], bool]]] = {
    "key_is_a_number": _key_is_a_number,
    "ordered_beside_pairing": _ordered_beside_pairing,
    "alignment_of_ours": _alignment_of_ours,
    "keys_of_several_types": _keys_of_several_types,
    "options_left_empty": _options_left_empty,
    "no_schema": _no_schema,
    "true_or_false_for_a_schema": _true_or_false,
    "unusable_options": _unusable_options,
    "unknown_x_eval_key": _unknown_x_eval_key,
    "unclear_alignment": _unclear_alignment,
    "unknown_type": _unknown_type,
    "properties_of_no_object": _properties_of_no_object,
    "reference_with_neighbours": _reference_with_neighbours,
    "refers_to_itself": _refers_to_itself,
    "all_of": _has("allOf"),
    "additional_properties": _has("additionalProperties"),
    "property_called_as_a_keyword": _property_called_choice,
    "null_branch_with_more": _null_branch_with_more,
    "type_told_by_keywords": _type_told_by_keywords,
    "comparator_of_ours": _comparator_of_ours,
    "transform_of_ours": _transform_of_ours,
    "inside_what_is_not_compared": _inside_what_is_not_compared,
    "whole_and_decimal_numbers": _whole_and_decimal,
    "id_twice": _id_of_no_use,
    "property_with_dots": lambda case: any("." in name for one in schemas(case) for name in _map(one, "properties")),
    "several_keys": _several_keys,
    "comparator_gives_a_number": lambda case: any(
        one.get("rule") == "returns_float" for one in case.line.get("register") or ()
    ),
    "key_like_a_place_in_a_list": lambda case: any(
        re.search(r"\[\d+\]$", name) for one in schemas(case) for name in _map(one, "properties")
    ),
    "skipped_without_a_type": _skipped_without_a_type,
    "one_type_twice": _one_type_twice,
    "unknown_type_default": unknown_type_default,
    "empty_items": _empty_items,
    "reference": _has("$ref"),
    "options_of_no_use": _params_outside,
}

ASKING: Final[Mapping[str, Callable[[Case, Any], bool]]] = {
    "value_is": _value_is,
    "choice": lambda case, asked: _choice(case, *(asked if isinstance(asked, list) else [asked])),
}
