"""`min_of`: the lowest score of its parts."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from evaluators.model.rows import Result
from evaluators.scoring.evaluators._composite import Composite, value_of


class MinOf(Composite):
    """The lowest score among the parts.

    Use it when a result is only as good as its weakest part.

    A part that is skipped or not measured in a row is left out of that row. A part that failed, or that was blocked,
    counts what it scored. Spaces, case and the like are the parts' business.
    """

    type: Literal["min_of"] = "min_of"

    def combine(self, parts: list[tuple[Result, Fraction]]) -> Fraction:
        """The lowest score of the parts; their weights are not looked at."""
        return min(value_of(part) for part, _ in parts)
