"""The contract of a comparator: its options, how it compares two values, and how it words what it found.

A plug writes `compare`, which decides, and may write `reason`, which words the decision; `answer` is both. Both values are present when a
comparator is asked; presence is the field core's business. Null is a value like any other. A two-sided comparator is reflexive: the core
compares for equality first, and asks only about what differs, unless the comparator says that it is not.

A comparator that cannot use every expected value says so in `readable`. It is asked about the expected value alone, once
for each, also where both sides are equal and where the output has nothing: what is invalid never depends on the output.

A comparator that *costs* is never asked from inside a comparison loop, nor to choose how the items of lists are paired:
its questions go on a list (see `judges.asking`). A *batch* gets the questions of many rows in one call of `compare_all`, or,
with `batch = "row"`, those of one row; one that *waits* is an async function, of which several calls run at once; a *judged*
one asks a judge.

A comparator that somebody wrote for their own suite may raise anything and return anything. Whatever it does costs the field that it was
asked about and nothing else: a `RowProblem` that names the comparator.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import isfinite
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.registry import Socket
from evaluators.model.rows import MISSING, Comparison
from evaluators.model.settings import Filled, Settings, filled_texts_of
from evaluators.scoring.comparators._answer_cache import CallKey, cached_result, value_key
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.quoting import quote

Compare: TypeAlias = Callable[[Any, Any], "bool | Comparison"]
"""Takes (expected, actual). May raise RowProblem when something else than the two values keeps it from an answer."""

Readable: TypeAlias = bool | str | Issue
"""True, or what is wrong with an expected value: False, a sentence, or an issue."""

Answer: TypeAlias = bool | float | Comparison | RowProblem | None
"""What a batch says of one question. A number is a score that passes at 1. None, or the problem that kept the question
from being answered, leaves the field without a score."""


AT_ONCE: Final = 10
"""Calls of an async function that run at the same time, where its comparator says nothing else."""
_TAKES: Final = "it must return true, false, a number from 0 to 1, or a Comparison"
_OF_FUNCTIONS: Final = ("comparator-failed", "bad-answer", "transform-failed")


class Question(NamedTuple):
    """One pair of values that a comparator which costs is asked about."""

    path: str
    """Where the pair stands, as people read it: `items[0].name`. Of pairs that are asked about once, the first one's."""
    expected: Any
    actual: Any
    """The two values, transformed."""
    expected_raw: Any
    actual_raw: Any
    """The two values as they stand in the documents."""


class Pair(msgspec.Struct, frozen=True):
    """One worked example of a comparator: shown on its page and run by the tests."""

    title: str
    expected: object
    actual: object
    match: bool
    options: Mapping[str, object] | None = None


