"""How often an output has something where nothing is expected, and nothing where something is: counted from what a walk found.

Empty is what is not there, null, "", [] and {}, and what a suite calls absent (`absent_values`); whether null counts as absent in the
scores makes no difference. The values of a field in a row are counted together: a field outside of lists has one, also where neither
side has it; a field in the items of a list has one for each item in which a side has it, paired or not. Where a row has several right
answers and only some are empty, its value counts in neither rate.

A walk gives the `EmptyValues` of the rows of a chunk; `EmptyCounts` counts them, for all rows together or by groups of rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from operator import add
from types import NoneType
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from msgspec import Struct, field

from evaluators.model.rows import MISSING, Missing
from evaluators.scoring.values.equality import json_equal
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
def add_rows(row: InRow, other: InRow) -> InRow:
    """The counts of two rows, added one by one."""
    return InRow(*map(add, row, other))


@lru_cache
def multiply_row(row: InRow, times: int) -> InRow:
    """The counts of a row, each multiplied by a whole number."""
    return InRow(*[value * times for value in row])


FILLED, EMPTY, MADE_UP, LEFT_OUT = InRow(0, 0, 1, 0), InRow(1, 0, 0, 0), InRow(1, 1, 0, 0), InRow(0, 0, 1, 1)
"""One value: expected and given, neither, given alone, expected alone."""
NOTHING: Final = InRow(0, 0, 0, 0)
Field: TypeAlias = "str | tuple[Any, ...]"
"""A field by its name, or by its place."""


def row_of_value(expected: Any, output: Any) -> InRow:
    """The counts of one value, by whether the expected side and the output are empty."""
    ours = expected is MISSING or (not expected and expected.__class__ in _KINDS)
    theirs = output is MISSING or (not output and output.__class__ in _KINDS)
    return (EMPTY if theirs else MADE_UP) if ours else LEFT_OUT if theirs else FILLED


def empty_positions(values: Sequence[Any], absent: Sequence[Any] = ()) -> set[int]:
    """The positions, in a list of values, of those that are empty. Values that equal one in `absent` are empty, too."""
    empty_places: set[int] = set()
    if not all(values):
        empty_places = {at for at, value in enumerate(values) if not value and value.__class__ in _KINDS}
    if absent:
        empty_places.update(
            at for at, value in enumerate(values) if any(json_equal(value, absent_value) for absent_value in absent)
        )
    return empty_places


class RowPattern(Protocol):
    """The counts that some rows of open trees have in common."""

    @property
    def size(self) -> int:
        """How many marks it holds in memory."""

    @classmethod
    def empty_values(cls, patterns: Mapping[Any, int], places: bool) -> Mapping[tuple[Field, InRow], int]:
        """By (field, counts of a row), how many rows have these counts, given how many rows have each pattern. All fields together are
        counted as ALL_FIELDS; with `places` each place is counted, too."""


class EmptyValues(Struct):
    """Which values are empty in the rows of a chunk, by field."""

    found: list[tuple[InRow, Sequence[Field], Sequence[int], int]] = field(default_factory=list)
    """(the values that each of some fields has in some rows, these fields, these rows, 1); with −1 they are taken off."""
    alike: Mapping[RowPattern, Sequence[int]] = field(default_factory=dict)
    """Of whole documents, the rows that have each pattern."""


class EmptyCounts:
    """A count of rows by how many empty values they have: for each field, for all fields together, and by groups of rows."""

    def __init__(self, only: Collection[str] | None = None) -> None:
        """`only` are the fields that are counted; None counts all."""
        self._only = only
        self._counts: dict[tuple[InRow, tuple[Field, ...]], Counter[str]] = {}
        self._room = _TRIMMED
        """So many counts may be kept before fields beyond the cap are left out."""
        self._patterns: defaultdict[str, dict[RowPattern, int]] = defaultdict(dict)
        """By group, how many rows have each pattern that is not counted field by field yet."""
        self._kept = 0
        """How many marks the patterns hold in memory."""

    def take(self, empty_values: EmptyValues, groups: Mapping[int, str] | None = None) -> None:
        """Adds the empty values of a chunk's rows to the counts. `groups` says which group each row belongs to; without it all are in one,
        which has no name. Patterns of rows are kept, and counted field by field once they hold many marks; where there are too many
        counts, fields are dropped (`_trim`)."""
        only = self._only
        for values, names, rows, times in empty_values.found:
            field_names = tuple(names if only is None else [name for name in names if name in only])
            if not field_names:
                continue
            counts = self._counts.get((values, field_names))
            if counts is None:
                counts = self._counts[values, field_names] = Counter()
            if groups is None:
                counts[""] += times * len(rows)
            elif times == 1:
                counts.update([groups[row] for row in rows])
            else:
                for row in rows:
                    counts[groups[row]] += times
        for pattern, rows in empty_values.alike.items():
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
        """How many rows have the same counts of empty values: {group: {field: {counts of a row: number of rows}}}."""
        self._spread()
        counts: dict[str, dict[str, dict[InRow, int]]] = {}
        texts = {name: field_name(name) for name in self._names()}
        for (values, names), groups in self._counts.items():
            for group, times in groups.items():
                fields = counts.setdefault(group, {})
                for name in names:
                    cell = fields.setdefault(texts[name], {})
                    cell[values] = cell.get(values, 0) + times
        return counts

    def _spread(self) -> None:
        """Counts the values of the kept patterns field by field, and forgets the patterns."""
        for group, patterns in self._patterns.items():
            rows_by_values = next(iter(patterns)).empty_values(patterns, places=self._only is None)
            for (name, value), times in rows_by_values.items():
                if self._only is None or name in self._only:
                    counts = self._counts.setdefault((value, (name,)), Counter())
                    counts[group] += times
        self._patterns.clear()
        self._kept = 0

    def _names(self) -> set[Field]:
        """Every field that has counts so far."""
        return {name for _, names in self._counts for name in names}

    def _trim(self) -> None:
        """Keeps the counts of the first fields in alphabetical order and drops the others: documents may have any number of fields."""
        names = self._names()
        first_names = set(sorted(names, key=field_name)[:_MOST])
        if len(first_names) < len(names):
            before, self._counts = self._counts, {}
            for (values, fields), counts in before.items():
                if remaining := tuple([field for field in fields if field in first_names]):
                    self._counts.setdefault((values, remaining), Counter()).update(counts)
        self._room = max(_TRIMMED, 2 * len(self._counts))


_MOST: Final = 20_000
"""Fields that are counted while rows are read; far fewer are reported."""
_TRIMMED: Final = 200_000
"""So many counts are kept before anybody looks how many fields they are of."""


def field_name(name: Field) -> str:
    """The name of a field that is given by its name, or by its place."""
    return name if isinstance(name, str) else display(name)
