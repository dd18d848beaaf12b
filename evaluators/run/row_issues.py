"""What was wrong with which row: the issues of verdicts, each at the cell that is to blame for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from evaluators.issues import Blame, CellError, Issue
from evaluators.model import Result
from evaluators.needs import NO_EXPECTED, Expected, column_of
from evaluators.plan.cells import Cells
from evaluators.plan.suite_plan import Compiled, Plan, read_by
from evaluators.run.tally import Ledger
from evaluators.suite.graph import in_order
from evaluators.testsets.reader import Chunk

MOST_ISSUES: Final = 5
"""Issues of one code that are kept with their rows, the first ones; the rest is counted."""


class RowIssues:
    """The issues of the rows of a split, in the order of rows."""

    def __init__(self, plan: Plan, ledgers: Sequence[Ledger], roles: Mapping[str, str]) -> None:
        ranks = {line.name: rank for rank, line in enumerate(in_order([one.line for one in plan.evaluators]))}
        self._watched = [
            _FaultyRows(one, ranks[one.line.name], ledger.verdicts)
            for one, ledger in zip(plan.evaluators, ledgers, strict=True)
        ]
        self._roles = roles
        self.kept: list[tuple[int, Issue]] = []
        """The first of each code, with the offsets of their rows in the split."""
        self.counts: dict[str, int] = {}
        """How many there are of each code."""

    def take(self, chunk: Chunk, slots: Sequence[Cells], codes: Sequence[Sequence[int]]) -> None:
        """The issues of a chunk."""
        faulty = [one.of(column) for one, column in zip(self._watched, codes, strict=True)]
        if not any(faulty):
            return
        raised: dict[int, list[_Raised]] = {}
        for watched, rows in zip(self._watched, faulty, strict=True):
            one = watched.one
            for row in rows:
                verdict: Result = slots[one.verdicts][row]
                if verdict.issue is not None:
                    values = [slots[slot][row] for slot in one.inputs]
                    raised.setdefault(row, []).append(_Raised(watched.rank, verdict.issue, one, values))
        whole_rows = dict(chunk.faults)
        for row in sorted(raised):
            cells = {name: column[row] for name, column in chunk.columns.items()}
            self._add(chunk.offsets[row], raised[row], cells, whole_rows.get(row), chunk.file)

    def _add(
        self, offset: int, raised: list[_Raised], cells: Mapping[str, Any], whole_row: Issue | None, file: str | None
    ) -> None:
        """The issues of one row; `whole_row` is what is wrong with all of it, `file` where it is among several files.

        One faulty cell is one problem, however many evaluators need it or wait for one that does.
        """
        said: set[Issue] = set()
        causes: set[Issue] = set()
        for each in sorted(raised, key=attrgetter("rank")):
            column = _faulty_column(each, self._roles, cells)
            if column is None and each.issue in causes:
                continue
            causes.add(each.issue)
            inside = column or each.issue.where or f'evaluator "{each.one.line.name}"'
            where = inside if file is None else f"file {file}, {inside}"
            placed = each.issue if each.issue == whole_row else replace(each.issue, where=where)
            if placed in said:
                continue
            said.add(placed)
            seen = self.counts.get(placed.code, 0)
            self.counts[placed.code] = seen + 1
            if seen < MOST_ISSUES:
                self.kept.append((offset, placed))


class _Raised(NamedTuple):
    """An issue of one row: the evaluator's place among those that wait for each other, and what it was given."""

    rank: int
    issue: Issue
    one: Compiled
    values: Sequence[Any]


class _FaultyRows:
    """The rows of one evaluator that have an issue."""

    def __init__(self, one: Compiled, rank: int, verdicts: Sequence[Result]) -> None:
        self.one = one
        self.rank = rank
        self._verdicts = verdicts
        self._codes: set[int] = set()
        self._looked_at = 0

    def of(self, codes: Sequence[int]) -> Sequence[int]:
        """Those of a chunk, by the codes of its verdicts."""
        for code in range(self._looked_at, len(self._verdicts)):
            if self._verdicts[code].issue is not None:
                self._codes.add(code)
        self._looked_at = len(self._verdicts)
        if not self._codes or self._codes.isdisjoint(codes):
            return ()
        return [row for row, code in enumerate(codes) if code in self._codes]


def _faulty_column(each: _Raised, roles: Mapping[str, str], cells: Mapping[str, Any]) -> str | None:
    """The column whose cell is to blame, as messages say it; None when it is not one cell.

    What is wrong with an expected value is in the expected document's column. `cells` are those of the row.
    """
    expected = each.issue.blame is Blame.TESTSET and each.issue.code.startswith("expected-")
    for need, value in zip(each.one.line.settings.needs(), each.values, strict=True):
        column = column_of(need)
        faulty = isinstance(value, CellError) and value.issue == each.issue
        if column is not None and (faulty or (expected and isinstance(need, Expected))):
            return f'column "{column.spelled(roles)}"'
    for condition in each.one.line.when:
        column = column_of(read_by(condition, each.one.line))
        if column is None:
            continue
        name = column.spelled(roles)
        cell = cells.get(name)
        unread = condition.source == "expected" and (expected or each.issue.code == NO_EXPECTED.issue.code)
        if unread or (isinstance(cell, CellError) and cell.issue == each.issue):
            return f'column "{name}"'
    return None
