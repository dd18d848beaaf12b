"""Measures: numbers that a column already holds, such as cost, latency or tokens, counted beside the scores.

Numbers are kept as they are written. A number is a whole number of UNITs, 10^-30, so that sums are whole numbers: adding and
merging never round, and any split of the rows gives the same metrics to the last bit.

Median and percentile come from how often each number occurs. Where there are more different numbers than are kept, all of
them are cut after six significant digits, or as many fewer as it takes. A cut to fewer digits is the same whether
or not a cut to more digits went before, so how far it goes depends on all the rows together, never on their pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from math import inf
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct, field

from evaluators.issues import CellError
from evaluators.model import MISSING
from evaluators.run.exact_sums import FIRST_ROWS, Four, Sum, plus
from evaluators.run.groups import MOST_SLICES, limit_slices, limited_clusters, slice_texts
from evaluators.values.numbers import Parse, exact_reader, written

UNIT: Final = 10**30
"""How many units 1 is. A number with more than 30 decimals is rounded to them, half to even."""
LARGEST: Final = 10**30
"""Numbers from here on are not read."""
MOST_NUMBERS: Final = 20_000
"""Different numbers of a run that are kept as they are."""
MOST_IN_SLICE: Final = 2_000
"""The same for a slice."""
DIGITS: Final = 6
"""The significant digits that the first cut leaves."""
Decimal: TypeAlias = Literal["auto", ".", ","]
READINGS: Final = (".", ",")
"""The marks before decimals, each with a reading of its own."""


class NumericColumn(Struct, frozen=True):
    """One measure: its name, the column that holds it, and the mark before its decimals."""

    name: str
    column: str
    decimal: Decimal = "auto"
    of_judges: bool = False
    """No column of the test set has them: they are what judges were paid for each row."""

    @property
    def readings(self) -> tuple[str, ...]:
        """The marks with which its cells are read."""
        return READINGS if self.decimal == "auto" else (self.decimal,)


class NumberSums(Sum):
    """What the numbers of some cells come to, all of them in units."""

    powers: Four = field(default_factory=lambda: [0, 0, 0, 0])
    """Sums of the numbers, and of their powers 2, 3 and 4."""
    times: dict[int, int] = field(default_factory=dict)
    """How often each number occurs; numbers are cut where `digits` says so."""
    cuts: set[int] = field(default_factory=set)
    """How many significant digits `times` has; empty where it has all."""
    ends: set[int] = field(default_factory=set)
    """The least and the greatest number."""
    in_slice: bool = False
    """They are those of a slice, which keeps fewer of them."""
    clusters: dict[str, list[int]] = field(default_factory=dict)
    """[cells, their sum] of each cluster, where rows have clusters."""

    def add(self, number: int, times: int) -> None:
        """Count a number that was met some number of times."""
        power = times
        for index in range(4):
            power *= number
            self.powers[index] += power
        self.ends.add(number)
        kept = number if self.digits is None else cut(number, self.digits)
        self.times[kept] = self.times.get(kept, 0) + times
        self._limit_numbers()

    def limit(self) -> None:
        """Cuts all numbers alike, and keeps so many of them and of clusters."""
        if self.cuts:
            self._cut_to(min(self.cuts))
        self._limit_numbers()
        self.clusters = limited_clusters(self.clusters)

    @property
    def digits(self) -> int | None:
        """How many significant digits `times` has; None where it has all."""
        return min(self.cuts, default=None)

    @property
    def least(self) -> int | None:
        """The least number; None without any."""
        return min(self.ends, default=None)

    @property
    def greatest(self) -> int | None:
        """The greatest number; None without any."""
        return max(self.ends, default=None)

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return sum(self.times.values())

    def at(self, rank: int) -> int:
        """The number in that place among all of them in order, from 1."""
        for number in sorted(self.times):
            rank -= self.times[number]
            if rank <= 0:
                return number
        raise IndexError(rank)

    def _limit_numbers(self) -> None:
        if len(self.ends) > 2:
            self.ends = {min(self.ends), max(self.ends)}
        while len(self.times) > (MOST_IN_SLICE if self.in_slice else MOST_NUMBERS):
            self._cut_to(DIGITS if self.digits is None else self.digits - 1)

    def _cut_to(self, digits: int) -> None:
        found: dict[int, int] = {}
        for number, times in self.times.items():
            kept = cut(number, digits)
            found[kept] = found.get(kept, 0) + times
        self.times, self.cuts = found, {digits}


class NumericColumnSums(Sum):
    """What the cells of one measure come to. Each reading has numbers of its own until all cells are known."""

    cells: int = 0
    missing: int = 0
    numbers: dict[str, NumberSums] = field(default_factory=dict)
    """By the mark before decimals."""
    unread: dict[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    """The first rows whose cell is no number, each with its cell; by the mark. Rows are offsets in a split, then numbers."""

    def mark(self) -> str:
        """The mark with which most cells are numbers; the point where both read as many."""
        return max(self.numbers, key=lambda mark: (self.numbers[mark].count, mark == "."), default=".")

    def count(self, marks: Iterable[str], cells: Mapping[str, int], in_slice: bool = False) -> dict[str, set[str]]:
        """Counts cells, given how often each occurs. Returns by mark those that hold no number."""
        unread: dict[str, set[str]] = {}
        filled = {cell: times for cell, times in cells.items() if not is_empty(cell)}
        self.cells += sum(cells.values())
        self.missing += sum(cells.values()) - sum(filled.values())
        for mark in marks:
            numbers = self.numbers.setdefault(mark, NumberSums(in_slice=in_slice))
            for cell, times in filled.items():
                number = units_in(cell, mark)
                if number is None:
                    unread.setdefault(mark, set()).add(cell)
                else:
                    numbers.add(number, times)
        return unread


class NumericColumnCounts:
    """The measures of one split, counted chunk by chunk."""

    def __init__(self, columns: Sequence[NumericColumn], slices: Sequence[str]) -> None:
        self._columns = columns
        self.sums = [NumericColumnSums() for _ in columns]
        self.slices: dict[str, dict[str, list[NumericColumnSums]]] = {column: {} for column in slices}
        """By column and value."""

    def add(
        self,
        offsets: Sequence[int],
        columns: Mapping[str, Sequence[Any]],
        clusters: Sequence[str] | None = None,
        costs: Sequence[str] = (),
    ) -> None:
        """Some rows: their cells by column, the clusters that they belong to, and what judges were paid for them."""
        for index, (one, sums) in enumerate(zip(self._columns, self.sums, strict=True)):
            cells = [
                cell if cell.__class__ is str else as_text(cell)
                for cell in (costs if one.of_judges else columns[one.column])
            ]
            for mark, odd in sums.count(one.readings, Counter(cells)).items():
                if (lacking := FIRST_ROWS - len(rows := sums.unread.get(mark, ()))) > 0:
                    found = ((offset, _shown(cell)) for offset, cell in zip(offsets, cells, strict=True) if cell in odd)
                    sums.unread[mark] = (*rows, *islice(found, lacking))
            if clusters is not None:
                _add_clusters(sums, Counter(zip(clusters, cells, strict=True)))
            for column, values in self.slices.items():
                grouped: dict[str, Counter[str]] = {}
                for (value, cell), times in Counter(zip(slice_texts(columns[column]), cells, strict=True)).items():
                    grouped.setdefault(value, Counter())[cell] = times
                for value, counted in grouped.items():
                    of_value = values.setdefault(value, [NumericColumnSums() for _ in self._columns])
                    of_value[index].count(one.readings, counted, in_slice=True)
        for values in self.slices.values():
            limit_slices(values, 2 * MOST_SLICES)

    def of_slices(self, column: str) -> dict[str, list[NumericColumnSums]]:
        """What was counted by the values of a column, the first of them."""
        limit_slices(self.slices[column])
        return self.slices[column]


def _add_clusters(sums: NumericColumnSums, cells: Mapping[tuple[str, str], int]) -> None:
    for mark, numbers in sums.numbers.items():
        for (name, cell), times in cells.items():
            number = None if is_empty(cell) else units_in(cell, mark)
            if number is not None:
                plus(numbers.clusters, {name: [times, number * times]})
        numbers.clusters = limited_clusters(numbers.clusters)


def is_empty(cell: str) -> bool:
    """Nothing stands in the cell."""
    return not cell or cell.isspace()


def cut(number: int, digits: int) -> int:
    """The number with so many significant digits, the others 0: towards 0, so that a cut after a cut is a cut."""
    size = abs(number)
    if size < 10**digits:
        return number
    step: int = 10 ** (len(str(size)) - digits)
    kept = size // step * step
    return kept if number > 0 else -kept


@lru_cache(maxsize=1 << 14)
def units_of(text: str, mark: str) -> int | None:
    """The number in a cell, in units; None where the cell holds none."""
    number = _reader(mark)(text)
    if number is None or abs(number) >= LARGEST:
        return None
    return round(number * UNIT)


@lru_cache(maxsize=2)
def _reader(mark: str) -> Callable[[str], Fraction | None]:
    return exact_reader(Parse(decimal="," if mark == "," else ".", thousands="." if mark == "," else ",", currency=True))


def as_text(cell: Any) -> str:
    """A cell that is no text, as one that says what it was. A value that stands for no number at all is an empty cell."""
    if cell is None or cell is MISSING or cell != cell:
        return ""
    if isinstance(cell, CellError):
        return f"{_NO_NUMBER}{cell.issue.message}"
    if cell.__class__ is int or (cell.__class__ is float and -inf < cell < inf):
        number = written(cell)
        return f"{_NUMBER}{number.numerator}/{number.denominator}"
    return f"{_NO_NUMBER}{cell}"


_NUMBER: Final = "\0n"
_NO_NUMBER: Final = "\0x"


def units_in(cell: str, mark: str) -> int | None:
    """The number in a cell, which may be one that `as_text` wrote, in units; None where there is none."""
    if cell[:1] != "\0":
        return units_of(cell, mark)
    if not cell.startswith(_NUMBER):
        return None
    number = Fraction(cell[2:])
    return round(number * UNIT) if abs(number) < LARGEST else None


def _shown(cell: str) -> str:
    text = cell.removeprefix(_NO_NUMBER) if cell.startswith(_NO_NUMBER) else cell
    return text if len(text) <= 40 else f"{text[:40]}…"
