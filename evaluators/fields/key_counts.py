"""Items whose key tells nothing, counted: those that have no key, and those that have the key of an earlier one.

    KeyReader(lists).met(expected, output)

Each list of each document is looked at for itself, whatever became of the other side: a key that is missing or not the
only one of its kind is a fault of that document. Counts of rows that were looked at apart merge to what all rows come to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

from msgspec import Struct, field

from evaluators.fields.align import Align
from evaluators.fields.pair import key_reader
from evaluators.values.paths import ANY, Path

Side: TypeAlias = Literal["expected", "output"]
What: TypeAlias = Literal["without_key", "duplicate_key", "too_long"]
KINDS: Final = get_args(What)
FIRST_ROWS: Final = 5
"""Rows that are named; the rest is counted."""


class KeyFault(NamedTuple):
    """What can be wrong with the items of a list: which list, paired by which key, on which side, and what.

    `too_long`: freely paired, and too long to compare each item with each; the key is then the alignment.
    """

    path: str
    key: str
    side: Side
    what: What


ListKey: TypeAlias = tuple[str, str]
"""A list, by its path, and the key that it is paired by."""


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
    """The lists, with their keys, that had items."""
    met: set[ListKey] = field(default_factory=set)
    """Those of them in which some item has the key."""
    made_up: dict[str, int] = field(default_factory=dict)
    """How often an output has a value where null is expected, by the keys that lead there, as JSON text. Lists are not looked into."""

    def add(self, row: int, met: Mapping[KeyFault, int]) -> None:
        """Count the items of one row. Rows come in order."""
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

    def add_made_up(self, expected: Any, output: Any, above: tuple[str, ...] = ()) -> None:
        """Count the values that one output has where null is expected."""
        if expected.__class__ is not dict or output.__class__ is not dict:
            return
        for key, wanted in expected.items():
            if wanted is None:
                if output.get(key) is not None:
                    keys = json.dumps((*above, key))
                    self.made_up[keys] = self.made_up.get(keys, 0) + 1
            elif wanted.__class__ is dict:
                self.add_made_up(wanted, output.get(key), (*above, key))


Reader: TypeAlias = Callable[[Any], "Hashable | None"]


class _Level(Struct):
    """A list, from the document or from an item of the list that it stands in."""

    head: Path
    readers: list[tuple[str, str, Reader]] = field(default_factory=list)
    """(path, key, what reads the key of an item). Branches of a schema may pair one list by different keys."""
    inner: dict[tuple[Any, ...], _Level] = field(default_factory=dict)


class KeyReader:
    """Reads the keys of the lists that an evaluator pairs by a key."""

    def __init__(self, lists: Iterable[tuple[Path, Align]]) -> None:
        self.looked_for: set[ListKey] = set()
        """The lists, with their keys, that had items so far."""
        self.met_keys: set[ListKey] = set()
        """Those of them in which some item has the key."""
        self._roots: dict[tuple[Any, ...], _Level] = {}
        for path, align in dict.fromkeys(lists):
            self._plant(path, align)

    def met(self, expected: Any, output: Any) -> dict[KeyFault, int]:
        """The items of two documents by what is wrong with their keys. A document that is not there is MISSING."""
        found: dict[KeyFault, int] = {}
        for level in self._roots.values():
            one, other = level.head.get_pair(expected, output)
            mine: dict[KeyFault, int] = {}
            _look(level, one, "expected", mine, self)
            if other is one:
                mine |= {fault._replace(side="output"): items for fault, items in mine.items()}
            else:
                _look(level, other, "output", mine, self)
            for fault, items in mine.items():
                found[fault] = found.get(fault, 0) + items
        return found

    def _plant(self, path: Path, align: Align) -> None:
        steps, start, siblings = path.steps, 0, self._roots
        while ANY in steps[start:]:
            cut = steps.index(ANY, start)
            siblings = _level(siblings, path.part(start, cut)).inner
            start = cut + 1
        last = _level(siblings, path.part(start) if start else path)
        last.readers.append((path.canonical, align.key or "", key_reader(align)))


def _level(siblings: dict[tuple[Any, ...], _Level], head: Path) -> _Level:
    return siblings.setdefault((head.steps, head.joins, head.query), _Level(head))


def _look(level: _Level, value: Any, side: Side, found: dict[KeyFault, int], seen: KeyReader) -> None:
    if level.readers and isinstance(value, list) and value:
        _count_keys(level.readers, value, side, found, seen)
    if level.inner:
        for item in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
            for inner in level.inner.values():
                _look(inner, inner.head.get(item), side, found, seen)


def _count_keys(
    readers: Sequence[tuple[str, str, Reader]],
    items: Sequence[Any],
    side: Side,
    found: dict[KeyFault, int],
    seen: KeyReader,
) -> None:
    """Counts the items of one list, by the key that most of them have."""
    every = [(path, key, [read(item) for item in items]) for path, key, read in readers]
    for path, key, keys in every:
        if (path, key) not in seen.met_keys:
            seen.looked_for.add((path, key))
            if keys.count(None) < len(keys):
                seen.met_keys.add((path, key))
    path, key, keys = min(every, key=lambda each: each[2].count(None))
    keyless = keys.count(None)
    again = len(keys) - len(set(keys)) - max(0, keyless - 1)
    for fault, count in (
        (KeyFault(path, key, side, "without_key"), keyless),
        (KeyFault(path, key, side, "duplicate_key"), again),
    ):
        if count:
            found[fault] = found.get(fault, 0) + count
