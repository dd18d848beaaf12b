"""The walk of whole documents: both at once, leaf by leaf, counted by path, and reported leaf by leaf where somebody asks.

Counting makes no path and no object per leaf: what a leaf comes to is added to the counters of `path_tally`. Who wants to
know of each leaf gives `LeafResults`; the same walk then carries the place of every value along, as a tuple of keys and
indexes. Without it the place is None.
"""

from __future__ import annotations

from collections.abc import Iterable
from gc import is_tracked
from itertools import count, repeat
from typing import Any, TypeAlias

from evaluators.fields.leaf_results import LeafResults, Location
from evaluators.fields.open_tree import OpenTree, folded_names
from evaluators.fields.path_tally import PATH_CAP, Counter, PathTally
from evaluators.model import MISSING

RowCounts: TypeAlias = tuple[int, int, int, int, int]
"""Match, mismatch, omission, hallucination, and how many of the last stand in items that only the output has."""
Leaves: TypeAlias = list[tuple[Counter, Any, Location | None]]
"""The counter, the value and the place of each leaf of a value; no place while nobody wants to know."""


class RowWalk:
    """What is wrong in a row so far, and who wants to know of its leaves."""

    __slots__ = ("extra", "lost", "mismatch", "quick", "results", "surplus")

    def __init__(self, results: LeafResults | None) -> None:
        self.mismatch = self.lost = self.extra = self.surplus = 0
        self.results = results
        self.quick = results is None or not results.every
        """Whether values that are equal at a glance may be passed over."""


