"""The contract of a comparator: its options, and how it compares two values.

Both values are present when a comparator is asked; presence is the field core's business. Null is a value like any
other. A two-sided comparator is reflexive: the core compares for equality first, and asks only about what differs.

A comparator that cannot use every expected value says so in `readable`. It is asked about the expected value alone, once
for each, also where both sides are equal and where the output has nothing: what is invalid never depends on the output.

A comparator that *costs* is never asked from inside a comparison loop, nor to choose how the items of lists are paired:
its questions go on a list (see `judges.asking`). A *batch* gets the questions of many rows in one call of `compare_all`, or,
with `batch = "row"`, those of one row; one that *waits* is an async function, of which several calls run at once; a *judged*
one asks a judge.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, TypeAlias

from evaluators.issues import Issue, RowProblem
from evaluators.model import Outcome
from evaluators.registry import Socket
from evaluators.settings import Settings
from evaluators.value_class import NamedTuple, dataclass, replace
from evaluators.values.quoting import differs, quote

Compare: TypeAlias = Callable[[Any, Any], bool | Outcome]
"""Takes (expected, actual). May raise RowProblem when something else than the two values keeps it from an answer."""

Readable: TypeAlias = bool | str | Issue
"""True, or what is wrong with an expected value: False, a sentence, or an issue."""

Answer: TypeAlias = bool | float | Outcome | RowProblem | None
"""What a batch says of one question. A number is a score that passes at 1. None, or the problem that kept the question
from being answered, leaves the field without a score."""


AT_ONCE: Final = 10
"""Calls of an async function that run at the same time, where its comparator says nothing else."""


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


@dataclass(frozen=True, slots=True)
class Pair:
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
    keeps_answers: ClassVar[bool] = False
    """It keeps its answers itself, so that one pair is asked about once. Those of a class that does not ship with the package
    are kept where they are asked for."""
    word: ClassVar[str] = ""
    """The name it was registered under, or that tells it from others in its module; empty for one that its module names."""

    @property
    def costs(self) -> bool:
        """Its questions go on a list: it is a batch, it waits, or it asks a judge."""
        return bool(self.batch) or self.judged or self.waits

    @cached_property
    def identity(self) -> Hashable:
        """What two comparators share that ask the same: the class and its options."""
        return type(self), self.model_dump_json(fallback=repr)

    def compile(self) -> Compare:
        """The fast comparison: True, False, or an Outcome where there is partial credit. Every comparator implements it."""
        raise NotImplementedError  # the contract: each comparator compares in its own way

    def readable(self, expected: Any) -> Readable:
        """Whether it can use an expected value, as the transforms left it; if not, what is wrong with it.

        A field whose expected value cannot be read is invalid, whatever the output is. Null is never asked about.
        """
        return True

    @property
    def reads_any(self) -> bool:
        """It can use any expected value, so that `readable` need not be asked."""
        return type(self).readable is Comparator.readable

    def applies_to(self, expected: Any) -> bool:
        """Whether an expected value is of the kind that it reads: a number, a date. One that reads any kind says always."""
        return True

    @property
    def applies_to_any(self) -> bool:
        """It reads values of any kind, so that `applies_to` need not be asked."""
        return type(self).applies_to is Comparator.applies_to

    @property
    def notes(self) -> tuple[str, ...]:
        """What a suite says of its options when it is read: words of another system, and what they are here."""
        return ()

    def explain(self, expected: Any, actual: Any) -> Outcome:
        """The same answer with a reason in plain words: by default, how the values differ, or that they pass."""
        found = self.compile()(expected, actual)
        return reasoned(self, expected, actual, found if isinstance(found, Outcome) else Outcome(float(found), found))

    def key(self) -> Callable[[Any], Hashable] | None:
        """What two values share exactly when they match; None where no such thing is known.

        With it long lists are paired without asking about every pair.
        """
        return None

    def compare_all(self, questions: Sequence[Question]) -> Sequence[Answer]:
        """One answer per question, in their order. The default asks one by one, and a problem with one is its own."""
        compare = self.compile()

        def answer(question: Question) -> Answer:
            try:
                return compare(question.expected, question.actual)
            except RowProblem as error:
                return error

        return [answer(question) for question in questions]

    def compare_rows(self, rows: Sequence[Sequence[Question]]) -> list[Sequence[Answer] | Exception]:
        """What `compare_all` says of several rows, one call for each: a call that raises stands for its row alone."""

        def of_row(questions: Sequence[Question]) -> Sequence[Answer] | Exception:
            try:
                return self.compare_all(questions)
            except Exception as error:  # a row is guarded: a call that breaks costs its own row
                return error

        return [of_row(questions) for questions in rows]


def word_of(comparator: Comparator) -> str:
    """The name of a comparator, as suites write it."""
    plug = type(comparator)
    return plug.word or plug.__module__.rpartition(".")[2]


def reasoned(comparator: Comparator, expected: object, actual: object, found: Outcome) -> Outcome:
    """The same outcome, with a reason in plain words where it has none."""
    if found.reason is not None:
        return found
    word = word_of(comparator)
    if found.passed:
        reason = f'{quote(actual)} passes "{word}"'
    else:
        reason = differs(expected, actual) if comparator.reads == "both" else f'{quote(actual)} does not pass "{word}"'
    return replace(found, reason=reason)


COMPARATORS: Socket[Comparator] = Socket("evaluators.comparators", Comparator, "comparator")
