"""What the comparators of texts that ask a judge have in common: their options, and what needs no question."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import AliasChoices, Field

from evaluators.comparators._comparator import Answer, Question
from evaluators.judges.judge import JudgeAnswer
from evaluators.judges.judged_comparator import JudgedComparator
from evaluators.model import Comparison
from evaluators.settings import Name
from evaluators.values.text import Normalization, normalizer, same_text_deep


class Worded(JudgedComparator):
    """A comparator that asks a judge about two values in words."""

    instructions: Name | None = Field(
        None, validation_alias=AliasChoices("instructions", "additional_instructions", "prompt")
    )
    """What the judge is to know of this field: what may differ, and what may not."""
    at_least: float = Field(1.0, ge=0.0, le=1.0, validation_alias=AliasChoices("at_least", "pass_threshold"))
    """The score from which on the values match."""
    model: Name | None = None
    """The model that is asked about this field, in place of the judge's own."""
    temperature: float | None = Field(None, ge=0.0, le=2.0)
    """How freely that model answers, in place of the judge's own setting."""
    max_tokens: int | None = Field(None, ge=1, strict=True)
    """How long its answer may be, in place of the judge's own setting."""

    def asked_instructions(self) -> str | None:
        return self.instructions

    def asked_params(self) -> Mapping[str, Any]:
        given = {"model": self.model, "temperature": self.temperature, "max_tokens": self.max_tokens}
        return {name: value for name, value in given.items() if value is not None}

    def settled(self, answer: JudgeAnswer) -> Answer:
        score = float(answer.score or 0.0)
        return Comparison(score, score >= self.at_least, answer.reason, dict(answer.details))


def equal_but_for_writing(question: Question) -> Comparison | None:
    """A match where the two differ in case, spaces and how a letter is stored, and in nothing else; else None."""
    if _same_texts()(question.expected, question.actual):
        return Comparison(1.0, True, "equal once case and spaces are set aside")
    return None


@cache
def _same_texts() -> Any:
    return same_text_deep(normalizer(Normalization(unicode="nfc", case="ignore", whitespace="collapse")))
