"""JSON in texts: read it strictly, write it back.

Strategy. msgspec decodes. What it refuses goes to `json_reader`, which either reads it after all (lone surrogate escapes) or
says what is wrong and where. One set of rules on both ways: NaN and Infinity are not JSON, integers are exact, of two equal
keys the last one wins, a number too large for a float is refused rather than read as infinity, and so is nesting deeper than
MAX_DEPTH.

A value may hold lone surrogates, which UTF-8 cannot encode; `to_text` and `compact` write them as escapes.

Values at places of one text, read from left to right.

msgspec reads; what it refuses for a plain mistake is told in our words from its own complaint.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

import msgspec

from evaluators.model.limits import limits_here
from evaluators.model.rows import JSON
from evaluators.scoring.values.json_reader import (
    JSON_BLANKS,
    MAX_DEPTH,
    NUMBER_LETTERS,
    NotJSON,
    ReadValue,
    is_too_deep,
    read,
    too_deep_message,
)

__all__ = [
    "BLANKS",
    "MAX_CHARS",
    "MAX_DEPTH",
    "REFUSED",
    "NotJSON",
    "as_str",
    "compact",
    "decode",
    "duplicate_keys",
    "parse",
]
__all__ += ["parse_all", "parse_file", "to_text"]

MAX_CHARS: Final = 64 * 1024 * 1024
"""Characters of a text; a longer one is not read at all."""

BOM: Final = "\ufeff"
BLANKS: Final = (
    f"{BOM}\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What may stand around JSON without being a part of it: blanks, and a byte order mark."""

fast_decode: Callable[[str | bytes | memoryview], JSON] = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_dump = json.JSONEncoder(ensure_ascii=False).encode
_dump_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

REFUSED: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What `decode` raises."""


def parse(text: str | bytes, depth: int = MAX_DEPTH) -> JSON:
    """The JSON value that the whole text is, nested no deeper than `depth` levels.

    Raises NotJSON, and nothing else, with the position in characters and the reason in plain words.
    """
    try:
        return decode(text, depth)
    except REFUSED:
        return _read_whole(as_str(text), depth)


def parse_file(data: bytes) -> JSON:
    """The JSON value of a whole file, which may be longer than a cell. Raises NotJSON as `parse` does."""
    try:
        value = fast_decode(data)
    except REFUSED:
        return parse(data)
    if is_too_deep(data, value):
        raise NotJSON(too_deep_message(MAX_DEPTH))
    return value


def parse_all(texts: Iterable[Any], otherwise: Callable[[Any], Any]) -> list[Any]:
    """The value of each text, nested as deep as documents may be; what is not JSON, or no text, becomes what `otherwise` makes of
    it."""
    values: list[Any] = []
    depth = limits_here().depth
    for text in texts:
        try:
            values.append(decode(text, depth) if text.__class__ is str else otherwise(text))
        except REFUSED:
            values.append(otherwise(text))
    return values


def duplicate_keys(text: str | bytes) -> tuple[str, ...]:
    """The places of keys that occur twice in one object (`items[3].sku`), each once.

    Raises NotJSON as `parse` does.
    """
    text = as_str(text)
    if _has_each_key_once(text, parse(text)):
        return ()
    return tuple(dict.fromkeys(_repeated_paths(_decode_members(text))))


def _has_each_key_once(text: str, value: JSON) -> bool:
    """Whether the value has as many keys as its text, which is so for nearly every text. False also where that cannot be told.

    A key that was lost took its quotes along; those within texts are on both sides, unless one is written as an escape by number.
    """
    return "\\u" not in text and text.count('"') == compact(value).count(b'"')


def to_text(value: JSON) -> str:
    """The value as JSON text, with ", " and ": ", keys in their order and letters of every script as they are."""
    text = _dump(value)
    return text if text.isascii() else _encodable(text).decode()


def compact(value: JSON | msgspec.Struct) -> bytes:
    """The value as the shortest JSON, in UTF-8, for storing."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encodable(_dump_compact(msgspec.to_builtins(value)))


def _encodable(text: str) -> bytes:
    """The text in UTF-8, with an escape in place of each half of a surrogate pair."""
    # the handler writes a lone surrogate as the very escape that JSON has for it
    return text.encode("utf-8", "backslashreplace")


def decode(text: str | bytes, depth: int = MAX_DEPTH) -> JSON:
    """The value that msgspec reads in the text. Raises one of REFUSED, also for what is deeper than `depth` or longer than texts
    may be."""
    length = len(text)
    if length < 2 * (depth + 1):  # each level takes two brackets
        return fast_decode(text)
    if length > MAX_CHARS and len(text if isinstance(text, str) else text.decode()) > MAX_CHARS:
        raise RecursionError  # `parse` says what is wrong
    if (
        text.__class__ is str and length // 5 + text.count("[") < depth
    ):  # an object with something in it takes five characters
        return fast_decode(text)
    value = fast_decode(text)
    if is_too_deep(text, value, depth):
        raise RecursionError
    return value


