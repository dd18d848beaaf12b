"""The comparator `fuzzy`: texts that are nearly the same.

Strategy: similarity is 1 - edits / length of the longer text (Levenshtein 1966). The threshold becomes a whole number
of edits, by exact arithmetic, so that no rounding decides a borderline pair and the search can stop early.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from pydantic import Field, StrictBool

from evaluators.comparator import Comparator, Compare, Pair
from evaluators.model import Outcome
from evaluators.values.equality import same
from evaluators.values.quoting import differs, quote
from evaluators.values.text import Normalization, normalizer, switches


class Fuzzy(Normalization, Comparator):
    """The two texts are nearly the same.

    The similarity counts the letters to add, remove or replace to turn one text into the other: 1.0 is the same text,
    0.8 is one change in five letters. Do not use it for codes, dates or amounts: there one letter changes everything.
    Values that are not text must be equal.
    """

    at_least: float = Field(0.8, ge=0.0, le=1.0, strict=True)
    """The texts match when their similarity is at least this."""
    partial: StrictBool = False
    """`true`: the field earns its similarity, not only 1 or 0."""

    examples = (
        Pair("two letters of ten differ", "Acme Group", "Acme Grupp", True),
        Pair("too many differ", "Acme", "Apex", False),
        Pair("exactly at the threshold", "abcde", "abcdX", True),
        Pair("a stricter threshold", "abcde", "abcdX", False, {"at_least": 0.9}),
        Pair("case counts", "ACME", "acme", False),
        Pair("unless it is ignored", "ACME", "acme", True, {"case": "ignore"}),
        Pair("numbers must be equal", 100, 101, False),
    )

    def compile(self) -> Compare:
        if self.partial:
            return self._measure()
        from rapidfuzz.distance.Levenshtein import distance

        normalize = normalizer(switches(self))
        num, den = self._edits_in_one_character()

        def near(expected: Any, actual: Any) -> bool:
            if expected.__class__ is not str or actual.__class__ is not str:
                return same(expected, actual)
            if expected == actual:
                return True
            a, b = normalize(expected), normalize(actual)
            allowed = num * max(len(a), len(b)) // den
            return bool(distance(a, b, score_cutoff=allowed) <= allowed)

        return near

    def explain(self, expected: Any, actual: Any) -> Outcome:
        measured = self._measure()(expected, actual)
        if isinstance(measured, bool):
            return Outcome(float(measured), measured, "equal" if measured else differs(expected, actual))
        unchanged, length = measured.ratio or (0, 1)
        changes = "1 change" if length - unchanged == 1 else f"{length - unchanged} changes"
        reason = (
            f"{quote(actual)} and {quote(expected)} are {measured.score:.4g} alike "
            f"({changes} in {length} characters); needed: {self.at_least:g}"
        )
        if self.partial:
            return replace(measured, reason=reason)
        return Outcome(float(measured.passed), measured.passed, reason)

    def _edits_in_one_character(self) -> tuple[int, int]:
        """How many edits one character may need, as an exact fraction."""
        return (1 - Fraction(str(self.at_least))).as_integer_ratio()

    def _measure(self) -> Compare:
        """The similarity of two texts as an outcome without a reason; of other values, whether they are equal."""
        from rapidfuzz.distance.Levenshtein import distance

        normalize = normalizer(switches(self))
        num, den = self._edits_in_one_character()

        def measure(expected: Any, actual: Any) -> bool | Outcome:
            if expected.__class__ is not str or actual.__class__ is not str:
                return same(expected, actual)
            a, b = normalize(expected), normalize(actual)
            length, edits = max(len(a), len(b)) or 1, distance(a, b)
            passed = edits * den <= num * length
            return Outcome((length - edits) / length, passed, ratio=(length - edits, length))

        return measure
