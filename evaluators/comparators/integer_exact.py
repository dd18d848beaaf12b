"""The comparator `integer_exact`: two whole numbers are equal."""

from __future__ import annotations

from typing import Any

from pydantic import StrictBool

from evaluators.comparators._comparator import Comparator, Compare, Pair
from evaluators.comparators._plain_numbers import comparison, explained
from evaluators.model import Outcome


class IntegerExact(Comparator):
    """The two whole numbers are equal.

    3 and 3.0 are the same; 3 and 3.7 are not: nothing is cut off. true is never 1. Values that are not numbers must be
    equal. It is a word of evaluation_config schemas; where such a schema allows text, numbers in text are read too.
    """

    parse: StrictBool = False
    """`true`: also read plain numbers in text, such as "12"."""

    examples = (
        Pair("the same number", 30, 30, True),
        Pair("another number", 30, 31, False),
        Pair("decimals are not cut off", 3, 3.7, False),
        Pair("text is not a number", 3, "3", False),
        Pair("unless it is read as one", 3, " 3 ", True, {"parse": True}),
    )

    def compile(self) -> Compare:
        return comparison(None, self.parse)

    def explain(self, expected: Any, actual: Any) -> Outcome:
        return explained(None, self.parse, expected, actual)
