"""The comparator `semantic`: the two values mean the same, as a judge sees it."""

from __future__ import annotations

from pydantic import AliasChoices, Field

from evaluators.comparators._comparator import Answer, Question
from evaluators.judges.judge import JudgeAnswer
from evaluators.judges.text_comparator import Worded, equal_but_for_writing
from evaluators.model import Comparison


class Semantic(Worded):
    """The two values mean the same, as a judge sees it: `car` and `automobile`.

    It is for free text. Values that differ in case and spaces alone match without a question. Never use it for numbers,
    dates and codes: a judge forgives there what it must not.
    """

    at_least: float = Field(1.0, ge=0.0, le=1.0, validation_alias=AliasChoices("at_least", "pass_threshold"))
    """The score from which on the values match."""
    partial: bool = False
    """Whether the field earns the judge's score, and not 1 or 0."""

    def decided(self, question: Question) -> Comparison | None:
        return equal_but_for_writing(question)

    def settled(self, answer: JudgeAnswer) -> Answer:
        found = super().settled(answer)
        if self.partial or not isinstance(found, Comparison):
            return found
        return Comparison(float(found.passed), found.passed, found.reason, found.details)
