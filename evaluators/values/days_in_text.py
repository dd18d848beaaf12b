"""Where a day stands in a text: in numbers, or with the name of its month.

Its year is looked for first, in four digits and in two, and the date around it. What may be read in several ways is found in any of them:
03/04/2024 is in March and in April.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, TypeAlias

from evaluators.values import dates
from evaluators.values.text import strip_accents
from evaluators.values.words_in_text import Span, inside_word

Day: TypeAlias = tuple[int, int, int]
# what follows the first number is only looked at: another date may begin in it
_DATE: Final = re.compile(
    r"([0-9][0-9]{0,3})(?=([-/.] ?| )([0-9]{1,2})(?:\2|-(?=[0-9]{4}))([0-9]{4}|[0-9]{1,2})(?![0-9]))"
)
_DATE_WITH_SIGNS: Final = re.compile("(?<![0-9])([0-9]{4})[年년] ?([0-9]{1,2})[月월] ?([0-9]{1,2})[日일]")
"""As China, Japan and Korea write them."""
_MONTH_INSIDE: Final = re.compile(
    r"([0-9][0-9]{0,3})(?=(?:st|nd|rd|th|er|[.ºª°])?[\s,-]{0,3}(?:(?:of|de) |d['\u2019])?([^\W\d_]{3,12})[.,]?[\s-]{0,3}"
    r"(?:(?:of|de|del) )?'?([0-9]{4}|[0-9]{1,2})(?![0-9]))"
)
_AFTER_MONTH: Final = re.compile(r"([0-9][0-9]?)(?=(?:st|nd|rd|th|[.])?,?\s{0,3}([0-9]{4})(?![0-9]))")
_LAST_WORD: Final = re.compile(r"(?<!\w)([^\W\d_]{3,12})\.?[\s-]{1,3}$")
_FIRST_DAY: Final = re.compile(
    r"(?<![0-9])([0-9]{1,2})(?:st|nd|rd|th|er|[.ºª°])?"
    r"(?: ?[-\u2013\u2014/] ?| (?:to|and|until|till?|through|bis|und|al|y|au|et|og|och|en|tot|e|a|i|do) )(?:[^\W\d_]{2,12}[.,]{0,2} )?$"
)
"""The first day of two, before the second: "7-9 June", "14. bis Sonntag, 16. Juni"."""
_LONGEST_DATE: Final = 32
"""Characters before and after the beginning of a year in which its day and month stand."""


def day_in(text: str, day: Day, languages: Sequence[str]) -> Span | None:
    """Where the text names a day: around its year, in four digits or in two, or in eight digits."""
    number, together = str(day[2]), "{:04}{:02}{:02}".format(*day)
    for year in _years(day):
        at = text.find(year)
        while at >= 0:
            end = at + len(year)
            if not (text[at - 1 : at].isdigit() or text[end : end + 1].isdigit()):
                start, stop = max(0, at - _LONGEST_DATE), end + _LONGEST_DATE
                if (
                    text.find(number, start, stop) >= 0
                    and (span := _day_between(text, start, stop, day, languages)) is not None
                ):
                    return span
            elif text.startswith(together, at) and not (text[at - 1 : at].isdigit() or text[at + 8 : at + 9].isdigit()):
                return at, at + 8
            at = text.find(year, end)
    return None


def _day_between(text: str, start: int, end: int, day: Day, languages: Sequence[str]) -> Span | None:
    """Where a part of the text names a day."""
    part = text[start:end]
    for match in _DATE.finditer(text, start, end):
        in_order = (
            match[2] != "-" or len(match[1]) < 4 or int(match[3]) == day[1]
        )  # with hyphens, the day is behind the month
        if in_order and _is_day(match[1], match[3], match[4], day) and not inside_word(text, match.start()):
            return match.start(), match.end(4)
    for match in _DATE_WITH_SIGNS.finditer(text, start, end) if not part.isascii() else ():
        if tuple(map(int, match.groups())) == day:
            return match.span()
    names, folded = _names(languages, day[1]), _plain(part)
    if not any(name in folded for name in names):
        return None
    for match in _MONTH_INSIDE.finditer(text, start, end):
        if _plain(match[2]) in names:
            first = _FIRST_DAY.search(text, max(0, match.start() - _LONGEST_DATE), match.start())
            if first is not None and _is_day(first[1], None, match[3], day):
                return first.start(1), match.end(3)
            alone = first is not None or not inside_word(text, match.start())
            if alone and _is_day(match[1], None, match[3], day):
                return match.start(), match.end(3)
    for match in _AFTER_MONTH.finditer(text, start, end):
        first = _FIRST_DAY.search(text, max(0, match.start() - _LONGEST_DATE), match.start())
        at = match.start() if first is None else first.start(1)
        word = _LAST_WORD.search(text, max(0, at - 20), at)
        if word is not None and _plain(word[1]) in names:
            days = (match, *(() if first is None else (first,)))
            if any(_is_day(one[1], None, match[2], day) for one in days):
                return word.start(), match.end(2)
    return None


@lru_cache(maxsize=1 << 12)
def _years(day: Day) -> Sequence[str]:
    """The year of a day in four digits, and in two where they stand for it."""
    return (f"{day[0]:04}", f"{day[0] % 100:02}") if 1969 <= day[0] <= 2068 else (f"{day[0]:04}",)


def _is_day(first: str, second: str | None, third: str, day: Day) -> bool:
    """Whether three numbers are a day in any usual order; without `second`, which is then the name of its month."""
    (year, *short), month_and_day = _years(day), {day[1], day[2]}
    month = day[1] if second is None else int(second)
    if third in (year, *short) and len(first) < 3:
        return {int(first), month} == month_and_day
    if first == year and len(third) < 3:
        return {month, int(third)} == month_and_day
    return second is not None and first in short and (month, int(third)) == day[1:]


def _plain(word: str) -> str:
    return strip_accents(word).casefold()


_SHORT: Final[Mapping[tuple[str, int], Sequence[str]]] = {("de", 3): ("mrz",), ("nl", 3): ("mrt",)}
"""What stands for months and is no beginning of their names."""


@cache
def _names(languages: Sequence[str], month: int) -> frozenset[str]:
    """The names of a month, and their beginnings of three letters and more that stand for no other month."""
    found = set[str]()
    for language in languages:
        found.update(_SHORT.get((language, month), ()))
        others = list(map(_plain, dates.MONTHS_IN[language]))
        name = others.pop(month - 1)
        beginnings = (name[:length] for length in range(3, len(name)))
        found |= {
            name,
            *_SHORT.get((language, month), ()),
            *(each for each in beginnings if not any(other.startswith(each) for other in others)),
        }
    return frozenset(found)


def is_english_month(word: str) -> bool:
    """Whether a word is the name of a month, or stands for it."""
    return _plain(word) in _ENGLISH


_ENGLISH: Final = frozenset[str]().union(*(_names(("en",), month) for month in range(1, 13)))
