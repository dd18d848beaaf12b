"""What pairs of items come to that were weighed together: the columns of a walk, added up row by row.

Rows with the same results are added up once. Where listed fields rank pairings, the matches of each are counted for themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from operator import itemgetter
from typing import Any, Final, NamedTuple

from evaluators.fields.frame import Frame
from evaluators.fields.gains import Worth
from evaluators.fields.tree import FieldNode, nodes
from evaluators.fields.walk_findings import (
    ERROR,
    HALLUCINATION,
    MATCH,
    MISMATCH,
    NOT_JUDGED,
    OMISSION,
    Counts,
    FieldColumn,
    Finding,
)
from evaluators.values.confusion import Confusion

ZERO: Final[Counts] = (0, 0, 0, 0, 0)
_COUNTED: Final[Mapping[int, int]] = {MATCH: 0, MISMATCH: 1, ERROR: 1, OMISSION: 2, HALLUCINATION: 3, NOT_JUDGED: 4}
"""Where each status is counted."""
_ONE: Final[Sequence[Counts]] = [
    ZERO, (1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0), ZERO, (0, 1, 0, 0, 0), (0, 0, 0, 0, 1),
]  # fmt: skip
"""What one result counts, by its status."""


class Weighed(NamedTuple):
    """What a pair of items comes to."""

    counts: Counts
    hits: tuple[int, ...]
    """The matches of each place, listed fields in their order."""
    worth: Worth | None
    """None where nothing is measured."""


def add_up(
    count: int,
    columns: Iterable[FieldColumn],
    single: Iterable[Finding],
    known: Iterable[tuple[int, Counts]],
    numbers: Iterable[int] = (),
) -> list[Weighed]:
    """What each of so many rows comes to: its results in columns, those that stand in none, and what is known of choices.

    `numbers` are those of the listed fields that there may be."""
    by_place: dict[tuple[int, int], list[FieldColumn]] = {(number, 0): [] for number in numbers}
    for column in columns:
        line = column.node.line
        by_place.setdefault((-1, id(column.node)) if line is None else (line.number, 0), []).append(column)
    places = [_tallied(count, by_place[key]) for key in sorted(by_place, key=itemgetter(0))]
    beside: dict[int, Counts] = {}
    for finding in single:
        beside[finding.row] = _sums(beside.get(finding.row, ZERO), _ONE[finding.status])
    for row, counts in known:
        beside[row] = _sums(beside.get(row, ZERO), counts)
    made: dict[tuple[Any, ...], Weighed] = {}
    found = []
    for row, each in enumerate(zip(*places, strict=True) if places else repeat((), count)):
        one = made.get(each)
        if one is None:
            tallies = [_ONE[status] if status.__class__ is int else status for status in each]
            one = made[each] = _weighed(_sums(ZERO, *tallies), tuple(right for right, *_ in tallies))
        found.append(_weighed(_sums(one.counts, beside[row]), one.hits) if row in beside else one)
    return found


def _tallied(count: int, columns: Sequence[FieldColumn]) -> Sequence[Any]:
    """Of one place the status of each row, where each has one, else its counts."""
    if not columns:
        return bytes(count)
    each = [(one.frame.rows, one.statuses or bytes((one.status,)) * len(one.frame.rows)) for one in columns]
    if len(each) == 1 and each[0][0].__class__ is range:
        return each[0][1]
    tallies = [[0] * 5 for _ in range(count)]
    for rows, statuses in each:
        for row, status in zip(rows, statuses, strict=True):
            tallies[row][_COUNTED[status]] += 1
    return list(map(tuple, tallies))


def _weighed(counts: Counts, hits: tuple[int, ...]) -> Weighed:
    """What could not be compared is wrong: a pair is not complete because of it."""
    right, wrong, lost, extra, faults = counts
    whole = Confusion(right, wrong + faults, lost, extra).of_both
    return Weighed(counts, hits, Worth(right, whole) if whole else None)


def _sums(*counts: Sequence[int]) -> Counts:
    right, wrong, lost, extra, faults = map(sum, zip(*counts, strict=True))
    return right, wrong, lost, extra, faults


def field_numbers(item: FieldNode) -> list[int]:
    """The numbers of the listed fields below an item."""
    return sorted({node.line.number for node in nodes(item) if node.line is not None})


def ranked(
    lists: Frame, pairs: Sequence[tuple[int, int, int]], counted: Sequence[tuple[Worth, tuple[int, ...]]]
) -> list[Worth]:
    """The worth of pairs of items, where as many matches of the field listed first as can be decide among equals, then those of the next
    one: so the fields that match never hang on the order of the lists. Digits of one large number make the ranks."""
    most: dict[int, int] = {}
    for (at, _, _), (_, right) in zip(pairs, counted, strict=True):
        most[at] = max(most.get(at, 0), sum(right))
    bases = {at: 1 + hits * min(len(lists.e[at]), len(lists.o[at])) for at, hits in most.items()}
    known: dict[tuple[int, tuple[Worth, tuple[int, ...]]], Worth] = {}
    found = []
    for (at, _, _), each in zip(pairs, counted, strict=True):
        key = bases[at], each
        if key not in known:
            rank = 0
            for hits in each[1]:
                rank = rank * bases[at] + hits
            known[key] = each[0]._replace(rank=rank)
        found.append(known[key])
    return found
