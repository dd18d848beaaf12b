"""The walk of whole documents: those of a chunk at once, place by place.

What is compared are pairs of values that stand at one place in all the rows. Objects with the same keys give a column of values for
each key, and two columns are compared with one call. A leaf matches unless there is a *finding* for it, so results are counted by the
lengths of columns, less their findings. What one side has as a whole, lost or extra, is one finding; its leaves, and those of parts
that are equal, are only counted. Findings know the frame that they were made in, which gives their places and both values to
whoever wants them. Objects whose keys few others have are looked at one by one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from gc import is_tracked
from itertools import chain, compress, repeat
from operator import is_, is_not, itemgetter, ne
from typing import Any, Final, TypeAlias

from msgspec import Struct

from evaluators.model.rows import MISSING, FieldStatus
from evaluators.scoring.fields.empty_values import (
    AS_IT_IS,
    EMPTY,
    FILLED,
    GIVEN,
    LEFT_OUT,
    MADE_UP,
    NOTHING,
    EmptyValues,
    InRow,
    empties,
    instead,
    of_leaves,
)
from evaluators.scoring.fields.frame import CONTAINERS, SURE, Frame, Unpaired, differing, of_rows
from evaluators.scoring.fields.item_frames import in_order
from evaluators.scoring.fields.open_tree import Location, OpenTree, RowCounts, is_leaf
from evaluators.scoring.fields.path_check import SURPLUS, Name, PathTally
from evaluators.scoring.fields.walk_findings import HALLUCINATION, MATCH, MISMATCH, OMISSION
from evaluators.scoring.values.equality import same
from evaluators.scoring.values.paths import ANY

FEW: Final = 4
"""Fewer objects with the same keys are sooner looked at one by one."""
Values: TypeAlias = "tuple[list[Any], list[int]]"
"""Values of one place, and the row of each."""


class LeafFindings(Struct, frozen=True):
    """Leaves of one place that do not match, or all that one side has there."""

    status: FieldStatus
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
        self._top_level_only, self._skipping = tree.depth is not None, bool(tree.skip)
        self._columns: list[tuple[int, Sequence[Name], Sequence[int]]] = []
        """What the leaves of some places are in some rows: the number of a status, or `SURPLUS`."""
        self._moved: list[tuple[int, Name, Sequence[int]]] = []
        """Leaves that stand in columns of matches, and are none."""
        self._full: list[tuple[int, Name, Sequence[int]]] = []
        """Places with contents. What is empty in one row may have contents in another."""
        self._odd: list[tuple[InRow, Name, Sequence[int]]] = []
        """What values come to beside what their column says, because they are empty, or are no values of their own."""
        self._pairs: list[tuple[Callable[[Name, Frame], None], Name, Frame]] = []
        self._sides: defaultdict[tuple[int, Name], Values] = defaultdict(lambda: ([], []))
        if self._top_level_only:
            outputs = list(map(tree.compared, expected, outputs))
        self.expected, self.outputs = expected, outputs
        self._frames = of_rows(expected, outputs)
        try:
            if not tree.skips(()):
                self._go()
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Lets go of the frames, and of what was found in them."""
        for frame in self._frames:
            frame.release()
        self.findings = []

    def _go(self) -> None:
        """Compares the documents, then the pairs of values below them, then counts what one side has as a whole.

        What is to be compared or counted waits in lists, not on the stack: documents may be deep.
        """
        for frame in self._frames:
            if frame.o is frame.e:
                self._later(MATCH.number, (), frame.e, frame.rows)
            elif self._top_level_only:
                full, odd = frame.full(dict)
                self._objects((), full)
                # where a side has no keys, the expected document is lost as a whole, and the output's is extra
                self._lost((), frame.part(odd))
                self._instead((), frame.part([at for at in odd if frame.o[at]]))
            else:
                self._see((), frame)
        while self._pairs:
            below, name, frame = self._pairs.pop()
            below(name, frame)
        while self._sides:
            (status, name), (values, rows) = self._sides.popitem()
            self._one_side(status, name, values, rows)

    # Both sides

    def _see(self, name: Name, frame: Frame) -> None:
        """Pairs at one place, of which the expected side is there."""
        e, o, rows = frame.e, frame.o, frame.rows
        if CONTAINERS.isdisjoint(frame.kinds):
            self._leaves(name, frame)
            return
        unlike = list(compress(range(len(e)), map(is_not, e, o)))
        if len(unlike) < len(e):  # parts that are equal are one object
            alike = list(compress(range(len(e)), map(is_, e, o)))
            self._later(MATCH.number, name, [e[at] for at in alike], [rows[at] for at in alike])
            if not unlike:
                return
            frame = frame.part(unlike)
        for kind, below in ((dict, self._objects), (list, self._lists)):
            if kind in frame.kinds:
                full, odd = frame.full(kind)
                self._pairs.append((below, name, full))
                self._full.append((MATCH.number, name, full.rows))
                if not odd:
                    return
                frame = frame.part(odd)
        lost = [at for at, one in enumerate(frame.e) if not is_leaf(one)]
        if lost:
            self._lost(name, frame.part(lost))
            extra = frame.part([at for at in lost if self.tree.has_something(name, frame.o[at])])
            if extra.rows:  # one value, whatever is in it
                self._found_whole(HALLUCINATION, extra)
                self._columns.append((HALLUCINATION.number, (name,), extra.rows))
                self._odd.append((instead(NOTHING, MADE_UP), name, extra.rows))
            frame = frame.part([at for at, one in enumerate(frame.e) if is_leaf(one)])
        if self._skipping:
            pairs = enumerate(zip(frame.e, frame.o, strict=True))
            frame = frame.part([at for at, (one, other) in pairs if not self.tree.nothing_left(name, one, other)])
        self._leaves(name, frame)

    def _leaves(self, name: Name, frame: Frame) -> None:
        self._columns.append((MATCH.number, (name,), frame.rows))
        self._note(name, frame.e, frame.o, frame.rows)
        self._compare(name, frame, frame.differing())

    def _compare(self, name: Name, frame: Frame, positions: Iterable[int]) -> None:
        """Expected leaves at some positions, where the output has not the same value."""
        alike, flat, e, o = self.tree.same, self._top_level_only, frame.e, frame.o
        lost: list[int] = []
        wrong: list[int] = []
        instead: list[int] = []
        for at in positions:
            other = o[at]
            if other is MISSING:
                lost.append(at)
            elif not flat and other and other.__class__ in CONTAINERS:
                wrong.append(at)
                instead.append(at)
            elif alike is same or not alike(e[at], other):
                wrong.append(at)
        for status, found in ((OMISSION, lost), (MISMATCH, wrong)):
            if found:
                self.findings.append(LeafFindings(status, frame, found))
                self._moved.append((status.number, name, [frame.rows[at] for at in found]))
        if instead:
            self._instead(name, frame.part(instead))

    def _lost(self, name: Name, frame: Frame) -> None:
        """What the output lacks as a whole."""
        if frame.rows:
            self._found_whole(OMISSION, frame)
            self._later(OMISSION.number, name, frame.e, frame.rows)
            nothing = empties(frame.o)
            self._odd.append((GIVEN, name, [row for at, row in enumerate(frame.rows) if at not in nothing]))

    def _found_whole(self, status: FieldStatus, frame: Frame) -> None:
        """All that one side has at each place of a frame is one finding."""
        self.findings.append(LeafFindings(status, frame, range(len(frame.rows))))

    def _instead(self, name: Name, frame: Frame) -> None:
        """The contents that the output has where none are expected. All items of a list are more than are expected."""
        if frame.rows:
            self._found_whole(HALLUCINATION, frame)
        for value, row in zip(frame.o, frame.rows, strict=True):
            if value and value.__class__ is list:
                self._surplus((*name, ANY), value, [row] * len(value))
            else:
                self._later(HALLUCINATION.number, name, [value], [row])
                if value and value.__class__ is dict:
                    self._odd.append((instead(NOTHING, MADE_UP), name, [row]))

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
        if self._skips(here) or not frame.rows:
            return
        items = in_order(frame)
        self._pairs.append((self._see, here, items.pairs))
        surplus = items.surplus
        if surplus.rows:
            self._found_whole(HALLUCINATION, surplus)
            self._surplus(here, surplus.o, surplus.rows)

    def _objects(self, name: Name, frame: Frame) -> None:
        """Objects with contents, key by key: those with the same keys together."""
        inner: dict[str, list[int]] = {}
        odd: list[int] = []
        for keys, positions in _by_keys(frame.e).items():
            if len(positions) < FEW:
                odd += positions
            else:
                self._alike(name, frame, positions, keys, inner)
        if odd:
            self._one_by_one(name, frame, odd, inner)
        for key, positions in inner.items():
            if not self._skips((*name, key)):
                self._pairs.append((self._see, (*name, key), _of_key(frame, positions, key)))

    def _alike(
        self, name: Name, frame: Frame, positions: Sequence[int], keys: Sequence[str], inner: dict[str, list[int]]
    ) -> None:
        """Objects of which the expected ones have the same keys. What has contents is left for later."""
        part = frame.part(positions)
        columns, lacking = _values(part.o, keys)
        names: list[Name] = []
        for key, e, o in zip(keys, zip(*map(dict.values, part.e), strict=True), columns, strict=False):
            kinds = set(map(type, e))
            if not self._top_level_only and not CONTAINERS.isdisjoint(kinds):
                if part is not frame:
                    inner.setdefault(key, []).extend(positions)
                elif not self._skips((*name, key)):
                    self._pairs.append((self._see, (*name, key), Frame(e, o, part.rows, part, None, key)))
            elif not self._skips(here := (*name, key)):
                names.append(here)
                self._note(here, e, o, part.rows)
                if wrong := differing(e, o, kinds if kinds <= SURE else kinds.union(map(type, o))):
                    self._compare(here, Frame(e, o, part.rows, part, None, key), wrong)
        self._columns.append((MATCH.number, names, part.rows))
        lacking.update(compress(range(len(part.e)), map(ne, map(len, part.e), map(len, part.o))))
        if lacking:
            self._extra(name, part, lacking)

    def _one_by_one(self, name: Name, frame: Frame, positions: Sequence[int], inner: dict[str, list[int]]) -> None:
        """Objects whose keys few others have. What has contents is left for later."""
        unlike: dict[str, list[int]] = {}
        for at in positions:
            theirs, names = frame.o[at], list[Name]()
            for key, one in frame.e[at].items():
                kind, other, here = one.__class__, theirs.get(key, MISSING), (*name, key)
                if self._skipping and self.tree.skips(here):
                    continue
                if kind in CONTAINERS and (one or self._skipping) and not self._top_level_only:
                    if one is other:
                        self._later(MATCH.number, here, (one,), (frame.rows[at],))
                    else:
                        inner.setdefault(key, []).append(at)
                    continue
                names.append(here)
                if not one or not other:
                    self._note(here, (one,), (other,), (frame.rows[at],))
                if one is not other and (kind is not other.__class__ or one != other or kind in CONTAINERS):
                    unlike.setdefault(key, []).append(at)
            self._columns.append((MATCH.number, names, (frame.rows[at],)))
        for key, found in unlike.items():
            part = _of_key(frame, found, key)
            self._compare((*name, key), part, part.differing())
        self._extra(name, frame, positions)

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
                part = _of_key(frame, owners, key)
                self._found_whole(HALLUCINATION, part)
                self._later(HALLUCINATION.number, (*name, key), part.o, part.rows)

    def _skips(self, name: Name) -> bool:
        return self._skipping and self.tree.skips(name)

    # One side

    def _later(self, status: int, name: Name, values: Iterable[Any], rows: Iterable[int]) -> None:
        """Values whose leaves will be counted."""
        waiting = self._sides[status, name]
        waiting[0].extend(values)
        waiting[1].extend(rows)

    def _one_side(self, status: int, name: Name, values: Sequence[Any], rows: Sequence[int]) -> None:
        """Counts the leaves of some values."""
        kinds = set(map(type, values))
        if CONTAINERS.isdisjoint(kinds) or (self._top_level_only and name):
            self._columns.append((status, (name,), rows))
            self._note_side(status, name, values, rows)
        elif kinds == {dict} and (self._top_level_only or all(values)):
            if not self._top_level_only:  # else the document as a whole is no field
                self._full.append((status, name, rows))
            self._objects_alone(status, name, values, rows)
        elif kinds == {list} and all(values):
            self._full.append((status, name, rows))
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
                leaves, their_rows = parts.pop(None)
                self._columns.append((status, (name,), their_rows))
                self._note_side(status, name, leaves, their_rows)
            for part in parts.values():
                self._one_side(status, name, *part)

    def _objects_alone(self, status: int, name: Name, values: Sequence[Any], rows: Sequence[int]) -> None:
        for keys, positions in _by_keys(values).items():
            some, theirs = values, rows
            if len(positions) < len(values):
                some, theirs = [values[at] for at in positions], [rows[at] for at in positions]
            names = [(*name, key) for key in keys]
            if not all(map(all, map(dict.values, some))):
                for here, column in zip(names, zip(*map(dict.values, some), strict=True), strict=True):
                    if self._top_level_only or CONTAINERS.isdisjoint(map(type, column)):
                        self._note_side(status, here, column, theirs)
            # the garbage collector knows of objects that they hold no container
            if self._skipping or (not self._top_level_only and any(map(is_tracked, some))):
                columns = zip(names, zip(*map(dict.values, some), strict=True), strict=True) if keys else ()
                names = []
                for here, column in columns:
                    if self._skips(here):
                        continue
                    if self._top_level_only or CONTAINERS.isdisjoint(map(type, column)):
                        names.append(here)
                    else:
                        self._later(status, here, column, theirs)
            self._columns.append((status, names, theirs))

    # What was found

    def _note(self, name: Name, e: Sequence[Any], o: Sequence[Any], rows: Sequence[int]) -> None:
        """Expected leaves, and what the output has there: notes which are empty."""
        if all(e) and (o is e or all(o)):
            return
        ours = empties(e)
        theirs = ours if o is e else empties(o)
        for value, found in ((EMPTY, ours & theirs), (MADE_UP, ours - theirs), (LEFT_OUT, theirs - ours)):
            if found:
                self._odd.append((instead(value, FILLED), name, [rows[at] for at in found]))

    def _note_side(self, status: int, name: Name, values: Sequence[Any], rows: Sequence[int]) -> None:
        """Leaves of one side, or the same on both: notes which are empty."""
        if not all(values) and (found := empties(values)) and not self._skips(name):
            self._odd.append((instead(EMPTY, AS_IT_IS[status]), name, [rows[at] for at in found]))

    def empty_values(self, rows: Collection[int], counts: Sequence[RowCounts]) -> EmptyValues:
        """What the leaves of some rows come to where values are empty, given the counts of each row."""
        return of_leaves(self._columns, self._full, self._odd, rows, counts)

    def counts(self) -> list[RowCounts]:
        """The counts of each row: its matches, mismatches, omissions, extra keys, and extra items of lists."""
        by_status = [[0] * len(self.expected) for _ in range(HALLUCINATION.number + 1)]
        for status, names, rows in self._columns:
            counts, times = by_status[status], len(names)
            for row in rows:
                counts[row] += times
        for status, _, rows in self._moved:
            counts = by_status[status]
            for row in rows:
                by_status[MATCH.number][row] -= 1
                counts[row] += 1
        surplus, right, wrong, lost, extra = by_status
        return list(zip(right, wrong, lost, extra, surplus, strict=True))

    def count_paths(self, tally: PathTally) -> None:
        """Adds the results to the counts by path."""
        for status, names, rows in self._columns:
            tally.add(names, status, len(rows))
        for status, name, rows in self._moved:
            tally.add((name,), MATCH.number, -len(rows))
            tally.add((name,), status, len(rows))
        tally.surplus_items += self.surplus_items


def _of_key(frame: Frame, owners: Sequence[int], key: str) -> Frame:
    """The values of one key, in some of the objects of a frame."""
    e, o = ([side[at].get(key, MISSING) for at in owners] for side in (frame.e, frame.o))
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
