"""Verdicts, columns in, column out: what a check says of rows, and what is said where it cannot be asked. A check that scores many
rows at once gives them with what it found on the way.

A fault in a value becomes a verdict by its blame. A row that an evaluator waits for in vain is blocked, skipped or without a score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from evaluators.builtin._evaluator import Check
from evaluators.fields.path_check import ChunkCheck, PathCheck, ScoredRow, release_rows
from evaluators.issues import Blame, Fault, Issue, RowProblem
from evaluators.limits import OutOfTime, row_clock
from evaluators.model import MISSING, Standing, Verdict
from evaluators.needs import Output
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
            return Verdict(_standing(error.issue), None, 0, 0, issue=error.issue)
        except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
            return _bug(error)

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
                add(Verdict(_standing(error.issue), None, 0, 0, issue=error.issue))
            except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
                add(_bug(error))
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
                add(Verdict(_standing(error.issue), None, 0, 0, issue=error.issue))
            except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
                add(_bug(error))
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
                return Verdict(_standing(issue), None, 0, 0, issue=issue)
        if left_out:
            return SKIPPED._replace(issue=faults[0])
        try:
            return missing(*values)
        except (RowProblem, OutOfTime) as error:
            return Verdict(_standing(error.issue), None, 0, 0, issue=error.issue)
        except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
            return _bug(error)

    return verdict


def chunk_step(line: EvaluatorLine, check: ChunkCheck, skip_unreadable: bool, gates: int) -> ColumnStep:
    """The rows of a check that scores many at once, columns in, a `ScoredRow` each out. The first `gates` columns are what rows
    wait for. One by one where it fails, so that a row which breaks something costs nobody else anything.

    An output that cannot be read, or that is not looked at because the row is blocked, is scored as one that is missing.
    """
    needs = line.settings.needs()
    output = next(place for place, need in enumerate(needs) if isinstance(need, Output))
    lost = line.settings.unreadable().lost or _as_it_is

    def run(columns: list[Cells], count: int) -> Cells:
        given, stopped, blocked, unreadable = columns[gates:], dict[int, Verdict](), set[int](), set[int]()
        for row in range(count) if gates else ():
            verdict = kept_out(line, columns[:gates], row)
            if verdict is BLOCKED and line.unmet == "fail":
                blocked.add(row)
            elif verdict is not None:
                stopped[row] = SKIPPED if verdict is BLOCKED else verdict
        for row, issues in _faults(given).items():
            theirs = next((issue for issue in issues if issue.blame is not Blame.OUTPUT), None)
            if row in stopped or (theirs is None and row in blocked):
                continue
            if theirs is not None:
                blocked.discard(row)
                stopped[row] = Verdict(_standing(theirs), None, 0, 0, issue=theirs)
            elif skip_unreadable:
                stopped[row] = SKIPPED._replace(issue=issues[0])
            else:
                unreadable.add(row)
        without = blocked | unreadable
        rows = [row for row in range(count) if row not in stopped] if stopped else range(count)
        if stopped or without:
            given = [
                [MISSING if row in without and (place == output or column[row].__class__ is Fault) else column[row] for row in rows]
                for place, column in enumerate(given)
            ]  # fmt: skip
        found: Cells = [None] * count
        all_scored = _scored(check, given) if rows else []
        for row, scored in zip(rows, all_scored, strict=True):
            if row in without:
                verdict = lost(scored.verdict)
                scored = scored._replace(verdict=_blocked(verdict) if row in blocked else verdict)
            if row in blocked and scored.verdict.standing.kept_out:  # who asks why is shown the output that is there
                scored = _looked_at(check, scored, [column[row] for column in columns[gates:]])
            found[row] = scored
        if blocked:
            asked = {id(one.rows) for one in found if one is not None}
            release_rows(one for one in all_scored if id(one.rows) not in asked)
        for row, verdict in stopped.items():
            found[row] = ScoredRow(verdict)
        return found

    return run


def _faults(columns: Sequence[Cells]) -> dict[int, list[Issue]]:
    """What is wrong with the values of some rows, by row."""
    found: dict[int, list[Issue]] = {}
    for column in columns:
        for row, value in enumerate(column):
            if value.__class__ is Fault:
                found.setdefault(row, []).append(value.issue)
    return found


def _scored(check: ChunkCheck, columns: Sequence[Cells]) -> list[ScoredRow]:
    row_clock().fresh = True
    try:
        return check.score(*columns)
    except (Exception, OutOfTime):  # a row is guarded: it is found by asking about each alone
        return [_alone(check, values) for values in zip(*columns, strict=True)]


def _alone(check: ChunkCheck, values: Sequence[Any]) -> ScoredRow:
    row_clock().fresh = True
    try:
        (found,) = check.score(*([value] for value in values))
    except (RowProblem, OutOfTime) as error:
        return ScoredRow(Verdict(_standing(error.issue), None, 0, 0, issue=error.issue))
    except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
        return ScoredRow(_bug(error))
    return found


def _looked_at(check: ChunkCheck, scored: ScoredRow, values: Sequence[Any]) -> ScoredRow:
    """The row with its own values, in place of those that it was scored with."""
    row_clock().fresh = True
    try:
        rows = check.looked_at(*(MISSING if value.__class__ is Fault else value for value in values))
    except (Exception, OutOfTime):  # a row is guarded: the verdict says what is wrong
        return ScoredRow(scored.verdict)
    return ScoredRow(scored.verdict, rows)


def _as_it_is(found: Verdict) -> Verdict:
    return found


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
        return Verdict(_standing(held.issue), None, 0, 0, issue=held.issue) if held.__class__ is Fault else SKIPPED
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
            return Verdict(_standing(value.issue), None, 0, 0, issue=value.issue)
    try:
        return _blocked(lost(*values))
    except (RowProblem, OutOfTime) as error:
        return Verdict(_standing(error.issue), None, 0, 0, issue=error.issue)
    except Exception as error:  # a row is guarded: a bug in one evaluator costs one verdict
        return _bug(error)


def _blocked(lost: Verdict) -> Verdict:
    """0.0 and not passed, whatever the threshold, from what an output that is missing comes to."""
    return lost if lost.standing.kept_out else lost._replace(standing=Standing.BLOCKED, passed=False, num=0, issue=None)


def _standing(issue: Issue) -> Standing:
    if issue.blame is Blame.TESTSET:
        return Standing.INVALID
    return Standing.UNJUDGED if issue.blame is Blame.ENVIRONMENT else Standing.BUG


def _bug(error: Exception) -> Verdict:
    return Verdict(Standing.BUG, None, 0, 0, issue=issue_of_bug(error))


def issue_of_bug(error: Exception) -> Issue:
    import traceback  # few runs meet a fault

    trace = "".join(traceback.format_exception(error))
    return Issue("bug", Blame.BUG, f"{type(error).__name__}: {error}", hint=trace)
