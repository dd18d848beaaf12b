"""Open trees, fast: both documents are walked at once, and leaves are counted by path without making a path.

Most leaves match, so matches are counted by the object and not by the leaf: each distinct tuple of keys (a *shape*) of an
object at a path has one counter, and every key of a shape is taken for a matched leaf until the walk finds otherwise and
takes it back (`less`). Paths have `[*]` for every index. They grow with the documents up to a cap; beyond it they share
one counter, which says so by its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from evaluators.fields.open_tree import OpenTree, folded_names, is_leaf, verdict_of_counts
from evaluators.model import MISSING, Verdict
from evaluators.values.paths import ANY, Path

Counts = tuple[int, int, int, int]

PATH_CAP: Final = 2_000
SHAPE_CAP: Final = 500
OVERFLOW: Final = "(other paths)"
_PLAIN: Final = frozenset((str, int, float, bool, type(None)))


class Shape:
    """The objects at one path that have the same keys in the same order."""

    __slots__ = ("children", "seen", "skips")

    def __init__(self, children: dict[str, Counter]) -> None:
        self.seen = 0
        self.children = children
        self.skips = any(child.skip for child in children.values())


class Counter:
    """The tallies of one path, and the counters of the paths below it."""

    __slots__ = ("direct", "hallucination", "keys", "less", "mismatch", "name", "omission", "shapes", "skip")

    def __init__(self, name: tuple[Any, ...], skip: bool = False) -> None:
        self.name = name
        self.skip = skip
        self.keys: dict[Any, Counter] = {}
        self.shapes: dict[tuple[str, ...], Shape] = {}
        self.direct = self.less = self.mismatch = self.omission = self.hallucination = 0


class PathTally:
    """The counters of one evaluator, by path."""

    def __init__(self, tree: OpenTree, cap: int = PATH_CAP) -> None:
        self.tree = tree
        self.cap = cap
        self.made = 0
        self.overflow = Counter((OVERFLOW,))
        self.root = Counter((), self._skips(()))

    def below(self, counter: Counter, key: Any) -> Counter:
        """The counter of a key, made at its first use. `ANY` stands for every index."""
        found = counter.keys.get(key)
        if found is not None:
            return found
        name = (*counter.name, key)
        skip = self._skips(name)
        if not skip and (self.made >= self.cap or counter is self.overflow):
            return self.overflow
        self.made += 1
        found = counter.keys[key] = Counter(name, skip)
        return found

    def shape(self, counter: Counter, keys: tuple[str, ...]) -> Shape:
        """The shape of an object at a path, made at its first use."""
        if len(counter.shapes) >= SHAPE_CAP:
            settle_shapes(counter)
        found = counter.shapes[keys] = Shape({key: self.below(counter, key) for key in keys})
        return found

    def counts(self) -> dict[str, Counts]:
        """(match, mismatch, omission, hallucination) by display path, sorted by path."""
        everything = [*_all(self.root), self.overflow]
        for counter in everything:
            settle_shapes(counter)
        found = {
            OVERFLOW if counter is self.overflow else Path(counter.name).canonical: (
                counter.direct - counter.less,
                counter.mismatch,
                counter.omission,
                counter.hallucination,
            )
            for counter in everything
        }
        return {path: counts for path, counts in sorted(found.items()) if any(counts)}

    def _skips(self, name: tuple[Any, ...]) -> bool:
        return any(path.steps == name for path in self.tree.skip)


class OpenCheck:
    """The fast check of an open tree: (expected, output) → verdict. An unreadable output is MISSING."""

    def __init__(self, tree: OpenTree, pass_at: float) -> None:
        self.tree = tree
        self.pass_at = pass_at
        self.tally = PathTally(tree)
        self._known: dict[Counts, Verdict] = {}

    def __call__(self, expected: Any, output: Any) -> Verdict:
        counts = self.count(expected, output)
        found = self._known.get(counts)
        if found is None:
            found = verdict_of_counts(counts, self.tree.penalize_extra, self.pass_at)
            if len(self._known) < 10_000:
                self._known[counts] = found
        return found

    def count(self, expected: Any, output: Any) -> Counts:
        """The row's (match, mismatch, omission, hallucination), tallied by path as well."""
        root = self.tally.root
        if root.skip:
            return 0, 0, 0, 0
        if self.tree.depth == 1:
            return self._top(root, expected, output if output.__class__ is dict else {})
        if output is expected:
            return self._all_match(root, expected), 0, 0, 0
        if output is MISSING:
            return 0, 0, self._lost(root, expected), 0
        totals = [0, 0, 0, 0]
        self._walk(root, expected, output, totals)
        return totals[0], totals[1], totals[2], totals[3]

    def _top(self, root: Counter, expected: dict[str, Any], output: dict[str, Any]) -> Counts:
        """Top-level values, compared whole."""
        keys = tuple(expected)
        shape = root.shapes.get(keys) or self.tally.shape(root, keys)
        if shape.skips:
            expected, output = self._unskipped(root, expected), self._unskipped(root, output)
            keys = tuple(expected)
            shape = root.shapes.get(keys) or self.tally.shape(root, keys)
        shape.seen += 1
        if output is expected:
            return len(expected), 0, 0, 0
        same, children = self.tree.same, shape.children
        mismatch = omission = hallucination = 0
        for key, value in expected.items():
            actual = output.get(key, MISSING)
            kind = value.__class__
            if kind in _PLAIN and kind is actual.__class__ and value == actual:
                continue
            if actual is MISSING:
                children[key].omission += 1
                omission += 1
            elif same(value, actual):
                continue
            else:
                children[key].mismatch += 1
                mismatch += 1
            children[key].less += 1
        if len(output) > len(expected) - omission:
            for key in output:
                if key not in expected and not (counter := root.keys.get(key) or self.tally.below(root, key)).skip:
                    counter.hallucination += 1
                    hallucination += 1
        return len(expected) - mismatch - omission, mismatch, omission, hallucination

    def _all_match(self, counter: Counter, value: Any) -> int:
        """The number of leaves of a value that equals its counterpart."""
        if value.__class__ is dict and value:
            keys = tuple(value)
            shape = counter.shapes.get(keys) or self.tally.shape(counter, keys)
            if shape.skips:
                kept = self._unskipped(counter, value)
                return self._all_match(counter, kept) if kept else 0
            shape.seen += 1
            total = len(value)
            for key, inner in value.items():
                kind = inner.__class__
                if (kind is dict or kind is list) and inner:
                    child = shape.children[key]
                    child.less += 1
                    total += self._all_match(child, inner) - 1
            return total
        if value.__class__ is list and value:
            child = counter.keys.get(ANY) or self.tally.below(counter, ANY)
            if child.skip:
                return 0
            total = len(value)
            child.direct += total
            for inner in value:
                kind = inner.__class__
                if (kind is dict or kind is list) and inner:
                    child.less += 1
                    total += self._all_match(child, inner) - 1
            return total
        counter.direct += 1
        return 1

    def _walk(self, counter: Counter, expected: Any, output: Any, totals: list[int]) -> None:
        """Two values at the same place, both there, counted."""
        kind, other = expected.__class__, output.__class__
        if kind is dict and other is dict and expected and output:
            self._walk_keys(counter, expected, output, totals)
        elif kind is list and other is list and expected and output:
            self._walk_items(counter, expected, output, totals)
        elif not is_leaf(expected):
            totals[2] += self._lost(counter, expected)
            totals[3] += self._extra(counter, output)
        elif is_leaf(output) and self.tree.same(expected, output):
            counter.direct += 1
            totals[0] += 1
        else:
            counter.mismatch += 1
            totals[1] += 1
            if not is_leaf(output):
                totals[3] += self._extra(counter, output)

    def _walk_keys(self, counter: Counter, expected: dict[str, Any], output: dict[str, Any], totals: list[int]) -> None:
        keys = tuple(expected)
        shape = counter.shapes.get(keys) or self.tally.shape(counter, keys)
        if shape.skips or self.tree.skip:
            kept, rest = self._unskipped(counter, expected), self._unskipped(counter, output)
            if len(kept) != len(expected) or len(rest) != len(output):
                if not kept:
                    totals[3] += sum([self._extra(self.tally.below(counter, key), value) for key, value in rest.items()])
                else:
                    self._walk_keys(counter, kept, rest, totals)
                return
        if self.tree.fold_keys:
            names = {theirs: ours for ours, theirs in folded_names(expected, output).items()}
            output = {names.get(key, key): value for key, value in output.items()}
        shape.seen += 1
        match, missing, children = len(expected), 0, shape.children
        for key, value in expected.items():
            actual = output.get(key, MISSING)
            kind = value.__class__
            if kind in _PLAIN and kind is actual.__class__ and value == actual:
                continue
            match -= 1
            child = children[key]
            child.less += 1
            if actual is MISSING:
                missing += 1
                totals[2] += self._lost(child, value)
            else:
                self._walk(child, value, actual, totals)
        totals[0] += match
        if len(output) > len(expected) - missing:
            for key, actual in output.items():
                if key not in expected:
                    totals[3] += self._extra(counter.keys.get(key) or self.tally.below(counter, key), actual)

    def _walk_items(self, counter: Counter, expected: list[Any], output: list[Any], totals: list[int]) -> None:
        child = counter.keys.get(ANY) or self.tally.below(counter, ANY)
        if child.skip:
            return
        for ours, theirs in zip(expected, output, strict=False):
            self._walk(child, ours, theirs, totals)
        for ours in expected[len(output) :]:
            totals[2] += self._lost(child, ours)
        for theirs in output[len(expected) :]:
            totals[3] += self._extra(child, theirs)

    def _lost(self, counter: Counter, value: Any) -> int:
        """Counts every leaf that only the expected document has."""
        leaves = self._leaf_counters(counter, value)
        for leaf in leaves:
            leaf.omission += 1
        return len(leaves)

    def _extra(self, counter: Counter, value: Any) -> int:
        """Counts every leaf that only the output has."""
        leaves = self._leaf_counters(counter, value)
        for leaf in leaves:
            leaf.hallucination += 1
        return len(leaves)

    def _leaf_counters(self, counter: Counter, value: Any) -> list[Counter]:
        """The counter of every leaf of a value, one entry per leaf."""
        found: list[Counter] = []
        pending = [(counter, value)]
        for place, inner in pending:
            if place.skip:
                continue
            if inner.__class__ is dict and inner:
                pending += [(self.tally.below(place, key), one) for key, one in inner.items()]
            elif inner.__class__ is list and inner:
                child = self.tally.below(place, ANY)
                pending += [(child, one) for one in inner]
            else:
                found.append(place)
        return found

    def _unskipped(self, counter: Counter, value: dict[str, Any]) -> dict[str, Any]:
        """An object without the keys that are left out."""
        below = self.tally.below
        return {key: inner for key, inner in value.items() if not below(counter, key).skip}


def settle_shapes(counter: Counter) -> None:
    """Hands the counts of a path's shapes down to the paths of their keys."""
    for shape in counter.shapes.values():
        for child in shape.children.values():
            child.direct += shape.seen
    counter.shapes.clear()


def _all(counter: Counter) -> Iterator[Counter]:
    pending = [counter]
    for place in pending:
        yield place
        pending += place.keys.values()
