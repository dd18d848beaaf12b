"""A line of text with a caret under one place, for any terminal.

Tabs are repeated before the caret, so that it lines up whatever a tab is worth. Wide characters count two columns and
combining marks none. A long line is cut around the caret.

A line of YAML with quotes put around the words that cannot stand bare.

It reads one line the way its author meant it: brackets inside a path (`items[*].b`) belong to the path, and everything
after the first colon of a line is one value. The answer is a suggestion, checked by whoever shows it.
"""

from __future__ import annotations

import re
import unicodedata

from evaluators.scoring.values.late_pattern import late_pattern

WIDTH = 110
_LINE_BREAK = "\r\n|[\r\n\x85\u2028\u2029]"

_ADDRESS_OF_SOMEBODY = r"(?<=://)[^\s\"']*@[^\s\"']*"
_UNSEEN = "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufeff]"


def lines_of(text: str) -> list[str]:
    """The lines of a text, as YAML counts them, without their breaks."""
    return re.split(_LINE_BREAK, text)


def with_caret(line: str, column: int) -> str:
    """The line, and below it a caret under `column`, which counts characters from 0."""
    # stars over an address that says who may go in, so that the caret still fits
    line = re.sub(_ADDRESS_OF_SOMEBODY, lambda match: "*" * len(match[0]), line.rstrip())
    line, column = _window(re.sub(_UNSEEN, "\ufffd", line), column)
    return f"{line}\n{''.join(_blanks_as_wide_as(character) for character in line[:column])}^"


def _window(line: str, column: int) -> tuple[str, int]:
    """(part, column): the part of a long line around a column, and the column in that part; a short line as it is."""
    column = min(column, len(line))
    if len(line) <= WIDTH:
        return line, column
    start = max(0, min(column - WIDTH // 2, len(line) - WIDTH))
    end = start + WIDTH
    head, tail = "…" if start else "", "…" if end < len(line) else ""
    return head + line[start:end] + tail, column - start + len(head)


def _blanks_as_wide_as(character: str) -> str:
    """The blanks as wide as a character on a screen."""
    if character == "\t":
        return "\t"
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return ""
    return "  " if unicodedata.east_asian_width(character) in "WF" else " "


_START = late_pattern(r"\s*(?:-\s+)*")
_PATH_START = late_pattern(r"\[(?:\*|\d+)\](?=[.\[: \t])")
_BARE_ALIAS = late_pattern(r"\*[\w-]+")
_QUOTED = late_pattern(r'"(?:[^"\\]|\\.)*"' + r"|'(?:[^']|'')*'")


def quote_words(line: str, at: int | None = None) -> str:
    """The line with quotes around each word that YAML cannot read without them, and around the word that begins at column `at`."""
    start = _START.match(line)
    i = start.end() if start else 0
    out = [line[:i]]
    depth, in_value = 0, False
    while i < len(line):
        piece, word = _next_piece(line, i, depth, in_value)
        if word:
            must = i == at or _cannot_stand_bare(piece, depth)
            out.append(in_yaml_quotes(piece) if must else piece)
        else:
            out.append(piece)
            depth += (piece in "[{") - (piece in "]}") if len(piece) == 1 else 0
            in_value = in_value or (piece == ":" and depth == 0)
        i += len(piece)
    return "".join(out)


def in_yaml_quotes(text: str) -> str:
    """The text in quotes of YAML that need no escapes: double ones, or single ones where it has double quotes or backslashes."""
    return "'" + text.replace("'", "''") + "'" if '"' in text or "\\" in text else f'"{text}"'


def _next_piece(line: str, i: int, depth: int, in_value: bool) -> tuple[str, bool]:
    """(piece, is_word): the piece of the line that begins at `i`, and whether it is a word without quotes. `depth` counts the brackets
    around it; `in_value` says that the line's key has ended."""
    character = line[i]
    if character.isspace():
        return character, False
    if character == "#" and (i == 0 or line[i - 1].isspace()):
        return line[i:], False
    if character in "\"'":
        match = _QUOTED.match(line, i)
        return (match[0] if match else line[i:]), False
    if character in "[{" and not _PATH_START.match(line, i):
        return character, False
    if (depth and character in "]},") or (character == ":" and _ends_key(line, i, depth)):
        return character, False
    return line[i : _word_end(line, i, depth, in_value)].rstrip(), True


def _ends_key(line: str, i: int, depth: int) -> bool:
    """Whether the colon at `i` ends a key: nothing, a blank, or inside brackets their end, is behind it."""
    after = line[i + 1 : i + 2]
    return not after or after.isspace() or (depth > 0 and after in ",]}")


def _word_end(line: str, i: int, depth: int, in_value: bool) -> int:
    """The index behind the word that begins at `i`: a comment, the colon of a key or, inside brackets, a comma or the closing bracket ends
    it, else the line. `depth` counts the brackets around it; `in_value` says that the line's key has ended."""
    inner = 0
    for j in range(i, len(line)):
        character = line[j]
        if character == "#" and j > i and line[j - 1].isspace():
            return j
        if depth == 0:
            if not in_value and character == ":" and _ends_key(line, j, depth):
                return j
        elif character in "[{":
            inner += 1
        elif character in "]}" and inner:
            inner -= 1
        elif not inner and (character in "]}," or (character == ":" and _ends_key(line, j, depth))):
            return j
    return len(line)


def _cannot_stand_bare(word: str, depth: int) -> bool:
    """Whether YAML reads a word without quotes otherwise than meant. `depth` counts the brackets around it."""
    if word[0] in "@`%" or (word[0] == "*" and not _BARE_ALIAS.fullmatch(word)):
        return True
    if word[0] == "[" or ": " in word or word.endswith(":"):
        return True
    return depth > 0 and any(character in "[]{}" for character in word)
