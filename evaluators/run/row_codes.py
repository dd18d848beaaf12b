"""The codes of the rows of a split, and what else readers of rows ask for: by trace where rows have one, else in full.

A code is the number of a verdict in the ledger of its evaluator. Ledgers number verdicts in the order of rows, whichever way a
row took; so what is written depends on the rows alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from evaluators.fields.path_check import PathNote
from evaluators.fields.path_details import Detail
from evaluators.model import Verdict
from evaluators.plan.cells import Cells
from evaluators.plan.suite_plan import Plan
from evaluators.plan.traced_rows import TracedRow, TracedRows
from evaluators.run.tally import Ledger, Tally
from evaluators.value_class import dataclass

Codes = tuple[int, ...]
"""The codes of a row, one for each evaluator that shares a trace."""


@dataclass(frozen=True, slots=True)
class Taken:
    """The rows of a chunk, numbered."""

    codes: list[list[int]]
    """By evaluator, the code of each row."""
    several: int
    """How many outputs hold more than one JSON document."""
    filled: Mapping[int, Cells] | Sequence[Cells]
    """The filled slots of all rows, of those evaluators that no row shares a score of."""
    look_up: Callable[[Sequence[int]], tuple[Sequence[Cells], Mapping[int, int] | Sequence[int]]]
    """The filled slots of some rows, and where each of them stands there."""


class RowCodes:
    """Numbers the verdicts of one split."""

    def __init__(self, plan: Plan, ledgers: Sequence[Ledger], traced: TracedRows | None) -> None:
        self._plan = plan
        self._ledgers = ledgers
        self._traced = traced
        names = {line.name for line in traced.view.lines} if traced is not None else set()
        self._shared = [place for place, one in enumerate(plan.evaluators) if one.line.name in names]
        self._others = [place for place, one in enumerate(plan.evaluators) if one.line.name not in names]
        self._verdict_slots = [one.verdicts for one in plan.evaluators]
        self._shared_slots = [plan.evaluators[place].verdicts for place in self._shared]
        self._shared_steps = plan.steps_to(self._shared_slots)
        self._other_steps = plan.steps_to(
            [slot for place in self._others for slot in (self._verdict_slots[place], *plan.evaluators[place].inputs)],
            self._shared_slots,
        )
        inputs = [slot for place in self._shared for slot in plan.evaluators[place].inputs]
        self._reading_steps = plan.steps_to(inputs, self._verdict_slots)
        self._known: dict[int, Codes] = {}
        self._counts: Counter[int] = Counter()

    def take(self, columns: Mapping[str, Cells], count: int) -> Taken:
        """The rows of a chunk, counted in the ledgers."""
        if self._traced is None or not self._traced.ready:
            return self._in_full(columns, count)
        found = self._traced.find(columns, count)
        if count == found.count(-1):
            return self._in_full(columns, count)
        return self._by_trace(columns, count, found, self._traced.rows)

    def settle(self, tallies: Sequence[Tally]) -> None:
        """Adds to the tallies of the evaluators what rows with a trace counted by path. To be called once, at the end."""
        if self._traced is None:
            return
        rows = self._traced.rows
        for place, number in enumerate(self._shared):
            noted = [(rows[row].notes[place], self._counts[row]) for row in self._known]
            counts, details = _summed((note, times) for note, times in noted if note is not None)
            tallies[number].add_paths(self._traced.summed(place, counts))
            tallies[number].add_details(details)

    def count(self) -> None:
        """Counts the rows with a trace in the ledgers. To be called once, before these are settled."""
        for row, codes in self._known.items():
            for place, code in zip(self._shared, codes, strict=True):
                self._ledgers[place].counts[code] += self._counts[row]

    def _in_full(self, columns: Mapping[str, Cells], count: int) -> Taken:
        slots = self._plan.run(columns, count)
        if self._traced is not None and not self._traced.ready:
            self._traced.learn(columns)
        codes = [ledger.codes(slots[slot]) for ledger, slot in zip(self._ledgers, self._verdict_slots, strict=True)]
        return Taken(codes, self._plan.several(slots), slots, lambda rows: (slots, range(count)))

    def _by_trace(
        self, columns: Mapping[str, Cells], count: int, found: Sequence[int], traced: Sequence[TracedRow]
    ) -> Taken:
        odd = [row for row, number in enumerate(found) if number < 0]
        slots = self._plan.run(_some(columns, odd), len(odd), steps=self._shared_steps) if odd else []
        verdicts = zip(*(slots[slot] for slot in self._shared_slots), strict=True) if odd else iter(())
        known = self._known
        rows = [
            known.get(number) or (self._counted(next(verdicts)) if number < 0 else self._first(number, traced[number]))
            for number in found
        ]
        self._counts.update(found)
        codes: list[list[int]] = [[] for _ in self._ledgers]
        for place, column in zip(self._shared, zip(*rows, strict=True), strict=True):
            codes[place] = list(column)
        filled = self._run_others(columns, count, codes) if self._others else {}
        for place in self._others:
            codes[place] = self._ledgers[place].codes(filled[self._verdict_slots[place]])

        def look_up(rows: Sequence[int]) -> tuple[Sequence[Cells], Mapping[int, int]]:
            given = {slot: [cells[row] for row in rows] for slot, cells in filled.items()}
            given |= self._verdicts(codes, rows)
            slots = self._plan.run(_some(columns, rows), len(rows), given, self._reading_steps)
            return slots, {row: at for at, row in enumerate(rows)}

        searched = self._plan.searched.values()
        several = self._plan.several({slot: filled.get(slot) or (slots[slot] if odd else []) for slot in searched})
        return Taken(codes, several, filled, look_up)

    def _run_others(self, columns: Mapping[str, Cells], count: int, codes: Sequence[Sequence[int]]) -> dict[int, Cells]:
        """The slots of the evaluators that have no trace, given the verdicts of those that have."""
        slots = self._plan.run(columns, count, self._verdicts(codes, range(count)), self._other_steps)
        others = [self._plan.evaluators[place] for place in self._others]
        searched = [slot for slot in self._plan.searched.values() if slots[slot]]
        return {slot: slots[slot] for slot in (*searched, *[at for one in others for at in (one.verdicts, *one.inputs)])}

    def _verdicts(self, codes: Sequence[Sequence[int]], rows: Sequence[int]) -> dict[int, Cells]:
        """The slots of the verdicts that are told by a trace."""
        found: dict[int, Cells] = {}
        for place, slot in zip(self._shared, self._shared_slots, strict=True):
            verdicts, column = self._ledgers[place].verdicts, codes[place]
            found[slot] = [verdicts[column[row]] for row in rows]
        return found

    def _first(self, number: int, row: TracedRow) -> Codes:
        """The codes of a row that is the first with its trace in this split."""
        numbered = zip(self._shared, row.verdicts, strict=True)
        found = self._known[number] = tuple([self._ledgers[place].number(verdict) for place, verdict in numbered])
        return found

    def _counted(self, verdicts: Iterable[Verdict]) -> Codes:
        """The codes of a row without a trace."""
        numbered = zip(self._shared, verdicts, strict=True)
        return tuple([self._ledgers[place].counted(verdict) for place, verdict in numbered])


def _some(columns: Mapping[str, Cells], rows: Sequence[int]) -> dict[str, Cells]:
    return {name: [cells[row] for row in rows] for name, cells in columns.items()}


def _summed(notes: Iterable[tuple[PathNote, int]]) -> tuple[dict[int, int], dict[Detail, int]]:
    """What rows counted by path, each so many times."""
    counts: defaultdict[int, int] = defaultdict(int)
    details: defaultdict[Detail, int] = defaultdict(int)
    for note, times in notes:
        for number, count in note.counts:
            counts[number] += count * times
        for detail, count in note.details.items():
            details[detail] += count * times
    return counts, details
