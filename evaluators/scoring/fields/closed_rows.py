"""Rows that were scored by their listed fields: one walk, what became of each field, and its results with their reasons.

Each field has a column of statuses, one a row, which the findings of the walk overwrite. What is wrong with an expected value, or
with a comparator, costs its own field its status, and the row its score. The statuses of a row are bytes, and the verdict of
each combination is made once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from evaluators.model.issues import Issue, RowProblem
from evaluators.model.rows import FIELD_STATUSES, FieldStatus, Outcome, Reason, Result
from evaluators.scoring.comparators._comparator import in_field
from evaluators.scoring.fields.closed import (
    LEFT_OUT,
    ClosedTree,
    combined,
    earns_shares,
    left_out,
    required_right,
    settle_field,
    verdict_of,
)
from evaluators.scoring.fields.empty_values import EmptyValues, of_columns
from evaluators.scoring.fields.frame import of_rows
from evaluators.scoring.fields.lines import FieldLine
from evaluators.scoring.fields.pair import CROWDED
from evaluators.scoring.fields.path_check import ChunkCheck, ScoredRow, ScoredRows
from evaluators.scoring.fields.rules import Explained, Judged, Partial
from evaluators.scoring.fields.settle import WEIGHTLESS, WRONG
from evaluators.scoring.fields.walk import Walk
from evaluators.scoring.fields.walk_findings import FieldColumn, Finding, More, WalkedLists, order_of
from evaluators.scoring.needs import all_hold

MATCH, SKIPPED, NOT_MEASURED = FieldStatus.MATCH, FieldStatus.SKIPPED, FieldStatus.NOT_MEASURED
_WRONG: Final = bytes(WRONG)
_MEMO: Final = 50_000
"""Combinations of statuses remembered for one evaluator; more are settled anew each time."""


class ListedRows(ScoredRows):
    """Rows that listed fields scored. An output that is not there is MISSING."""

    def __init__(
        self,
        tree: ClosedTree,
        expected: Sequence[Any],
        outputs: Sequence[Any],
        cells: Sequence[Mapping[str, Any]],
    ) -> None:
        """`cells` are those that conditions name, and those with right answers, by row."""
        self.tree, self._count = tree, len(expected)
        if tree.reshapings.each:
            expected, outputs = self.reshaped(tree.reshapings, expected, outputs)
        if tree.keys is not None:
            outputs = self.with_known_keys(tree.keys, tree.known_keys, expected, outputs)
        self._left_out: dict[int, Collection[int]] = {}
        """By field, the rows in which it is not looked at."""
        for number, line in enumerate(tree.scored):
            if line.when:
                asked = enumerate(zip(expected, outputs, cells, strict=True))
                self._left_out[number] = {
                    row for row, (e, o, named) in asked if not all_hold(line.when, {"expected": e, "output": o}, named)
                }
        self.odd: dict[int, dict[int, Partial]] = {}
        """By row and field, partial credit."""
        self._problems: dict[int, dict[int, RowProblem]] = {}
        """By row and field, what kept it from being measured."""
        self._found: tuple[int, dict[tuple[int, int, int], Finding]] = -1, {}
        """A row, and what was found in it, by place and position."""
        self._by_field: dict[int, list[FieldColumn]] = {}
        """The pairs of values of each field."""
        self.frames = of_rows(expected, outputs)
        self._walk: Walk | None = None
        try:
            answers = cells if tree.answer_columns else ()
            self._walk = Walk(len(cells), left_out=self._left_out, cells=answers).go(tree.root, self.frames)
        except BaseException:
            self.release()
            raise
        self.statuses: list[bytearray] = []
        """A column for each field, once the rows are settled."""

    def __len__(self) -> int:
        return self._count

    @property
    def pairs_by_asking(self) -> bool:
        return self.tree.pairs_by_asking

    def lists(self) -> Sequence[WalkedLists]:
        return self._walk.lists if self._walk is not None else ()

    def empty_values(self, rows: Collection[int], absent: Sequence[Any]) -> EmptyValues:
        every, left_out = range(len(self)), self._left_out
        fields = [
            (line.name, [row for row in every if row not in left_out[number]] if number in left_out else every)
            for number, line in enumerate(self.tree.scored)
            if line.path.definite and not line.skip
        ]
        return of_columns(self._walk.columns if self._walk is not None else (), fields, rows, absent)

    def settle(self) -> None:
        if self._walk is not None and not self.statuses:
            self._walk.values.settle()
            self.statuses = self._columns(self._walk)

    def _columns(self, walk: Walk) -> list[bytearray]:
        """What became of each field, row by row: what its values are for themselves, then what is found of them."""
        columns = self._by_field
        for column in walk.columns:
            columns.setdefault(_number(column), []).append(column)
        found: list[bytearray] = []
        inside: dict[int, set[int]] = {}
        several: dict[int, dict[int, list[Judged]]] = {}
        for number, line in enumerate(self.tree.scored):
            here = columns.get(number, [])
            found.append(_plain(len(self), SKIPPED if line.skip else self._absent(number), here))
            of_items = [column for column in here if column.inside]
            if of_items:
                inside[number], several[number] = (
                    set().union(*(column.frame.rows for column in of_items)),
                    _lost(of_items),
                )
                _write(found[number], MATCH, inside[number])
        for row, status, node, _, _, more in walk.findings:
            number = -1 if node.line is None else node.line.number
            among = number in inside and row in inside[number]
            judged = status if more is None else self._judged(number, row, more)
            if among:
                several[number].setdefault(row, []).append(judged)
            else:
                self._become(found[number], number, row, judged)
        for number, by_row in several.items():
            line = self.tree.scored[number]
            for row, answers in by_row.items():
                if NOT_MEASURED in answers or earns_shares(line, answers):
                    pairs = sum(len(column.frame.positions(row)) for column in columns[number])
                    answers += [MATCH] * (pairs - len(answers))
                self._become(found[number], number, row, answers[0] if len(answers) == 1 else combined(line, answers))
        for number, rows in self._left_out.items():
            _write(found[number], SKIPPED, rows)
        return found

    def _absent(self, number: int) -> FieldStatus:
        """What a field is that neither side has."""
        return self.tree.absent(self.tree.scored[number])[0]

    def _become(self, column: bytearray, number: int, row: int, judged: Judged) -> None:
        """Writes down what became of a field in a row, and its partial credit beside it."""
        if isinstance(judged, Partial):
            self.odd.setdefault(row, {})[number] = judged
            column[row] = judged.status.number
        else:
            column[row] = (self._absent(number) if judged is NOT_MEASURED else judged).number

    def _judged(self, number: int, row: int, more: More) -> Judged:
        """The outcome of a pair of values. A problem that it has is noted for its row and field."""
        (answer,) = more.answers
        if not isinstance(answer, Explained):
            return answer
        if answer.problem is not None:
            problem = in_field(answer.problem, self.tree.names[number])
            self._problems.setdefault(row, {}).setdefault(number, problem)
        return answer.judged

    def problem(self, row: int) -> RowProblem | None:
        """What kept the first of the fields of a row from being measured that has such a problem."""
        found = self._problems.get(row)
        return None if found is None else found[min(found)]

    def settled(self, row: int) -> list[Outcome]:
        """What became of every field of a row, with values and reasons."""
        return [self._settled(number, line, row) for number, line in enumerate(self.tree.scored)]

    def _settled(self, number: int, line: FieldLine, row: int) -> Outcome:
        if line.skip:
            return left_out(line, "skipped")
        if row in self._left_out.get(number, ()):
            return left_out(line, "its `when` does not hold for this row")
        found = self._found_in(number, row)
        if found and found[0].frame is not found[-1].frame:  # those of one frame are in order
            found.sort(key=lambda each: order_of((), each.frame.items_above(each.at)))
        aligned = line.align is not None and any(each.frame.items_above(each.at) for each in found[:1])
        return settle_field(self.tree, line, found, aligned or not line.path.definite)

    def _found_in(self, number: int, row: int) -> list[Finding]:
        """What became of each pair of values of a field in a row, matches too."""
        if self._found[0] != row and self._walk is not None:
            self._found = row, {(id(one.node), id(one.frame), one.at): one for one in self._walk.found_in(row)}
        known = self._found[1]
        return [
            known.get((id(node), id(frame), at)) or Finding(row, status, node, frame, at)
            for node, frame, _, status, _ in self._by_field.get(number, ())
            for at in frame.positions(row)
        ]

    def reason(self, at: int, unreadable: Issue | None = None) -> Reason:
        """The reason of one row's result: the status of each field, and in words what could not be measured."""
        fields, problem = tuple(self.settled(at)), self.problem(at)
        if unreadable is not None:
            fields = tuple(
                replace(one, status=NOT_MEASURED, score=None) if one.status is FieldStatus.MATCH else one
                for one in fields
            )
            return Reason(unreadable.message if problem is None else problem.issue.message, fields=fields)
        long = {
            each.node.name for each in self.lists()
            if each.items is not None and not each.items.crowded.isdisjoint(each.frame.positions(at))
        }  # fmt: skip
        said = [f"{line.name}: {CROWDED}" for line in self.tree.lines if line.name in long]
        if problem is not None:
            said.insert(0, problem.issue.message)
        elif all(one.status in LEFT_OUT for one in fields):
            said.insert(0, "no field was measured")
        elif not any(one.weight for one in fields if one.status not in LEFT_OUT) and required_right(
            self.tree, [one.status for one in fields]
        ):
            said.insert(0, WEIGHTLESS)
        return Reason("; ".join(said) or None, fields=fields)

    def wrong(self, at: int, wanted: Collection[str], listed: Collection[str]) -> list[Outcome]:
        return [
            self._settled(number, line, at)
            for number, (line, column) in enumerate(zip(self.tree.scored, self.statuses, strict=True))
            if column[at] in _WRONG and line.name in wanted
        ]

    def release(self) -> None:
        self._walk, self._by_field, self._found = None, {}, (-1, {})
        super().release()


