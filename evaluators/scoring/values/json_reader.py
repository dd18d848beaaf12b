"""A strict JSON reader that says where a text stops being JSON.

It is the slow twin of the decoder in `json_text`, asked only about texts which that one refuses. It reads from any
position and stops where the value ends, so it finds values inside prose; it keeps its own stack, so no nesting is too
deep for it; and it looks at no character twice, so a search that resumes where a reading failed is linear.

Two things can be wrong with a text. A *mistake* breaks the grammar: reading stops there and `NotJSON` is raised. A
*refusal* is grammatical JSON beyond a limit (nesting, size of a number): reading goes on to the end of the value, so that
a search never mistakes a part of it for the whole.

Lone surrogate escapes (`"\\ud800"`) are kept, as the standard library keeps them: replacing them would make different
texts equal.
"""

from __future__ import annotations

import json
import re
from math import isinf
from typing import Any, Final

from msgspec import Struct

from evaluators.model.rows import JSON

MAX_DEPTH: Final = 300
"""Objects and lists inside each other in any text: a document of the depth that suites allow, and what it stands in."""

MAX_DIGITS: Final = 4300
"""Digits of an integer: more take Python quadratic time, and it would not print them."""

SHALLOW_CHARS: Final = 2 * (MAX_DEPTH + 1)
"""A shorter text cannot be nested too deep: each level takes two brackets."""
_OBJECT_CHARS: Final = 5
"""The least that an object with something in it takes beside that: `{"":` and `}`."""

JSON_BLANKS: Final = " \t\n\r"
NUMBER_LETTERS: Final = tuple(".eE0123456789")
"""What goes on with a number."""
_skip = re.compile(r"[ \t\n\r]*+").match
_number = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?").match
_unfinished_number = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.|(?:\.[0-9]++)?[eE][+-]?)\Z").match
_CHARACTERS: Final = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*+'
_string = re.compile(f'{_CHARACTERS}"').match
_begun_string = re.compile(_CHARACTERS).match
_hex_digits_to_the_end = re.compile(r"[0-9A-Fa-f]{0,3}\Z").match
_foreign = re.compile(r"-?(?:NaN|Infinity)|True|False|None|undefined").match

_LITERALS: Final[dict[str, JSON]] = {"true": True, "false": False, "null": None}


class NotJSON(ValueError):
    """The text is not JSON, or not the JSON that was asked for.

    `position` counts characters from 0; the printed sentence counts from 1, as people do. `truncated` says that the text
    ended inside the value.
    """

    def __init__(self, message: str, position: int | None = None, truncated: bool = False) -> None:
        super().__init__(message, position, truncated)
        self.message = message
        self.position = position
        self.truncated = truncated

    def again(self) -> NotJSON:
        """A copy of the error, to raise: raising one that is kept in a variable would keep its frame, and all that is in it, alive."""
        return NotJSON(self.message, self.position, self.truncated)

    def __str__(self) -> str:
        return self.message if self.position is None else f"{self.message} at character {self.position + 1}"


class ReadValue(Struct, frozen=True):
    """A value whose grammar is right, and where it ends. With a `refusal` the value must not be used."""

    value: JSON
    end: int
    refusal: NotJSON | None = None

    @property
    def usable(self) -> JSON:
        """The value. Raises the refusal where there is one."""
        if self.refusal:
            raise self.refusal.again()
        return self.value


def read(text: str, start: int = 0, depth: int = MAX_DEPTH) -> ReadValue:
    """The JSON value that begins at `start`, leading blanks aside. What follows it is not looked at.

    One that is nested deeper than `depth` levels is refused. Raises NotJSON at the first mistake; its position is never
    before `start`.
    """
    return _JsonReader(text, depth).read(start)


def is_too_deep(text: str | bytes, value: JSON, depth: int = MAX_DEPTH) -> bool:
    """Whether `value`, read from `text`, is nested deeper than `depth` levels. Counting brackets answers it for most texts; else
    the value is walked."""
    opening: Any = ("[", "{") if isinstance(text, str) else (b"[", b"{")
    lists = text.count(opening[0])
    if lists + len(text) // _OBJECT_CHARS < depth or lists + text.count(opening[1]) <= depth:
        return False
    return is_nested_deeper(value, depth)


