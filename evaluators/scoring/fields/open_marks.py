"""What became of the places of whole documents, as marks: one object for each place and each thing that can become of it.

A row is told by the marks of its places outside of lists and of those in items, so rows with the same marks share a `Pattern`: what they
come to, by status, by path and where values are empty, is counted once for all of them. Places are made as documents lead to them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from operator import add
from typing import Any, Final

from msgspec import Struct

from evaluators.model.rows import FieldStatus
from evaluators.scoring.fields.empty_values import ALL_FIELDS, EACH_ROW, EMPTY, FILLED, NOTHING, Field, InRow, added
from evaluators.scoring.fields.open_tree import OpenTree, RowCounts
from evaluators.scoring.fields.path_check import SURPLUS, Name
from evaluators.scoring.values.paths import ANY

RIGHT, WRONG, LOST, EXTRA = (
    FieldStatus.MATCH.number,
    FieldStatus.MISMATCH.number,
    FieldStatus.OMISSION.number,
    FieldStatus.HALLUCINATION.number,
)
CONTENTS: Final = EXTRA + 1
"""In place of a status: no leaf, but an object or a list with contents on one side or on both."""
SURPLUS_ITEM: Final = EXTRA + 2
"""In place of a status: an item of a list as a whole, which only the output has."""


class Mark:
    """What became of a place: the number of a status, or what stands in place of one, and what it comes to where values are empty."""

    __slots__ = ("name", "status", "value")

    def __init__(self, name: Name, status: int, value: InRow) -> None:
        self.name, self.status, self.value = name, status, value


class Place(Mark):
    """A place of documents, which all items of a list share. As a mark it is a leaf that matches and is not empty."""

    __slots__ = ("_items", "_marks", "full", "keys", "skipped", "tree", "wrong")

    def __init__(self, tree: OpenTree, name: Name = ()) -> None:
        super().__init__(name, RIGHT, FILLED)
        self.tree, self.skipped = tree, bool(tree.skip) and tree.skips(name)
        self.keys: dict[str, Place] = {}
        """Those that documents had so far."""
        self._items: Place | None = None
        self._marks: dict[tuple[int, InRow], Mark] = {}
        self.full: Mark | None = None
        """The mark of contents on both sides, once it was met."""
        self.wrong: Mark | None = None
        """The mark of a leaf that differs and is empty on neither side, once it was met."""

    def below(self, key: str) -> Place:
        """The place of a key."""
        found = self.keys.get(key)
        if found is None:
            found = self.keys[key] = Place(self.tree, (*self.name, key))
        return found

    @property
    def items(self) -> Place:
        """The place of the items."""
        if self._items is None:
            self._items = Place(self.tree, (*self.name, ANY))
        return self._items

    def mark(self, status: int, value: InRow) -> Mark:
        """The mark of what became of it."""
        if status == RIGHT and value is FILLED:
            return self
        found = self._marks.get((status, value))
        if found is None:
            found = self._marks[status, value] = Mark(self.name, status, value)
            if value is FILLED and status == CONTENTS:
                self.full = found
            elif value is FILLED and status == WRONG:
                self.wrong = found
        return found

    def counted(self, value: dict[str, Any]) -> dict[str, Any]:
        """An object without what is left out."""
        return {key: inner for key, inner in value.items() if not self.below(key).skipped}


class Part(Struct, eq=False):
    """What became of the places of a row outside of lists, or of those in items."""

    marks: tuple[Mark, ...]
    counts: list[int]
    """How many marks have each status."""
    filled: int
    """Leaves that are expected, and not empty."""
    left_empty: int
    """Those of them that the output leaves empty."""

    @classmethod
    def of(cls, marks: tuple[Mark, ...]) -> Part:
        """The part with some marks."""
        counts = [0] * (SURPLUS_ITEM + 1)
        odd = []
        for mark in marks:
            counts[mark.status] += 1
            if mark.value is not FILLED and mark.status < CONTENTS:  # contents are leaves of their own
                odd.append(mark.value)
        filled = counts[RIGHT] + counts[WRONG] + counts[LOST] + counts[EXTRA] + counts[SURPLUS] - len(odd)
        return cls(marks, counts, filled + sum(one.filled for one in odd), sum(one.left_empty for one in odd))


class Pattern(Struct, eq=False):
    """What rows with the same marks come to."""

    outside: Part
    items: Part
    counts: RowCounts

    @classmethod
    def of(cls, outside: Part, items: Part) -> Pattern:
        """The pattern of a row, of places outside of lists and in items."""
        surplus, right, wrong, lost, extra, *_ = map(add, outside.counts, items.counts)
        return cls(outside, items, (right, wrong, lost, extra, surplus))

    @property
    def size(self) -> int:
        """How many marks it has."""
        return len(self.outside.marks) + len(self.items.marks)

    @property
    def surplus_items(self) -> int:
        """Items of lists that only the output has."""
        return self.items.counts[SURPLUS_ITEM]

    @classmethod
    def by_mark(cls, patterns: Mapping[Pattern, int]) -> dict[Mark, int]:
        """How often each mark occurs, given how many rows have each pattern."""
        parts: defaultdict[Part, int] = defaultdict(int)
        for pattern, times in patterns.items():
            parts[pattern.outside] += times
            parts[pattern.items] += times
        return _marks_of(parts)

    @classmethod
    def empty_values(cls, patterns: Mapping[Pattern, int], places: bool) -> dict[tuple[Field, InRow], int]:
        """How many rows have so many empty values, given how many have each pattern: as rows, of all fields, of each of the `places`."""
        outside: defaultdict[Part, int] = defaultdict(int)
        items: defaultdict[Part, int] = defaultdict(int)
        leaves: defaultdict[tuple[int, int], int] = defaultdict(int)
        for pattern, times in patterns.items():
            one, other = pattern.outside, pattern.items
            outside[one] += times
            items[other] += times
            leaves[one.filled + other.filled, one.left_empty + other.left_empty] += times
        found: defaultdict[tuple[Field, InRow], int] = defaultdict(int)
        found[EACH_ROW, EMPTY] = sum(outside.values())
        for both, times in leaves.items():
            found[ALL_FIELDS, InRow(0, 0, *both)] = times
        if not places:
            return found
        for mark, times in _marks_of(outside).items():
            if mark.value is not NOTHING:
                found[mark.name, mark.value] += times
        for part, times in items.items():
            together: dict[Name, InRow] = {}
            for mark in part.marks:
                if mark.value is NOTHING:
                    continue
                before = together.get(mark.name)
                together[mark.name] = mark.value if before is None else added(before, mark.value)
            for each in together.items():
                found[each] += times
        return found


def _marks_of(parts: Mapping[Part, int]) -> dict[Mark, int]:
    """How often each mark occurs, given how many rows have each part."""
    found: defaultdict[Mark, int] = defaultdict(int)
    for part, times in parts.items():
        for mark in part.marks:
            found[mark] += times
    return found
