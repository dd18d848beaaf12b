"""Text on a grid of columns: how wide it is, how it is padded and cut, and what is made visible.

East Asian wide characters take two columns, combining marks none. Characters that would move the cursor, change colours
or turn the direction of reading, and those that nobody sees, are written as escapes, so that a cell of a test set cannot
disturb a terminal.
"""

from __future__ import annotations

from typing import Final
from unicodedata import category, east_asian_width

from evaluators.scoring.values.quoting import is_invisible

_UNSAFE: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_ENDS: Final = "./_-:,"
"""Marks that end a part of a long word, such as a path."""
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    """The text in one line, with control characters written as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_NAMED.get(char) or _escape(char) if _is_unsafe(char) else char for char in text)


def width(text: str) -> int:
    """How many columns the text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(_columns(char) for char in text)


def pad(text: str, columns: int, right: bool = False) -> str:
    """The text with spaces up to that many columns, after it or (`right`) before it."""
    spaces = " " * (columns - width(text))
    return spaces + text if right else text + spaces


def clip(text: str, columns: int) -> str:
    """The text in at most that many columns; the middle of a longer one gives way to `…`."""
    if width(text) <= columns:
        return text
    room = columns - 1
    head = _beginning(text, room - room // 2)
    tail = _beginning(text[::-1], room // 2)[::-1]
    return f"{head}…{tail}"


def wrap(text: str, columns: int, indent: str = "", whole_words: bool = False) -> list[str]:
    """The text in lines of at most that many columns, those after the first indented. Nothing is cut: a word that is wider than a
    line goes on in the next one, and with `whole_words` has a line of its own."""
    lines: list[str] = []
    first, *words = text.lstrip(" ").split(" ")
    line = " " * (len(text) - len(text.lstrip(" "))) + first
    for word in words:
        if width(f"{line} {word}") <= columns:
            line = f"{line} {word}"
        else:
            lines.append(line)
            line = indent + word
    return [
        part for whole in (*lines, line) for part in ([whole] if whole_words else _break_word(whole, columns, indent))
    ]


def _break_word(line: str, columns: int, indent: str) -> list[str]:
    """A line that is too wide as several of at most `columns`, those after the first begun with `indent`. A line is broken behind the last
    mark of `_ENDS` in it where that stands in its second half, and else where it is full."""
    parts: list[str] = []
    while width(line) > columns:
        head = _beginning(line, columns)
        mark = max(head.rfind(end) for end in _ENDS) + 1
        head = head[:mark] if mark > columns // 2 else head
        parts.append(head)
        line = indent + line[len(head) :]
    return [*parts, line]


def _beginning(text: str, columns: int) -> str:
    """The longest beginning of a text that takes at most so many columns."""
    taken = 0
    for index, char in enumerate(text):
        taken += _columns(char)
        if taken > columns:
            return text[:index]
    return text


def _columns(char: str) -> int:
    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in ("W", "F") else 1


def _is_unsafe(char: str) -> bool:
    return category(char) in _UNSAFE or is_invisible(char)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
