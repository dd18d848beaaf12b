"""`any_of`: at least one part passes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from evaluators.model.rows import Result
from evaluators.scoring.evaluators._composite import Composite


class AnyOf(Composite):
    """Pass when at least one part passes: 1.0 then, and 0.0 otherwise.

    Use it where several answers are acceptable, each with a check of its own.

    A part that is skipped or not measured in a row is left out of that row. A part that failed, or that was blocked,
    counts what it scored. Spaces, case and the like are the parts' business.
    """

    type: Literal["any_of"] = "any_of"

    def combine(self, parts: list[tuple[Result, Fraction]]) -> Fraction:
        """1 where at least one part passes, else 0."""
        return Fraction(any(part.passed for part, _ in parts))

    def early_value(self, parts: Sequence[Result]) -> Fraction | None:
        """1 where some part passes; None where none does."""
        return Fraction(1) if any(part.passed for part in parts) else None
