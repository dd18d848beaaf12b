"""What stands in place of what: one table.

A side at a place is missing, null or a value. A *unit* is every leaf, and every container that a comparator compares
as one value. Missing in the output: one omission. Missing on the expected side: one hallucination. Both there, null included:
equality, then transforms, then the comparator. Any other container is looked into. What counts is its leaves; null, {} and []
are one leaf each.

| expected | output | result |
|---|---|---|
| contents | contents | key by key, item by item |
| contents | nothing, null or empty | an omission per leaf |
| contents | another kind | an omission per leaf, and one hallucination at the container |
| nothing, null or empty | contents | a hallucination per leaf |
| nothing or null | empty or another kind | one hallucination (of a container of another kind: one per leaf) |
| nothing | null | one hallucination |
| empty | empty | one match; nothing where both are whole documents, unless a key is required |
| null | null | one match |
| null or empty | nothing | one omission |
| empty | null | one omission |
| empty | another kind | one mismatch |
| another kind | nothing or null | one omission |
| another kind | anything else | one match when equal, else one mismatch |

A key that the schema lacks: where the expected side has it, it is not scored and is named once; where only the output has
it, it is a hallucination per leaf. In an item of the output without a partner, the expected side is all expected items of its
list. A skipped place is one skipped result where either side has something. Absent on both sides is nothing, unless the place is
required: then it is an omission. A *compound* compares some keys of an object as one unit, at the object's own place.

Listed fields look through containers, which have no results there: what differs between families is in `policy`.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from evaluators.model import MISSING, FieldStatus
from evaluators.values.equality import same

Content: TypeAlias = Literal["missing", "null", "empty", "full", "other"]


def content(kind: type, value: Any) -> Content:
    """What one side has where a container is declared. `other` is anything else than null and the declared kind."""
    if value is MISSING:
        return "missing"
    if value is None:
        return "null"
    if value.__class__ is not kind:
        return "other"
    return "full" if value else "empty"


def own_status(ours: Content, theirs: Content, expected: Any, output: Any) -> FieldStatus:
    """The result of a container itself, where neither side is looked into."""
    if ours == "missing" or (ours == "null" and theirs in ("empty", "other")):
        return FieldStatus.HALLUCINATION
    if ours == theirs and ours in ("null", "empty"):
        return FieldStatus.MATCH
    if theirs in ("missing", "null"):
        return FieldStatus.OMISSION
    return FieldStatus.MATCH if same(expected, output) else FieldStatus.MISMATCH
