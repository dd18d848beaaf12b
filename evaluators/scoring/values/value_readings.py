"""What a value of an output may be, in each way in which it may be read: an amount, a number or a day; else words, or a code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias

from evaluators.scoring.values import dates
from evaluators.scoring.values.currencies import Currencies, without_currency
from evaluators.scoring.values.days_in_text import Day, is_english_month
from evaluators.scoring.values.numbers import Parse, are_codes, exact_reader
from evaluators.scoring.values.numbers_in_text import DIGITS, GROUPED, Digits, digits_of
from evaluators.scoring.values.words_in_text import DASH_BEFORE_DIGIT

Reads: TypeAlias = tuple[Sequence[Digits], Sequence[Day], Currencies | None]
"""The numbers and the days that a value may be, and the currencies of an amount."""
_ISO: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T.*)?")
_PARTS: Final = re.compile("[0-9]+(?: [0-9]+){2,}")
_LIKE_AN_AMOUNT: Final = re.compile("[()]|[-\u2010-\u2015\u2212]$")
"""What makes an amount negative, or says that it has no cents: `(5)` and `5-` are rather a number of a list and a code."""
WORDS: Final[Reads] = ((), (), None)
"""What is read as words, or as a code."""


def reads_of(value: Any) -> Reads:
    """The numbers, with their currencies, and the days that a value may be; `WORDS` for one that is neither."""
    return _readings_of_text(value) if value.__class__ is str else ((digits_of(value),), (), None)


@lru_cache(maxsize=1 << 14)
def _readings_of_text(text: str) -> Reads:
    """(numbers, days, currencies) of a text: the numbers that it may be, with the currencies of an amount, or else the days. `WORDS` for
    any other text, and for a code of digits."""
    # a number or a day has digits; its letters are those of an ISO time, or the name of a month
    text = DASH_BEFORE_DIGIT.sub("-", text.strip())
    if not DIGITS.search(text):
        return WORDS
    letters = "".join(filter(str.isalpha, text))
    if _ISO.fullmatch(text) and letters in ("", "T", "TZ"):  # that is a day in one way alone
        moment = dates.read_date(text[:10], "iso")
        return WORDS if moment is None else ((), (_day_of(moment),), None)
    amount, currencies = without_currency(text)
    if currencies is not None:
        letters, text = "".join(filter(str.isalpha, amount)), amount
    if letters:
        if letters not in ("T", "TZ") and not is_english_month(letters):
            return WORDS
    else:
        is_code = are_codes([text]) and (text[0] == "+" or (text[0] == "0" and len(text) > 1))
        if is_code or (_PARTS.fullmatch(text) and not GROUPED.fullmatch(text)):
            return WORDS
        readers = () if _LIKE_AN_AMOUNT.search(text) else _readers()
        if numbers := {number: None for read in readers if (number := read(text)) is not None}:
            return tuple(map(digits_of, numbers)), (), currencies
    moments = (dates.read_date(text.partition("T")[0], spelled) for spelled in dates.USUAL_FORMATS)
    days = tuple({_day_of(moment): None for moment in moments if moment is not None})
    return ((), days, None) if days else WORDS


def _day_of(moment: dates.Moment) -> Day:
    """The year, month and day of a moment, with 1 for what it does not give."""
    return moment.year or 1, moment.month or 1, moment.day or 1


@cache
def _readers() -> Sequence[Any]:
    """A function that reads exact numbers for each pair of marks for decimals and thousands. Cached: they are made once."""
    marks: list[dict[str, Any]] = [
        {"decimal": decimal, "thousands": mark} for decimal in ".," for mark in (None, *",. '")
    ]
    return [
        exact_reader(Parse(**mark, currency=True, percent=True)) for mark in marks if mark["decimal"] != mark["thousands"]
    ]
