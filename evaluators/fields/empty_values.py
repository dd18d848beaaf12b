"""How often an output has something where nothing is expected, and nothing where something is: counted from what a walk found.

Empty is what is not there, null, "", [] and {}, and what a suite calls absent (`absent_values`); whether null counts as absent in the
scores makes no difference. The values of a field in a row are counted together: a field outside of lists has one, also where neither
side has it; a field in the items of a list has one for each item in which a side has it, paired or not.

A walk gives the `EmptyValues` of the rows of a chunk; `EmptyCounts` counts them, for all rows together or by groups of rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import index
from types import NoneType
from typing import Any, Final, NamedTuple, SupportsIndex, TypeAlias

from msgspec import Struct, field

from evaluators.fields.walk_findings import HALLUCINATION, MATCH, OMISSION, FieldColumn
from evaluators.model import Missing
from evaluators.values.equality import same
from evaluators.values.paths import display

INVENTED, LEFT_EMPTY = "invented_rate", "left_empty_rate"
EMPTY_RATES: Final = (INVENTED, LEFT_EMPTY)
"""Of the values that are expected to be empty, the share that the output has; of the others, the share that it leaves empty."""
_KINDS: Final = frozenset((str, list, dict, NoneType, Missing))
ALL_FIELDS: Final = ""
"""In place of a field: all fields of a row together."""
EACH_ROW: Final = "\0"
"""In place of a field, where documents decide what fields there are: a row. One that says nothing of a field outside of lists expects it
to be empty."""


class InRow(NamedTuple):
    """The values of a row: those expected to be empty, and those of them that the output has; the others, and those left empty."""

    empty: int
    invented: int
    filled: int
    left_empty: int


FILLED, EMPTY = InRow(0, 0, 1, 0), InRow(1, 0, 0, 0)
"""One value that is expected and given, and one that is neither."""
Field: TypeAlias = "str | tuple[Any, ...]"
"""A field by its name, or by its place."""
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


class EmptyValues(Struct):
    """What the fields come to in the rows of a chunk."""

    usual: list[tuple[InRow, Sequence[Field], Sequence[int]]] = field(default_factory=list)
    """Fields that come to the same in some rows."""
    odd: list[tuple[Field, int, InRow, int]] = field(default_factory=list)
    """(field, row, what it comes to there, 1): what it usually comes to is taken back with −1."""

    def add(self, names: Sequence[Field], by_row: Mapping[int, Iterable[int]]) -> None:
        """Adds what each of some fields comes to in some rows."""
        alike: dict[InRow, list[int]] = {}
        for row, values in by_row.items():
            alike.setdefault(InRow(*values), []).append(row)
        self.usual += [(values, names, rows) for values, rows in alike.items()]

    def replace(self, name: Field, row: int, before: InRow, after: InRow) -> None:
        """A field does not come to what is usual in a row."""
        self.odd += [(name, row, before, -1), (name, row, after, 1)]


def of_columns(
    columns: Iterable[FieldColumn], fields: Iterable[FieldRows], rows: Collection[int], absent: Sequence[Any] = ()
) -> EmptyValues:
    """What the fields of some rows come to, from the columns of a walk. `fields` are those with one value in each row; where no column
    has it, neither side does."""
    made = EmptyValues()
    together: dict[int, list[int]] = {row: [0, 0, 0, 0] for row in rows}
    plain: dict[int, tuple[Sequence[int], list[Field]]] = {}
    """Rows in which whole columns come to the same, by the identity of their list, with the fields of these columns."""
    met: dict[str, list[FieldColumn]] = {}
    for column in columns:
        met.setdefault(column.node.name, []).append(column)
    looked_at, nowhere = dict(fields), list[Field]()
    for name in dict.fromkeys([*met, *looked_at]):
        by_row: dict[int, list[int]] = {}
        covered: set[int] = set()
        for _, frame, inside, *_ in met.get(name, ()):
            covered.update(frame.rows)
            ours = empties(frame.e, absent)
            theirs = ours if frame.o is frame.e else empties(frame.o, absent)
            if not inside and together.keys() >= set(frame.rows):
                plain.setdefault(id(frame.rows), (frame.rows, []))[1].append(name)
                odd = {frame.rows[at]: _value(at in ours, at in theirs) for at in ours | theirs}
                for row, values in odd.items():
                    made.replace(name, row, FILLED, values)
                    _add(together, row, values)
                    together[row][2] -= 1
                continue
            for at, row in enumerate(frame.rows):
                if row in together:
                    _add(by_row, row, _value(at in ours, at in theirs))
        if not covered and len(looked_at.get(name, ())) >= len(together) > 0:
            nowhere.append(name)
        elif name in looked_at:
            by_row |= {row: [*EMPTY] for row in looked_at[name] if row not in covered and row in together}
        made.add([name], by_row)
        for row, mine in by_row.items():
            _add(together, row, mine)
    for shared, names in plain.values():
        made.usual.append((FILLED, names, shared))
        for row in shared:
            together[row][2] += len(names)
    if nowhere:
        made.usual.append((EMPTY, nowhere, list(together)))
        together = {row: [mine[0] + len(nowhere), *mine[1:]] for row, mine in together.items()}
    if met or looked_at:
        made.add([ALL_FIELDS], together)
    return made


NEITHER, MADE_UP, LEFT_OUT = InRow(1, 0, -1, 0), InRow(1, 1, -1, 0), InRow(0, 0, 0, 1)
"""What is added to a value that stands on both sides: both are empty, the expected one, or the output's."""
GIVEN, INSTEAD = InRow(0, 0, 0, -1), InRow(-1, -1, 0, 0)
"""What is added where contents are expected and the output has something else, and to what it has there."""
_AS_IT_IS: Final = {
    MATCH.number: FILLED, OMISSION.number: InRow(0, 0, 1, 1), HALLUCINATION.number: InRow(1, 1, 0, 0), 0: InRow(1, 1, 0, 0),
}  # fmt: skip
"""What a leaf comes to that is not empty, by the number of its status; 0 stands for one in an item that only the output has."""
IF_EMPTY: Final = {
    MATCH.number: NEITHER, OMISSION.number: InRow(1, 0, -1, -1), HALLUCINATION.number: InRow(0, -1, 0, 0), 0: InRow(0, -1, 0, 0),
}  # fmt: skip
"""What is added to one that is."""


