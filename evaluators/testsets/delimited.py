"""Text tables: cells between delimiters, as RFC 4180 has it. CSV and TSV are two names for it.

Strategy. The standard library's parser says what a row is (`delimited_rows`), `table_head` which one is the header.
Files of more than one split are cut by counting quotes (`row_starts`).
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import ClassVar, Final, Self

from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.testsets.byte_source import WORKBOOKS, ByteSource, reading, refuse_utf16, seeming_utf16, unusable_file
from evaluators.testsets.byte_store import local_mark
from evaluators.testsets.delimited_rows import (
    CUTTABLE,
    NOT_TEXT,
    UNDECODED,
    SplitPass,
    delimiter_in_words,
    undecodable_file,
)
from evaluators.testsets.reader import SPLIT_BYTES, Chunk, Reader, Split, refuse_same_names, splits_from
from evaluators.testsets.row_texts import looks_like_rows, row_starts
from evaluators.testsets.table_head import HEAD_BYTES, TableHead, table_head

_ENCODING_BYTES: Final = 1024 * 1024
_WINDOWS: Final = "cp1252"
_SUFFIXES: Final = (".csv", ".tsv", ".txt", "")


class Delimited(Reader, frozen=True):
    """A text table. Cells are text, whatever they look like."""

    options: ClassVar[frozenset[str]] = frozenset({"encoding", "delimiter", "header_row"})
    usual: ClassVar[str | None] = None
    """The delimiter of the format; None where it is worked out from the file."""

    delimiter: str = ","
    skipped_records: int = 0
    """Records up to and including the header."""

    @classmethod
    def open(cls, source: ByteSource) -> Self:
        """Opens a text table; its encoding, delimiter and header are worked out where the source does not say them. Raises Problems for a
        file without a usable header, and for one that is no text."""
        seeming = None if source.encoding else seeming_encoding(source)
        source = replace(source, encoding=_known_encoding(source, source.encoding or seeming or "utf-8"))
        text, whole = _beginning(source)
        head = table_head(source, text, whole, cls.usual)
        notes = [] if seeming is None else [encoding_note(source.name, seeming)]
        if head.delimiter != (source.delimiter or cls.usual or ","):
            notes.append(f"{source.name}: the columns are separated by {delimiter_in_words(head.delimiter)}")
        header = _header_names(source, head, notes)
        return cls(
            source, header, head.row + 1, tuple(notes), () if head.doubt is None else (head.doubt,),
            delimiter=head.delimiter, skipped_records=head.skipped_records,
        )  # fmt: skip

    @property
    def separator(self) -> str:
        """The character between cells."""
        return self.delimiter

    def splits(self) -> list[Split]:
        """The splits of the table, each of which starts where a row starts; one split for a file that is small or cannot be cut."""
        path = self.source.path
        if self.source.compressed or self.source.size <= SPLIT_BYTES or not CUTTABLE.fullmatch(self.source.encoding):
            return [Split(path, 0)]
        local = self.source.local
        mark = local_mark(local) if local is not None else None
        if local is None or mark is None:
            starts, note = _split_starts.__wrapped__(self.source, len(self.header), self.delimiter, None)
        else:  # a file is searched once, whoever opens it
            source = replace(self.source, path=os.path.abspath(local), file_name="")
            starts, note = _split_starts(source, len(self.header), self.delimiter, mark)
        return splits_from(path, starts, note=note)

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of one split, chunk by chunk, with these columns."""
        with reading(self.source):
            yield from SplitPass(self, self.delimiter, self.skipped_records, split, columns).chunks()


@lru_cache(maxsize=16)
def _split_starts(source: ByteSource, width: int, delimiter: str, mark: str | None) -> tuple[list[int], str | None]:
    """(starts, note): the bytes at which pieces of a file start, and a note where quotes in it keep it from being cut further, else None.
    A row has `width` cells. The answer is remembered by all parameters, of which `mark` stands for the state of the file."""
    starts = [0]
    with reading(source), source.open() as stream, source.open() as looked_at:
        for start in row_starts(stream):
            if start < len(starts) * SPLIT_BYTES:
                continue
            if not looks_like_rows(looked_at, start, width, delimiter):
                text = "there seem to be quotes inside unquoted cells; from there on the file is read as one piece"
                return starts, f"{source.name}: around byte {start:,} {text}"
            starts.append(start)
    return starts, None


