"""Pairs of values at one place of the documents of a chunk, side by side.

A `Frame` has two columns, the expected values and the output's, and the row of each pair. Going down a key makes the frames of
its values, for all objects at once; going into lists strings their items together. A frame knows where it came from, so the
concrete path of a pair is made only when somebody asks for it. What is made of a frame is kept with it, for all who look at
the same documents. Frames know each other in circles: who makes the first one releases it.

Where a result stands in the documents of one row: `items[0].name`, and `items[+2].name` for an item of the output alone.

An index is that of the expected item. An item that only the output has is counted in the output's own list, and a plus
says so. The whole document is `$`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import compress
from operator import itemgetter, ne
from typing import Any, Final, TypeAlias

from msgspec import Struct

from evaluators.model.rows import MISSING, Missing
from evaluators.scoring.values.equality import same
from evaluators.scoring.values.path_text import Step
from evaluators.scoring.values.paths import display


class Unpaired(Struct, frozen=True):
    """The step to an item of the output that no expected item is paired with."""

    index: int


InstancePath: TypeAlias = tuple[Step | Unpaired, ...]


@lru_cache(maxsize=20_000)
def spelled(location: InstancePath) -> str:
    """The path as people read it."""
    text = ""
    for step in location:
        piece = f"[+{step.index}]" if isinstance(step, Unpaired) else display((step,))
        text += piece if not text or piece.startswith("[") else f".{piece}"
    return text or "$"


@lru_cache(maxsize=20_000)
def places_above(path: str) -> tuple[str, ...]:
    """Every place that a spelled path leads through, itself last. A dot or bracket inside a quoted key is no step."""
    return tuple(_above(path))


def in_items(path: str) -> bool:
    """The spelled path of a field leads through items of a list."""
    return "[*]" in path and any(place.endswith("[*]") for place in places_above(path))


def _above(path: str) -> Iterator[str]:
    yield "$"
    quoted = escaped = False
    for at, char in enumerate(path):
        if quoted:
            quoted, escaped = escaped or char != '"', not escaped and char == "\\"
        elif char == '"':
            quoted = True
        elif char in ".[" and at:
            yield path[:at]
    if path != "$":
        yield path


CONTAINERS: Final = frozenset((dict, list))
SURE: Final = frozenset((str, type(None), Missing))
"""Kinds of which `==` is exact, whatever stands on the other side."""
_NUMBERS: Final = frozenset((int, float))
_NOTHING: Final[dict[str, Any]] = {}
_THERE: Final = object()
Steps: TypeAlias = "list[Any] | str | object | None"
"""The step to each pair from its owner: one for all of them, or a list with one for each; None where it is the same place."""


class Frame:
    """Pairs of values at one place."""

    __slots__ = ("_differing", "_kinds", "_others", "below", "e", "kept", "lacking", "o", "owners", "rows", "steps", "up")

    def __init__(
        self,
        e: Sequence[Any],
        o: Sequence[Any],
        rows: Sequence[int],
        up: Frame | None = None,
        owners: Sequence[int] | None = None,
        steps: Steps = None,
    ) -> None:
        self.e, self.o, self.rows = e, o, rows
        """The expected values, those of the output, and the row of each pair. A side that is not there is MISSING."""
        self.up, self.owners, self.steps = up, owners, steps
        """The frame it was made of, and the position there of each pair; None where positions are the same."""
        self.kept: dict[Any, Any] = {}
        """What was made of it: children by key, items by alignment."""
        self.below: list[Frame] = []
        self.lacking: set[int] = set()
        """Positions of objects that lack a key which was asked for."""
        self._kinds: set[type] | None = None
        self._others: set[type] | None = None
        self._differing: list[int] | None = None
        if up is not None:
            up.below.append(self)

    def release(self) -> None:
        """Lets go of all that was made of it."""
        waiting = [self]
        while waiting:
            frame = waiting.pop()
            waiting += frame.below
            frame.below, frame.kept = [], {}

    def drop(self) -> None:
        """Lets go of it, and of all that was made of it: nobody looks at it any more."""
        self.release()
        if self.up is not None:
            self.up.below.remove(self)

    @property
    def kinds(self) -> set[type]:
        """The types of the expected values."""
        if self._kinds is None:
            self._kinds = set(map(type, self.e))
        return self._kinds

    @property
    def others(self) -> set[type]:
        """The types of the output's values."""
        if self.o is self.e:
            return self.kinds
        if self._others is None:
            self._others = set(map(type, self.o))
        return self._others

    def way(self, at: int) -> Iterator[tuple[Frame, int]]:
        """A pair, and those that it was made of, up to the documents: the frame of each, and its position there."""
        frame: Frame | None = self
        while frame is not None:
            yield frame, at
            if frame.owners is not None:
                at = frame.owners[at]
            frame = frame.up

    def where(self, at: int) -> InstancePath:
        """The concrete path of a pair."""
        steps = [one.steps[at] if isinstance(one.steps, list) else one.steps for one, at in self.way(at)]
        return tuple([step for step in reversed(steps) if step is not None])  # type: ignore[misc]  # `steps` are of any kind

    def items_above(self, at: int) -> InstancePath:
        """The items and values that were gone into on the way to a pair."""
        found = [one.steps[at] for one, at in self.way(at) if isinstance(one.steps, list)]
        return tuple([step for step in reversed(found) if step is not None])

    def row_of(self, at: int) -> int:
        """The row of the documents that a pair is in: pairs of items that are weighed have numbers of their own."""
        *_, (first, at) = self.way(at)
        return first.rows[at]

    def positions(self, row: int) -> range:
        """The positions of the pairs of a row: rows are in order in every frame."""
        first = bisect_left(self.rows, row)
        return range(first, bisect_right(self.rows, row, first))

    def differing(self) -> list[int]:
        """The positions where the two are not the same JSON value."""
        if self.o is self.e:
            return []
        if self._differing is None:
            kinds = self.kinds if self.kinds <= SURE else self.kinds | self.others
            self._differing = differing(self.e, self.o, kinds)
        return self._differing

    def there(self) -> Frame:
        """The pairs of which a side is there."""
        if Missing not in self.kinds or Missing not in self.others:
            return self
        found: Frame | None = self.kept.get(_THERE)
        if found is None:
            pairs = enumerate(zip(self.e, self.o, strict=True))
            found = self.kept[_THERE] = self.part([at for at, (a, b) in pairs if a is not MISSING or b is not MISSING])
        return found

    def full(self, kind: type) -> tuple[Frame, list[int]]:
        """The pairs of two values of a kind with something in each, and the positions of the others."""
        if self.kinds == {kind} == self.others and all(self.e) and all(self.o):
            return self, []
        found: tuple[Frame, list[int]] | None = self.kept.get(kind)
        if found is None:
            pairs = enumerate(zip(self.e, self.o, strict=True))
            odd = [at for at, (a, b) in pairs if a.__class__ is not kind or b.__class__ is not kind or not a or not b]
            rest = set(odd)
            found = self.kept[kind] = self.part([at for at in range(len(self.rows)) if at not in rest]), odd
        return found

    def of_kind(self, kind: type) -> Frame:
        """The pairs of which a side is a container of a kind; a side that is not has an empty one."""
        if self.kinds == {kind} == self.others:
            return self
        pairs = enumerate(zip(self.e, self.o, strict=True))
        at = [at for at, (a, b) in pairs if a.__class__ is kind or b.__class__ is kind]
        if self.o is self.e:
            return self.part(at)
        ours, theirs = ([side[one] if side[one].__class__ is kind else kind() for one in at] for side in (self.e, self.o))
        return self.part(at, ours, theirs)

    def part(self, at: Sequence[int], e: list[Any] | None = None, o: list[Any] | None = None) -> Frame:
        """Some of its pairs, with other values where they are given."""
        if len(at) == len(self.rows) and e is None and o is None:
            return self
        twice = self.o is self.e and o is None and e is None
        e = [self.e[one] for one in at] if e is None else e
        o = e if twice else [self.o[one] for one in at] if o is None else o
        return Frame(e, o, [self.rows[one] for one in at], self, at)

    def children(self, keys: Iterable[str]) -> dict[Any, Any]:
        """The frames of some keys, by key, of pairs of objects. What is no object has none of them."""
        wanted = [key for key in keys if key not in self.kept]
        if wanted:
            ours = _columns(self.e, self.kinds, wanted, self.lacking)
            theirs = ours if self.o is self.e else _columns(self.o, self.others, wanted, self.lacking)
            for key, e, o in zip(wanted, ours, theirs, strict=True):
                self.kept[key] = Frame(e, o, self.rows, self, None, key)
        return self.kept