def of_leaves(
    columns: Iterable[tuple[SupportsIndex, Sequence[Field], Sequence[int]]],
    full: Iterable[tuple[SupportsIndex, Field, Sequence[int]]],
    odd: Iterable[tuple[InRow, Field, Sequence[int]]],
    rows: Collection[int],
    count: int,
) -> EmptyValues:
    """What the leaves of some rows of open trees come to: status, places and rows of leaves, and of places with contents, and what is to be
    added to them. There are so many rows in all."""
    made = EmptyValues([(EMPTY, (EACH_ROW,), list(rows))])
    together = {row: [0, 0, 0, 0] for row in rows}
    whole = len(together) == count
    usual: dict[Field, list[dict[int, InRow]]] = {}
    """By place, what its columns come to in their rows."""
    further: dict[Field, dict[int, list[int]]] = {}
    """By place and row, what is to be added to that."""
    of_leaves_and_contents = [(*column, True) for column in columns]
    of_leaves_and_contents += [(status, (name,), every, False) for status, name, every in full]
    for status, names, every, of_leaf in of_leaves_and_contents:
        value, times = _AS_IT_IS[index(status)], Counter(every if whole else [row for row in every if row in together])
        if of_leaf:
            for row, count in times.items():
                together[row][2] += value.filled * count * len(names)
                together[row][3] += value.left_empty * count * len(names)
        if len(times) > _FEW:
            if len(times) == times.total():
                by_row = dict.fromkeys(times, value)
                made.usual.append((value, names, list(times)))
            else:
                by_row = {row: InRow(*[one * count for one in value]) for row, count in times.items()}
                made.add(names, by_row)
            for name in names:
                usual.setdefault(name, []).append(by_row)
        else:
            for name in names:
                for row, count in times.items():
                    _add(further.setdefault(name, {}), row, value, count)
    for value, name, every in odd:
        mine = further.setdefault(name, {})
        for row in every:
            if row in together:
                _add(mine, row, value)
                if value is not GIVEN:  # contents are leaves of their own
                    together[row][2] += value.filled
                    together[row][3] += value.left_empty
    for name, found in usual.items():
        if len(found) > 1:
            several = Counter(chain.from_iterable(found))
            for row in [row for row, count in several.items() if count > 1]:
                further.setdefault(name, {}).setdefault(row, [0, 0, 0, 0])
    for name, by_rows in further.items():
        for row, more in by_rows.items():
            for each in (one[row] for one in usual.get(name, ()) if row in one):
                made.odd.append((name, row, each, -1))
                _add(by_rows, row, each)
            made.odd.append((name, row, InRow(*more), 1))
    made.add([ALL_FIELDS], together)
    return made


