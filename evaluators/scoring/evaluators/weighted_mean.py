"""`weighted_mean`: one score from several, each with its weight."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar, Literal

from evaluators.model.rows import Result
from evaluators.scoring.evaluators._composite import Composite, value_of


class WeightedMean(Composite):
    """The mean of the parts' scores, each counted with its weight.

    Use it for one overall score. Weights are 0 or more; a list of names gives every part the same weight.

    A part that is skipped or not measured in a row is left out of that row, and the other weights are renormalised. A
    part that failed, or that was blocked, counts what it scored. A mean hides which part is wrong: keep the parts.
    """

    type: Literal["weighted_mean"] = "weighted_mean"

    takes_weights: ClassVar[bool] = True

    def combine(self, parts: list[tuple[Result, Fraction]]) -> Fraction:
        """The mean of the parts' scores by their weights, exactly."""
        whole = sum((weight for _, weight in parts), Fraction(0))
        return sum((value_of(part) * weight for part, weight in parts), Fraction(0)) / whole
