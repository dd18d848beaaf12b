"""Whether a case agrees, falls under a divergence, or disagrees.

A case *agrees* when our answer says what was recorded. An unreadable output that scores 0.0 agrees with a recorded 0.0:
the number is the same, and ours says why in place of details. Where the other system raises an error, ours agrees when it puts the same
blame: a bad setting, a bad expected cell, or an output that cannot be used (which scores 0.0 and is counted).

A case that does not agree is *listed* when our answer is the one that stands in `differing/answers.jsonl`, with its
reason. A case that is not there is listed when the first divergence whose predicate holds says what we give instead, and we
do. Where that is not worked out (schemas and comparators of extract-bench's that are left out there), our answer is believed
when it is of a kind that was given before: a score, or a problem of the same part. Everything else *disagrees*: also a case
at which something here breaks, so that one case never hides the others.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from tests.conformance import x_eval_cases
from tests.conformance.cases import HERE, Answer, Case, mapping
from tests.conformance.rules import Rule, rules
from tests.conformance.systems import Unread, answer, broke, read_cases

CLOSE = 1e-9


class Finding(Enum):
    """What became of a case."""

    AGREES = "agrees"
    LISTED = "listed"
    DISAGREES = "disagrees"
    NOT_COVERED = "not covered"


@dataclass(frozen=True)
class Result:
    """One case with what became of it, and the divergence that decided. `broke` is the error that ended the look at it."""

    case: Case
    finding: Finding
    ours: Answer | None = None
    rule: Rule | None = None
    broke: str = ""

    def __str__(self) -> str:
        if self.broke:
            return f"{self.case.id}: {self.broke}"
        told = f"{self.case.id}: recorded {self.case.recorded}, ours {self.ours} ({self.ours.why if self.ours else ''})"
        return told if self.rule is None else f"{told}, although: {self.rule.reason}"


def judge_folder(folder: Path = HERE) -> Iterator[tuple[str, list[Result]]]:
    """The verdicts of each file of a folder whose name is known, with the file's name."""
    for path in sorted(folder.glob("*.jsonl")):
        if path.stem in mapping()["files"]:
            yield path.stem, [judge(case) for case in read_cases(path)]


def files_not_covered(folder: Path = HERE) -> Iterator[tuple[str, int, str]]:
    """The name, the number of cases and the reason of each file that is not run."""
    reasons = mapping()["files_not_covered"]
    for path in sorted(folder.glob("*.jsonl")):
        if path.stem not in mapping()["files"]:
            with path.open(encoding="utf-8") as lines:
                yield path.stem, sum(bool(line.strip()) for line in lines), reasons.get(path.stem, "an unknown file")


def why_not_covered(case: Case) -> str | None:
    """Why an evaluator has no counterpart; None when it has one."""
    if case.evaluator in mapping()["evaluators"][case.system]:
        return None
    reasons: Mapping[str, str] = mapping()["evaluators_not_covered"].get(case.system, {})
    return reasons.get(case.evaluator, "an unknown evaluator")


def judge(case: Case) -> Result:
    """What becomes of one case. One at which something breaks disagrees, with the error."""
    if isinstance(case, Unread):
        return Result(case, Finding.DISAGREES, broke=case.why)
    try:
        return _judge(case)
    except Exception as error:  # a case is guarded as a row is: whatever breaks, the others are looked at
        return Result(case, Finding.DISAGREES, broke=broke(error))


def _judge(case: Case) -> Result:
    if why_not_covered(case):
        return Result(case, Finding.NOT_COVERED)
    ours = answer(case)
    if agrees(case, ours):
        return Result(case, Finding.AGREES, ours)
    if (known := differing().get(digest(case))) is not None:
        rule, wanted = known
        return Result(case, Finding.LISTED if same_answer(ours, wanted) else Finding.DISAGREES, ours, rule)
    return judge_unknown(case, ours)


def judge_unknown(case: Case, ours: Answer) -> Result:
    """What becomes of a case that does not agree, by the divergences alone."""
    rule = next((rule for rule in rules() if rule.holds(case, ours)), None)
    if rule is None:
        return Result(case, Finding.DISAGREES, ours, rule)
    wanted = rule.instead(case)
    listed = ours.blame in _blames(rule.id) if wanted is None else same_answer(ours, wanted)
    return Result(case, Finding.LISTED if listed else Finding.DISAGREES, ours, rule)


@cache
def differing() -> Mapping[str, tuple[Rule, Answer]]:
    """The reason and our answer of every recorded case that differs, by the digest of its line."""
    by_id = {rule.id: rule for rule in rules()}
    with (HERE / "differing" / "answers.jsonl").open(encoding="utf-8") as lines:
        told = [json.loads(line) for line in lines]
    return {one["digest"]: (by_id[one["reason"]], Answer(**one["ours"])) for one in told}


@cache
def _blames(reason: str) -> frozenset[str | None]:
    """Whose move our answers may be where it is not worked out what we give: a score, the output, or as before."""
    return frozenset((None, "output")) | frozenset(
        ours.blame for other, ours in differing().values() if other.id == reason
    )


def digest(case: Case) -> str:
    """A name for what the case's line says, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(case.line, sort_keys=True).encode()).hexdigest()[:16]


def agrees(case: Case, ours: Answer) -> bool:
    """Our answer says what was recorded."""
    recorded = case.recorded
    if case.system == x_eval_cases.SYSTEM:
        return x_eval_cases.agrees(recorded, ours)
    if recorded.blame is not None:
        return recorded.blame == ours.blame
    return (
        _close(recorded.score, ours.score)
        and recorded.passed in (None, ours.passed)
        and _close_fields(recorded, ours)
        and (ours.blame == "output" or not _details_differ(case, ours.details))
    )


def same_answer(ours: Answer, wanted: Answer) -> bool:
    """Our answer is the wanted one, in everything that the wanted one says."""
    return (
        wanted.blame == ours.blame
        and _close(wanted.score, ours.score)
        and wanted.passed in (None, ours.passed)
        and _close_fields(wanted, ours)
        and (wanted.value is None or x_eval_cases.alike(wanted.value, ours.value))
    )


def _close_fields(wanted: Answer, ours: Answer) -> bool:
    return all(_close(score, ours.fields.get(path)) for path, score in wanted.fields.items())


def _details_differ(case: Case, details: Mapping[str, Any]) -> list[str]:
    shared = mapping()["evaluators"][case.system][case.evaluator].get("details", ())
    recorded = case.recorded.details
    return [name for name in shared if name in recorded and recorded[name] != details.get(name)]


def _close(left: float | None, right: float | None) -> bool:
    if left is None or right is None:
        return left is right
    return abs(left - right) <= CLOSE
