"""Values looked for in a text: where a number, a date or some words stand in it, however they are written.

A value is a number, or a day, in each way in which it may be read; else it is words, or a code. Each is searched for in the text from
its own side: `numbers_in_text`, `days_in_text`, `words_in_text`. A near passage is looked for apart, in the first `MOST_NEAR`
characters, for values of up to `LONGEST_NEAR` characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias

from msgspec import Struct

from evaluators.values import dates
from evaluators.values.days_in_text import Day, day_in, is_english_month
from evaluators.values.numbers import Parse, are_codes, currency_of, exact_reader
from evaluators.values.numbers_in_text import DIGITS, GROUPED, Digits, digits_of, is_round, number_in, scaled_numbers
from evaluators.values.path_text import Location
from evaluators.values.text import Normalize
from evaluators.values.words_in_text import Span, code_pattern, inside_word, whole_words

MOST_NEAR: Final = 20_000
"""Characters of a text in which a near passage is looked for, the first ones."""
LONGEST_NEAR: Final = 1_000
"""Characters of a value for which one is looked for."""
Reads: TypeAlias = tuple[Sequence[Digits], Sequence[Day]]


class Passage(NamedTuple):
    """A part of a text, and how much of a value it is: 1 where it says the value."""

    start: int
    end: int
    likeness: float = 1.0


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

    def plain(self, text: str) -> str:
        """A text without what is set aside, with straight quotes."""
        for curly, straight in () if text.isascii() else _STRAIGHT:
            text = text.replace(curly, straight)
        return self.normalize(text)

    def _words_of(self, value: str) -> Words:
        text = self.plain(value).strip()
        pieces: list[str] = []
        if self.at_least < 1 and 0 < len(text) <= LONGEST_NEAR:
            # with so few letters added or removed, one of the pieces is left whole
            changes = int((1 - self.at_least) / self.at_least * 2 * len(text))
            size = len(text) // (changes + 1)
            pieces = [text[at : at + size] for at in range(0, size * (changes + 1), size)] if size > 1 else [""]
        return Words(text, DIGITS.findall(text), pieces)


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
            at = whole_words(self.text, value) if not value.isspace() else -1
            return (at, at + len(value)) if at >= 0 else None
        numbers, days = reads
        places = chain(
            (number_in(self.text, number) for number in numbers),
            (day_in(self.text, day, self._how.languages) for day in days),
        )
        found = next(filter(None, places), None)
        if found is None and (round_ := [*filter(is_round, numbers)]):
            found = next(filter(None, map(self._scaled.get, round_)), None)
        return found if found is not None or self._in_ascii is None else self._in_ascii._exactly(value)

    @cached_property
    def _scaled(self) -> Mapping[Digits, Span]:
        return scaled_numbers(self.text)

    @cached_property
    def _in_ascii(self) -> Source | None:
        """The text with the digits of all scripts, and the marks between them, in ASCII; None where it has no others."""
        if self.text.isascii() or not _OTHER_DIGITS.search(self.text):
            return None
        return Source(self.text.translate(_ASCII), self._how)

    @cached_property
    def _normal(self) -> str:
        return self._how.plain(self.text)

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
            part = self._how.plain(self.text[start:end]) if at >= 0 else ""
            found = whole_words(part, wanted)
            if (found > 1 or found == start == 0) and (found + len(wanted) + 1 < len(part) or end >= len(self.text)):
                return True
        return False

    def _alike(self, value: str) -> Passage | None:
        """Where the normalized text has the words of a text, or a near passage. A number in digits alone is no word."""
        words, is_words = self._how.words(value), _reads(value) is _WORDS
        code = code_pattern(words.text) if is_words or words.text.isdecimal() else None
        if code is not None and (match := code.search(self._normal)) is not None:
            return Passage(*match.span())
        if not words.text or not all(digits in self._normal for digits in words.digits):
            return None
        if is_words or any(map(str.isalpha, value)):
            at = whole_words(self._normal, words.text)
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
        return near if words.digits == DIGITS.findall(self._normal, near.start, near.end) else None

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
        while inside_word(text, start):
            start -= 1
        while inside_word(text, end):
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
            if len(self._how.plain(self.text[:middle])) < normal:
                low = middle + 1
            else:
                high = middle
        return low


_ANY_LIKENESS: Final = 0.3
"""How alike a passage is at least that is shown for a value that is not found."""
_AROUND: Final = 8
"""Characters around a text that show whether it stands as whole words."""
_ZEROS: Final = "\u0660\u06f0\u0966\u09e6\u0e50\uff10"
_OTHER_DIGITS: Final = re.compile("[" + "".join(f"{zero}-{chr(ord(zero) + 9)}" for zero in _ZEROS) + "]")
_ASCII: Final = {ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)} | str.maketrans(
    "\u066b\u066c\uff0e\uff0c\uff0f\uff0d\uff05", ".,.,/-%"
)
"""Digits of Arabic, Persian, Hindi, Bengali, Thai and full width, and their marks, as those of ASCII."""
_STRAIGHT: Final = (("\u2018", "'"), ("\u2019", "'"), ("\u201c", '"'), ("\u201d", '"'), ("\u2013", "-"))
_ISO: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T.*)?")
_PARTS: Final = re.compile("[0-9]+(?: [0-9]+){2,}")
_WORDS: Final[Reads] = ((), ())


def _reads(value: Any) -> Reads:
    """The numbers and days that a value may be; `_WORDS` for one that is neither."""
    return _of_text(value) if value.__class__ is str else ((digits_of(value),), ())


@lru_cache(maxsize=1 << 14)
def _of_text(text: str) -> Reads:
    """The numbers and the days that a text may be; `_WORDS` for one that is neither. Digits that begin with 0, or have spaces as no number
    has, are a code."""
    text = text.strip()
    if not DIGITS.search(text):
        return _WORDS
    letters = "".join(filter(str.isalpha, text))
    if _ISO.fullmatch(text) and letters in ("", "T", "TZ"):  # that is a day in one way alone
        moment = dates.read_date(text[:10], "iso")
        return _WORDS if moment is None else ((), (_day_of(moment),))
    if letters and letters != currency_of(text):
        if letters not in ("T", "TZ") and not is_english_month(letters):
            return _WORDS
    else:
        is_code = are_codes([text]) and (text[0] == "+" or (text[0] == "0" and len(text) > 1))
        if is_code or (_PARTS.fullmatch(text) and not GROUPED.fullmatch(text)):
            return _WORDS
        if numbers := {number: None for read in _readers() if (number := read(text)) is not None}:
            return tuple(map(digits_of, numbers)), ()
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
