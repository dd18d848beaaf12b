"""How well a confidence says what is right, in one number."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, TypeAlias

LEVELS: Final = 100_000
"""A confidence is so many steps from 0 to 1."""
Steps: TypeAlias = Mapping[int, tuple[int, int]]
"""By step of confidence: how often it was right, and wrong."""


def brier(steps: Steps) -> float | None:
    """The mean squared difference of the confidence from 1 where it was right, and from 0 where it was wrong.

    Source: Brier 1950, "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78.
    """
    total = sum(right * (LEVELS - step) ** 2 + wrong * step**2 for step, (right, wrong) in steps.items())
    n = sum(map(sum, steps.values()))
    return float(Fraction(total, n * LEVELS**2)) if n else None


def auroc(steps: Steps) -> float | None:
    """How likely a confidence that was right is higher than one that was wrong, ties counting half; None where all were right or all wrong.

    Source: Hanley and McNeil 1982, "The meaning and use of the area under a receiver operating characteristic (ROC) curve".
    """
    below = pairs = 0
    for step in sorted(steps):
        right, wrong = steps[step]
        pairs += right * (2 * below + wrong)
        below += wrong
    right = sum(right_rows for right_rows, _ in steps.values())
    return float(Fraction(pairs, 2 * right * below)) if right and below else None
