"""Whole documents, key by key: open trees, whose fields are the leaves that the documents happen to have.

A leaf is a scalar or an empty container; its place is a tuple of keys and indexes, so {"a.b": 1} is not {"a": {"b": 1}}. What counts is
said by an `OpenTree`. `Place`s are made as documents lead to them, and a `Mark` is a place with a status: one object for each. Rows with
the same marks share a `Pattern`: what they come to, by status, by path and where values are empty, is counted once for all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from operator import add
from typing import Any, Final, TypeAlias

from msgspec import Struct

from evaluators.model.rows import MISSING, FieldStatus, Result, RowStatus
from evaluators.scoring.fields.empty_values import ALL_FIELDS, EACH_ROW, EMPTY, FILLED, NOTHING, Field, InRow, add_rows
from evaluators.scoring.fields.key_spelling import KeySpelling
from evaluators.scoring.fields.row_checks import SURPLUS, Name
from evaluators.scoring.values.equality import CONTAINERS
from evaluators.scoring.values.paths import ANY, Path

LeafRule: TypeAlias = Callable[[Any, Any], bool]
Location: TypeAlias = tuple[str | int, ...]
RowCounts: TypeAlias = tuple[int, int, int, int, int]
"""Match, mismatch, omission, hallucination by key, and hallucination in items that only the output has."""


class OpenTree(Struct, frozen=True, dict=True):
    """How whole documents are compared. `depth` 1 compares top-level values whole."""

    same: LeafRule
    penalize_extra: bool = False
    """Keys that only the output has count against it."""
    penalize_items: bool = False
    """Items of lists that only the output has count against it."""
    depth: int | None = None
    skip: tuple[Path, ...] = ()
    rule: str = "exact"
    keys: KeySpelling | None = None
    """Which spellings of an output's keys stand for those of the expected document; None where each has to be spelt alike."""

    def skips(self, path: tuple[Any, ...]) -> bool:
        """Whether a place, with `ANY` for every index, is listed in `skip`; keys may be spelt differently where that does not count."""
        return self._fold_path(path) in self._skipped_paths

    @cached_property
    def _skipped_paths(self) -> frozenset[tuple[Any, ...]]:
        """The paths in `skip`, with folded keys where differences in spelling do not count."""
        return frozenset(self._fold_path(path.steps) for path in self.skip)

    def _fold_path(self, path: tuple[Any, ...]) -> tuple[Any, ...]:
        """A path, with folded keys where differences in spelling do not count."""
        keys = self.keys
        return path if keys is None else tuple(keys.fold(step) if isinstance(step, str) else step for step in path)

    def output_to_compare(self, expected: Any, output: Any) -> Any:
        """The object whose keys are compared at the top level: the output, or an empty one where it is no object, or
        where only keys of its own would count and they do not."""
        wanted = output.__class__ is dict and (expected or self.penalize_extra)
        return output if wanted else {}

    def leaves(self, value: Any, location: Location) -> Iterator[tuple[Location, Any]]:
        """Every leaf of what stands at a place, in the order of the document. The place itself is not left out."""
        top_level_only = self.depth is not None
        if location if top_level_only else is_leaf(value):
            yield location, value
            return
        waiting = [(location, _steps(value))]
        while waiting:
            path_here, steps = waiting[-1]
            for step, inner in steps:
                path = (*path_here, step)
                if self.skip and self.skips(with_any_index(path)):
                    continue
                if not top_level_only and inner and inner.__class__ in CONTAINERS:
                    waiting.append((path, _steps(inner)))
                    break
                yield path, inner
            else:
                waiting.pop()

    def has_something(self, path: tuple[Any, ...], value: Any) -> bool:
        """Whether a value is neither missing nor null, nor a container in which nothing counts."""
        if value.__class__ is dict or value.__class__ is list:
            return bool(value) and next(self.leaves(value, path), None) is not None
        return value is not None and value is not MISSING

    def nothing_left(self, path: tuple[Any, ...], expected: Any, output: Any) -> bool:
        """Whether an empty container is expected and everything in the output's is left out, so that there is nothing to measure."""
        if expected or not output or not {expected.__class__, output.__class__} <= {dict, list}:
            return False
        return not self.has_something(path, output)


