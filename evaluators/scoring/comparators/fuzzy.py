"""The comparator `fuzzy`: texts that are nearly the same, in exact numbers.

Strategy: similarity is 1 - edits / length of the longer text (Levenshtein 1966). A threshold becomes a whole number of
edits, by exact arithmetic, so that no rounding decides a borderline pair and the search can stop early.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any

from pydantic import Field, StrictBool

from evaluators.model.rows import Comparison
from evaluators.scoring.comparators._comparator import Comparator, Pair
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.quoting import quote
from evaluators.scoring.values.text import Normalization, Normalize, normalizer, refuse_long


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

    slow = True
    examples = (
        Pair("two letters of ten differ", "Acme Group", "Acme Grupp", True),
        Pair("too many differ", "Acme", "Apex", False),
        Pair("exactly at the threshold", "abcde", "abcdX", True),
        Pair("a stricter threshold", "abcde", "abcdX", False, {"at_least": 0.9}),
        Pair("case counts", "ACME", "acme", False),
        Pair("unless it is ignored", "ACME", "acme", True, {"case": "ignore"}),
        Pair("numbers must be equal", 100, 101, False),
    )

    @property
    def partial_credit(self) -> bool:
        return self.partial

    def compare(self, expected: Any, actual: Any) -> bool | Comparison:
        """Whether two texts differ by few enough edits, or, with `partial`, how alike they are, exactly. Other values must be equal."""
        if expected.__class__ is not str or actual.__class__ is not str:
            return json_equal(expected, actual)
        wanted, found = self._normalize(expected), self._normalize(actual)
        if wanted != found:
            refuse_long(wanted, found)
        length = max(len(wanted), len(found)) or 1
        edits, characters = self._edits_in_characters
        if not self.partial:
            allowed = edits * length // characters
            return wanted == found or self._distance(wanted, found, score_cutoff=allowed) <= allowed
        distance = self._distance(wanted, found)
        passed = distance * characters <= edits * length
        return Comparison((length - distance) / length, passed, ratio=(length - distance, length))

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        """A sentence on how alike two texts are, and how alike they must be; for other values, how they differ."""
        if expected.__class__ is not str or actual.__class__ is not str:
            return "equal" if comparison.passed else difference_text(expected, actual)
        wanted, found = self._normalize(expected), self._normalize(actual)
        length, edits = max(len(wanted), len(found)) or 1, self._distance(wanted, found)
        changes = "1 change" if edits == 1 else f"{edits} changes"
        return (
            f"{quote(actual)} and {quote(expected)} are {(length - edits) / length:.4g} alike "
            f"({changes} in {length} characters); needed: {self.at_least:g}"
        )

    def apart(self, expected: Any, actual: Any) -> Fraction | None:
        """The share of characters in which two texts differ; None for values that are no texts."""
        if expected.__class__ is not str or actual.__class__ is not str:
            return None
        wanted, found = self._normalize(expected), self._normalize(actual)
        return Fraction(self._distance(wanted, found), max(len(wanted), len(found)) or 1)

    @cached_property
    def _distance(self) -> Callable[..., int]:
        """The function of rapidfuzz that counts the edits between two texts."""
        from rapidfuzz.distance.Levenshtein import distance  # a run that compares no text this way starts sooner

        return distance

    @cached_property
    def _normalize(self) -> Normalize:
        """A function that normalizes a text by the settings, so that what they forgive makes no difference."""
        return normalizer(self)

    @cached_property
    def _edits_in_characters(self) -> tuple[int, int]:
        """Two whole numbers (edits, characters): so many edits are allowed in a text of so many characters, by `at_least`."""
        return (1 - Fraction(str(self.at_least))).as_integer_ratio()
