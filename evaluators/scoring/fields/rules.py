"""How two values of a field are compared: keys that are compared as one value, what is wrong with an expected value, and the rule.

A rule asks whether the expected value can be read, then whether the two are equal, then does the transforms to both, and then asks the
comparator. It is asked only about values that are there. Its answer is a status, or a status with an exact share where there is partial
credit. What cannot be read is known from the expected side alone: then the field is a fault, whatever the output has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.rows import Comparison, FieldStatus
from evaluators.model.settings import build, filled_texts_of
from evaluators.scoring.comparators._comparator import (
    COMPARATORS,
    Comparator,
    Readable,
    bad_answer,
    cached_compare,
    call_failure,
    comparison_of,
    explain_comparison,
    word_of,
)
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.pairing import lookup_key
from evaluators.scoring.values.quoting import quote
from evaluators.scoring.values.transforms import Apply, Transform, TransformError, chain, chain_of_expected


class Together(Struct, frozen=True):
    """The keys that are compared as one value, and whether their values are joined to one text for that."""

    fields: tuple[str, ...]
    joined: bool = False

    def pick(self, value: Any) -> dict[str, Any] | None:
        """An object with the listed keys only; None for a value that is no object."""
        return {key: value[key] for key in self.fields if key in value} if isinstance(value, dict) else None

    def transforms(self, inner: tuple[Transform, ...]) -> tuple[Transform, ...]:
        """The transforms of both picked objects: the join and then `inner`, or `inner` for each value on its own."""
        if self.joined:
            return (Transform("join", self.text), *inner)
        return key_transforms(dict.fromkeys(self.fields, inner))

    def text(self, value: Any) -> Any:
        """The values of the keys as one text, without those that are null or missing. A value that is no object stays what it is."""
        if not isinstance(value, dict):
            return value
        return " ".join(_text_of(value[key]) for key in self.fields if value.get(key) is not None)


def key_transforms(by_key: Mapping[str, tuple[Transform, ...]]) -> tuple[Transform, ...]:
    """One transform that does to the value of each key of an object the key's own transforms; none where no key has any."""
    chains = {key: made for key, transforms in by_key.items() if (made := chain(transforms)) is not None}
    if not chains:
        return ()

    def apply(value: Any) -> Any:
        """An object whose values went through the transforms of their keys."""
        if not isinstance(value, dict):
            return value
        return {key: chains[key](inner) if key in chains else inner for key, inner in value.items()}

    converts = any(transform.converts for transforms in by_key.values() for transform in transforms)
    return (Transform("each_key", apply, converts=converts),)


def _text_of(value: Any) -> str:
    """A value as text: a text as it is, any other as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


Ask: TypeAlias = Callable[[Any], Issue | None]
"""From an expected value to the issue that says what is wrong with it; None where it can be read."""
MOST_KNOWN: Final = 10_000
"""Distinct expected values that one field remembers; further ones are asked about anew."""


def reader_of_expected(comparator: Comparator, transforms: Iterable[Transform] = ()) -> Ask | None:
    """A function that says what is wrong with an expected value of a field; None where its comparator reads every value.

    It remembers what it said of each distinct value.
    """
    transforms = tuple(transforms)
    converts = any(transform.converts for transform in transforms)
    if comparator.reads == "output" or (comparator.reads_any and not converts):
        return None
    apply = expected_chain(comparator, transforms)
    known: dict[Hashable, Issue | None] = {}

    def ask(value: Any) -> Issue | None:
        """The issue of an expected value that the comparator cannot read, otherwise None. What was asked once is remembered."""
        if value is None:
            return None
        key = value if value.__class__ is str else (lookup_key(value),)
        try:
            return known[key]
        except KeyError:
            pass
        problem = _problem_of_expected(comparator, apply, value)
        if len(known) < MOST_KNOWN:
            known[key] = problem
        return problem

    return ask


def expected_chain(comparator: Comparator, transforms: Iterable[Transform]) -> Apply | None:
    """A function that does the transforms to an expected value, to each right answer where it is a list of these. None without
    transforms."""
    apply = chain_of_expected(transforms)
    if apply is None or not comparator.lists_answers:
        return apply
    return lambda value: [apply(answer) for answer in value] if isinstance(value, list) else apply(value)


def transform_expected(apply: Apply, expected: Any) -> Any:
    """An expected value after its transforms. Raises RowProblem where it cannot be changed."""
    try:
        return apply(expected)
    except TransformError as error:
        message = f"the expected value cannot be transformed: {error}"
        raise RowProblem(Issue("expected-not-transformable", Blame.TESTSET, message)) from error


def _problem_of_expected(comparator: Comparator, apply: Apply | None, value: Any) -> Issue | None:
    """The issue of an expected value that `apply` cannot transform, or that the comparator cannot read; None where both
    can."""
    try:
        changed = value if apply is None else transform_expected(apply, value)
        if changed is None or comparator.reads_any:
            return None
        readable = comparator.readable(changed)
    except RowProblem as error:
        return error.issue
    except Exception as error:  # a row is guarded: a comparator that breaks costs its own field
        return call_failure("comparator", word_of(comparator), error, filled_texts_of(comparator)).issue
    return _issue_of_answer(word_of(comparator), changed, readable)


def _issue_of_answer(word: str, value: Any, readable: Readable) -> Issue | None:
    """The issue that a comparator's answer stands for: true is none; false, a text or an issue says that it cannot read the value."""
    if readable is True:
        return None
    if isinstance(readable, Issue):
        return replace(readable, blame=Blame.TESTSET)
    if isinstance(readable, str) or readable is False:
        message = f'the expected value {quote(value)} cannot be read by "{word}"'
        return Issue("expected-unreadable", Blame.TESTSET, f"{message}: {readable}" if readable else message)
    what = f"says {quote(readable)} when it is asked whether it can read an expected value; it must say true, or what is wrong"
    return bad_answer(word, what).issue


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
    """Details that the comparator gave beside its answer."""

    @property
    def status(self) -> FieldStatus:
        """The status, without credit or reason."""
        return self.judged if isinstance(self.judged, FieldStatus) else self.judged.status


