"""What every pair of items of two lists is worth by their listed fields, found field by field instead of pair by pair.

The values of a field are read once from each item and compared whole columns at once (see `gain_columns`). It answers for lists
that are worth an array, whose items have plain fields only; for anything else it gives None, and pairs are weighed one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from evaluators.comparators._comparator import Matches
from evaluators.fields.gains import GainArrays
from evaluators.limits import still_time
from evaluators.model import MISSING
from evaluators.value_class import NamedTuple
from evaluators.values.arrays import arrays_for
from evaluators.values.pairing import identity
from evaluators.values.paths import Path

LeafColumn: TypeAlias = Callable[[Sequence[Any], Sequence[Any]], "Matches | None"]
"""Whether each value of one column matches each of another; None where pairs have to be asked one by one."""
MOST_RANKED: Final = 60
"""So many fields, each a bit of a whole number, may decide among pairings that are equally good."""
_JOINED: Final = object()


class PlainLeaf(NamedTuple):
    """One listed field that is one value in each item."""

    path: Path
    column: LeafColumn | None


def leaf_worths(
    leaves: Sequence[PlainLeaf], expected: Sequence[Any], output: Sequence[Any], ranked: bool
) -> GainArrays | None:
    """The worth of all pairs of items. `ranked`: fields decide among pairings that are as good, that listed first before others."""
    numpy = arrays_for(len(expected), len(output))
    if numpy is None or (ranked and len(leaves) > MOST_RANKED):
        return None
    shape = len(expected), len(output)
    matched, ranks = numpy.zeros(shape, dtype=numpy.int64), numpy.zeros(shape, dtype=numpy.int64) if ranked else None
    ours, theirs = (numpy.zeros(length, dtype=numpy.int64) for length in shape)
    for number, leaf in enumerate(leaves):
        still_time()
        sides = [_read(leaf.path, side) for side in (expected, output)]
        if leaf.column is None or sides[0] is None or sides[1] is None:
            return None
        (rows, values), (columns, others) = sides[0], sides[1]
        ours[rows] += 1
        theirs[columns] += 1
        if not rows or not columns:
            continue
        found = leaf.column(values, others)
        still_time()
        if found is None:
            return None
        hits = numpy.asarray(found, dtype=numpy.int64)
        places = numpy.ix_(rows, columns)
        matched[places] += hits
        if ranks is not None:
            ranks[places] += hits << (len(leaves) - 1 - number)
    whole = numpy.add.outer(ours, theirs)
    empty = [[index for index, count in enumerate(side) if not count] for side in (ours.tolist(), theirs.tolist())]
    if all(empty):
        # where no listed field is there, a pair is complete when its items are equal
        places = numpy.ix_(*empty)
        known = {identity(output[column]) for column in empty[1]}
        alike = {row: identity(expected[row]) for row in empty[0]}
        matched[places] = [
            [one == identity(output[column]) for column in empty[1]] if one in known else [False] * len(empty[1])
            for one in alike.values()
        ]
        whole[places] = 2
    return GainArrays(matched, whole, ranks)


def _read(path: Path, items: Sequence[Any]) -> tuple[list[int], list[Any]] | None:
    """Where items have a value, and the values; None where a key with dots may be meant, which the expected item decides."""
    read = path.unjoined_getter(_JOINED)
    places, values = [], []
    for index, item in enumerate(items):
        value = read(item)
        if value is _JOINED:
            return None
        if value is not MISSING:
            places.append(index)
            values.append(value)
    return places, values