class ListedCheck(ChunkCheck[ListedRows]):
    """Scores rows by their listed fields: (expected, output, *cells of `columns`) → verdict. An unreadable output is MISSING."""

    def __init__(self, tree: ClosedTree, pass_at: float, columns: Sequence[str] = ()) -> None:
        self._tree, self._pass_at, self._columns = tree, pass_at, columns
        self._known = tree.verdicts.setdefault(pass_at, {})

    def begin(self, *columns: Sequence[Any]) -> ListedRows:
        expected, outputs, *cells = columns
        named = [dict(zip(self._columns, each, strict=True)) for each in zip(*cells, strict=True)] or [{}] * len(expected)
        return ListedRows(self._tree, expected, outputs, named)

    def settled(self, rows: ListedRows) -> list[ScoredRow]:
        try:
            rows.settle()
            # the columns of all fields one after another: each status of a row is `count` bytes after the one before
            count, flat = len(rows), b"".join(rows.statuses)
            return [ScoredRow(self._verdict(rows, row, flat[row::count]), rows, row) for row in range(count)]
        except BaseException:
            rows.release()
            raise

    def _verdict(self, rows: ListedRows, row: int, statuses: bytes) -> Result:
        odd, problem = rows.odd.get(row), rows.problem(row)
        if odd is not None or problem is not None:
            judged = [(odd or {}).get(number) or FIELD_STATUSES[status] for number, status in enumerate(statuses)]
            return verdict_of(self._tree, self._pass_at, judged, problem)
        verdict = self._known.get(statuses)
        if verdict is None:
            verdict = verdict_of(self._tree, self._pass_at, [FIELD_STATUSES[status] for status in statuses])
            if len(self._known) < _MEMO:
                self._known[statuses] = verdict
        return verdict


def _plain(count: int, absent: FieldStatus, columns: Sequence[FieldColumn]) -> bytearray:
    """What a field is in each row where it is one value, and nothing was found of it."""
    if len(columns) == 1 and not columns[0].inside and len(columns[0].frame.rows) == count:
        return bytearray((columns[0].status,)) * count
    found = bytearray((absent,)) * count
    for column in columns:
        if not column.inside:
            _write(found, column.status, column.frame.rows)
    return found


def _lost(columns: Sequence[FieldColumn]) -> dict[int, list[Judged]]:
    """By row what is known of values that one side lacks in a whole column."""
    found: dict[int, list[Judged]] = {}
    for column in columns:
        for row in () if column.status is MATCH else column.frame.rows:
            found.setdefault(row, []).append(column.status)
    return found


def _write(column: bytearray, status: FieldStatus, rows: Collection[int]) -> None:
    """Writes a status into some rows of a column."""
    if len(rows) == len(column):
        column[:] = bytes((status,)) * len(column)
        return
    number = status.number
    for row in rows:
        column[row] = number


def _number(found: FieldColumn | Finding) -> int:
    """The number of the field."""
    return -1 if found.node.line is None else found.node.line.number
