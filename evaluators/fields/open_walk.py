"""The walk of whole documents: those of a chunk at once, place by place.

The leaves of the expected documents are counted first, each as if it matched. Then what differs is looked for: pairs of values that
stand at one place in all the rows, where the two are not one object. Objects with the same keys give a column of values for each
key, and two columns are compared with one call. What differs is a *finding*: some values of one place, in a frame that knows where
they stand. What one side has as a whole, lost or extra, is one finding, and its leaves are counted the same way.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from gc import is_tracked
from itertools import chain, compress, repeat
from operator import is_not, itemgetter
from typing import Any, Final, TypeAlias

from evaluators.fields.frame import CONTAINERS, SURE, Frame, differing, in_order
from evaluators.fields.instance_paths import Unpaired
from evaluators.fields.open_tree import Location, OpenTree, RowCounts, is_leaf, renamed
from evaluators.fields.path_tally import SURPLUS, Name, PathTally
from evaluators.model import MISSING, Status
from evaluators.value_class import NamedTuple
from evaluators.values.paths import ANY

MATCH, MISMATCH, OMISSION, HALLUCINATION = Status.MATCH, Status.MISMATCH, Status.OMISSION, Status.HALLUCINATION
FEW: Final = 4
"""Fewer objects with the same keys are sooner looked at one by one."""
Values: TypeAlias = "tuple[list[Any], list[int]]"
"""Values of one place, and the row of each."""


class LeafFindings(NamedTuple):
    """Leaves of one place that do not match, or all that one side has there."""

    status: Status
    frame: Frame
    positions: Sequence[int]

    def place(self, at: int) -> Location:
        """The keys and indexes of one of them."""
        steps: Any = self.frame.where(at)
        return tuple(step.index if step.__class__ is Unpaired else step for step in steps)


class OpenWalk:
    """What becomes of the documents of a chunk. An unreadable output is MISSING. Who makes it releases it."""

    def __init__(self, tree: OpenTree, expected: Sequence[Any], outputs: Sequence[Any]) -> None:
        self.tree = tree
        self.findings: list[LeafFindings] = []
        self.surplus_items = 0
        self._flat, self._skipping = tree.depth is not None, bool(tree.skip)
        self._rows = [[0] * len(expected) for _ in range(HALLUCINATION + 1)]
        """By status, and `SURPLUS` for items that only the output has, the leaves of each row; all expected ones as matches."""
        self._places: defaultdict[tuple[Name, int], int] = defaultdict(int)
        """The same by place."""
        self._pairs: list[tuple[Callable[[Name, Frame], None], Name, Frame]] = []
        self._sides: dict[tuple[int, Name], Values] = {}
        if tree.fold_keys:
            outputs = list(map(renamed, expected, outputs))
        if self._flat:
            outputs = [tree.compared(one, other) for one, other in zip(expected, outputs, strict=True)]
        self.expected, self.outputs = expected, outputs
        unlike = list(compress(range(len(expected)), map(is_not, expected, outputs)))
        self._root = Frame([expected[row] for row in unlike], [outputs[row] for row in unlike], unlike)
        try:
            if not tree.skips(()):
                self._go()
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Lets go of the frames, and of what was found in them."""
        self._root.release()
        self.findings = []

    def _go(self) -> None:
        """Sees the documents, and all below. What is below waits, not on the stack: documents may be deep."""
        self._later(MATCH, (), self.expected, range(len(self.expected)))
        (self._objects if self._flat else self._unlike)((), self._root)
        while self._pairs:
            below, name, frame = self._pairs.pop()
            if frame.rows:
                below(name, frame)
        while self._sides:
            (status, name), (values, rows) = self._sides.popitem()
            self._leaves(status, name, values, rows)

    # What differs

    def _unlike(self, name: Name, frame: Frame) -> None:
        """Pairs at one place of which the expected side is there, and which are not one object."""
        if not self._flat:
            for kind, below in ((dict, self._objects), (list, self._lists)):
                if kind in frame.kinds:
                    full, odd = frame.full(kind)
                    self._pairs.append((below, name, full))
                    frame = frame.part(odd)
        if frame.rows:
            self._wrong(name, frame)

    def _wrong(self, name: Name, frame: Frame) -> None:
        """The same, where no two of them have contents of one kind."""
        e, o, alike = frame.e, frame.o, self.tree.same
        lost: list[int] = []
        wrong: list[int] = []
        instead: list[int] = []
        plain = self._flat or CONTAINERS.isdisjoint(frame.kinds | frame.others)
        for at, (one, other) in enumerate(zip(e, o, strict=True)):
            if other is MISSING:
                lost.append(at)
            elif plain or (is_leaf(one) and is_leaf(other)):
                if not alike(one, other):
                    wrong.append(at)
            else:
                (wrong if is_leaf(one) else lost).append(at)
                instead.append(at)
        if wrong:
            self._found(MISMATCH, frame, wrong)
            self._count(MISMATCH, name, [frame.rows[at] for at in wrong])
        if lost:
            self._found(OMISSION, frame, lost)
            self._later(OMISSION, name, [e[at] for at in lost], [frame.rows[at] for at in lost])
        if instead:
            self._instead(name, frame, instead)

    def _found(self, status: Status, frame: Frame, positions: Sequence[int]) -> None:
        self.findings.append(LeafFindings(status, frame, positions))

    def _instead(self, name: Name, frame: Frame, positions: Sequence[int]) -> None:
        """What the output has where something of another kind is expected. All items of a list are more than are expected."""
        self._found(HALLUCINATION, frame, positions)
        for at in positions:
            value, row = frame.o[at], frame.rows[at]
            if value and value.__class__ is list:
                self._surplus((*name, ANY), value, [row] * len(value))
            else:
                self._later(HALLUCINATION, name, [value], [row])

    def _surplus(self, name: Name, items: Sequence[Any], rows: Sequence[int]) -> None:
        """Items that only the output has."""
        if self._skips(name):
            return
        if self._skipping:
            some = [next(self.tree.leaves(item, name), None) is not None for item in items]
            items, rows = list(compress(items, some)), list(compress(rows, some))
        self.surplus_items += len(items)
        self._later(SURPLUS, name, items, rows)

    def _lists(self, name: Name, frame: Frame) -> None:
        """Lists with contents, item by item."""
        here = (*name, ANY)
        if self._skips(here):
            return
        items = in_order(frame)
        pairs, surplus = items.pairs, items.surplus
        self._unlike(here, pairs.part(self._differing(pairs.e, pairs.o)))
        if surplus.rows:
            self._found(HALLUCINATION, surplus, range(len(surplus.rows)))
            self._surplus(here, surplus.o, surplus.rows)

    def _objects(self, name: Name, frame: Frame) -> None:
        """Objects, key by key: those with the same keys together."""
        unlike: dict[str, list[int]] = {}
        for keys, positions in _by_keys(frame.e).items():
            if len(positions) < FEW:
                for at in positions:
                    theirs = frame.o[at]
                    for key, one in frame.e[at].items():
                        other = theirs.get(key, MISSING)
                        if one is not other and (one.__class__ is not str or one != other):
                            unlike.setdefault(key, []).append(at)
                continue
            ours = zip(*[frame.e[at].values() for at in positions], strict=True)
            for key, e, o in zip(keys, ours, _values(frame.o, positions, keys), strict=False):
                if found := self._differing(e, o):
                    unlike.setdefault(key, []).extend([positions[at] for at in found])
        odd = {at for at, (one, other) in enumerate(zip(frame.e, frame.o, strict=True)) if len(one) != len(other)}
        for key, positions in unlike.items():
            values = [frame.o[at].get(key, MISSING) for at in positions]
            odd.update(compress(positions, map(_absent, values)))
            if not self._skips((*name, key)):
                self._unlike((*name, key), _of_key(frame, positions, key, [frame.e[at][key] for at in positions], values))
        self._extra(name, frame, odd)

    def _differing(self, e: Sequence[Any], o: Sequence[Any]) -> list[int]:
        """The positions where two columns may differ."""
        kinds = set(map(type, e))
        if not self._flat and not CONTAINERS.isdisjoint(kinds):
            return list(compress(range(len(e)), map(is_not, e, o)))
        return differing(e, o, kinds if kinds <= SURE else kinds.union(map(type, o)))

    def _extra(self, name: Name, frame: Frame, positions: Iterable[int]) -> None:
        """Keys that only the output has, of some objects."""
        found: dict[str, list[int]] = {}
        for at in positions:
            ours = frame.e[at]
            for key in frame.o[at]:
                if key not in ours:
                    found.setdefault(key, []).append(at)
        for key, owners in found.items():
            if not self._skips((*name, key)):
                values = [frame.o[at][key] for at in owners]
                part = _of_key(frame, owners, key, [MISSING] * len(values), values)
                self._found(HALLUCINATION, part, range(len(values)))
                self._later(HALLUCINATION, (*name, key), values, part.rows)

    def _skips(self, name: Name) -> bool:
        return self._skipping and self.tree.skips(name)

    # What one side has

    def _later(self, status: int, name: Name, values: Iterable[Any], rows: Iterable[int]) -> None:
        """Values whose leaves will be counted."""
        waiting = self._sides.get((status, name))
        if waiting is None:
            waiting = self._sides[status, name] = [], []
        waiting[0].extend(values)
        waiting[1].extend(rows)

    def _count(self, status: int, name: Name, rows: Sequence[int], times: int = 1) -> None:
        """Counts a leaf for each of some rows."""
        self._places[name, status] += times * len(rows)
        counts = self._rows[status]
        for row in rows:
            counts[row] += times

    def _leaves(self, status: int, name: Name, values: Sequence[Any], rows: Sequence[int]) -> None:
        """Counts the leaves of some values of one place."""
        kinds = set(map(type, values))
        if CONTAINERS.isdisjoint(kinds) or (self._flat and name):
            self._count(status, name, rows)
        elif kinds == {dict} and (self._flat or all(values)):
            self._leaves_of_objects(status, name, values, rows)
        elif kinds == {list} and all(values):
            here = (*name, ANY)
            if not self._skips(here):
                repeated = chain.from_iterable(map(repeat, rows, map(len, values)))
                self._later(status, here, chain.from_iterable(values), repeated)
        else:
            parts: defaultdict[type | None, Values] = defaultdict(lambda: ([], []))
            for value, row in zip(values, rows, strict=True):
                some = parts[None if is_leaf(value) else value.__class__]
                some[0].append(value)
                some[1].append(row)
            if None in parts:
                self._count(status, name, parts.pop(None)[1])
            for part in parts.values():
                self._leaves(status, name, *part)

    def _leaves_of_objects(self, status: int, name: Name, values: Sequence[dict[str, Any]], rows: Sequence[int]) -> None:
        if self._skipping:
            values = [{key: one for key, one in value.items() if not self._skips((*name, key))} for value in values]
        counts = self._rows[status]
        for row, size in zip(rows, map(len, values), strict=True):
            counts[row] += size
        keys = list(map(tuple, values))
        times = {keys[0]: len(keys)} if keys.count(keys[0]) == len(keys) else Counter(keys)
        for each, count in times.items():
            for key in each:
                self._places[(*name, key), status] += count
        if self._flat or not any(map(is_tracked, values)):  # the garbage collector knows that others hold no container
            return
        inner: dict[str, tuple[Sequence[Any], Sequence[int]]] = {}
        if len(times) == 1:
            columns = zip(keys[0], zip(*map(dict.values, values), strict=True), strict=True)
            inner = {key: (column, rows) for key, column in columns if not CONTAINERS.isdisjoint(map(type, column))}
        else:
            some: defaultdict[str, Values] = defaultdict(lambda: ([], []))
            for value, row in zip(values, rows, strict=True):
                for key, one in value.items():
                    if one.__class__ in CONTAINERS:
                        some[key][0].append(one)
                        some[key][1].append(row)
            inner = {**some}
        for key, (column, theirs) in inner.items():
            self._count(status, (*name, key), theirs, -1)
            self._later(status, (*name, key), column, theirs)

    # What was found

    def counts(self) -> list[RowCounts]:
        """What each row comes to."""
        surplus, whole, wrong, lost, extra = self._rows
        right = [a - b - c for a, b, c in zip(whole, wrong, lost, strict=True)]
        return list(zip(right, wrong, lost, extra, surplus, strict=True))

    def count_paths(self, tally: PathTally) -> None:
        """Adds the results to the counts by path."""
        for (name, status), times in self._places.items():
            if times:
                tally.add(name, status, times)
                if status in (MISMATCH, OMISSION):
                    tally.add(name, MATCH, -times)
        tally.surplus_items += self.surplus_items


