"""The comparator `number_tolerance`: two numbers are at most so far apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field, StrictBool

from evaluators.comparators._column_answers import near_numbers
from evaluators.comparators._comparator import Comparator, Compare, Matches, Pair
from evaluators.comparators._plain_numbers import comparison, explained
from evaluators.model import Outcome
from evaluators.value_class import dataclass


class NumberTolerance(Comparator):
    """The two numbers are at most so far apart.

    The tolerance is a difference, not a part of the number: 0.001 is one thousandth, whether the number is 1 or a
    million. Numbers are compared as they are written, so 1.001 is within 0.001 of 1. true is never 1. Values that are not
    numbers must be equal. It is a word of evaluation_config schemas; `numeric` can also allow a part of the number.
    """

    tolerance: float = Field(0.001, ge=0, strict=True, allow_inf_nan=False)
    """The greatest difference."""
    parse: StrictBool = False
    """`true`: also read plain numbers in text, such as "12.5"."""

    examples = (
        Pair("close enough", 1.0, 1.0005, True),
        Pair("exactly at the limit", 1.0, 1.001, True),
        Pair("too far", 1.0, 1.0011, False),
        Pair("a wider tolerance", 100, 105, True, {"tolerance": 5}),
        Pair("not a part of the number", 1000000, 1000001, False),
        Pair("text is not a number", 12, "12", False),
        Pair("unless it is read as one", 12, "12.0005", True, {"parse": True}),
    )

    def compile(self) -> Compare:
        return comparison(_Absolute(self.tolerance), self.parse)

    def compare_columns(self, expected: Sequence[Any], output: Sequence[Any]) -> Matches | None:
        return near_numbers(_Absolute(self.tolerance), expected, output)

    def explain(self, expected: Any, actual: Any) -> Outcome:
        return explained(_Absolute(self.tolerance), self.parse, expected, actual)


@dataclass(frozen=True, slots=True)
class _Absolute:
    """A greatest difference, and no part of the number."""

    abs: float
    rel: None = None
