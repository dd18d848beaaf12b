"""`weighted_mean`: one score from several, each with its weight."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import Field, field_validator

from evaluators.builtin._composite import Composite, value_of
from evaluators.model import Verdict

Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class WeightedMean(Composite):
    """The mean of the parts' scores, each counted with its weight.

    Use it for one overall figure. Weights are 0 or more; a list of names gives every part the same weight.

    A part that is skipped or not measured in a row is left out of that row, and the other weights are renormalised. A
    part that failed, or that was blocked, counts what it scored. A mean hides which part is wrong: keep the parts.
    """

    type: Literal["weighted_mean"] = "weighted_mean"
    of: dict[str, Weight] | list[str] = Field(min_length=1)
    """The parts: a list of names, or a map from each name to its weight."""

    @field_validator("of")
    @classmethod
    def _some_weight(cls, value: dict[str, float] | list[str]) -> dict[str, float] | list[str]:
        if isinstance(value, dict) and not sum(value.values()):
            raise ValueError("every weight is 0, so nothing would count")
        return value

    def weights(self) -> tuple[Fraction, ...]:
        if isinstance(self.of, dict):
            return tuple(Fraction(str(weight)) for weight in self.of.values())
        return super().weights()

    def combine(self, parts: list[tuple[Verdict, Fraction]]) -> Fraction:
        whole = sum((weight for _, weight in parts), Fraction(0))
        return sum((value_of(part) * weight for part, weight in parts), Fraction(0)) / whole
