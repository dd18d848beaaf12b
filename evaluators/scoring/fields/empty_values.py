"""How often an output has something where nothing is expected, and nothing where something is: counted from what a walk found.

Empty is what is not there, null, "", [] and {}, and what a suite calls absent (`absent_values`); whether null counts as absent in the
scores makes no difference. The values of a field in a row are counted together: a field outside of lists has one, also where neither
side has it; a field in the items of a list has one for each item in which a side has it, paired or not. Where a row has several right
answers and only some are empty, its value counts in neither rate.

A walk gives the `EmptyValues` of the rows of a chunk; `EmptyCounts` counts them, for all rows together or by groups of rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from operator import add
from types import NoneType
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar

from msgspec import Struct, field

from evaluators.model.rows import MISSING, Missing
from evaluators.scoring.fields.walk_findings import FieldColumn
from evaluators.scoring.values.equality import same
from evaluators.scoring.values.paths import display

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


@lru_cache
def added(one: InRow, other: InRow) -> InRow:
    """What two come to together."""
    return InRow(*map(add, one, other))


@lru_cache
def _times(one: InRow, times: int) -> InRow:
    return InRow(*[value * times for value in one])


@lru_cache
def instead(this: InRow, that: InRow) -> InRow:
    """What is added to have this in place of that."""
    return added(this, _times(that, -1))


FILLED, EMPTY, MADE_UP, LEFT_OUT = InRow(0, 0, 1, 0), InRow(1, 0, 0, 0), InRow(1, 1, 0, 0), InRow(0, 0, 1, 1)
"""One value: expected and given, neither, given alone, expected alone."""
NOTHING: Final = InRow(0, 0, 0, 0)
_INSTEAD_OF_FILLED: Final = {
    (True, True): instead(EMPTY, FILLED), (True, False): instead(MADE_UP, FILLED), (False, True): instead(LEFT_OUT, FILLED),
}  # fmt: skip
"""What is added for one value, given that the expected one is empty, and the output's."""
_NOT_COUNTED: Final = instead(NOTHING, FILLED)
"""What is added where an empty output is right and so is another, of several right answers."""
_Same = TypeVar("_Same")
Field: TypeAlias = "str | tuple[Any, ...]"
"""A field by its name, or by its place."""
FieldRows: TypeAlias = tuple[str, Collection[int]]
"""A field that has one value in each row, and the rows in which it is looked at."""


def value_of(expected: Any, output: Any) -> InRow:
    """What one value comes to."""
    ours = expected is MISSING or (not expected and expected.__class__ in _KINDS)
    theirs = output is MISSING or (not output and output.__class__ in _KINDS)
    return (EMPTY if theirs else MADE_UP) if ours else LEFT_OUT if theirs else FILLED


def empties(values: Sequence[Any], absent: Sequence[Any] = ()) -> set[int]:
    """The positions of empty values."""
    found: set[int] = set()
    if not all(values):
        found = {at for at, value in enumerate(values) if not value and value.__class__ in _KINDS}
    if absent:
        found.update(at for at, value in enumerate(values) if any(same(value, one) for one in absent))
    return found


def _of_answers(values: Sequence[Any], absent: Sequence[Any]) -> tuple[set[int], set[int]]:
    """The positions where all right answers are empty, and those where some are: a list holds the right answers of a row."""
    ours, either = set[int](), set[int]()
    for at, value in enumerate(values):
        answers = value if isinstance(value, list) and value else (value,)
        empty = len(empties(answers, absent))
        if empty:
            (ours if empty == len(answers) else either).add(at)
    return ours, either


class RowPattern(Protocol):
    """What some rows of open trees have in common."""

    @property
    def size(self) -> int:
        """How much there is to keep of it."""

    @classmethod
    def empty_values(cls, patterns: Mapping[Any, int], places: bool) -> Mapping[tuple[Field, InRow], int]:
        """How many rows have so many empty values, given how many have each pattern: of all fields, and of each of the `places`."""


class EmptyValues(Struct):
    """What the fields come to in the rows of a chunk."""

    found: list[tuple[InRow, Sequence[Field], Sequence[int], int]] = field(default_factory=list)
    """(what each of some fields comes to in some rows, these fields, these rows, 1); −1 takes it back."""
    alike: Mapping[RowPattern, Sequence[int]] = field(default_factory=dict)
    """The rows of each pattern, which say it all of open trees."""

    def add(self, names: Sequence[Field], by_row: Mapping[int, InRow]) -> None:
        """Adds what each of some fields comes to in some rows."""
        self.found += [(values, names, rows, 1) for values, rows in _alike(by_row).items()]

    def add_odd(self, name: Field, more: Mapping[int, InRow], usual: Mapping[int, InRow]) -> None:
        """Adds what a field comes to in some rows beside what is usual, and takes that back."""
        changes = {row: (usual.get(row), values) for row, values in more.items()}
        for (before, values), rows in _alike(changes).items():
            self.found.append((values if before is None else added(before, values), (name,), rows, 1))
            if before is not None:
                self.found.append((before, (name,), rows, -1))


