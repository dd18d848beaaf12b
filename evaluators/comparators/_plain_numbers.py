"""Numbers compared as JSON has them, and plain numbers in text where that is asked for.

Text that is no number is compared as it is: a field that may hold 35 or "33-37" has both kinds of values.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

from evaluators.comparators._closeness import Limits, allowed, closeness, gap_between
from evaluators.comparators._comparator import Compare
from evaluators.model import Outcome
from evaluators.values.equality import same
from evaluators.values.numbers import Number, Parse, reader
from evaluators.values.quoting import differs, kind, quote


def comparison(limits: Limits | None, parse: bool) -> Compare:
    """The fast question whether two numbers are near enough. Values that are no numbers must be equal."""
    close, number = closeness(limits), _number(parse)
    if limits is None and not parse:
        return same

    def compare(expected: Any, actual: Any) -> bool:
        wanted, found = number(expected), number(actual)
        if wanted is None or found is None:
            return same(expected, actual)
        return bool(wanted == found) or close(wanted, found)

    return compare


def explained(limits: Limits | None, parse: bool, expected: Any, actual: Any) -> Outcome:
    """The same answer with the reason."""
    if same(expected, actual):
        return Outcome(1.0, True, "equal")
    matched = bool(comparison(limits, parse)(expected, actual))
    wanted, found = _number(parse)(expected), _number(parse)(actual)
    if wanted is None or found is None:
        return Outcome(0.0, False, differs(expected, actual) + _told_apart(expected, actual, parse))
    if wanted == found:
        return Outcome(1.0, True, f"{quote(actual)} is the same number as {quote(expected)}")
    most = f"; allowed: {allowed(limits, wanted)}" if limits else ""
    reason = f"{quote(actual)} differs from {quote(expected)} by {gap_between(wanted, found)}{most}"
    return Outcome(float(matched), matched, reason)


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
