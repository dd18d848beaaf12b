"""The comparator `string_semantic` of extract-bench: two texts mean the same, with a score."""

from __future__ import annotations

from pydantic import AliasChoices, Field

from evaluators.comparators._comparator import Question
from evaluators.judges.text_comparator import Worded, equal_but_for_writing
from evaluators.model import Comparison


class StringSemantic(Worded):
    """The two texts mean the same, as a judge sees it; the field earns the judge's score.

    Texts that differ in case and spaces alone match without a question.
    """

    at_least: float = Field(0.7, ge=0.0, le=1.0, validation_alias=AliasChoices("at_least", "pass_threshold"))
    """The score from which on the texts match."""

    def decided(self, question: Question) -> Comparison | None:
        return equal_but_for_writing(question)
