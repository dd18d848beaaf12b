"""The score of a row from what became of its listed fields, and how a row is counted that has none."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm
from typing import Final

from evaluators.fields.closed import ClosedTree
from evaluators.fields.rules import Judged, Partial
from evaluators.issues import Blame, RowProblem
from evaluators.model import Standing, Status, Verdict

_LEFT_OUT: Final = (Status.NOT_MEASURED, Status.SKIPPED)
_RIGHT_ENOUGH: Final = (Status.MATCH, Status.SKIPPED)


def mean(tree: ClosedTree, found: Sequence[Judged | int]) -> tuple[int, int] | None:
    """The weighted mean of the measured fields, exact and in lowest terms; None where none was measured.

    Where all of them weigh nothing, it is 1 when every one of them matches, else 0: what was measured is never left out.
    """
    measured = [
        (weight, *credit(one)) for weight, one in zip(tree.weights, found, strict=True) if status_of(one) not in _LEFT_OUT
    ]
    if not measured:
        return None
    whole = sum(weight for weight, _, _ in measured)
    if not whole:
        return int(all(num == den for _, num, den in measured)), 1
    unit = lcm(*(den for _, _, den in measured))
    num, den = sum(weight * num * (unit // den) for weight, num, den in measured), whole * unit
    common = gcd(num, den)
    return num // common, den // common


def credit(found: Judged | int) -> tuple[int, int]:
    """What a field earns of its weight: its partial credit, or all or nothing."""
    return (found.num, found.den) if isinstance(found, Partial) else (int(found == Status.MATCH), 1)


def status_of(found: Judged | int) -> int:
    """What became of a field, partial credit aside."""
    return found.status if isinstance(found, Partial) else found


def required_lost(tree: ClosedTree, statuses: Sequence[int]) -> bool:
    """Whether a required field was asked about and does not match: then the row does not pass."""
    return any(statuses[number] not in _RIGHT_ENOUGH for number in tree.required)


def verdict_of(
    tree: ClosedTree, pass_at: float, found: Sequence[Judged | int], problem: RowProblem | None = None
) -> Verdict:
    """The verdict of a row from what became of its fields. With a problem the row has no score."""
    statuses = bytes(status_of(one) for one in found)
    if problem is not None:
        return Verdict(standing_of(problem), None, 0, 0, statuses, issue=problem.issue)
    share = mean(tree, found)
    if share is None:
        return Verdict(Standing.NOT_MEASURED, None, 0, 0, statuses)
    passed = not required_lost(tree, statuses) and share[0] / share[1] >= pass_at
    return Verdict(Standing.SCORED, passed, *share, statuses)


def standing_of(problem: RowProblem) -> Standing:
    """How a row is counted that a problem kept from being measured."""
    return {
        Blame.TESTSET: Standing.INVALID,
        Blame.ENVIRONMENT: Standing.UNJUDGED,
    }.get(problem.issue.blame, Standing.BUG)
