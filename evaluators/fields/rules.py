"""The rule of a field: equality first, then its transforms on both sides, then its comparator.

A rule is asked only about values that are there. Its answer is a status, or a status with an exact share where there is
partial credit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from evaluators.comparator import Comparator
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.model import Outcome, Status
from evaluators.values.equality import same
from evaluators.values.transforms import Transform, TransformError, chain


class Partial(NamedTuple):
    """A status with partial credit: `num / den` of the field's weight."""

    status: Status
    num: int
    den: int


Judged: TypeAlias = "Status | Partial"
Rule: TypeAlias = Callable[[Any, Any], Judged]

MATCH, MISMATCH, ERROR, FAULT = Status.MATCH, Status.MISMATCH, Status.ERROR, Status.FAULT


@dataclass(frozen=True, slots=True)
class Explained:
    """A rule's answer with its reason, and the problem where there is one."""

    judged: Judged
    reason: str | None = None
    problem: RowProblem | None = None

    @property
    def status(self) -> Status:
        """The bare status."""
        return self.judged.status if isinstance(self.judged, Partial) else self.judged


def compile_rule(comparator: Comparator, transforms: tuple[Transform, ...] = ()) -> Rule:
    """The fast rule. Raises RowProblem where the expected value or the environment is to blame."""
    compare, transform, two_sided = comparator.compile(), chain(transforms), comparator.reads == "both"
    if transform is None and getattr(compare, "__func__", compare) is same:
        return lambda expected, actual: MATCH if same(expected, actual) else MISMATCH

    def rule(expected: Any, actual: Any) -> Judged:
        if two_sided and same(expected, actual):
            return MATCH
        if transform is not None:
            try:
                actual = transform(actual)
            except TransformError:
                return ERROR
            if two_sided:
                expected = _expected(transform, expected)
                if same(expected, actual):
                    return MATCH
        found = compare(expected, actual)
        if found is True:
            return MATCH
        return MISMATCH if found is False else _judged(found)

    return rule


def explain_rule(comparator: Comparator, transforms: tuple[Transform, ...], expected: Any, actual: Any) -> Explained:
    """The same answer, made slowly, with a reason in plain words."""
    two_sided, transform = comparator.reads == "both", chain(transforms)
    if two_sided and same(expected, actual):
        return Explained(MATCH, "equal")
    if transform is not None:
        try:
            actual = transform(actual)
        except TransformError as error:
            return Explained(ERROR, f"the output's value cannot be transformed: {error}")
    try:
        if transform is not None and two_sided:
            expected = _expected(transform, expected)
            if same(expected, actual):
                return Explained(MATCH, "equal once transformed")
        outcome = comparator.explain(expected, actual)
    except RowProblem as error:
        return Explained(FAULT, error.issue.message, error)
    return Explained(_judged(outcome) if outcome.ratio or 0 < outcome.score < 1 else _plain(outcome), outcome.reason)


def _expected(transform: Callable[[Any], Any], expected: Any) -> Any:
    try:
        return transform(expected)
    except TransformError as error:
        message = f"the expected value cannot be transformed: {error}"
        raise RowProblem(Issue("expected-not-transformable", Blame.TESTSET, message)) from error


def _judged(outcome: bool | Outcome) -> Judged:
    if isinstance(outcome, bool):
        return MATCH if outcome else MISMATCH
    num, den = outcome.ratio or float(outcome.score).as_integer_ratio()
    return Partial(MATCH if outcome.passed else MISMATCH, num, den)


def _plain(outcome: Outcome) -> Judged:
    return _judged(outcome) if (outcome.score == 1.0) is not outcome.passed else MATCH if outcome.passed else MISMATCH
