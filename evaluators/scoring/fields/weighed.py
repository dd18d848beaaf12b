"""What pairs of items come to that were weighed together: the columns of a walk, added up row by row.

Rows with the same results are added up once. The matches of each place are counted for themselves: they rank pairings that are as good.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, Final, NamedTuple, TypeAlias

from evaluators.scoring.fields.frame import Frame
from evaluators.scoring.fields.gains import NOTHING_ALIKE, Worth
from evaluators.scoring.fields.walk_findings import (
    Counts,
    FieldColumn,
)
from evaluators.scoring.values.confusion import Confusion

Place: TypeAlias = tuple[float, ...]
"""Where a field stands among the others: the lesser, the earlier."""
ZERO: Final[Counts] = (0, 0, 0, 0, 0)
ONE: Final[list[Counts]] = [
    ZERO, (1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0), ZERO, (0, 1, 0, 0, 0), (0, 0, 0, 0, 1),
]  # fmt: skip
"""What one result counts, by the number of its status."""
_COUNTED: Final = {number: one.index(1) for number, one in enumerate(ONE) if any(one)}
"""Where each status is counted."""


class Weighed(NamedTuple):
    """What a pair of items comes to."""

    counts: Counts
    hits: Mapping[Place, int]
    """The matches of places that have some."""
    worth: Worth | None
    """None where nothing is measured."""


NOTHING: Final = Weighed(ZERO, {}, None)


def add_up(
    count: int, columns: Iterable[tuple[Place, FieldColumn]], single: Iterable[tuple[Place, int, Counts]]
) -> list[Weighed]:
    """The weighed results of `count` rows: those in columns, and the single ones of some rows, added up."""
    by_place: dict[Place, list[FieldColumn]] = {}
    for place, column in columns:
        by_place.setdefault(place, []).append(column)
    tallied = [_tallied(count, found) for found in by_place.values()]
    beside: dict[int, list[tuple[Place, Counts]]] = {}
    for place, row, counts in single:
        beside.setdefault(row, []).append((place, counts))
    made: dict[tuple[Any, ...], Weighed] = {}
    found = []
    for row, each in enumerate(zip(*tallied, strict=True) if tallied else repeat((), count)):
        one = made.get(each)
        if one is None:
            tallies = [ONE[status] if status.__class__ is int else status for status in each]
            one = made[each] = _weighed(list(zip(by_place, tallies, strict=True)))
        found.append(_weighed(beside[row], one) if row in beside else one)
    return found


def _tallied(count: int, columns: Sequence[FieldColumn]) -> Sequence[Any]:
    """Of one place the status of each row, where each has one, else its counts."""
    each = [(one.frame.rows, one.statuses or bytes((one.status,)) * len(one.frame.rows)) for one in columns]
    if len(each) == 1 and each[0][0].__class__ is range:
        return each[0][1]
    tallies = [[0] * 5 for _ in range(count)]
    for rows, statuses in each:
        for row, status in zip(rows, statuses, strict=True):
            tallies[row][_COUNTED[status]] += 1
    return list(map(tuple, tallies))


def _weighed(places: Sequence[tuple[Place, Counts]], more: Weighed = NOTHING) -> Weighed:
    """What could not be compared is wrong: a pair is not complete because of it."""
    counts = right, wrong, lost, extra, faults = _sums(more.counts, *(counts for _, counts in places))
    hits = dict(more.hits)
    for place, (matches, *_) in places:
        if matches:
            hits[place] = hits.get(place, 0) + matches
    whole = Confusion(right, wrong + faults, lost, extra).of_both
    return Weighed(counts, hits, Worth(right, whole) if whole else None)


def _sums(*counts: Sequence[int]) -> Counts:
    right, wrong, lost, extra, faults = map(sum, zip(*counts, strict=True))
    return right, wrong, lost, extra, faults


def ranked(lists: Frame, pairs: Sequence[tuple[int, int, int]], weighed: Sequence[Weighed]) -> list[Worth]:
    """The worth of pairs of items, where as many matches of the first field as can be decide among equals, then those of the next
    one: so the fields that match never hang on the order of the lists.

    The digits of one number make the rank, one for each place that matches anywhere; sums of ranks carry nothing over. The
    limit of lists (`list_cells`) counts the values of items, and so bounds the digits of all pairs together.
    """
    different = {id(one): one for one in weighed}
    places = sorted({place for one in different.values() for place in one.hits}, reverse=True)
    most = max((max(one.hits.values(), default=0) for one in different.values()), default=0)
    base = 1 + most * max((min(len(lists.e[at]), len(lists.o[at])) for at in {at for at, _, _ in pairs}), default=0)
    units = {place: base**digit for digit, place in enumerate(places)}
    found = {}
    for number, one in different.items():
        rank = sum([units[place] * matches for place, matches in one.hits.items()])
        found[number] = (one.worth or NOTHING_ALIKE)._replace(rank=rank)
    return [found[id(one)] for one in weighed]
