"""The walk of whole documents: those of a chunk at once, place by place.

What is compared are pairs of values that stand at one place in all the rows. Objects with the same keys give a column of values for
each key, and two columns are compared with one call. A leaf matches unless there is a *finding* for it, so results are counted by the
lengths of columns, less their findings. What one side has as a whole, lost or extra, is one finding; its leaves, and those of parts
that are equal, are only counted. LeafFindings know the frame that they were made in, which gives their places and both values to whoever
wants them. Objects whose keys few others have are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from gc import is_tracked
from itertools import chain, compress, repeat
from operator import is_, is_not, itemgetter
from typing import Any, Final, TypeAlias

from evaluators.fields.frame import CONTAINERS, SURE, Frame, differing, in_order, of_rows
from evaluators.fields.instance_paths import Unpaired
from evaluators.fields.open_tree import Location, OpenTree, RowCounts, renamed
from evaluators.fields.path_tally import Counts, Name, PathTally
from evaluators.model import MISSING, Status
from evaluators.value_class import NamedTuple
from evaluators.values.equality import same
from evaluators.values.paths import ANY, display

MATCH, MISMATCH, OMISSION, HALLUCINATION = Status.MATCH, Status.MISMATCH, Status.OMISSION, Status.HALLUCINATION
FEW: Final = 4
"""Fewer objects with the same keys are sooner looked at one by one."""


class LeafFindings(NamedTuple):
    """Leaves of one place that do not match, or all that one side has there."""

    status: Status
    name: Name
    frame: Frame
    places: Sequence[int]
    """Their positions in the frame."""
    key: str | None = None
    """The key of the objects in the frame that they stand at; None where it is the pairs themselves."""

    def location(self, at: int) -> Location:
        """The keys and indexes of one of them."""
        steps: Any = self.frame.where(at)
        location = tuple(step.index if step.__class__ is Unpaired else step for step in steps)
        return location if self.key is None else (*location, self.key)

    def values(self, at: int) -> tuple[Any, Any]:
        """The expected value of one of them, and that of the output."""
        ours, theirs = self.frame.e[at], self.frame.o[at]
        return (ours, theirs) if self.key is None else (ours.get(self.key, MISSING), theirs.get(self.key, MISSING))


class _OnePlace(NamedTuple):
    """What leaves are that need no comparing, and where they stand."""

    status: Status
    name: Name
    surplus: bool = False
    """They stand in items that only the output has."""


LeafColumn: TypeAlias = tuple[Status, Sequence[Name], Sequence[int], bool]
"""What leaves of some places are, in some rows, and whether they stand in items that only the output has."""

_Parts: TypeAlias = "dict[Any, tuple[Sequence[Any], Sequence[int]]]"
"""Values and their rows, by kind."""


class OpenWalk:
    """What becomes of the documents of a chunk. An unreadable output is MISSING. Who makes it releases it."""

    def __init__(self, tree: OpenTree, expected: Sequence[Any], outputs: Sequence[Any]) -> None:
        self.tree = tree
        self.columns: list[LeafColumn] = []
        self.findings: list[LeafFindings] = []
        """Leaves of columns that are no match."""
        self.apart: list[LeafFindings] = []
        """What only one side has, each as a whole. Its leaves have columns of their own."""
        self.surplus_items = 0
        self._flat, self._skipping = tree.depth is not None, bool(tree.skip)
        self._waiting: list[tuple[Name, Frame]] = []
        self._sides: dict[_OnePlace, tuple[list[Any], list[int]]] = {}
        if tree.fold_keys:
            outputs = [renamed(one, other) for one, other in zip(expected, outputs, strict=True)]
        if self._flat:
            outputs = [one if one.__class__ is dict else {} for one in outputs]
        self.expected, self.outputs = expected, outputs
        self._frames = of_rows(expected, outputs)
        try:
            self._go()
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Lets go of the frames, and of what was found in them."""
        for frame in self._frames:
            frame.release()
        self.findings, self.apart = [], []

    def _go(self) -> None:
        """Sees the documents, and all below. What is below waits in lists, not on the stack: documents may be deep."""
        for frame in self._frames if not self.tree.skips(()) else ():
            if frame.o is not frame.e:
                (self._objects if self._flat else self._pairs)((), frame)
            else:
                (self._objects_alone if self._flat else self._one_side)(_OnePlace(MATCH, ()), frame.e, frame.rows)
        while self._waiting:
            self._pairs(*self._waiting.pop())
        while self._sides:
            side = next(iter(self._sides))
            self._one_side(side, *self._sides.pop(side))

    # Both sides

    def _pairs(self, name: Name, frame: Frame) -> None:
        """Pairs at one place, of which the expected side is there."""
        e, o = frame.e, frame.o
        if CONTAINERS.isdisjoint(map(type, e)):
            self._leaves(name, frame)
            return
        alike = list(compress(range(len(e)), map(is_, e, o)))
        if alike:  # parts that are equal are one object
            self._later(_OnePlace(MATCH, name), [e[at] for at in alike], [frame.rows[at] for at in alike])
        places: dict[type | Status | None, list[int]] = {}
        for at in compress(range(len(e)), map(is_not, e, o)):
            one, other = e[at], o[at]
            kind: type | Status | None = one.__class__
            if not one or kind not in CONTAINERS:
                kind = None
            elif not other or other.__class__ is not kind:
                kind = OMISSION
            places.setdefault(kind, []).append(at)
        for kind, chosen in places.items():
            _WAYS[kind](self, name, frame.part(chosen))

    def _leaves(self, name: Name, frame: Frame) -> None:
        e, o = frame.e, frame.o
        self.columns.append((MATCH, (name,), frame.rows, False))
        self._compare(name, frame, None, [(at, e[at], o[at]) for at in frame.differing()])

    def _compare(self, name: Name, frame: Frame, key: str | None, pairs: Iterable[tuple[int, Any, Any]]) -> None:
        """Expected leaves, with their positions, and what is not the same value."""
        alike, flat = self.tree.same, self._flat
        lost: list[int] = []
        wrong: list[int] = []
        instead: list[int] = []
        for at, one, other in pairs:
            if other is MISSING:
                lost.append(at)
            elif not flat and other and other.__class__ in CONTAINERS:
                wrong.append(at)
                instead.append(at)
            elif alike is same or not alike(one, other):
                wrong.append(at)
        if lost:
            self.findings.append(LeafFindings(OMISSION, name, frame, lost, key))
        if wrong:
            self.findings.append(LeafFindings(MISMATCH, name, frame, wrong, key))
        if instead:
            self._instead(LeafFindings(HALLUCINATION, name, frame, instead, key))

    def _lost(self, name: Name, frame: Frame) -> None:
        """Contents that the output lacks, and what it has in their place."""
        self.apart.append(LeafFindings(OMISSION, name, frame, range(len(frame.rows))))
        self._later(_OnePlace(OMISSION, name), frame.e, frame.rows)
        instead = [at for at, value in enumerate(frame.o) if value is not MISSING]
        if instead:
            self._instead(LeafFindings(HALLUCINATION, name, frame, instead))

    def _instead(self, found: LeafFindings) -> None:
        """What the output has where something of another kind is expected. All items of a list are more than are expected."""
        self.apart.append(found)
        for at in found.places:
            value, row = found.values(at)[1], found.frame.rows[at]
            if value and value.__class__ is list:
                self._surplus((*found.name, ANY), value, [row] * len(value))
            else:
                self._later(_OnePlace(HALLUCINATION, found.name), [value], [row])

    def _surplus(self, name: Name, items: Sequence[Any], rows: Sequence[int]) -> None:
        """Items that only the output has."""
        if self._skips(name):
            return
        if self.tree.skip:
            some = [next(self.tree.leaves(item, name), None) is not None for item in items]
            items, rows = list(compress(items, some)), list(compress(rows, some))
        self.surplus_items += len(items)
        self._later(_OnePlace(HALLUCINATION, name, True), items, rows)

    def _lists(self, name: Name, frame: Frame) -> None:
        """Lists with contents, item by item."""
        here = (*name, ANY)
        if self._skips(here):
            return
        items = in_order(frame)
        self._waiting.append((here, items.pairs))
        if extra := items.surplus.rows:
            self.apart.append(LeafFindings(HALLUCINATION, here, items.surplus, range(len(extra))))
            self._surplus(here, items.surplus.o, extra)

    def _objects(self, name: Name, frame: Frame) -> None:
        """Objects with contents, key by key: those with the same keys together."""
        shapes = list(map(tuple, frame.e))
        groups: dict[tuple[str, ...], list[int]] = {}
        if shapes.count(shapes[0]) == len(shapes):
            groups[shapes[0]] = list(range(len(shapes)))
        else:
            for at, keys in enumerate(shapes):
                groups.setdefault(keys, []).append(at)
        inner: dict[str, list[int]] = {}
        odd: list[int] = []
        for keys, places in groups.items():
            if len(places) < FEW or not keys:
                odd += places
            else:
                self._alike(name, frame, places, keys, inner)
        if odd:
            self._one_by_one(name, frame, odd, inner)
        for key, places in inner.items():
            places.sort()  # rows are in order in every frame
            e, o = [frame.e[at][key] for at in places], [frame.o[at].get(key, MISSING) for at in places]
            self._waiting.append(((*name, key), Frame(e, o, [frame.rows[at] for at in places], frame, places, key)))

    def _alike(
        self, name: Name, frame: Frame, places: list[int], keys: Sequence[str], inner: dict[str, list[int]]
    ) -> None:
        """Objects of which the expected ones have the same keys. What has contents is left for later."""
        everywhere = len(places) == len(frame.rows)
        given = frame.o if everywhere else [frame.o[at] for at in places]
        columns, lacking = _values(given, keys)
        leaves: list[Name] = []
        ours = zip(*[frame.e[at].values() for at in places], strict=True)
        for key, e, o in zip(keys, ours, columns, strict=False):
            here = (*name, key)
            if self._skipping and self.tree.skips(here):
                continue
            kinds = set(map(type, e))
            if self._flat or CONTAINERS.isdisjoint(kinds):
                leaves.append(here)
                if wrong := differing(e, o, kinds if kinds <= SURE else kinds.union(map(type, o))):
                    self._compare(here, frame, key, [(places[at], e[at], o[at]) for at in wrong])
            else:
                inner[key] = inner.get(key, []) + places
        rows = frame.rows if everywhere else [frame.rows[at] for at in places]
        self.columns.append((MATCH, leaves, rows, False))
        size = len(keys)
        odd = [at for at, value in enumerate(given) if len(value) != size]
        if lacking:
            odd += [at for at in lacking if len(given[at]) == size]
        if odd:
            self._extra(name, frame, [places[at] for at in odd])

    def _one_by_one(self, name: Name, frame: Frame, places: list[int], inner: dict[str, list[int]]) -> None:
        """Objects whose keys few others have. What has contents is left for later."""
        skipping, flat = self._skipping, self._flat
        wrong: dict[str, list[tuple[int, Any, Any]]] = {}
        for at in places:
            theirs, leaves = frame.o[at], list[Name]()
            for key, one in frame.e[at].items():
                here, other = (*name, key), theirs.get(key, MISSING)
                if skipping and self.tree.skips(here):
                    continue
                if one.__class__ in CONTAINERS and one and not flat:
                    if one is other:
                        self._later(_OnePlace(MATCH, here), [one], [frame.rows[at]])
                    else:
                        inner.setdefault(key, []).append(at)
                    continue
                leaves.append(here)
                if one is not other and not same(one, other):
                    wrong.setdefault(key, []).append((at, one, other))
            self.columns.append((MATCH, leaves, (frame.rows[at],), False))
        for key, pairs in wrong.items():
            self._compare((*name, key), frame, key, pairs)
        self._extra(name, frame, places)

    def _extra(self, name: Name, frame: Frame, places: Iterable[int]) -> None:
        """Keys that only the output has, of some objects."""
        found: dict[str, list[int]] = {}
        for at in places:
            ours = frame.e[at]
            for key in frame.o[at]:
                if key not in ours:
                    found.setdefault(key, []).append(at)
        for key, chosen in found.items():
            here = (*name, key)
            if not self._skips(here):
                self.apart.append(LeafFindings(HALLUCINATION, here, frame, chosen, key))
                rows = frame.rows
                self._later(
                    _OnePlace(HALLUCINATION, here), [frame.o[at][key] for at in chosen], [rows[at] for at in chosen]
                )

    def _skips(self, name: Name) -> bool:
        return self._skipping and self.tree.skips(name)

    # One side

    def _later(self, side: _OnePlace, values: Iterable[Any], rows: Iterable[int]) -> None:
        """Values whose leaves will be counted."""
        waiting = self._sides.get(side)
        if waiting is None:
            waiting = self._sides[side] = [], []
        waiting[0].extend(values)
        waiting[1].extend(rows)

    def _one_side(self, side: _OnePlace, values: Sequence[Any], rows: Sequence[int]) -> None:
        """Counts the leaves of some values."""
        status, name, surplus = side
        kinds = set(map(type, values))
        if CONTAINERS.isdisjoint(kinds) or (self._flat and name):
            self.columns.append((status, (name,), rows, surplus))
            return
        if len(kinds) == 1 and all(values):
            parts: _Parts = {kinds.pop(): (values, rows)}
        else:
            parts = _parted(
                [one.__class__ if one and one.__class__ in CONTAINERS else None for one in values], values, rows
            )
        for kind, (some, their_rows) in parts.items():
            if kind is dict:
                self._objects_alone(side, some, their_rows)
            elif kind is list:
                self._lists_alone(side, some, their_rows)
            else:
                self.columns.append((status, (name,), their_rows, surplus))

    def _lists_alone(self, side: _OnePlace, values: Sequence[Any], rows: Sequence[int]) -> None:
        here = (*side.name, ANY)
        if not self._skips(here):
            repeated = chain.from_iterable(map(repeat, rows, map(len, values)))
            self._later(side._replace(name=here), chain.from_iterable(values), repeated)

    def _objects_alone(self, side: _OnePlace, values: Sequence[Any], rows: Sequence[int]) -> None:
        status, name, surplus = side
        shapes = list(map(tuple, values))
        groups: _Parts = (
            {shapes[0]: (values, rows)} if shapes.count(shapes[0]) == len(shapes) else _parted(shapes, values, rows)
        )
        for keys, (some, their_rows) in groups.items():
            if len(some) < FEW:
                for one, row in zip(some, their_rows, strict=True):
                    self._object_alone(side, one, row)
                continue
            leaves = [(*name, key) for key in keys]
            if self._skipping or any(map(is_tracked, some)):  # the garbage collector knows that others hold no container
                leaves = self._contents(side, keys, some, their_rows)
            self.columns.append((status, leaves, their_rows, surplus))

    def _object_alone(self, side: _OnePlace, one: dict[str, Any], row: int) -> None:
        leaves = []
        for key, value in one.items():
            here = (*side.name, key)
            if self._skipping and self.tree.skips(here):
                continue
            if value.__class__ in CONTAINERS and value and not self._flat:
                self._later(_OnePlace(side.status, here, side.surplus), [value], [row])
            else:
                leaves.append(here)
        self.columns.append((side.status, leaves, (row,), side.surplus))

    def _contents(self, side: _OnePlace, keys: Sequence[str], values: Sequence[Any], rows: Sequence[int]) -> list[Name]:
        """Puts off the keys of some objects that have contents; gives the places of the others."""
        leaves = []
        for key, column in zip(keys, zip(*map(dict.values, values), strict=True), strict=True):
            here = (*side.name, key)
            if self._skips(here):
                continue
            if self._flat or CONTAINERS.isdisjoint(map(type, column)):
                leaves.append(here)
            else:
                self._later(_OnePlace(side.status, here, side.surplus), column, rows)
        return leaves

    # What was found

    def counts(self) -> list[RowCounts]:
        """What each row comes to."""
        right, wrong, lost, extra, surplus = ([0] * len(self.expected) for _ in range(5))
        into = {MATCH: right, MISMATCH: wrong, OMISSION: lost, HALLUCINATION: extra}
        for status, names, rows, in_surplus in self.columns:
            times = len(names)
            for counts in (into[status], surplus) if in_surplus else (into[status],):
                for row in rows:
                    counts[row] += times
        for status, _, frame, places, _ in self.findings:
            rows, counts = frame.rows, into[status]
            for at in places:
                right[rows[at]] -= 1
                counts[rows[at]] += 1
        return list(zip(right, wrong, lost, extra, surplus, strict=True))

    def count_paths(self, tally: PathTally) -> None:
        """Adds the results to the counts by path."""
        for status, names, rows, in_surplus in self.columns:
            for name in names:
                tally.add(name, status, len(rows), in_surplus)
        for status, name, _, places, _ in self.findings:
            tally.add(name, MATCH, -len(places))
            tally.add(name, status, len(places))
        tally.surplus_items += self.surplus_items

    def counts_of_paths(self, paths: Sequence[str]) -> list[tuple[Counts, ...]]:
        """For each row (match, mismatch, omission, hallucination) of some paths."""
        found = [[[0, 0, 0, 0] for _ in paths] for _ in self.expected]
        places = {path: place for place, path in enumerate(paths)}

        def add(name: Name, status: Status, rows: Iterable[int], times: int) -> None:
            place = places.get(display(name))
            if place is not None:
                for row in rows:
                    found[row][place][status - MATCH] += times

        for status, names, rows, _ in self.columns:
            for name in names:
                add(name, status, rows, 1)
        for status, name, frame, chosen, _ in self.findings:
            rows = [frame.rows[at] for at in chosen]
            add(name, MATCH, rows, -1)
            add(name, status, rows, 1)
        return [tuple((a, b, c, d) for a, b, c, d in row) for row in found]


