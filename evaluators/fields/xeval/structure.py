"""What a JSON Schema describes: its types, and what stands below it.

A schema is a leaf, an object with keys (declared ones, or any keys whose values are described), an array with items, or a
choice of branches. A schema of several types, a list of schemas for the items, or an object of which nothing is said is a
leaf: it is compared as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from evaluators.fields.metrics import SEVERAL
from evaluators.fields.references import CHOICES
from evaluators.value_class import NamedTuple

PREFIX: Final = "x-eval-"
KNOWN_TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")
SAYS_TYPE: Final = frozenset({"type", "properties", "items", "$ref", "enum", "const", "allOf", *CHOICES})
"""Keywords that describe a value; the others only restrict it."""


class Types(NamedTuple):
    """The types of a schema, null set aside."""

    names: tuple[str, ...]
    nullable: bool

    @property
    def one(self) -> str | None:
        """The type, when there is one. Whole numbers and numbers together are numbers."""
        if len(self.names) == 1:
            return self.names[0]
        return "number" if set(self.names) == {"integer", "number"} else None

    @property
    def defaulted(self) -> str:
        """The type whose default comparator holds; "multi" where there are several, and nothing where there is none."""
        return self.one or (SEVERAL if self.names else "")


def types_of(schema: Mapping[str, Any]) -> Types:
    """The types that a schema names, or that its keywords tell."""
    found = schema.get("type")
    if isinstance(found, str):
        return Types((found,), found == "null")
    if isinstance(found, list):
        names = dict.fromkeys(name for name in found if isinstance(name, str) and name != "null")
        return Types(tuple(names), "null" in found)
    if isinstance(schema.get("properties"), Mapping):
        return Types(("object",), False)
    if isinstance(schema.get("items"), Mapping):
        return Types(("array",), False)
    values = schema["enum"] if isinstance(schema.get("enum"), list) else [schema["const"]] if "const" in schema else []
    told = dict.fromkeys(_type_of(value) for value in values)
    return Types(tuple(name for name in told if name != "null"), "null" in told)


def branches_of(schema: Mapping[str, Any]) -> tuple[str, list[int]]:
    """The keyword of a choice and the numbers of its branches that describe a value; empty without a choice.

    Branches that only restrict a schema which has a type of its own are none.
    """
    for key in CHOICES:
        found = schema.get(key)
        if isinstance(found, list):
            numbers = [
                index for index, branch in enumerate(found) if isinstance(branch, Mapping) and branch.keys() & SAYS_TYPE
            ]
            if numbers:
                return key, numbers
    return "", []


def looked_into(schema: Mapping[str, Any]) -> str | None:
    """`object` or `array` when the schema describes what stands below it, else None."""
    kind = types_of(schema).one
    if kind == "object":
        others = schema.get("additionalProperties")
        return "object" if _declares(schema.get("properties")) or _describes(others) else None
    return "array" if kind == "array" and _map(schema.get("items")) else None


def annotated(schema: Any) -> bool:
    """Some place of the schema has an `x-eval-` key."""
    waiting, seen = [schema], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Mapping):
            if any(str(key).startswith(PREFIX) for key in one):
                return True
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return False


def _declares(properties: object) -> bool:
    """Some key is described; where its schema is false, no value belongs there."""
    return isinstance(properties, Mapping) and any(inner is not False for inner in properties.values())


def _describes(others: object) -> bool:
    """The schema of further keys says what their values are, or how they are compared."""
    return isinstance(others, Mapping) and (not SAYS_TYPE.isdisjoint(others) or annotated(others))


def _map(value: object) -> bool:
    return isinstance(value, Mapping) and bool(value)


def _type_of(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer" if isinstance(value, int) else "number"
    return "object" if isinstance(value, Mapping) else "array" if isinstance(value, list) else "string"