class Comparator(Settings):
    """A comparator: the thing that a line of `fields:` names. Subclasses are immutable options."""

    reads: ClassVar[Literal["both", "output"]] = "both"
    """`output`: a one-sided check, which the expected value does not change."""
    examples: ClassVar[tuple[Pair, ...]] = ()
    judged: ClassVar[bool] = False
    """It asks a judge, which costs time and money."""
    batch: ClassVar[bool | Literal["row"]] = False
    """It gets many pairs in one call of `compare_all`: True, the distinct ones of a chunk of rows; `row`, all those that one
    evaluator asks about in one row, in the order of the document."""
    waits: ClassVar[bool] = False
    """It answers with an awaitable, so that several of its calls can run at the same time."""
    at_once: ClassVar[int] = AT_ONCE
    """How many calls run at the same time, at most, where it waits."""
    slow: ClassVar[bool] = False
    """It takes much longer than telling whether two values are equal: of long lists, fewer items are compared each with each."""
    word: ClassVar[str] = ""
    """The name it was registered under, or that tells it from others in its module; empty for one that its module names."""

    @property
    def costs(self) -> bool:
        """Whether its questions are collected and asked together: it is a batch, it waits, or it asks a judge."""
        return bool(self.batch) or self.judged or self.waits

    @property
    def reflexive(self) -> bool:
        """Whether equal values always match, so that it is asked only about those that differ."""
        return self.reads == "both" and not self.lists_answers

    @property
    def lists_answers(self) -> bool:
        """Whether the expected value that it gets is a list of right answers; a value that is no list is the only one."""
        return False

    @property
    def answers_column(self) -> str | None:
        """The column whose cells hold further right answers, which the core adds to the expected value; None without one. A comparator
        that reads the output alone gets what such a cell holds in place of the expected value."""
        return None

    def answers_in(self, cell: Any, expected: Any) -> Sequence[Any]:
        """The right answers in a cell of `answers_column`, in a row with this expected value. Raises RowProblem for a cell that cannot
        be read."""
        raise NotImplementedError  # the contract: a comparator with such a column reads its cells

    def in_place_of_nothing(self, expected: Any) -> Any:
        """The value that is compared where the output has none: a right answer that stands for no value, such as `""`. MISSING where
        there is no such answer. It is called only where `lists_answers` is true."""
        return MISSING

    @property
    def partial_credit(self) -> bool:
        """Whether values that differ may earn a share. Of several values of a field, what the field earns is then the mean."""
        return False

    @cached_property
    def identity(self) -> Hashable:
        """A key that comparators share which give the same answers: the class and its options."""
        return type(self), self.model_dump_json(fallback=repr)

    def compare(self, expected: Any, actual: Any) -> bool | Comparison:
        """Whether two values match: True, False, or a Comparison where there is partial credit. Every comparator implements it."""
        raise NotImplementedError  # the contract: each comparator compares in its own way

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str | None:
        """A sentence on the comparison of two values; None for the usual one, on how they differ or that they pass."""
        return None

    def answer(self, expected: Any, actual: Any) -> Comparison:
        """The comparison of two values, with its reason. Raises RowProblem where `compare` gives no answer."""
        return with_reason(self, expected, actual, comparison_of(word_of(self), self.compare(expected, actual)))

    def readable(self, expected: Any) -> Readable:
        """Whether it can use an expected value, as the transforms left it; if not, what is wrong with it.

        A field whose expected value cannot be read is invalid, whatever the output is. Null is never asked about.
        """
        return True

    @property
    def reads_any(self) -> bool:
        """Whether it can use any expected value, so that `readable` need not be called."""
        return type(self).readable is Comparator.readable

    def applies_to(self, expected: Any) -> bool:
        """Whether an expected value is of the kind that it reads, such as a number or a date. True where it reads any kind."""
        return True

    @property
    def applies_to_any(self) -> bool:
        """Whether it reads values of any kind, so that `applies_to` need not be called."""
        return type(self).applies_to is Comparator.applies_to

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about its options that are shown when a suite is read: words of another system, and what they are here."""
        return ()

    @property
    def remark(self) -> str:
        """A sentence on the meaning of its options together, where it may be misread; "" otherwise."""
        return ""

    @property
    def may_doubt(self) -> bool:
        """Whether some expected values may have two meanings, so that `doubt` is worth asking."""
        return False

    def doubt(self, expected: Any) -> str | None:
        """The two meanings that an expected value may have, in words, first the one that it is taken for; None where it has one."""
        return None

    def apart(self, expected: Any, actual: Any) -> Fraction | None:
        """The distance of two values, as a number; None where it cannot be said. Reports show the matches that are farthest apart."""
        return None

    def key(self) -> Callable[[Any], Hashable] | None:
        """A function from a value to a key that two values share exactly when they match; None where there is no such key.

        With it long lists are paired without asking about every pair. One to which only equal values match gives
        `values.pairing.lookup_key`, and need not be asked.
        """
        return None

    def compare_all(self, questions: Sequence[Question]) -> Sequence[Answer]:
        """One answer per question, in their order; a RowProblem is the answer of its question. Comparators that take many
        questions at once implement it, the others are asked one by one."""

        def answer(question: Question) -> Answer:
            """The comparator's answer to one question; a RowProblem where it raises one."""
            try:
                return self.compare(question.expected, question.actual)
            except RowProblem as error:
                return error

        return [answer(question) for question in questions]

    def compare_rows(self, rows: Sequence[Sequence[Question]]) -> list[Sequence[Answer] | Exception]:
        """The answers to several lists of questions, one call of `compare_all` for each; an exception stands for its list alone."""

        def of_row(questions: Sequence[Question]) -> Sequence[Answer] | Exception:
            """The answers to the questions of one row, or the exception that was raised."""
            try:
                return self.compare_all(questions)
            except Exception as error:  # a row is guarded: a call that breaks costs its own fields
                return error

        return [of_row(questions) for questions in rows]


