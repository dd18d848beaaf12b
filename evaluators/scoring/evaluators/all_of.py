"""`all_of`: every part passes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from evaluators.model.rows import Result
from evaluators.scoring.evaluators._composite import Composite


class AllOf(Composite):
    """Pass when every part passes: 1.0 then, and 0.0 otherwise.

    Use it for "good enough to ship": one name for several checks that must all hold.

    A part that is skipped or not measured in a row is left out of that row. A part that failed, or that was blocked,
    counts what it scored. Spaces, case and the like are the parts' business.
    """

    type: Literal["all_of"] = "all_of"

    def combine(self, parts: list[tuple[Result, Fraction]]) -> Fraction:
        """1 where every part passes, else 0."""
        return Fraction(all(part.passed for part, _ in parts))

    def early_value(self, parts: Sequence[Result]) -> Fraction | None:
        """0 where some part fails; None where none does."""
        return Fraction(0) if any(part.passed is False for part in parts) else None
