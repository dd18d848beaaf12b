"""Where a day stands in a text: in numbers, or with the name of its month.

For a few days, the year of each is looked for first, in four digits and in two, and the date around it; for many, the whole text is
read once. What may be read in several ways is found in any of them: 03/04/2024 is in March and in April.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Final, TypeAlias

from evaluators.scoring.values import dates
from evaluators.scoring.values.text import strip_accents
from evaluators.scoring.values.words_in_text import FEW, Span, inside_word

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
_EIGHT_DIGITS: Final = re.compile("(?<![0-9])([0-9]{4})([0-9]{2})([0-9]{2})(?![0-9])")
_LONGEST_DATE: Final = 32
"""Characters before and after the beginning of a year in which its day and month stand."""


class DayPlaces:
    """A text in which days are found."""

    def __init__(self, text: str, languages: Sequence[str]) -> None:
        self.text, self._languages = text, languages
        self._spans = dict[Day, Span | None]()

    def of_day(self, day: Day) -> Span | None:
        """The span in which the text names a day; None where it does not. What was looked for is remembered."""
        if day not in self._spans:
            few = len(self._spans) < FEW
            self._spans[day] = _span_of_day(self.text, day, self._languages) if few else self._places.get(day)
        return self._spans[day]

    @cached_property
    def _places(self) -> Mapping[Day, Span]:
        """The first span of each day that the text may name."""
        places = dict[Day, Span]()
        for days, span in chain(
            _days_in_part(self.text, 0, len(self.text), self._languages), _days_in_eight_digits(self.text)
        ):
            for day in days:
                places.setdefault(day, span)
        return places


def _span_of_day(text: str, day: Day, languages: Sequence[str]) -> Span | None:
    """The span in which the text names a day, looked for around its year, or as eight digits; None where it does not. `languages` are those
    of the names of months."""
    day_number, eight_digits = str(day[2]), "{:04}{:02}{:02}".format(*day)
    for year in _year_spellings(day):
        at = text.find(year)
        while at >= 0:
            end = at + len(year)
            if not (text[at - 1 : at].isdigit() or text[end : end + 1].isdigit()):
                start, stop = max(0, at - _LONGEST_DATE), end + _LONGEST_DATE
                while text[stop : stop + 1].isdigit():
                    stop += 1
                if text.find(day_number, start, stop) >= 0:  # a quick look, before the patterns are tried
                    days = _days_in_part(text, start, stop, languages)
                    if (span := next((span for days, span in days if day in days), None)) is not None:
                        return span
            elif text.startswith(eight_digits, at) and not (
                text[at - 1 : at].isdigit() or text[at + 8 : at + 9].isdigit()
            ):
                return at, at + 8
            at = text.find(year, end)
    return None


def _days_in_eight_digits(text: str) -> Iterator[tuple[Collection[Day], Span]]:
    """The spans of eight digits in a text, each with the day that they may be, such as 20240531: (days, span)."""
    for match in _EIGHT_DIGITS.finditer(text):
        yield ((int(match[1]), int(match[2]), int(match[3])),), match.span()


def _days_in_part(text: str, start: int, end: int, languages: Sequence[str]) -> Iterator[tuple[Collection[Day], Span]]:
    """Yields (days, span) for the spans in a part of the text, from `start` to `end`, that may name a day, each with all days that it may
    name. `languages` are those of the names of months."""
    # in numbers: 31/05/2024
    for match in _DATE.finditer(text, start, end):
        if not inside_word(text, match.start()):
            days = _days_of_numbers(match[1], match[3], match[4], match[2] == "-")
            yield days, (match.start(), match.end(4))
    for match in _DATE_WITH_SIGNS.finditer(text, start, end) if not text.isascii() else ():
        yield ((int(match[1]), int(match[2]), int(match[3])),), match.span()
    months = _months_by_word(languages)
    # with the name of the month inside: 31 May 2024, 7-9 June 2024
    for match in _MONTH_INSIDE.finditer(text, start, end):
        if named := months.get(_fold_word(match[2])):
            first = _FIRST_DAY.search(text, max(0, match.start() - _LONGEST_DATE), match.start())
            if first is not None:
                yield _days_in_month(first[1], named, match[3]), (first.start(1), match.end(3))
            if first is not None or not inside_word(text, match.start()):
                yield _days_in_month(match[1], named, match[3]), (match.start(), match.end(3))
    # after the name of the month: May 31, 2024
    for match in _AFTER_MONTH.finditer(text, start, end):
        first = _FIRST_DAY.search(text, max(0, match.start() - _LONGEST_DATE), match.start())
        at = match.start() if first is None else first.start(1)
        word = _LAST_WORD.search(text, max(0, at - 20), at)
        if word is not None and (named := months.get(_fold_word(word[1]))):
            days = [
                day
                for number in (match, first)
                if number is not None
                for day in _days_in_month(number[1], named, match[2])
            ]
            yield days, (word.start(), match.end(2))


@lru_cache(maxsize=1 << 12)
def _year_spellings(day: Day) -> Sequence[str]:
    """The year of a day in four digits, and in two where they stand for it."""
    return (f"{day[0]:04}", f"{day[0] % 100:02}") if 1969 <= day[0] <= 2068 else (f"{day[0]:04}",)


def _days_of_numbers(first: str, second: str, third: str, has_hyphens: bool) -> Collection[Day]:
    """The days that three numbers may be, in any usual order. With hyphens, the day is behind the month of a year that comes first."""
    one, two, three = int(first), int(second), int(third)
    days = list[Day]()
    if len(first) < 3 and len(third) != 3:  # the year last
        for year in _years_of_digits(third):
            days += [(year, one, two), (year, two, one)]
    if len(first) == 4 and len(third) < 3:  # the year first
        days += [(one, two, three)] if has_hyphens else [(one, two, three), (one, three, two)]
    if len(first) == 2 and len(third) < 3:  # the year first, in two digits
        days += [(year, two, three) for year in _years_of_digits(first)]
    return days


def _days_in_month(number: str, months: Collection[int], year: str) -> Collection[Day]:
    """The days that a number, the name of one of these months and a year may be. A number of four digits is the year; then `year` is the
    day."""
    if len(number) < 3:
        return [(year_, month, int(number)) for year_ in _years_of_digits(year) for month in months]
    return [(int(number), month, int(year)) for month in months] if len(number) == 4 and len(year) < 3 else ()


def _years_of_digits(digits: str) -> Sequence[int]:
    """The year that four digits, or two, stand for, as the only item; empty for any other number of digits."""
    if len(digits) == 4:
        return (int(digits),)
    return (1900 + int(digits) if int(digits) > 68 else 2000 + int(digits),) if len(digits) == 2 else ()


def _fold_word(word: str) -> str:
    """A word without accents and case, by which months are looked up."""
    return strip_accents(word).casefold()


_SHORT: Final[Mapping[tuple[str, int], Sequence[str]]] = {("de", 3): ("mrz",), ("nl", 3): ("mrt",)}
"""What stands for months and is no beginning of their names."""


@cache
def _month_names(languages: Sequence[str], month: int) -> frozenset[str]:
    """The names of a month, and their beginnings of three letters and more that stand for no other month."""
    names = set[str]()
    for language in languages:
        others = list(map(_fold_word, dates.MONTHS_IN[language]))
        name = others.pop(month - 1)
        beginnings = (name[:length] for length in range(3, len(name)))
        names |= {
            name,
            *_SHORT.get((language, month), ()),
            *(each for each in beginnings if not any(other.startswith(each) for other in others)),
        }
    return frozenset(names)


@cache
def _months_by_word(languages: Sequence[str]) -> Mapping[str, Collection[int]]:
    """For each word that means a month in one of the languages, the numbers of the months for which it may stand."""
    months = defaultdict[str, list[int]](list)
    for month in range(1, 13):
        for name in _month_names(languages, month):
            months[name].append(month)
    return months


def is_english_month(word: str) -> bool:
    """Whether a word is the name of a month, or stands for it."""
    return _fold_word(word) in _ENGLISH


_ENGLISH: Final = frozenset[str]().union(*(_month_names(("en",), month) for month in range(1, 13)))
