"""What a walk through a chunk came to, row by row, in numbers of events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from evaluators.scoring.fields.coding import Coding, Signature
from evaluators.scoring.fields.events import Items
from evaluators.scoring.fields.frame import Frame
from evaluators.scoring.fields.scored import MEASURED
from evaluators.scoring.fields.walk import Walk
from evaluators.scoring.fields.walk_findings import MATCH, NOT_JUDGED, SKIPPED, WalkedLists


def row_events(walk: Walk, coding: Coding) -> list[Signature]:
    """The events of every row."""
    groups: list[list[tuple[int, int]]] = [[] for _ in range(walk.count)]
    single: list[list[int]] = [[] for _ in range(walk.count)]
    numbers: dict[int, list[int]] = {}
    for node, frame, inside, status, _ in walk.columns:
        numbers.setdefault(id(frame.rows), []).append(coding.column(node, status, inside))
    for rows in {id(column.frame.rows): column.frame.rows for column in walk.columns}.values():
        group = coding.group(tuple(numbers[id(rows)]))
        if isinstance(rows, range):
            once = (group, 1)
            for found in groups:
                found.append(once)
        else:
            for row, times in Counter(rows).items():
                groups[row].append((group, times))
    inner = {id(column.node): column.inside for column in walk.columns}
    for each in walk.findings:
        single[each.row].append(coding.finding(each, inner[id(each.node)]))
    for each, inside in walk.single:
        single[each.row].append(coding.result(each, inside))
    for node, frame in walk.skipped:
        number = coding.skipped(node)
        for row in frame.rows:
            single[row].append(number)
    for place in walk.outside:
        single[place.row].append(coding.outside((*place.node.path, place.step)))
    if walk.lists:
        _count_lists(walk, coding, inner, single)
    return [(tuple(found), tuple(sorted(more))) for found, more in zip(groups, single, strict=True)]


def _count_lists(walk: Walk, coding: Coding, inner: Mapping[int, bool], single: list[list[int]]) -> None:
    """Adds the number of what became of every list in which something was measured."""
    marks = Marks(walk, inner)
    broken = {each.row for each in walk.findings if each.status is NOT_JUDGED}
    measured = _measured(walk, broken) if broken else set[tuple[int, int]]()
    for listed in walk.lists:
        node, inside = listed.node, listed.inside
        plain: dict[int, int] = {}
        odd = _odd_counts(listed, marks)
        for at, (row, side, own) in enumerate(zip(listed.frame.rows, listed.frame.e, listed.own, strict=True)):
            if at not in odd and own is None and row not in broken:
                size = len(side)
                number = plain.get(size)
                if number is None:
                    number = plain[size] = coding.items(node, Items(size, 0, 0, size), False, inside)
                single[row].append(number)
                continue
            expected, output, paired, matched = odd.get(at) or [len(side)] * 4
            if not expected and not output and own is None:
                continue
            if row in broken and own is None and (id(listed.frame), at) not in measured:
                continue
            alike = not expected and not output and own is MATCH
            items = Items(matched, expected - matched, output - matched, paired)
            single[row].append(coding.items(node, items, alike, inside))


def _odd_counts(listed: WalkedLists, marks: Marks) -> dict[int, list[int]]:
    """Of the lists of which not all items match, by position: expected items, those of the output, pairs, and pairs that match."""
    frame, items = listed.frame, listed.items
    if items is None:  # lists that have a result of their own, or items that the schema does not know
        sides = enumerate(zip(frame.e, frame.o, listed.own, strict=True))
        return {
            at: [0, len(o) if e.__class__ is o.__class__ is list and own is not None else 0, 0, 0]
            for at, (e, o, own) in sides
        }
    found: dict[int, list[int]] = {}

    def counts(owner: int) -> list[int]:
        known = found.get(owner)
        if known is None:
            size = len(frame.e[owner])
            known = found[owner] = [size, len(frame.o[owner]), size, size]
        return known

    for owner, size in enumerate(map(len, frame.e)):
        if not size:
            counts(owner)
    wrong, measured = marks.wrong[id(items.pairs)], marks.measured[id(items.pairs)]
    owners = items.pairs.owners or ()
    if None in items.partners or 0 in measured:
        for owner, partner, there in zip(owners, items.partners, measured, strict=True):
            if partner is None or not there:
                known = counts(owner)
                known[2] -= 1
                known[3] -= 1
                if not there:
                    known[0] -= 1
                    known[1] -= partner is not None
    at = wrong.find(1)
    while at >= 0:
        if measured[at] and items.partners[at] is not None:
            counts(owners[at])[3] -= 1
        at = wrong.find(1, at + 1)
    for owner, there in zip(items.surplus.owners or (), marks.measured[id(items.surplus)], strict=True):
        counts(owner)[1] -= not there
    return found


class Marks:
    """Which items of all lists of a walk are wrong, and in which something was measured: a byte for each item of a frame.

    A result marks the item that it stands in, and the items that this one stands in. Most columns have a value in each
    item of a frame; those mark it as measured as a whole, and only the others are followed upwards.
    """

    def __init__(self, walk: Walk, inner: Mapping[int, bool]) -> None:
        lists = [each for each in walk.lists if each.items is not None]
        frames = [frame for each in lists if each.items is not None for frame in (each.items.pairs, each.items.surplus)]
        self.outer = {
            id(frame) for each in lists if each.items is not None and not each.inside
            for frame in (each.items.pairs, each.items.surplus)
        }  # fmt: skip
        """The frames of lists that stand in no other list: above them there is no item to mark."""
        alone = {id(each.items.surplus) for each in lists if each.items is not None and not each.inside}
        alone |= {
            id(each.items.pairs) for each in lists
            if each.items is not None and not each.inside and all(one is None for one in each.items.partners)
        }  # fmt: skip
        # an item without a partner is no pair that could match: columns below it need not mark it as wrong
        columns = [column for column in walk.columns if column.inside]
        every = {id(column.frame.rows) for column in columns}  # a frame with these very rows has a value in each item
        self.wrong = {id(frame): bytearray(len(frame.rows)) for frame in frames}
        self.measured = {
            id(frame): bytearray((b"\1" if id(frame.rows) in every else b"\0") * len(frame.rows)) for frame in frames
        }
        unsure = {id(frame) for frame in frames if frame.rows and id(frame.rows) not in every}
        for _, frame, _, status, _ in columns:
            above = {id(one) for one in _above(frame)} if unsure or status is not MATCH else set[int]()
            if not unsure.isdisjoint(above):
                self._mark(self.measured, frame, range(len(frame.rows)))
            if status is not MATCH and alone.isdisjoint(above):
                self._mark(self.wrong, frame, range(len(frame.rows)))
        wrong: dict[int, tuple[Frame, list[int]]] = {}
        for each in walk.findings:
            if each.status is not MATCH and inner[id(each.node)]:
                wrong.setdefault(id(each.frame), (each.frame, []))[1].append(each.at)
        for frame, places in wrong.values():
            self._mark(self.wrong, frame, places)
        for each, inside in walk.single:
            if inside and each.status is not SKIPPED:
                self._mark(self.measured, each.frame, [each.at])
                if each.status is not MATCH:
                    self._mark(self.wrong, each.frame, [each.at])

    def _mark(self, marks: Mapping[int, bytearray], frame: Frame | None, places: Sequence[int]) -> None:
        """Marks the items that some pairs of a frame stand in."""
        while frame is not None:
            known = marks.get(id(frame))
            if known is not None:
                for at in places:
                    known[at] = 1
                if id(frame) in self.outer:
                    return
            owners = frame.owners
            if owners is not None:
                places = [owners[at] for at in places]
            frame = frame.up


def _above(frame: Frame | None) -> Iterator[Frame]:
    """A frame, and those that it was made of."""
    while frame is not None:
        yield frame
        frame = frame.up


def _measured(walk: Walk, broken: AbstractSet[int]) -> set[tuple[int, int]]:
    """The pairs, by frame and position, in which something was measured, of rows in which something could not be."""
    faults = {(id(each.node), id(each.frame), each.at) for each in walk.findings if each.status is NOT_JUDGED}
    found: set[tuple[int, int]] = set()
    for node, frame, *_ in walk.columns:
        for at, row in enumerate(frame.rows):
            if row in broken and (id(node), id(frame), at) not in faults:
                found.update((id(above), place) for above, place in frame.way(at))
    for each, _ in walk.single:
        if each.row in broken and each.status in MEASURED:
            found.update((id(above), place) for above, place in each.frame.way(each.at))
    return found
