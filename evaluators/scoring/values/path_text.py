"""The text of paths: dot notation and JSON Pointer read into steps, and steps spelled in dots.

A step is a key, a list index or `ANY`. Digits without a leading zero are an index that also fits an object's key;
quoted digits are a key only. JSONPath has a module of its own (`jsonpath_text`), which borrows the quoted keys, the
indexes and the errors from here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache
from typing import Final, TypeAlias

from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.scoring.values.quoting import json_escape


class Every(Enum):
    """The type of `ANY`."""

    ANY = "*"

    __hash__ = object.__hash__  # written in C: paths are looked up all the time

    def __repr__(self) -> str:
        return "ANY"


ANY: Final = Every.ANY
"""The step that goes to every item of a list and to every value of an object."""

Step: TypeAlias = str | int | Every
Location: TypeAlias = tuple[str | int, ...]


class BadPath(ValueError):
    """A path that cannot be read: what is wrong, at which character (from 0), and one suggestion."""

    def __init__(self, message: str, position: int, hint: str | None = None) -> None:
        self.message = message
        self.position = position
        self.hint = hint
        super().__init__(message)

    def __reduce__(self) -> tuple[type[BadPath], tuple[str, int, str | None]]:
        return BadPath, (self.message, self.position, self.hint)

    def __str__(self) -> str:
        return f"{self.message} (character {self.position + 1} of the path)"


_INDEX: Final = late_pattern(r"0|[1-9][0-9]{0,14}", re.ASCII)
_BRACKETED_INDEX: Final = late_pattern(r"-?[0-9]+", re.ASCII)
_NEEDS_QUOTES: Final = late_pattern(r"[\s.\[\]\"'\\/]|^[$]|^[0-9]+$|^\*?$")
"""Of a key, that dot notation can only spell it in brackets and quotes; and so it is with what cannot be seen."""
_IN_QUOTES: Final = late_pattern(r"([\"']).*?\1")
_BLANKS: Final = late_pattern(r"[ \t\r\n]*")
_SEGMENT: Final = late_pattern(r"[^.\[\]\\]*")
_PROTECTED: Final = late_pattern(r"(?:\\.|[^.\[\\])*")
_SURROGATES: Final = late_pattern("[\ud800-\udbff][\udc00-\udfff]")
_ESCAPED: Final = {'"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def as_step(segment: str) -> str | int:
    """A segment as written without quotes: an index when it is the digits of one, else a key."""
    return int(segment) if _INDEX.fullmatch(segment) else segment


# Dot notation


def read_dots(text: str) -> tuple[tuple[Step, ...], tuple[bool, ...]]:
    """The steps of a path in dot notation and, for each, whether a plain dot joins it to the step before. Raises BadPath."""
    refuse_outer_spaces(text)
    steps: list[Step] = []
    joins: list[bool] = []
    plain = False
    at = 0
    while at < len(text):
        if text[at] == "[":
            step, at = _read_dot_bracket(text, at)
            steps.append(step)
            joins.append(False)
            plain = False
            continue
        dotted = at > 0
        if dotted and text[at] != ".":
            raise BadPath(
                f"{quote_char(text[at])} comes right after a bracket", at, 'after "]" write a dot, a bracket, or nothing'
            )
        segment, at = _read_segment(text, at + 1 if dotted else at)
        steps.append(as_step(segment))
        joins.append(dotted and plain)
        plain = True
    return tuple(steps), tuple(joins)


def refuse_outer_spaces(text: str) -> None:
    """Raises BadPath for a path that begins or ends with a space, which is nearly always a slip."""
    bare = text.strip()
    if bare == text:
        return
    if not bare:
        raise BadPath("the path is only spaces", 0, 'write "$" for the whole document')
    at = 0 if text[0].isspace() else len(text.rstrip())
    raise BadPath(
        f"a space {'before' if at == 0 else 'after'} the path",
        at,
        f"write {bare}, or quote a key that has the space: {display((text,))}",
    )


def _read_segment(text: str, start: int) -> tuple[str, int]:
    """The key that starts at a place of a path without quotes, and the place behind it. Raises BadPath."""
    stretch = _SEGMENT.match(text, start)
    end = stretch.end() if stretch else start
    if text.startswith("]", end):
        raise BadPath('"]" without a "[" before it', end, _quote_hint(_word_from(text, start)))
    if text.startswith("\\", end):
        raise BadPath("a backslash outside quotes", end, _quote_hint(_word_from(text, start).replace("\\.", ".")))
    segment = text[start:end]
    if not segment:
        raise _empty_segment(text, start)
    if segment == "*":
        raise BadPath('"*" is not a key', start, 'write [*] for every item, or ["*"] for a key with that name')
    if segment[0] in "\"'":
        raise BadPath("quotes only work inside brackets", start, _bracket_hint(text, start))
    if segment != segment.strip():
        at = start if segment[0].isspace() else start + len(segment.rstrip())
        raise BadPath("a space beside a dot or a bracket", at, _quote_hint(segment))
    return segment, end


def _empty_segment(text: str, at: int) -> BadPath:
    """The refusal of a path with nothing between two dots, or with a dot at an end or before a bracket."""
    if at == 0:
        return BadPath("the path begins with a dot", 0, "leave the first dot out")
    if not text[at:].strip("."):
        return BadPath("the path ends with a dot", len(text) - 1, "leave the last dot out")
    if text[at] == "[":
        return BadPath("a dot before a bracket", at - 1, f"leave the dot out: {text[: at - 1]}{text[at:]}")
    before = text[: at - 1]
    return BadPath(
        "nothing between two dots",
        at,
        f'for an empty key write {before}[""]{text[at:]}; for a name at any depth start with $: $.{before}.{text[at:]}',
    )


def _bracket_hint(text: str, start: int) -> str:
    """A hint with the text in quotes at `start` put in brackets; for a text without quotes, with a key in quotes."""
    word = _IN_QUOTES.match(text, start)
    return f"write [{word[0]}]" if word else _quote_hint(_word_from(text, start))


def _word_from(text: str, start: int) -> str:
    """The segment that begins here, where a backslash protects the character after it."""
    word = _PROTECTED.match(text, start)
    return word[0] if word else ""


def _quote_hint(key: str) -> str:
    """A hint with the path of a key in quotes."""
    return f"if this is part of a key, quote the key: {display((key,))}"


def _read_dot_bracket(text: str, start: int) -> tuple[Step, int]:
    """The step in the brackets that open at `start`, and the place behind them. Raises BadPath."""
    at = skip_blanks(text, start + 1)
    first = text[at : at + 1]
    if not first:
        raise unclosed_bracket(start)
    step: Step
    if first == "*":
        step, at = ANY, at + 1
    elif first in "\"'":
        step, at = read_quoted(text, at)
    elif first in "-0123456789" and text[at + 1 : at + 2] != ":":
        step, at = read_index(text, at)
    elif first == "]":
        raise BadPath("empty brackets", at, "write [*] for every item, [0] for the first")
    else:
        raise _odd_bracket(text, at)
    at = skip_blanks(text, at)
    if at >= len(text):
        raise unclosed_bracket(start)
    if text[at] in ",:":
        raise _odd_bracket(text, at)
    if text[at] != "]":
        raise BadPath(f'{quote_char(text[at])} where "]" should be', at)
    return step, at + 1


def _odd_bracket(text: str, at: int) -> BadPath:
    """The refusal of brackets that hold a filter, a slice, several keys, or a key without quotes."""
    if text[at] in "?,:(-0123456789":
        lead = "" if text[0] == "[" else "."
        return BadPath("filters, slices and lists of keys need JSONPath", at, f"start the path with $: ${lead}{text}")
    word = text[at:].split("]")[0]
    return BadPath("a key in brackets needs quotes", at, f"write {spell_quoted(word)}")


# Parts that dot notation and JSONPath share


def skip_blanks(text: str, at: int) -> int:
    """The position of the next character that is not blank."""
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def unclosed_bracket(start: int) -> BadPath:
    """The error for the bracket at `start`, which is never closed."""
    return BadPath('"[" without a "]" after it', start, 'close the bracket with "]"')


def read_index(text: str, start: int) -> tuple[int, int]:
    """The list index inside brackets at `start`, and the position after it. Negative ones count from the end. Raises BadPath."""
    match = _BRACKETED_INDEX.match(text, start)
    if match is None:
        raise BadPath('"-" without a number', start, "write [-1] for the last item")
    digits = match[0].removeprefix("-")
    if digits != "0" and digits.startswith("0"):
        raise BadPath(
            "an index with a leading zero", start, f'write [{digits.lstrip("0") or 0}], or ["{digits}"] for a key'
        )
    if match[0] == "-0":
        raise BadPath('"-0" is not an index', start, "write [0] for the first item, [-1] for the last")
    if len(digits) > 15:
        raise BadPath("an index with more than 15 digits", start, "if it is a key, put it in quotes")
    return int(match[0]), match.end()


def read_quoted(text: str, start: int) -> tuple[str, int]:
    """The text in single or double quotes at `start`, with its backslash escapes undone, and the position after it. Raises BadPath."""
    quote = text[start]
    parts: list[str] = []
    at = start + 1
    while at < len(text):
        char = text[at]
        if char == quote:
            return _SURROGATES.sub(_join_surrogates, "".join(parts)), at + 1
        if char == "\\":
            char, at = _read_escape(text, at)
        else:
            at += 1
        parts.append(char)
    raise BadPath(f"{quote} is never closed", start, "close the quotes")


def _join_surrogates(pair: re.Match[str]) -> str:
    """The character for which two halves of a surrogate pair stand."""
    return pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _read_escape(text: str, at: int) -> tuple[str, int]:
    """The character of the escape at a place, and the place behind it. Raises BadPath for an escape that JSON does not have."""
    kind = text[at + 1 : at + 2]
    if kind in _ESCAPED:
        return _ESCAPED[kind], at + 2
    digits = text[at + 2 : at + 6]
    if kind == "u" and re.fullmatch("[0-9A-Fa-f]{4}", digits):
        return chr(int(digits, 16)), at + 6
    raise BadPath(f'"\\{kind}" is not an escape', at, r"write \\ for a backslash, \" for a quote, \u00e9 for a character")


def quote_char(char: str) -> str:
    """A character in quotes, as messages name it; a double quote in single ones."""
    return f"'{char}'" if char == '"' else f'"{char}"'


# JSON Pointer


def read_pointer(text: str) -> tuple[Step, ...]:
    """The steps of a JSON Pointer, RFC 6901 to the letter: nothing is trimmed, no % is decoded.

    Source: RFC 6901, sections 3 and 4.
    """
    steps: list[Step] = []
    at = 1
    for token in text.split("/")[1:]:
        if wrong := re.search("~(?![01])", token):
            raise BadPath(
                '"~" must be followed by 0 or 1 in a path that starts with "/"',
                at + wrong.start(),
                'write "~0" for "~" and "~1" for "/" inside a key',
            )
        steps.append(as_step(token.replace("~1", "/").replace("~0", "~")))
        at += len(token) + 1
    return tuple(steps)


# Spelling


def display(location: Iterable[Step]) -> str:
    """The one dot spelling that results, exports and messages use: `items[3].sku`, `["odd key"]`, `$` for the whole."""
    return _display_steps(tuple(location))


@lru_cache(maxsize=4096)
def _display_steps(location: tuple[Step, ...]) -> str:
    """The path of a location as people read it; `$` for the whole document. Cached, as the same ones come again and again."""
    parts: list[str] = []
    for step in location:
        plain = isinstance(step, str) and step.isprintable() and not _NEEDS_QUOTES.search(step)
        parts.append(f"{'.' if parts else ''}{step}" if plain else _bracket_text(step))
    return "".join(parts) or "$"


def display_plainly(location: Iterable[Step]) -> str:
    """A path as `display` writes it, for people: a key of several words as it is, `order number`, which is read as the same path."""
    parts: list[str] = []
    for step in location:
        plain = isinstance(step, str) and step.isprintable() and not _NEEDS_QUOTES.search(_LONE_SPACE.sub("", step))
        parts.append(f"{'.' if parts else ''}{step}" if plain else _bracket_text(step))
    return "".join(parts) or "$"


_LONE_SPACE: Final = late_pattern(r"(?<=[^\s,;:]) (?=\S)")


def _bracket_text(step: Step) -> str:
    """A step in brackets: a key in double quotes, an index, or `*`."""
    if isinstance(step, str):
        return spell_quoted(step)
    return f"[{'*' if step is ANY else step}]"


def spell_quoted(key: str) -> str:
    """A key in brackets and double quotes."""
    return (
        '["' + "".join(_ESCAPES.get(char) or (char if char.isprintable() else json_escape(char)) for char in key) + '"]'
    )
