"""The comparator `fuzzy`: texts that are nearly the same."""

from __future__ import annotations

from typing import Any

from pydantic import Field, StrictBool

from evaluators.comparators._comparator import Comparator, Compare, Pair
from evaluators.comparators._similarity import measure, near, reason
from evaluators.model import Outcome
from evaluators.value_class import replace
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

    def compile(self) -> Compare:
        normalize = normalizer(switches(self))
        return measure(normalize, self.at_least) if self.partial else near(normalize, self.at_least)

    def explain(self, expected: Any, actual: Any) -> Outcome:
        measured = measure(normalizer(switches(self)), self.at_least)(expected, actual)
        said = reason(expected, actual, measured, self.at_least)
        if isinstance(measured, Outcome) and self.partial:
            return replace(measured, reason=said)
        passed = measured.passed if isinstance(measured, Outcome) else measured
        return Outcome(float(passed), passed, said)
