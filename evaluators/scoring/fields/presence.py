"""What stands in place of what: one table.

A side at a place is missing, null or a value. A *unit* is every leaf, and every container that a comparator compares
as one value. Missing in the output: one omission. Missing on the expected side: one hallucination. Both there, null included:
equality, then transforms, then the comparator. Any other container is looked into. What counts is its leaves; null, {} and []
are one leaf each.

| expected | output | result |
|---|---|---|
| contents | contents | key by key, item by item |
| contents | nothing, null or an empty container | an omission per leaf |
| contents | anything else | an omission per leaf, and one hallucination at the container |
| nothing, null or an empty container | contents, of any kind | a hallucination per leaf |
| nothing or null | an empty container or a leaf | one hallucination |
| nothing | null | one hallucination |
| empty | empty | one match; nothing where both are whole documents, unless a key is required |
| null | null | one match |
| null or an empty container | nothing | one omission |
| an empty container | null | one omission |
| an empty container | an empty one of another kind, or a leaf | one mismatch |
| a leaf, or contents of another kind | nothing or null | one omission |
| a leaf, or contents of another kind | anything else | one match when equal, else one mismatch |

Contents are those of the kind that is declared, unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from evaluators.model.rows import MISSING, FieldStatus

Content: TypeAlias = Literal["missing", "null", "empty", "bare", "leaf", "full", "other"]
"""What one side has where a container is declared: `empty` and `full` are of the declared kind, `bare` and `other` an empty container and
a full one of the other kind."""


class InPlace(NamedTuple):
    """What becomes of a pair of which a side has no contents of the declared kind."""

    counts: Literal["lost", "extra", "extra or one", "leaves", "one", "compared"]
    """The contents of the expected side; those of the output, or one result where nothing in them counts; every leaf of the output,
    for its contents are not declared; the place as one result; both sides as one value."""
    own: FieldStatus | None = None
    """The result of the place itself."""


_OMISSION: Final = InPlace("one", FieldStatus.OMISSION)
_ONE_EXTRA: Final = InPlace("one", FieldStatus.HALLUCINATION)
_MATCH: Final = InPlace("one", FieldStatus.MATCH)
_MISMATCH: Final = InPlace("one", FieldStatus.MISMATCH)
_LEAVES: Final = InPlace("leaves", FieldStatus.HALLUCINATION)
_EXTRA: Final = InPlace("extra")
_COMPARED: Final = InPlace("compared")
_LOST: Final = InPlace("lost")
_LOST_ONE_EXTRA: Final = InPlace("lost", FieldStatus.HALLUCINATION)

_OUTPUT: Final[tuple[Content, ...]] = ("missing", "null", "empty", "bare", "leaf", "full", "other")
_TABLE: Final[Mapping[Content, tuple[InPlace, ...]]] = {
    "missing": (_MATCH, _ONE_EXTRA, _ONE_EXTRA, _ONE_EXTRA, _ONE_EXTRA, _EXTRA, _LEAVES),
    "null": (_OMISSION, _MATCH, _ONE_EXTRA, _ONE_EXTRA, _ONE_EXTRA, InPlace("extra or one"), _LEAVES),
    "empty": (_OMISSION, _OMISSION, _MATCH, _MISMATCH, _MISMATCH, _EXTRA, _LEAVES),
    "bare": (_OMISSION, _OMISSION, _MISMATCH, _MATCH, _MISMATCH, _EXTRA, _LEAVES),
    "leaf": (_OMISSION, _OMISSION, _COMPARED, _COMPARED, _COMPARED, _COMPARED, _COMPARED),
    "full": (_LOST, _LOST, _LOST, _LOST, _LOST_ONE_EXTRA, _LOST, _LOST_ONE_EXTRA),
    "other": (_OMISSION, _OMISSION, _COMPARED, _COMPARED, _COMPARED, _COMPARED, _COMPARED),
}
IN_PLACE: Final = {
    (ours, theirs): found
    for ours, row in _TABLE.items()
    for theirs, found in zip(_OUTPUT, row, strict=True)
    if (ours, theirs) != ("full", "full")
}
"""What becomes of a pair, by what its sides have."""


def content(kind: type, value: Any) -> Content:
    """What one side has where a container of a kind is declared."""
    if value is MISSING:
        return "missing"
    if value is None:
        return "null"
    if value.__class__ is kind:
        return "full" if value else "empty"
    if isinstance(value, dict | list):
        return "other" if value else "bare"
    return "leaf"
