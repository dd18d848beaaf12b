"""Whether a schema of struct-extract-eval is refused before the first row, worked out a second time.

What both systems refuse is asked of the schema here, never of what was recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from evaluators.comparators._comparator import COMPARATORS
from evaluators.fields.fallbacks import JUDGED
from tests.conformance.cases import Case
from tests.conformance.x_eval_custom import SHIPPED, can_register
from tests.conformance.x_eval_resolved import (
    ANYTHING,
    branches_of,
    described,
    further,
    looked_into,
    only_type,
    resolved,
    types_of,
)
from tests.conformance.x_eval_schemas import WRONG_HERE

ALIGNMENTS: Final = ("key_field", "hungarian", "any_order", "ordered")


def refused(case: Case) -> bool:
    """Something in the schema of the case is wrong."""
    if any(one(case) for one in WRONG_HERE):
        return True
    try:
        schema = described(resolved(case.settings["schema"]))
    except (KeyError, IndexError, ValueError):  # a reference that leads nowhere
        return True
    entries = case.settings.get("register") or ()
    if not can_register(entries):
        return True
    return malformed(schema, {entry["name"]: entry["kind"] for entry in entries})


def malformed(schema: Any, registered: Mapping[str, str], idle: bool = False, depth: int = 0) -> bool:
    """A schema, or one inside it, cannot be used. An `idle` one is not compared itself: something above it is."""
    if not isinstance(schema, dict) or depth > 40:
        return not isinstance(schema, dict)
    if schema is ANYTHING or "$ref" in schema:  # a reference that is left leads back to where it was looked at
        return False
    skip = schema.get("x-eval-skip", False)
    inside, branches = looked_into(schema), branches_of(schema)
    several = bool(branches) and "x-eval-compare" not in schema
    typed = bool(types_of(schema)) or schema.get("type") == "null" or bool(branches) or skip is True
    leaf = inside is None and not several and not idle and skip is not True
    if (
        not isinstance(skip, bool)
        or not typed
        or (leaf and "x-eval-compare" not in schema)
        or ("x-eval-compare" in schema and not _comparator(schema["x-eval-compare"], registered, idle))
        or ("x-eval-transform" in schema and not _transforms(schema["x-eval-transform"], registered))
        or ("x-eval-align" in schema and not _alignment(schema))
    ):
        return True
    idle = idle or skip is True or ("x-eval-compare" in schema and not several)
    below = [*branches] if several else [*schema.get("properties", {}).values()] if inside == "object" else []
    below += (
        [schema["items"]] if inside == "array" else [further(schema)] if inside == "object" and further(schema) else []
    )
    return any(malformed(one, registered, idle, depth + 1) for one in below)


def _entry(entry: Any) -> tuple[str, Any] | None:
    """The name and the options of a comparator or a transform; None for what is neither a name nor a map of one."""
    if isinstance(entry, str):
        return entry, {}
    if isinstance(entry, dict) and len(entry) == 1:
        name, options = next(iter(entry.items()))
        return (name, options or {}) if options is None or isinstance(options, dict) else None
    return None


def _comparator(entry: Any, registered: Mapping[str, str], idle: bool) -> bool:
    named = _entry(entry)
    if named is None:
        return False
    name = {"oneof": "one_of"}.get(named[0], named[0])
    if idle and name in JUDGED:  # what is not compared needs no judge
        return True
    return registered.get(name, "transform") != "transform" or name in COMPARATORS


def _transforms(entries: Any, registered: Mapping[str, str]) -> bool:
    if not isinstance(entries, list):
        return False
    named = [_entry(one) for one in entries]
    return all(one and (one[0] in SHIPPED or registered.get(one[0]) == "transform") for one in named)


def _alignment(schema: Mapping[str, Any]) -> bool:
    align, items = schema["x-eval-align"], schema.get("items")
    if only_type(schema) != "array" or not isinstance(align, dict) or not isinstance(align.get("ordered", True), bool):
        return False
    how = align.get("match_by")
    if align.get("ordered") is True:
        return how is None or how in ALIGNMENTS
    if how not in ALIGNMENTS:
        return False
    if how != "key_field":
        return True
    key = align.get("key")
    keys = key if isinstance(key, list) else [key]
    objects = isinstance(items, dict) and (only_type(items) in (None, "object") or "$ref" in items)
    usable = all(isinstance(key, (str, int)) and not isinstance(key, bool) and key != "" for key in keys)
    return bool(keys) and usable and objects
