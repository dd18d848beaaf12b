"""Why two values are equal, or how they differ, in plain words: for comparators that ask for equality."""

from __future__ import annotations

from typing import Any

from evaluators.model import Outcome
from evaluators.values.equality import same
from evaluators.values.quoting import differs


def explain_equality(expected: Any, actual: Any) -> Outcome:
    """Whether two values are equal, with the reason."""
    if same(expected, actual):
        return Outcome(1.0, True, "equal")
    return Outcome(0.0, False, differs(expected, actual) + _only(expected, actual))


def _only(expected: Any, actual: Any) -> str:
    if not (isinstance(expected, str) and isinstance(actual, str)):
        return ""
    if expected.casefold() == actual.casefold():
        return "; only the case differs"
    return "; only the spaces differ" if "".join(expected.split()) == "".join(actual.split()) else ""
