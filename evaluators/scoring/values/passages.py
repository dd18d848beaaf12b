"""Values looked for in a text: where a number, a date or some words stand in it, however they are written.

A value is a number, or a day, in each way in which it may be read; else it is words, or a code. Each is searched for in the text from
its own side: `numbers_in_text`, `days_in_text`, `words_in_text`. A near passage is looked for apart, in the first `MOST_NEAR`
characters, for values of up to `LONGEST_NEAR` characters, and for one row in `NEAR_STEPS` at most.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, chain
from operator import itemgetter
from typing import Any, Final, NamedTuple

from msgspec import Struct

from evaluators.scoring.values.days_in_text import DayPlaces
from evaluators.scoring.values.numbers_in_text import DIGITS, NumberPlaces, is_round
from evaluators.scoring.values.path_text import Location
from evaluators.scoring.values.text import Normalize
from evaluators.scoring.values.value_readings import WORDS, reads_of
from evaluators.scoring.values.words_in_text import (
    FEW,
    LONGEST_NEGATION,
    Span,
    WordPlaces,
    code_of,
    find_whole_words,
    inside_word,
    is_negated,
    negations,
)

MOST_NEAR: Final = 20_000
"""Characters of a text in which a near passage is looked for, the first ones."""
LONGEST_NEAR: Final = 1_000
"""Characters of a value for which one is looked for."""
NEAR_STEPS: Final = 10_000_000
"""What the values for which one is looked for come to, times the text, in characters: some 40 short values in the longest text."""


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
        """A function from a text to its `Words`, which remembers the last ones."""
        return lru_cache(1 << 12)(self._words_of)

    def normal_text(self, text: str) -> str:
        """The text normalized, with straight quotes."""
        for curly, straight in () if text.isascii() else _STRAIGHT:
            text = text.replace(curly, straight)
        return self.normalize(text)

    def _words_of(self, value: str) -> Words:
        """The words of a value that are looked for, with the pieces of which a near passage has one."""
        text = self.normal_text(value).strip()
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
        self._words = WordPlaces(text)
        self.steps_left = NEAR_STEPS
        """The steps that are left to look for near passages. Whoever looks in one text for several rows sets them anew for each."""
        self._looks_before_normalizing = FEW

    def has(self, value: Any) -> bool:
        """Whether the text says a value, which is a number or a text."""
        if self._exact_span(value) is not None:
            return True
        return value.__class__ is str and (
            self._stands_at_longest_word(value) or self._span_in_other_letters(value) is not None
        )

    def place(self, value: Any) -> Passage | None:
        """The passage in which the text says a value. None where it does not, and where the value stands in the normalized text at a place
        that cannot be told in the text itself."""
        if (span := self._exact_span(value)) is not None:
            return Passage(*span)
        span = self._span_in_other_letters(value) if value.__class__ is str else None
        return None if span is None else self._original_passage(*span, 1.0)

    def near_passage(self, value: str) -> Passage | None:
        """The passage that is nearly `value`, a text that is not there: nearly the same letters, the same digits and the same
        negations.

        Its places are those of the normalized text. It is looked for as long as steps are left.
        """
        words = self._how.words(value)
        if (
            reads_of(value) is not WORDS or code_of(words.text) is not None or not words.text
        ):  # each letter of a code counts
            return None
        if not any(self._normal.find(piece, 0, MOST_NEAR) >= 0 for piece in words.pieces):
            return None
        # a window is as long as the value; the passage may be longer, so that the window is less like it
        near = self._likest_passage(words.text, max(0.0, 2 * self._how.at_least - 1))
        return near if near is not None and self._is_near(words, near) else None

    def nearest_passage(self, value: Any) -> tuple[Passage | None, bool]:
        """The passage that is most like a value, if any is, and whether it is near. For an amount, it is one in another currency."""
        numbers, _, currencies = reads_of(value)
        if currencies is not None and (span := next(filter(None, map(self._numbers.of_number, numbers)), None)):
            return Passage(*span), False
        words = self._how.words(str(value))
        likest = self._likest_passage(words.text, _ANY_LIKENESS)
        if likest is None:
            return None, False
        is_words = value.__class__ is str and reads_of(value) is WORDS and code_of(words.text) is None
        return self._original_passage(*likest), is_words and self._is_near(words, likest)

    def place_of_near_passage(self, value: str) -> Passage | None:
        """The passage near a value, by its place in the text; None where there is none."""
        near = self.near_passage(value)
        return None if near is None else self._original_passage(*near)

    def _is_near(self, words: Words, passage: Passage) -> bool:
        """Whether a passage is near enough: alike, with the same digits, and negated where the words are."""
        if passage.likeness < self._how.at_least:
            return False
        passage_text = self._normal[passage.start : passage.end]
        if is_negated(self._normal, passage.start):
            return False
        return words.digits == DIGITS.findall(passage_text) and negations(words.text) == negations(passage_text)

    def _exact_span(self, value: Any) -> Span | None:
        """The span in which the text says a number or a day in any way, or has the very words; None where it does not. A number or a day
        that is not there is looked for once more with the digits of other scripts as ASCII."""
        reads = reads_of(value)
        if reads is WORDS:
            at = self._words.of_words(value) if not value.isspace() else -1
            return (at, at + len(value)) if at >= 0 else None
        numbers, days, currencies = reads
        places = chain(
            (self._numbers.of_number(number, currencies) for number in numbers),
            map(self._days.of_day, days),
            (self._numbers.of_scaled(number, currencies) for number in filter(is_round, numbers)),
        )
        place = next(filter(None, places), None)
        return place if place is not None or self._in_ascii is None else self._in_ascii._exact_span(value)

    @cached_property
    def _numbers(self) -> NumberPlaces:
        """The numbers of the text, found when the first is looked for."""
        return NumberPlaces(self.text)

    @cached_property
    def _days(self) -> DayPlaces:
        """The days of the text, found when the first is looked for."""
        return DayPlaces(self.text, self._how.languages)

    @cached_property
    def _in_ascii(self) -> Source | None:
        """The text with the digits of all scripts, and the marks between them, in ASCII; None where it has no others."""
        if self.text.isascii() or not _OTHER_DIGITS.search(self.text):
            return None
        return Source(self.text.translate(_ASCII), self._how)

    @cached_property
    def _normal(self) -> str:
        """The whole text as the settings normalize it."""
        return self._how.normal_text(self.text)

    @cached_property
    def _normal_words(self) -> WordPlaces:
        """The words of the normalized text."""
        return WordPlaces(self._normal)

    def _stands_at_longest_word(self, value: str) -> bool:
        """Whether a text stands where its longest word does, so that the whole text need not be normalized.

        False after a few looks, which are counted here: each may go through the whole text, so for many values it is faster to normalize.
        """
        self._looks_before_normalizing -= 1
        if "_normal" in self.__dict__ or self._looks_before_normalizing < 0:
            return False
        if reads_of(value) is not WORDS or value.lstrip()[:1].isdigit():
            return False
        wanted = self._how.words(value).text
        for spelled in (value, value.upper()) if wanted else ():
            word = max(spelled.split(), key=len)
            at = self.text.find(word)
            start = max(0, at - spelled.find(word) - _AROUND)
            end = start + len(spelled) + 2 * _AROUND
            part = self._how.normal_text(self.text[start:end]) if at >= 0 else ""
            place = find_whole_words(part, wanted)
            # enough of the text is on both sides to see that they are whole words, and not negated
            if (place >= LONGEST_NEGATION or place >= start == 0) and (
                place + len(wanted) + 2 < len(part) or end >= len(self.text)
            ):
                return True
        return False

    def _span_in_other_letters(self, value: str) -> Span | None:
        """The span of the normalized text in which the words or the code of a text stand; None where they do not. A number is no
        word."""
        text, (numbers, days, _) = self._how.words(value).text, reads_of(value)
        is_words = not numbers and not days
        code = code_of(text) if is_words or text.isdecimal() else None
        if code is not None and (span := self._normal_words.of_code(code)) is not None:
            return span
        if not text or not (is_words or days) or (days and not any(map(str.isalpha, value))):
            return None
        at = self._normal_words.of_words(text)
        return (at, at + len(text)) if at >= 0 else None

    def _likest_passage(self, wanted: str, least: float) -> Passage | None:
        """The passage that is most like `wanted`, widened to whole words, in the first part of the normalized text. None where its likeness
        is below `least`, and where no steps are left; each call takes some."""
        text = self._normal[:MOST_NEAR]
        if not wanted or not text or len(wanted) > LONGEST_NEAR:
            return None
        self.steps_left -= len(wanted) * len(text)
        if self.steps_left < 0:
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

    def _original_passage(self, start: int, end: int, likeness: float) -> Passage | None:
        """The passage of the text that is normalized to the part from `start` to `end` of the normalized text. None in a long text where it
        cannot be told, because its parts, normalized, do not make up the whole."""
        if len(self._anchors) == 1 and len(self.text) > MOST_NEAR:
            return None
        return Passage(self._length_of(start + 1) - 1, self._length_of(end), likeness)

    def _length_of(self, normal_length: int) -> int:
        """The length of the shortest beginning of the text that is normalized to at least so many characters."""
        after = bisect_left(self._anchors, max(1, normal_length), key=itemgetter(1))
        begin, before = self._anchors[after - 1]
        low, high = begin, self._anchors[after][0] if after < len(self._anchors) else len(self.text)
        while low < high:
            middle = (low + high) // 2
            if before + len(self._how.normal_text(self.text[begin:middle])) < normal_length:
                low = middle + 1
            else:
                high = middle
        return low

    @cached_property
    def _anchors(self) -> Sequence[Span]:
        """Places of the text from which on it may be normalized by itself, with their places in the normalized text; the first is (0, 0).

        There are no others where the parts, normalized, do not make up the whole.
        """
        ends, begins, marks = list[int](), [0], list[str]()
        while (cut := _CUT.search(self.text, begins[-1] + _PART)) is not None:
            ends.append(cut.start())
            begins.append(cut.end())
            marks.append(cut[0])
        parts = [self.text[begin:end] for begin, end in zip(begins, [*ends, len(self.text)], strict=True)]
        normal = list(map(self._how.normal_text, parts))
        # between the parts, the normalized text has the same marks, or spaces, or nothing
        for between in (marks, [" " * bool(mark) for mark in marks], [""] * len(marks)):
            pieces = [piece + mark for piece, mark in zip(normal, [*between, ""], strict=True)]
            if max(map(len, parts)) <= MOST_NEAR and "".join(pieces) == self._normal:
                return list(zip(begins, accumulate(map(len, pieces[:-1]), initial=0), strict=True))
        return [(0, 0)]


_ANY_LIKENESS: Final = 0.3
"""How alike a passage is at least that is shown for a value that is not found."""
_PART: Final = 400
"""Characters of a text, at least, that are normalized by themselves to see where a place of the normalized text is in it."""
_CUT: Final = re.compile(r"(?<=\S)[ \n](?=\S)|(?<=[\u3400-\u9fff])(?=[\u3400-\u9fff])")
_AROUND: Final = LONGEST_NEGATION + 2
"""Characters around a text that show whether it stands as whole words."""
_ZEROS: Final = "\u0660\u06f0\u0966\u09e6\u0e50\uff10"
_OTHER_DIGITS: Final = re.compile("[" + "".join(f"{zero}-{chr(ord(zero) + 9)}" for zero in _ZEROS) + "]")
_ASCII: Final = {ord(zero) + digit: str(digit) for zero in _ZEROS for digit in range(10)} | str.maketrans(
    "\u066b\u066c\uff0e\uff0c\uff0f\uff0d\uff05", ".,.,/-%"
)
"""Digits of Arabic, Persian, Hindi, Bengali, Thai and full width, and their marks, as those of ASCII."""
_STRAIGHT: Final = (("\u2018", "'"), ("\u2019", "'"), ("\u201c", '"'), ("\u201d", '"'), ("\u2013", "-"))


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
