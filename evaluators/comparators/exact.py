"""The comparator `exact`: two values are equal."""

from __future__ import annotations

from typing import Any

from evaluators.comparator import Comparator, Compare, Pair
from evaluators.model import Outcome
from evaluators.values.equality import same
from evaluators.values.quoting import differs


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
        if same(expected, actual):
            return Outcome(1.0, True, "equal")
        return Outcome(0.0, False, differs(expected, actual) + _only(expected, actual))


def _only(expected: Any, actual: Any) -> str:
    if not (isinstance(expected, str) and isinstance(actual, str)):
        return ""
    if expected.casefold() == actual.casefold():
        return "; only the case differs"
    return "; only the spaces differ" if "".join(expected.split()) == "".join(actual.split()) else ""