def of_columns(
    columns: Iterable[FieldColumn], fields: Iterable[FieldRows], rows: Collection[int], absent: Sequence[Any] = ()
) -> EmptyValues:
    """What the fields of some rows come to, from the columns of a walk. `fields` are those with one value in each row; where no column
    has it, neither side does."""
    made = EmptyValues()
    together = dict.fromkeys(rows, NOTHING)
    looked_at, met = dict(fields), dict[str, list[FieldColumn]]()
    for column in columns:
        met.setdefault(column.node.name, []).append(column)
    alike: dict[tuple[int, ...], list[str]] = {}
    """Fields that have values in the same rows, by the identity of the lists of these rows."""
    for name in dict.fromkeys([*met, *looked_at]):
        ids = [id(column.frame.rows) for column in met.get(name, ())]
        alike.setdefault((id(looked_at.get(name)), *ids), []).append(name)
    for names in alike.values():
        counts = Counter(chain.from_iterable([column.frame.rows for column in met.get(names[0], ())]))
        usual = {row: _times(FILLED, count) for row, count in counts.items() if row in together}
        usual |= {row: EMPTY for row in looked_at.get(names[0], ()) if row in together and row not in counts}
        made.add(names, usual)
        each = {value: _times(value, len(names)) for value in {*usual.values()}}
        for row, value in usual.items():
            together[row] = added(together[row], each[value])
        for name in names:
            odd = _odd_values(met.get(name, ()), together.keys(), absent)
            made.add_odd(name, odd, usual)
            for row, value in odd.items():
                together[row] = added(together[row], value)
    if alike:
        made.add([ALL_FIELDS], together)
    return made


def _odd_values(columns: Iterable[FieldColumn], rows: Collection[int], absent: Sequence[Any]) -> dict[int, InRow]:
    """What is added in some rows where values of a field are empty."""
    found: dict[int, InRow] = {}
    for node, frame, *_ in columns:
        either = set[int]()
        if node.lists_answers:
            ours, either = _of_answers(frame.e, absent)
        else:
            ours = empties(frame.e, absent)
        theirs = ours if frame.o is frame.e else empties(frame.o, absent)
        for at in ours | theirs | either:
            row = frame.rows[at]
            if row in rows:
                value = _NOT_COUNTED if at in either else _INSTEAD_OF_FILLED[at in ours, at in theirs]
                found[row] = added(found[row], value) if row in found else value
    return found


def _alike(by_row: Mapping[int, _Same]) -> dict[_Same, list[int]]:
    """The rows that have the same, by what that is."""
    found: dict[_Same, list[int]] = {}
    for row, value in by_row.items():
        found.setdefault(value, []).append(row)
    return found


class EmptyCounts:
    """How many rows have so many empty values, for each field and for all fields together, by groups of rows."""

    def __init__(self, only: Collection[str] | None = None) -> None:
        """`only` are the fields that are counted; None counts all."""
        self._only = only
        self._counts: dict[tuple[InRow, tuple[Field, ...]], Counter[str]] = {}
        self._room = _TRIMMED
        self._patterns: defaultdict[str, dict[RowPattern, int]] = defaultdict(dict)
        self._kept = 0
        """How much there is to keep of the patterns."""

    def take(self, found: EmptyValues, groups: Mapping[int, str] | None = None) -> None:
        """Counts rows of a chunk. `groups` says which group each belongs to; without it all are in one, which has no name."""
        only = self._only
        for values, names, rows, times in found.found:
            kept = tuple(names if only is None else [name for name in names if name in only])
            if not kept:
                continue
            counts = self._counts.get((values, kept))
            if counts is None:
                counts = self._counts[values, kept] = Counter()
            if groups is None:
                counts[""] += times * len(rows)
            elif times == 1:
                counts.update([groups[row] for row in rows])
            else:
                for row in rows:
                    counts[groups[row]] += times
        for pattern, rows in found.alike.items():
            by_group = {"": len(rows)} if groups is None else Counter([groups[row] for row in rows])
            for group, count in by_group.items():
                known = self._patterns[group]
                self._kept += 0 if pattern in known else pattern.size
                known[pattern] = known.get(pattern, 0) + count
        if self._kept > _TRIMMED:
            self._spread()
        if len(self._counts) > self._room:
            self._trim()

    def by_group(self) -> dict[str, dict[str, dict[InRow, int]]]:
        """By group and field, how many rows have so many empty values."""
        self._spread()
        found: dict[str, dict[str, dict[InRow, int]]] = {}
        texts = {name: spelled(name) for name in self._names()}
        for (values, names), groups in self._counts.items():
            for group, times in groups.items():
                fields = found.setdefault(group, {})
                for name in names:
                    cell = fields.setdefault(texts[name], {})
                    cell[values] = cell.get(values, 0) + times
        return found

    def _spread(self) -> None:
        """Counts the values of patterns field by field."""
        for group, patterns in self._patterns.items():
            found = next(iter(patterns)).empty_values(patterns, places=self._only is None)
            for (name, value), times in found.items():
                if self._only is None or name in self._only:
                    counts = self._counts.setdefault((value, (name,)), Counter())
                    counts[group] += times
        self._patterns.clear()
        self._kept = 0

    def _names(self) -> set[Field]:
        return {name for _, names in self._counts for name in names}

    def _trim(self) -> None:
        """Keeps the first fields in alphabetical order: documents may have any number."""
        names = self._names()
        kept = set(sorted(names, key=spelled)[:_MOST])
        if len(kept) < len(names):
            before, self._counts = self._counts, {}
            for (values, fields), counts in before.items():
                if some := tuple([one for one in fields if one in kept]):
                    self._counts.setdefault((values, some), Counter()).update(counts)
        self._room = max(_TRIMMED, 2 * len(self._counts))


_MOST: Final = 20_000
"""Fields that are counted while rows are read; far fewer are reported."""
_TRIMMED: Final = 200_000
"""So many counts are kept before anybody looks how many fields they are of."""


def spelled(name: Field) -> str:
    """The name of a field."""
    return name if isinstance(name, str) else display(name)
