"""The comparator `string_fuzzy`: texts that are nearly the same, with partial credit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field, StrictBool

from evaluators.comparators._column_answers import near_texts
from evaluators.comparators._comparator import Comparator, Compare, Matches, Pair
from evaluators.comparators._similarity import measure, reason
from evaluators.model import Outcome
from evaluators.value_class import replace
from evaluators.values.text import Normalization, Normalize, normalizer


class StringFuzzy(Comparator):
    """The two texts are nearly the same, and the field earns its similarity.

    The similarity counts the letters to add, remove or replace to turn one text into the other: 1.0 is the same text,
    0.8 is one change in five letters. Upper and lower case are the same. Values that are not text must be equal. Do not
    use it for codes, dates or amounts: there one letter changes everything. It is a word of evaluation_config schemas;
    `fuzzy` can set aside more, and gives 1 or 0.
    """

    threshold: float = Field(0.8, ge=0.0, le=1.0, strict=True)
    """The texts match when their similarity is at least this."""
    case_sensitive: StrictBool = False
    """`true`: upper and lower case count."""

    examples = (
        Pair("one letter of eight is missing", "John Doe", "John Do", True),
        Pair("too many differ", "kitten", "sitting", False),
        Pair("exactly at the threshold", "abcde", "abcdX", True),
        Pair("case does not count", "ACME", "acme", True),
        Pair("unless you say so", "ACME", "acme", False, {"case_sensitive": True}),
        Pair("a lower threshold", "ab", "ac", True, {"threshold": 0.5}),
        Pair("numbers must be equal", 100, 101, False),
    )

    def compile(self) -> Compare:
        return measure(self._normalize(), self.threshold)

    def compare_columns(self, expected: Sequence[Any], output: Sequence[Any]) -> Matches | None:
        return near_texts(self._normalize(), self.threshold, expected, output)

    def explain(self, expected: Any, actual: Any) -> Outcome:
        measured = measure(self._normalize(), self.threshold)(expected, actual)
        said = reason(expected, actual, measured, self.threshold)
        if isinstance(measured, Outcome):
            return replace(measured, reason=said)
        return Outcome(float(measured), measured, said)

    def _normalize(self) -> Normalize:
        return normalizer(Normalization(case="keep" if self.case_sensitive else "ignore"))
