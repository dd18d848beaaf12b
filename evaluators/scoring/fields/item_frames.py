"""From a frame of lists, or of objects, to the frames of what is in them: items as they are paired, and values by key; and what an
item of the output without a partner is held against."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, repeat
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from evaluators.model.issues import RowProblem
from evaluators.model.rows import MISSING
from evaluators.scoring.fields.frame import Frame, Unpaired
from evaluators.scoring.fields.pair import ItemKeys, Paired
from evaluators.scoring.values.pairing import identity
from evaluators.scoring.values.transforms import TransformError


class ItemFrames(NamedTuple):
    """The items of the lists of a frame, as they are paired."""

    pairs: Frame
    """Every expected item, with its partner."""
    partners: Sequence[int | None]
    """Where each partner stands in the output's list; None where an item has none."""
    surplus: Frame
    """The items that only the output has."""
    crowded: frozenset[int] = frozenset()
    """The lists that were too long to compare each item with each, by position."""
    keys: Mapping[int, ItemKeys] = MappingProxyType({})
    """The keys that were read to pair items, by the position of their lists."""

    def pairs_of(self, at: int) -> list[tuple[int, int]]:
        """The items of one list that have a partner: (expected index, index in the output)."""
        owners, steps = self.pairs.owners, self.pairs.steps
        if not isinstance(steps, list) or owners is None:
            return []
        items = range(bisect_left(owners, at), bisect_right(owners, at))
        return [(steps[item], column) for item in items if (column := self.partners[item]) is not None]


def in_order(frame: Frame) -> ItemFrames:
    """The items of both lists of every pair, in list order."""
    e, o, rows = frame.e, frame.o, frame.rows
    sizes = list(map(len, e))
    others = sizes if o is e else list(map(len, o))
    owners = list(chain.from_iterable(map(repeat, range(len(e)), sizes)))
    steps = list(chain.from_iterable(map(range, sizes)))
    partners: Sequence[int | None] = steps
    extra: list[tuple[int, int]] = []
    given = o
    if sizes != others:
        sides = enumerate(zip(sizes, others, strict=True))
        extra = [(at, place) for at, (n, m) in sides if m > n for place in range(n, m)]
        o = [
            b if n == m else b[:n] if m > n else [*b, *repeat(MISSING, n - m)]
            for b, n, m in zip(o, sizes, others, strict=True)
        ]
        partners = [place if place < others[at] else None for at, place in zip(owners, steps, strict=True)]
    ours = list(chain.from_iterable(e))
    theirs = ours if given is e else list(chain.from_iterable(o))
    item_rows = list(chain.from_iterable(map(repeat, rows, sizes)))
    return ItemFrames(Frame(ours, theirs, item_rows, frame, owners, steps), partners, extra_items(frame, given, extra))


def aligned(frame: Frame, paired: Mapping[int, Paired]) -> ItemFrames:
    """The items of lists, some of which are paired otherwise than in list order."""
    if not paired:
        return in_order(frame)
    owners: list[int] = []
    steps: list[int] = []
    partners: list[int | None] = []
    ours: list[Any] = []
    theirs: list[Any] = []
    extra: list[tuple[int, int]] = []
    for at, (one, other) in enumerate(zip(frame.e, frame.o, strict=True)):
        size, given = len(one), len(other)
        if at in paired:
            partner = dict(paired[at].pairs)
            columns = [partner.get(row) for row in range(size)]
            partners += columns
            theirs += [MISSING if column is None else other[column] for column in columns]
            extra += [(at, column) for column in paired[at].extra]
        else:
            partners += range(min(size, given))
            theirs += other[:size]
            if given < size:
                partners += [None] * (size - given)
                theirs += [MISSING] * (size - given)
            extra += [(at, column) for column in range(size, given)]
        owners += [at] * size
        steps += range(size)
        ours += one
    rows = frame.rows
    pairs = Frame(ours, theirs, [rows[at] for at in owners], frame, owners, steps)
    crowded = frozenset(at for at, one in paired.items() if one.crowded)
    return ItemFrames(pairs, partners, extra_items(frame, frame.o, extra), crowded)


def extra_items(frame: Frame, o: Sequence[Any], extra: Sequence[tuple[int, int]]) -> Frame:
    """The frame of items that only the output has: (position of the list, index in it) of each."""
    rows, owners = [frame.rows[at] for at, _ in extra], [at for at, _ in extra]
    return Frame(
        [MISSING] * len(extra), [o[at][place] for at, place in extra], rows, frame, owners,
        [Unpaired(place) for _, place in extra],
    )  # fmt: skip