class OpenWalk:
    """Walks documents, and counts their leaves by path."""

    def __init__(self, tree: OpenTree, cap: int = PATH_CAP) -> None:
        self.tree = tree
        self.tally = PathTally(tree, cap)
        self._plain = not tree.skip and not tree.fold_keys

    def count(self, expected: Any, output: Any, results: LeafResults | None = None) -> RowCounts:
        """What the row comes to, tallied by path as well. An unreadable output is MISSING."""
        root = self.tally.root
        if root.skip:
            return 0, 0, 0, 0, 0
        row = RowWalk(results)
        place = None if results is None else ()
        if self.tree.depth == 1:
            match = self._top(root, expected, output if output.__class__ is dict else {}, row)
        elif output is expected and row.quick:
            match = self._all_match(root, expected)
        elif output is MISSING:
            match = 0
            self._lost(root, expected, row, place)
        else:
            match = self._walk(root, expected, output, row, place)
        if row.surplus:
            self.tally.surplus_rows += 1
        return match, row.mismatch, row.lost, row.extra, row.surplus

    def _top(self, root: Counter, expected: dict[str, Any], output: dict[str, Any], row: RowWalk) -> int:
        """The number of top-level values that match, compared whole."""
        keys = tuple(expected)
        shape = root.shapes.get(keys) or self.tally.shape(root, keys)
        if shape.skips:
            expected, output = self._unskipped(root, expected), self._unskipped(root, output)
            keys = tuple(expected)
            shape = root.shapes.get(keys) or self.tally.shape(root, keys)
        shape.seen += 1
        match = len(keys)
        quick, results = row.quick, row.results
        if output is expected and quick:
            return match
        equal = self.tree.same
        missing = 0
        for key, value in expected.items():
            try:
                actual = output[key]
            except KeyError:
                child = shape.children[key]
                child.omission += 1
                child.less += 1
                missing += 1
                if results is not None:
                    results.lost((key,), value)
                continue
            if quick:
                if actual is value:
                    continue
                kind = value.__class__
                if kind is actual.__class__ and kind is not dict and kind is not list and value == actual:
                    continue
            same = equal(value, actual)
            if not same:
                child = shape.children[key]
                child.mismatch += 1
                child.less += 1
                row.mismatch += 1
            if results is not None:
                results.compared((key,), value, actual, same)
        row.lost += missing
        if len(output) > match - missing:
            for key, actual in output.items():
                if key not in expected and not (counter := root.keys.get(key) or self.tally.below(root, key)).skip:
                    counter.hallucination += 1
                    row.extra += 1
                    if results is not None:
                        results.extra((key,), actual)
        return match - row.mismatch - missing

    # The loops below tell objects, lists and plain values apart in line: a call per leaf costs more than all the rest.

    def _all_match(self, counter: Counter, value: Any) -> int:
        """The number of leaves of a value that equals its counterpart."""
        if value.__class__ is dict and value:
            return self._match_keys(counter, value)
        if value.__class__ is list and value:
            return self._match_items(counter, value)
        counter.direct += 1
        return 1

    def _match_keys(self, counter: Counter, value: dict[str, Any]) -> int:
        keys = tuple(value)
        shape = counter.shapes.get(keys) or self.tally.shape(counter, keys)
        if shape.skips:
            kept = self._unskipped(counter, value)
            return self._match_keys(counter, kept) if kept else 0
        shape.seen += 1
        match = len(keys)
        if not is_tracked(value):  # the garbage collector knows at once that it holds no container
            return match
        for key, inner in value.items():
            kind = inner.__class__
            if kind is not str and (kind is dict or kind is list) and inner:
                child = shape.children[key]
                child.less += 1
                if kind is dict:
                    match += self._match_keys(child, inner) - 1
                else:
                    match += self._match_items(child, inner) - 1
        return match

    def _match_items(self, counter: Counter, value: list[Any]) -> int:
        child = counter.items or self.tally.items(counter)
        if child.skip:
            return 0
        direct, below = len(value), 0
        for inner in value:
            kind = inner.__class__
            if kind is str:
                continue
            if kind is dict and inner:
                direct -= 1
                keys = tuple(inner)
                shape = child.shapes.get(keys)
                if shape is None or shape.skips or is_tracked(inner):
                    below += self._match_keys(child, inner)
                else:
                    shape.seen += 1
                    below += len(keys)
            elif kind is list and inner:
                direct -= 1
                below += self._match_items(child, inner)
        child.direct += direct
        return direct + below

    def _walk(self, counter: Counter, expected: Any, output: Any, row: RowWalk, place: Location | None) -> int:
        """Two values at the same place, both there: the number of leaves that match."""
        kind, other = expected.__class__, output.__class__
        leaf = not expected or (kind is not dict and kind is not list)
        other_leaf = not output or (other is not dict and other is not list)
        if leaf:
            same = other_leaf and self.tree.same(expected, output)
            if place is not None and row.results is not None:
                row.results.compared(place, expected, output, same)
            if same:
                counter.direct += 1
                return 1
            counter.mismatch += 1
            row.mismatch += 1
            if not other_leaf:
                self._instead(counter, output, row, place)
            return 0
        if kind is other and not other_leaf:
            if kind is dict:
                return self._walk_keys(counter, expected, output, row, place)
            return self._walk_items(counter, expected, output, row, place)
        self._lost(counter, expected, row, place)
        self._instead(counter, output, row, place)
        return 0

    def _walk_keys(
        self, counter: Counter, expected: dict[str, Any], output: dict[str, Any], row: RowWalk, place: Location | None
    ) -> int:
        keys = tuple(expected)
        shape = counter.shapes.get(keys) or self.tally.shape(counter, keys)
        if not self._plain:
            if shape.skips or self.tree.skip:
                kept, rest = self._unskipped(counter, expected), self._unskipped(counter, output)
                if len(kept) != len(expected) or len(rest) != len(output):
                    if kept:
                        return self._walk_keys(counter, kept, rest, row, place)
                    self._extra_keys(counter, kept, rest, row, place)
                    return 0
            if self.tree.fold_keys:
                names = {theirs: ours for ours, theirs in folded_names(expected, output).items()}
                output = {names.get(key, key): value for key, value in output.items()}
        shape.seen += 1
        quick, extras = row.quick, 0 if row.results is None else row.results.extras()
        match, missing = len(keys), 0
        for key, value in expected.items():
            try:
                actual = output[key]
            except KeyError:
                child = shape.children[key]
                child.less += 1
                match -= 1
                missing += 1
                self._lost(child, value, row, None if place is None else (*place, key))
                continue
            kind = value.__class__
            if kind is str:
                if quick and value == actual:
                    continue
            elif quick and kind is not dict and kind is not list and value == actual and kind is actual.__class__:
                continue
            child = shape.children[key]
            child.less += 1
            here = None if place is None else (*place, key)
            if actual is value and quick:
                match += self._all_match(child, value) - 1
            elif kind is dict and actual.__class__ is dict and value and actual:
                match += self._walk_keys(child, value, actual, row, here) - 1
            elif kind is list and actual.__class__ is list and value and actual:
                match += self._walk_items(child, value, actual, row, here) - 1
            else:
                match += self._walk(child, value, actual, row, here) - 1
        if len(output) > len(keys) - missing:
            self._extra_keys(counter, expected, output, row, place)
        if place is not None and row.results is not None:
            row.results.order_extras(extras, len(place), output)
        return match

    def _walk_items(
        self, counter: Counter, expected: list[Any], output: list[Any], row: RowWalk, place: Location | None
    ) -> int:
        child = counter.items or self.tally.items(counter)
        if child.skip:
            return 0
        quick = row.quick
        direct = below = 0
        for value, actual, here in zip(expected, output, _places(place), strict=False):
            kind = value.__class__
            if kind is dict:
                if actual.__class__ is dict and value and actual:
                    below += self._walk_keys(child, value, actual, row, here)
                    continue
            elif quick and kind is not list and value == actual and (kind is str or kind is actual.__class__):
                direct += 1
                continue
            below += self._walk(child, value, actual, row, here)
        child.direct += direct
        if len(expected) > len(output):
            for index, value in enumerate(expected[len(output) :], len(output)):
                self._lost(child, value, row, None if place is None else (*place, index))
        elif len(output) > len(expected):
            self._surplus(child, output, len(expected), row, place)
        return direct + below

    def _lost(self, counter: Counter, value: Any, row: RowWalk, place: Location | None) -> None:
        """Counts every leaf that only the expected document has."""
        leaves = self._leaves(counter, value, place)
        row.lost += len(leaves)
        for leaf, inner, here in leaves:
            leaf.omission += 1
            if here is not None and row.results is not None:
                row.results.lost(here, inner)

    def _extra_keys(
        self, counter: Counter, expected: dict[str, Any], output: dict[str, Any], row: RowWalk, place: Location | None
    ) -> None:
        """Counts every leaf of the keys that only the output has."""
        for key, value in output.items():
            if key not in expected:
                child = counter.keys.get(key) or self.tally.below(counter, key)
                self._extra(self._leaves(child, value, None if place is None else (*place, key)), row)

    def _surplus(self, counter: Counter, output: list[Any], start: int, row: RowWalk, place: Location | None) -> None:
        """Counts every leaf of the items that only the output has, from `start` on. The counter is theirs."""
        for index in range(start, len(output)):
            leaves = self._leaves(counter, output[index], None if place is None else (*place, index))
            for leaf, _, _ in leaves:
                leaf.surplus += 1
            row.surplus += len(leaves)
            self.tally.surplus_items += bool(leaves)
            self._extra(leaves, row)

    def _instead(self, counter: Counter, output: Any, row: RowWalk, place: Location | None) -> None:
        """Counts what the output has where the expected document has something of another kind."""
        if output.__class__ is list and output:
            self._surplus(counter.items or self.tally.items(counter), output, 0, row, place)
        else:
            self._extra(self._leaves(counter, output, place), row)

    def _extra(self, leaves: Leaves, row: RowWalk) -> None:
        row.extra += len(leaves)
        for leaf, inner, here in leaves:
            leaf.hallucination += 1
            if here is not None and row.results is not None:
                row.results.extra(here, inner)

    def _leaves(self, counter: Counter, value: Any, place: Location | None) -> Leaves:
        """Every leaf of a value, in document order."""
        if counter.skip:
            return []
        if not value or (value.__class__ is not dict and value.__class__ is not list):
            return [(counter, value, place)]
        found: Leaves = []
        if value.__class__ is dict:
            for key, inner in value.items():
                child = counter.keys.get(key) or self.tally.below(counter, key)
                found += self._leaves(child, inner, None if place is None else (*place, key))
        else:
            child = counter.items or self.tally.items(counter)
            for inner, here in zip(value, _places(place), strict=False):
                found += self._leaves(child, inner, here)
        return found

    def _unskipped(self, counter: Counter, value: dict[str, Any]) -> dict[str, Any]:
        """An object without the keys that are left out."""
        below = self.tally.below
        return {key: inner for key, inner in value.items() if not below(counter, key).skip}


def _places(place: Location | None) -> Iterable[Location | None]:
    """The places of the items of a list."""
    return repeat(None) if place is None else ((*place, index) for index in count())
