"""`length`: the output is neither too short nor too long."""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, Field, model_validator

from evaluators.scoring.evaluators._evaluator import Evaluator, Example, Needs, Reason, Text


class Length(Evaluator):
    """Pass when the number of characters in the output is within limits, both included.

    Use it to catch empty answers, answers that ramble, and outputs that must fit into a field.

    Every character counts: spaces, line breaks and punctuation too, also at both ends. An output that is a JSON value is
    measured as JSON text.
    """

    type: Literal["length"] = "length"
    min: int = Field(1, ge=0, strict=True, validation_alias=AliasChoices("min", "min_length"))
    """The fewest characters allowed."""
    max: int = Field(10_000, ge=0, strict=True, validation_alias=AliasChoices("max", "max_length"))
    """The most characters allowed."""

    examples = (
        Example(
            "within the limits",
            output="This is a valid length response.",
            settings={"min": 10, "max": 100},
            score=1.0,
            source="orbiter, OutputLengthScorer",
        ),
        Example(
            "too short",
            output="Short",
            settings={"min": 10, "max": 100},
            score=0.0,
            source="orbiter, OutputLengthScorer",
        ),
        Example("exactly the most allowed", output="abcde", settings={"max": 5}, score=1.0),
        Example("nothing at all", output="", score=0.0),
    )

    @model_validator(mode="after")
    def _check_limits(self) -> Length:
        """Gives the settings back. Raises ValueError for limits between which no length lies."""
        if self.min > self.max:
            raise ValueError(f'no length fits: "min" is {self.min} and "max" is {self.max}')
        return self

    def needs(self) -> Needs:
        return (Text(self.column("output")),)

    def measure(self, text: str) -> bool:
        return self.min <= len(text) <= self.max

    def reason(self, text: str) -> Reason:
        length = len(text)
        message = f"{length} characters"
        if length < self.min:
            message += f", {self.min - length} too few"
        elif length > self.max:
            message += f", {length - self.max} too many"
        return Reason(message, {"length": length, "min": self.min, "max": self.max})
