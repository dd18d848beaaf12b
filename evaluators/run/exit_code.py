"""The exit code of a run and every cause behind it, from the run's facts alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.issues import Blame, Issue
from evaluators.run.figures import rows_text
from evaluators.run.result import EvaluatorStats, GateResult, RunResult

OK: Final = 0
FAILED: Final = 1
CONFIG: Final = 2
UNMEASURED: Final = 3
INCOMPARABLE: Final = 4
BUG: Final = 70
INTERRUPTED: Final = 130

OTHER_RUN: Final = "other-run"
"""The code of an issue that keeps a run from going on: it is not the run that was begun."""
ENDED: Final = "sending-ended"
"""The code of an issue that says that the sending of a finished run was ended by Ctrl-C."""
_CODE_OF_ISSUE: Final[Mapping[str, int]] = {OTHER_RUN: INCOMPARABLE, ENDED: INTERRUPTED}

PRECEDENCE: Final = (INTERRUPTED, BUG, CONFIG, INCOMPARABLE, FAILED, UNMEASURED)
"""Which code wins when several apply. A failed gate is a finding: a CI that retries on 3 must not retry it away."""

_CODE_OF_BLAME: Final[Mapping[Blame, int | None]] = {
    Blame.CONFIG: CONFIG,
    Blame.TESTSET: UNMEASURED,
    Blame.ENVIRONMENT: UNMEASURED,
    Blame.BUG: BUG,
    Blame.OUTPUT: None,
}


class Facts(Struct, frozen=True):
    """What decides how a run ends."""

    evaluators: tuple[EvaluatorStats, ...] = ()
    gates: tuple[GateResult, ...] = ()
    issues: tuple[Issue, ...] = ()
    """What went wrong beside the rows: a field that no row measured, a tracker that refused."""
    ended: tuple[Issue, ...] = ()
    """What ended the run before its last row."""
    interrupted: bool = False
    regressions: tuple[str, ...] = ()
    """What got worse against another run, one sentence each."""
    incomparable: tuple[str, ...] = ()
    """Why two runs cannot be compared, one sentence each."""


def exit_code(facts: Facts) -> int:
    """The one exit code, by precedence."""
    codes = {code for code, _ in _findings(facts)}
    return next((code for code in PRECEDENCE if code in codes), OK)


def causes(facts: Facts) -> tuple[str, ...]:
    """Every cause in words, the weightiest first; empty when all is well."""
    found = list(_findings(facts))
    return tuple(text for code in PRECEDENCE for each, text in found if each == code)


def afterwards(result: RunResult, issues: Iterable[Issue]) -> RunResult:
    """The run with what went wrong once its folder was finished, among its causes; the weightier exit code counts."""
    later = Facts(issues=tuple(issues))
    codes = {result.exit_code, exit_code(later)}
    weightiest = next((code for code in PRECEDENCE if code in codes), OK)
    return replace(result, exit_code=weightiest, causes=(*result.causes, *causes(later)))


def _findings(facts: Facts) -> Iterable[tuple[int, str]]:
    rows = max((stats.rows for stats in facts.evaluators), default=0)
    if facts.interrupted:
        yield INTERRUPTED, f"the run was interrupted after {rows_text(rows)}"
    yield from ((INCOMPARABLE, text) for text in facts.incomparable)
    yield from ((FAILED, text) for text in facts.regressions)
    yield from _issue_findings(facts.ended)
    yield from _gate_findings(facts.gates)
    yield from _row_findings(facts.evaluators)
    yield from _issue_findings(facts.issues)
    if facts.evaluators and not any(stats.scored > stats.empty_expected for stats in facts.evaluators):
        selected = any(issue.code == "no-row-selected" for issue in facts.issues)
        yield UNMEASURED, "nothing was measured" + ("" if rows or selected else ": the test set has no rows")


def _issue_findings(issues: Iterable[Issue]) -> Iterable[tuple[int, str]]:
    for issue in issues:
        code = _CODE_OF_ISSUE.get(issue.code, _CODE_OF_BLAME[issue.blame])
        if code is not None:
            placed = f"{issue.where}: {issue.message}" if issue.where else issue.message
            yield code, f"{placed} ({issue.hint})" if issue.hint else placed


def _gate_findings(gates: Iterable[GateResult]) -> Iterable[tuple[int, str]]:
    if not gates:
        return
    from evaluators.run.gates import gate_label  # a suite without gates starts sooner

    for gate in gates:
        if gate.verdict == "failed":
            yield FAILED, f"gate {gate_label(gate)} failed: {gate.message}"
        elif gate.verdict == "undecided":
            yield UNMEASURED, f"gate {gate_label(gate)} is undecided: {gate.message}"


def _row_findings(evaluators: tuple[EvaluatorStats, ...]) -> Iterable[tuple[int, str]]:
    for code, attribute, said in (
        (BUG, "bugs", "a fault in the program left rows without a score"),
        (UNMEASURED, "invalid", "the test set left rows without a score"),
        (UNMEASURED, "unjudged", "the environment left rows without a score"),
    ):
        hit = [(stats, getattr(stats, attribute)) for stats in evaluators if getattr(stats, attribute)]
        if hit:
            yield code, f"{said}: " + ", ".join(f"{_name(stats)} {count:,} of {stats.rows:,}" for stats, count in hit)


def _name(stats: EvaluatorStats) -> str:
    return f"{stats.name} ({stats.variant})" if stats.variant else stats.name
