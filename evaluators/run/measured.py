"""What the measures of a run came to, and what kept cells from being numbers."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from typing import Final

from evaluators.issues import Blame, Issue
from evaluators.run.figures import counted
from evaluators.run.measures import MeasuredColumn, MeasuredSums, measure_stats
from evaluators.run.result import MeasureStats

NOT_A_NUMBER: Final = "not-a-number"


def measures_of(
    columns: Sequence[MeasuredColumn], measured: Sequence[tuple[str | None, MeasuredSums]], clustered: bool
) -> list[MeasureStats]:
    """The measures over each variant, and then those of slices. Nothing for a suite without measures."""
    if not columns:
        return []
    found = [measure_stats(columns, sums, variant, clustered) for variant, sums in measured if sums.whole]
    return [one for whole, _ in found for one in whole] + [one for _, slices in found for one in slices]


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
