"""Counts of likely mistakes in a test set or suite: items without a key or with that of another, lists that are too long to be paired,
values of outputs where null is expected, paths that lead nowhere, cells that are nearly what a condition asks for.

    counts.take(scored_rows, offsets, nulls=False)

Each list of each document is looked at for itself, whatever became of the other side: a key that is missing or not the
only one of its kind is a fault of that document. Counts of rows that were looked at apart merge to what all rows come to.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from msgspec import Struct, field

from evaluators.model.rows import JSON, MISSING, RowStatus
from evaluators.scoring.fields.item_keys import ItemKeys, key_reader
from evaluators.scoring.fields.key_spelling import Respelt
from evaluators.scoring.fields.results import ListResult
from evaluators.scoring.fields.row_checks import ScoredRow
from evaluators.scoring.values.paths import Path
from evaluators.scoring.values.quoting import first_texts

Side: TypeAlias = Literal["expected", "output"]
What: TypeAlias = Literal["without_key", "duplicate_key", "too_long", "unclear_key", "no_items"]
KINDS: Final = get_args(What)
SIDES: Final[tuple[Side, Side]] = ("expected", "output")
MOST_NEARLY: Final = 50
"""Cells of a split that are counted apart."""
FIRST_ROWS: Final = 5
"""Rows that are named; the rest is counted."""


class KeyFault(NamedTuple):
    """A fault of a list's items: which list, paired by which key, on which side, and what.

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
    """The faults of the keys of one evaluator's lists, over some rows."""

    found: dict[str, KeyCount] = field(default_factory=dict)
    """By the fault, as JSON text."""
    looked_for: set[ListKey] = field(default_factory=set)
    """The lists, with their keys, that had items; and the paths that a rule names, where there was a document."""
    met: set[ListKey] = field(default_factory=set)
    """The lists in which some item has the key, and the paths that lead somewhere in some document."""
    nearly: dict[str, int] = field(default_factory=dict)
    """How often a cell is nearly what a condition asks for, by the number of the condition and the cell, as JSON text."""
    made_up: dict[str, int] = field(default_factory=dict)
    """How often an output has a value where null is expected, by the keys that lead there, as JSON text. Lists are not looked into."""

    def take(self, scored: Sequence[ScoredRow], offsets: Sequence[int], nulls: bool) -> None:
        """Counts the faults of keys in the rows of a chunk; with `nulls` also the values that outputs have where null is expected.
        `offsets` are the numbers of the rows.

        A row that is blocked, or was not scored, says nothing. Rows come in order.
        """
        walked = {id(row.rows): row.rows for row in scored if row.rows is not None}
        lists = {
            key: [(row, each) for row, each in rows.lists() if each.at.node.align.keys or each.crowded]
            for key, rows in walked.items()
        }
        self._count_empty_lists(scored, offsets)
        if not nulls and not any(lists.values()) and not any(rows.respelt for rows in walked.values()):
            return
        numbers: dict[int, dict[int, int]] = {key: {} for key in walked}
        for number, scored_row in enumerate(scored):
            if scored_row.rows is not None and scored_row.verdict.status is not RowStatus.BLOCKED:
                numbers[id(scored_row.rows)][scored_row.at] = number
        faults_by_row: dict[int, Counter[KeyFault]] = defaultdict(Counter)
        for key, rows in walked.items():
            for row, each in lists[key]:
                if row in numbers[key]:
                    for fault, items in self._faults(each):
                        faults_by_row[numbers[key][row]][fault] += items
            for row, number in numbers[key].items() if rows.respelt else ():
                if scored[number].verdict.status is RowStatus.SCORED:
                    faults_by_row[number].update(unclear_keys(rows.respelt[row]))
            for row, number in numbers[key].items() if nulls else ():
                if scored[number].verdict.status is RowStatus.SCORED:
                    for keys in made_up_places(*rows.sides_of(row)):
                        text = json.dumps(keys)
                        self.made_up[text] = self.made_up.get(text, 0) + 1
        for number in sorted(faults_by_row):
            self.add(offsets[number], faults_by_row[number])

    def _count_empty_lists(self, scored: Sequence[ScoredRow], offsets: Sequence[int]) -> None:
        """Counts the rows in which a rule is about the items of a list that has none."""
        for offset, row in zip(offsets, scored, strict=True):
            if row.rows is not None and row.verdict.status is not RowStatus.BLOCKED:
                side, lists = row.rows.no_items(row.at)
                if lists:
                    faults = [
                        KeyFault(path, first_texts([f'"{rule}"' for rule in rules], 5), side, "no_items")
                        for path, rules in lists.items()
                    ]
                    self.add(offset, dict.fromkeys(faults, 1))

    def count_near_cell(self, number: int, cell: str) -> None:
        """Counts a cell that is nearly what the condition with this `number` asks for. Beyond the first few, cells are counted together."""
        key = json.dumps([number, cell])
        if key not in self.nearly and len(self.nearly) >= MOST_NEARLY:
            key = json.dumps([number, ""])
        self.nearly[key] = self.nearly.get(key, 0) + 1

    def look_for(self, paths: Iterable[tuple[str, Path, Callable[[JSON], bool]]], documents: Sequence[JSON]) -> None:
        """Notes which of the paths lead somewhere in a document of a row. A path is given as (name of its rule, path, function that says
        whether a document has it); one that is known to lead somewhere is not looked for again."""
        for name, path, is_in in paths if documents else ():
            key = path.canonical, name
            if key not in self.met:
                self.looked_for.add(key)
                if any(map(is_in, documents)):
                    self.met.add(key)

    def add(self, row: int, items_by_fault: Mapping[KeyFault, int]) -> None:
        """Counts the faults of one row; `items_by_fault` has how many of its items have each. Rows come in order."""
        for fault, items in items_by_fault.items():
            mine = self.found.setdefault(json.dumps(fault), KeyCount())
            mine.items += items
            mine.rows += 1
            if len(mine.first) < FIRST_ROWS:
                mine.first += (row,)

    def faults(self) -> Iterator[tuple[KeyFault, KeyCount]]:
        """Yields every fault, and how often it was met."""
        for text, count in self.found.items():
            yield KeyFault(*json.loads(text)), count

    def _faults(self, list_result: ListResult) -> Iterator[tuple[KeyFault, int]]:
        """Yields the faults of a list, each with the number of items: too long to pair, without the key, or with that of another item.
        Notes in `looked_for` that a side has items, and in `met` that some of these have the key."""
        path, align = list_result.at.node.name, list_result.at.node.align
        if list_result.crowded:
            yield KeyFault(path, align.rule, "expected", "too_long"), len(list_result.expected)
        name = path, align.key or ""
        for side, keys in zip(SIDES, _item_keys(list_result), strict=True) if align.keys else ():
            if not keys:
                continue
            keyless = keys.count(None)
            repeated = len(keys) - len(set(keys)) - max(0, keyless - 1)
            self.looked_for.add(name)
            if keyless < len(keys):
                self.met.add(name)
            if keyless:
                yield KeyFault(*name, side, "without_key"), keyless
            if repeated:
                yield KeyFault(*name, side, "duplicate_key"), repeated


