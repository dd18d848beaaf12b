"""Verdicts, columns in, column out: what a check says of rows one by one, and what is said where it cannot be asked.

A fault in a value becomes a verdict by its blame. A row that an evaluator waits for in vain is blocked, skipped or without a score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from evaluators.builtin._evaluator import Check
from evaluators.fields.path_check import PathCheck
from evaluators.issues import Blame, Fault, Issue, RowProblem
from evaluators.limits import OutOfTime, row_clock
from evaluators.model import Standing, Verdict
from evaluators.plan.cells import Cells
from evaluators.suite.evaluator_line import EvaluatorLine

VerdictStep: TypeAlias = Callable[[list[Cells]], Cells]
"""Columns in, the verdicts of their rows out."""
ColumnStep: TypeAlias = Callable[[list[Cells], int], Cells]
"""The columns of so many rows in, a column out."""
FaultVerdict: TypeAlias = Callable[[Sequence[Any]], Verdict]
"""The verdict of a row whose values are faulty."""

SKIPPED: Final = Verdict(Standing.SKIPPED, None, 0, 0)
BLOCKED: Final = Verdict(Standing.BLOCKED, False, 0, 1)


def watching_fields(check: Check, paths: Sequence[str]) -> Check:
    """The check, made to say of each row what became of some fields, where it counts by path."""
    return check.watching(paths) if paths and isinstance(check, PathCheck) else check


def verdict_step(line: EvaluatorLine, check: Check, skip_unreadable: bool) -> VerdictStep:
    """The verdicts of rows whose values are there or faulty, columns in, column out."""
    if len(line.settings.needs()) == 0:
        raise TypeError(f'evaluator "{line.name}" needs nothing, so it has nothing to score')
    step = {1: _of_one_column, 2: _of_two_columns}.get(len(line.settings.needs()), _of_several_columns)
    return step(check, _fault_verdict(line, check, skip_unreadable))


def _of_several_columns(check: Check, fault: FaultVerdict) -> VerdictStep:
    def one(a: Any, *rest: Any) -> Verdict:
        for value in (a, *rest):
            if value.__class__ is Fault:
                return fault((a, *rest))
        try:
            return check(a, *rest)
        except (RowProblem, OutOfTime) as error:
            return unscored(error.issue)
        except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
            return bug_of(error)

    def several(columns: list[Cells]) -> Cells:
        clock, found = row_clock(), []
        for values in zip(*columns, strict=True):
            clock.fresh = True
            found.append(one(*values))
        return found

    return several


def _of_one_column(check: Check, fault: FaultVerdict) -> VerdictStep:
    """The same, written out: calls cost more than what most checks do."""

    def single(columns: list[Cells]) -> Cells:
        found: Cells = []
        add, clock = found.append, row_clock()
        for a in columns[0]:
            clock.fresh = True
            if a.__class__ is Fault:
                add(fault((a,)))
                continue
            try:
                add(check(a))
            except (RowProblem, OutOfTime) as error:
                add(unscored(error.issue))
            except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
                add(bug_of(error))
        return found

    return single


def _of_two_columns(check: Check, fault: FaultVerdict) -> VerdictStep:
    def double(columns: list[Cells]) -> Cells:
        found: Cells = []
        add, clock = found.append, row_clock()
        for a, b in zip(columns[0], columns[1], strict=True):
            clock.fresh = True
            if a.__class__ is Fault or b.__class__ is Fault:
                add(fault((a, b)))
                continue
            try:
                add(check(a, b))
            except (RowProblem, OutOfTime) as error:
                add(unscored(error.issue))
            except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
                add(bug_of(error))
        return found

    return double


def _fault_verdict(line: EvaluatorLine, check: Check, skip_unreadable: bool) -> FaultVerdict:
    """What a row with a faulty value is worth, by blame: the test set's faults come first."""
    unreadable = line.settings.unreadable()
    missing = unreadable.compile(check)
    left_out = skip_unreadable and not unreadable.judged

    def verdict(values: Sequence[Any]) -> Verdict:
        faults = [value.issue for value in values if value.__class__ is Fault]
        for issue in faults:
            if issue.blame is not Blame.OUTPUT:
                return unscored(issue)
        if left_out:
            return SKIPPED._replace(issue=faults[0])
        try:
            return missing(*values)
        except (RowProblem, OutOfTime) as error:
            return unscored(error.issue)
        except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
            return bug_of(error)

    return verdict


