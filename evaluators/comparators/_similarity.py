"""How nearly two texts are the same, in exact numbers.

Strategy: similarity is 1 - edits / length of the longer text (Levenshtein 1966). A threshold becomes a whole number of
edits, by exact arithmetic, so that no rounding decides a borderline pair and the search can stop early.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from evaluators.comparators._comparator import Compare
from evaluators.model import Outcome
from evaluators.values.edit_limit import refuse_long
from evaluators.values.equality import same
from evaluators.values.quoting import differs, quote
from evaluators.values.text import Normalize


def near(normalize: Normalize, at_least: float) -> Compare:
    """The question whether two texts are alike enough. Other values must be equal."""
    from rapidfuzz.distance.Levenshtein import distance

    num, den = _edits_in_one_character(at_least)

    def compare(expected: Any, actual: Any) -> bool:
        if expected.__class__ is not str or actual.__class__ is not str:
            return same(expected, actual)
        if expected == actual:
            return True
        a, b = normalize(expected), normalize(actual)
        allowed = num * max(len(a), len(b)) // den
        if a != b:
            refuse_long(a, b)
        return bool(distance(a, b, score_cutoff=allowed) <= allowed)

    return compare


def measure(normalize: Normalize, at_least: float) -> Compare:
    """The similarity of two texts as an outcome without a reason; of other values, whether they are equal."""
    from rapidfuzz.distance.Levenshtein import distance

    num, den = _edits_in_one_character(at_least)

    def compare(expected: Any, actual: Any) -> bool | Outcome:
        if expected.__class__ is not str or actual.__class__ is not str:
            return same(expected, actual)
        a, b = normalize(expected), normalize(actual)
        if a != b:
            refuse_long(a, b)
        length, edits = max(len(a), len(b)) or 1, distance(a, b)
        passed = edits * den <= num * length
        return Outcome((length - edits) / length, passed, ratio=(length - edits, length))

    return compare


def reason(expected: Any, actual: Any, measured: bool | Outcome, at_least: float) -> str:
    """What was measured of two values, in plain words."""
    if isinstance(measured, bool):
        return "equal" if measured else differs(expected, actual)
    unchanged, length = measured.ratio or (0, 1)
    changes = "1 change" if length - unchanged == 1 else f"{length - unchanged} changes"
    return (
        f"{quote(actual)} and {quote(expected)} are {measured.score:.4g} alike "
        f"({changes} in {length} characters); needed: {at_least:g}"
    )


def _edits_in_one_character(at_least: float) -> tuple[int, int]:
    """How many edits one character may need, as an exact fraction."""
    return (1 - Fraction(str(at_least))).as_integer_ratio()