def status_of(answer: Judged | Explained) -> FieldStatus:
    """The status of an answer, without its credit or reason."""
    return answer if isinstance(answer, FieldStatus) else answer.status


EQUAL: Final = Explained(MATCH, "equal")


class Ready(NamedTuple):
    """Two values that a comparator is to be asked about, transformed."""

    expected: Any
    actual: Any


def compile_rule(comparator: Comparator, transforms: tuple[Transform, ...] = ()) -> Rule:
    """A function from two values to a status, without reasons. The function raises RowProblem for an expected value that cannot be read,
    before it looks at anything else, and where something else than the output's value is to blame."""
    rule, ask = answering_rule(comparator, transforms), reader_of_expected(comparator, transforms)
    if ask is None:
        return rule

    def readable_first(expected: Any, actual: Any) -> Judged:
        """The status of two values. Raises RowProblem where the expected one cannot be read."""
        issue = ask(expected)
        if issue is not None:
            raise RowProblem(issue)
        return rule(expected, actual)

    return readable_first


def asks_equality(comparator: Comparator, transforms: tuple[Transform, ...] = ()) -> bool:
    """Whether two values match exactly when they are equal: the comparator asks for nothing else, and nothing is done
    to them first."""
    return comparator.key() is lookup_key and chain(transforms) is None


def answering_rule(comparator: Comparator, transforms: tuple[Transform, ...] = ()) -> Rule:
    """A function from two values to a status, without reasons, for expected values that can be read."""
    compare, transform, two_sided = cached_compare(comparator), chain(transforms), comparator.reads == "both"
    of_expected, word, reflexive = expected_chain(comparator, transforms), word_of(comparator), comparator.reflexive
    if asks_equality(comparator, transforms):
        return lambda expected, actual: MATCH if json_equal(expected, actual) else MISMATCH

    def rule(expected: Any, actual: Any) -> Judged:
        """The status of two values. An output that cannot be transformed or read is an error of the field; other issues of a row are
        raised."""
        if reflexive and json_equal(expected, actual):
            return MATCH
        if transform is not None:
            try:
                actual = transform(actual)
            except TransformError:
                return ERROR
            if two_sided and of_expected is not None:
                expected = transform_expected(of_expected, expected)
                if reflexive and json_equal(expected, actual):
                    return MATCH
        try:
            comparison = compare(expected, actual)
        except RowProblem as error:
            if error.issue.blame is Blame.OUTPUT:
                return ERROR
            raise
        except Exception as error:  # a row is guarded: a comparator that breaks costs its own field
            raise call_failure("comparator", word, error, filled_texts_of(comparator)) from error
        if comparison is True:
            return MATCH
        return MISMATCH if comparison is False else _judged_status(comparison_of(word, comparison))

    return rule


