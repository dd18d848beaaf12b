"""The rows of one piece of a text table, chunk by chunk.

Text after the quote that closes a cell (`"ab"c`) is refused. The standard library's parser is asked to be strict about it; where it
finds some, the rest of the piece is read row by row, and each such row is a problem of its own.

The strict parser also refuses a split that ends inside a quoted cell: at the end of the file a quote was never closed, and
anywhere else the cut was wrong.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from operator import itemgetter
from types import MappingProxyType
from typing import Any, BinaryIO, Final

from evaluators.model.issues import Blame, CellError, Issue, Problems
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import Cell
from evaluators.scoring.values.json_text import MAX_CHARS
from evaluators.testsets.byte_source import ByteSource, shortened_file, unusable_file
from evaluators.testsets.columns import DELIMITERS
from evaluators.testsets.reader import CHUNK_BYTES, HEADER_AGAIN, MAX_CHUNK_ROWS, Chunk, Reader, Split, names_of
from evaluators.testsets.row_texts import line_blocks, row_texts

LARGEST_CELL: Final = 2**31 - 1
LONGEST: Final = MAX_CHARS
"""Characters of a cell; of a longer one nothing is read but its length."""
_MOST_CHUNK_CHARS: Final = 8 * CHUNK_BYTES
_FIRST_ROWS: Final = 50
_PIECE_BYTES: Final = 1024 * 1024
_NOTHING: Final[Mapping[int, Any]] = MappingProxyType({})
UNDECODED: Final = re.compile("[\udc80-\udcff]")
# in these encodings the byte of a quote or a line break is never a part of another character
CUTTABLE: Final = re.compile(r"utf-8|ascii|iso8859-\d+|cp125\d|cp437|cp85\d|koi8-[rut]|mac-\w+")

RAGGED: Final = "ragged-row"
NOT_TEXT: Final = Issue(
    "undecodable-text",
    Blame.TESTSET,
    "this row holds bytes that are not text in the file's encoding",
    hint="name the encoding of the file, such as `encoding: cp1252`, or save the file as UTF-8",
)
OPEN_QUOTE: Final = Issue(
    "quote-not-closed",
    Blame.TESTSET,
    "a cell of this row opens a quote that is never closed, and takes in the rest of the file",
    hint='a quote that belongs to the text of a quoted cell is doubled: ""',
)


class SplitPass:
    """One reading of one split of a text table, chunk by chunk. It counts what it has read, so it can be used once."""

    def __init__(self, table: Reader, delimiter: str, skipped_records: int, split: Split, columns: Sequence[str]) -> None:
        """`skipped_records` is how many records stand before the first row of the file, the header among them; `split` is the piece to
        read, and `columns` are the wanted ones."""
        self.table = table
        self.delimiter = delimiter
        self.skipped_records = skipped_records
        self.split = split
        self.span = 0
        self.bytes = self.bytes_of_chunks = 0
        self.width = len(table.header)
        self.names = names_of(table.header)
        self.wanted = [(name, table.header.index(name) if name in table.header else None) for name in columns]
        self.undecoded = False

    def chunks(self) -> Iterator[Chunk]:
        """The rows of the split. They are read by the strict parser, and from the first row that it refuses on, row by row."""
        table, split = self.table, self.split
        header = self.skipped_records if split.start == 0 else 0
        try:
            with table.source.open(split.start) as stream:
                yield from self._chunks_by_parser(stream, header)
        except _NotStrict:
            with table.source.open(split.start) as stream:
                yield from self._chunks_row_by_row(stream, header + self.span)

    def _chunks_by_parser(self, stream: BinaryIO, header: int) -> Iterator[Chunk]:
        """The chunks, read by the parser of the standard library. Raises _NotStrict where rows must be read one by one."""
        csv.field_size_limit(LARGEST_CELL)
        lines = chain.from_iterable(self._lines(self._blocks(stream, CHUNK_BYTES, LONGEST // 2 + 1)))
        records = csv.reader(lines, delimiter=self.delimiter, strict=True)
        _next_records(records, header)
        while rows := _next_records(records, self._chunk_rows()):
            self.bytes_of_chunks = self.bytes
            yield self._next_chunk(rows)

    def _chunk_rows(self) -> int:
        """The number of rows of the next chunk, from the average size of the rows so far; at least one."""
        if not self.span:
            return _FIRST_ROWS
        return min(max(CHUNK_BYTES * self.span // max(self.bytes, 1), 1), MAX_CHUNK_ROWS)

    def _blocks(self, stream: BinaryIO, size: int, longest: int) -> Iterator[bytes]:
        """The bytes of the split, in blocks of about `size` that end with a line, unless it is longer than `longest`; `bytes` counts them.
        Raises Problems (environment) where they end too early."""
        left = None if self.split.end is None else self.split.end - self.split.start
        for block in line_blocks(stream, size, left, longest):
            self.bytes += len(block)
            if left is not None:
                left -= len(block)
            yield block
        if left:
            raise shortened_file(self.table.source)

    def _texts(self, blocks: Iterable[bytes]) -> Iterator[str]:
        """The decoded text of blocks of bytes, without a byte order mark. A block may end within a character. Bytes that are no text become
        surrogates, and `undecoded` says so; in encodings in which rows cannot be told apart then, Problems are raised."""
        encoding, first = self.table.source.encoding, self.split.start == 0
        decoder = codecs.getincrementaldecoder(encoding)()
        for block in chain(blocks, (b"",)):
            try:
                text = decoder.decode(block, final=not block)
            except UnicodeError as error:
                if not CUTTABLE.fullmatch(encoding):
                    raise undecodable_file(self.table.source, error) from None
                self.undecoded, decoder.errors = True, "surrogateescape"
                text = decoder.decode(block, final=not block)
            if first and text:
                text, first = text.removeprefix("\ufeff"), False
            if text:
                yield text

    def _lines(self, blocks: Iterable[bytes]) -> Iterator[Iterable[str]]:
        """The lines of the text, some at a time; the end of a block that is no whole line is put before the next block. Raises _NotStrict
        where one of the next rows may be too long."""
        rest = ""
        for text in self._texts(blocks):
            lines: Iterable[str] = io.StringIO(rest + text if rest else text, newline="")
            if text[-1] == "\n":
                rest = ""
            else:
                *lines, rest = lines
            if self.bytes - self.bytes_of_chunks > LONGEST // 2 or len(rest) > LONGEST // 2:
                raise _NotStrict
            yield lines
        yield [rest] if rest else []

    def _chunks_row_by_row(self, stream: BinaryIO, skipped: int) -> Iterator[Chunk]:
        """The chunks of all rows but the first `skipped`, read row by row: a row that breaks the rules of quotes is a fault alone."""
        rows = row_texts(self._texts(self._blocks(stream, _PIECE_BYTES, 0)), self.delimiter, LONGEST)
        taken: list[Sequence[Cell]] = []
        issues: dict[int, Issue] = {}
        size = 0
        for row in islice(rows, skipped, None):
            if not row.closed and self.split.end is not None:
                hint = 'put such cells inside double quotes, with each quote of the text doubled: "5"" pipe"'
                message = "quotes inside unquoted cells make it unclear where rows end"
                raise unusable_file(self.table.source, "uneven-quotes", message, hint)
            if not row.closed:
                issues[len(taken)] = OPEN_QUOTE
            elif not row.fits:
                message = f"this row has {row.length:,} characters, which is more than is read"
                hint = "each line holds one row: is a line break missing?"
                issues[len(taken)] = Issue("unreadable-row", Blame.TESTSET, message, hint=hint)
            elif row.after is not None:
                issues[len(taken)] = issue_of_text_after_quote(*row.after, self.table.header)
            taken.append(row.cells if row.fits else [""])
            size += min(row.length, LONGEST)
            if len(taken) == MAX_CHUNK_ROWS or size > _MOST_CHUNK_CHARS:
                yield self._next_chunk(taken, issues)
                taken, issues, size = [], {}, 0
        if taken:
            yield self._next_chunk(taken, issues)

    def _next_chunk(self, records: Sequence[Sequence[Cell]], issues: Mapping[int, Issue] = _NOTHING) -> Chunk:
        """The next records as a chunk of columns, which counts them in `span`. `issues` are the faults that are known already, by the index
        of a record."""
        start = self.span
        self.span += len(records)
        usual = {self.width}.issuperset(map(len, records)) and self.names not in records
        if usual and not self.undecoded and not issues:
            return Chunk(range(start, self.span), self.span, {name: _column(records, at) for name, at in self.wanted})
        return self._chunk_with_faults(start, records, issues)

    def _chunk_with_faults(self, start: int, records: Sequence[Sequence[Cell]], issues: Mapping[int, Issue]) -> Chunk:
        """The records from the place `start` on as a chunk. Blank lines are no rows; records with too many or too few cells, or with bytes
        that are no text, and the header once more, are faults, as are those in `issues`, and each of their cells is a CellError."""
        rows = [(number, record) for number, record in enumerate(records) if record]
        checked = ((at, issues.get(number) or self._fault_of(record)) for at, (number, record) in enumerate(rows))
        faults = [(at, issue) for at, issue in checked if issue is not None]
        readable = [record for _, record in rows]
        for at, _ in faults:
            readable[at] = [""] * self.width
        columns = {name: _column(readable, index) for name, index in self.wanted}
        for name, index in self.wanted:
            for at, issue in faults:
                columns[name][at] = CellError(issue, self._raw_text(rows[at][1], index, issue))
        return Chunk([start + number for number, _ in rows], self.span, columns, faults)

    def _raw_text(self, record: Sequence[Cell], column: int | None, issue: Issue) -> str:
        """The text to show for a cell of a row that cannot be read. Nothing, unless the row only has too many or too few cells.

        `column` is the index of the cell. Cells beyond the header are shown with the last column.
        """
        texts = [cell if isinstance(cell, str) else "" for cell in record]
        if column is None or issue.code != RAGGED or any(map(UNDECODED.search, texts)):
            return ""
        return self.delimiter.join(texts[column:] if column == self.width - 1 else texts[column : column + 1])

    def _fault_of(self, record: Sequence[Cell]) -> Issue | None:
        """The fault of a record with more or fewer cells than the header, with bytes that are no text, or that is the header again; None
        without one."""
        if len(record) != self.width:
            cells = "1 cell" if len(record) == 1 else f"{len(record)} cells"
            message = f"this row has {cells}, the header has {self.width}"
            delimiter = delimiter_in_words(self.delimiter)
            hint = f"a cell that holds {delimiter} or a line break must be inside double quotes"
            return Issue(RAGGED, Blame.TESTSET, message, hint=hint)
        if self.undecoded and any(UNDECODED.search(cell) for cell in record if isinstance(cell, str)):
            return NOT_TEXT
        return HEADER_AGAIN if record == self.names else None


class _NotStrict(Exception):
    """There is text after a closing quote, or something else that a strict parser refuses."""


def _next_records(records: Iterator[list[str]], count: int) -> list[list[str]]:
    """The next records, `count` at most. Raises _NotStrict where the parser refuses one."""
    try:
        return list(islice(records, count))
    except csv.Error as error:
        raise _NotStrict from error


def _column(records: Sequence[Sequence[Cell]], index: int | None) -> list[Cell]:
    """The cells at an index of each record; MISSING for a column that the table does not have."""
    return [MISSING] * len(records) if index is None else list(map(itemgetter(index), records))


def delimiter_in_words(delimiter: str) -> str:
    """The delimiter as people call it."""
    return next((f"a {word}" for word, sign in DELIMITERS.items() if sign == delimiter), f'"{delimiter}"')


def issue_of_text_after_quote(index: int, text: str, header: Sequence[str]) -> Issue:
    """The problem of a row with `text` after a closing quote, in the cell at the place `index`; a cell beyond the header has its number in
    place of a name."""
    named = f'column "{header[index]}"' if index < len(header) else f"cell {index + 1}"
    shown = text if len(text) <= 40 else f"{text[:40]}…"
    return Issue(
        "text-after-quote",
        Blame.TESTSET,
        f"{named}: there is text after the quote that closes the cell: {shown}",
        hint='a quote that belongs to the text is doubled: ""; or an earlier quote of the row, or of a row before it, is not closed',
    )


def undecodable_file(source: ByteSource, error: UnicodeError) -> Problems:
    """The Problems to raise for a file that is not text in its encoding, from the error of decoding it."""
    return unusable_file(source, NOT_TEXT.code, f"the file is not text in {source.encoding}: {error}", NOT_TEXT.hint)
