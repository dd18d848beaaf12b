"""The comparator `string_llm` of extract-bench: a judge follows the field's own instructions."""

from __future__ import annotations

from pydantic import AliasChoices, Field

from evaluators.judges.text_comparator import Worded


class StringLlm(Worded):
    """The two values agree as the field's own instructions want it; the field earns the judge's score.

    It takes any pair of values, and asks about all that are not equal: only the instructions know what may differ.
    """

    at_least: float = Field(0.7, ge=0.0, le=1.0, validation_alias=AliasChoices("at_least", "pass_threshold"))
    """The score from which on the values match."""
