"""JSON in texts: read it strictly, write it back.

Strategy. msgspec decodes. What it refuses goes to `json_reader`, which either reads it after all (lone surrogate escapes) or
says what is wrong and where. One set of rules on both ways: NaN and Infinity are not JSON, integers are exact, of two equal
keys the last one wins, a number too large for a float is refused rather than read as infinity, and so is nesting deeper than
MAX_DEPTH.

A value may hold lone surrogates, which UTF-8 cannot encode; `to_text` and `compact` write them as escapes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import msgspec

from evaluators.model import JSON
from evaluators.values.json_reader import MAX_DEPTH, MAX_DIGITS, NotJSON, ReadValue, read

__all__ = [
    "BLANKS",
    "JSON_BLANKS",
    "MAX_CHARS",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "REFUSED",
    "SHALLOW_CHARS",
    "NotJSON",
    "as_str",
    "compact",
        "decoded",
    "duplicate_keys",
    "fast_decode",
    "parse",
    "parse_all",
    "parse_file",
    "to_text",
    "too_deep",
    "usable",
]  # fmt: skip

MAX_CHARS: Final = 64 * 1024 * 1024
"""Characters of a text; a longer one is not read at all."""

BOM: Final = "\ufeff"
BLANKS: Final = BOM + "".join(filter(str.isspace, map(chr, range(0x3001))))
"""What may stand around JSON without being a part of it: blanks, and a byte order mark."""
JSON_BLANKS: Final = " \t\n\r"

fast_decode: Callable[[str | bytes | memoryview], JSON] = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_dump = json.JSONEncoder(ensure_ascii=False).encode
_dump_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

REFUSED: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What `decoded` raises."""
SHALLOW_CHARS: Final = 2 * (MAX_DEPTH + 1)
"""A shorter text cannot be nested too deep: each level takes two brackets."""
_OBJECT_CHARS: Final = 5
"""The least that an object with something in it takes beside that: `{"":` and `}`."""


def parse(text: str | bytes) -> JSON:
    """The JSON value that the whole text is.

    Raises NotJSON, and nothing else, with the position in characters and the reason in plain words.
    """
    try:
        return decoded(text)
    except REFUSED:
        return usable(_read_whole(as_str(text)))


def parse_file(data: bytes) -> JSON:
    """The JSON value of a whole file, which may be longer than a cell. Raises NotJSON as `parse` does."""
    try:
        value = fast_decode(data)
    except REFUSED:
        return parse(data)
    if too_deep(data, value):
        raise NotJSON(f"objects and lists nested deeper than {MAX_DEPTH} levels")
    return value


def parse_all(texts: Iterable[Any], otherwise: Callable[[Any], Any]) -> list[Any]:
    """`parse` of many texts; what is not JSON, or no text, becomes what `otherwise` makes of it."""
    decode, found = fast_decode, list[Any]()
    add = found.append
    for text in texts:
        try:
            if text.__class__ is not str:
                add(otherwise(text))
            elif len(text) < SHALLOW_CHARS or text.count("[") + len(text) // _OBJECT_CHARS < MAX_DEPTH:
                add(decode(text))
            else:
                add(decoded(text))
        except REFUSED:
            add(otherwise(text))
    return found


def duplicate_keys(text: str | bytes) -> tuple[str, ...]:
    """Where a key occurs twice in one object (`items[3].sku`), each place once.

    Raises NotJSON as `parse` does.
    """
    text = as_str(text)
    parse(text)
    return tuple(dict.fromkeys(_repeated(_decode_remembering(text))))


def to_text(value: JSON) -> str:
    """The value as JSON text, with ", " and ": ", keys in their order and letters of every script as they are."""
    text = _dump(value)
    return text if text.isascii() else _encodable(text).decode()


def compact(value: JSON) -> bytes:
    """The value as the shortest JSON, in UTF-8, for storing."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return _encodable(_dump_compact(value))


def _encodable(text: str) -> bytes:
    # the handler writes a lone surrogate as the very escape that JSON has for it
    return text.encode("utf-8", "backslashreplace")


def decoded(text: str | bytes) -> JSON:
    """What msgspec makes of the text; raises one of REFUSED, also for what our limits refuse."""
    if len(text) < SHALLOW_CHARS:
        return fast_decode(text)
    if len(text) > MAX_CHARS and len(text if isinstance(text, str) else text.decode()) > MAX_CHARS:
        raise RecursionError  # `parse` says what is wrong
    value = fast_decode(text)
    if too_deep(text, value):
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


def too_deep(text: str | bytes, value: JSON) -> bool:
    """Nested deeper than MAX_DEPTH: a count of brackets acquits most texts, a walk by levels decides the others."""
    opening: Any = ("[", "{") if isinstance(text, str) else (b"[", b"{")
    lists = text.count(opening[0])
    if lists + len(text) // _OBJECT_CHARS < MAX_DEPTH or lists + text.count(opening[1]) <= MAX_DEPTH:
        return False
    level: list[dict[str, JSON] | list[JSON]] = [value] if isinstance(value, (dict, list)) else []
    for _ in range(MAX_DEPTH):
        level = [
            child
            for node in level
            for child in (node.values() if type(node) is dict else node)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True


def _read_whole(text: str) -> ReadValue:
    if not text.strip(BLANKS):
        raise NotJSON("the text is empty")
    if text.startswith(BOM):
        raise NotJSON("the text starts with a byte order mark, which is not JSON", 0)
    reading = read(text)
    rest = text[reading.end :].lstrip(JSON_BLANKS)
    if rest:
        raise NotJSON("the value is complete, but the text goes on", len(text) - len(rest))
    return reading


def usable(reading: ReadValue) -> JSON:
    """The value, unless it is one that we refuse; then raises why."""
    if reading.refusal:
        raise reading.refusal.again()
    return reading.value


class _Remembering(dict[str, JSON]):
    """An object that remembers the values which a repeated key has replaced."""

    def __init__(self, members: list[tuple[str, JSON]]) -> None:
        super().__init__()
        self.replaced: list[tuple[str, JSON]] = []
        for key, value in members:
            if key in self:
                self.replaced.append((key, self[key]))
            self[key] = value


_decode_remembering: Final = json.JSONDecoder(object_pairs_hook=_Remembering).decode


def _repeated(value: JSON) -> Iterator[str]:
    waiting: list[tuple[str, JSON]] = [("", value)]
    while waiting:
        path, node = waiting.pop()
        children: list[tuple[str, JSON]] = []
        if isinstance(node, _Remembering):
            yield from (_member(path, key) for key, _ in node.replaced)
            children = [(_member(path, key), child) for key, child in [*node.replaced, *node.items()]]
        elif isinstance(node, list):
            children = [(f"{path}[{index}]", child) for index, child in enumerate(node)]
        waiting.extend(reversed(children))


def _member(path: str, key: str) -> str:
    if not key.isidentifier():
        return f"{path}[{to_text(key)}]"
    return f"{path}.{key}" if path else key
