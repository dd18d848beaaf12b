"""What the measures of a run came to, and what kept cells from being numbers."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from fractions import Fraction
from math import inf
from typing import Final

from evaluators.issues import Blame, Issue
from evaluators.run.figures import counted
from evaluators.run.groups import SliceKey, by_slice
from evaluators.run.intervals import mean_interval, moments_of_clusters, moments_of_powers
from evaluators.run.measures import UNIT, MeasuredColumn, MeasureSums, NumberSums
from evaluators.run.result import Interval, MeasureStats

NOT_A_NUMBER: Final = "not-a-number"


def measures_of(
    columns: Sequence[MeasuredColumn], measured: Sequence[tuple[str | None, Sequence[MeasureSums]]], clustered: bool
) -> list[MeasureStats]:
    """The measures over each variant, and then those of its slices, by column and then by value."""
    whole: list[MeasureStats] = []
    slices: list[MeasureStats] = []
    for variant, found in measured:
        for one, sums in zip(columns, found, strict=False):  # nothing was counted where no row was read
            mark = sums.mark() if one.decimal == "auto" else one.decimal
            whole.append(_stats(one, mark, sums, variant, None, clustered))
            slices += [_stats(one, mark, each, variant, key, clustered) for key, each in by_slice(sums.slices)]
    return whole + slices


def _stats(
    one: MeasuredColumn, mark: str, sums: MeasureSums, variant: str | None, key: SliceKey | None, clustered: bool
) -> MeasureStats:
    numbers = sums.numbers.get(mark, NumberSums())
    count = numbers.count
    total = Fraction(numbers.powers[0], UNIT)
    # the number in the middle, or half of the two in the middle
    middle = Fraction(numbers.at((count + 1) // 2) + numbers.at(count // 2 + 1), 2 * UNIT) if count else None
    return MeasureStats(
        name=one.name,
        column=one.column,
        rows=sums.cells,
        n=count,
        missing=sums.missing,
        unreadable=sums.cells - sums.missing - count,
        mean=float(total / count) if count else None,
        mean_ci=_interval(numbers, count, clustered, key is not None),
        median=None if middle is None else float(middle),
        p95=_float(numbers.at(-(-95 * count // 100))) if count else None,
        sum=float(total) if count else None,
        min=_float(numbers.least),
        max=_float(numbers.greatest),
        decimal=mark,
        digits=numbers.digits,
        first_unreadable=sums.unread.get(mark, ()),
        variant=variant,
        slice=key,
    )


def _float(units: int | None) -> float | None:
    return None if units is None else float(Fraction(units, UNIT))


def _interval(numbers: NumberSums, count: int, clustered: bool, of_slice: bool) -> Interval | None:
    """The interval of the mean; None where the numbers show no spread, and for slices of rows in clusters."""
    if clustered and of_slice:
        return None
    if clustered:
        moments = moments_of_clusters((cells, Fraction(total, UNIT)) for cells, total in numbers.clusters.values())
    else:
        one, two, three, four = numbers.powers
        moments = moments_of_powers(count, {UNIT: (one, two, three, four)}) if count else None
    if moments is None or moments.units < 2 or not moments.second:
        return None
    return mean_interval(moments, 0.0 if numbers.least is not None and numbers.least >= 0 else -inf, inf)


def unreadable_cells(measures: Sequence[MeasureStats], name: str, counts: MutableMapping[str, int]) -> Iterator[Issue]:
    """The first cells that hold no number, placed in the test set called `name`; all of them are added to `counts`."""
    seen: set[tuple[int, str]] = set()
    for one in measures:
        if one.slice is not None or not one.unreadable:
            continue
        counts[NOT_A_NUMBER] = counts.get(NOT_A_NUMBER, 0) + one.unreadable
        for row, cell in one.first_unreadable:
            if (row, one.column) not in seen:
                seen.add((row, one.column))
                hint = "write a number and nothing else, such as 0.012; an empty cell counts as missing"
                where = f'{name} row {row}, column "{one.column}"'
                yield Issue(NOT_A_NUMBER, Blame.TESTSET, f'not a number: "{cell}"', where, hint)


def unreadable_measures(measures: Sequence[MeasureStats]) -> Iterator[Issue]:
    """One problem for each measure in which some cell holds no number."""
    for one in measures:
        if one.slice is None and one.unreadable:
            are = "is not a number" if one.unreadable == 1 else "are not numbers"
            message = f'the measure "{_full_name(one)}": {one.unreadable:,} of {counted(one.rows, "cell")} {are}'
            yield Issue(NOT_A_NUMBER, Blame.TESTSET, message)


def measure_gaps(measures: Sequence[MeasureStats]) -> Iterator[Issue]:
    """Every measure whose column is empty in all rows."""
    for one in measures:
        if one.slice is None and one.rows and one.missing == one.rows:
            message = f'the measure "{_full_name(one)}" measured nothing: the column "{one.column}" is empty in every row'
            yield Issue("measure-measured-nothing", Blame.TESTSET, message)


def measure_notes(columns: Sequence[MeasuredColumn], measures: Sequence[MeasureStats]) -> list[str]:
    """Which measures are read with a decimal comma though the suite does not say so."""
    auto = {one.name for one in columns if one.decimal == "auto"}
    return [
        f'"{_full_name(one)}": its numbers have a comma before the decimals; `decimal: "."` reads them with a point'
        for one in measures
        if one.slice is None and one.name in auto and one.decimal == ","
    ]


def _full_name(one: MeasureStats) -> str:
    return f"{one.name} ({one.variant})" if one.variant else one.name
