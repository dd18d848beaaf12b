"""A comparator that asks a judge: what it makes of a pair of values, and of the answer.

The suite's judge comes with the context in which settings are read. Without one there is nobody to ask: fields that need a
judge are then refused when a suite is read, and a comparator that was made elsewhere leaves its field without an answer.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import cache, partial
from typing import Any, ClassVar, Final, Literal, Self, cast

import msgspec
from pydantic import AliasChoices, Field, PrivateAttr, ValidationInfo, model_validator

from evaluators.model.issues import RowProblem
from evaluators.model.registry import Socket
from evaluators.model.rows import MISSING, Comparison
from evaluators.model.settings import Name
from evaluators.scoring.comparators._answer_cache import current_cache, value_key
from evaluators.scoring.comparators._comparator import COMPARATORS, Comparator, Question, WholeCall, with_reason, word_of
from evaluators.scoring.judges.judge import Judge, JudgeAnswer, JudgeQuestion, call_judge, unanswered_issue
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.text import Normalization, normalizer, same_text_deep


class ListTotals(msgspec.Struct, frozen=True):
    """How a list of which a judge says which items match counts in the totals."""

    surplus_counts: bool
    """Items that only the output has lower its score."""
    pass_at: Fraction
    """The score from which on it passes."""


class JudgedComparator(Comparator):
    """A comparator whose questions a judge answers."""

    judged: ClassVar[bool] = True
    batch: ClassVar[bool | Literal["row"]] = True

    instructions: Name | None = Field(None, validation_alias=AliasChoices("instructions", "additional_instructions"))
    """What the judge is to know of this field: what may differ, and what may not."""
    at_least: float = Field(1.0, ge=0.0, le=1.0, validation_alias=AliasChoices("at_least", "pass_threshold"))
    """The score from which on the values match."""
    model: Name | None = None
    """The model that is asked about this field, in place of the judge's own."""
    temperature: float | None = Field(None, ge=0.0, le=2.0)
    """How freely that model answers, in place of the judge's own setting."""
    max_tokens: int | None = Field(None, ge=1, strict=True)
    """How long its answer may be, in place of the judge's own setting."""

    _judge: Judge | None = PrivateAttr(default=None)
    _null_differs: bool = PrivateAttr(default=False)

    @model_validator(mode="after")
    def _take_judge(self, info: ValidationInfo) -> Self:
        """Keeps the judge of the suite, which the context of the settings brings."""
        judge = (info.context or {}).get("judge")
        self._judge = judge if isinstance(judge, Judge) else None
        return self

    @property
    def judge(self) -> Judge | None:
        """The judge that is asked; None where the suite has none."""
        return self._judge

    def with_null_differing(self) -> Self:
        """A copy of the comparator that takes null for different from any other value, without asking the judge."""
        comparator = self.model_copy()
        comparator._null_differs = True
        return comparator

    def with_item_rules(self, rules: Mapping[str, Any]) -> Self:
        """The comparator; one that compares lists gives a copy with the `rules` of their items, by path."""
        return self

    def list_totals(self) -> ListTotals | None:
        """How a list counts in the totals of a row; None where the comparator does not say which items of two lists match."""
        return None

    def compare_without_judge(self, question: Question) -> Comparison | None:
        """The comparison of a pair that needs no judge; None for a pair that does."""
        return None

    def params(self) -> dict[str, Any]:
        """The parameters that go to the judge beside the instructions: settings that this field overrides."""
        params = {"model": self.model, "temperature": self.temperature, "max_tokens": self.max_tokens}
        return {name: value for name, value in params.items() if value is not None}

    def why_refused(self, question: Question, answer: JudgeAnswer) -> str | None:
        """Why an answer counts for nothing, in words; None where it counts."""
        return None

    def score_of(self, question: Question, answer: JudgeAnswer) -> float | None:
        """The score of an answer; None where it has none."""
        return answer.score

    def comparison_of_answer(self, question: JudgeQuestion, answer: JudgeAnswer) -> Comparison | RowProblem:
        """The comparison that a judge's answer stands for. It passes by `at_least` of the suite, not by the judge's own `passed`."""
        score = float(answer.score or 0.0)
        comparison = Comparison(score, score >= self.at_least, answer.reason, dict(answer.details))
        return with_reason(self, question.expected, question.actual, comparison)

    def compare(self, expected: Any, actual: Any) -> Comparison:
        """The judge's comparison of one pair. The judge is asked even if it was asked before."""
        comparison = self.comparison_or_question(Question("", expected, actual, expected, actual))
        if isinstance(comparison, JudgeQuestion):
            try:
                (answer,) = call_judge(cast("Judge", self.judge), [comparison])  # without one there is no question
            except WholeCall as error:
                raise error.problem from error
            comparison = self.comparison_or_problem(comparison, answer)
        if isinstance(comparison, RowProblem):
            raise comparison
        return comparison

    def comparison_or_question(self, question: Question) -> Comparison | RowProblem | JudgeQuestion:
        """The comparison of a pair that needs no judge, or the question for the judge, or the problem where there is no judge. It is
        cached, so that it is made once for equal values."""
        _, expected, actual, expected_raw, actual_raw = question
        key: tuple[Hashable, ...] = (value_key(expected), value_key(actual))
        if expected_raw is not expected or actual_raw is not actual:
            key = (*key, value_key(expected_raw), value_key(actual_raw))
        cache = current_cache()
        pairs = {} if cache is None else cache.answers_of((self.identity, self._null_differs)).pairs
        settled: Comparison | RowProblem | JudgeQuestion | None = pairs.get(key)
        if settled is None:
            settled = pairs[key] = (
                self._null_comparison(question) or self.compare_without_judge(question) or self._judge_question(question)
            )
        return settled

    def comparison_or_problem(self, question: JudgeQuestion, answer: JudgeAnswer) -> Comparison | RowProblem:
        """The comparison of a pair by the answer to its question; the problem where the answer is an error."""
        return self.comparison_of_answer(question, answer) if answer.error is None else RowProblem(answer.error)

    def _null_comparison(self, question: Question) -> Comparison | None:
        """A mismatch, for a pair of which one value is null, where null differs from any other value; None for any other pair."""
        if self._null_differs and (question.expected is None) is not (question.actual is None):
            return Comparison(0.0, False, f"null {'is expected' if question.expected is None else 'in the output'}")
        return None

    def _judge_question(self, pair: Question) -> JudgeQuestion | RowProblem:
        """The question for the judge about a pair of values; the problem where there is no judge."""
        if self.judge is None:
            return RowProblem(unanswered_issue("no-judge", f'"{word_of(self)}" needs a judge, and there is none'))
        path, expected, actual, expected_raw, actual_raw = pair
        return JudgeQuestion(
            word_of(self), expected, actual,
            MISSING if json_equal(expected, expected_raw) else expected_raw,
            MISSING if json_equal(actual, actual_raw) else actual_raw,
            self.instructions, self.params(), {}, path, why_refused=partial(self.why_refused, pair),
            score_of=partial(self.score_of, pair),
        )  # fmt: skip


