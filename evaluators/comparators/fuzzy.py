"""The comparator `fuzzy`: texts that are nearly the same.

Strategy: similarity is 1 - edits / length of the longer text (Levenshtein 1966). The threshold becomes a whole number
of edits, by exact arithmetic, so that no rounding decides a borderline pair and the search can stop early.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from pydantic import Field

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

    at_least: float = Field(0.8, ge=0.0, le=1.0)
    """The texts match when their similarity is at least this."""
    partial: bool = False
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
        from rapidfuzz.distance.Levenshtein import distance

        normalize, edits_allowed = normalizer(switches(self)), self._edits_allowed

        def near(expected: Any, actual: Any) -> bool:
            if expected.__class__ is not str or actual.__class__ is not str:
                return same(expected, actual)
            if expected == actual:
                return True
            a, b = normalize(expected), normalize(actual)
            allowed = edits_allowed(max(len(a), len(b)))
            return bool(distance(a, b, score_cutoff=allowed) <= allowed)

        return self._measure if self.partial else near

    def explain(self, expected: Any, actual: Any) -> Outcome:
        if not (isinstance(expected, str) and isinstance(actual, str)):
            equal = same(expected, actual)
            return Outcome(float(equal), equal, "equal" if equal else differs(expected, actual))
        measured = self._measure(expected, actual)
        return measured if self.partial else Outcome(float(measured.passed), measured.passed, measured.reason)

    def _edits_allowed(self, length: int) -> int:
        share = 1 - Fraction(str(self.at_least))
        return share.numerator * length // share.denominator

    def _measure(self, expected: Any, actual: Any) -> Outcome:
        from rapidfuzz.distance.Levenshtein import distance

        if not (isinstance(expected, str) and isinstance(actual, str)):
            equal = same(expected, actual)
            return Outcome(float(equal), equal)
        normalize = normalizer(switches(self))
        a, b = normalize(expected), normalize(actual)
        length, edits = max(len(a), len(b)) or 1, distance(a, b)
        passed = edits <= self._edits_allowed(length)
        similarity = (length - edits) / length
        reason = (
            f"{quote(actual)} and {quote(expected)} are {similarity:.4g} alike "
            f"({edits} changes in {length} characters); needed: {self.at_least:g}"
        )
        return Outcome(similarity, passed, reason, ratio=(length - edits, length))