_WAYS: Final[dict[Any, Callable[[OpenWalk, Name, Frame], None]]] = {
    dict: OpenWalk._objects, list: OpenWalk._lists, OMISSION: OpenWalk._lost, None: OpenWalk._leaves,
}  # fmt: skip
"""What is done with pairs of objects, of lists, with contents that the output lacks, and with leaves."""


def _values(objects: Sequence[dict[str, Any]], keys: Sequence[str]) -> tuple[Iterator[Sequence[Any]], set[int]]:
    """For each key its values in some objects, and the positions of the objects that lack one."""
    get = itemgetter(*keys, keys[0])  # one more, which nobody looks at: with a single key it would give no tuple
    lacking: set[int] = set()
    found = []
    for at, value in enumerate(objects):
        try:
            found.append(get(value))
        except KeyError:
            lacking.add(at)
            found.append(tuple(map(value.get, keys, repeat(MISSING))))
    return zip(*found, strict=False), lacking


def _parted(kinds: Sequence[Any], values: Sequence[Any], rows: Sequence[int]) -> _Parts:
    """Values and their rows, by kind."""
    found: dict[Any, tuple[list[Any], list[int]]] = {}
    for kind, value, row in zip(kinds, values, rows, strict=True):
        some = found.get(kind)
        if some is None:
            some = found[kind] = [], []
        some[0].append(value)
        some[1].append(row)
    return {**found}
