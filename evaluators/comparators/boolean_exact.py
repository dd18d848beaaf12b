"""The comparator `boolean_exact`: both values are true, or both are false."""

from __future__ import annotations

from typing import Any

from evaluators.comparators._comparator import Comparator, Compare, Pair
from evaluators.comparators._equal import explain_equality
from evaluators.model import Outcome
from evaluators.values.equality import same


class BooleanExact(Comparator):
    """Both values are true, or both are false.

    true is not 1 and not the text "true". Values that are neither must be equal. It is a word of evaluation_config
    schemas; `boolean` can also read words such as yes and no.
    """

    examples = (
        Pair("both true", True, True, True),
        Pair("one of each", True, False, False),
        Pair("1 is not true", True, 1, False),
        Pair("text is not true", True, "true", False),
    )

    def compile(self) -> Compare:
        return same

    def explain(self, expected: Any, actual: Any) -> Outcome:
        return explain_equality(expected, actual)
