"""What the functions on schemas return, worked out a second time: short, and apart from the package's own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from evaluators.values.transforms import TRANSFORMS
from tests.conformance.cases import Answer, Case
from tests.conformance.values import kind
from tests.conformance.x_eval_cases import MISSING_KEY, WRONG_KIND
from tests.conformance.x_eval_refused import refused
from tests.conformance.x_eval_resolved import described, further, inside, json_type, only_type, resolved, types_of
from tests.conformance.x_eval_schemas import unknown_type_default, unusable_parameters

CONFIG: Final = Answer(blame="config")
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
    if only_type(schema) == "object" and schema.get("additionalProperties") and (below or further(schema)):
        below = "object"
        schema["additionalProperties"] = annotated(schema["additionalProperties"], defaults)
    if below == "array":
        schema["items"] = annotated(schema["items"], defaults)
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            below = below or "choice"
            schema[key] = [annotated(one, defaults) for one in schema[key]]
    if below is None and not {"x-eval-compare", "x-eval-skip", "$ref"} & schema.keys():
        one = only_type(schema) or ("multi" if types_of(schema) else "") if "type" in schema else ""
        schema["x-eval-compare"] = defaults.get(one, BY_TYPE.get(one, "exact"))
    return schema


# Trees


def tree(schema: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """The tree of an annotated schema, as `x_eval_cases.tree_of` prints one."""
    types = types_of(schema)
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


# Cases


def _defaults(case: Case) -> dict[str, Any]:
    return dict(case.line.get("type_defaults", ()))


def _infer(case: Case) -> Answer:
    return Answer(value=inferred(case.settings["values"])) if case.settings["values"] else CONFIG


def _annotate(case: Case) -> Answer:
    return CONFIG if unknown_type_default(case) else Answer(value=annotated(case.settings["schema"], _defaults(case)))


def _infer_annotate(case: Case) -> Answer:
    return Answer(value=annotated(inferred(case.settings["values"]), _defaults(case)))


def _resolve(case: Case) -> Answer:
    schema = case.settings["schema"]
    try:
        return Answer(value=resolved(schema)) if isinstance(schema, dict) else CONFIG
    except (KeyError, IndexError, ValueError):
        return CONFIG


def _resolve_tree(case: Case) -> Answer:
    return Answer(value=tree(described(annotated(resolved(case.settings["schema"]), _defaults(case)))))


def _parse(case: Case) -> Answer:
    return CONFIG if refused(case) else Answer(value=tree(described(resolved(case.settings["schema"]))))


# Values


def _transform(case: Case) -> Answer:
    """A value changed, or a problem of the output: nothing is guessed."""
    given = case.settings
    if given["name"] not in TRANSFORMS or unusable_parameters(given["name"], given.get("params") or {}):
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
    schema = described(given["schema"])
    name = options.get("id_field")
    for document in given["gold"]:
        if name is not None:
            found = document.get(name) if isinstance(document, dict) else None
            if not isinstance(found, (str, int)) or isinstance(found, bool) or found in ids:
                errors.append(name)
            ids.append(found)
        for place, what in _findings(document, schema, options, ""):
            (errors if what == "error" else warnings).append(place if what == "error" else what)
    warnings = [one for one in warnings if options.get("warn_missing", True) or one != MISSING_KEY]
    return Answer(blame="testset", value=errors) if errors else Answer(value=sorted(warnings))


def _findings(value: Any, schema: Mapping[str, Any], options: Mapping[str, Any], place: str) -> Iterator[tuple[str, str]]:
    below = inside(schema) if "x-eval-compare" not in schema else None
    if value is None:
        return
    strict = "error" if options.get("strict_types") else WRONG_KIND
    if below is None:
        types = types_of(schema)
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
    "annotate_xeval": _annotate,
    "resolve_schema_references": _resolve,
    "resolve_annotate_parse": _resolve_tree,
    "parse_eval_schema": _parse,
    "transform": _transform,
    "validate_gold": _validate,
}
