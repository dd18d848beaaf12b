"""The rule of a field: whether its expected value can be read, then equality, then its transforms on both sides, then its
comparator.

A rule is asked only about values that are there. Its answer is a status, or a status with an exact share where there is
partial credit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec import Struct, field

from evaluators.model.issues import Blame, RowProblem
from evaluators.model.rows import Comparison, FieldStatus
from evaluators.model.settings import build
from evaluators.scoring.comparators._comparator import (
    COMPARATORS,
    Comparator,
    cached_compare,
    comparison_of,
    explained,
    failed,
    word_of,
)
from evaluators.scoring.fields.compound import Together
from evaluators.scoring.fields.readable import expected_chain, reader_of_expected, transformed
from evaluators.scoring.values.differences import differs
from evaluators.scoring.values.equality import same
from evaluators.scoring.values.pairing import identity
from evaluators.scoring.values.transforms import Transform, TransformError, chain


class Partial(Struct, frozen=True):
    """A status with partial credit: `num / den` of the field's weight."""

    status: FieldStatus
    num: int
    den: int


Judged: TypeAlias = "FieldStatus | Partial"
Rule: TypeAlias = Callable[[Any, Any], Judged]

MATCH, MISMATCH, ERROR, NOT_JUDGED = FieldStatus.MATCH, FieldStatus.MISMATCH, FieldStatus.ERROR, FieldStatus.NOT_JUDGED


class Explained(Struct, frozen=True):
    """A rule's answer with its reason, and the problem where there is one."""

    judged: Judged
    reason: str | None = None
    problem: RowProblem | None = None
    details: Mapping[str, object] = field(default_factory=dict)
    """What else the comparator said."""

    @property
    def status(self) -> FieldStatus:
        """The bare status."""
        return status_of(self.judged)


def status_of(answer: Judged | Explained) -> FieldStatus:
    """The bare status of what a rule said."""
    return answer if isinstance(answer, FieldStatus) else answer.status


EQUAL: Final = Explained(MATCH, "equal")


class Ready(NamedTuple):
    """Two values that a comparator is to be asked about, transformed."""

    expected: Any
    actual: Any


def compile_rule(comparator: Comparator, transforms: tuple[Transform, ...] = ()) -> Rule:
    """The fast rule. Raises RowProblem for an expected value that cannot be read, before it looks at anything else, and where
    something else than the output's value is to blame."""
    rule, ask = answering_rule(comparator, transforms), reader_of_expected(comparator, transforms)
    if ask is None:
        return rule

    def readable_first(expected: Any, actual: Any) -> Judged:
        issue = ask(expected)
        if issue is not None:
            raise RowProblem(issue)
        return rule(expected, actual)

    return readable_first


def asks_equality(comparator: Comparator, transforms: tuple[Transform, ...] = ()) -> bool:
    """Whether two values match exactly when they are equal."""
    return comparator.key() is identity and chain(transforms) is None


def answering_rule(comparator: Comparator, transforms: tuple[Transform, ...] = ()) -> Rule:
    """The fast rule for expected values that can be read."""
    compare, transform, two_sided = cached_compare(comparator), chain(transforms), comparator.reads == "both"
    of_expected, word, reflexive = expected_chain(comparator, transforms), word_of(comparator), comparator.reflexive
    if asks_equality(comparator, transforms):
        return lambda expected, actual: MATCH if same(expected, actual) else MISMATCH

    def rule(expected: Any, actual: Any) -> Judged:
        if reflexive and same(expected, actual):
            return MATCH
        if transform is not None:
            try:
                actual = transform(actual)
            except TransformError:
                return ERROR
            if two_sided and of_expected is not None:
                expected = transformed(of_expected, expected)
                if reflexive and same(expected, actual):
                    return MATCH
        try:
            found = compare(expected, actual)
        except RowProblem as error:
            if error.issue.blame is Blame.OUTPUT:
                return ERROR
            raise
        except Exception as error:  # a row is guarded: a comparator that breaks costs its own field
            raise failed("comparator", word, error) from error
        if found is True:
            return MATCH
        return MISMATCH if found is False else _judged(comparison_of(word, found))

    return rule


