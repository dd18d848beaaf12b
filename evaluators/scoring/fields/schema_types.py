"""What a JSON Schema whose references are filled in says of a value: its types, what stands below it, its branches."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from msgspec import Struct

from evaluators.model.settings import Loc
from evaluators.scoring.fields.references import CHOICES, Placed, merge, own_place, place_of
from evaluators.scoring.fields.tree import Shape

JSON_TYPES: Final = ("string", "number", "integer", "boolean", "null", "object", "array")
SEVERAL: Final = "multi"
"""Where comparators are named by type: a value that may have several types."""
DEFAULTED: Final = (*JSON_TYPES, SEVERAL)
X_EVAL: Final = "x-eval-"
EVALUATION_CONFIG: Final = "evaluation_config"
ADDRESSES: Final = ("uri", "url", "iri")
"""Words of `format` for a web address."""
SAYS_TYPE: Final = frozenset({"type", "properties", "items", "$ref", "enum", "const", "allOf", *CHOICES})
"""Keywords that describe a value; the others only restrict it."""
OF_EVERY_BRANCH: Final = SAYS_TYPE - {*CHOICES} | {"required", "additionalProperties", "format", "nullable"}
"""What a schema beside a choice says of each of its branches."""
_TYPES: Final = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object", list: "array"}


class Types(Struct, frozen=True):
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
    told = dict.fromkeys(schema_type(value) for value in values)
    return Types(tuple(name for name in told if name != "null"), "null" in told)


def schema_type(value: object) -> str:
    """The type of a value as JSON Schema names it. What JSON does not know is text."""
    return "null" if value is None else next((name for kind, name in _TYPES.items() if isinstance(value, kind)), "string")


def looked_into(schema: Mapping[str, Any]) -> str | None:
    """`object` or `array` when the schema describes what stands below it, else None.

    An object does so with declared keys, or with any keys whose values are described, and an array with one schema for
    its items. A key whose schema is false holds no value.
    """
    kind = types_of(schema).one
    if kind == "object":
        declared, others = schema.get("properties"), schema.get("additionalProperties")
        declares = isinstance(declared, Mapping) and any(inner is not False for inner in declared.values())
        describes = isinstance(others, Mapping) and (not SAYS_TYPE.isdisjoint(others) or annotated(others))
        return "object" if declares or describes else None
    items = schema.get("items")
    return "array" if kind == "array" and isinstance(items, Mapping) and items else None


def annotated(schema: object) -> bool:
    """Some place of the schema has an `x-eval-` key."""
    waiting, seen = [schema], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, Mapping):
            if any(str(key).startswith(X_EVAL) for key in one):
                return True
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
    return False


def branches_of(schema: Mapping[str, Any], says: Collection[str] = SAYS_TYPE) -> list[Mapping[str, Any]]:
    """The branches of a choice that describe a value, with one of the keywords `says`; empty without a choice.

    Branches that only restrict a schema which has a type of its own are none.
    """
    for key in CHOICES:
        found = schema.get(key)
        branches = [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []
        described = [branch for branch in branches if not branch.keys().isdisjoint(says)]
        if described:
            return described
    return []


def whole_branch(
    branch: Mapping[str, Any], schema: Mapping[str, Any], needed: Collection[str], loc: Loc
) -> Mapping[str, Any]:
    """A branch with what its schema says of every branch, where it says any of what is `needed`."""
    if schema.keys().isdisjoint(needed):
        return branch
    own = copy_of(branch, loc)
    beside = copy_of(schema, loc, without=schema.keys() - OF_EVERY_BRANCH)
    if "$ref" in branch:
        beside.pop("type", None)  # the place that it leads to has one
    merge(own, beside)
    return own


def copy_of(schema: Mapping[str, Any], loc: Loc, without: Collection[str] = ()) -> Placed:
    """A copy to which something may be added, without some of its keys."""
    copied = Placed(own_place(schema, loc))
    for key, value in schema.items():
        if key not in without:
            copied[key] = value
            copied.written[key] = place_of(schema, key, loc)
    if isinstance(schema, Placed):
        copied.nullable, copied.lost = schema.nullable, schema.lost
    return copied


def shape_of(schema: Mapping[str, Any], types: Collection[str], nullable: bool) -> Shape:
    """What a schema declares of a value."""
    required, title, description = (schema.get(key) for key in ("required", "title", "description"))
    return Shape(
        frozenset(types),
        nullable or (isinstance(schema, Placed) and schema.nullable),
        frozenset(name for name in required if isinstance(name, str)) if isinstance(required, list) else frozenset(),
        title if isinstance(title, str) else None,
        description if isinstance(description, str) else None,
    )
