"""A comparator that asks a judge: what it makes of a pair of values, and of the answer.

The suite's judge comes with the context in which settings are read. Without one there is nobody to ask: fields that need a
judge are then refused when a suite is read, and a comparator that was made elsewhere leaves its field without an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Final, Literal, Self

from pydantic import PrivateAttr, ValidationInfo, model_validator

from evaluators.comparators._comparator import (
    COMPARATORS,
    Answer,
    Comparator,
    Question,
    WholeCall,
    answer_in,
    comparison_of,
    word_of,
)
from evaluators.issues import Issue, RowProblem
from evaluators.judges.judge import Judge, JudgeAnswer, JudgeQuestion, call_judge, unanswered
from evaluators.model import MISSING, Comparison
from evaluators.registry import Socket
from evaluators.value_class import NamedTuple
from evaluators.values.equality import same


class ListTotals(NamedTuple):
    """How a list of which a judge says which items match counts in the totals."""

    surplus_counts: bool
    """Items that only the output has lower its score."""
    pass_at: Fraction
    """The score from which on it passes."""


class JudgedComparator(Comparator):
    """A comparator whose questions a judge answers."""

    judged: ClassVar[bool] = True
    batch: ClassVar[bool | Literal["row"]] = True

    _judge: Judge | None = PrivateAttr(default=None)
    _null_differs: bool = PrivateAttr(default=False)

    @model_validator(mode="after")
    def _take_judge(self, info: ValidationInfo) -> Self:
        given = (info.context or {}).get("judge")
        self._judge = given if isinstance(given, Judge) else None
        return self

    def null_differs(self) -> Self:
        """The same comparator, for which null and anything else differ without a question."""
        found = self.model_copy()
        found._null_differs = True
        return found

    def for_items(self, rules: Mapping[str, Any]) -> Self:
        """The same comparator of lists, which knows how the parts of their items are compared; by path."""
        if "items" not in type(self).model_fields or getattr(self, "items", None) is not None:
            return self
        found = self.model_copy(update={"items": rules})
        found.__dict__.pop("identity", None)
        return found

    def list_totals(self) -> ListTotals | None:
        """How a list counts in the totals of a row; None where the comparator does not say which items of two lists match."""
        return None

    def nobody(self) -> Issue:
        """Why there is no answer where there is no judge."""
        return unanswered("no-judge", f'"{word_of(self)}" needs a judge, and there is none')

    def decided(self, question: Question) -> Comparison | None:
        """What is known of a pair without asking; None where the judge is to say it."""
        return None

    def put(self, question: Question) -> JudgeQuestion:
        """The question for the judge."""
        return JudgeQuestion(
            word_of(self), question.expected, question.actual,
            MISSING if same(question.expected, question.expected_raw) else question.expected_raw,
            MISSING if same(question.actual, question.actual_raw) else question.actual_raw,
            self.asked_instructions(), self.asked_params(), {}, question.path, refused=partial(self.refused, question),
        )  # fmt: skip

    def refused(self, question: Question, answer: JudgeAnswer) -> str | None:
        """Why an answer counts for nothing, in words; None where it counts."""
        return None

    def asked_instructions(self) -> str | None:
        """What the field says to the judge in words."""
        return None

    def asked_params(self) -> Mapping[str, Any]:
        """What the field says to the judge otherwise: settings of the judge that it overrides, and what its prompt needs."""
        return {}

    def outcome(self, question: Question, answer: JudgeAnswer) -> Comparison | RowProblem:
        """What the answer says of the pair."""
        if answer.error is not None:
            return RowProblem(answer.error)
        return answer_in(self, question, self.settled(answer))

    def settled(self, answer: JudgeAnswer) -> Answer:
        """The same for an answer that is there. The default passes what the judge passes, and else at 1."""
        score = float(answer.score or 0.0)
        passed = score == 1.0 if answer.passed is None else answer.passed
        return Comparison(score, passed, answer.reason, dict(answer.details))

    def compare(self, expected: Any, actual: Any) -> bool | Comparison:
        (found,) = self.compare_all([Question("", expected, actual, expected, actual)])
        if isinstance(found, RowProblem):
            raise found
        return comparison_of(word_of(self), found)

    def compare_all(self, questions: Sequence[Question]) -> Sequence[Answer]:
        """The judge's answers to pairs that stand on no list: each is asked, whatever was asked before."""
        return self.with_answers(questions, self._call)

    def with_answers(
        self, questions: Sequence[Question], ask: Callable[[Judge, list[JudgeQuestion]], Sequence[JudgeAnswer]]
    ) -> list[Comparison | RowProblem]:
        """What there is to say of each pair, `ask` being asked about those that are not decided."""
        decided = [self._of_null(one) or self.decided(one) for one in questions]
        waiting = [one for one, known in zip(questions, decided, strict=True) if known is None]
        if waiting and self._judge is None:
            return [RowProblem(self.nobody()) if known is None else known for known in decided]
        answers = iter(ask(self._judge, [self.put(one) for one in waiting]) if self._judge and waiting else ())
        return [
            self.outcome(one, next(answers)) if known is None else known
            for one, known in zip(questions, decided, strict=True)
        ]

    def _of_null(self, question: Question) -> Comparison | None:
        if self._null_differs and (question.expected is None) is not (question.actual is None):
            return Comparison(0.0, False, f"null {'is expected' if question.expected is None else 'in the output'}")
        return None

    def _call(self, judge: Judge, questions: list[JudgeQuestion]) -> list[JudgeAnswer]:
        try:
            return call_judge(judge, questions)
        except WholeCall as error:
            return [JudgeAnswer(error=error.problem.issue)] * len(questions)


JUDGED_COMPARATORS: Final[Socket[JudgedComparator]] = Socket("evaluators.judges.words", JudgedComparator, "comparator")
"""The comparators that a judge answers, where the suite has one. A comparator of that name that a program registered goes first."""


def comparator_names() -> tuple[str, ...]:
    """Every comparator that a suite may name, those included that need a judge, sorted."""
    return tuple(sorted({*COMPARATORS.names(), *JUDGED_COMPARATORS.names()}))


def any_comparator(name: str) -> type[Comparator]:
    """The comparator of a name, whether it needs a judge or not. Raises Problems (config) where there is none."""
    return (
        COMPARATORS.find(name) if name in COMPARATORS or name not in JUDGED_COMPARATORS else JUDGED_COMPARATORS.find(name)
    )
