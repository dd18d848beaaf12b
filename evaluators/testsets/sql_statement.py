"""What can be said of an SQL statement without a database: that it is one, that it reads, and whether it says an order.

Comments, texts, quoted names and whatever stands in parentheses are set aside. What is left are the words of the statement
itself: an ORDER BY in there orders its rows, and one inside parentheses does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

_TOKENS: Final = re.compile(
    r"""
      --[^\n]* | /\*.*?(?:\*/|\Z)             # comments
    | \b[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z)       # texts in which a backslash takes the next character
    | '(?:[^']|'')*(?:'|\Z)                   # texts
    | "(?:[^"]|"")*(?:"|\Z) | `[^`]*(?:`|\Z)  # quoted names
    | (?P<dollars>\$\w*\$).*?(?:(?P=dollars)|\Z)
    | (?P<sign>[();])
    | (?P<word>\w+)
    """,
    re.VERBOSE | re.DOTALL,
)
_READING: Final = frozenset({"select", "with", "values", "table", "from"})


def words_of(statement: str) -> list[str]:
    """The words outside parentheses in small letters, and the semicolons that have something behind them."""
    found: list[str] = []
    depth = 0
    for kind, text in _tokens(statement):
        if kind == "sign" and text != ";":
            depth = max(0, depth + (1 if text == "(" else -1))
        elif depth == 0:
            found.append(text.lower())
    while found and found[-1] == ";":
        found.pop()
    return found


def why_not_a_query(statement: str) -> str | None:
    """What keeps a text from being one statement that reads; None where nothing does."""
    words = words_of(statement)
    if ";" in words:
        return "it holds several statements, and one is expected"
    first = next((text.lower() for kind, text in _tokens(statement) if kind == "word"), None)
    if first is None:
        return "it holds no statement"
    if first not in _READING:
        return (
            f'it begins with "{first}", and only a statement that reads can be a test set: one that begins with "select"'
        )
    if "into" in words:
        return 'it has "into", and a statement that writes what it finds cannot be a test set'
    return None


def says_an_order(statement: str) -> bool:
    """Whether the statement itself has an ORDER BY."""
    words = words_of(statement)
    return any(pair == ("order", "by") for pair in pairwise(words))


def _tokens(statement: str) -> Iterator[tuple[str, str]]:
    for found in _TOKENS.finditer(statement):
        if found["sign"] or found["word"]:
            yield ("sign" if found["sign"] else "word"), found[0]
