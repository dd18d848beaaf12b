"""Ranges of numbers as people write them: `10-20`, `10..20`, `10 to 20`, `>= 5`, `< 5`; a number alone is a range of its own."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from evaluators.scoring.values.amounts import PERCENT
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.scoring.values.numbers import Number, Read

_BETWEEN: Final = late_pattern("\\s*(?:\\.{2,3}|\u2026|[-\u2010-\u2015\u2212~]|\\bto\\b)\\s*")
_ONE_SIDED: Final = late_pattern(r"(>=|=>|≥|<=|=<|≤|>|<)\s*(.+)", re.DOTALL)
_MOST: Final = 200
"""Characters of a text that may be a range."""


class NumberRange(NamedTuple):
    """The limits of a number; None for one that is not there. A limit belongs to the range unless it is left out."""

    low: Number | None
    high: Number | None
    without_limit: bool = False


def range_in(text: str, read: Read) -> NumberRange | None:
    """The range in a text, whose numbers `read` reads: a number alone, one limit with a sign such as `<`, or two numbers with a mark
    between them. None for text that is no range, and for one whose lower limit is above its upper one.

    Of several marks between two numbers the first one counts: `-5--3` is -5 to -3.
    """
    text = text.strip()
    if (alone := read(text)) is not None:
        return NumberRange(alone, alone)
    if len(text) > _MOST:
        return None
    if (match := _ONE_SIDED.fullmatch(text)) is not None:
        limit, without = read(match[2]), match[1] in "<>"
        if limit is None:
            return None
        below = match[1][0] in "<≤" or match[1] == "=<"
        return NumberRange(None, limit, without) if below else NumberRange(limit, None, without)
    for mark in _BETWEEN.finditer(text):
        limits = _two_numbers(text[: mark.start()], text[mark.end() :], read)
        if limits is not None:
            return NumberRange(*limits) if limits[0] <= limits[1] else None
    return None


def _two_numbers(left: str, right: str, read: Read) -> tuple[Number, Number] | None:
    """The two numbers that the texts on both sides of a mark are; None where one is no number. In `5-10 %` both are percentages."""
    high = read(right) if left else None
    if high is None:
        return None
    percent = PERCENT.search(right)
    low = None if percent is None or PERCENT.search(left) else read(left + percent[0])
    low = read(left) if low is None else low
    return None if low is None else (low, high)


def range_of(value: object, read: Read) -> NumberRange | None:
    """The range that a value says: a number, a text, or a list of two limits, of which null and empty text are none. `read` reads a number
    in text.

    None for any other value, and where the lower limit is above the upper one.
    """
    if isinstance(value, list):
        ends = [None if isinstance(end, str) and not end.strip() else end for end in value]
        if len(ends) != 2 or ends == [None, None]:
            return None
        low, high = (_limit_number(end, read) for end in ends)
        if (low is None) is not (ends[0] is None) or (high is None) is not (ends[1] is None):
            return None
        return None if low is not None and high is not None and low > high else NumberRange(low, high)
    if isinstance(value, str):
        return range_in(value, read)
    return None if (alone := _limit_number(value, read)) is None else NumberRange(alone, alone)


def _limit_number(value: object, read: Read) -> Number | None:
    """The number that a limit is: itself, or as `read` reads it in a text; None for anything else."""
    if isinstance(value, str):
        return read(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
