"""A second reader of schemas: what our functions that give back a schema or a tree make of one, as short as it can be said.

    resolved(schema), annotated(schema, defaults), tree(schema), inferred(values), checked(gold, schema, options)

References are filled in, `allOf` is merged, choices of plain values become a list of types; then each place has its type, its
comparator and what stands below it. Whether an option is one that its comparator takes is not asked here.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.transforms import TransformError, chain_of_expected, parse_transform
from tests.conformance.values import kind

Schema: TypeAlias = dict[str, Any]
CHOICES: Final = ("anyOf", "oneOf")
MAPS: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
LISTS: Final = (*CHOICES, "allOf", "prefixItems")
SINGLES: Final = (
    "items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "contains", "propertyNames", "not",
    "if", "then", "else",
)  # fmt: skip
PLAIN: Final = ("string", "number", "integer", "boolean")
DESCRIBES: Final = {"type", "properties", "items", "$ref", "enum", "const", "allOf", *CHOICES}
DEFAULTS: Final[Mapping[str, Any]] = {"number": "numeric", "integer": "numeric"}
"""The comparator of a type; that of any other is `exact`."""
JUDGED: Final = ("semantic",)
"""Comparators that need a judge: none is needed where nothing is compared."""
LEVELS: Final = 6
"""So deep is a tree told that has no end."""


class RefusedError(Exception):
    """The schema is refused."""


# References, allOf and choices


def resolved(schema: Any) -> Schema:
    """The schema without references, but for those that lead back into themselves. Raises RefusedError for one that leads nowhere."""
    if not isinstance(schema, dict):
        raise RefusedError
    kept: dict[str, str] = {}
    found = _resolved(schema, schema, (), ("#",), kept)
    found.pop("$defs", None)
    if "definitions" in schema:
        found["definitions"] = schema["definitions"]
    targets: Schema = {}
    while waiting := [reference for reference, name in kept.items() if name not in targets]:
        targets |= {kept[one]: _resolved(_target(schema, one), schema, (one,), (one,), kept) for one in waiting}
    return {**found, "$defs": targets} if targets else found


def _resolved(schema: Any, root: Schema, inside: tuple[str, ...], here: tuple[str, ...], kept: dict[str, str]) -> Any:
    """A schema resolved. `inside` are the references that are filled in, and `here` those that are about this very value."""
    if not isinstance(schema, dict):
        return schema

    def below(value: Any) -> Any:
        return _resolved(value, root, inside, (), kept)

    own: Schema = {}
    for key, value in schema.items():
        if schema is root and key in ("$defs", "definitions"):
            continue
        if key in MAPS and isinstance(value, dict):
            own[key] = {name: below(inner) for name, inner in value.items()}
        elif key in SINGLES:
            own[key] = below(value)
        elif key not in ("$ref", *LISTS):
            own[key] = value
        elif key == "prefixItems":
            own[key] = [below(inner) for inner in value] if isinstance(value, list) else value
    for branch in _list(schema, "allOf"):
        merge(own, _resolved(branch, root, inside, here, kept))
    for key in CHOICES:
        if isinstance(schema.get(key), list):
            _choose(own, key, [below(branch) for branch in schema[key]])
        elif key in schema:
            own[key] = schema[key]
    if "$ref" in schema:
        reference = schema["$ref"]
        if reference in here or not isinstance(reference, str):
            raise RefusedError
        if reference in inside or reference == "#":
            own["$ref"] = reference if reference == "#" else f"#/$defs/{_kept(reference, kept)}"
        else:
            inner = _resolved(_target(root, reference), root, (*inside, reference), (*here, reference), kept)
            merge(own, inner)
    return own


def _kept(reference: str, kept: dict[str, str]) -> str:
    """The name under which the target of a reference stays, of its own."""
    stem, number = reference.rpartition("/")[2], 2
    if reference not in kept:
        name = stem
        while name in kept.values():
            name, number = f"{stem}_{number}", number + 1
        kept[reference] = name
    return kept[reference]


def _target(root: Schema, reference: str) -> Schema:
    found: Any = root
    for step in reference.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        else:
            found = found.get(step) if isinstance(found, dict) else None
    if not reference.startswith("#") or not isinstance(found, dict) or (reference != "#" and reference[1] != "/"):
        raise RefusedError
    return found


def _choose(own: Schema, key: str, branches: Sequence[Any]) -> None:
    """Null is taken away; one branch is the schema; plain values are a list of types; anything else stays a choice."""
    kept = [branch for branch in branches if not _null(branch)]
    if len(kept) == 1 and isinstance(kept[0], dict):
        for name in [name for name in own if name in kept[0] and not _of_evaluation(name)]:
            if not isinstance(own[name], dict):
                del own[name]
        merge(own, kept[0])
        return
    plain = [_plain_types(branch) for branch in kept]
    types = list(dict.fromkeys(name for names in plain for name in names))
    if types and all(plain):
        own["type"] = types[0] if len(types) == 1 else types
    else:
        own[key] = kept


def _null(branch: Any) -> bool:
    if not isinstance(branch, dict):
        return False
    values = branch.get("enum", [branch["const"]] if "const" in branch else None)
    return ("type" in branch and branch["type"] in ("null", None, ["null"])) or values == [None]


def _plain_types(branch: Any) -> list[str]:
    """The types of a branch that is a plain value and says nothing of comparing."""
    if not isinstance(branch, dict) or any(map(_of_evaluation, branch)):
        return []
    types = branch.get("type")
    named = [name for name in (types if isinstance(types, list) else [types]) if name != "null"]
    return named if all(name in PLAIN for name in named) else []


def _of_evaluation(key: str) -> bool:
    return key.startswith("x-eval-") or key == "evaluation_config"


def merge(first: Schema, second: Any) -> None:
    """Adds what another schema says of the same value; what both say is merged, or the first wins."""
    for key, value in second.items() if isinstance(second, dict) else ():
        mine = first.get(key)
        if key not in first:
            first[key] = copy.deepcopy(value)
        elif key == "required" and isinstance(mine, list) and isinstance(value, list):
            first[key] = [*mine, *(name for name in value if name not in mine)]
        elif key in MAPS and isinstance(mine, dict) and isinstance(value, dict):
            for name, inner in value.items():
                if isinstance(mine.setdefault(name, copy.deepcopy(inner)), dict):
                    merge(mine[name], inner)
        elif key in SINGLES and isinstance(mine, dict):
            merge(mine, value)


def _list(schema: Schema, key: str) -> list[Any]:
    found = schema.get(key)
    return found if isinstance(found, list) else []


def _map(schema: Schema, key: str) -> dict[str, Any]:
    found = schema.get(key)
    return found if isinstance(found, dict) else {}


# What a place is


def types_of(schema: Schema) -> list[str]:
    """The types of a place, null set aside: those that are named, or that other keywords tell."""
    named = schema.get("type")
    if isinstance(named, str):
        return [named]
    if isinstance(named, list):
        return list(dict.fromkeys(name for name in named if isinstance(name, str) and name != "null"))
    if isinstance(schema.get("properties"), dict):
        return ["object"]
    if isinstance(schema.get("items"), dict):
        return ["array"]
    values = _list(schema, "enum") or ([schema["const"]] if "const" in schema else [])
    return [name for name in dict.fromkeys(map(_type, values)) if name != "null"]


def _type(value: Any) -> str:
    names = {"number": "integer" if isinstance(value, int) else "number", "text": "string", "list": "array"}
    return names.get(kind(value), kind(value))


def one_type(schema: Schema) -> str | None:
    """The type, where there is one; whole numbers and numbers are numbers."""
    types = types_of(schema)
    return types[0] if len(types) == 1 else "number" if {*types} == {"number", "integer"} else None


def inside(schema: Schema) -> str | None:
    """`object` or `array`, where the place is looked into."""
    others = schema.get("additionalProperties")
    if one_type(schema) == "object":
        describes = isinstance(others, dict) and (DESCRIBES & others.keys() or "x-eval-" in str(others))
        declares = any(inner is not False for inner in _map(schema, "properties").values())
        return "object" if declares or describes else None
    return "array" if one_type(schema) == "array" and _map(schema, "items") else None


def branches_of(schema: Schema) -> list[Schema]:
    """The branches of a choice that describe a value."""
    each = ([one for one in _list(schema, key) if isinstance(one, dict) and DESCRIBES & one.keys()] for key in CHOICES)
    return next(filter(None, each), [])


def choice_of(schema: Schema) -> list[Schema]:
    """The branches of a place that is a choice, each with what stands beside the choice and is about all of them."""
    branches, own = branches_of(schema), DESCRIBES - {*CHOICES}
    if inside(schema) is not None and not any(map(inside, branches)):
        return []
    if own & schema.keys():
        shared = (own | {"required", "additionalProperties", "format", "nullable"}) & schema.keys()
        branches = copy.deepcopy(branches)
        for branch in branches:
            merge(branch, {key: schema[key] for key in shared if not (key == "type" and "$ref" in branch)})
    return branches


def annotated(schema: Any, defaults: Mapping[str, Any]) -> Any:
    """The schema in which every place that is compared as one value says how."""
    schema = copy.deepcopy(schema)
    _annotate(schema, {**DEFAULTS, **defaults})
    return schema


def _annotate(schema: Any, defaults: Mapping[str, Any]) -> None:
    if not isinstance(schema, dict):
        return
    below = inside(schema)
    each = [inner for key in ("$defs", "definitions") for inner in _map(schema, key).values()]
    each += [schema["items"]] if below == "array" else []
    if below == "object":
        each += [*_map(schema, "properties").values(), schema.get("additionalProperties") or None]
    branches = [one for key in ("allOf", *CHOICES) for one in _list(schema, key) if isinstance(one, dict)]
    each += [one for one in branches if inside(one) or (below is None and DESCRIBES & one.keys())]
    for one in each:
        _annotate(one, defaults)
    if (
        below is None
        and not branches_of(schema)
        and not {"x-eval-compare", "x-eval-skip", "$ref", "allOf"} & schema.keys()
    ):
        types = types_of(schema) if "type" in schema else []
        named = one_type(schema) or "multi" if types else ""
        schema["x-eval-compare"] = copy.deepcopy(defaults.get(named, "exact"))


# The tree


def tree(schema: Any) -> dict[str, Any]:
    """The places of a schema, as the harness tells a tree of ours."""
    root = resolved(schema)
    return _place(root, root, "", False, LEVELS)


def _place(schema: Any, root: Schema, path: str, idle: bool, levels: int) -> dict[str, Any]:
    """A place and what stands below it; an `idle` one is below what is skipped or compared as a whole."""
    if schema is True:
        return {"path": path, "type": "null", **({} if idle else {"comparator": "exact"})}
    schema = _whole(schema, root)
    branches, below, skipped = choice_of(schema), inside(schema), schema.get("x-eval-skip") is True
    idle = idle or skipped
    types = sorted(types_of(schema))
    told: dict[str, Any] = {"path": path, "type": types[0] if len(types) == 1 else "multi" if types else "null"}
    if "x-eval-compare" in schema and not (idle and _name(schema["x-eval-compare"]) in JUDGED):
        told["comparator"] = _name(schema["x-eval-compare"])
    if _list(schema, "x-eval-transform"):
        told["transforms"] = [_name(one) for one in schema["x-eval-transform"]]
    if skipped:
        told["skip"] = True
    align = _map(schema, "x-eval-align")
    if align and not align.get("ordered") and align.get("match_by") != "ordered":
        told["align"] = align["match_by"]
    whole = "comparator" in told
    if not (types or branches or skipped) or not (idle or whole or branches or below):
        raise RefusedError
    if branches or below is None:
        each = [] if whole else [(path, branch) for branch in branches]
    elif below == "array":
        each = [(f"{path}[]", schema["items"])]
    else:
        each = [(f"{path}.{key}" if path else key, inner) for key, inner in _map(schema, "properties").items()]
    if levels and (
        children := [_place(inner, root, at, idle or whole, levels - 1) for at, inner in each if inner is not False]
    ):
        told["children"] = children
    return told


def _name(entry: Any) -> str:
    if not isinstance(entry, str) and not (isinstance(entry, dict) and len(entry) == 1):
        raise RefusedError
    name = entry if isinstance(entry, str) else next(iter(entry))
    return {"oneof": "one_of"}.get(name, name)


# Schemas of values, and values of schemas


def inferred(values: Sequence[Any]) -> Schema:
    """The schema of what the values have in common. Raises RefusedError without any."""
    if not values:
        raise RefusedError
    present = [value for value in values if value is not None]
    types = [_type(value) for value in present] or ["string"]
    first = "number" if types[0] == "integer" and "number" in types else types[0]
    if first == "array":
        items = [item for value in present if isinstance(value, list) for item in value]
        return {"type": first, "items": inferred(items or [None])}
    if first != "object":
        return {"type": first}
    objects = [value for value in present if isinstance(value, dict)]
    keys = sorted({key for value in objects for key in value})
    return {"type": first, "properties": {key: inferred([value.get(key) for value in objects]) for key in keys}}


MISSING_KEY: Final = "schema-field-missing-in-gold"
WRONG_KIND: Final = "another kind than the schema says"


def checked(gold: Sequence[Any], schema: Any, options: Mapping[str, Any]) -> list[str] | None:
    """The warnings about expected documents; None where one of them is an error."""
    root, name = resolved(schema), options.get("id_field")
    ids = [value.get(name) if isinstance(value, dict) else None for value in gold] if name is not None else []
    usable = all(kind(one) == "text" or (kind(one) == "number" and isinstance(one, int)) for one in ids)
    twice = any(json_equal(one, other) for number, one in enumerate(ids) for other in ids[:number])
    found = [each for value in gold for each in _checked(value, root, root, options, name)]
    if not usable or twice or None in found:
        return None
    return sorted(one for one in found if one is not None)


def _checked(value: Any, schema: Any, root: Schema, options: Mapping[str, Any], name: str | None) -> Iterator[str | None]:
    """What is to be said of a value: a warning, or None for an error. A key called `name` needs no schema."""
    if value is None or schema is True:
        return
    schema = _whole(schema, root)
    branches, below, whole = choice_of(schema), inside(schema), "x-eval-compare" in schema
    wrong = None if options.get("strict_types") else WRONG_KIND
    if branches and not whole:
        each = [list(_checked(value, branch, root, options, name)) for branch in branches]
        yield from min(each, key=lambda found: (found.count(None), len(found)))
    elif below is None or whole:
        types = {*types_of(schema)}
        types |= {"number", "integer"} if types & {"number", "integer"} else set()
        several = len(types - {"number"}) > 1
        if types and _type(value) not in types and (several or options.get("strict_types")):
            yield wrong
        if not _readable(value, schema):
            yield None
    elif not isinstance(value, dict if below == "object" else list):
        yield wrong
    elif isinstance(value, list):
        for item in value:
            yield from _checked(item, schema["items"], root, options, None)
    else:
        known = {key: inner for key, inner in _map(schema, "properties").items() if inner is not False}
        for key, inner in known.items():
            if key in value:
                yield from _checked(value[key], inner, root, options, None)
            elif options.get("warn_missing", True):
                yield MISSING_KEY
        for key in value.keys() - known.keys() - {name}:
            others = schema.get("additionalProperties")
            if isinstance(others, dict) and others:
                yield from _checked(value[key], others, root, options, None)
            else:
                yield None


def _whole(schema: Any, root: Schema) -> Schema:
    """A schema with what its references lead to. Raises RefusedError for one that leads to itself, and for what is no schema."""
    if not isinstance(schema, dict):
        raise RefusedError
    met: list[Any] = []
    while (reference := schema.get("$ref")) is not None:
        if reference in met:
            raise RefusedError
        met.append(reference)
        target = root if reference == "#" else root["$defs"][reference.removeprefix("#/$defs/")]
        schema = {key: copy.deepcopy(value) for key, value in schema.items() if key != "$ref"}
        merge(schema, target)
    return schema


def _readable(value: Any, schema: Schema) -> bool:
    """The transforms of a place can change an expected value, or leave it as it is. Raises RefusedError for one that is unknown."""
    try:
        change = chain_of_expected([parse_transform(one) for one in _list(schema, "x-eval-transform")])
    except ValueError as error:
        raise RefusedError from error
    try:
        _ = change and change(value)
    except TransformError:
        return False
    return True