def _absent(value: Any) -> bool:
    return value is MISSING


def _of_key(frame: Frame, owners: Sequence[int], key: str, e: Sequence[Any], o: Sequence[Any]) -> Frame:
    """The values of one key, in some of the objects of a frame."""
    return Frame(e, o, [frame.rows[at] for at in owners], frame, owners, key)


def _by_keys(objects: Sequence[dict[str, Any]]) -> dict[tuple[str, ...], Sequence[int]]:
    """The positions of the objects with the same keys, by their keys."""
    keys = list(map(tuple, objects))
    if keys and keys.count(keys[0]) == len(keys):
        return {keys[0]: range(len(keys))}
    groups: dict[tuple[str, ...], list[int]] = {}
    for at, each in enumerate(keys):
        groups.setdefault(each, []).append(at)
    return {**groups}


def _values(objects: Sequence[dict[str, Any]], positions: Iterable[int], keys: Sequence[str]) -> Iterator[Sequence[Any]]:
    """For each key its values in some objects."""
    if not keys:
        return iter(())
    get = itemgetter(*keys, keys[0])  # one more, which nobody looks at: with a single key it would give no tuple
    found = []
    for at in positions:
        try:
            found.append(get(objects[at]))
        except KeyError:
            found.append(tuple(map(objects[at].get, keys, repeat(MISSING))))
    return zip(*found, strict=False)
