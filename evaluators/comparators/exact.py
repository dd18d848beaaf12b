"""The comparator `exact`: two values are equal."""

from __future__ import annotations

from typing import Any

from evaluators.comparators._comparator import Comparator, Compare, Pair
from evaluators.comparators._equal import explain_equality
from evaluators.model import Outcome
from evaluators.values.equality import same


class Exact(Comparator):
    """The two values are equal.

    Spaces, case and accents count. 1 and 1.0 are equal; 30 and the text "30" are not, and neither are true and 1. In a
    list the order counts; in an object it does not.
    """

    examples = (
        Pair("the same text", "INV-1", "INV-1", True),
        Pair("case counts", "Paris", "paris", False),
        Pair("a number is not text", 30, "30", False),
        Pair("1 and 1.0 are the same number", 1, 1.0, True),
        Pair("true is not 1", True, 1, False),
        Pair("the order of a list counts", ["a", "b"], ["b", "a"], False),
    )

    def compile(self) -> Compare:
        return same

    def explain(self, expected: Any, actual: Any) -> Outcome:
        return explain_equality(expected, actual)
