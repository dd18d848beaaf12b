"""What the walk through rows met in their lists: items whose key tells nothing, and lists that are too long; and values of
outputs where null is expected; paths that lead nowhere; cells that are nearly what a condition asks for.

    counts.take(scored_rows, offsets, nulls=False)

Each list of each document is looked at for itself, whatever became of the other side: a key that is missing or not the
only one of its kind is a fault of that document. Counts of rows that were looked at apart merge to what all rows come to.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import NoneType
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from msgspec import Struct, field

from evaluators.model.rows import JSON, MISSING, RowStatus
from evaluators.scoring.fields.frame import Frame
from evaluators.scoring.fields.key_spelling import Respelt
from evaluators.scoring.fields.pair import ItemKeys, key_reader
from evaluators.scoring.fields.path_check import ScoredRow
from evaluators.scoring.fields.walk_findings import WalkedLists
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.quoting import first_ones

Side: TypeAlias = Literal["expected", "output"]
What: TypeAlias = Literal["without_key", "duplicate_key", "too_long", "unclear_key", "no_items"]
KINDS: Final = get_args(What)
SIDES: Final[tuple[Side, Side]] = ("expected", "output")
MOST_NEARLY: Final = 50
"""Cells of a split that are counted apart."""
FIRST_ROWS: Final = 5
"""Rows that are named; the rest is counted."""


class KeyFault(NamedTuple):
    """What can be wrong with the items of a list: which list, paired by which key, on which side, and what.

    `too_long`: freely paired, and too long to compare each item with each; the key is then the alignment. `unclear_key`: no list, but
    the keys that others in an output could stand for, wherever they are. `no_items`: the list is empty, and rules, here the key, are
    about its items.
    """

    path: str
    key: str
    side: Side
    what: What


ListKey: TypeAlias = tuple[str, str]
"""A list, by its path, and the key that it is paired by; or a path, and the rule that names it."""


class KeyCount(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """How often something was wrong with keys."""

    items: int = 0
    rows: int = 0
    first: tuple[int, ...] = ()
    """The first rows, in order."""


class KeyCounts(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """What was wrong with the keys of one evaluator's lists, over some rows."""

    found: dict[str, KeyCount] = field(default_factory=dict)
    """By the fault, as JSON text."""
    looked_for: set[ListKey] = field(default_factory=set)
    """The lists, with their keys, that had items; and the paths that a rule names, where there was a document."""
    met: set[ListKey] = field(default_factory=set)
    """Those of them in which some item has the key, and the paths that lead somewhere in some document."""
    nearly: dict[str, int] = field(default_factory=dict)
    """How often a cell is nearly what a condition asks for, by the number of the condition and the cell, as JSON text."""
    made_up: dict[str, int] = field(default_factory=dict)
    """How often an output has a value where null is expected, by the keys that lead there, as JSON text. Lists are not looked into."""

    def take(self, scored: Sequence[ScoredRow], offsets: Sequence[int], nulls: bool) -> None:
        """Counts what was met in the rows of a chunk; with `nulls` also what outputs have where null is expected.

        A row that is blocked, or was not scored, says nothing. Rows come in order.
        """
        walked = {id(one.rows): one.rows for one in scored if one.rows is not None}
        lists = {
            key: [
                each for each in rows.lists() if each.node.align.keys or (each.items is not None and each.items.crowded)
            ]
            for key, rows in walked.items()
        }
        self._take_no_items(scored, offsets)
        if not nulls and not any(lists.values()) and not any(rows.respelt for rows in walked.values()):
            return
        numbers: dict[int, dict[int, int]] = {key: {} for key in walked}
        for number, one in enumerate(scored):
            if one.rows is not None and one.verdict.status is not RowStatus.BLOCKED:
                numbers[id(one.rows)][one.at] = number
        met: dict[int, Counter[KeyFault]] = defaultdict(Counter)
        for key, rows in walked.items():
            for each in lists[key]:
                for row, fault, items in self._faults(each, numbers[key]):
                    met[numbers[key][row]][fault] += items
            for row, number in numbers[key].items() if rows.respelt else ():
                if scored[number].verdict.status is RowStatus.SCORED:
                    met[number].update(unclear(rows.respelt[row]))
            for row, keys in _made_up(rows.frames) if nulls else ():
                if row in numbers[key] and scored[numbers[key][row]].verdict.status is RowStatus.SCORED:
                    text = json.dumps(keys)
                    self.made_up[text] = self.made_up.get(text, 0) + 1
        for number in sorted(met):
            self.add(offsets[number], met[number])

    def _take_no_items(self, scored: Sequence[ScoredRow], offsets: Sequence[int]) -> None:
        """Counts the rows in which a rule is about the items of a list that has none."""
        for offset, one in zip(offsets, scored, strict=True):
            if one.rows is not None and one.verdict.status is not RowStatus.BLOCKED:
                side, lists = one.rows.no_items(one.at)
                if lists:
                    faults = [
                        KeyFault(path, first_ones([f'"{one}"' for one in rules], 5), side, "no_items")
                        for path, rules in lists.items()
                    ]
                    self.add(offset, dict.fromkeys(faults, 1))

    def count_nearly(self, number: int, cell: str) -> None:
        """Counts a cell that is nearly what a condition asks for. Beyond the first few, cells are counted together."""
        key = json.dumps([number, cell])
        if key not in self.nearly and len(self.nearly) >= MOST_NEARLY:
            key = json.dumps([number, ""])
        self.nearly[key] = self.nearly.get(key, 0) + 1

    def look_for(self, paths: Iterable[tuple[str, Path, Callable[[JSON], bool]]], documents: Sequence[JSON]) -> None:
        """Notes which of the paths lead somewhere in a document of a row. Those that are known to are not looked for again."""
        for name, path, is_in in paths if documents else ():
            key = path.canonical, name
            if key not in self.met:
                self.looked_for.add(key)
                if any(map(is_in, documents)):
                    self.met.add(key)

    def add(self, row: int, met: Mapping[KeyFault, int]) -> None:
        """Counts the items of one row. Rows come in order."""
        for fault, items in met.items():
            mine = self.found.setdefault(json.dumps(fault), KeyCount())
            mine.items += items
            mine.rows += 1
            if len(mine.first) < FIRST_ROWS:
                mine.first += (row,)

    def faults(self) -> Iterator[tuple[KeyFault, KeyCount]]:
        """Every fault, and how often it was met."""
        for text, count in self.found.items():
            yield KeyFault(*json.loads(text)), count

    def _faults(self, lists: WalkedLists, rows: Container[int]) -> Iterator[tuple[int, KeyFault, int]]:
        """What is wrong with the items of some lists: the row, what it is, and of how many items."""
        path, align, items = lists.node.name, lists.node.align, lists.items
        for at in items.crowded if items is not None else ():
            if lists.frame.rows[at] in rows:
                yield lists.frame.rows[at], KeyFault(path, align.rule, "expected", "too_long"), len(lists.frame.e[at])
        name = path, align.key or ""
        for row, sides in _keys(lists, rows) if align.keys else ():
            for side, keys in zip(SIDES, sides, strict=True):
                if not keys:
                    continue
                keyless = keys.count(None)
                again = len(keys) - len(set(keys)) - max(0, keyless - 1)
                self.looked_for.add(name)
                if keyless < len(keys):
                    self.met.add(name)
                if keyless:
                    yield row, KeyFault(*name, side, "without_key"), keyless
                if again:
                    yield row, KeyFault(*name, side, "duplicate_key"), again