def of_rows(expected: Sequence[Any], outputs: Sequence[Any]) -> list[Frame]:
    """The frames of some rows. Where the output is the very same object as the expected document, nothing is compared; of several
    rows the caller has looked which outputs are the same, and has made them so."""
    if len(expected) == 1 and same(expected[0], outputs[0]):
        outputs = expected
    alike = [row for row, (e, o) in enumerate(zip(expected, outputs, strict=True)) if e is o and e is not MISSING]
    if not alike:
        return [Frame(expected, outputs, range(len(expected)))]
    twice = [expected[row] for row in alike]
    if len(alike) == len(expected):
        return [Frame(twice, twice, range(len(twice)))]
    same_rows = set(alike)
    rest = [row for row in range(len(expected)) if row not in same_rows]
    return [Frame([expected[row] for row in rest], [outputs[row] for row in rest], rest), Frame(twice, twice, alike)]


def differing(e: Sequence[Any], o: Sequence[Any], kinds: set[type]) -> list[int]:
    """The positions where two columns do not have the same JSON value.

    `kinds` are those of all values; those of one column are enough where they are `SURE`.
    """
    if CONTAINERS.isdisjoint(kinds) and (bool not in kinds or _NUMBERS.isdisjoint(kinds)):
        return list(compress(range(len(e)), map(ne, e, o)))
    return [at for at, (a, b) in enumerate(zip(e, o, strict=True)) if a is not b and not same(a, b)]


def _columns(values: Sequence[Any], kinds: set[type], keys: list[str], lacking: set[int]) -> list[list[Any]]:
    """The values of each key in all the objects, a column per key. The index of an object that lacks a key is added to `lacking`."""
    if not any(values):
        lacking.update(range(len(values)))
        return [[MISSING] * len(values) for _ in keys]
    if kinds != {dict}:
        values = [value if value.__class__ is dict else _NOTHING for value in values]
    found = []
    for key in keys:
        try:
            found.append(list(map(itemgetter(key), values)))
        except KeyError:
            column = [value.get(key, MISSING) for value in values]
            lacking.update([at for at, value in enumerate(column) if value is MISSING])
            found.append(column)
    return found
