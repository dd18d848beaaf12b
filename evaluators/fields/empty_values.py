"""How often an output has something where nothing is expected, and nothing where something is: counted from the columns of a walk.

Empty is what is not there, null, "", [] and {}, and what a suite calls absent (`absent_values`); whether null counts as absent in the
scores makes no difference. The values of a field in a row are counted together: a field outside of lists has one, also where neither
side has it; a field in the items of a list has one for each item, paired or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from types import NoneType
from typing import Any, Final, NamedTuple, TypeAlias

from evaluators.fields.path_check import ScoredRow
from evaluators.fields.walk_findings import FieldColumn
from evaluators.model import Missing, RowStatus
from evaluators.values.equality import same

INVENTED, LEFT_EMPTY = "invented_rate", "left_empty_rate"
EMPTY_RATES: Final = (INVENTED, LEFT_EMPTY)
"""Of the values that are expected to be empty, the share that the output has; of the others, the share that it leaves empty."""
_KINDS: Final = frozenset((str, list, dict, NoneType, Missing))


class InRow(NamedTuple):
    """The values of a row: those expected to be empty, and those of them that the output has; the others, and those left empty."""

    empty: int
    invented: int
    filled: int
    left_empty: int


FieldRows: TypeAlias = tuple[str, Collection[int]]
"""A field that has one value in each row, and the rows in which it is looked at."""


def empties(values: Sequence[Any], absent: Sequence[Any] = ()) -> set[int]:
    """The positions of empty values."""
    found: set[int] = set()
    if not all(values):
        found = {at for at, value in enumerate(values) if not value and value.__class__ in _KINDS}
    if absent:
        found.update(at for at, value in enumerate(values) if any(same(value, one) for one in absent))
    return found


class EmptyCounts:
    """How many rows have so many empty values, for each field, and under "" for all fields together. Chunks add up."""

    def __init__(self) -> None:
        self.found: dict[str, Counter[InRow]] = {}

    def take_scored(self, scored: Sequence[ScoredRow], absent: Sequence[Any]) -> None:
        """Counts the rows of a chunk: those that were scored, whose output cannot be read, or in which nothing was measured."""
        walked = {id(one.rows): one.rows for one in scored if one.rows is not None}
        wanted: dict[int, set[int]] = {key: set() for key in walked}
        for one in scored:
            if one.rows is not None and one.verdict.status in _COUNTED:
                wanted[id(one.rows)].add(one.at)
        for key, rows in walked.items():
            self.take(*rows.compared(), wanted[key], absent)

    def take(
        self,
        columns: Iterable[FieldColumn],
        fields: Iterable[FieldRows],
        rows: Collection[int],
        absent: Sequence[Any] = (),
    ) -> None:
        """Counts some rows of a chunk. `fields` are those with one value in each row; where no column has it, neither side does."""
        together: dict[int, list[int]] = {row: [0, 0, 0, 0] for row in rows}
        plain: dict[int, tuple[Sequence[int], list[int]]] = {}
        """Rows in which whole columns come to the same, by the identity of their list, with what these columns come to."""
        met: dict[str, list[FieldColumn]] = {}
        for column in columns:
            met.setdefault(column.node.name, []).append(column)
        looked_at, nothing = dict(fields), 0
        for name in dict.fromkeys([*met, *looked_at]):
            counts = self.found.setdefault(name, Counter())
            by_row: dict[int, list[int]] = {}
            seen: list[Sequence[int]] = []
            for _, frame, inside, *_ in met.get(name, ()):
                seen.append(frame.rows)
                ours = empties(frame.e, absent)
                theirs = ours if frame.o is frame.e else empties(frame.o, absent)
                if not inside and together.keys() >= set(frame.rows):
                    odd = ours | theirs
                    counts[_PLAIN] += len(frame.rows) - len(odd)
                    plain.setdefault(id(frame.rows), (frame.rows, [0, 0, 0, 0]))[1][2] += 1
                    for at in odd:
                        empty, given = at in ours, at not in theirs
                        counts[InRow(empty, empty and given, not empty, not empty and not given)] += 1
                        mine = together[frame.rows[at]]
                        mine[0] += empty
                        mine[1] += empty and given
                        mine[2] -= empty
                        mine[3] += not empty and not given
                    continue
                for at, row in enumerate(frame.rows):
                    if row in together:
                        mine = by_row.setdefault(row, [0, 0, 0, 0])
                        empty, given = at in ours, at not in theirs
                        mine[0] += empty
                        mine[1] += empty and given
                        mine[2] += not empty
                        mine[3] += not empty and not given
            if not seen and len(looked_at[name]) >= len(together):
                counts[_NOWHERE] += len(together)
                nothing += 1
            elif name in looked_at:
                covered = set().union(*seen) if sum(map(len, seen)) < len(looked_at[name]) else looked_at[name]
                nowhere = [row for row in looked_at[name] if row not in covered and row in together]
                by_row |= {row: [1, 0, 0, 0] for row in nowhere}
            for row, mine in by_row.items():
                counts[InRow(*mine)] += 1
                together[row] = [a + b for a, b in zip(together[row], mine, strict=True)]
        for shared, of_columns in plain.values():
            for row in shared:
                together[row] = [a + b for a, b in zip(together[row], of_columns, strict=True)]
        if nothing:
            together = {row: [mine[0] + nothing, *mine[1:]] for row, mine in together.items()}
        if met or looked_at:
            self.found.setdefault("", Counter()).update(InRow(*mine) for mine in together.values())


_PLAIN: Final = InRow(0, 0, 1, 0)
_NOWHERE: Final = InRow(1, 0, 0, 0)
_COUNTED: Final = (RowStatus.SCORED, RowStatus.UNREADABLE, RowStatus.NOT_MEASURED)
