"""The rows of one piece of a text table, chunk by chunk.

Text after the quote that closes a cell (`"ab"c`) is refused. The parser is asked to be strict about it; where it finds
some, the rest of the piece is read row by row, and each such row is a problem of its own.

At the end of a split a line is added that no file holds. When it does not come back as a row of its own, the split ended
inside a quoted cell: at the end of the file a quote was never closed, and anywhere else the cut was wrong.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, Final

from evaluators.issues import Fault, Issue
from evaluators.model import MISSING
from evaluators.needs import too_long
from evaluators.testsets import arrow_blocks, quotes
from evaluators.testsets.blocks import line_blocks
from evaluators.testsets.byte_source import ByteSource, shortened
from evaluators.testsets.delimited_issues import (
    NOT_TEXT,
    OPEN_QUOTE,
    RAGGED,
    after_quote,
    long_row,
    not_text,
    ragged_row,
    wrong_cut,
)
from evaluators.testsets.reader import CHUNK_BYTES, MAX_CHUNK_ROWS, Cell, Chunk, Split
from evaluators.testsets.row_texts import RowText, row_texts
from evaluators.values.json_text import MAX_CHARS

if TYPE_CHECKING:
    from evaluators.testsets.delimited import Delimited

LARGEST_CELL: Final = 2**31 - 1
LONGEST: Final = MAX_CHARS
"""Characters of a cell; of a longer one nothing is read but its length."""
_MOST_CHUNK_CHARS: Final = 8 * CHUNK_BYTES
_PIECE_BYTES: Final = 1024 * 1024
_END: Final = "\x00the split ends here\x00"
UNDECODED: Final = re.compile("[\udc80-\udcff]")
# in these encodings the byte of a quote or a line break is never a part of another character
CUTTABLE: Final = re.compile(r"utf-8|ascii|iso8859-\d+|cp125\d|cp437|cp85\d|koi8-[rut]|mac-\w+")


class SplitPass:
    """One pass over one split: where it is, and what it looks for."""

    def __init__(self, table: Delimited, split: Split, columns: Sequence[str]) -> None:
        self.table = table
        self.split = split
        self.span = 0
        self.width = len(table.header)
        self.wanted = [(name, table.header.index(name) if name in table.header else None) for name in columns]
        self.undecoded = False
        # two cells, so that a quoted cell that takes it in never looks like it
        self.end_line = table.delimiter.join((_END, _END))

    def chunks(self, start: int, end: int | None) -> Iterator[Chunk]:
        """The rows between two places where a row starts."""
        first = self.span
        try:
            yield from self._chunks(start, end)
        except _NotStrict:
            yield from self._chunks(start, end, one_by_one=True, skip=self.span - first)

    def _chunks(self, start: int, end: int | None, one_by_one: bool = False, skip: int = 0) -> Iterator[Chunk]:
        """The same, in one go, or row by row after the first ones. Raises _NotStrict for what must be read row by row."""
        csv.field_size_limit(LARGEST_CELL)
        size = _Size()
        with self.table.source.open(start) as stream:
            length = None if end is None else end - start
            header = self.table.skipped_records if start == 0 else 0
            if one_by_one:
                rows = row_texts(self._pieces(stream, length, first=start == 0), self.table.delimiter, LONGEST)
                yield from self._one_by_one(rows, header + skip, end)
                return
            blocks = line_blocks(stream, CHUNK_BYTES, length, LONGEST // 2 + 1)
            lines = chain.from_iterable(self._lines(size.counted(blocks), first=start == 0))
            records = csv.reader(chain(lines, (self.end_line,)), delimiter=self.table.delimiter, strict=True)
            _skip(records, header)
            yield from self._cut(records, size, end)

    def _one_by_one(self, rows: Iterator[RowText], skipped: int, end: int | None) -> Iterator[Chunk]:
        """The rows after the first ones, each held against its own text."""
        taken: list[list[str]] = []
        torn: dict[int, Issue] = {}
        long: dict[int, dict[int, int]] = {}
        size = 0
        for row in islice(rows, skipped, None):
            if not row.closed and end is not None:
                raise wrong_cut(self.table.source)
            record = next(csv.reader([row.text], delimiter=self.table.delimiter), [])
            if not row.fits:
                torn[len(taken)], record = long_row(row.length), [""]
            elif (found := quotes.closed_too_early(row.text, self.table.delimiter)) is not None:
                torn[len(taken)] = after_quote(*found, self.table.header)
            cells = {**row.long, **{place: len(cell) for place, cell in enumerate(record) if len(cell) > LONGEST}}
            if cells:
                long[len(taken)] = cells
                record = ["" if place in cells else cell for place, cell in enumerate(record)]
            taken.append(record)
            size += len(row.text)
            if len(taken) == MAX_CHUNK_ROWS or size > _MOST_CHUNK_CHARS or not row.closed:
                yield self.chunk(taken, open_quote=not row.closed, torn=torn, long=long)
                taken, torn, long, size = [], {}, {}, 0
        if taken:
            yield self.chunk(taken, torn=torn, long=long)

    def _pieces(self, stream: BinaryIO, length: int | None, first: bool) -> Iterator[str]:
        """The text of some bytes, in pieces that end anywhere."""
        encoding = self.table.source.encoding
        self.undecoded = bool(CUTTABLE.fullmatch(encoding))
        decoder = codecs.getincrementaldecoder(encoding)("surrogateescape" if self.undecoded else "strict")
        left = length
        try:
            while data := stream.read(_PIECE_BYTES if left is None else min(_PIECE_BYTES, left)):
                left = None if left is None else left - len(data)
                text = decoder.decode(data)
                if first and text:
                    text, first = text.removeprefix("\ufeff"), False
                yield text
            yield decoder.decode(b"", final=True)
        except UnicodeError as error:
            raise not_text(self.table.source, error) from None

    def ends_a_row(self, block: bytes) -> bool:
        """Whether a block that starts with a row also ends with one."""
        text = block.decode(self.table.source.encoding, "surrogateescape")
        records = csv.reader(chain(io.StringIO(text, newline=""), (self.end_line,)), delimiter=self.table.delimiter)
        return deque(records, maxlen=1).pop() == [_END, _END]

    def _cut(self, records: Iterator[list[str]], size: _Size, end: int | None) -> Iterator[Chunk]:
        while rows := _next(records, size.rows):
            size.begin()
            size.read += len(rows)
            last = rows[-1]
            if not last or not last[-1].endswith(_END):
                yield self.chunk(rows)
            else:
                yield from self._last(rows, end)

    def _last(self, rows: list[list[str]], end: int | None) -> Iterator[Chunk]:
        """The last rows of a piece, the line that no file holds among them."""
        last = rows[-1]
        if last == [_END, _END]:
            yield self.chunk(rows[:-1])
        elif end is None:
            rows = [*rows[:-1], [*last[:-1], last[-1].removesuffix(self.end_line)]]
            yield self.chunk(rows, open_quote=True)
        else:
            raise wrong_cut(self.table.source)

    def _lines(self, blocks: Iterable[bytes], first: bool) -> Iterator[Iterable[str]]:
        encoding = self.table.source.encoding
        if not CUTTABLE.fullmatch(encoding):
            yield _decoded(self.table.source, blocks)
            return
        for block in blocks:
            if first:
                block, first = block.removeprefix(codecs.BOM_UTF8) if encoding == "utf-8" else block, False
            try:
                text = block.decode(encoding)
            except UnicodeDecodeError:
                text, self.undecoded = block.decode(encoding, "surrogateescape"), True
            yield io.StringIO(text, newline="")

    def chunk(
        self,
        records: list[list[str]],
        open_quote: bool = False,
        torn: Mapping[int, Issue] = MappingProxyType({}),
        long: Mapping[int, Mapping[int, int]] = MappingProxyType({}),
    ) -> Chunk:
        """Records as columns; ragged and unreadable ones, and the `torn` ones by their place, as faults.

        Cells that are too long, by the places of record and cell, are faults of their own.
        """
        start = self.span
        self.span += len(records)
        if (
            not self.undecoded
            and not open_quote
            and not torn
            and not long
            and all(len(record) == self.width for record in records)
        ):
            offsets: Sequence[int] = range(start, self.span)
            return Chunk(offsets, self.span, {name: _column(records, index) for name, index in self.wanted})
        offsets = [start + index for index, record in enumerate(records) if record]
        kept = [record for record in records if record]
        said = [torn.get(place) for place, record in enumerate(records) if record]
        faults = [(index, issue) for index, record in enumerate(kept) if (issue := said[index] or self._issue(record))]
        if open_quote:
            faults = [*(fault for fault in faults if fault[0] != len(kept) - 1), (len(kept) - 1, OPEN_QUOTE)]
        unread = {index: kept[index] for index, _ in faults}
        for index in unread:
            kept[index] = [""] * self.width
        columns = {name: _column(kept, place) for name, place in self.wanted}
        for name, place in self.wanted:
            for index, issue in faults:
                columns[name][index] = Fault(issue, self._unread(unread[index], place, issue))
            for index, cells in enumerate(long.get(number, {}) for number, record in enumerate(records) if record):
                if place is not None and place in cells and index not in unread:
                    columns[name][index] = too_long(cells[place], LONGEST)
        return Chunk(offsets, self.span, columns, faults)

    def _unread(self, record: list[str], place: int | None, issue: Issue) -> str:
        """What a ragged row has in a column; what it has beyond the header goes into the last one."""
        if place is None or issue.code != RAGGED or any(map(UNDECODED.search, record)):
            return ""
        return self.table.delimiter.join(record[place:] if place == self.width - 1 else record[place : place + 1])

    def _issue(self, record: list[str]) -> Issue | None:
        if len(record) != self.width:
            return ragged_row(len(record), self.width, self.table.delimiter)
        if self.undecoded and any(map(UNDECODED.search, record)):
            return NOT_TEXT
        return None


class _Size:
    """How many rows make a chunk, going by the rows so far."""

    def __init__(self) -> None:
        self.bytes = 0
        self.read = 0
        self.before = 0

    def begin(self) -> None:
        """What comes from here on belongs to the next rows."""
        self.before = self.bytes

    def counted(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """The blocks. Raises _NotStrict where one of the next rows may be too long."""
        for block in blocks:
            self.bytes += len(block)
            if self.bytes - self.before > LONGEST // 2:
                raise _NotStrict
            yield block

    @property
    def rows(self) -> int:
        """At least one row."""
        if not self.read:
            return 50
        return min(max(CHUNK_BYTES * self.read // max(self.bytes, 1), 1), MAX_CHUNK_ROWS)


def rows_by_arrow(rows: SplitPass) -> Iterator[Chunk]:
    """The blocks of a split, parsed by pyarrow wherever its answer is certain."""
    table, split = rows.table, rows.split
    names = list(dict.fromkeys(name for name, index in rows.wanted if index is not None))
    parse, delimiter = arrow_blocks.parser(table.header, names, table.delimiter), table.delimiter.encode()
    end_of_split = split.end or table.source.size
    with table.source.open(split.start) as stream:
        for start, end in pairwise([split.start, *split.cuts, end_of_split]):
            if end - start > LONGEST:
                yield from rows.chunks(start, split.end)
                return
            block = stream.read(max(end - start, 0))
            if len(block) != end - start:
                raise shortened(table.source)
            certain = start and table.source.encoding == "utf-8" and names
            cells = parse(block) if certain and quotes.all_close_cells(block, delimiter) else None
            if cells is not None:
                yield from _arrow_chunks(rows, cells, len(block))
            elif rows.ends_a_row(block) and end < end_of_split:
                yield from rows.chunks(start, end)
            else:
                yield from rows.chunks(start, split.end)
                return


def _arrow_chunks(rows: SplitPass, cells: dict[str, list[str]], size: int) -> Iterator[Chunk]:
    count = len(next(iter(cells.values())))
    step = min(max(count * CHUNK_BYTES // max(size, 1), 1), MAX_CHUNK_ROWS)
    for first in range(0, count, step):
        length = min(step, count - first)
        columns: dict[str, Sequence[Cell]] = {
            name: [MISSING] * length if index is None else cells[name][first : first + length]
            for name, index in rows.wanted
        }
        offsets = range(rows.span, rows.span + length)
        rows.span += length
        yield Chunk(offsets, rows.span, columns)


def _column(records: list[list[str]], index: int | None) -> list[Cell]:
    return [MISSING] * len(records) if index is None else [record[index] for record in records]


def _next(records: Iterator[list[str]], count: int) -> list[list[str]]:
    try:
        return list(islice(records, count))
    except csv.Error as error:
        raise _NotStrict from error


def _skip(records: Iterator[list[str]], count: int) -> None:
    try:
        deque(islice(records, count), maxlen=0)
    except csv.Error as error:
        raise _NotStrict from error


class _NotStrict(Exception):
    """There is text after a closing quote, or something else that a strict parser refuses."""


def _decoded(source: ByteSource, blocks: Iterable[bytes]) -> Iterator[str]:
    """Lines of a text in an encoding that cannot be cut anywhere; its byte order mark set aside."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(source.encoding)(), translate=False)
    rest, first = "", True
    try:
        for data in chain(blocks, (b"",)):
            text = decoder.decode(data, final=not data)
            if first and text:
                text, first = text.removeprefix("\ufeff"), False
            *lines, rest = io.StringIO(rest + text, newline="").readlines() or [""]
            if len(rest) > LONGEST // 2:
                raise _NotStrict
            yield from lines
    except UnicodeError as error:
        raise not_text(source, error) from None
    if rest:
        yield rest