def is_nested_deeper(value: JSON, depth: int) -> bool:
    """Whether a value has more than `depth` objects and lists inside each other."""
    level: list[Any] = [value] if type(value) is dict or type(value) is list else []
    for _ in range(depth):
        level = [
            child
            for node in level
            for child in (node.values() if type(node) is dict else node)
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True


def too_deep_message(depth: int) -> str:
    """The message about a value that is nested deeper than `depth` levels."""
    return f"objects and lists nested deeper than {depth} levels"


class _JsonReader:
    """One reading of one text."""

    __slots__ = ("depth", "refusal", "text")

    def __init__(self, text: str, depth: int) -> None:
        self.text, self.depth = text, depth
        self.refusal: NotJSON | None = None

    def read(self, pos: int) -> ReadValue:
        """The value that begins at `pos`, with its end. Raises NotJSON at the first mistake; a limit that it exceeds is its `refusal`.

        Without recursion: `open_` are the containers not yet closed, `keys` the key awaited in each open object. Each
        turn reads one value, and then closes every container that ends with it.
        """
        text = self.text
        open_: list[list[JSON] | dict[str, JSON]] = []
        keys: list[str] = []
        while True:
            pos = self.after_blanks(pos)
            value: JSON
            if (first := text[pos : pos + 1]) in ("{", "["):
                opened: list[JSON] | dict[str, JSON] = {} if first == "{" else []
                if len(open_) == self.depth:
                    self.refuse(too_deep_message(self.depth), pos)
                pos = self.after_blanks(pos + 1)
                if text[pos : pos + 1] != ("}" if first == "{" else "]"):
                    open_.append(opened)
                    if first == "{":
                        key, pos = self.key(pos)
                        keys.append(key)
                    continue
                value, pos = opened, pos + 1
            else:
                value, pos = self.scalar(first, pos)
            while open_:
                pos, more = self.store_value(value, open_[-1], keys, pos)
                if more:
                    break
                value = open_.pop()
            else:
                return ReadValue(value, pos, self.refusal)

    def store_value(
        self, value: JSON, container: list[JSON] | dict[str, JSON], keys: list[str], pos: int
    ) -> tuple[int, bool]:
        """Stores a finished value in its container. Gives a position, and whether more values follow in the container.

        Where more follow, the position is behind the comma, in an object behind the next key and its colon, and the key
        is pushed on `keys`. Else it is behind the closing bracket.
        """
        pos = self.after_blanks(pos)
        mark = self.text[pos : pos + 1]
        if isinstance(container, dict):
            if mark not in ("}", ","):
                raise self.mistake('"," or "}" expected', pos)
            container[keys.pop()] = value
            if mark == "}":
                return pos + 1, False
            key, pos = self.key(self.after_comma(pos + 1, "}"))
            keys.append(key)
            return pos, True
        if mark not in ("]", ","):
            raise self.mistake('"," or "]" expected', pos)
        container.append(value)
        return (pos + 1, False) if mark == "]" else (self.after_comma(pos + 1, "]"), True)

    def after_comma(self, pos: int, closer: str) -> int:
        """The place of the next item behind a comma. Raises where the list or object ends there instead."""
        pos = self.after_blanks(pos)
        if self.text[pos : pos + 1] == closer:
            raise self.mistake(f'nothing follows the last ",": "{closer}" found', pos)
        return pos

    def key(self, pos: int) -> tuple[str, int]:
        """The key at a place, and the place behind its colon. Raises where no quoted key or no colon stands there."""
        if self.text[pos : pos + 1] != '"':
            raise self.mistake("a key in double quotes expected", pos)
        key, pos = self.string(pos)
        pos = self.after_blanks(pos)
        if self.text[pos : pos + 1] != ":":
            raise self.mistake('":" expected', pos)
        return key, pos + 1

    def scalar(self, first: str, pos: int) -> tuple[JSON, int]:
        """The value at a place that opens no container, and the place behind it. `first` is its first character."""
        if first == '"':
            return self.string(pos)
        if number := _number(self.text, pos):
            return self.number(number, pos)
        for word, value in _LITERALS.items():
            if self.text.startswith(word, pos):
                return value, pos + len(word)
        raise self.not_a_scalar(pos)

    def number(self, match: re.Match[str], pos: int) -> tuple[JSON, int]:
        """The number that a pattern matched at a place, and the place behind it. One that is too large, or has too many digits, is noted as
        the refusal, and its value does not count. Raises NotJSON for a number that goes on with a letter or a mark."""
        token, end = match[0], match.end()
        if self.text[end : end + 1] in NUMBER_LETTERS:
            raise self.mistake(
                "a number cannot go on like this", end, truncated=_unfinished_number(self.text, pos) is not None
            )
        if match.lastindex:
            number = float(token)
            if isinf(number):
                self.refuse("a number too large", pos)
            return number, end
        try:
            if len(token.lstrip("-")) <= MAX_DIGITS:
                return int(token), end
        except ValueError:  # the interpreter was started with a lower limit than its own default
            pass
        self.refuse("a number with too many digits", pos)
        return None, end

    def string(self, pos: int) -> tuple[str, int]:
        """The text in quotes at a place, and the place behind it. Raises for control characters and escapes that JSON does not have."""
        if whole := _string(self.text, pos):
            return json.loads(whole[0]) if "\\" in whole[0] else whole[0][1:-1], whole.end()
        string = _begun_string(self.text, pos)
        end = string.end() if string else pos
        mark, letter = self.text[end : end + 1], self.text[end + 1 : end + 2]
        if mark != "\\":
            raise self.mistake("a line break, tab or other control character inside quotes", end)
        if letter != "u":
            raise self.mistake(f'"\\{letter}" is not an escape', end + 1)
        cut_off = _hex_digits_to_the_end(self.text, end + 2) is not None
        raise self.mistake('four hexadecimal digits expected after "\\u"', end + 2, truncated=cut_off)

    def after_blanks(self, pos: int) -> int:
        """The position of the next character from `pos` on that is not blank."""
        match = _skip(self.text, pos)
        return match.end() if match else pos

    def refuse(self, message: str, pos: int) -> None:
        """Remember the first limit that the value exceeds, and read on."""
        self.refusal = self.refusal or NotJSON(message, pos)

    def not_a_scalar(self, pos: int) -> NotJSON:
        """The mistake at a place where a value should begin, and none does."""
        rest = self.text[pos : pos + 5]
        if rest == "-" or (rest and any(word.startswith(rest) for word in _LITERALS)):
            return self.mistake("", pos, truncated=True)
        if foreign := _foreign(self.text, pos):
            return self.mistake(f"{foreign[0]} is not JSON", pos)
        if rest[:1] == "'":
            return self.mistake("double quotes expected, single quotes found", pos)
        return self.mistake("a value expected", pos)

    def mistake(self, message: str, pos: int, *, truncated: bool = False) -> NotJSON:
        """The error at a position. At the end of the text, or where `truncated` says so, it is that the text is cut off."""
        if truncated or pos >= len(self.text):
            return NotJSON("the text ends inside the value", len(self.text), truncated=True)
        return NotJSON(message, pos)
