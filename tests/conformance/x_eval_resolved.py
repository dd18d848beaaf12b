"""A schema of struct-extract-eval without references, `true` and `false`, and what it describes: short, and apart from the
package's own reading of schemas."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any, Final

from tests.conformance.values import kind

SCALARS: Final = {"string", "number", "integer", "boolean"}
NESTED: Final = ("items", "additionalProperties")
ANYTHING: Final[dict[str, Any]] = {"x-eval-compare": "exact"}
"""What `true` stands for."""
CHOICES: Final = ("anyOf", "oneOf")
SHARED: Final = ("type", "properties", "items", "enum", "const", "required", "additionalProperties")
SAYS: Final = frozenset({"type", "properties", "items", "$ref", "enum", "const", "allOf", *CHOICES})
VALUES: Final = ("enum", "const", "default", "examples", "x-eval-compare", "x-eval-transform", "x-eval-align")
"""Keywords whose value is no schema."""


def json_type(value: Any) -> str:
    """The type of a value in JSON Schema's words."""
    words = {"number": "integer" if isinstance(value, int) else "number", "text": "string", "list": "array"}
    return words.get(kind(value), kind(value))


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


# What stands below


def looked_into(schema: Mapping[str, Any]) -> str | None:
    """`object` or `array` for a schema that describes what stands below it."""
    one = only_type(schema)
    if one == "object" and (schema.get("properties") or further(schema)):
        return "object"
    return "array" if one == "array" and isinstance(schema.get("items"), dict) and schema["items"] else None


def further(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema of keys that are not declared; None where there is none to compare them by."""
    others = schema.get("additionalProperties")
    return others if isinstance(others, dict) and (SAYS & others.keys() or "x-eval-" in json.dumps(others)) else None


def branches_of(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a value may be, as schemas of their own; empty where it is one thing."""
    key = next((key for key in CHOICES if isinstance(schema.get(key), list)), "")
    listed = [one for one in schema.get(key, ()) if isinstance(one, dict) and SAYS & one.keys()]
    if looked_into(schema) and not any(map(looked_into, listed)):
        return []
    shared = {word: schema[word] for word in SHARED if word in schema}
    return [{**shared, **one} for one in listed]


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """The types of a schema, null set aside; those of its values where it names none."""
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return [name for name in dict.fromkeys(types) if name != "null"]
    values = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    told = [json_type(value) for value in values]
    return [name for name in dict.fromkeys(told) if name != "null"] or [one for one in [only_type(schema)] if one]


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


# What is no map


def described(schema: Any) -> Any:
    """The schema with every `true` of a property written out, any value compared as a whole, and without what is false."""
    if isinstance(schema, list):
        return [described(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: value if key in VALUES else described(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict):
        there = {key: one for key, one in found["properties"].items() if one is not False}
        found["properties"] = {key: ANYTHING if one is True else one for key, one in there.items()}
    return found
