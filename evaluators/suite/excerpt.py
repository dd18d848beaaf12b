"""A line of text with a caret under one place, for any terminal.

Tabs are repeated before the caret, so that it lines up whatever a tab is worth. Wide characters count two columns and
combining marks none. A long line is cut around the caret.
"""

from __future__ import annotations

import re
import unicodedata

WIDTH = 110
_LINE_BREAK = "\r\n|[\r\n\x85\u2028\u2029]"

_ADDRESS_OF_SOMEBODY = r"(?<=://)[^\s\"']*@[^\s\"']*"
_UNSEEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff]"


def lines_of(text: str) -> list[str]:
    """The lines of a text, as YAML counts them, without their breaks."""
    return re.split(_LINE_BREAK, text)


def with_caret(line: str, column: int) -> str:
    """The line, and below it a caret under `column`, which counts characters from 0."""
    line, column = _window(re.sub(_UNSEEN, "\ufffd", _without_secrets(line.rstrip())), column)
    return f"{line}\n{''.join(_pad(character) for character in line[:column])}^"


def _without_secrets(line: str) -> str:
    """The line with stars over an address that says who may go in, so that the caret still fits."""
    return re.sub(_ADDRESS_OF_SOMEBODY, lambda found: "*" * len(found[0]), line) if "://" in line else line


def _window(line: str, column: int) -> tuple[str, int]:
    column = min(column, len(line))
    if len(line) <= WIDTH:
        return line, column
    start = max(0, min(column - WIDTH // 2, len(line) - WIDTH))
    end = start + WIDTH
    head, tail = "…" if start else "", "…" if end < len(line) else ""
    return head + line[start:end] + tail, column - start + len(head)


def _pad(character: str) -> str:
    if character == "\t":
        return "\t"
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return ""
    return "  " if unicodedata.east_asian_width(character) in "WF" else " "