class Kept(NamedTuple):
    """The lists of a frame without the items that are the same as an earlier one, and where those that are left stood."""

    lists: Frame
    ours: Sequence[Sequence[int]]
    theirs: Sequence[Sequence[int]]

    def placed(self, items: ItemFrames) -> ItemFrames:
        """The items of these lists with their places in the whole lists."""
        pairs, surplus = items.pairs, items.surplus
        owners, steps = pairs.owners or (), pairs.steps if isinstance(pairs.steps, list) else ()
        places = [self.ours[at][step] for at, step in zip(owners, steps, strict=True)]
        partners = [
            None if column is None else self.theirs[at][column] for at, column in zip(owners, items.partners, strict=True)
        ]
        extra_owners, extra = surplus.owners or (), surplus.steps if isinstance(surplus.steps, list) else ()
        extras = [Unpaired(self.theirs[at][step.index]) for at, step in zip(extra_owners, extra, strict=True)]
        return items._replace(
            pairs=Frame(pairs.e, pairs.o, pairs.rows, self.lists, owners, places), partners=partners,
            surplus=Frame(surplus.e, surplus.o, surplus.rows, self.lists, extra_owners, extras),
        )  # fmt: skip


def each_once(frame: Frame, key_of: Callable[[Any], Hashable] | None) -> Kept | None:
    """The lists of a frame as sets; None where no list has an item twice.

    Two items are the same where they share a key, if there is `key_of` and it takes all items of both lists, and where they are equal.
    """
    ours: list[Sequence[int]] = []
    theirs: list[Sequence[int]] = []
    for a, b in zip(frame.e, frame.o, strict=True):
        keys = _keys_of(a, b, key_of)
        ours.append(_first_places(keys[: len(a)]))
        theirs.append(_first_places(keys[len(a) :]))
    if all(
        len(a) == len(left)
        for side, kept in ((frame.e, ours), (frame.o, theirs))
        for a, left in zip(side, kept, strict=True)
    ):
        return None
    e = [[side[at] for at in kept] for side, kept in zip(frame.e, ours, strict=True)]
    o = e if frame.o is frame.e else [[side[at] for at in kept] for side, kept in zip(frame.o, theirs, strict=True)]
    return Kept(Frame(e, o, frame.rows, frame), ours, theirs)


def _keys_of(expected: Sequence[Any], output: Sequence[Any], key_of: Callable[[Any], Hashable] | None) -> list[Hashable]:
    """What items of two lists share that are the same."""
    if key_of is not None:
        with suppress(TransformError, RowProblem, RecursionError):
            return [*map(key_of, expected), *map(key_of, output)]
    return [*map(identity, expected), *map(identity, output)]


def _first_places(keys: Sequence[Hashable]) -> Sequence[int]:
    """Where each key stands first."""
    first: dict[Hashable, int] = {}
    for place, key in enumerate(keys):
        first.setdefault(key, place)
    return [*first.values()]


def values_of(frame: Frame) -> Frame:
    """The values of all objects of a frame, those of each by key in order."""
    found = [(at, key) for at, (a, b) in enumerate(zip(frame.e, frame.o, strict=True)) for key in sorted({*a, *b})]
    e = [frame.e[at].get(key, MISSING) for at, key in found]
    o = e if frame.o is frame.e else [frame.o[at].get(key, MISSING) for at, key in found]
    return Frame(e, o, [frame.rows[at] for at, _ in found], frame, [at for at, _ in found], [key for _, key in found])


class Others(tuple[Any, ...]):
    """The expected values that an item without a partner is held against; many items share them."""

    known: dict[str, Others]

    def under(self, key: str) -> Others:
        """What the values have under a key, where they are objects that have it. It is looked up once."""
        if "known" not in self.__dict__:
            self.known = {}
        found = self.known.get(key)
        if found is None:
            found = Others(other[key] for other in self if isinstance(other, dict) and key in other)
            self.known[key] = found
        return found


_NOBODY: Final = Others()
_AGAINST: Final = object()


def against(frame: Frame, at: int) -> Others:
    """What the expected items of its list have at the place of a pair that stands in an item without a partner."""
    keys: list[str] = []
    while frame.up is not None:
        step = frame.steps[at] if isinstance(frame.steps, list) else frame.steps
        owner = at if frame.owners is None else frame.owners[at]
        if isinstance(step, Unpaired):
            found = _others_of(frame.up, owner)
            for key in reversed(keys):
                found = found.under(key)
            return found
        if isinstance(step, int) and not isinstance(step, bool):
            return _NOBODY
        if isinstance(step, str):
            keys.append(step)
        frame, at = frame.up, owner
    return _NOBODY


def _others_of(frame: Frame, at: int) -> Others:
    """The expected items of a list, and those of the lists that it is held against itself."""
    known: dict[int, Others] = frame.kept.setdefault(_AGAINST, {})
    if at not in known:
        inner = (item for other in against(frame, at) if isinstance(other, list) for item in other)
        known[at] = Others((*frame.e[at], *inner))
    return known[at]
