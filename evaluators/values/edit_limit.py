"""How long two texts may be for the letters that tell them apart to be counted.

Counting takes as many steps as the lengths of the two texts multiplied. Two texts of `LONGEST` characters each take some
tenths of a second. Beyond that nothing is counted: the field has no score, and shortened texts are never compared.
"""

from __future__ import annotations

from typing import Final

from evaluators.issues import Blame, Issue, RowProblem

LONGEST: Final = 100_000
"""Characters of each of two texts; a longer one may be compared with a shorter one."""


def refuse_long(one: str, other: str) -> None:
    """Raises RowProblem where two texts are too long to count the letters that tell them apart."""
    if len(one) * len(other) > LONGEST * LONGEST:
        message = f"texts of {len(one):,} and {len(other):,} characters are too long to count the letters that differ"
        hint = f"two texts of {LONGEST:,} characters are the longest; compare long texts with normalized or exact"
        raise RowProblem(Issue("text-too-long", Blame.ENVIRONMENT, message, hint=hint))