COMPARATORS: Socket[Comparator] = Socket(
    "evaluators.scoring.comparators",
    Comparator,
    "comparator",
    plug_maker="evaluators.scoring.comparators._functions:plug_of_entry_point",
)
START_HERE: Final = ("exact", "normalized", "numeric", "date", "fuzzy")
"""The comparators that people need first, in the order in which they are listed."""


def word_of(comparator: Comparator) -> str:
    """The name of a comparator, as suites write it."""
    plug = type(comparator)
    return plug.word or plug.__module__.rpartition(".")[2]


# What comparators answer, checked


def comparison_of(word: str, returned: object) -> Comparison:
    """What the comparator `word` returned, as a comparison. A number passes at 1.

    Raises RowProblem for a score outside 0 to 1, and for anything that is no answer.
    """
    if isinstance(returned, bool):
        return Comparison(float(returned), returned)
    if isinstance(returned, Comparison):
        _check_comparison(word, returned)
        return returned
    if isinstance(returned, int | float):
        _check_score(word, returned)
        return Comparison(float(returned), returned == 1)
    what = "gave no answer" if returned is None else f"returned {type(returned).__name__} {quote(returned)}"
    raise bad_answer(word, f"{what}; {_TAKES}")


def _check_comparison(word: str, comparison: Comparison) -> None:
    """Raises RowProblem for a comparison whose score, `passed` or ratio cannot be one."""
    score: Any = comparison.score
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise bad_answer(word, f"returned a Comparison with the score {quote(score)}; a score is a number from 0 to 1")
    _check_score(word, score)
    if not isinstance(comparison.passed, bool):
        raise bad_answer(word, f"returned a Comparison with passed={quote(comparison.passed)}; it must be true or false")
    if comparison.ratio is not None and not 0 <= comparison.ratio[0] <= comparison.ratio[1] != 0:
        raise bad_answer(word, f"returned a Comparison with the ratio {comparison.ratio}; it must lie between 0 and 1")


def _check_score(word: str, score: int | float) -> None:
    """Raises RowProblem for a score that is no number from 0 to 1."""
    if not (isfinite(score) and 0 <= score <= 1):
        raise bad_answer(word, f"returned the score {score}; a score is a number from 0 to 1")


def with_reason(comparator: Comparator, expected: object, actual: object, comparison: Comparison) -> Comparison:
    """The comparison with a reason in plain words: its own, or else the one that its comparator gives."""
    if comparison.reason is not None:
        return comparison
    try:
        reason: object = comparator.reason(expected, actual, comparison)
    except Exception as error:  # what was found counts, whatever becomes of its wording
        reason = f"its reason failed: {type(error).__name__}: {error}"
    if not isinstance(reason, str):
        if not comparison.passed and comparator.reads == "both":
            reason = difference_text(expected, actual)
        else:
            reason = f'{quote(actual)} {"passes" if comparison.passed else "does not pass"} "{word_of(comparator)}"'
    return replace(comparison, reason=reason)


def cached_compare(comparator: Comparator) -> Compare:
    """The function `compare` of a comparator. One that does not ship with the package is asked once for each pair while answers
    are cached, because it may answer otherwise the next time."""
    compare = comparator.compare
    if comparator.costs or _ships(comparator):
        return compare
    who = comparator.identity

    def from_cache(expected: Any, actual: Any) -> bool | Comparison:
        """The comparator's answer for two values, from the cache where answers are cached."""
        return cached_result(
            CallKey("compare", who, value_key(expected), value_key(actual)), lambda: compare(expected, actual)
        )

    return from_cache