def as_str(text: str | bytes) -> str:
    """The text, which may be bytes in UTF-8; raises NotJSON for other bytes, and for a text that is too long."""
    try:
        text = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        raise NotJSON("the text is not UTF-8", len(error.object[: error.start].decode())) from None
    if len(text) > MAX_CHARS:
        raise NotJSON(f"the text is longer than {MAX_CHARS:,} characters")
    return text


TEXT_GOES_ON: Final = "the value is complete, but the text goes on"
"""The message on a text with more than one value in it."""


def _read_whole(text: str, depth: int) -> JSON:
    """The value of a text that holds one JSON value and blanks, and nothing else. Raises NotJSON."""
    if not text.strip(BLANKS):
        raise NotJSON("the text is empty")
    if text.startswith(BOM):
        raise NotJSON("the text starts with a byte order mark, which is not JSON", 0)
    reading = read(text, depth=depth)
    rest = text[reading.end :].lstrip(JSON_BLANKS)
    if rest:
        raise NotJSON(TEXT_GOES_ON, len(text) - len(rest))
    return reading.usable


class _Members(list[tuple[str, JSON]]):
    """The members of an object as they are written."""


_decode_members: Final = json.JSONDecoder(object_pairs_hook=_Members).decode


def _repeated_paths(value: JSON) -> Iterator[str]:
    """The path of each key that occurs twice in one object. The objects of `value` are `_Members`, in which no key is lost."""
    waiting: list[tuple[str, JSON]] = [("", value)]
    while waiting:
        path, node = waiting.pop()
        children: list[tuple[str, JSON]] = []
        if isinstance(node, _Members):
            children = [(_member_path(path, key), child) for key, child in node]
            seen: set[str] = set()
            for place, _ in children:
                if place in seen:
                    yield place
                seen.add(place)
        elif isinstance(node, list):
            children = [(f"{path}[{index}]", child) for index, child in enumerate(node)]
        waiting.extend(reversed(children))


def _member_path(path: str, key: str) -> str:
    """The path of a member of the object at `path`."""
    if not key.isidentifier():
        return f"{path}[{to_text(key)}]"
    return f"{path}.{key}" if path else key


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
    """Reads values at places of one text, from left to right, as `json_reader.read` does, but with msgspec. None may be nested
    deeper than documents may be.

    msgspec reads on from a place without a copy of the text. It stops at a mistake or after the value, and its complaint
    says where: so no character is read more than twice.
    """

    __slots__ = ("_byte", "_char", "_data", "_depth", "_end", "_text")

    def __init__(self, text: str) -> None:
        self._text, self._depth = text, limits_here().depth
        self._end = len(text.rstrip(JSON_BLANKS))
        self._char = self._byte = 0  # one place, in characters and in bytes
        try:
            self._data: memoryview | None = memoryview(text.encode())
        except UnicodeEncodeError:
            self._data = None

    def read(self, at: int) -> ReadValue:
        """The value that begins at a character. Raises NotJSON at the first mistake. Where the complaint of msgspec leaves it open,
        `json_reader.read` reads again."""
        text, data = self._text, self._data
        if data is None:
            return read(text, at, self._depth)
        data = data[self._bytes_before(at) :]
        try:
            return self._read_stretch(data, at, self._end)
        except msgspec.DecodeError as error:
            complaint = str(error)
        except (RecursionError, UnicodeError):
            return read(text, at, self._depth)
        if complaint == _CUT_OFF and text.find("\\u", at) < 0 and not _word_at_the_end(text[max(at, len(text) - 5) :]):
            raise NotJSON("the text ends inside the value", len(text), truncated=True)
        malformed = _complaint(complaint)
        what, passed = (malformed[1], int(malformed[2])) if malformed else ("", 0)
        if what == _GOES_ON:
            passed -= 1  # it has looked at one byte more
            end = at + len(text[at : self._char_after(data, at, passed)].rstrip(JSON_BLANKS))
            with suppress(*REFUSED):
                reading = self._read_stretch(data[:passed], at, end)
                if isinstance(reading.value, (dict, list)):  # a number may not go on just anyhow
                    return reading
        elif what in _MISTAKES:
            pos = self._char_after(data, at, passed)
            if text[pos] not in NUMBER_LETTERS:
                raise NotJSON(_MISTAKES[what], pos)
        return read(text, at, self._depth)

    def _read_stretch(self, data: memoryview, start: int, end: int) -> ReadValue:
        """The value in a stretch of the text, with its end. Raises RecursionError where it is nested too deep."""
        value = fast_decode(data)
        if end - start >= 2 * (self._depth + 1) and is_too_deep(self._text[start:end], value, self._depth):
            raise RecursionError
        return ReadValue(value, end)

    def _char_after(self, data: memoryview, at: int, passed: int) -> int:
        """The position in characters after `passed` bytes of `data`, which begins at the character `at`."""
        return at + (passed if len(data) == len(self._text) - at else len(str(data[:passed], "utf-8")))

    def _bytes_before(self, at: int) -> int:
        """The number of bytes before the character `at`. It goes on from the last call, so that calls come in the order of the text."""
        if self._data is not None and len(self._data) == len(self._text):
            return at
        self._byte += len(self._text[self._char : at].encode())
        self._char = at
        return self._byte
