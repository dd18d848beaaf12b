"""One walk through two whole documents, leaf by leaf, by plain recursion.

A leaf that matches is its place, added to a list. Any other is a mark in the same list (see `open_tree`), and a `LeafResult` with its
values. Counts, scores and reasons of a row are read from these lists.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from msgspec import Struct

from evaluators.model.rows import MISSING
from evaluators.scoring.fields.empty_values import FILLED, LEFT_OUT, MADE_UP, NOTHING, row_of_value
from evaluators.scoring.fields.open_tree import (
    CONTENTS,
    EXTRA,
    LOST,
    RIGHT,
    SURPLUS_ITEM,
    WRONG,
    Location,
    Mark,
    OpenTree,
    Part,
    Pattern,
    Place,
)
from evaluators.scoring.fields.row_checks import SURPLUS
from evaluators.scoring.values.equality import CONTAINERS, json_equal
from evaluators.scoring.values.paths import ANY

Index: TypeAlias = tuple[int, ...]
"""Where a value stands in the lists on the way to it."""
SURE: Final = frozenset((int, float, bool))
"""Kinds of values that are never empty, and equal where Python says so."""


class LeafResult(Struct, gc=False):
    """A leaf that does not match."""

    place: Place
    index: Index
    status: int
    """The number of its status, or `SURPLUS`."""
    expected: Any
    """Where one value of the output stands in place of an object or list: that object or list."""
    output: Any

    @property
    def location(self) -> Location:
        """The keys and indexes that lead to the leaf."""
        index = iter(self.index)
        return tuple([next(index) if step is ANY else step for step in self.place.name])


class Row(Struct, gc=False):
    """The marks of a row, in lists that grow as its documents are compared."""

    outside: list[Mark]
    """The marks of places outside of lists."""
    items: list[Mark]
    """The marks of places in items."""
    differing: list[LeafResult]
    index: list[int]
    """Where the walk is, in the lists on the way to it."""
    exact: bool
    """Texts that differ do not match."""


class OpenWalk:
    """Compares the documents of rows; remembers the places that they led to and the patterns that they had."""

    def __init__(self, tree: OpenTree) -> None:
        """A walk that has met no document yet, by the rules of `tree`."""
        self.tree = tree
        self.room = _MOST_MARKS
        """How many marks may be added before the check starts a new walk, which bounds memory."""
        self._root, self._exact = Place(tree), tree.same is json_equal
        self._compare = _compare if tree.depth is None else _compare_top_level
        self._parts: dict[tuple[Mark, ...], Part] = {}
        self._patterns: dict[tuple[Part, Part], Pattern] = {}

    def compare_row(self, expected: Any, output: Any) -> tuple[Pattern, list[LeafResult]]:
        """Compares the documents of a row, and gives its pattern and each leaf that does not match. Those that are expected stand in the
        order of their document. An unreadable output is MISSING."""
        row = Row([], [], [], [], self._exact)
        if not self._root.skipped:
            self._compare(self._root, expected, output, row.outside, row)
        outside, items, parts = tuple(row.outside), tuple(row.items), self._parts
        both = parts.get(outside) or self._part(outside), parts.get(items) or self._part(items)
        pattern = self._patterns.get(both)
        if pattern is None:
            pattern = self._patterns[both] = Pattern.of(*both)
            self.room -= 1
        return pattern, row.differing

    def _part(self, marks: tuple[Mark, ...]) -> Part:
        """A new part that these marks make. It is remembered, as parts that are equal are one object."""
        self.room -= len(marks)
        part = self._parts[marks] = Part.of(marks)
        return part


_MOST_MARKS: Final = 100_000
"""Marks that a walk remembers: documents may be all different."""


def _compare(place: Place, e: Any, o: Any, marks: list[Mark], row: Row) -> None:
    """Compares an expected value `e` with what the output has in its place (`o`): objects key by key, lists item by item. Adds to `marks`
    those of the place, or to those of `row` what stands in items, and to `row` the leaves that differ."""
    if not e or e.__class__ not in CONTAINERS:
        _compare_leaves(place, e, o, marks, row)
    elif o.__class__ is not e.__class__ or not o:
        _add_lost(place, e, o, marks, row)
    elif e.__class__ is dict:
        marks.append(place.full or place.mark(CONTENTS, FILLED))
        if place.tree.skip:
            e, o = place.without_skipped(e), place.without_skipped(o)
        keys, lacking = place.keys, 0
        for key, value in e.items():
            try:
                here, other = keys[key], o[key]
            except KeyError:
                here, other = place.below(key), o.get(key, MISSING)
            kind = type(value)
            if kind is str:
                if value == other and value:
                    marks.append(here)
                    continue
                if type(other) is str and value and other and row.exact:
                    marks.append(here.wrong or here.mark(WRONG, FILLED))
                    row.differing.append(LeafResult(here, (*row.index,), WRONG, value, other))
                    continue
            elif kind is dict or kind is list:
                lacking += other is MISSING
                _compare(here, value, other, marks, row)
                continue
            elif kind is type(other) and value == other and value is not None:
                marks.append(here)
                continue
            lacking += other is MISSING
            _compare_leaves(here, value, other, marks, row)
        if len(o) > len(e) - lacking:
            for key, other in o.items():
                if key not in e:
                    _add_one_side(place.below(key), other, EXTRA, marks, row)
    else:
        marks.append(place.full or place.mark(CONTENTS, FILLED))
        here = place.items
        if here.skipped:
            return
        both, items, index = min(len(e), len(o)), row.items, row.index
        index.append(0)
        for at in range(both):
            value, other = e[at], o[at]
            if type(value) is str and value == other and value:
                items.append(here)
            else:
                index[-1] = at
                _compare(here, value, other, items, row)
        for at in range(both, len(e)):
            index[-1] = at
            _add_one_side(here, e[at], LOST, items, row)
        index.pop()
        if len(o) > both:
            _add_surplus_items(here, o, both, row)


def _compare_leaves(place: Place, e: Any, o: Any, marks: list[Mark], row: Row) -> None:
    """Compares an expected leaf with what the output has in its place, and adds what `_compare` adds. Where the output has a container with
    contents, the leaf differs and the leaves of the container are extra; nothing is added where the tree skips all of them."""
    if o.__class__ in CONTAINERS and o:
        if place.tree.skip and place.tree.nothing_left(place.name, e, o):
            return
        _add_wrong(place, WRONG, e, o, marks, row)
        if o.__class__ is list:  # all items are more than are expected
            _add_surplus_items(place.items, o, 0, row)
        else:
            _add_each_inside(place, o, EXTRA, marks, row)
    else:
        _compare_values(place, e, o, marks, row)


def _compare_values(place: Place, e: Any, o: Any, marks: list[Mark], row: Row) -> None:
    """Compares two values, each as one, and adds the mark, and to `row` the leaf where it differs."""
    if o is MISSING:
        _add_wrong(place, LOST, e, o, marks, row)
    elif e is o or place.tree.same(e, o):
        marks.append(place if e and o else place.mark(RIGHT, row_of_value(e, o)))
    else:
        _add_wrong(place, WRONG, e, o, marks, row)


def _add_wrong(place: Place, status: int, e: Any, o: Any, marks: list[Mark], row: Row) -> None:
    """Adds the mark of a leaf that does not match, and the leaf itself to `row`."""
    if status == WRONG and e and o:
        marks.append(place.wrong or place.mark(WRONG, FILLED))
    else:
        marks.append(place.mark(status, row_of_value(e, o)))
    row.differing.append(LeafResult(place, (*row.index,), status, e, o))


def _compare_top_level(root: Place, e: dict[str, Any], output: Any, marks: list[Mark], row: Row) -> None:
    """Compares two objects key by key, each value whole, and adds what `_compare` does."""
    o, keys = root.tree.output_to_compare(e, output), root.keys
    for key, value in e.items():
        try:
            here, other = keys[key], o[key]
        except KeyError:
            here, other = root.below(key), o.get(key, MISSING)
        kind = type(value)
        if here.skipped:
            continue
        if kind is type(other) and value == other and (kind in SURE or (kind is str and value)):
            marks.append(here)
        else:
            _compare_values(here, value, other, marks, row)
    for key, other in o.items():
        if key not in e and not root.below(key).skipped:
            _add_wrong(root.below(key), EXTRA, MISSING, other, marks, row)
    if not o and output.__class__ is dict:  # nothing is compared, for nothing is expected
        marks += [root.below(key).mark(CONTENTS, row_of_value(MISSING, other)) for key, other in output.items()]


def _add_lost(place: Place, e: Any, o: Any, marks: list[Mark], row: Row) -> None:
    """Adds an omission for each leaf of an expected object or list that the output lacks and, as one value, what the
    output has in its place."""
    marks.append(place.mark(CONTENTS, row_of_value(e, o)))
    _add_each_inside(place, e, LOST, marks, row)
    if place.tree.has_something(place.name, o):
        marks.append(place.mark(EXTRA, NOTHING))
        row.differing.append(LeafResult(place, (*row.index,), EXTRA, e, o))


def _add_surplus_items(here: Place, o: list[Any], start: int, row: Row) -> None:
    """Adds the items of the output's list from the index `start` on, which no expected item stands beside. An item in
    which everything is skipped is not added."""
    if here.skipped:
        return
    row.index.append(0)
    for at in range(start, len(o)):
        if not here.tree.skip or next(here.tree.leaves(o[at], here.name), None) is not None:
            row.items.append(here.mark(SURPLUS_ITEM, NOTHING))
            row.index[-1] = at
            _add_one_side(here, o[at], SURPLUS, row.items, row)
    row.index.pop()


def _add_one_side(place: Place, value: Any, status: int, marks: list[Mark], row: Row) -> None:
    """Adds a mark with a status, and a result to `row`, for each leaf of a value that only one side has."""
    if place.skipped:
        return
    if value and value.__class__ in CONTAINERS:
        marks.append(place.mark(CONTENTS, LEFT_OUT if status == LOST else MADE_UP))
        _add_each_inside(place, value, status, marks, row)
    elif status == LOST:
        _add_wrong(place, status, value, MISSING, marks, row)
    else:
        _add_wrong(place, status, MISSING, value, marks, row)


def _add_each_inside(place: Place, value: Any, status: int, marks: list[Mark], row: Row) -> None:
    """Adds a mark with a status for each leaf below a container that only one side has: see `_add_one_side`."""
    if value.__class__ is dict:
        for key, inner in value.items():
            _add_one_side(place.below(key), inner, status, marks, row)
    elif not place.items.skipped:
        row.index.append(0)
        for at, inner in enumerate(value):
            row.index[-1] = at
            _add_one_side(place.items, inner, status, row.items, row)
        row.index.pop()
