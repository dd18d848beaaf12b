"""What the functions on schemas return, worked out a second time: short, and apart from the package's own."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from tests.conformance.cases import Answer, Case
from tests.conformance.values import kind
from tests.conformance.x_eval_cases import MISSING_KEY, WRONG_KIND
from tests.conformance.x_eval_schemas import refused, unusable_parameters

CONFIG: Final = Answer(blame="config")
SCALARS: Final = {"string", "number", "integer", "boolean"}
NESTED: Final = ("items", "additionalProperties")
BY_TYPE: Final = {"number": "numeric", "integer": "numeric"}


# Schemas made of values


def inferred(values: Sequence[Any]) -> dict[str, Any]:
    """The first type at each place; whole numbers beside others are numbers."""
    there = [value for value in values if value is not None]
    names = [json_type(value) for value in there]
    first = names[0] if names else "string"
    if first == "object":
        objects = [value for value in there if isinstance(value, dict)]
        keys = sorted({key for value in objects for key in value})
        return {"type": first, "properties": {key: inferred([one.get(key) for one in objects]) for key in keys}}
    if first == "array":
        return {"type": first, "items": inferred([item for value in there if isinstance(value, list) for item in value])}
    return {"type": "number" if first == "integer" and "number" in names else first}


def json_type(value: Any) -> str:
    """The type of a value in JSON Schema's words."""
    words = {"number": "integer" if isinstance(value, int) else "number", "text": "string", "list": "array"}
    return words.get(kind(value), kind(value))


# Comparators by type


def annotated(schema: Any, defaults: Mapping[str, Any]) -> Any:
    """The schema with a comparator at every place that is compared as a whole and names none."""
    if not isinstance(schema, dict):
        return schema
    schema = dict(schema)
    below = inside(schema)
    if isinstance(schema.get("$defs"), dict):
        schema["$defs"] = {name: annotated(one, defaults) for name, one in schema["$defs"].items()}
    if below == "object":
        schema["properties"] = {name: annotated(one, defaults) for name, one in schema["properties"].items()}
        if schema.get("additionalProperties"):
            schema["additionalProperties"] = annotated(schema["additionalProperties"], defaults)
    if below == "array":
        schema["items"] = annotated(schema["items"], defaults)
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            below = below or "choice"
            schema[key] = [annotated(one, defaults) for one in schema[key]]
    if below is None and not {"x-eval-compare", "x-eval-skip", "$ref"} & schema.keys():
        one = only_type(schema) if "type" in schema else None
        schema["x-eval-compare"] = defaults.get(one or "", BY_TYPE.get(one or "", "exact"))
    return schema


def inside(schema: Mapping[str, Any]) -> str | None:
    """`object` or `array` for a schema that describes what stands below it."""
    one = only_type(schema)
    if one == "object" and schema.get("properties"):
        return "object"
    return "array" if one == "array" and isinstance(schema.get("items"), dict) and schema["items"] else None


def only_type(schema: Mapping[str, Any]) -> str | None:
    """The one type of a schema, null set aside; None for several."""
    if "type" not in schema:
        return "object" if "properties" in schema else "array" if isinstance(schema.get("items"), dict) else None
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    names = [name for name in dict.fromkeys(types) if name != "null" or schema["type"] == "null"]
    return "number" if set(names) == {"integer", "number"} else names[0] if len(names) == 1 else None


# References


def resolved(root: Mapping[str, Any]) -> dict[str, Any]:
    """A schema without references. One that refers to itself keeps `$defs`."""
    kept: dict[str, str] = {}
    found: dict[str, Any] = _filled(root, root, (), kept)
    found.pop("$defs", None)
    done: dict[str, Any] = {}
    while waiting := kept.keys() - done.keys():
        for reference in waiting:
            done[reference] = _filled(_target(root, reference), root, (reference,), kept)
    if done:
        found["$defs"] = {kept[reference]: one for reference, one in done.items()}
    return found


