"""Open trees, fast: both documents are walked at once, and leaves are counted by path without making a path.

Most leaves match, so matches are counted by the object and not by the leaf: each distinct tuple of keys (a *shape*) of an
object at a path has one counter, and every key of a shape is taken for a matched leaf until the walk finds otherwise and
takes it back (`less`). Paths have `[*]` for every index. They grow with the documents up to a cap; beyond it they share
one counter, which says so by its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from gc import is_tracked
from typing import Any, Final

from evaluators.fields.open_tree import OpenTree, folded_names, is_leaf, verdict_of_counts
from evaluators.fields.path_check import PathCheck
from evaluators.fields.path_details import SURPLUS_ITEMS, SURPLUS_ROWS, SURPLUS_VALUES, Detail
from evaluators.model import MISSING, Verdict
from evaluators.values.paths import ANY, Path

Counts = tuple[int, int, int, int]
RowCounts = tuple[int, int, int, int, int]
"""Match, mismatch, omission, hallucination, and how many of the last stand in items that only the output has."""

PATH_CAP: Final = 20_000
"""Paths that one check counts apart. Far fewer are reported; so many make the figures the same for any split."""
SHAPE_CAP: Final = 500
MEMO: Final = 10_000
"""Verdicts that one evaluator remembers."""
OVERFLOW: Final = "(other paths)"


class KeyShape:
    """The objects at one path that have the same keys in the same order."""

    __slots__ = ("children", "seen", "skips")

    def __init__(self, children: dict[str, Counter]) -> None:
        self.seen = 0
        self.children = children
        self.skips = any(child.skip for child in children.values())


class Counter:
    """The tallies of one path, and the counters of the paths below it."""

    __slots__ = (
        "direct",
        "hallucination",
        "items",
        "keys",
        "less",
        "mismatch",
        "name",
        "omission",
        "shapes",
        "skip",
        "surplus",
    )

    def __init__(self, name: tuple[Any, ...], skip: bool = False) -> None:
        self.name = name
        self.skip = skip
        self.keys: dict[Any, Counter] = {}
        self.items: Counter | None = None  # the counter of every index, which is in `keys` as well
        self.shapes: dict[tuple[str, ...], KeyShape] = {}
        self.direct = self.less = self.mismatch = self.omission = self.hallucination = self.surplus = 0


class PathTally:
    """The counters of one evaluator, by path."""

    def __init__(self, tree: OpenTree, cap: int = PATH_CAP) -> None:
        self.tree = tree
        self.cap = cap
        self.made = 0
        self.surplus_items = self.surplus_rows = 0
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

    def items(self, counter: Counter) -> Counter:
        """The counter that the items of a list share, made at its first use."""
        counter.items = self.below(counter, ANY)
        return counter.items

    def shape(self, counter: Counter, keys: tuple[str, ...]) -> KeyShape:
        """The shape of an object at a path, made at its first use."""
        if len(counter.shapes) >= SHAPE_CAP:
            settle_shapes(counter)
        found = counter.shapes[keys] = KeyShape({key: self.below(counter, key) for key in keys})
        return found

    def counts(self) -> dict[str, Counts]:
        """(match, mismatch, omission, hallucination) by display path, sorted by path."""
        everything = [*_all(self.root), self.overflow]
        for counter in everything:
            settle_shapes(counter)
        found = {
            self._path(counter): (
                counter.direct - counter.less,
                counter.mismatch,
                counter.omission,
                counter.hallucination,
            )
            for counter in everything
        }
        return {path: counts for path, counts in sorted(found.items()) if any(counts)}

    def details(self) -> dict[Detail, int]:
        """The items that only the output has, in how many rows, and their values by path."""
        if not self.surplus_rows:
            return {}
        found = {("", SURPLUS_ITEMS, 1): self.surplus_items, ("", SURPLUS_ROWS, 1): self.surplus_rows}
        for counter in (*_all(self.root), self.overflow):
            if counter.surplus:
                found[self._path(counter), SURPLUS_VALUES, 1] = counter.surplus
        return found

    def _path(self, counter: Counter) -> str:
        return OVERFLOW if counter is self.overflow else Path(counter.name).canonical

    def _skips(self, name: tuple[Any, ...]) -> bool:
        return self.tree.skips(name)


class OpenCheck(PathCheck):
    """The fast check of an open tree: (expected, output) → verdict. An unreadable output is MISSING."""

    def __init__(self, tree: OpenTree, pass_at: float) -> None:
        self.tree = tree
        self.pass_at = pass_at
        self.tally = PathTally(tree)
        self._plain = not tree.skip and not tree.fold_keys
        self._known: dict[RowCounts, Verdict] = {}
        self._perfect: dict[int, Verdict] = {}

    def counted(self) -> PathTally:
        return self.tally

    def watching(self, paths: Sequence[str]) -> WatchedCheck:
        return WatchedCheck(self, paths)

    def __call__(self, expected: Any, output: Any) -> Verdict:
        if output is expected and self._plain and self.tree.depth is None:
            match = self._all_match(self.tally.root, expected)
            return self._perfect.get(match) or self._all_matched(match)
        counts = self.count(expected, output)
        return self._known.get(counts) or self._verdict(counts)

    def count(self, expected: Any, output: Any) -> RowCounts:
        """What the row comes to, tallied by path as well."""
        root = self.tally.root
        if root.skip:
            return 0, 0, 0, 0, 0
        if self.tree.depth == 1:
            return *self._top(root, expected, output if output.__class__ is dict else {}), 0
        if output is expected:
            return self._all_match(root, expected), 0, 0, 0, 0
        if output is MISSING:
            return 0, 0, self._lost(root, expected), 0, 0
        wrong = [0, 0, 0, 0]
        match = self._walk(root, expected, output, wrong)
        if wrong[3]:
            self.tally.surplus_rows += 1
        return match, wrong[0], wrong[1], wrong[2] + wrong[3], wrong[3]

    def _all_matched(self, match: int) -> Verdict:
        """The verdict of a row whose leaves all match."""
        found = self._perfect.get(match)
        if found is None:
            found = self._verdict((match, 0, 0, 0, 0))
            if len(self._perfect) < MEMO:
                self._perfect[match] = found
        return found

    def _verdict(self, counts: RowCounts) -> Verdict:
        found = self._known.get(counts)
        if found is None:
            found = verdict_of_counts(self.tree, counts[:4], counts[4], self.pass_at)
            if len(self._known) < MEMO:
                self._known[counts] = found
        return found

    def _top(self, root: Counter, expected: dict[str, Any], output: dict[str, Any]) -> Counts:
        """Top-level values, compared whole."""
        keys = tuple(expected)
        shape = root.shapes.get(keys) or self.tally.shape(root, keys)
        if shape.skips:
            expected, output = self._unskipped(root, expected), self._unskipped(root, output)
            keys = tuple(expected)
            shape = root.shapes.get(keys) or self.tally.shape(root, keys)
        shape.seen += 1
        whole = len(keys)
        if output is expected:
            return whole, 0, 0, 0
        equal = self.tree.same
        mismatch = omission = hallucination = 0
        for key, value in expected.items():
            try:
                actual = output[key]
            except KeyError:
                child = shape.children[key]
                child.omission += 1
                child.less += 1
                omission += 1
                continue
            if actual is value:
                continue
            kind = value.__class__
            if kind is actual.__class__ and kind is not dict and kind is not list and value == actual:
                continue
            if not equal(value, actual):
                child = shape.children[key]
                child.mismatch += 1
                child.less += 1
                mismatch += 1
        if len(output) > whole - omission:
            for key in output:
                if key not in expected and not (counter := root.keys.get(key) or self.tally.below(root, key)).skip:
                    counter.hallucination += 1
                    hallucination += 1
        return whole - mismatch - omission, mismatch, omission, hallucination

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

    def _walk(self, counter: Counter, expected: Any, output: Any, wrong: list[int]) -> int:
        """Two values at the same place, both there: the matches, and in `wrong` what else was counted."""
        kind, other = expected.__class__, output.__class__
        if kind is not dict and kind is not list and other is not dict and other is not list:
            if self.tree.same(expected, output):
                counter.direct += 1
                return 1
            counter.mismatch += 1
            wrong[0] += 1
            return 0
        if kind is dict and other is dict and expected and output:
            return self._walk_keys(counter, expected, output, wrong)
        if kind is list and other is list and expected and output:
            return self._walk_items(counter, expected, output, wrong)
        if not is_leaf(expected):
            wrong[1] += self._lost(counter, expected)
            self._instead(counter, output, wrong)
        elif is_leaf(output) and self.tree.same(expected, output):
            counter.direct += 1
            return 1
        else:
            counter.mismatch += 1
            wrong[0] += 1
            if not is_leaf(output):
                self._instead(counter, output, wrong)
        return 0

    def _walk_keys(self, counter: Counter, expected: dict[str, Any], output: dict[str, Any], wrong: list[int]) -> int:
        keys = tuple(expected)
        shape = counter.shapes.get(keys) or self.tally.shape(counter, keys)
        if not self._plain:
            if shape.skips or self.tree.skip:
                kept, rest = self._unskipped(counter, expected), self._unskipped(counter, output)
                if len(kept) != len(expected) or len(rest) != len(output):
                    if kept:
                        return self._walk_keys(counter, kept, rest, wrong)
                    wrong[2] += sum([self._extra(self.tally.below(counter, key), value) for key, value in rest.items()])
                    return 0
            if self.tree.fold_keys:
                names = {theirs: ours for ours, theirs in folded_names(expected, output).items()}
                output = {names.get(key, key): value for key, value in output.items()}
        shape.seen += 1
        match, missing = len(keys), 0
        for key, value in expected.items():
            try:
                actual = output[key]
            except KeyError:
                child = shape.children[key]
                child.less += 1
                match -= 1
                missing += 1
                wrong[1] += self._lost(child, value)
                continue
            kind = value.__class__
            if kind is str:
                if value == actual:
                    continue
            elif kind is dict:
                if actual.__class__ is dict and value and actual:
                    child = shape.children[key]
                    child.less += 1
                    if actual is value:
                        match += self._match_keys(child, value) - 1
                    else:
                        match += self._walk_keys(child, value, actual, wrong) - 1
                    continue
            elif kind is list:
                if actual.__class__ is list and value and actual:
                    child = shape.children[key]
                    child.less += 1
                    if actual is value:
                        match += self._match_items(child, value) - 1
                    else:
                        match += self._walk_items(child, value, actual, wrong) - 1
                    continue
            elif value == actual and kind is actual.__class__:
                continue
            child = shape.children[key]
            child.less += 1
            match += self._walk(child, value, actual, wrong) - 1
        if len(output) > len(keys) - missing:
            for key, actual in output.items():
                if key not in expected:
                    wrong[2] += self._extra(counter.keys.get(key) or self.tally.below(counter, key), actual)
        return match

    def _walk_items(self, counter: Counter, expected: list[Any], output: list[Any], wrong: list[int]) -> int:
        child = counter.items or self.tally.items(counter)
        if child.skip:
            return 0
        direct = below = 0
        for value, actual in zip(expected, output, strict=False):
            kind = value.__class__
            if kind is str:
                if value == actual:
                    direct += 1
                    continue
            elif kind is dict:
                if actual.__class__ is dict and value and actual:
                    below += self._walk_keys(child, value, actual, wrong)
                    continue
            elif kind is not list and value == actual and kind is actual.__class__:
                direct += 1
                continue
            below += self._walk(child, value, actual, wrong)
        child.direct += direct
        if len(expected) != len(output):
            for value in expected[len(output) :]:
                wrong[1] += self._lost(child, value)
            if len(output) > len(expected):
                wrong[3] += self._surplus(child, output[len(expected) :])
        return direct + below

    def _lost(self, counter: Counter, value: Any) -> int:
        """Counts every leaf that only the expected document has."""
        if value.__class__ is not dict and value.__class__ is not list and not counter.skip:
            counter.omission += 1
            return 1
        leaves = self._leaf_counters(counter, value)
        for leaf in leaves:
            leaf.omission += 1
        return len(leaves)

    def _extra(self, counter: Counter, value: Any) -> int:
        """Counts every leaf that only the output has."""
        if value.__class__ is not dict and value.__class__ is not list and not counter.skip:
            counter.hallucination += 1
            return 1
        leaves = self._leaf_counters(counter, value)
        for leaf in leaves:
            leaf.hallucination += 1
        return len(leaves)

    def _instead(self, counter: Counter, output: Any, wrong: list[int]) -> None:
        """Counts what the output has where the expected document has something of another kind."""
        if output.__class__ is list and output:
            child = counter.items or self.tally.items(counter)
            wrong[3] += self._surplus(child, output)
        else:
            wrong[2] += self._extra(counter, output)

    def _surplus(self, counter: Counter, items: list[Any]) -> int:
        """Counts every leaf of items that only the output has."""
        whole = 0
        for item in items:
            leaves = self._leaf_counters(counter, item)
            for leaf in leaves:
                leaf.hallucination += 1
                leaf.surplus += 1
            whole += len(leaves)
            self.tally.surplus_items += bool(leaves)
        return whole

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
                child = place.items or self.tally.items(place)
                pending += [(child, one) for one in inner]
            else:
                found.append(place)
        return found

    def _unskipped(self, counter: Counter, value: dict[str, Any]) -> dict[str, Any]:
        """An object without the keys that are left out."""
        below = self.tally.below
        return {key: inner for key, inner in value.items() if not below(counter, key).skip}


class WatchedCheck(PathCheck):
    """The check of an open tree, which also says of each row what became of some fields."""

    def __init__(self, check: OpenCheck, paths: Sequence[str]) -> None:
        self.check = check
        self.tally = check.tally
        self.paths = tuple(paths)

    def counted(self) -> PathTally:
        return self.tally

    def watching(self, paths: Sequence[str]) -> WatchedCheck:
        return WatchedCheck(self.check, paths)

    def __call__(self, expected: Any, output: Any) -> Verdict:
        verdict = self.check(expected, output)
        row = OpenCheck(self.check.tree, self.check.pass_at)  # counts this row alone
        if any(verdict.counts or ()):
            row.count(expected, output)
        counts = row.tally.counts()
        return verdict._replace(watched=tuple(counts.get(path, _NOTHING) for path in self.paths))


_NOTHING: Final[Counts] = (0, 0, 0, 0)


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
