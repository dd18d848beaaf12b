"""Slices: the rows that share a value of one column.

A column may have any number of values, and only some can have metrics of their own: the first MOST_SLICES in alphabetical order. The
others share one slice, which says so. Rows are counted in the order of their values, so that the first ones are met first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from evaluators.model.rows import Result
from evaluators.runs.columns import Columns
from evaluators.runs.groups import MOST_SLICES, OTHER_VALUES
from evaluators.runs.tally import Tally
from evaluators.runs.watch import Watch
from evaluators.scoring.plan.graph import EvaluatorLine

SliceKey: TypeAlias = tuple[str, str]
"""(column, value)."""


class SliceNames:
    """Assigns each value to a slice, given the values in order."""

    def __init__(self) -> None:
        self._own, self._last = set[str](), ""

    def names_of(self, values: Sequence[str]) -> Sequence[str]:
        """The slice of each of the next values: the value itself, or `OTHER_VALUES` for all values beyond the first `MOST_SLICES`. Notes
        which values have slices of their own, and the last value."""
        every = dict.fromkeys(values)
        for value in every:
            if value != OTHER_VALUES and len(self._own) < MOST_SLICES:
                self._own.add(value)
        self._last = values[-1]
        return (
            values if every.keys() <= self._own else [value if value in self._own else OTHER_VALUES for value in values]
        )

    def complete_slices(self, slices: Iterable[str]) -> list[str]:
        """Those of the slices of which no further row can come, as values come in order."""
        return [value for value in slices if value not in (OTHER_VALUES, self._last)]


def slice_tallies(
    columns: Columns,
    place: int,
    lines: Sequence[EvaluatorLine],
    verdicts: Sequence[Sequence[Result]],
    watches: Mapping[str, Watch],
) -> dict[str, list[Tally]]:
    """The tally of each evaluator over the rows of each value of a slice column, by value. `place` is the index of the column."""
    name, names, tallies = f"slice{place}", SliceNames(), dict[str, list[Tally]]()
    for values, *codes in columns.read([name, *columns.layout.codes], name):
        values = names.names_of(values)
        for value in dict.fromkeys(values):
            if value not in tallies:
                tallies[value] = [Tally.of_line(line) for line in lines]
        for evaluator, (line, column) in enumerate(zip(lines, codes, strict=True)):
            watch = watches.get(line.name)
            for (value, code), times in Counter(zip(values, column, strict=True)).items():
                tallies[value][evaluator].add(verdicts[evaluator][code], times, watch)
    return tallies