def _filled(schema: Any, root: Mapping[str, Any], path: tuple[str, ...], kept: dict[str, str]) -> Any:
    """One schema with its references filled in; what is no schema stays."""
    if not isinstance(schema, dict):
        return schema
    own = {key: copy.deepcopy(value) for key, value in schema.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")}
    for key in ("properties", "$defs", "definitions"):
        if isinstance(own.get(key), dict) and not (key == "$defs" and schema is root):
            own[key] = {name: _filled(one, root, path, kept) for name, one in own[key].items()}
    for key in NESTED:
        own.update({key: _filled(own[key], root, path, kept)} if key in own else {})
    for one in schema.get("allOf") or ():
        _add(own, _filled(one, root, path, kept))
    for key in ("anyOf", "oneOf"):
        if key in schema:
            _choose(own, key, [_filled(one, root, path, kept) for one in schema[key]])
    reference = schema.get("$ref")
    if reference in path or reference == "#":
        kept.setdefault(str(reference), str(reference).rpartition("/")[2])
        own["$ref"] = f"#/$defs/{kept[str(reference)]}" if reference != "#" else "#"
        if reference == "#":
            kept.pop("#")
    elif reference is not None:
        _add(own, _filled(_target(root, reference), root, (*path, reference), kept))
    return own


def _target(root: Mapping[str, Any], reference: str) -> Any:
    found: Any = root
    for step in reference.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        found = found[int(name)] if isinstance(found, list) else found[name]
    return found


def _choose(own: dict[str, Any], key: str, branches: list[Any]) -> None:
    there = [one for one in branches if one.get("type", 0) not in ("null", None, ["null"])]
    if len(there) == 1:
        for word in there[0].keys() & own.keys():
            if not word.startswith("x-eval-") and not isinstance(own[word], dict):
                del own[word]
        _add(own, there[0])
        return
    types = [one.get("type") for one in there]
    names = [name for one in types for name in (one if isinstance(one, list) else [one]) if name != "null"]
    plain = all(isinstance(name, str) and name in SCALARS for name in names) and len(names) >= len(there) > 0
    if plain and not any(word.startswith("x-eval-") for one in there for word in one):
        names = list(dict.fromkeys(names))
        own["type"] = names[0] if len(names) == 1 else names
    else:
        own[key] = there


def _add(own: dict[str, Any], other: Mapping[str, Any]) -> None:
    """What two schemas say of the same value: the first wins, maps are put together."""
    for key, value in other.items():
        if key not in own:
            own[key] = value
        elif key == "required":
            own[key] = list(dict.fromkeys([*own[key], *value]))
        elif key == "properties":
            for name, one in value.items():
                if name in own[key]:
                    _add(own[key][name], one)
                else:
                    own[key][name] = one
        elif key in NESTED and isinstance(own[key], dict) and isinstance(value, dict):
            _add(own[key], value)


# Trees


def tree(schema: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """The tree of an annotated schema, as `x_eval_cases.tree_of` prints one."""
    types = _types(schema)
    branches = next((schema[key] for key in ("anyOf", "oneOf") if isinstance(schema.get(key), list)), None)
    told: dict[str, Any] = {"path": path, "type": types[0] if len(types) == 1 else "multi" if types else "null"}
    entry = schema.get("x-eval-compare")
    if entry is not None:
        name = entry if isinstance(entry, str) else next(iter(entry))
        told["comparator"] = {"oneof": "one_of"}.get(name, name)
    if schema.get("x-eval-transform"):
        told["transforms"] = [one if isinstance(one, str) else next(iter(one)) for one in schema["x-eval-transform"]]
    if schema.get("x-eval-skip"):
        told["skip"] = True
    align = schema.get("x-eval-align") or {}
    if align.get("match_by") and not align.get("ordered"):
        told["align"] = align["match_by"]
    below: list[dict[str, Any]] = []
    if branches and entry is None:
        told["type"] = "null"
        below = [tree(one, path) for one in branches]
    elif inside(schema) == "object":
        names = schema["properties"].items()
        below = [tree(one, f"{path}.{name}" if path else name) for name, one in names]
    elif inside(schema) == "array":
        below = [tree(schema["items"], f"{path}[]")]
    return {**told, "children": below} if below else told


def _types(schema: Mapping[str, Any]) -> list[str]:
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return [name for name in dict.fromkeys(types) if name != "null"]
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    told = [json_type(value) for value in values]
    return [name for name in dict.fromkeys(told) if name != "null"] or [one for one in [only_type(schema)] if one]


# Cases


def _defaults(case: Case) -> dict[str, Any]:
    return dict(case.line.get("type_defaults", ()))


def _infer(case: Case) -> Answer:
    return Answer(value=inferred(case.settings["values"])) if case.settings["values"] else CONFIG


def _infer_annotate(case: Case) -> Answer:
    return Answer(value=annotated(inferred(case.settings["values"]), _defaults(case)))


def _resolve(case: Case) -> Answer:
    schema = case.settings["schema"]
    try:
        return Answer(value=resolved(schema)) if isinstance(schema, dict) else CONFIG
    except (KeyError, IndexError, ValueError):
        return CONFIG


def _resolve_tree(case: Case) -> Answer:
    return Answer(value=tree(annotated(resolved(case.settings["schema"]), _defaults(case))))


def _parse(case: Case) -> Answer:
    return CONFIG if refused(case) else Answer(value=tree(case.settings["schema"]))


# Values


def _transform(case: Case) -> Answer:
    """A value changed, or a problem of the output: nothing is guessed."""
    given = case.settings
    if unusable_parameters(given["name"], given.get("params") or {}):
        return CONFIG
    try:
        return Answer(value=_changed(given["name"], given.get("params") or {}, given["value"]))
    except (ValueError, TypeError, OverflowError, KeyError):
        return Answer(blame="output")


def _changed(name: str, params: Mapping[str, Any], value: Any) -> Any:
    if value is None:
        return None
    if name == "round_digits":
        if kind(value) != "number":
            raise TypeError(value)
        return round(value, params["digits"])
    if name == "type_convert":
        return CONVERTED[params["to"]](value)
    if not isinstance(value, str):
        raise TypeError(value)
    words = " ".join(sorted(value.split()) if name == "sort_tokens" else value.split())
    return {"lowercase": value.lower(), "strip": value.strip()}.get(name, words)


def _text(value: Any) -> str:
    if isinstance(value, (dict, list)):
        raise TypeError(value)
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def _truth(value: Any) -> bool:
    if isinstance(value, str):
        return {"true": True, "1": True, "false": False, "0": False}[value.strip().lower()]
    if kind(value) == "boolean" or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise TypeError(value)


CONVERTED: Final[Mapping[str, Callable[[Any], Any]]] = {"float": _number, "int": int, "str": _text, "bool": _truth}


# Expected documents


def _validate(case: Case) -> Answer:
    """Every error with its place, or else every warning."""
    given, options = case.settings, case.settings.get("options") or {}
    if refused(case):
        return CONFIG
    errors: list[str] = []
    warnings: list[str] = []
    ids: list[Any] = []
    name = options.get("id_field")
    for document in given["gold"]:
        if name is not None:
            found = document.get(name) if isinstance(document, dict) else None
            if not isinstance(found, (str, int)) or isinstance(found, bool) or found in ids:
                errors.append(name)
            ids.append(found)
        for place, what in _findings(document, given["schema"], options, ""):
            (errors if what == "error" else warnings).append(place if what == "error" else what)
    warnings = [one for one in warnings if options.get("warn_missing", True) or one != MISSING_KEY]
    return Answer(blame="testset", value=errors) if errors else Answer(value=sorted(warnings))


def _findings(value: Any, schema: Mapping[str, Any], options: Mapping[str, Any], place: str) -> Iterator[tuple[str, str]]:
    below = inside(schema) if "x-eval-compare" not in schema else None
    if value is None:
        return
    strict = "error" if options.get("strict_types") else WRONG_KIND
    if below is None:
        types = _types(schema)
        numbers = {"integer", "number"}
        fits = not types or json_type(value) in types or (kind(value) == "number" and numbers & set(types))
        if not fits and (options.get("strict_types") or len({"number" if one in numbers else one for one in types}) > 1):
            yield place, strict
    elif not isinstance(value, {"object": dict, "array": list}[below]):
        yield place, strict
    elif below == "array":
        for item in value:
            yield from _findings(item, schema["items"], options, f"{place}[]")
    else:
        for key, inner in schema["properties"].items():
            here = f"{place}.{key}" if place else key
            yield from _findings(value[key], inner, options, here) if key in value else [(here, MISSING_KEY)]
        for key in value:
            if key in schema["properties"]:
                continue
            if place or key != options.get("id_field"):
                yield (f"{place}.{key}" if place else key), "error"


TYPES: Final[Mapping[str, Callable[[Case], Answer]]] = {
    "infer_schema": _infer,
    "infer_annotate": _infer_annotate,
    "annotate_xeval": lambda case: Answer(value=annotated(case.settings["schema"], _defaults(case))),
    "resolve_schema_references": _resolve,
    "resolve_annotate_parse": _resolve_tree,
    "parse_eval_schema": _parse,
    "transform": _transform,
    "validate_gold": _validate,
}
