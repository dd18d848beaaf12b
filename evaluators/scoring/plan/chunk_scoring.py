"""The rows of a chunk that a check scores together: who is kept out, what is asked, and what each row comes to.

An evaluator that asks nothing scores in one step. Of those that ask together, each goes through its rows first; what they
ask is answered at once (see `asking_rounds`), and then each settles what is pending.

Verdicts, columns in, column out: what a check says of rows one by one, and what is said where it cannot be asked.

A cell error becomes a result by its blame. A row that an evaluator waits for in vain is blocked, skipped or without a score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, CellError, Issue, RowProblem
from evaluators.model.limits import OutOfTime, row_clock
from evaluators.model.rows import MISSING, Result, RowStatus
from evaluators.model.settings import filled_texts_of
from evaluators.scoring.evaluators._evaluator import Check, Unreadable
from evaluators.scoring.fields.row_checks import ChunkCheck, ScoredRow, ScoredRows, release_rows
from evaluators.scoring.judges.asking import QuestionList, asking_about
from evaluators.scoring.needs import NO_OUTPUT, column_of
from evaluators.scoring.plan.cells import Cells
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.plan.need_steps import Lookup

SKIPPED: Final = Result(RowStatus.SKIPPED, None, 0, 0)
BLOCKED: Final = Result(RowStatus.BLOCKED, False, 0, 1)


class Planned(Struct, frozen=True):
    """An evaluator whose needs have slots."""

    line: EvaluatorLine
    check: Check
    gates: tuple[int, ...]
    """The slots of what rows wait for: verdicts of other evaluators, and last whether `when` holds."""
    inputs: tuple[int, ...]
    lookups: tuple[Lookup | None, ...]
    """For each need that is an output document, how it is chosen."""
    unreadable: Unreadable
    """What becomes of a row whose output cannot be read."""
    skip_unreadable: bool
    """Such rows are skipped."""

    @property
    def reads(self) -> tuple[int, ...]:
        """The slots of the columns from which its rows are scored, gates first."""
        return (*self.gates, *self.inputs)


def verdicts_one_by_one(*columns: Cells, evaluator: Planned) -> Cells:
    """The verdict of each row of a chunk, by a check that is asked about one row at a time. The first columns are the gates of the
    evaluator, the others its inputs, in which a value may be a cell error. What is raised about a row becomes its verdict."""
    line, check, gates = evaluator.line, evaluator.check, columns[: len(evaluator.gates)]
    unreadable, input_cells, clock = evaluator.unreadable, columns[len(evaluator.gates) :], row_clock()
    left_out = evaluator.skip_unreadable and not unreadable.judged
    errors = cell_errors(input_cells)
    stopped = _gate_verdicts(line, gates, errors, unreadable.result) if gates else {}
    cells: Cells = []
    add = cells.append
    for row, values in enumerate(zip(*input_cells, strict=True)):
        if row in stopped:
            add(stopped[row])
            continue
        clock.fresh = True
        try:
            add(check(*values) if row not in errors else result_of_errors(errors[row], left_out) or unreadable.result)
        except (RowProblem, OutOfTime) as error:
            add(unscored_verdict(error.issue))
        except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
            add(bug_verdict(error, line))
    return cells


def score_together(*columns: Cells, evaluator: Planned, check: ChunkCheck[Any]) -> Cells:
    """A `ScoredRow` for each row of a chunk, by a check that scores them together and asks nothing. `columns` are as in
    `verdicts_one_by_one`."""
    return ChunkScoring(evaluator, check, columns).score_all()


def verdicts_of(rows: Cells) -> Cells:
    """The verdict of each scored row."""
    return [row.verdict for row in rows]


def _gate_verdicts(
    line: EvaluatorLine, gates: Sequence[Cells], errors: Mapping[int, Sequence[Issue]], unreadable: Result
) -> dict[int, Result]:
    """The verdicts of rows that are not scored because an evaluator they need did not pass or `when` does not hold, by row. `errors` has
    the issues of cells by row, and `unreadable` is the verdict of an output that cannot be read. Blocked rows are skipped, or, with
    `unmet: fail`, have that verdict as a blocked one, unless their cells have another error."""
    verdicts: dict[int, Result] = {}
    for row in range(len(gates[0])):
        verdict = verdict_of_gates(line, gates, row)
        if verdict is BLOCKED and line.unmet == "fail":
            verdict = result_of_errors(errors.get(row, ()), False) or as_blocked(unreadable)
        elif verdict is BLOCKED:
            verdict = SKIPPED
        if verdict is not None:
            verdicts[row] = verdict
    return verdicts


def cell_errors(columns: Sequence[Cells]) -> dict[int, list[Issue]]:
    """The issues of values that cannot be read, by row."""
    issues: dict[int, list[Issue]] = {}
    for column in columns:
        if CellError in set(map(type, column)):
            for row, value in enumerate(column):
                if value.__class__ is CellError:
                    issues.setdefault(row, []).append(value.issue)
    return issues


def result_of_errors(issues: Sequence[Issue], left_out: bool) -> Result | None:
    """The verdict of a row whose cells have errors: without a score, if the output is not to blame for all of them.

    Where only the output cannot be read, the row is skipped if it is `left_out`; else None: the output counts as missing.
    """
    not_of_output = next((issue for issue in issues if issue.blame is not Blame.OUTPUT), None)
    if not_of_output is not None:
        return unscored_verdict(not_of_output)
    return replace(SKIPPED, issue=issues[0]) if left_out else None


def verdict_of_gates(line: EvaluatorLine, gates: Sequence[Cells], index: int) -> Result | None:
    """The verdict of the row at `index` by its gates, the columns that it waits for and of its `when`; None for a row that is to be
    judged."""
    if line.when and gates[-1][index] is not True:
        held = gates[-1][index]
        return unscored_verdict(held.issue) if held.__class__ is CellError else SKIPPED
    return _stopping_verdict([column[index] for column in gates[: len(line.needs)]])


def _stopping_verdict(needs: Sequence[Result]) -> Result | None:
    """The verdict of a row by the verdicts that it waits for, where one of them keeps it from being judged; else None."""
    for verdict in needs:
        if verdict.status.kept_out:
            return Result(verdict.status, None, 0, 0, issue=verdict.issue)
    if any(verdict.passed is False for verdict in needs):
        return BLOCKED
    return SKIPPED if any(not verdict.status.scored for verdict in needs) else None


def as_blocked(result: Result) -> Result:
    """The verdict of a blocked row, from its verdict with a missing output: 0.0 and not passed, whatever the threshold, with the same
    counts."""
    if result.status.kept_out:
        return result
    return replace(result, status=RowStatus.BLOCKED, passed=False, num=0, issue=None)


def unscored_verdict(issue: Issue) -> Result:
    """The verdict of a row that something else than the output keeps from being scored."""
    return Result(RowStatus.of(issue.blame), issue=issue)


def bug_verdict(error: Exception, line: EvaluatorLine) -> Result:
    """The verdict of a row in which an evaluator raised an exception."""
    return Result(RowStatus.BUG, None, 0, 0, issue=issue_of_bug(error, line))


def issue_of_bug(error: Exception, line: EvaluatorLine) -> Issue:
    """The issue of an exception that an evaluator raised, without what the environment filled in to its settings."""
    import traceback  # few runs meet a fault

    masked = filled_texts_of(line.settings).masked_spelled
    trace = masked("".join(traceback.format_exception(error)))
    return Issue("bug", Blame.BUG, masked(f"{type(error).__name__}: {error}"), hint=trace)


class ChunkScoring:
    """Some rows on their way to what one evaluator says of them.

    An output that cannot be read, or that is not looked at because the row is blocked, is scored as one that is missing.
    Rows are scored one by one where they cannot be scored together: a row which breaks something costs nobody else anything.
    """

    def __init__(self, evaluator: Planned, check: ChunkCheck[Any], columns: Sequence[Cells]) -> None:
        """Sorts the rows by their gates and cell errors: stopped, blocked, unreadable, or none of these. Nothing is scored yet."""
        gates, count, line = columns[: len(evaluator.gates)], len(columns[0]), evaluator.line
        self.evaluator, self.line, self.inputs, self.count = evaluator, line, columns[len(gates) :], count
        self.check = check
        self.stopped: dict[int, Result] = {}
        """The rows that are not scored, and why."""
        self.blocked: set[int] = set()
        """With `unmet: fail`, the rows in which a needed evaluator did not pass: they are scored as if they had no output."""
        self.unreadable: set[int] = set()
        """The rows whose output cannot be read."""
        self._begun: ScoredRows | None = None
        """The rows with what they have asked: only what was answered is missing in them."""
        self._apart = False
        """The rows cannot be scored together."""
        for row in range(count) if gates else ():
            verdict = verdict_of_gates(line, gates, row)
            if verdict is BLOCKED and line.unmet == "fail":
                self.blocked.add(row)
            elif verdict is not None:
                self.stopped[row] = SKIPPED if verdict is BLOCKED else verdict
        for row, issues in cell_errors(self.inputs).items():
            verdict = result_of_errors(issues, evaluator.skip_unreadable and row not in self.blocked)
            if row in self.stopped or (verdict is None and row in self.blocked):
                continue
            if verdict is None:
                self.unreadable.add(row)
            else:
                self.blocked.discard(row)
                self.stopped[row] = verdict
        self.rows = [row for row in range(count) if row not in self.stopped] if self.stopped else range(count)
        without = self.blocked | self.unreadable
        self.values = self._inputs_without_output(without) if self.stopped or without else self.inputs

    def _inputs_without_output(self, without: set[int]) -> Sequence[Cells]:
        """The values of the rows that are scored; of those `without` an output, MISSING in its place."""
        needs = enumerate(map(column_of, self.line.settings.needs()))
        output = next((at for at, column in needs if column is not None and column.absent is NO_OUTPUT), None)
        return [
            [
                MISSING if row in without and (index == output or column[row].__class__ is CellError) else column[row]
                for row in self.rows
            ]
            for index, column in enumerate(self.inputs)
        ]

    def ask(self, questions: QuestionList) -> bool:
        """Scores the rows as far as they go, which puts their questions on the list. Returns whether they may have more
        questions once these are answered."""
        self.release()
        questions.begin(self.rows, self.line.name)
        before, row_clock().fresh = len(questions.requests), True
        if self.rows and not self._apart:
            try:
                self._begun = self.check.begin(*self.values)
                return questions.open and self._begun.pairs_by_asking
            except (Exception, OutOfTime):  # a row is guarded: each of them asks alone
                del questions.requests[before:]
                self._apart = True
        return self._ask_alone(questions) if self._apart else False

    def _ask_alone(self, questions: QuestionList) -> bool:
        """Scores the rows one by one for their questions alone, and drops the results. Returns whether they may have more questions once
        these are answered."""
        again = False
        for index, values in enumerate(zip(*self.values, strict=True)):
            row_clock().fresh = True
            with asking_about([index]), suppress(Exception, OutOfTime):  # scoring the row will say what is wrong
                rows = self.check.begin(*([value] for value in values))
                again = again or rows.pairs_by_asking
                rows.release()
        return questions.open and again

    def release(self) -> None:
        """Drops the results so far."""
        if self._begun is not None:
            self._begun.release()
        self._begun = None

    def score_all(self) -> Cells:
        """Scores the rows, and gives a `ScoredRow` for every row of the chunk. What `ask` has begun is settled."""
        cells: Cells = [None] * self.count
        all_scored = self._score_rows() if self.rows else []
        for row, scored in zip(self.rows, all_scored, strict=True):
            without_output = row in self.blocked or row in self.unreadable
            cells[row] = self._without_output(row, scored) if without_output else scored
        if self.blocked:  # what a row was scored with is released where `_with_own_values` gave it something else to show
            still_shown = {id(cell.rows) for cell in cells if cell is not None}
            release_rows(row for row in all_scored if id(row.rows) not in still_shown)
        for row, verdict in self.stopped.items():
            cells[row] = ScoredRow(verdict)
        return cells

    def _without_output(self, row: int, scored: ScoredRow) -> ScoredRow:
        """The scored row of one that is blocked or has an unreadable output, made from the row as it was scored with a missing output."""
        lost = self.evaluator.unreadable.lost
        verdict = scored.verdict if lost is None else lost(scored.verdict)
        if row not in self.blocked:
            return scored._replace(verdict=verdict)
        blocked = scored._replace(verdict=as_blocked(verdict))
        if not blocked.verdict.status.kept_out:
            return blocked
        # the verdict is the row's own (invalid, say), not that it is blocked: its reasons are made from the real output
        return self._with_own_values(blocked, [column[row] for column in self.inputs])

    def _score_rows(self) -> list[ScoredRow]:
        """The rows that are not stopped, scored together, or each alone where one of them breaks that.

        What `ask` has begun is settled, not gone through again.
        """
        row_clock().fresh = True
        begun, self._begun = self._begun, None
        if not self._apart:
            with suppress(Exception, OutOfTime):  # a row is guarded: it is found by asking about each alone
                return self.check.score(*self.values) if begun is None else self.check.settle_rows(begun)
        return [self._score_alone(values) for values in zip(*self.values, strict=True)]

    def _score_alone(self, values: Sequence[Any]) -> ScoredRow:
        """One row, scored by itself; where that fails, its verdict is the fault."""
        row_clock().fresh = True
        try:
            (scored_row,) = self.check.score(*([value] for value in values))
        except (RowProblem, OutOfTime) as error:
            return ScoredRow(unscored_verdict(error.issue))
        except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
            return ScoredRow(bug_verdict(error, self.line))
        return scored_row

    def _with_own_values(self, scored: ScoredRow, values: Sequence[Any]) -> ScoredRow:
        """A scored row that is explained from its own values, in place of those that it was scored with; the verdict stays."""
        row_clock().fresh = True
        try:
            rows = self.check.row_to_explain(*(MISSING if value.__class__ is CellError else value for value in values))
        except (Exception, OutOfTime):  # a row is guarded: the verdict says what is wrong
            return ScoredRow(scored.verdict)
        return ScoredRow(scored.verdict, rows)
