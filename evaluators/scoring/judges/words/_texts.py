"""The comparators of two texts that ask a judge: `semantic`, and `string_semantic` and `string_llm` of extract-bench."""

from __future__ import annotations

from msgspec.structs import replace
from pydantic import AliasChoices, Field

from evaluators.model.issues import RowProblem
from evaluators.model.rows import Comparison
from evaluators.scoring.comparators._comparator import Question
from evaluators.scoring.judges.judge import JudgeAnswer, JudgeQuestion
from evaluators.scoring.judges.judged_comparator import JudgedComparator, match_but_for_case_and_spaces


class Semantic(JudgedComparator):
    """The two values mean the same, as a judge sees it: `car` and `automobile`.

    It is for free text. Values that differ in case and spaces alone match without a question. Never use it for numbers,
    dates and codes: a judge forgives there what it must not.
    """

    word = "semantic"
    partial: bool = False
    """Whether the field earns the judge's score, and not 1 or 0."""

    @property
    def partial_credit(self) -> bool:
        return self.partial

    def compare_without_judge(self, question: Question) -> Comparison | None:
        return match_but_for_case_and_spaces(question)

    def comparison_of_answer(self, question: JudgeQuestion, answer: JudgeAnswer) -> Comparison | RowProblem:
        """The comparison that a judge's answer stands for: with its score under `partial`, else with 1 or 0."""
        comparison = super().comparison_of_answer(question, answer)
        if self.partial or not isinstance(comparison, Comparison):
            return comparison
        return replace(comparison, score=float(comparison.passed))


class StringSemantic(JudgedComparator):
    """The two texts mean the same, as a judge sees it; the field earns the judge's score.

    Texts that differ in case and spaces alone match without a question.
    """

    word = "string_semantic"
    at_least: float = Field(0.7, ge=0.0, le=1.0, validation_alias=AliasChoices("at_least", "pass_threshold"))
    """The score from which on the texts match."""

    def compare_without_judge(self, question: Question) -> Comparison | None:
        return match_but_for_case_and_spaces(question)


class StringLlm(JudgedComparator):
    """The two values agree as the field's own instructions want it; the field earns the judge's score.

    It takes any pair of values, and asks about all that are not equal: only the instructions know what may differ.
    """

    word = "string_llm"
    at_least: float = Field(0.7, ge=0.0, le=1.0, validation_alias=AliasChoices("at_least", "pass_threshold"))
    """The score from which on the values match."""