def unclear(output: Respelt) -> Iterator[KeyFault]:
    """What is said of keys of an output that are unclear."""
    for keys in output.unclear.values():
        yield KeyFault("", keys, "output", "unclear_key")


def _keys(lists: WalkedLists, rows: Container[int]) -> Iterator[tuple[int, ItemKeys]]:
    """The keys of the items of both sides, by row: as they were read for pairing, or read now."""
    read, whole = key_reader(lists.node.align), lists.whole
    known = lists.items.keys if lists.items is not None else {}

    def keys_of(value: Any) -> list[Any]:
        try:
            return [*map(read, value)] if value.__class__ is list else []
        except Exception:  # a row is guarded: transforms may not take what stands on one side alone
            return []

    for at, row in enumerate(whole.rows):
        if row in rows:
            e, o = whole.e[at], whole.o[at]
            keys = known.get(at)
            if keys is None:
                ours = keys_of(e)
                keys = ours, ours if o is e else keys_of(o)
            yield row, keys


def _made_up(frames: Iterable[Frame]) -> list[tuple[int, tuple[str, ...]]]:
    """Where outputs have a value and null is expected: the row and the keys that lead there, in the order of the expected documents."""
    found: list[tuple[int, list[int], tuple[str, ...]]] = []
    waiting = [(frame, tuple[str, ...]()) for frame in frames]
    while waiting:
        frame, above = waiting.pop()
        for child in frame.below if frame.o is not frame.e else ():
            if child.steps is not None and not isinstance(child.steps, str):
                continue
            keys = above if child.steps is None else (*above, child.steps)
            waiting.append((child, keys))
            if child.steps is not None and NoneType in child.kinds:
                pairs = enumerate(zip(child.e, child.o, strict=True))
                at = [at for at, (a, b) in pairs if a is None and b is not None and b is not MISSING]
                found += [(child.rows[one], _order(child, one), keys) for one in at]
    return [(row, keys) for row, _, keys in sorted(found)]


def _order(frame: Frame, at: int) -> list[int]:
    """Where each key on the way to a value stands in its expected object."""
    way = pairwise(frame.way(at))
    found = [[*up.e[owner]].index(one.steps) for (one, _), (up, owner) in way if one.steps is not None]
    return found[::-1]
