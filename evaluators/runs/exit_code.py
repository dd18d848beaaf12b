"""The exit code of a run and every cause behind it, from the run's facts alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue
from evaluators.runs.result import EvaluatorStats, GateResult, RunResult
from evaluators.runs.wording import Finding, sentence

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
    """The facts that decide how a run ends."""

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
    findings = list(_findings(facts))
    return tuple(sentence(finding) for code in PRECEDENCE for each, finding in findings if each == code)


def with_later_issues(result: RunResult, issues: Iterable[Issue]) -> RunResult:
    """The result with issues that came up once its folder was finished: they are among its causes, and the weightier exit code
    counts."""
    later = Facts(issues=tuple(issues))
    codes = {result.exit_code, exit_code(later)}
    weightiest = next((code for code in PRECEDENCE if code in codes), OK)
    return replace(result, exit_code=weightiest, causes=(*result.causes, *causes(later)))


def _findings(facts: Facts) -> Iterable[tuple[int, Finding]]:
    """Everything that speaks for an exit code other than 0, as (code, finding), in the order in which it is told."""
    rows = max((stats.rows for stats in facts.evaluators), default=0)
    if facts.interrupted:
        yield INTERRUPTED, Finding("interrupted", {"rows": rows})
    yield from ((INCOMPARABLE, Finding("told", {"sentence": text})) for text in facts.incomparable)
    yield from ((FAILED, Finding("told", {"sentence": text})) for text in facts.regressions)
    yield from _issue_findings(facts.ended)
    for gate in facts.gates:
        if gate.verdict in ("failed", "undecided"):
            code = FAILED if gate.verdict == "failed" else UNMEASURED
            yield code, Finding(f"gate-{gate.verdict}", {"gate": gate})
    for code, kind in ((BUG, "bugs"), (UNMEASURED, "invalid"), (UNMEASURED, "unjudged")):
        if hit := [(stats, count) for stats in facts.evaluators if (count := getattr(stats, kind))]:
            yield code, Finding(kind, {"counts": hit})
    yield from _issue_findings(facts.issues)
    if facts.evaluators and not any(stats.scored > stats.empty_expected for stats in facts.evaluators):
        nobody = any(issue.code == "no-row-selected" for issue in facts.issues)
        read_to_its_end = not (facts.interrupted or facts.ended)  # or nobody knows how many rows there are
        yield UNMEASURED, Finding("no-rows-at-all" if read_to_its_end and not (rows or nobody) else "nothing-measured")


def _issue_findings(issues: Iterable[Issue]) -> Iterable[tuple[int, Finding]]:
    """The code and finding of each issue that has a bearing on the exit code; others are left out."""
    for issue in issues:
        code = _CODE_OF_ISSUE.get(issue.code, _CODE_OF_BLAME[issue.blame])
        if code is not None:
            yield code, Finding("issue", {"issue": issue})
