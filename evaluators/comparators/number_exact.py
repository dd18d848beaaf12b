"""The comparator `number_exact`: two numbers are equal."""

from __future__ import annotations

from typing import Any

from pydantic import StrictBool

from evaluators.comparators._comparator import Comparator, Compare, Pair
from evaluators.comparators._plain_numbers import comparison, explained
from evaluators.model import Outcome


class NumberExact(Comparator):
    """The two numbers are equal; 1 and 1.0 are.

    Every digit of a large number counts, and true is never 1. Values that are not numbers must be equal. It is a word of
    evaluation_config schemas; where such a schema allows text, numbers in text are read too.
    """

    parse: StrictBool = False
    """`true`: also read plain numbers in text, such as "12.5"."""

    examples = (
        Pair("the same number", 12, 12.0, True),
        Pair("another number", 12.0, 12.01, False),
        Pair("text is not a number", 30, "30", False),
        Pair("unless it is read as one", 30, "30", True, {"parse": True}),
        Pair("text that is no number", "33-37", "35", False, {"parse": True}),
    )

    def compile(self) -> Compare:
        return comparison(None, self.parse)

    def explain(self, expected: Any, actual: Any) -> Outcome:
        return explained(None, self.parse, expected, actual)
