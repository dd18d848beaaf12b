"""How long two texts may be for the letters that tell them apart to be counted.

Counting takes as many steps as the lengths of the two texts multiplied, and cannot be stopped. Two texts of 100,000 characters
each take some tenths of a second. Beyond the limit (`limits: {text_length: …}` sets another) nothing is counted: the field has
no score, and shortened texts are never compared.
"""

from __future__ import annotations

from typing import Final

from evaluators.issues import Blame, Issue, RowProblem
from evaluators.limits import row_clock

SHORT: Final = 1_000
"""Two texts of so many characters are soon compared: no limit is lower."""


def refuse_long(one: str, other: str) -> None:
    """Raises RowProblem where two texts are too long to count the letters that differ, or the time of the row has run out."""
    if len(one) * len(other) <= SHORT * SHORT:
        return
    clock = row_clock()
    if len(one) * len(other) > clock.limits.text_length**2:  # a longer one may be compared with a shorter one
        message = f"texts of {len(one):,} and {len(other):,} characters are too long to count the letters that differ"
        longest = f"two texts of {clock.limits.text_length:,} characters are the longest"
        hint = f"{longest}: compare long texts with normalized or exact, or write limits: {{text_length: NUMBER}}"
        raise RowProblem(Issue("text-too-long", Blame.ENVIRONMENT, message, hint=hint))
    clock.still_time()