_FEW: Final = 3


def _value(expected_empty: bool, output_empty: bool) -> InRow:
    """What one value comes to."""
    if expected_empty:
        return InRow(1, not output_empty, 0, 0)
    return InRow(0, 0, 1, output_empty)


def _add(by_row: dict[int, list[int]], row: int, values: Iterable[int], times: int = 1) -> None:
    mine = by_row.setdefault(row, [0, 0, 0, 0])
    for at, value in enumerate(values):
        if value:
            mine[at] += value * times


class EmptyCounts:
    """How many rows have so many empty values, for each field and for all fields together, by groups of rows."""

    def __init__(self, only: Collection[str] | None = None) -> None:
        """`only` are the fields that are counted; None counts all."""
        self._only = only
        self._usual: dict[tuple[InRow, tuple[Field, ...]], Counter[str]] = {}
        self._odd: Counter[tuple[str, Field, InRow]] = Counter()
        self._room = _TRIMMED

    def take(self, found: EmptyValues, groups: Mapping[int, str] | None = None) -> None:
        """Counts rows of a chunk. `groups` says which group each belongs to; without it all are in one, which has no name."""
        only = self._only
        for values, names, rows in found.usual:
            kept = tuple(names if only is None else [name for name in names if name in only])
            if not kept:
                continue
            counts = self._usual.setdefault((values, kept), Counter())
            if groups is None:
                counts[""] += len(rows)
            else:
                counts.update([groups[row] for row in rows])
        odd = self._odd
        for name, row, values, times in found.odd:
            if only is None or name in only:
                odd["" if groups is None else groups[row], name, values] += times
        if len(odd) + len(self._usual) > self._room:
            self._trim()

    def by_group(self) -> dict[str, dict[str, dict[InRow, int]]]:
        """By group and field, how many rows have so many empty values."""
        found: defaultdict[str, defaultdict[str, Counter[InRow]]] = defaultdict(lambda: defaultdict(Counter))
        for (values, names), groups in self._usual.items():
            spelled = list(map(_spelled, names))
            for group, times in groups.items():
                for name in spelled:
                    found[group][name][values] += times
        for (group, field_, values), times in self._odd.items():
            found[group][_spelled(field_)][values] += times
        return {group: dict(fields) for group, fields in found.items()}

    def merge_groups(self, beyond: set[str], into: str) -> None:
        """Counts some groups as another one."""
        for counts in self._usual.values():
            for group in beyond & counts.keys():
                counts[into] += counts.pop(group)
        for key in [key for key in self._odd if key[0] in beyond]:
            self._odd[into, key[1], key[2]] += self._odd.pop(key)

    def _trim(self) -> None:
        """Keeps the first fields in alphabetical order: documents may have any number."""
        names = {name for _, names in self._usual for name in names} | {name for _, name, _ in self._odd}
        kept = set(sorted(names, key=_spelled)[:_MOST])
        if len(kept) < len(names):
            before, self._usual = self._usual, {}
            for (values, fields), counts in before.items():
                self._usual.setdefault((values, tuple([one for one in fields if one in kept])), Counter()).update(counts)
            self._odd = Counter({key: times for key, times in self._odd.items() if key[1] in kept})
        self._room = max(_TRIMMED, 2 * (len(self._odd) + len(self._usual)))


_MOST: Final = 20_000
"""Fields that are counted while rows are read; far fewer are reported."""
_TRIMMED: Final = 200_000
"""So many counts are kept before anybody looks how many fields they are of."""


def _spelled(name: Field) -> str:
    return name if isinstance(name, str) else display(name)
