"""Measures: numbers that a column already holds, such as cost, latency or tokens, counted beside the scores.

Sums are sums of whole numbers (see `number_cells`), so they never round. Median and percentile are exact: the numbers of a column are
kept while it is counted, eight bytes each where they have at most nine decimals, those of a slice until its last row.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from math import inf
from typing import Final

from evaluators.runs.columns import Cells, Columns
from evaluators.runs.exact_sums import FIRST_ROWS
from evaluators.runs.intervals import mean_interval, moments_of_powers
from evaluators.runs.metric_table import MEASURE_METRICS, Measure, Numbers, compute_metrics
from evaluators.runs.number_cells import UNIT, NumericColumn, cell_text, is_empty, units_in
from evaluators.runs.result import Interval, NumericColumnStats
from evaluators.runs.slices import SliceKey, SliceNames

_NANO: Final = 10**21
"""How many units a billionth is."""
_MOST_NANOS: Final = 2**63 - 1
_PIECE: Final = 1 << 16
"""Numbers that are sorted at once."""


class _NumberCounter:
    """Counts the cells of a measure, and keeps their numbers for the median and the percentile."""

    def __init__(self, mark: str) -> None:
        self.mark, self.cells, self.missing = mark, 0, 0
        self.unread: tuple[tuple[int, str], ...] = ()
        self._powers, self._of_nanos = [0, 0, 0, 0], [0, 0, 0, 0]
        self._nanos, self._others = array("q"), list[int]()
        self._sorted: list[array[int]] = []
        """The numbers before those, in billionths, in order within each piece: a list of all would take five times as much."""

    @property
    def numbers(self) -> int:
        """How many cells hold a number."""
        return sum(map(len, self._sorted)) + len(self._nanos) + len(self._others)

    def add(self, cell: str, times: int) -> bool:
        """Counts a cell that occurs `times` times. Returns False where it is neither empty nor a number."""
        self.cells += times
        if is_empty(cell):
            self.missing += times
            return True
        number = units_in(cell, self.mark)
        if number is None:
            return False
        nanos, rest = divmod(number, _NANO)
        if rest or abs(nanos) > _MOST_NANOS:
            self._others.extend([number] * times)
            _add_powers(self._powers, number, times)
        else:
            self._nanos.extend([nanos] * times)
            if len(self._nanos) >= _PIECE:
                self._end_piece()
            _add_powers(self._of_nanos, nanos, times)
        return True

    def figure(self) -> Measure:
        """The measure of the cells so far: sums of powers, the least, the largest, the middle two and the 95th percentile. Sorts the
        numbers that are not sorted yet."""
        count, others = self.numbers, sorted(self._others)
        self._end_piece()

        def nth(rank: int) -> int:
            """The number of a rank, in units: the least one that so many do not exceed."""
            low = min([*(piece[0] * _NANO for piece in self._sorted), *others[:1]])
            high = max([*(piece[-1] * _NANO for piece in self._sorted), *others[-1:]])
            while low < high:
                middle = (low + high) // 2
                nanos = sum(bisect_right(piece, middle // _NANO) for piece in self._sorted)
                if nanos + bisect_right(others, middle) >= rank:
                    high = middle
                else:
                    low = middle + 1
            return low

        numbers = Numbers()
        if count:
            sums, squares, cubes, fourths = (
                units + nanos * _NANO**power
                for power, (units, nanos) in enumerate(zip(self._powers, self._of_nanos, strict=True), 1)
            )
            numbers = Numbers(
                count=count,
                powers=(sums, squares, cubes, fourths),
                least=nth(1),
                greatest=nth(count),
                middle=(nth((count + 1) // 2), nth(count // 2 + 1)),
                p95=nth(-(-95 * count // 100)),  # rounded up
            )
        return Measure(self.mark, self.cells, self.missing, numbers, self.unread)

    def _end_piece(self) -> None:
        """Sorts the numbers that were added last, and puts them with the sorted pieces."""
        if self._nanos:
            self._sorted.append(array("q", sorted(self._nanos)))
            self._nanos = array("q")


def _add_powers(sums: list[int], number: int, times: int) -> None:
    """Adds the first four powers of the number, each as often as `times`, to the four sums in place."""
    power = times
    for index in range(4):
        power *= number
        sums[index] += power


def measure_sums(columns: Columns, place: int, measure: NumericColumn) -> Measure:
    """The sums of the measure at index `place`, over all rows, read with the decimal mark with which most cells are numbers; with a
    point where both marks give as many."""
    first, *others = measure.readings
    reading = _read_cells(columns, place, first)
    if reading.numbers < reading.cells - reading.missing:
        reading = max([reading, *(_read_cells(columns, place, mark) for mark in others)], key=lambda each: each.numbers)
    return reading.figure()


def _read_cells(columns: Columns, place: int, mark: str) -> _NumberCounter:
    """Reads and counts the cells of the measure at index `place`, with `mark` as the decimal mark. `unread` of what comes back has
    the first rows whose cell is no number."""
    counting = _NumberCounter(mark)
    for rows, cells in columns.read(["row", f"measure{place}"]):
        odd = {cell for cell, times in Counter(cells).items() if not counting.add(cell, times)}
        if odd and (lacking := FIRST_ROWS - len(counting.unread)) > 0:
            first = ((row, cell_text(cell)) for row, cell in zip(rows, cells, strict=True) if cell in odd)
            counting.unread = (*counting.unread, *islice(first, lacking))
    return counting


class ClusterNumbers:
    """Counts the numbers of a measure by cluster: the sum of each, of how many numbers it is."""

    def __init__(self, place: int, measure: Measure) -> None:
        """`place` is the index of the measure; sums are added to `measure`."""
        self.names, self._measure = [f"measure{place}"], measure

    def add(self, group: str, cells: Sequence[Cells]) -> None:
        """Adds the sum and the count of the numbers in one cluster to the measure: `cells[0]` are its cells, its name `group` does not
        matter."""
        units = (units_in(cell, self._measure.mark) for cell in cells[0] if not is_empty(cell))
        if known := [number for number in units if number is not None]:
            self._measure.clusters.add(sum(known), len(known))

    def settle(self) -> None:
        """Does nothing: each cluster is counted when it is added, since hardly two have the same numbers."""


def slice_measures(columns: Columns, measure: int, place: int, mark: str) -> Iterator[tuple[str, Measure]]:
    """Yields the measure with index `measure` over the rows of each slice, as (value of the slice, measure). `place` is the index of the
    slice column, `mark` the decimal mark that was found for all rows."""
    names, known = SliceNames(), dict[str, _NumberCounter]()
    for values, cells in columns.read([f"slice{place}", f"measure{measure}"], f"slice{place}"):
        for (value, cell), times in Counter(zip(names.names_of(values), cells, strict=True)).items():
            if value not in known:
                known[value] = _NumberCounter(mark)
            known[value].add(cell, times)
        for value in names.complete_slices(known):  # so that no more numbers are kept than those of the slices under way
            yield value, known.pop(value).figure()
    for value, counter in known.items():
        yield value, counter.figure()


def measure_stats(
    column: NumericColumn, measure: Measure, variant: str | None, key: SliceKey | None, clustered: bool
) -> NumericColumnStats:
    """The metrics of a measure over all rows, or over the slice `key`. `clustered`: rows are in clusters, each of which is one unit."""
    return NumericColumnStats(
        name=column.name,
        column=column.column,
        mean_ci=_mean_interval(measure, clustered, key is not None),
        decimal=measure.mark,
        first_unreadable=measure.unread,
        variant=variant,
        slice=key,
        **compute_metrics(MEASURE_METRICS, measure),
    )


def _mean_interval(measure: Measure, clustered: bool, of_slice: bool) -> Interval | None:
    """The interval of the mean; None where the numbers show no spread, and for a slice where rows are in clusters."""
    numbers = measure.numbers
    if clustered and of_slice:
        return None
    if clustered:
        moments = measure.clusters.moments(UNIT)
    else:
        moments = moments_of_powers(numbers.count, {UNIT: numbers.powers}) if numbers.count else None
    if moments is None or moments.units < 2 or not moments.second:
        return None
    return mean_interval(moments, 0.0 if numbers.least is not None and numbers.least >= 0 else -inf, inf)
