"""Values looked for in a text: where a number, a date or some words stand in it, however they are written.

A text is read once for each kind of value, when the first one of that kind is looked for, and then has every number by its digits
and every day by its date; words are found as they are. So exact look-ups take time in proportion to the length of the text. A near
passage is looked for apart, in the first `MOST_NEAR` characters, for values of up to `LONGEST_NEAR` characters.

What may be read in several ways is found in any of them: "1.234" is 1234 and 1.234, 03/04/2024 is in March and in April.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain
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
Day: TypeAlias = tuple[int, int, int]
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


class Words(NamedTuple):
    """A text of the output as it is looked for in a normalized text."""

    text: str
    digits: Sequence[str]
    """Its runs of digits. A near passage has the same ones."""
    pieces: Sequence[str]
    """Parts of it. A near passage has one of them at least; without any, no passage is near enough."""


class Looking(Struct, frozen=True, dict=True):
    """How values are looked for."""

    normalize: Normalize
    """What is set aside of words."""
    at_least: float
    """How alike a near passage is."""
    languages: tuple[str, ...]
    """The languages of month names."""

    @cached_property
    def words(self) -> Callable[[str], Words]:
        """What is looked for of a text; it is kept for the last ones."""
        return lru_cache(1 << 12)(self._words_of)

    def _words_of(self, value: str) -> Words:
        text = self.normalize(value).strip()
        pieces: list[str] = []
        if self.at_least < 1 and 0 < len(text) <= LONGEST_NEAR:
            # with so few letters added or removed, one of the pieces is left whole
            changes = int((1 - self.at_least) / self.at_least * 2 * len(text))
            size = len(text) // (changes + 1)
            pieces = [text[at : at + size] for at in range(0, size * (changes + 1), size)] if size > 1 else [""]
        return Words(text, _DIGITS.findall(text), pieces)


class Source:
    """A text to look in."""

    def __init__(self, text: str, how: Looking) -> None:
        self.text, self._how = text, how

    def has(self, value: Any) -> bool:
        """Whether the text says a number or a text, exactly or nearly."""
        if self._exactly(value) is not None:
            return True
        return value.__class__ is str and (self._surely(value) or self._alike(value) is not None)

    def passage(self, value: Any) -> tuple[bool, Passage | None]:
        """Whether the text says the value, and where; else the nearest passage, if any is like it."""
        if (span := self._exactly(value)) is not None:
            return True, Passage(*span)
        found = self._alike(value) if value.__class__ is str else None
        likest = found or self._likest(self._how.words(str(value)), _ANY_LIKENESS)
        if likest is None:
            return False, None
        return found is not None, Passage(*self._original(likest.start, likest.end), likest.likeness)

    def _exactly(self, value: Any) -> Span | None:
        """Where the text says a number or a day in any way, or has the very words."""
        reads = _reads(value)
        if reads is _WORDS:
            at = _whole(self.text, value) if not value.isspace() else -1
            return (at, at + len(value)) if at >= 0 else None
        numbers, days = reads
        found = next(filter(None, chain(map(self._number, numbers), map(self._day, days))), None)
        return found if found is not None or self._in_ascii is None else self._in_ascii._exactly(value)

    @cached_property
    def _in_ascii(self) -> Source | None:
        """The text with the digits of all scripts, and the marks between them, in ASCII; None where it has no others."""
        if self.text.isascii() or not _OTHER_DIGITS.search(self.text):
            return None
        return Source(self.text.translate(_ASCII), self._how)

    # Numbers

    def _number(self, number: Digits) -> Span | None:
        """Where a number stands: in one of the runs of digits and marks that have what all spellings of it have."""
        text = self.text
        for piece in _pieces(number, "%" in text):
            at = text.find(piece)
            while at >= 0:
                end, looked_at = at + len(piece), at + 1
                if not "1" <= text[end : end + 1] <= "9":  # another digit makes another number
                    start, looked_at = _run_around(text, end - 1)
                    for first, last in _numbers_in(text, start, looked_at):
                        digits = "".join(_DIGITS.findall(text, first, last)).strip("0")
                        if digits == number.digits and _is_number(text, first, last, number):
                            return first, last
                at = text.find(piece, looked_at)
        return None

    # Dates

    def _day(self, day: Day) -> Span | None:
        """Where the text names a day: around its year, in four digits or in two."""
        text, number = self.text, str(day[2])
        for year in _years(day):
            at = text.find(year)
            while at >= 0:
                end = at + len(year)
                if not (text[at - 1 : at].isdigit() or text[end : end + 1].isdigit()):
                    start, stop = max(0, at - _LONGEST_DATE), end + _LONGEST_DATE
                    if text.find(number, start, stop) >= 0 and (span := self._day_in(start, stop, day)) is not None:
                        return span
                at = text.find(year, end)
        return None

    def _day_in(self, start: int, end: int, day: Day) -> Span | None:
        """Where a part of the text names a day."""
        text, part = self.text, self.text[start:end]
        for match in _DATE.finditer(text, start, end):
            if _is_day(match[1], match[3], match[4], day) and not _inside_word(text, match.start()):
                return match.start(), match.end(4)
        for match in _DATE_WITH_SIGNS.finditer(text, start, end) if not part.isascii() else ():
            if tuple(map(int, match.groups())) == day:
                return match.span()
        names, plain = _names(self._how.languages, day[1]), _plain(part)
        if not any(name in plain for name in names):
            return None
        for match in _MONTH_INSIDE.finditer(text, start, end):
            named = _is_day(match[1], None, match[3], day) and _plain(match[2]) in names
            if named and not _inside_word(text, match.start()):
                return match.start(), match.end(3)
        for match in _AFTER_MONTH.finditer(text, start, end):
            word = _LAST_WORD.search(text, max(0, match.start() - 20), match.start())
            if word is not None and _plain(word[1]) in names and _is_day(match[1], None, match[2], day):
                return word.start(), match.end(2)
        return None

    # Words

    @cached_property
    def _normal(self) -> str:
        return self._how.normalize(self.text)

    def _surely(self, value: str) -> bool:
        """Whether a text stands where its longest word does, so that the whole text need not be normalized."""
        if "_normal" in self.__dict__ or _reads(value) is not _WORDS:
            return False
        wanted = self._how.words(value).text
        for spelled in (value, value.upper()) if wanted else ():
            word = max(spelled.split(), key=len)
            at = self.text.find(word)
            start = max(0, at - spelled.find(word) - _AROUND)
            end = start + len(spelled) + 2 * _AROUND
            part = self._how.normalize(self.text[start:end]) if at >= 0 else ""
            found = _whole(part, wanted)
            if (found > 1 or found == start == 0) and (found + len(wanted) + 1 < len(part) or end >= len(self.text)):
                return True
        return False

    def _alike(self, value: str) -> Passage | None:
        """Where the normalized text has the words of a text, or a near passage. A number in digits alone is no word."""
        words, is_words = self._how.words(value), _reads(value) is _WORDS
        code = _code(words.text) if is_words else None
        if code is not None and (match := code.search(self._normal)) is not None:
            return Passage(*match.span())
        if not words.text or not all(digits in self._normal for digits in words.digits):
            return None
        if is_words or any(map(str.isalpha, value)):
            at = _whole(self._normal, words.text)
            if at >= 0:
                return Passage(at, at + len(words.text))
        if not is_words or code is not None:  # each letter of a code counts
            return None
        if not any(self._normal.find(piece, 0, MOST_NEAR) >= 0 for piece in words.pieces):
            return None
        # a window is as long as the value; the passage may be longer, so that the window is less like it
        near = self._likest(words, max(0.0, 2 * self._how.at_least - 1))
        if near is None or near.likeness < self._how.at_least:
            return None
        return near if words.digits == _DIGITS.findall(self._normal, near.start, near.end) else None

    def _likest(self, words: Words, least: float) -> Passage | None:
        """The passage that is most like a text, widened to whole words, in the first part of the normalized text."""
        wanted, text = words.text, self._normal[:MOST_NEAR]
        if not wanted or not text or len(wanted) > LONGEST_NEAR:
            return None
        from rapidfuzz import fuzz  # a run that finds everything starts sooner

        window = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=100 * least)
        if window is None:
            return None
        start, end = (window.dest_start, window.dest_end) if len(wanted) <= len(text) else (0, len(text))
        while _inside_word(text, start):
            start -= 1
        while _inside_word(text, end):
            end += 1
        start += len(text[start:end]) - len(text[start:end].lstrip())
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        return Passage(start, end, fuzz.ratio(wanted, text[start:end]) / 100)

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
    if not _DIGITS.search(text):
        return _WORDS
    letters = "".join(filter(str.isalpha, text))
    if _ISO.fullmatch(text) and letters in ("", "T", "TZ"):  # that is a day in one way alone
        moment = dates.read_date(text[:10], "iso")
        return _WORDS if moment is None else ((), (_day_of(moment),))
    if letters and letters != currency_of(text):
        if letters not in ("T", "TZ") and _plain(letters) not in _ENGLISH:
            return _WORDS
    else:
        is_code = are_codes([text]) and (text[0] == "+" or (text[0] == "0" and len(text) > 1))
        if is_code or (_PARTS.fullmatch(text) and not _GROUPED.fullmatch(text)):
            return _WORDS
        if numbers := {number: None for read in _readers() if (number := read(text)) is not None}:
            return tuple(map(_digits_of, numbers)), ()
    moments = (dates.read_date(text.partition("T")[0], spelled) for spelled in dates.USUAL_FORMATS)
    days = tuple({_day_of(moment): None for moment in moments if moment is not None})
    return ((), days) if days else _WORDS


def _day_of(moment: dates.Moment) -> Day:
    return moment.year, moment.month or 1, moment.day or 1


@cache
def _readers() -> Sequence[Any]:
    """A reader for each way to write a number."""
    marks: list[dict[str, Any]] = [
        {"decimal": decimal, "thousands": mark} for decimal in ".," for mark in (None, *",. '")
    ]
    return [
        exact_reader(Parse(**one, currency=True, percent=True)) for one in marks if one["decimal"] != one["thousands"]
    ]


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
_TEN: Final = frozenset("0123456789")
_ZEROS: Final = "\u0660\u06f0\u0966\u09e6\u0e50\uff10"
_OTHER_DIGITS: Final = re.compile("[" + "".join(f"{zero}-{chr(ord(zero) + 9)}" for zero in _ZEROS) + "]")
_ASCII: Final = {ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)} | str.maketrans(
    "\u066b\u066c\uff0e\uff0c\uff0f\uff0d\uff05", ".,.,/-%"
)
"""Digits of Arabic, Persian, Hindi, Bengali, Thai and full width, and their marks, as those of ASCII."""
_RUN: Final = re.compile("[0-9][0-9]*(?:[., '\u2019\u00a0\u2009\u202f][0-9]+)*")
_MARKS: Final = frozenset(". ,'\u2019\u00a0\u2009\u202f")
_NUMBER: Final = re.compile("[0-9][0-9]*(?:[.,'\u2019\u00a0\u2009\u202f][0-9]+)*")
_DIGITS: Final = re.compile("[0-9]+")
_ISO: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T.*)?")
_GROUPED: Final = re.compile("[0-9]{1,3}(?: [0-9]{3})+(?:[.,][0-9]+)?")
_PARTS: Final = re.compile("[0-9]+(?: [0-9]+){2,}")
_WORD_BEFORE: Final = re.compile(r"([^\W\d_]+)[. ]? ?$")
_MINUS: Final = re.compile(r"(?:^|[^\w)\]])[-\u2212](?:[^\w\s]|[A-Z]{3} ?)?$")
_MOST_GROUPS: Final = 5


def _numbers_in(text: str, start: int, end: int) -> Sequence[Span]:
    """Where the numbers in a run of digits and marks begin and end."""
    run = text[start:end]
    if " " in run:
        if _is_surely_grouped(text, start, run):
            return [(start, end)]
        spans = [match.span() for match in _NUMBER.finditer(text, start, end)]
        return spans + [
            (first, last)
            for at, (first, _) in enumerate(spans)
            for _, last in spans[at + 1 : at + _MOST_GROUPS]
            if _GROUPED.fullmatch(text, first, last)
        ]
    if run.count(".") > 1 and not _readings(run):  # the parts of a date or a version
        return [(start, end), *(match.span() for match in _DIGITS.finditer(text, start, end))]
    return [(start, end)]


@lru_cache(maxsize=1 << 14)
def _pieces(number: Digits, as_percent: bool) -> Sequence[str]:
    """Texts of which one is in any spelling of a number: the last digits of its whole, at most three, with its decimals."""
    digits, point, _ = number
    whole, decimals = (
        (digits[:point].ljust(point, "0")[-3:], digits[point:]) if point > 0 else ("", "0" * -point + digits)
    )
    pieces = [whole + mark + decimals for mark in ".,"] if decimals else [whole or "0"]
    return (*pieces, *(_pieces(Digits(digits, point + 2), False) if as_percent and digits else ()))


def _run_around(text: str, at: int) -> Span:
    """The digits and marks around a digit of a text, as far as they go on."""
    start = at
    while start and (text[start - 1] in _TEN or (start > 1 and text[start - 1] in _MARKS and text[start - 2] in _TEN)):
        start -= 1
    run = _RUN.match(text, start)
    return run.span() if run is not None else (at, at + 1)


def _is_surely_grouped(text: str, start: int, run: str) -> bool:
    """Whether single spaces in a run of digits surely group them, so that its parts are no numbers, as in "sum: 1 234.50".

    They do where the whole looks like one number and has three groups, or no word before it. After a word, and in a row of columns,
    nobody knows ("qty 2 150.00 300.00"), so numbers are found with and without such spaces.
    """
    if not _GROUPED.fullmatch(run):
        return False
    word = _WORD_BEFORE.search(text, max(0, start - 8), start)
    return run.count(" ") > 1 or word is None or currency_of(word[1]) is not None


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
    if (last.isalnum() or last == "_") and currency_of(before[-3:]) is None:
        return False
    read = _readings(text[start:end])
    if size not in read:
        percent = after.lstrip()[:1] == "%" and (number.digits, number.point + 2) in read
        without_zero = (
            last in (".", ",") and not before[-2:-1].isalnum() and (number.digits, number.point + end - start) in read
        )
        if not percent and not without_zero:
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
_ANY_LIKENESS: Final = 0.3
"""How alike a passage is at least that is shown for a value that is not found."""
_NO_CODE: Final = re.compile(r"[^\w +-]")
_THREE_LETTERS: Final = re.compile(r"[^\W\d_]{3}")
_AROUND: Final = 8
"""Characters around a text that show whether it stands as whole words."""
_LONGEST_DATE: Final = 32
"""Characters before and after the beginning of a year in which its day and month stand."""


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


@cache
def _names(languages: Sequence[str], month: int) -> frozenset[str]:
    """The names of a month, and their beginnings of three letters and more that stand for no other month."""
    found = set()
    for language in languages:
        others = list(map(_plain, dates.MONTHS_IN[language]))
        name = others.pop(month - 1)
        beginnings = (name[:length] for length in range(3, len(name)))
        found |= {name, *(each for each in beginnings if not any(other.startswith(each) for other in others))}
    return frozenset(found)


_ENGLISH: Final = frozenset[str]().union(*(_names(("en",), month) for month in range(1, 13)))


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
    if before == " " or after == " ":
        return False
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


@lru_cache(maxsize=1 << 12)
def _code(text: str) -> re.Pattern[str] | None:
    """What finds a code of 8 to 64 letters and digits, at least half of them digits, whatever spaces and hyphens are in it; else None."""
    letters = [letter for letter in text if letter.isalnum()]
    if not 8 <= len(letters) <= 64 or 2 * sum(map(str.isdigit, letters)) < len(letters):
        return None
    if _NO_CODE.search(text) or (" " in text and _THREE_LETTERS.search(text)):  # a date, a sum, or words with numbers
        return None
    inside = "[ -]?".join(map(re.escape, letters))
    return re.compile(f"(?<![0-9A-Za-z_])(?<![0-9A-Za-z]-)(?<![0-9] ){inside}(?!-?[0-9A-Za-z_]| [0-9])")


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
