"""Numbers compared as JSON has them, and plain numbers in text where that is asked for.

Text that is no number is compared as it is: a field that may hold 35 or "33-37" has both kinds of values.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, ClassVar

from evaluators.comparators._closeness import Limits, allowed, closeness, gap_between
from evaluators.comparators._comparator import Comparator, Compare
from evaluators.model import Outcome
from evaluators.values.equality import same
from evaluators.values.numbers import Number, Parse, reader
from evaluators.values.quoting import differs, kind, quote


class PlainNumbers(Comparator):
    """The two numbers are equal, or at most `abs` apart. Values that are no numbers must be equal."""

    abs: float | None = None
    """The greatest difference."""
    rel: ClassVar[None] = None
    """No part of the number is a limit."""
    parse: bool = False
    """Plain numbers in text are read too."""

    def compile(self) -> Compare:
        close, number = closeness(self._limits), _number(self.parse)
        if self.abs is None and not self.parse:
            return same

        def compare(expected: Any, actual: Any) -> bool:
            wanted, found = number(expected), number(actual)
            if wanted is None or found is None:
                return same(expected, actual)
            return bool(wanted == found) or close(wanted, found)

        return compare

    def explain(self, expected: Any, actual: Any) -> Outcome:
        if same(expected, actual):
            return Outcome(1.0, True, "equal")
        matched, number = bool(self.compile()(expected, actual)), _number(self.parse)
        wanted, found = number(expected), number(actual)
        if wanted is None or found is None:
            return Outcome(0.0, False, differs(expected, actual) + _told_apart(expected, actual, self.parse))
        if wanted == found:
            return Outcome(1.0, True, f"{quote(actual)} is the same number as {quote(expected)}")
        most = "" if self.abs is None else f"; allowed: {allowed(self, wanted)}"
        reason = f"{quote(actual)} differs from {quote(expected)} by {gap_between(wanted, found)}{most}"
        return Outcome(float(matched), matched, reason)

    @property
    def _limits(self) -> Limits | None:
        return None if self.abs is None else self


def _told_apart(expected: Any, actual: Any, parse: bool) -> str:
    """Where only one side is text: whether numbers in text would have been read."""
    if parse or kind(expected) == kind(actual) or _number(True)(actual) is None:
        return ""
    return "; parse: true reads numbers in text"


def _number(parse: bool) -> Callable[[Any], Number | None]:
    """What reads a value as a number; None for a value that is none."""
    read = reader(Parse()) if parse else None

    def number(value: Any) -> Number | None:
        if value.__class__ is int or (value.__class__ is float and isfinite(value)):
            return value
        return read(value) if read and value.__class__ is str else None

    return number
