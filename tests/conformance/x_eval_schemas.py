"""What the schema of a recorded case of struct-extract-eval is like: predicates for `divergences.yaml`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.fields.schema_keywords import DEFAULTED
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


def alignments(case: Case) -> Iterator[Mapping[str, Any]]:
    """What each schema of the case says of how the items of its list are paired."""
    return (_map(schema, "x-eval-align") for schema in schemas(case) if isinstance(schema.get("x-eval-align"), dict))


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
    return {entry.get("name") for entry in case.settings.get("register") or ()}


def unusable_options(case: Case) -> bool:
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


def _types(schema: Mapping[str, Any]) -> list[Any]:
    """The types of a schema, as a list."""
    types = schema.get("type")
    return types if isinstance(types, list) else [types]


def unknown_x_eval_key(schema: Mapping[str, Any]) -> bool:
    """A key that begins with x-eval- and is none of the four."""
    known = {"x-eval-compare", "x-eval-transform", "x-eval-skip", "x-eval-align"}
    return any(key.startswith("x-eval-") and key not in known for key in schema)


def unclear_alignment(align: Mapping[str, Any]) -> bool:
    """An alignment with a key that it does not have, or without a word that says how items are paired."""
    threshold = align.get("threshold")
    usable = threshold is None or (kind(threshold) == "number" and 0 <= threshold <= 1)
    says = align.get("match_by") is not None or bool(align.get("ordered"))
    return not (align.keys() <= {"ordered", "match_by", "key", "threshold"} and says and usable)


def unknown_type(schema: Mapping[str, Any]) -> bool:
    """A type that JSON Schema does not know."""
    unknown = any(isinstance(name, str) and name not in TYPES for name in _types(schema))
    return unknown and schema.get("x-eval-skip") is not True


def properties_of_no_object(schema: Mapping[str, Any]) -> bool:
    """Properties beside a type that is no object, or items that nothing compares beside one that is no list."""
    names = {name for name in _types(schema) if isinstance(name, str)} - {"null"}
    names = names - {"integer"} if "number" in names else names
    if schema.get("type") is None or len(names) > 1 or schema.get("x-eval-skip") is True:
        return False
    if schema.get("properties") and names != {"object"}:
        return True
    return isinstance(schema.get("items"), dict) and names != {"array"} and not _says_how(schema)


def _says_how(schema: Mapping[str, Any]) -> bool:
    return "x-eval-compare" in schema or bool(schema.get("properties"))


def no_schema(case: Case) -> bool:
    """What should be a schema is none: the whole, or that of a property, which may be true or false too."""
    whole = case.settings.get("schema")
    properties = (one for schema in schemas(case) for one in _map(schema, "properties").values())
    return not isinstance(whole, dict) or any(not isinstance(one, (dict, bool)) for one in properties)


def true_or_false_for_a_schema(schema: Mapping[str, Any]) -> bool:
    """The schema of a property is true or false."""
    return any(isinstance(one, bool) for one in _map(schema, "properties").values())


def has(schema: Mapping[str, Any], key: str) -> bool:
    """A schema has this keyword."""
    return key in schema


def reference_with_neighbours(schema: Mapping[str, Any]) -> bool:
    """Something stands beside a $ref."""
    return "$ref" in schema and len(schema.keys() - {"$defs", "definitions"}) > 1


def refers_to_itself(case: Case) -> bool:
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


def choice(schema: Mapping[str, Any], keys: Any) -> bool:
    """A choice of schemas, under one of the keywords."""
    return any(isinstance(schema.get(key), list) for key in ([keys] if isinstance(keys, str) else keys))


def property_called_as_a_keyword(schema: Mapping[str, Any]) -> bool:
    """A property that is called as a keyword with a list is."""
    return not _map(schema, "properties").keys().isdisjoint(("anyOf", "allOf", "oneOf"))


def null_branch_with_more(schema: Mapping[str, Any]) -> bool:
    """A branch that is null and says something else too."""
    branches = schema.get("anyOf") if isinstance(schema.get("anyOf"), list) else None
    return any(isinstance(one, dict) and one.get("type") == "null" and len(one) > 1 for one in branches or ())


def type_told_by_keywords(schema: Mapping[str, Any]) -> bool:
    """A schema without a type, which properties, items, enum or const tell."""
    return "type" not in schema and any(key in schema for key in ("properties", "items", "enum", "const"))


def comparator_of_ours(case: Case) -> bool:
    """A comparator that the other system lacks, and ours has."""
    named = {name for name, _ in _entries(case, "x-eval-compare")} - set(THEIRS) - _registered(case)
    return bool(named) and all(name in COMPARATORS for name in named)


def transform_of_ours(case: Case) -> bool:
    """A transform that the other system lacks, and ours has."""
    ours = {"casefold", "strip_accents", "remove_punctuation", "regex_replace"}
    return any(name in ours for name, _ in _entries(case, "x-eval-transform"))


def inside_what_is_not_compared(schema: Mapping[str, Any]) -> bool:
    """Places without a comparator below something that is skipped, or compared as a whole."""
    outer = schema.get("x-eval-skip") is True or "x-eval-compare" in schema
    return outer and (bool(_map(schema, "properties")) or isinstance(schema.get("items"), dict))


def whole_and_decimal_numbers(case: Case) -> bool:
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


def id_twice(case: Case) -> bool:
    """An id that stands in two documents."""
    name = (case.settings.get("options") or {}).get("id_field")
    found = [one.get(name) for one in case.settings.get("gold") or () if isinstance(one, dict)]
    there = [one for one in found if isinstance(one, (str, int))]
    return name is not None and len(set(there)) < len(there)


def skipped_without_a_type(schema: Mapping[str, Any]) -> bool:
    """A place that is skipped and has no type."""
    return schema.get("x-eval-skip") is True and "type" not in schema


def unknown_type_default(case: Case) -> bool:
    """A default is set for what is no JSON type."""
    return any(json_type not in DEFAULTED for json_type, _ in case.line.get("type_defaults", ()))


def one_type_twice(schema: Mapping[str, Any]) -> bool:
    """A list of types that comes to one: a type twice, or integer beside number."""
    types = schema.get("type")
    names = [name for name in types if name != "null"] if isinstance(types, list) else []
    return len(names) > 1 and len({"number" if name == "integer" else name for name in names}) == 1


def empty_items(schema: Mapping[str, Any]) -> bool:
    """A list whose items are described by nothing."""
    return schema.get("items") == {}


def several_keys(align: Mapping[str, Any]) -> bool:
    """Items that are paired by several keys at once."""
    return isinstance(align.get("key"), list)


def key_is_a_number(align: Mapping[str, Any]) -> bool:
    """The key by which items are paired is a number."""
    return kind(align.get("key")) == "number"


def ordered_beside_pairing(align: Mapping[str, Any]) -> bool:
    """An alignment is ordered, and says how items are paired as well."""
    return align.get("ordered") is True and bool(align.get("match_by"))


def alignment_of_ours(align: Mapping[str, Any]) -> bool:
    """Items are paired in a way that the other system lacks."""
    return align.get("match_by") in ("any_order", "ordered")


def keys_of_several_types(schema: Mapping[str, Any]) -> bool:
    """Items are paired by a key, and may be something else than objects."""
    types = _map(schema, "items").get("type")
    several = isinstance(types, list) and len(set(types) - {"null"}) > 1
    return several and bool(_map(schema, "x-eval-align").get("key"))


def options_left_empty(case: Case) -> bool:
    """A comparator or a transform has nothing where its options go."""
    named = (*_entries(case, "x-eval-compare"), *_entries(case, "x-eval-transform"))
    return any(options is None for _, options in named)


def value_is(case: Case, asked: Any) -> bool:
    """The value that is transformed is of one of these kinds."""
    return kind(case.settings.get("value")) in (asked if isinstance(asked, list) else [asked])


def options_of_no_use(case: Case) -> bool:
    """Options of a transform that it cannot use."""
    return unusable_parameters(case.settings["name"], case.settings.get("params") or {})


def unusable_parameters(name: str, options: Mapping[str, Any]) -> bool:
    """Options that a transform lacks, does not have, or cannot use."""
    return _misfits(TRANSFORMS.get(name, {}), options)


def property_with_dots(schema: Mapping[str, Any]) -> bool:
    """A property with a dot in its name."""
    return any("." in name for name in _map(schema, "properties"))


def key_like_a_place_in_a_list(schema: Mapping[str, Any]) -> bool:
    """A property whose name ends as a place in a list does."""
    return any(re.search(r"\[\d+\]$", name) for name in _map(schema, "properties"))


def comparator_gives_a_number(case: Case) -> bool:
    """A comparator of the case's own gives a number."""
    return any(one.get("rule") == "returns_float" for one in case.line.get("register") or ())
