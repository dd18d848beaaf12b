"""The encoding that a file of delimited text seems to have, where nobody says it."""

from __future__ import annotations

import codecs
from typing import Final

from evaluators.testsets.byte_source import ByteSource

WINDOWS: Final = "cp1252"
_HEAD_BYTES: Final = 1024 * 1024
_SUFFIXES: Final = (".csv", ".tsv", ".txt", "")


def seeming_encoding(source: ByteSource) -> str | None:
    """The encoding of a file of delimited text whose beginning is not UTF-8; None for any other file.

    A file none of whose lines with letters beyond ASCII is UTF-8 is taken for one of Windows, in which every text of western
    Europe is written; whether it is one cannot be known, so whoever asks says so (`encoding_note`). Where some such lines are
    UTF-8, the others are damaged, and stay problems of their rows.
    """
    if source.suffix not in _SUFFIXES:
        return None
    data = source.head(_HEAD_BYTES)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if data.isascii():
        return None
    lines = data.splitlines()
    whole = lines if len(data) < _HEAD_BYTES or len(lines) == 1 else lines[:-1]
    beyond = [line for line in whole if not line.isascii()]
    return WINDOWS if beyond and not any(map(_is_utf8, beyond)) else None


def encoding_note(name: str, encoding: str) -> str:
    """What is said of a file whose encoding was guessed."""
    return f"{name} is not UTF-8; it is read as {encoding}. Look whether its letters are right"


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
