"""The comparator `string_exact`: two texts are the same, letter by letter."""

from __future__ import annotations

from typing import Any

from evaluators.comparators._comparator import Comparator, Compare, Pair
from evaluators.comparators._equal import explain_equality
from evaluators.model import Outcome
from evaluators.values.equality import same


class StringExact(Comparator):
    """The two texts are the same, letter by letter.

    Spaces, case and accents count. Values that are not text must be equal: the number 1 is not the text "1". It is a word
    of evaluation_config schemas, and does the same as `exact`.
    """

    examples = (
        Pair("the same text", "INV-1", "INV-1", True),
        Pair("case counts", "Paris", "paris", False),
        Pair("spaces count", "New York", "New  York", False),
        Pair("a number is not text", "1", 1, False),
    )

    def compile(self) -> Compare:
        return same

    def explain(self, expected: Any, actual: Any) -> Outcome:
        return explain_equality(expected, actual)
