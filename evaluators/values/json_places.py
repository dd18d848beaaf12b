"""Values at places of one text, read from left to right.

msgspec reads; what it refuses for a plain mistake is told in our words from its own complaint.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Final

import msgspec

from evaluators.values.json_reader import JSON_BLANKS, NUMBER_LETTERS, SHALLOW_CHARS, NotJSON, ReadValue, read, too_deep
from evaluators.values.json_text import REFUSED, fast_decode

_MISTAKES: Final = {
    "object keys must be strings": "a key in double quotes expected",
    "expected ':'": '":" expected',
    "expected ',' or '}'": '"," or "}" expected',
    "expected ',' or ']'": '"," or "]" expected',
    "trailing comma in object": 'nothing follows the last ",": "}" found',
    "trailing comma in array": 'nothing follows the last ",": "]" found',
}
"""Complaints of msgspec that mean one thing only, and what `json_reader` says of the same character."""
_GOES_ON: Final = "trailing characters"
_CUT_OFF: Final = "Input data was truncated"
_word_at_the_end: Final = re.compile(r"(?:\A|[\[:,\s])[tfn].{0,3}\Z", re.DOTALL).search
"""It also says that a text is cut off when less than a whole word such as `true` is left, whatever stands there."""
_complaint: Final = re.compile(r"JSON is malformed: (.*) \(byte ([0-9]+)\)").fullmatch


class PlaceReader:
    """Reads values at places of one text, from left to right, as `json_reader.read` does, but with msgspec.

    msgspec reads on from a place without a copy of the text. It stops at a mistake or after the value, and its complaint
    says where: so no character is read more than twice.
    """

    __slots__ = ("_byte", "_char", "_data", "_end", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = len(text.rstrip(JSON_BLANKS))
        self._char = self._byte = 0  # one place, in characters and in bytes
        try:
            self._data: memoryview | None = memoryview(text.encode())
        except UnicodeEncodeError:
            self._data = None

    def read(self, at: int) -> ReadValue:
        """The value that begins at a character. Raises NotJSON at the first mistake."""
        text, data = self._text, self._data
        if data is None:
            return read(text, at)
        data = data[self._bytes_before(at) :]
        try:
            return self._reading(data, at, self._end)
        except msgspec.DecodeError as error:
            complaint = str(error)
        except (RecursionError, UnicodeError):
            return read(text, at)
        if complaint == _CUT_OFF and text.find("\\u", at) < 0 and not _word_at_the_end(text[max(at, len(text) - 5) :]):
            raise NotJSON("the text ends inside the value", len(text), truncated=True)
        malformed = _complaint(complaint)
        what, passed = (malformed[1], int(malformed[2])) if malformed else ("", 0)
        if what == _GOES_ON:
            passed -= 1  # it has looked at one byte more
            end = at + len(text[at : self._chars(data, at, passed)].rstrip(JSON_BLANKS))
            with suppress(*REFUSED):
                reading = self._reading(data[:passed], at, end)
                if isinstance(reading.value, (dict, list)):  # a number may not go on just anyhow
                    return reading
        elif what in _MISTAKES:
            pos = self._chars(data, at, passed)
            if text[pos] not in NUMBER_LETTERS:
                raise NotJSON(_MISTAKES[what], pos)
        return read(text, at)

    def _reading(self, data: memoryview, start: int, end: int) -> ReadValue:
        value = fast_decode(data)
        if end - start >= SHALLOW_CHARS and too_deep(self._text[start:end], value):
            raise RecursionError
        return ReadValue(value, end)

    def _chars(self, data: memoryview, at: int, passed: int) -> int:
        """The character after so many bytes of the data, which begins at the character `at`."""
        return at + (passed if len(data) == len(self._text) - at else len(str(data[:passed], "utf-8")))

    def _bytes_before(self, at: int) -> int:
        if self._data is not None and len(self._data) == len(self._text):
            return at
        self._byte += len(self._text[self._char : at].encode())
        self._char = at
        return self._byte
