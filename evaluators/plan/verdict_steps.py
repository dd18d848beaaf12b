"""Verdicts, columns in, column out: what a check says of rows one by one, and what is said where it cannot be asked.

A cell error becomes a result by its blame. A row that an evaluator waits for in vain is blocked, skipped or without a score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from evaluators.builtin._evaluator import Check
from evaluators.issues import Blame, CellError, Issue, RowProblem
from evaluators.limits import OutOfTime, row_clock
from evaluators.model import Result, RowStatus
from evaluators.plan.cells import Cells
from evaluators.plan.need_steps import ColumnStep
from evaluators.suite.evaluator_line import EvaluatorLine

SKIPPED: Final = Result(RowStatus.SKIPPED, None, 0, 0)
BLOCKED: Final = Result(RowStatus.BLOCKED, False, 0, 1)


def verdict_step(line: EvaluatorLine, check: Check, skip_unreadable: bool, gates: int) -> ColumnStep:
    """The verdicts of rows, columns in, column out. The first `gates` columns are what rows wait for; the values of the
    others are there or faulty."""
    if len(line.settings.needs()) == 0:
        raise TypeError(f'evaluator "{line.name}" needs nothing, so it has nothing to score')
    unreadable = line.settings.unreadable()
    left_out = skip_unreadable and not unreadable.judged  # rows whose output cannot be read are skipped

    def run(columns: list[Cells], count: int) -> Cells:
        given, clock = columns[gates:], row_clock()
        errors = cell_errors(given)
        stopped = _stopped_rows(line, columns[:gates], errors, unreadable.result, count) if gates else {}
        found: Cells = []
        add = found.append
        for row, values in enumerate(zip(*given, strict=True)):
            if row in stopped:
                add(stopped[row])
                continue
            clock.fresh = True
            try:
                add(check(*values) if row not in errors else result_of_errors(errors[row], left_out) or unreadable.result)
            except (RowProblem, OutOfTime) as error:
                add(unscored(error.issue))
            except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
                add(bug_of(error))
        return found

    return run


def _stopped_rows(
    line: EvaluatorLine, gates: Sequence[Cells], errors: Mapping[int, Sequence[Issue]], unreadable: Result, count: int
) -> dict[int, Result]:
    """What rows come to that are not judged because of what they wait for, by row."""
    found: dict[int, Result] = {}
    for row in range(count):
        verdict = kept_out(line, gates, row)
        if verdict is BLOCKED and line.unmet == "fail":
            verdict = result_of_errors(errors.get(row, ()), False) or as_blocked(unreadable)
        elif verdict is BLOCKED:
            verdict = SKIPPED
        if verdict is not None:
            found[row] = verdict
    return found


def cell_errors(columns: Sequence[Cells]) -> dict[int, list[Issue]]:
    """What is wrong with the values of some rows, by row."""
    found: dict[int, list[Issue]] = {}
    for column in columns:
        if CellError in set(map(type, column)):
            for row, value in enumerate(column):
                if value.__class__ is CellError:
                    found.setdefault(row, []).append(value.issue)
    return found


def result_of_errors(issues: Sequence[Issue], left_out: bool) -> Result | None:
    """What a row comes to whose values have errors. It has no score where the output is not to blame for all of them.

    Where only the output cannot be read, the row is skipped if it is `left_out`; else None: it counts as missing.
    """
    not_of_output = next((issue for issue in issues if issue.blame is not Blame.OUTPUT), None)
    if not_of_output is not None:
        return unscored(not_of_output)
    return replace(SKIPPED, issue=issues[0]) if left_out else None


def kept_out(line: EvaluatorLine, gates: Sequence[Cells], index: int) -> Result | None:
    """Why a row is not judged, given the columns of what it waits for and of its `when`; None where nothing stops it."""
    if line.when and gates[-1][index] is not True:
        held = gates[-1][index]
        return unscored(held.issue) if held.__class__ is CellError else SKIPPED
    return _stopped([column[index] for column in gates[: len(line.needs)]])


def _stopped(needs: Sequence[Result]) -> Result | None:
    """Why a row is not judged, given the verdicts it waits for; None when nothing stops it."""
    for verdict in needs:
        if verdict.status.kept_out:
            return Result(verdict.status, None, 0, 0, issue=verdict.issue)
    if any(verdict.passed is False for verdict in needs):
        return BLOCKED
    return SKIPPED if any(not verdict.status.scored for verdict in needs) else None


def as_blocked(lost: Result) -> Result:
    """0.0 and not passed, whatever the threshold, from what an output that is missing comes to."""
    return lost if lost.status.kept_out else replace(lost, status=RowStatus.BLOCKED, passed=False, num=0, issue=None)


def unscored(issue: Issue) -> Result:
    """The verdict of a row that something else than the output keeps from being scored."""
    return Result(RowStatus.of(issue.blame), issue=issue)


def bug_of(error: Exception) -> Result:
    """The verdict of a row in which an evaluator broke."""
    return Result(RowStatus.BUG, None, 0, 0, issue=issue_of_bug(error))


def issue_of_bug(error: Exception) -> Issue:
    import traceback  # few runs meet a fault

    trace = "".join(traceback.format_exception(error))
    return Issue("bug", Blame.BUG, f"{type(error).__name__}: {error}", hint=trace)
