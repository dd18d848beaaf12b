"""What was wrong with which row: the issues of verdicts, each at the cell that is to blame for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from evaluators.model.issues import Blame, CellError, Issue
from evaluators.runs.ledger import Ledger
from evaluators.runs.split_result import MOST_ISSUES, SplitResult
from evaluators.scoring.needs import NO_EXPECTED, Expected, column_of
from evaluators.scoring.plan.cells import Cells
from evaluators.scoring.plan.graph import in_dependency_order
from evaluators.scoring.plan.suite_plan import Compiled, Plan, need_of_condition
from evaluators.testsets.reader import Chunk


class RowIssues:
    """Adds the issues of the rows of a split to its result, in the order of rows."""

    def __init__(self, plan: Plan, ledgers: Sequence[Ledger], roles: Mapping[str, str], result: SplitResult) -> None:
        """`ledgers` number the verdicts of each evaluator, `roles` are the columns of roles; issues are added to `result`."""
        self._evaluators = plan.evaluators
        places = {evaluator.line.name: index for index, evaluator in enumerate(plan.evaluators)}
        self._order = [
            places[line.name] for line in in_dependency_order([evaluator.line for evaluator in plan.evaluators])
        ]
        """The places of the evaluators, those first that others wait for."""
        self._ledgers = ledgers
        self._roles = roles
        self._result = result

    def take(self, chunk: Chunk, slots: Sequence[Cells], codes: Sequence[Sequence[int]]) -> None:
        """Adds the issues of the rows of a chunk. `slots` are the filled slots of the plan, `codes` the numbers of each
        evaluator's verdicts on the rows."""
        raised: dict[int, list[tuple[Compiled, Issue]]] = {}
        for place in self._order:
            ledger, column = self._ledgers[place], codes[place]
            if not ledger.faulty.isdisjoint(column):
                for row, code in enumerate(column):
                    if (issue := ledger.verdicts[code].issue) is not None:
                        raised.setdefault(row, []).append((self._evaluators[place], issue))
        whole_rows = dict(chunk.faults)
        for row in sorted(raised):
            self._add(chunk, row, raised[row], slots, whole_rows.get(row))

    def _add(
        self,
        chunk: Chunk,
        row: int,
        raised: Sequence[tuple[Compiled, Issue]],
        slots: Sequence[Cells],
        whole_row: Issue | None,
    ) -> None:
        """Adds the issues of one row to the result, each placed at the cell that is to blame; `whole_row` is what is wrong with all of it.

        One faulty cell is one problem, however many evaluators need it or wait for one that does. Of each code, only the first issues
        are kept; all are counted.
        """
        known: set[Issue] = set()
        causes: set[Issue] = set()
        cells = {name: column[row] for name, column in chunk.columns.items()}
        for evaluator, issue in raised:
            column = _faulty_column(evaluator, issue, [slots[slot][row] for slot in evaluator.inputs], self._roles, cells)
            if column is None and issue in causes:
                continue
            causes.add(issue)
            inside = column or issue.where or f'evaluator "{evaluator.line.name}"'
            where = inside if chunk.file is None else f"file {chunk.file}, {inside}"
            placed = issue if issue == whole_row else replace(issue, where=where)
            if placed in known:
                continue
            known.add(placed)
            count = self._result.issue_counts.get(placed.code, 0)
            self._result.issue_counts[placed.code] = count + 1
            if count < MOST_ISSUES:
                self._result.issues.append((chunk.offsets[row], placed))


def _faulty_column(
    evaluator: Compiled, issue: Issue, values: Sequence[Any], roles: Mapping[str, str], cells: Mapping[str, Any]
) -> str | None:
    """The column of the faulty cell, as messages call it: of the first need, then the first condition, whose cell has the issue. None where
    no cell has it.

    What is wrong with an expected value is in the expected document's column. `values` are what the evaluator was given, and `cells`
    those of the row.
    """
    expected = issue.blame is Blame.TESTSET and issue.code.startswith("expected-")
    for need, value in zip(evaluator.line.settings.needs(), values, strict=True):
        column = column_of(need)
        faulty = isinstance(value, CellError) and value.issue == issue
        if column is not None and (faulty or (expected and isinstance(need, Expected))):
            return f'column "{column.name_by(roles)}"'
    for condition in evaluator.line.when:
        column = column_of(need_of_condition(condition, evaluator.line))
        if column is None:
            continue
        name = column.name_by(roles)
        cell = cells.get(name)
        unread = condition.source == "expected" and (expected or issue.code == NO_EXPECTED.issue.code)
        if unread or (isinstance(cell, CellError) and cell.issue == issue):
            return f'column "{name}"'
    return None