def explain_comparison(comparator: Comparator, expected: Any, actual: Any) -> Comparison:
    """The comparison of two values with its reason. A function of the suite's own is not called again where answers are cached."""
    comparison = comparison_of(word_of(comparator), cached_compare(comparator)(expected, actual))
    if _ships(comparator):
        return with_reason(comparator, expected, actual, comparison)
    key = CallKey("reason", comparator.identity, value_key(expected), value_key(actual))
    return cached_result(key, lambda: with_reason(comparator, expected, actual, comparison))


def _ships(comparator: Comparator) -> bool:
    """Whether a comparator ships with the package: such a one answers the same each time."""
    return type(comparator).__module__.startswith("evaluators.")


class WholeCall(Exception):
    """A call about several questions answered none of them."""

    def __init__(self, problem: RowProblem) -> None:
        self.problem = problem
        super().__init__(str(problem))


def checked_answers(
    comparator: Comparator, questions: Sequence[Question], returned: object
) -> list[Comparison | RowProblem]:
    """The answers that one call gave to some questions, in their order, checked, each with a reason.

    `returned` is what the call returned, or the exception that it raised. A problem with one question stands in its place; an
    exception, or a list of another length, raises WholeCall: it concerns all questions.
    """
    word = word_of(comparator)
    if isinstance(returned, RowProblem):
        raise WholeCall(returned)
    if isinstance(returned, Exception):
        raise WholeCall(call_failure("comparator", word, returned, filled_texts_of(comparator)))
    if not isinstance(returned, list | tuple):
        message = f"returned {type(returned).__name__}; it must return a list with one answer per question"
        raise WholeCall(bad_answer(word, message))
    if len(returned) != len(questions):
        raise WholeCall(bad_answer(word, f"returned {len(returned)} answers to {len(questions)} questions"))
    return [_checked_answer(comparator, question, answer) for question, answer in zip(questions, returned, strict=True)]


def _checked_answer(comparator: Comparator, question: Question, returned: object) -> Comparison | RowProblem:
    """The comparison that a call returned for a question, with a reason; the problem where it returned no comparison."""
    if isinstance(returned, RowProblem):
        return returned
    if isinstance(returned, Exception):
        return call_failure("comparator", word_of(comparator), returned, filled_texts_of(comparator))
    try:
        return with_reason(comparator, question.expected, question.actual, comparison_of(word_of(comparator), returned))
    except RowProblem as error:
        return error


def call_failure(noun: str, word: str, error: Exception, filled: Filled) -> RowProblem:
    """The problem of a row for which a comparator, a transform or a judge (`noun`) named `word` raised an exception; a bug.

    `filled` is what the environment filled in to its settings: no message shows it.
    """
    masked = filled.masked_spelled
    message = f'{noun} "{word}" failed: {masked(f"{type(error).__name__}: {error}")}'
    import traceback  # few runs meet a fault

    trace = masked("".join(traceback.format_exception(error, chain=error.__cause__ is not None)))
    return RowProblem(Issue(f"{noun}-failed", Blame.BUG, message, hint=trace))


def bad_answer(word: str, what: str) -> RowProblem:
    """The problem of a row for which a comparator answered something that is no answer."""
    return RowProblem(Issue("bad-answer", Blame.BUG, f'comparator "{word}" {what}'))


def with_field_name(error: RowProblem, path: str) -> RowProblem:
    """The problem with the field's path in its message, where it is about one field: a fault of a function of the suite, or of an
    expected value."""
    issue = error.issue
    about_a_field = issue.code in _OF_FUNCTIONS or issue.code.startswith("expected-")
    if not about_a_field or issue.message.startswith("field "):
        return error
    return RowProblem(replace(issue, message=f'field "{path}": {issue.message}'))
