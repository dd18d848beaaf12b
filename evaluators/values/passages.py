"""Values looked for in a text: where a number, a date or some words stand in it, however they are written.

A text is read once for each kind of value, when the first one of that kind is looked for, and then has every number by its digits
and every day by its date; words are found as they are. So exact look-ups take time in proportion to the length of the text. A near
passage is looked for apart, in the first `MOST_NEAR` characters, for values of up to `LONGEST_NEAR` characters.

What may be read in several ways is found in any of them: "1.234" is 1234 and 1.234, 03/04/2024 is in March and in April.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec import Struct

from evaluators.values import dates
from evaluators.values.numbers import Number, Parse, are_codes, currency_of, exact_reader, written
from evaluators.values.path_text import Location
from evaluators.values.text import Normalize, strip_accents

MOST_NEAR: Final = 20_000
"""Characters of a text in which a near passage is looked for, the first ones."""
LONGEST_NEAR: Final = 1_000
"""Characters of a value for which one is looked for."""
Day: TypeAlias = tuple[int, int | None, int | None]
Span: TypeAlias = tuple[int, int]
Reads: TypeAlias = tuple[Sequence["Digits"], Sequence[Day]]


class Passage(NamedTuple):
    """A part of a text, and how much of a value it is: 1 where it says the value."""

    start: int
    end: int
    likeness: float = 1.0


class Digits(NamedTuple):
    """A decimal, exactly: 0.DIGITS times ten to the power of `point`."""

    digits: str
    """Without the zeros at both ends."""
    point: int
    negative: bool = False


class Looking(Struct, frozen=True):
    """How values are looked for."""

    normalize: Normalize
    """What is set aside of words."""
    at_least: float
    """How alike a near passage is."""
    languages: tuple[str, ...]
    """The languages of month names."""


class Source:
    """A text to look in."""

    def __init__(self, text: str, how: Looking) -> None:
        self.text, self._how = text, how

    def has(self, value: Any) -> bool:
        """Whether the text says a number or a text, exactly or nearly."""
        reads = _reads(value)
        if reads is not _WORDS and self._number_or_day(reads) is not None:
            return True
        if value.__class__ is not str:
            return False
        if reads is _WORDS and not value.isspace():
            if value.isascii() and _whole(self.text, value) >= 0:
                return True
            if self._stands(value, value) or self._stands(value, value.upper()):
                return True
        return self._words(value) is not None or self._near(value, True) is not None

    def passage(self, value: Any) -> tuple[bool, Passage | None]:
        """Whether the text says the value, and where; else the nearest passage, if any is like it."""
        if (span := self._number_or_day(_reads(value))) is not None:
            return True, Passage(*span)
        words = self._words(value) if value.__class__ is str else None
        near = self._near(value, True) if value.__class__ is str and words is None else None
        likest = words or near or self._near(str(value), False)
        if likest is None:
            return self.has(value), None
        return self.has(value), Passage(*self._original(likest.start, likest.end), likest.likeness)

    def _number_or_day(self, reads: Reads) -> Span | None:
        numbers, days = reads
        for number in numbers:
            for run in self._runs_with(number.digits):
                for digits, start, end in _numbers_in(run):
                    for at in _places(self.text, run) if digits == number.digits else ():
                        if _is_number(self.text, at + start, at + end, number):
                            return at + start, at + end
        return next(filter(None, map(self._day, days)), None)

    # Numbers

    @cached_property
    def _runs(self) -> tuple[Sequence[str], str]:
        """The runs of digits and marks in the text, and their digits alone, one run a line."""
        runs = list(dict.fromkeys(_RUN.findall(self.text)))
        digits = "\n".join(runs)
        for mark in _MARKS:
            digits = digits.replace(mark, "")
        return runs, digits

    def _runs_with(self, digits: str) -> Iterator[str]:
        """The runs that may hold a number with some digits, whatever marks are between them."""
        runs, lines = self._runs
        number = last = 0
        at = lines.find(digits or "0")
        while at >= 0:
            number += lines.count("\n", last, at)
            yield runs[number]
            last = lines.find("\n", at)
            at = lines.find(digits or "0", last) if last >= 0 else -1

    # Dates

    def _day(self, wanted: Day) -> Span | None:
        """Where the text names a day: around its year, in four digits or in two."""
        for year in (f"{wanted[0]:04}", f"{wanted[0] % 100:02}"):
            at = self.text.find(year)
            while at >= 0:
                end = at + len(year)
                if not (self.text[at - 1 : at].isdigit() or self.text[end : end + 1].isdigit()):
                    start, stop = max(0, at - _LONGEST_DATE), end + _LONGEST_DATE
                    days = self._days_in(start, stop) if self.text.find(str(wanted[2]), start, stop) >= 0 else ()
                    for span, day in days:
                        if day == wanted:
                            return span
                at = self.text.find(year, end)
        return None

    def _days_in(self, start: int, end: int) -> Iterator[tuple[Span, Day]]:
        """The days that a part of the text names, and where."""
        text, months = self.text, _months(self._how.languages)
        for match in _DATE.finditer(text, start, end):
            if not _inside_word(text, match.start()):
                yield from (((match.start(), match.end(4)), day) for day in _days_of(f"{match[1]}/{match[3]}/{match[4]}"))
        for match in _DATE_WITH_SIGNS.finditer(text, start, end):
            yield from (((match.start(), match.end()), day) for day in _days_of("/".join(match.groups())))
        for match in _MONTH_INSIDE.finditer(text, start, end):
            if not _inside_word(text, match.start()):
                for month in months.get(_plain(match[2]), ()):
                    found = _days_of(f"{match[1]}/{month}/{match[3]}", named=True)
                    yield from (((match.start(), match.end(3)), day) for day in found)
        for match in _AFTER_MONTH.finditer(text, start, end):
            if (word := _LAST_WORD.search(text, max(0, match.start() - 20), match.start())) is not None:
                for month in months.get(_plain(word[1]), ()):
                    found = _days_of(f"{match[1]}/{month}/{match[2]}", named=True)
                    yield from (((word.start(), match.end(2)), day) for day in found)

    # Words

    @cached_property
    def _normal(self) -> str:
        return self._how.normalize(self.text)

    def _stands(self, value: str, spelled: str) -> bool:
        """Whether a text surely stands, as whole words, where its longest one does, so that no more need be read."""
        word = max(spelled.split(), key=len, default="")
        at = self.text.find(word) if word else -1
        if at < 0:
            return False
        start = max(0, at - spelled.find(word) - _AROUND)
        end = start + len(spelled) + 2 * _AROUND
        part, wanted = self._how.normalize(self.text[start:end]), self._how.normalize(value).strip()
        found = _whole(part, wanted) if wanted else -1
        return (found > 1 or found == start == 0) and (found + len(wanted) + 1 < len(part) or end >= len(self.text))

    def _words(self, value: str) -> Passage | None:
        """Where a text stands as whole words, in the normalized text. A number in digits alone is no word."""
        if _reads(value) is not _WORDS and not any(map(str.isalpha, value)):
            return None
        at = _whole(self._normal, wanted) if (wanted := self._how.normalize(value).strip()) else -1
        return Passage(at, at + len(wanted)) if at >= 0 else None

    def _near(self, value: str, enough: bool) -> Passage | None:
        """The passage that is most like a text, in the normalized text. With `enough`, it is near: alike enough, with the same digits."""
        if enough and _reads(value) is not _WORDS:
            return None
        wanted, text = self._how.normalize(value).strip(), self._normal[:MOST_NEAR]
        if not wanted or not text or len(wanted) > LONGEST_NEAR:
            return None
        least = self._how.at_least
        if enough and (least >= 1 or not _shares_a_piece(wanted, text, least)):
            return None
        from rapidfuzz import fuzz  # a run that finds everything starts sooner

        # a window is as long as the value; the passage may be longer, so that the window is less like it
        cutoff = 100 * max(0.0, 2 * least - 1) if enough else 30
        window = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=cutoff)
        if window is None:
            return None
        start, end = (window.dest_start, window.dest_end) if len(wanted) <= len(text) else (0, len(text))
        while _inside_word(text, start):
            start -= 1
        while _inside_word(text, end):
            end += 1
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        likeness = fuzz.ratio(wanted, text[start:end]) / 100
        if enough and (likeness < least or _DIGITS.findall(wanted) != _DIGITS.findall(text[start:end])):
            return None
        return Passage(start, end, likeness)

    def _original(self, start: int, end: int) -> Span:
        """A part of the normalized text as a part of the text: the shortest beginnings that are normalized to as much."""
        return self._length_of(start + 1) - 1, self._length_of(end)

    def _length_of(self, normal: int) -> int:
        low, high = 0, len(self.text)
        while low < high:
            middle = (low + high) // 2
            if len(self._how.normalize(self.text[:middle])) < normal:
                low = middle + 1
            else:
                high = middle
        return low


_WORDS: Final[Reads] = ((), ())


def _reads(value: Any) -> Reads:
    """The numbers and days that a value may be; `_WORDS` for one that is neither."""
    return _of_text(value) if value.__class__ is str else ((_digits_of(value),), ())


@lru_cache(maxsize=1 << 14)
def _of_text(text: str) -> Reads:
    """The numbers and the days that a text may be; `_WORDS` for one that is neither. Digits that begin with 0, or have spaces as no number
    has, are a code."""
    text = text.strip()
    if not _SOME_DIGIT.search(text):
        return _WORDS
    letters = "".join(filter(str.isalpha, text))
    no_number = letters and letters != currency_of(text)
    is_code = are_codes([text]) and (text[0] == "+" or (text[0] == "0" and len(text) > 1))
    if not no_number and (is_code or (_PARTS.fullmatch(text) and not _GROUPED.fullmatch(text))):
        return _WORDS
    if no_number and letters != "T" and letters != "TZ" and _plain(letters) not in _months(("en",)):
        return _WORDS
    iso = _ISO.fullmatch(text)  # that is a day in one way alone
    numbers = [] if no_number or iso else [number for read in _readers() if (number := read(text)) is not None]
    formats = ("iso",) if iso else dates.USUAL_FORMATS
    moments = (dates.read_date(text.partition("T")[0], spelled) for spelled in formats)
    days = () if numbers else tuple({moment[:3]: None for moment in moments if moment is not None})
    return (tuple(map(_digits_of, dict.fromkeys(numbers))), days) if numbers or days else _WORDS


@cache
def _readers() -> Sequence[Any]:
    """A reader for each way to write a number."""
    marks: list[dict[str, Any]] = [
        {"decimal": decimal, "thousands": mark} for decimal in ".," for mark in (None, *",. '")
    ]
    return [
        exact_reader(Parse(**one, currency=True, percent=True)) for one in marks if one["decimal"] != one["thousands"]
    ]


@lru_cache(maxsize=1 << 14)
def _readings(digits: str) -> Sequence[tuple[str, int]]:
    """The decimals that digits with marks may be: their digits without zeros at both ends, and the power of ten."""
    groups = _DIGITS.findall(digits)
    every = "".join(groups)
    whole = [len(every)] if len(groups) == 1 or _GROUPS.fullmatch(digits) else []
    if len(groups) > 1 and digits[-len(groups[-1]) - 1] in ".,":
        before = digits[: -len(groups[-1]) - 1]
        if len(groups) == 2 or (_GROUPS.fullmatch(before) and digits[-len(groups[-1]) - 1] not in before):
            whole.append(len(every) - len(groups[-1]))
    first = len(every) - len(every.lstrip("0"))
    return [(every.strip("0"), point - first if first < len(every) else 0) for point in whole]


_GROUPS: Final = re.compile("[0-9]{1,3}(?:([.,' \u2019\u00a0\u2009\u202f])(?:[0-9]{2,3}\\1)*[0-9]{3})")
_RUN: Final = re.compile("[0-9][0-9]*(?:[., '\u2019\u00a0\u2009\u202f][0-9]+)*")
_MARKS: Final = frozenset(". ,'\u2019\u00a0\u2009\u202f")
_NUMBER: Final = re.compile("[0-9][0-9]*(?:[.,'\u2019\u00a0\u2009\u202f][0-9]+)*")
_DIGITS: Final = re.compile("[0-9]+")
_SOME_DIGIT: Final = _DIGITS
_ISO: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T.*)?")
_GROUPED: Final = re.compile("[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]+)?")
_PARTS: Final = re.compile("[0-9]+(?: [0-9]+){2,}")
_WORD_BEFORE: Final = re.compile(r"([^\W\d_]+)[. ]? ?$")
_MINUS: Final = re.compile(r"(?:^|[^\w)\]])[-\u2212](?:[^\w\s]|[A-Z]{3} ?)?$")
_MOST_GROUPS: Final = 5


@lru_cache(maxsize=1 << 14)
def _numbers_in(run: str) -> Sequence[tuple[str, int, int]]:
    """The numbers in a run of digits and marks: their digits without the zeros at both ends, and where they begin and end."""
    spans = [(0, len(run))]
    if " " in run:
        spans = [match.span() for match in _NUMBER.finditer(run)]
        spans += [
            (start, end)
            for at, (start, _) in enumerate(spans)
            for _, end in spans[at + 1 : at + _MOST_GROUPS]
            if _GROUPED.fullmatch(run, start, end)
        ]
    elif run.count(".") > 1 and not _readings(run):  # the parts of a date or a version
        spans += [match.span() for match in _DIGITS.finditer(run)]
    return [("".join(_DIGITS.findall(run, start, end)).strip("0"), start, end) for start, end in spans]


def _places(text: str, run: str) -> Iterator[int]:
    """Where a run of digits and marks stands that is no part of a longer one."""
    at = text.find(run)
    while at >= 0:
        if not _inside_number(text, at) and not _inside_number(text, at + len(run)):
            yield at
        at = text.find(run, at + 1)


def _inside_number(text: str, at: int) -> bool:
    """Whether a place in a text is between two digits, or beside a mark between two."""
    before, after = text[max(0, at - 2) : at], text[at : at + 2]
    if before[-1:].isdecimal():
        return after[:1].isdecimal() or (after[:1] in _MARKS and after[1:].isdecimal())
    return before[-1:] in _MARKS and before[:1].isdecimal() and after[:1].isdecimal()


def _is_surely_grouped(text: str, start: int, end: int) -> bool:
    """Whether single spaces around a number surely group digits, so that it is a part of a longer one, as in "sum: 1 234.50".

    They do where the whole looks like one number and has three groups, or no word before it. After a word, and in a row of columns,
    nobody knows ("qty 2 150.00 300.00"), so numbers are found with and without such spaces.
    """
    if not (text[start - 1 : start] == " " and text[start - 2 : start - 1].isdecimal()) and not (
        text[end : end + 1] == " " and text[end + 1 : end + 2].isdecimal()
    ):
        return False
    while start > 1 and text[start - 1] in _MARKS and text[start - 2].isdecimal():
        start -= 2
        while start and text[start - 1].isdecimal():
            start -= 1
    run = _RUN.match(text, start)
    if run is None or run.end() < end or not _GROUPED.fullmatch(run[0]):
        return False
    word = _WORD_BEFORE.search(text, max(0, start - 8), start)
    return run[0].count(" ") > 1 or word is None or currency_of(word[1]) is not None


@lru_cache(maxsize=1 << 14)
def _digits_of(number: Number) -> Digits:
    """A number as a decimal."""
    text = repr(number) if number.__class__ is float else ""
    if "e" in text or not text:
        exact = written(number)
        power = exact.denominator.bit_length() if exact.denominator > 1 else 0
        every = str(abs(exact.numerator) * 10**power // exact.denominator)
        point = len(every) - power
    else:
        whole, _, part = text.lstrip("-").partition(".")
        every, point = whole + part, len(whole)
    digits = every.lstrip("0")
    point -= len(every) - len(digits)
    return Digits(digits.rstrip("0"), point if digits else 0, number < 0)


def _is_number(text: str, start: int, end: int, number: Digits) -> bool:
    """Whether digits of a text are a number, with its sign. A percentage is so many hundredths as well."""
    before, after = text[max(0, start - 6) : start], text[end : end + 2]
    last, size = before[-1:], (number.digits, number.point)
    if (last.isalpha() or last == "_") and currency_of(before[-3:]) is None:
        return False
    read = _readings(text[start:end])
    if size not in read:
        percent = after.lstrip()[:1] == "%" and (number.digits, number.point + 2) in read
        without_zero = (
            last in (".", ",") and not before[-2:-1].isalnum() and (number.digits, number.point + end - start) in read
        )
        if not percent and not without_zero:
            return False
    if _is_surely_grouped(text, start, end):
        return False
    if not number.digits:
        return True
    negative = ("-" in before or "\u2212" in before) and _MINUS.search(before) is not None
    either = not negative and (after[:1] == "-" or (last == "(" and after[:1] == ")"))
    return either or negative is number.negative


# what follows the first number is only looked at: another date may begin in it
_DATE: Final = re.compile(r"([0-9][0-9]{0,3})(?=([-/.] ?| )([0-9]{1,2})\2([0-9]{4}|[0-9]{1,2})(?![0-9]))")
_DATE_WITH_SIGNS: Final = re.compile("(?<![0-9])([0-9]{4})[年년] ?([0-9]{1,2})[月월] ?([0-9]{1,2})[日일]")
"""As China, Japan and Korea write them."""
_MONTH_INSIDE: Final = re.compile(
    r"([0-9][0-9]{0,3})(?=(?:st|nd|rd|th|er|[.ºª°])?[\s,-]{0,3}(?:(?:of|de) |d['\u2019])?([^\W\d_]{3,12})[.,]?[\s-]{0,3}"
    r"(?:(?:of|de|del) )?'?([0-9]{4}|[0-9]{1,2})(?![0-9]))"
)
_AFTER_MONTH: Final = re.compile(r"([0-9][0-9]?)(?=(?:st|nd|rd|th|[.])?,?\s{0,3}([0-9]{4})(?![0-9]))")
_LAST_WORD: Final = re.compile(r"(?<!\w)([^\W\d_]{3,12})\.?[\s-]{1,3}$")
_AROUND: Final = 8
"""Characters around a text that show whether it stands as whole words."""
_LONGEST_DATE: Final = 32
"""Characters before and after the beginning of a year in which its day and month stand."""
_ORDERS: Final = ("D/M/YYYY", "M/D/YYYY", "YYYY/M/D", "YYYY/D/M", "D/M/YY", "M/D/YY", "YY/M/D")
_ORDERS_WITH_A_NAME: Final = ("D/M/YYYY", "YYYY/M/D", "D/M/YY")


@lru_cache(maxsize=1 << 14)
def _days_of(numbers: str, named: bool = False) -> Sequence[Day]:
    """The dates that `3/4/2024` can mean, in any order of day, month and year; `named`: the month is second."""
    read = (read(numbers) for read in _day_readers(_ORDERS_WITH_A_NAME if named else _ORDERS))
    return tuple({moment[:3]: None for moment in read if moment is not None})


@cache
def _day_readers(formats: Sequence[str]) -> Sequence[dates.Read]:
    return [dates.reader([spelled]) for spelled in formats]


@cache
def _months(languages: Sequence[str]) -> Mapping[str, Sequence[int]]:
    """The months by their names and the beginnings of names that stand for one month alone, of three letters and more."""
    found: dict[str, set[int]] = {}
    for language in languages:
        own: dict[str, set[int]] = {}
        for month, name in enumerate(map(_plain, dates.MONTHS_IN[language]), 1):
            for length in range(3, len(name) + 1):
                own.setdefault(name[:length], set()).add(month)
            own[name] = {month}
        for word, numbers in own.items():
            if len(numbers) == 1:
                found.setdefault(word, set()).update(numbers)
    return {word: sorted(numbers) for word, numbers in found.items()}


def _plain(word: str) -> str:
    return strip_accents(word).casefold()


def _whole(text: str, wanted: str) -> int:
    """Where some words stand in a text, not as a part of longer ones; -1 where they do not."""
    at = text.find(wanted)
    while at >= 0 and (_inside_word(text, at) or _inside_word(text, at + len(wanted))):
        at = text.find(wanted, at + 1)
    return at


def _inside_word(text: str, at: int) -> bool:
    """Whether a place in a text has one word, or one code, on both sides: not at the ends, nor beside a space."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before in _JOINS:
        before, join = text[at - 2 : at - 1], before
    elif after in _JOINS:
        after, join = text[at + 1 : at + 2], after
    else:
        both = (before.isalnum() or before == "_") and (after.isalnum() or after == "_")
        return both and _WITHOUT_SPACES.search(before + after) is None
    digits = before.isdigit() + after.isdigit()
    return digits == 2 or (join in "-/" and digits == 1 and before.isalnum() and after.isalnum())


_WITHOUT_SPACES: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff]"
)
"""Letters of scripts that do not part words, or not from particles: where a word ends cannot be seen."""
_JOINS: Final = ".,/-"
"""Marks within a code or a number: between two digits, and some of them between a digit and a letter."""


def _shares_a_piece(wanted: str, text: str, least: float) -> bool:
    """Whether any passage can be so much like a text: with so few letters to add or to remove, one of its pieces is left whole."""
    changes = int((1 - least) / least * 2 * len(wanted))
    size = len(wanted) // (changes + 1)
    return size < 2 or any(wanted[at : at + size] in text for at in range(0, size * (changes + 1), size))


def leaves(value: Any, place: Location = ()) -> Iterator[tuple[Location, Any]]:
    """Every value in a value that holds no others, each with its place; an empty object or list holds none."""
    waiting: list[tuple[Location, Any]] = [(place, value)]
    while waiting:
        place, value = waiting.pop()
        if value.__class__ is dict:
            waiting += [((*place, key), inner) for key, inner in reversed(value.items())]
        elif value.__class__ is list:
            waiting += [((*place, at), value[at]) for at in range(len(value) - 1, -1, -1)]
        else:
            yield place, value