def explain_rule(
    comparator: Comparator,
    transforms: tuple[Transform, ...],
    expected: Any,
    actual: Any,
    together: Together | None = None,
) -> Explained:
    """The answer about one field, with a reason in plain words: slower than a rule. The expected value is known to be readable.
    `together` are keys of the two that are compared as one value."""
    ready = prepare_rule(comparator, transforms, expected, actual, together)
    if isinstance(ready, Explained):
        return ready
    try:
        return explained_outcome(explain_comparison(comparator, ready.expected, ready.actual))
    except RowProblem as error:
        return explained_problem(error)
    except Exception as error:  # a row is guarded: a comparator that breaks costs its own field
        return explained_problem(call_failure("comparator", word_of(comparator), error, filled_texts_of(comparator)))


def prepare_rule(
    comparator: Comparator,
    transforms: tuple[Transform, ...],
    expected: Any,
    actual: Any,
    together: Together | None = None,
) -> Explained | Ready:
    """Two values, transformed, as the comparator is asked about them; or the answer where it need not be: they are equal, or there is a
    problem.

    The expected value is known to be readable. `together` are keys of the two that are compared as one value.
    """
    if together is not None:
        sides = pick_from_both(together, expected, actual)
        if isinstance(sides, Explained):
            return sides
        expected, actual = sides
    two_sided = comparator.reads == "both"
    if json_equal(expected, actual) and comparator.reflexive:
        return EQUAL
    if not transforms:
        return Ready(expected, actual)
    transform, of_expected = chain(transforms), expected_chain(comparator, transforms)
    try:
        actual = actual if transform is None else transform(actual)
    except TransformError as error:
        return Explained(ERROR, f"the output's value cannot be transformed: {error}")
    except RowProblem as error:
        return explained_problem(error)
    try:
        if two_sided and of_expected is not None:
            expected = transform_expected(of_expected, expected)
            if comparator.reflexive and json_equal(expected, actual):
                return Explained(MATCH, "equal once transformed")
    except RowProblem as error:
        return explained_problem(error)
    return Ready(expected, actual)


def pick_from_both(together: Together, expected: Any, actual: Any) -> Explained | Ready:
    """The two objects to compare for keys that are compared as one value, or the outcome where a side has none of the keys."""
    ours, theirs = together.pick(expected), together.pick(actual)
    if ours is None or theirs is None:
        return (
            Explained(MATCH, "equal")
            if json_equal(expected, actual)
            else Explained(MISMATCH, difference_text(expected, actual))
        )
    if not ours and not theirs:
        return Explained(FieldStatus.NOT_MEASURED, "neither side has any of the keys")
    if not theirs:
        return Explained(FieldStatus.OMISSION, "the output has none of the keys")
    return Ready(ours, theirs) if ours else Explained(FieldStatus.HALLUCINATION, "only the output has any of the keys")


def compile_together(together: Together, rule: Rule) -> Rule:
    """A rule for keys that are compared as one value. NOT_MEASURED where neither side has any."""

    def compare_picked(expected: Any, actual: Any) -> Judged:
        """The status of two objects by their listed keys alone."""
        ready = pick_from_both(together, expected, actual)
        return ready.judged if isinstance(ready, Explained) else rule(ready.expected, ready.actual)

    return compare_picked


def stand_in_comparator() -> Comparator:
    """The comparator that stands in for one that costs while lists are paired: text without case and extra spaces."""
    return build(COMPARATORS.shipped_plug("normalized"), {"case": "ignore", "whitespace": "collapse"})


def explained_answer(answer: Comparison | RowProblem) -> Explained:
    """What a comparator that was asked in a list answered, as an `Explained`; a problem becomes an error or a fault."""
    return explained_problem(answer) if isinstance(answer, RowProblem) else explained_outcome(answer)


def explained_problem(error: RowProblem) -> Explained:
    """A problem as an answer: an error, which counts 0, where the output is to blame; else a fault."""
    if error.issue.blame is Blame.OUTPUT:
        return Explained(ERROR, error.issue.message)
    return Explained(NOT_JUDGED, error.issue.message, error)


def explained_outcome(outcome: Comparison) -> Explained:
    """The answer of a comparator as an `Explained`: its status, its reason and its details."""
    return Explained(_judged_status(outcome), outcome.reason, details=outcome.details)


def _judged_status(outcome: Comparison) -> Judged:
    """The status of a comparison, with its share where there is partial credit."""
    status = MATCH if outcome.passed else MISMATCH
    if outcome.ratio is None and outcome.score == outcome.passed:
        return status
    return Partial(status, *(outcome.ratio or float(outcome.score).as_integer_ratio()))
