"""JSON in texts: read it strictly, find it in what a model wrote, write it back.

Strategy. msgspec decodes. What it refuses for a plain mistake is told in our words from its own complaint; anything else
goes to `json_reader`, which either reads it after all (lone surrogate escapes) or says what is wrong and where. One set
of rules on both ways: NaN and Infinity are not JSON, integers are exact, of two equal keys the last one wins, a number
too large for a float is refused rather than read as infinity, and so is nesting deeper than MAX_DEPTH.

Finding never repairs. The whole text comes first, then Markdown fences, then whatever prose surrounds. Each step hands
msgspec slices that do not overlap, and the reader resumes where it failed: time grows with the length of the text alone.

A value may hold lone surrogates, which UTF-8 cannot encode; `to_text` and `compact` write them as escapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from operator import itemgetter
from typing import Any, Final, Literal

import msgspec

from evaluators.model import JSON
from evaluators.value_class import NamedTuple
from evaluators.values.json_reader import MAX_DEPTH, MAX_DIGITS, NotJSON, ReadValue, read
from evaluators.values.reasoning import blanked, outside, reasoning_in, tags_in

__all__ = [
    "MAX_CHARS",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "Found",
    "FoundDocuments",
    "NotJSON",
    "compact",
    "documents",
    "duplicate_keys",
    "objects_inside",
    "parse",
    "parse_all",
    "to_text",
]  # fmt: skip

MAX_CHARS: Final = 64 * 1024 * 1024
"""Characters of a text; a longer one is not read at all."""


class Found(NamedTuple):
    """A value, how it was found, and the characters it covers: `parse(text[start:end])` gives it again."""

    value: JSON
    how: Literal["whole", "fence", "embedded"]
    start: int
    end: int


class FoundDocuments(NamedTuple):
    """Every JSON document of a text, in order. `text` is what was searched: reasoning is blanks there."""

    text: str
    found: tuple[Found, ...]
    problem: NotJSON | None = None
    """Why the most promising place failed, where nothing was found."""
    reasoning: bool = False
    """Some of the text was reasoning, and set aside."""
    whole: bool = False
    """The one document is all that there is, or all that the only code fence holds: it is not searched further."""


_STARTS: Final = re.compile(r"[\[{]")
_OBJECT_STARTS: Final = re.compile(r"\{")

_BOM: Final = "\ufeff"
_BLANKS: Final = _BOM + "".join(filter(str.isspace, map(chr, range(0x3001))))
_skip_blanks: Final = re.compile(f"[{re.escape(_BLANKS)}]*+").match
_JSON_BLANKS: Final = " \t\n\r"
_VALUE_STARTS: Final = tuple('{["-0123456789tfn')
_more_before: Final = re.compile(r"[{\[<◁]").search
_more_after: Final = re.compile(r"[{\[<◁]|```|~~~").search
"""What may begin another document, a reasoning or a fence, before and after the one that was found."""
_place: Final = itemgetter(0)
_NO_PROSE: Final = frozenset((*_BLANKS, *_VALUE_STARTS))
_USUAL_FENCE: Final = "```json\n{"

_opening: Final = re.compile(
    r"(([`~])\2\2)\2*+[ \t]*+"  # three or more of one mark
    r"(?:[A-Za-z][\w+.#-]*+(?:[ \t][^\n`~{\[]*+(?=\n))?)?"  # perhaps a word such as json, perhaps the rest of its line
).search

_decode: Callable[[str | bytes | memoryview], JSON] = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_dump = json.JSONEncoder(ensure_ascii=False).encode
_dump_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode

_REFUSED: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
_SHALLOW_CHARS: Final = 2 * (MAX_DEPTH + 1)
"""A shorter text cannot be nested too deep: each level takes two brackets."""
_OBJECT_CHARS: Final = 5
"""The least that an object with something in it takes beside that: `{"":` and `}`."""


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
_NUMBER_LETTERS: Final = tuple(".eE0123456789")


def parse(text: str | bytes) -> JSON:
    """The JSON value that the whole text is.

    Raises NotJSON, and nothing else, with the position in characters and the reason in plain words.
    """
    try:
        return _decoded(text)
    except _REFUSED:
        return _usable(_read_whole(_as_str(text)))


def parse_all(texts: Iterable[Any], otherwise: Callable[[Any], Any]) -> list[Any]:
    """`parse` of many texts; what is not JSON, or no text, becomes what `otherwise` makes of it."""
    decode, found = _decode, list[Any]()
    add = found.append
    for text in texts:
        try:
            if text.__class__ is not str:
                add(otherwise(text))
            elif len(text) < _SHALLOW_CHARS or text.count("[") + len(text) // _OBJECT_CHARS < MAX_DEPTH:
                add(decode(text))
            else:
                add(_decoded(text))
        except _REFUSED:
            add(otherwise(text))
    return found


def duplicate_keys(text: str | bytes) -> tuple[str, ...]:
    """Where a key occurs twice in one object (`items[3].sku`), each place once.

    Raises NotJSON as `parse` does.
    """
    text = _as_str(text)
    parse(text)
    return tuple(dict.fromkeys(_repeated(_decode_remembering(text))))


def documents(text: str) -> FoundDocuments:
    """Every JSON document of a text that may hold more, from left to right, never one inside another.

    A text that is JSON as a whole is its only document, whatever stands inside. Otherwise reasoning is set aside by its
    tags, and what is left may be JSON as a whole; else it is searched: a code fence may hold any JSON, prose holds objects
    and lists. A document that is cut off, or that we refuse, does not count. Blanks and a byte order mark around the text
    do not matter.

    Raises NotJSON when the text is empty, too long, or nothing but reasoning, and when it is as a whole a document that
    is cut off or refused.
    """
    text = _trimmed(text)
    if not text:
        raise NotJSON("the text is empty")
    fenced = _plainly_fenced(text)
    if fenced:
        return FoundDocuments(text, (fenced,), whole=True)
    whole = _whole(text)
    if whole is not None:
        return FoundDocuments(text, (whole,), whole=True)
    rest = _without_reasoning(text)
    if rest is text:
        return FoundDocuments(text, *_found_in(text))
    whole = _whole(rest)
    if whole is not None:
        return FoundDocuments(rest, (whole._replace(how="embedded"),), reasoning=True, whole=True)
    return FoundDocuments(rest, *_found_in(rest), reasoning=True)


def objects_inside(text: str) -> list[Found]:
    """The objects in prose that stand in lists, and those that do not, from left to right."""
    readings = _readings(text, {}, [], _OBJECT_STARTS)
    return [Found(reading.value, "embedded", at, reading.end) for at, reading in readings if reading.refusal is None]


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


def _decoded(text: str | bytes) -> JSON:
    """What msgspec makes of the text; raises one of _REFUSED, also for what our limits refuse."""
    if len(text) < _SHALLOW_CHARS:
        return _decode(text)
    if len(text) > MAX_CHARS:
        text = _as_str(text)
    value = _decode(text)
    if _too_deep(text, value):
        raise RecursionError
    return value


def _as_str(text: str | bytes) -> str:
    try:
        text = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        raise NotJSON("the text is not UTF-8", len(error.object[: error.start].decode())) from None
    if len(text) > MAX_CHARS:
        raise NotJSON(f"the text is longer than {MAX_CHARS:,} characters")
    return text


def _too_deep(text: str | bytes, value: JSON) -> bool:
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
    if not text.strip(_BLANKS):
        raise NotJSON("the text is empty")
    if text.startswith(_BOM):
        raise NotJSON("the text starts with a byte order mark, which is not JSON", 0)
    reading = read(text)
    rest = text[reading.end :].lstrip(_JSON_BLANKS)
    if rest:
        raise NotJSON("the value is complete, but the text goes on", len(text) - len(rest))
    return reading


def _usable(reading: ReadValue) -> JSON:
    if reading.refusal:
        raise reading.refusal.again()
    return reading.value


def _trimmed(text: str) -> str:
    """The text without the blanks at its end; positions stay what they were."""
    return _as_str(text).rstrip(_BLANKS)


def _whole(text: str) -> Found | None:
    """The text as one value; None when it is more than that, or something else.

    Raises NotJSON when it is a value that we refuse, or an object or array that is cut off.
    """
    start = len(text) - len(text.lstrip(_BLANKS))
    if text[start] not in _VALUE_STARTS:
        return None
    try:
        reading = _Places(text).read(start)
    except NotJSON as problem:
        if problem.truncated and text[start] in "{[":
            raise
        return None
    return Found(_usable(reading), "whole", start, len(text)) if reading.end == len(text) else None


def _without_reasoning(text: str) -> str:
    """The text with blanks in place of reasoning; the very same text where there is none."""
    tags = tags_in(text)
    if tags:
        spans = [(at, reading.end) for at, reading in _readings(text, {}, [])]
        tags = outside(tags, spans)
    if not tags:
        return text
    rest = blanked(text, reasoning_in(tags, len(text))).rstrip(_BLANKS)
    if not rest:
        raise NotJSON("the text is nothing but reasoning")
    return rest


def _plainly_fenced(text: str) -> Found | None:
    """The usual answer of a model, at full speed: an object in a fence, perhaps in plain prose; None for all else."""
    if text[0] in _NO_PROSE:
        return None
    fence = text.find("```")
    start = fence + len(_USUAL_FENCE) - 1
    if fence < 0 or not text.startswith(_USUAL_FENCE, fence) or text.find("~~~", 0, fence) >= 0:
        return None
    end = text.find("```", start)
    content = text[start : len(text) if end < 0 else end].rstrip(_BLANKS)
    if (fence and _more_before(text, 0, fence)) or (0 <= end < len(text) - 3 and _more_after(text, end + 3)):
        return None
    try:
        value = _decoded(content)
    except _REFUSED:
        return None
    return Found(value, "fence", start, start + len(content))


def _found_in(text: str) -> tuple[tuple[Found, ...], NotJSON | None]:
    """The documents in fences and in prose, in order; where there are none, why."""
    fences = dict(_fences(text))
    shot = None if fences else _from_first_to_last(text)
    if shot:
        at, reading = shot
        return (Found(reading.value, "embedded", at, reading.end),), None
    mistakes: list[tuple[int, NotJSON]] = []
    readings = list(_readings(text, fences, mistakes))
    if fences.keys() - {at for at, _ in readings}:
        readings = _merged(readings, fences)
    found = tuple(
        Found(reading.value, "fence" if at in fences else "embedded", at, reading.end)
        for at, reading in readings
        if reading.refusal is None
    )
    if found:
        return found, None
    refusal = next((reading.refusal for _, reading in readings if reading.refusal is not None), None)
    return (), refusal or (mistakes[-1][1] if mistakes else None)


def _merged(readings: list[tuple[int, ReadValue]], fences: dict[int, ReadValue]) -> list[tuple[int, ReadValue]]:
    """The values of prose and of fences in order. One that begins inside another is a part of it."""
    merged: list[tuple[int, ReadValue]] = []
    end = 0
    for at, reading in sorted({**dict(readings), **fences}.items(), key=_place):
        if at >= end:
            merged.append((at, reading))
            end = reading.end
    return merged


def _fences(text: str) -> Iterator[tuple[int, ReadValue]]:
    """Each fence whose content is JSON: where the value starts, and the value. A last fence may lack its end."""
    pos = _first_fence(text)
    while opening := _opening(text, pos):
        mark, start = opening[1], _after_blanks(text, opening.end())
        reading, pos = _fenced(text, start, mark)
        if reading:
            yield start, reading
        pos = _past_closing(text, pos, mark)


def _first_fence(text: str) -> int:
    """Where a fence may open first; the end of the text when none does."""
    # two plain searches cost less than the pattern, and most texts have no fence
    ticks, tildes = text.find("```"), text.find("~~~")
    if ticks < 0 or tildes < 0:
        ticks = max(ticks, tildes)
        return ticks if ticks >= 0 else len(text)
    return min(ticks, tildes)


def _fenced(text: str, start: int, mark: str) -> tuple[ReadValue | None, int]:
    """What the fence holds, if JSON, and where its closing mark is looked for."""
    end = text.find(mark, start)
    content = text[start : len(text) if end < 0 else end].rstrip(_BLANKS)
    stop = start + len(content)
    try:
        return ReadValue(_decoded(content), stop, None), stop
    except _REFUSED:
        pass
    if not content.startswith(_VALUE_STARTS):
        return None, stop
    try:
        reading = read(text, start)  # beyond the first mark, which may stand inside quotes
    except NotJSON as problem:
        return None, max(stop, problem.position or 0)
    return reading if _closed(text, reading.end, mark) else None, max(stop, reading.end)


def _closed(text: str, end: int, mark: str) -> bool:
    end = _after_blanks(text, end)
    return end == len(text) or text.startswith(mark, end)


def _past_closing(text: str, pos: int, mark: str) -> int:
    """Where the next fence may open. A mark with a word right after it closes nothing: it opens."""
    closing = text.find(mark, pos)
    if closing < 0:
        return len(text)
    end = closing + len(mark)
    while text.startswith(mark[0], end):
        end += 1
    return closing if text[end : end + 1].isalpha() else end


def _after_blanks(text: str, pos: int) -> int:
    match = _skip_blanks(text, pos)
    return match.end() if match else pos


def _readings(
    text: str, known: Mapping[int, ReadValue], mistakes: list[tuple[int, NotJSON]], starts: re.Pattern[str] = _STARTS
) -> Iterator[tuple[int, ReadValue]]:
    """Each value in the prose and where it starts; those that are `known` are not read again.

    A place that fails is passed over up to where it failed; a value that the text cuts off ends the search. What failed
    is kept in `mistakes`, the most promising last.
    """
    pos, places = 0, _Places(text)
    while start := starts.search(text, pos):
        at = start.start()
        try:
            reading = known.get(at) or places.read(at)
        except NotJSON as problem:
            pos = problem.position or 0
            if problem.truncated or not mistakes or pos - at > mistakes[-1][0]:
                mistakes.append((pos - at, problem.again()))
        else:
            pos = reading.end
            yield at, reading


def _from_first_to_last(text: str) -> tuple[int, ReadValue] | None:
    """The usual case, at full speed: all from the first bracket to the last one is a single value."""
    start = _STARTS.search(text)
    end = 1 + max(text.rfind("]"), text.rfind("}"))
    if start is None or end <= start.start():
        return None
    try:
        return start.start(), ReadValue(_decoded(text[start.start() : end]), end, None)
    except _REFUSED:
        return None


class _Places:
    """Reads values at places of one text, from left to right, as `json_reader.read` does, but with msgspec.

    msgspec reads on from a place without a copy of the text. It stops at a mistake or after the value, and its complaint
    says where: so no character is read more than twice.
    """

    __slots__ = ("_byte", "_char", "_data", "_end", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = len(text.rstrip(_JSON_BLANKS))
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
            end = at + len(text[at : self._chars(data, at, passed)].rstrip(_JSON_BLANKS))
            with suppress(*_REFUSED):
                reading = self._reading(data[:passed], at, end)
                if isinstance(reading.value, (dict, list)):  # a number may not go on just anyhow
                    return reading
        elif what in _MISTAKES:
            pos = self._chars(data, at, passed)
            if text[pos] not in _NUMBER_LETTERS:
                raise NotJSON(_MISTAKES[what], pos)
        return read(text, at)

    def _reading(self, data: memoryview, start: int, end: int) -> ReadValue:
        value = _decode(data)
        if end - start >= _SHALLOW_CHARS and _too_deep(self._text[start:end], value):
            raise RecursionError
        return ReadValue(value, end, None)

    def _chars(self, data: memoryview, at: int, passed: int) -> int:
        """The character after so many bytes of the data, which begins at the character `at`."""
        return at + (passed if len(data) == len(self._text) - at else len(str(data[:passed], "utf-8")))

    def _bytes_before(self, at: int) -> int:
        if self._data is not None and len(self._data) == len(self._text):
            return at
        self._byte += len(self._text[self._char : at].encode())
        self._char = at
        return self._byte


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