JUDGED_COMPARATORS: Final[Socket[JudgedComparator]] = Socket(
    "evaluators.scoring.judges.words", JudgedComparator, "comparator"
)
"""The comparators that a judge answers, where the suite has one. A comparator of that name that a program registered goes first."""


def comparator_names() -> tuple[str, ...]:
    """Every comparator that a suite may name, those included that need a judge, sorted."""
    return tuple(sorted({*COMPARATORS.names(), *JUDGED_COMPARATORS.names()}))


def any_comparator(name: str) -> type[Comparator]:
    """The comparator of a name, whether it needs a judge or not. Raises Problems (config) where there is none."""
    return (
        COMPARATORS.find(name) if name in COMPARATORS or name not in JUDGED_COMPARATORS else JUDGED_COMPARATORS.find(name)
    )


def match_but_for_case_and_spaces(question: Question) -> Comparison | None:
    """A match for two values whose texts differ at most in case, spaces and how a letter is stored; None for any other pair."""
    if _same_texts()(question.expected, question.actual):
        return Comparison(1.0, True, "equal once case and spaces are set aside")
    return None


@cache
def _same_texts() -> Any:
    """A function that compares two values without case, spaces and how a letter is stored. Made once."""
    return same_text_deep(normalizer(Normalization(unicode="nfc", case="ignore", whitespace="collapse")))