def gated_step(line: EvaluatorLine, judge: Callable[[list[Cells]], Cells], gates: int, check: Check) -> ColumnStep:
    """The verdicts of an evaluator that waits: rows that are not let through are blocked, skipped or without a score."""
    missing = line.settings.unreadable().compile(check)

    def run(columns: list[Cells], count: int) -> Cells:
        found: Cells = [None] * count
        open_rows, clock = [], row_clock()
        for index in range(count):
            stopped = kept_out(line, columns[:gates], index)
            if stopped is None:
                open_rows.append(index)
            elif stopped is BLOCKED:
                values = [column[index] for column in columns[gates:]]
                clock.fresh = True
                found[index] = _blocked_alone(values, missing) if line.unmet == "fail" else SKIPPED
            else:
                found[index] = stopped
        inputs = [[column[index] for index in open_rows] for column in columns[gates:]]
        for index, verdict in zip(open_rows, judge(inputs) if open_rows else [], strict=True):
            found[index] = verdict
        return found

    return run


def kept_out(line: EvaluatorLine, gates: Sequence[Cells], index: int) -> Verdict | None:
    """Why a row is not judged, given the columns of what it waits for and of its `when`; None where nothing stops it."""
    if line.when and gates[-1][index] is not True:
        held = gates[-1][index]
        return unscored(held.issue) if held.__class__ is Fault else SKIPPED
    return _stopped([column[index] for column in gates[: len(line.needs)]])


def _stopped(needs: Sequence[Verdict]) -> Verdict | None:
    """Why a row is not judged, given the verdicts it waits for; None when nothing stops it."""
    for verdict in needs:
        if verdict.standing in (Standing.INVALID, Standing.UNJUDGED, Standing.BUG):
            return Verdict(verdict.standing, None, 0, 0, issue=verdict.issue)
    if any(verdict.passed is False for verdict in needs):
        return BLOCKED
    return SKIPPED if any(not verdict.standing.scored for verdict in needs) else None


def _blocked_alone(values: Sequence[Any], lost: Callable[..., Verdict]) -> Verdict:
    """A blocked row, with every expected field lost where the expected side can be read."""
    for value in values:
        if value.__class__ is Fault and value.issue.blame is not Blame.OUTPUT:
            return unscored(value.issue)
    try:
        return as_blocked(lost(*values))
    except (RowProblem, OutOfTime) as error:
        return unscored(error.issue)
    except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
        return bug_of(error)


def as_blocked(lost: Verdict) -> Verdict:
    """0.0 and not passed, whatever the threshold, from what an output that is missing comes to."""
    return lost if lost.standing.kept_out else lost._replace(standing=Standing.BLOCKED, passed=False, num=0, issue=None)


def unscored(issue: Issue) -> Verdict:
    """The verdict of a row that something else than the output keeps from being scored."""
    if issue.blame is Blame.TESTSET:
        standing = Standing.INVALID
    else:
        standing = Standing.UNJUDGED if issue.blame is Blame.ENVIRONMENT else Standing.BUG
    return Verdict(standing, None, 0, 0, issue=issue)


def bug_of(error: Exception) -> Verdict:
    """The verdict of a row in which an evaluator broke."""
    return Verdict(Standing.BUG, None, 0, 0, issue=issue_of_bug(error))


def issue_of_bug(error: Exception) -> Issue:
    import traceback  # few runs meet a fault

    trace = "".join(traceback.format_exception(error))
    return Issue("bug", Blame.BUG, f"{type(error).__name__}: {error}", hint=trace)