def unclear_keys(output: Respelt) -> Iterator[KeyFault]:
    """Yields a fault for each group of keys of an output that could stand for one known key, or for several."""
    for keys in output.unclear.values():
        yield KeyFault("", keys, "output", "unclear_key")


def _item_keys(list_result: ListResult) -> ItemKeys:
    """The keys of the items of both sides: as they were read for pairing, or read now."""
    if list_result.keys is not None:
        return list_result.keys
    read = key_reader(list_result.at.node.align)

    def keys_of(value: Any) -> list[Any]:
        """The keys of a list's items; none for another value, or where a transform fails."""
        try:
            return [*map(read, value)] if value.__class__ is list else []
        except Exception:  # a row is guarded: transforms may not take what stands on one side alone
            return []

    return keys_of(list_result.expected), keys_of(list_result.output)


def made_up_places(expected: Any, output: Any) -> Iterator[tuple[str, ...]]:
    """Yields the places where an output has a value and null is expected, as the keys that lead there. Lists are not looked into."""
    if expected.__class__ is dict and output.__class__ is dict and expected is not output:
        for key, value in expected.items():
            other = output.get(key, MISSING)
            if value is None and other is not None and other is not MISSING:
                yield (key,)
            elif value.__class__ is dict:
                yield from ((key, *keys) for keys in made_up_places(value, other))
