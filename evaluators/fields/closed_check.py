"""The check of listed fields that every row goes through: statuses alone, field by field for all the rows of a chunk.

Each field has a column of statuses, matches at first, which what is no plain match overwrites. The statuses of a row are bytes, and the
verdict of each combination is made once. What is wrong with an expected value, or with a comparator, costs its own field its
status, and the row its score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, Final

from evaluators.comparators._comparator import in_field
from evaluators.fields.closed import ClosedTree, ListedField, Sides, combined
from evaluators.fields.closed_explain import explain_fields
from evaluators.fields.closed_score import verdict_of
from evaluators.fields.frame import Frame, of_rows
from evaluators.fields.path_check import ChunkCheck
from evaluators.fields.rules import Judged, Partial
from evaluators.issues import RowProblem
from evaluators.model import Status, Verdict

_MEMO: Final = 50_000  # combinations of statuses remembered for one evaluator; more are settled anew each time


class ListedCheck(ChunkCheck):
    """Scores rows by their listed fields: (expected, output, *cells of `columns`) → verdict. An unreadable output is MISSING."""

    def __init__(self, tree: ClosedTree, pass_at: float, columns: Sequence[str] = ()) -> None:
        self._tree, self._pass_at, self._columns = tree, pass_at, columns
        self._known: dict[bytes, Verdict] = {}

    def rows(self, *columns: Sequence[Any]) -> list[Verdict]:
        expected, outputs, *cells = columns
        rows = [dict(zip(self._columns, each, strict=True)) for each in zip(*cells, strict=True)] if cells else repeat({})
        chunk = _FieldColumns(self._tree, expected, outputs, rows)
        flat, count = b"".join(chunk.statuses), len(expected)
        found = []
        for row in range(count):
            statuses = flat[row::count]
            if row in chunk.odd or row in chunk.problems:
                odd = chunk.odd.get(row, {})
                judged = [odd.get(number, status) for number, status in enumerate(statuses)]
                found.append(verdict_of(self._tree, self._pass_at, judged, chunk.problems.get(row)))
                continue
            verdict = self._known.get(statuses)
            if verdict is None:
                verdict = verdict_of(self._tree, self._pass_at, statuses)
                if len(self._known) < _MEMO:
                    self._known[statuses] = verdict
            found.append(verdict)
        return found

    def explained(self, expected: Any, output: Any, *cells: Any) -> Verdict:
        """The verdict of a row about which somebody is asked: its fields are explained."""
        settled = explain_fields(self._tree, expected, output, dict(zip(self._columns, cells, strict=True)))
        problem = next((one.problem for one in settled if one.problem is not None), None)
        return verdict_of(self._tree, self._pass_at, [one.judged for one in settled], problem)


class _FieldColumns:
    """What became of each field in some rows."""

    def __init__(
        self, tree: ClosedTree, expected: Sequence[Any], outputs: Sequence[Any], rows: Iterable[dict[str, Any]]
    ) -> None:
        self.statuses = [bytearray((Status.MATCH,)) * len(expected) for _ in tree.fields]
        """A column for each field."""
        self.odd: dict[int, dict[int, Partial]] = {}
        """By row and field, partial credit."""
        self.problems: dict[int, RowProblem] = {}
        """By row, what kept the first of its fields from being measured that has such a problem."""
        frames = of_rows(expected, outputs)
        sides = [Sides(tree, frame) for frame in frames]
        try:
            for frame in frames:
                if len(frame.rows) > 1:
                    frame.children(tree.keys)
            for field, column in zip(tree.fields, self.statuses, strict=True):
                if field.line.skip:
                    column[:] = bytes((Status.SKIPPED,)) * len(column)
                    continue
                if field.several:
                    column[:] = bytes((field.absent,)) * len(column)
                left_out = set[int]()
                if field.line.when:
                    asked = map(field.asked_of, expected, outputs, rows)
                    left_out = {row for row, wanted in enumerate(asked) if not wanted}
                for each in sides:
                    self._fill(field, column, each, left_out)
                for row in left_out:
                    column[row] = Status.SKIPPED
        finally:
            for frame in frames:
                frame.release()

    def _fill(self, field: ListedField, column: bytearray, sides: Sides, left_out: set[int]) -> None:
        """Writes what became of a field into its column, but for the rows that it is left out of."""
        unreadable = field.unreadable(sides)
        for row, issue in unreadable.items():
            if row not in left_out:
                column[row] = self._status(field, row, RowProblem(issue))
        apart = left_out.union(unreadable)
        for frame, several in field.values(sides):
            if apart:
                frame = frame.part([at for at, row in enumerate(frame.rows) if row not in apart])
            if several:
                self._several(field, column, frame.there())
                continue
            for at, found in field.judged(frame):
                if found.__class__ is not Status:
                    found = self._status(field, frame.rows[at], found)
                column[frame.rows[at]] = field.absent if found is Status.NOT_MEASURED else found

    def _several(self, field: ListedField, column: bytearray, frame: Frame) -> None:
        """The same of several values a row, each of which is there on one side at least."""
        for row in dict.fromkeys(frame.rows):
            column[row] = Status.MATCH
        found: dict[int, list[Status]] = {}
        for at, judged in field.judged(frame):
            status = judged.status if isinstance(judged, Partial) else self._status(field, frame.rows[at], judged)
            found.setdefault(frame.rows[at], []).append(status)
        for row, statuses in found.items():
            matches = len(statuses) < frame.rows.count(row) if Status.NOT_MEASURED in statuses else False
            status = combined([*statuses, Status.MATCH] if matches else statuses)
            column[row] = field.absent if status is Status.NOT_MEASURED else status

    def _status(self, field: ListedField, row: int, found: Judged | RowProblem) -> Status:
        """The bare status of a field; what there is beside it is kept."""
        if isinstance(found, Status):
            return found
        if isinstance(found, Partial):
            self.odd.setdefault(row, {})[field.number] = found
            return found.status
        self.problems.setdefault(row, in_field(found, field.line.name))
        return Status.FAULT