def explain_rule(
    comparator: Comparator,
    transforms: tuple[Transform, ...],
    expected: Any,
    actual: Any,
    together: Together | None = None,
) -> Explained:
    """The outcome of one field with a reason in plain words. Slow; the expected value is known to be readable."""
    ready = prepare_rule(comparator, transforms, expected, actual, together)
    if isinstance(ready, Explained):
        return ready
    try:
        return explained_outcome(explained(comparator, ready.expected, ready.actual))
    except RowProblem as error:
        return explained_problem(error)
    except Exception as error:  # a row is guarded: a comparator that breaks costs its own field
        return explained_problem(failed("comparator", word_of(comparator), error))


def prepare_rule(
    comparator: Comparator,
    transforms: tuple[Transform, ...],
    expected: Any,
    actual: Any,
    together: Together | None = None,
) -> Explained | Ready:
    """What there is to say before the comparator is asked: that the two are equal, or a problem; else what to ask.

    The expected value is known to be readable. `together` are keys of the two that are compared as one value.
    """
    if together is not None:
        sides = together_ready(together, expected, actual)
        if isinstance(sides, Explained):
            return sides
        expected, actual = sides
    two_sided = comparator.reads == "both"
    if comparator.reflexive and same(expected, actual):
        return EQUAL
    transform, of_expected = chain(transforms), expected_chain(comparator, transforms)
    if transform is None:
        return Ready(expected, actual)
    try:
        actual = transform(actual)
    except TransformError as error:
        return Explained(ERROR, f"the output's value cannot be transformed: {error}")
    except RowProblem as error:
        return explained_problem(error)
    try:
        if two_sided and of_expected is not None:
            expected = transformed(of_expected, expected)
            if comparator.reflexive and same(expected, actual):
                return Explained(MATCH, "equal once transformed")
    except RowProblem as error:
        return explained_problem(error)
    return Ready(expected, actual)


def together_ready(together: Together, expected: Any, actual: Any) -> Explained | Ready:
    """The two objects to compare for keys that are compared as one value, or the outcome where a side has none of the keys."""
    ours, theirs = together.picked(expected), together.picked(actual)
    if ours is None or theirs is None:
        return Explained(MATCH, "equal") if same(expected, actual) else Explained(MISMATCH, differs(expected, actual))
    if not ours and not theirs:
        return Explained(FieldStatus.NOT_MEASURED, "neither side has any of the keys")
    if not theirs:
        return Explained(FieldStatus.OMISSION, "the output has none of the keys")
    return Ready(ours, theirs) if ours else Explained(FieldStatus.HALLUCINATION, "only the output has any of the keys")


def compile_together(together: Together, rule: Rule) -> Rule:
    """The fast rule for keys that are compared as one value. NOT_MEASURED where neither side has any."""

    def apart(expected: Any, actual: Any) -> Judged:
        ready = together_ready(together, expected, actual)
        return ready.judged if isinstance(ready, Explained) else rule(ready.expected, ready.actual)

    return apart


def near_enough() -> Comparator:
    """What stands in for a comparator that costs where lists are only paired: text without case and extra spaces."""
    return build(COMPARATORS.shipping("normalized"), {"case": "ignore", "whitespace": "collapse"})


def explained_answer(found: Comparison | RowProblem) -> Explained:
    """A checked answer of a batch, with its reason."""
    return explained_problem(found) if isinstance(found, RowProblem) else explained_outcome(found)


def explained_problem(error: RowProblem) -> Explained:
    """A problem as an answer: an error where the output's value is to blame, which counts 0; else a fault."""
    if error.issue.blame is Blame.OUTPUT:
        return Explained(ERROR, error.issue.message)
    return Explained(NOT_JUDGED, error.issue.message, error)


def explained_outcome(outcome: Comparison) -> Explained:
    """An outcome as an answer, with its reason."""
    return Explained(_judged(outcome), outcome.reason, details=outcome.details)


def _judged(outcome: Comparison) -> Judged:
    """The status, with its share where there is partial credit."""
    status = MATCH if outcome.passed else MISMATCH
    if outcome.ratio is None and outcome.score == outcome.passed:
        return status
    return Partial(status, *(outcome.ratio or float(outcome.score).as_integer_ratio()))
