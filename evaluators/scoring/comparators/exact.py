"""The comparator `exact`: two values are equal."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from evaluators.model.rows import Comparison
from evaluators.scoring.comparators._comparator import Comparator, Pair
from evaluators.scoring.values.differences import difference_text
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.pairing import lookup_key


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

    def compare(self, expected: Any, actual: Any) -> bool:
        return json_equal(expected, actual)

    def reason(self, expected: Any, actual: Any, comparison: Comparison) -> str:
        """A sentence on how two values differ, and for two texts whether only the case or only the spaces do."""
        if comparison.passed:
            return "equal"
        only = ""
        if isinstance(expected, str) and isinstance(actual, str):
            if expected.casefold() == actual.casefold():
                only = "; only the case differs"
            elif "".join(expected.split()) == "".join(actual.split()):
                only = "; only the spaces differ"
        return difference_text(expected, actual) + only

    def key(self) -> Callable[[Any], Hashable]:
        """A function that gives equal values one key."""
        return lookup_key
