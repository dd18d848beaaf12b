"""Counters by path for whole documents, which count by the object and not by the leaf.

Most leaves match: each distinct tuple of keys (a *shape*) of an object at a path has one counter, and every key of a shape is
taken for a matched leaf until the walk finds otherwise and takes it back (`less`). Paths have `[*]` for every index. They
grow with the documents up to a cap; beyond it they share one counter, which says so by its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from evaluators.fields.open_tree import OpenTree
from evaluators.fields.path_details import OVERFLOW, SURPLUS_ITEMS, SURPLUS_ROWS, SURPLUS_VALUES, Detail
from evaluators.values.paths import ANY, Path

Counts = tuple[int, int, int, int]
"""Match, mismatch, omission, hallucination."""

PATH_CAP: Final = 20_000
"""Paths that one check counts apart. Far fewer are reported; so many make the figures the same for any split."""
SHAPE_CAP: Final = 500
"""Shapes of one path that are counted apart before their counts are handed down."""


class KeyShape:
    """The objects at one path that have the same keys in the same order."""

    __slots__ = ("children", "seen", "skips")

    def __init__(self, children: dict[str, Counter]) -> None:
        self.seen = 0
        self.children = children
        self.skips = any(child.skip for child in children.values())

    def settle(self) -> None:
        """Hands its count down to the paths of its keys."""
        if self.seen:
            for child in self.children.values():
                child.direct += self.seen
            self.seen = 0


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
        "path",
        "shapes",
        "skip",
        "surplus",
    )

    def __init__(self, name: tuple[Any, ...], skip: bool = False) -> None:
        self.name = name
        self.skip = skip
        self.path: str | None = None
        """Its spelling, once somebody asked."""
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
        self.root = Counter((), tree.skips(()))
        self._counters = [self.root, self.overflow]
        self._shapes: list[KeyShape] = []

    def below(self, counter: Counter, key: Any) -> Counter:
        """The counter of a key, made at its first use. `ANY` stands for every index."""
        found = counter.keys.get(key)
        if found is not None:
            return found
        name = (*counter.name, key)
        skip = self.tree.skips(name)
        full = self.made >= self.cap or counter is self.overflow
        if full and not skip and not self.tree.leads_to_skipped(name):
            return self.overflow
        self.made += 1
        found = counter.keys[key] = Counter(name, skip)
        self._counters.append(found)
        return found

    def items(self, counter: Counter) -> Counter:
        """The counter that the items of a list share, made at its first use."""
        counter.items = self.below(counter, ANY)
        return counter.items

    def shape(self, counter: Counter, keys: tuple[str, ...]) -> KeyShape:
        """The shape of an object at a path, made at its first use."""
        if len(counter.shapes) >= SHAPE_CAP:
            self._settle_shapes(counter)
        found = counter.shapes[keys] = KeyShape({key: self.below(counter, key) for key in keys})
        self._shapes.append(found)
        return found

    def _settle_shapes(self, counter: Counter) -> None:
        """Hands the counts of a path's shapes down to the paths of their keys, and forgets the shapes."""
        for shape in counter.shapes.values():
            shape.settle()
        counter.shapes.clear()
        known = {id(shape) for one in self._counters for shape in one.shapes.values()}
        self._shapes = [shape for shape in self._shapes if id(shape) in known]

    def counts(self) -> dict[str, Counts]:
        """(match, mismatch, omission, hallucination) by display path, sorted by path."""
        return dict(sorted(self._counted()))

    def _counted(self) -> Iterator[tuple[str, Counts]]:
        for shape in self._shapes:
            shape.settle()
        for counter in self._counters:
            right = counter.direct - counter.less
            if right or counter.mismatch or counter.omission or counter.hallucination:
                yield self._path(counter), (right, counter.mismatch, counter.omission, counter.hallucination)

    def details(self) -> dict[Detail, int]:
        """The items that only the output has, in how many rows, and their values by path."""
        if not self.surplus_rows:
            return {}
        found = {("", SURPLUS_ITEMS, 1): self.surplus_items, ("", SURPLUS_ROWS, 1): self.surplus_rows}
        for counter in self._counters:
            if counter.surplus:
                found[self._path(counter), SURPLUS_VALUES, 1] = counter.surplus
        return found

    def _path(self, counter: Counter) -> str:
        if counter.path is None:
            counter.path = OVERFLOW if counter is self.overflow else Path(counter.name).canonical
        return counter.path