def seeming_encoding(source: ByteSource) -> str | None:
    """The encoding of a file of delimited text whose beginning is not UTF-8; None for any other file.

    A file none of whose lines with letters beyond ASCII is UTF-8 is taken for one of Windows, in which every text of western
    Europe is written; whether it is one cannot be known, so whoever asks says so (`encoding_note`). Where some such lines are
    UTF-8, the others are damaged, and stay problems of their rows.
    """
    if source.suffix not in _SUFFIXES:
        return None
    data = source.head(_ENCODING_BYTES)
    utf16 = seeming_utf16(data)
    if utf16 is not None or data.isascii():
        return utf16 if utf16 == "utf-16" else None
    lines = data.splitlines()
    whole = lines if len(data) < _ENCODING_BYTES or len(lines) == 1 else lines[:-1]
    beyond = [line for line in whole if not line.isascii()]
    return _WINDOWS if beyond and not any(map(_is_utf8, beyond)) else None


def encoding_note(name: str, encoding: str) -> str:
    """The note on a file whose encoding was guessed."""
    return f"{name} is not UTF-8; it is read as {encoding}. Look whether its letters are right"


def _is_utf8(line: bytes) -> bool:
    """Whether bytes are text in UTF-8."""
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _known_encoding(source: ByteSource, encoding: str) -> str:
    """The name by which Python knows an encoding. Raises Problems for an unknown one."""
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except (LookupError, UnicodeError):
        message = f'unknown encoding "{encoding}"'
        hint = "usual ones: utf-8, cp1252 (Windows), latin-1, utf-16"
        raise Problems([Issue("unknown-encoding", Blame.CONFIG, message, source.name, hint)]) from None
    return "utf-8" if name == "utf-8-sig" else name


def _beginning(source: ByteSource) -> tuple[str, bool]:
    """(text, whole): the beginning of the text of a file, and whether it is all of it. Raises Problems for a workbook, and for bytes that
    are no text in the file's encoding."""
    data = source.head(HEAD_BYTES)
    whole = len(data) < HEAD_BYTES
    if data.startswith(WORKBOOKS):
        hint = "name it .xlsx, or write `format: xlsx`"
        raise unusable_file(source, "undecodable-text", "the file looks like an Excel workbook", hint)
    if source.encoding == "utf-8":
        refuse_utf16(source, data, "`encoding: {0}` under test_set, or --encoding {0}, reads it")
    try:
        text = codecs.getincrementaldecoder(source.encoding)("surrogateescape").decode(data, final=whole)
    except UnicodeError as error:
        raise undecodable_file(source, error) from None
    return text.removeprefix("\ufeff"), whole


def _header_names(source: ByteSource, head: TableHead, notes: list[str]) -> tuple[str, ...]:
    """The names of the columns; one without a name is called by its place. Notes on that, and on a header that is in doubt, are added to
    `notes`. Raises Problems for names that are no text, and for names that are there twice."""
    names = head.names
    if any(map(UNDECODED.search, names)):
        raise unusable_file(source, NOT_TEXT.code, "the header is not text in the file's encoding", NOT_TEXT.hint)
    header = tuple(name if name.strip() else f"column {index}" for index, name in enumerate(names, start=1))
    nameless = [index for index, name in enumerate(names, start=1) if not name.strip()]
    if nameless:
        places = ", ".join(map(str, nameless))
        notes.append(f'{source.name}: columns without a name are called by their place, "column N": {places}')
    if head.doubt is None:
        refuse_same_names(source, header, lambda twice: _places_of_name(header, twice))
    elif len(set(header)) < len(header):
        raise Problems([head.doubt])
    else:
        notes.append(f"{source.name}: {head.doubt.message}")
    return header


def _places_of_name(header: Sequence[str], name: str) -> str:
    """The numbers of the columns that have a name, in words."""
    places = [str(index) for index, other in enumerate(header, start=1) if other == name]
    return f"columns {' and '.join(places)}"
