"""`max_of`: the highest score of its parts."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from evaluators.model.rows import Result
from evaluators.scoring.evaluators._composite import Composite, value_of


class MaxOf(Composite):
    """The highest score among the parts.

    Use it when one good part is enough, and how good it is matters.

    A part that is skipped or not measured in a row is left out of that row. A part that failed, or that was blocked,
    counts what it scored. Spaces, case and the like are the parts' business.
    """

    type: Literal["max_of"] = "max_of"

    def combine(self, parts: list[tuple[Result, Fraction]]) -> Fraction:
        """The highest score of the parts; their weights are not looked at."""
        return max(value_of(part) for part, _ in parts)
