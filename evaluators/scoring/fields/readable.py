"""Expected values that cannot be read: what is wrong with one, found from the expected side alone.

An expected value is transformed and shown to its comparator's `readable`, once for each distinct value. Where something
is wrong with it its field is a fault, whether the output is right, wrong, equal or not there at all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.scoring.comparators._comparator import Comparator, Readable, bad_answer, failed, word_of
from evaluators.scoring.values.pairing import identity
from evaluators.scoring.values.quoting import quote
from evaluators.scoring.values.transforms import Apply, Transform, TransformError, chain_of_expected

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
        if value is None:
            return None
        key = value if value.__class__ is str else (identity(value),)
        try:
            return known[key]
        except KeyError:
            pass
        found = _problem(comparator, apply, value)
        if len(known) < MOST_KNOWN:
            known[key] = found
        return found

    return ask


def expected_chain(comparator: Comparator, transforms: Iterable[Transform]) -> Apply | None:
    """What transforms do to the expected values of a comparator: to each right answer, where these are listed. None without any."""
    apply = chain_of_expected(transforms)
    if apply is None or not comparator.lists_answers:
        return apply
    return lambda value: [apply(answer) for answer in value] if isinstance(value, list) else apply(value)


def transformed(apply: Apply, expected: Any) -> Any:
    """An expected value after its transforms. Raises RowProblem where it cannot be changed."""
    try:
        return apply(expected)
    except TransformError as error:
        message = f"the expected value cannot be transformed: {error}"
        raise RowProblem(Issue("expected-not-transformable", Blame.TESTSET, message)) from error


def _problem(comparator: Comparator, apply: Apply | None, value: Any) -> Issue | None:
    """The issue of an expected value that cannot be transformed by `apply`, or that the comparator cannot read; None where it can."""
    try:
        changed = value if apply is None else transformed(apply, value)
        if changed is None or comparator.reads_any:
            return None
        readable = comparator.readable(changed)
    except RowProblem as error:
        return error.issue
    except Exception as error:  # a row is guarded: a comparator that breaks costs its own field
        return failed("comparator", word_of(comparator), error).issue
    return _issue(word_of(comparator), changed, readable)


def _issue(word: str, value: Any, readable: Readable) -> Issue | None:
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