def _steps(value: Any) -> Iterator[tuple[str | int, Any]]:
    """The keys, or the indexes, of a container with their values."""
    return iter(value.items()) if value.__class__ is dict else enumerate(value)


def is_leaf(value: Any) -> bool:
    """Whether a value is a scalar or an empty container."""
    return not value or (value.__class__ is not dict and value.__class__ is not list)


def with_any_index(location: Location) -> tuple[Any, ...]:
    """The keys that lead to a location, with `ANY` in place of each index."""
    return tuple(step if step.__class__ is str else ANY for step in location)


def verdict_of_counts(tree: OpenTree, counts: RowCounts, pass_at: float) -> Result:
    """The verdict of a row: its matches, divided by all expected leaves, and by the extra ones too where these are
    penalized.

    Where only the top level is looked at, a row that expects nothing scores 1.0. It is counted apart, since nothing was
    compared.
    """
    match, mismatch, omission, extra, surplus = counts
    whole = match + mismatch + omission + extra * tree.penalize_extra + surplus * tree.penalize_items
    by_status = (match, mismatch, omission, extra + surplus)
    if whole:
        return Result(RowStatus.SCORED, match / whole >= pass_at, match, whole, counts=by_status)
    if tree.depth is not None:
        return Result(RowStatus.SCORED, True, 1, 1, counts=by_status)
    return Result(RowStatus.NOT_MEASURED, None, 0, 0, counts=by_status)


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
    """A place with its status in a row, and which of its two values are empty."""

    __slots__ = ("name", "status", "value")

    def __init__(self, name: Name, status: int, value: InRow) -> None:
        self.name, self.status, self.value = name, status, value


class Place(Mark):
    """A place of documents, which all items of a list share. As a mark it is a leaf that matches and is not empty."""

    __slots__ = ("_items", "_marks", "full", "keys", "skipped", "tree", "wrong")

    def __init__(self, tree: OpenTree, name: Name = ()) -> None:
        """`name` is the path of the place. The place itself is the mark of a leaf that is right and empty on neither side."""
        super().__init__(name, RIGHT, FILLED)
        self.tree, self.skipped = tree, bool(tree.skip) and tree.skips(name)
        self.keys: dict[str, Place] = {}
        """Those that documents had so far."""
        self._items: Place | None = None
        self._marks: dict[tuple[int, InRow], Mark] = {}
        self.full: Mark | None = None
        """The mark of an object or a list with contents on both sides; None until a document has one."""
        self.wrong: Mark | None = None
        """The mark of a leaf that differs and is empty on neither side; None until a document has one."""

    def below(self, key: str) -> Place:
        """The place of a key."""
        place = self.keys.get(key)
        if place is None:
            place = self.keys[key] = Place(self.tree, (*self.name, key))
        return place

    @property
    def items(self) -> Place:
        """The place of the items."""
        if self._items is None:
            self._items = Place(self.tree, (*self.name, ANY))
        return self._items

    def mark(self, status: int, value: InRow) -> Mark:
        """The mark of this place with a status, or with what stands in place of one; `value` says which sides are empty."""
        if status == RIGHT and value is FILLED:
            return self
        mark = self._marks.get((status, value))
        if mark is None:
            mark = self._marks[status, value] = Mark(self.name, status, value)
            if value is FILLED and status == CONTENTS:
                self.full = mark
            elif value is FILLED and status == WRONG:
                self.wrong = mark
        return mark

    def without_skipped(self, value: dict[str, Any]) -> dict[str, Any]:
        """The keys and values of an object whose places are not skipped."""
        return {key: inner for key, inner in value.items() if not self.below(key).skipped}


