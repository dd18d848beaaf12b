"""The encoding that a file of text seems to have, for a suite that is about to be written."""

from __future__ import annotations

import codecs
from typing import Final

from evaluators.testsets.byte_source import ByteSource

WINDOWS: Final = "cp1252"
_BLOCK: Final = 1 << 20
_SUFFIXES: Final = (".csv", ".tsv", ".txt")


def encoding_to_name(source: ByteSource) -> str | None:
    """The encoding that a suite must name for a file of delimited text; None where it must not name any.

    UTF-8 is what is read without a word. A file that is not UTF-8 is taken for one of Windows, in which every text of
    western Europe is written; whether it is one cannot be known, so whoever asks says so.
    """
    if source.compressed or source.suffix not in _SUFFIXES:
        return None
    decoder = codecs.getincrementaldecoder("utf-8")()
    if source.head(2) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    with source.open() as stream:
        try:
            while block := stream.read(_BLOCK):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return WINDOWS
    return None