class Part(Struct, eq=False):
    """The marks of a row outside of lists, or those in items of lists, with their counts."""

    marks: tuple[Mark, ...]
    counts: list[int]
    """How many marks have each status."""
    filled: int
    """Leaves that are expected, and not empty."""
    left_empty: int
    """How many of the `filled` ones the output leaves empty."""

    @classmethod
    def of(cls, marks: tuple[Mark, ...]) -> Part:
        """A part that has these marks, with its counts."""
        counts = [0] * (SURPLUS_ITEM + 1)
        odd = []
        for mark in marks:
            counts[mark.status] += 1
            if mark.value is not FILLED and mark.status < CONTENTS:  # contents are leaves of their own
                odd.append(mark.value)
        filled = counts[RIGHT] + counts[WRONG] + counts[LOST] + counts[EXTRA] + counts[SURPLUS] - len(odd)
        return cls(marks, counts, filled + sum(mark.filled for mark in odd), sum(mark.left_empty for mark in odd))


class Pattern(Struct, eq=False):
    """All marks of a row. Rows with equal marks share one pattern."""

    outside: Part
    items: Part
    counts: RowCounts

    @classmethod
    def of(cls, outside: Part, items: Part) -> Pattern:
        """The pattern of a row: its marks outside of lists, and those in items."""
        surplus, right, wrong, lost, extra, *_ = map(add, outside.counts, items.counts)
        return cls(outside, items, (right, wrong, lost, extra, surplus))

    @property
    def size(self) -> int:
        """How many marks the pattern has."""
        return len(self.outside.marks) + len(self.items.marks)

    @property
    def surplus_items(self) -> int:
        """Items of lists that only the output has."""
        return self.items.counts[SURPLUS_ITEM]

    @classmethod
    def mark_counts(cls, patterns: Mapping[Pattern, int]) -> dict[Mark, int]:
        """How often each mark occurs, given how many rows have each pattern."""
        parts: defaultdict[Part, int] = defaultdict(int)
        for pattern, times in patterns.items():
            parts[pattern.outside] += times
            parts[pattern.items] += times
        return _count_marks(parts)

    @classmethod
    def empty_values(cls, patterns: Mapping[Pattern, int], places: bool) -> dict[tuple[Field, InRow], int]:
        """By (field, counts of a row), how many rows have these counts, given how many rows have each pattern. Rows are counted as
        EACH_ROW, all fields together as ALL_FIELDS; with `places` each place is counted, too."""
        outside: defaultdict[Part, int] = defaultdict(int)
        items: defaultdict[Part, int] = defaultdict(int)
        leaves: defaultdict[tuple[int, int], int] = defaultdict(int)
        for pattern, times in patterns.items():
            outer, inner = pattern.outside, pattern.items
            outside[outer] += times
            items[inner] += times
            leaves[outer.filled + inner.filled, outer.left_empty + inner.left_empty] += times
        counts: defaultdict[tuple[Field, InRow], int] = defaultdict(int)
        counts[EACH_ROW, EMPTY] = sum(outside.values())
        for both, times in leaves.items():
            counts[ALL_FIELDS, InRow(0, 0, *both)] = times
        if not places:
            return counts
        for mark, times in _count_marks(outside).items():
            if mark.value is not NOTHING:
                counts[mark.name, mark.value] += times
        for part, times in items.items():
            together: dict[Name, InRow] = {}
            for mark in part.marks:
                if mark.value is NOTHING:
                    continue
                before = together.get(mark.name)
                together[mark.name] = mark.value if before is None else add_rows(before, mark.value)
            for each in together.items():
                counts[each] += times
        return counts


def _count_marks(parts: Mapping[Part, int]) -> dict[Mark, int]:
    """How often each mark occurs, given how many rows have each part."""
    counts: defaultdict[Mark, int] = defaultdict(int)
    for part, times in parts.items():
        for mark in part.marks:
            counts[mark] += times
    return counts
