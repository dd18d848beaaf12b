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
from typing import TYPE_CHECKING, Final

from evaluators.issues import Fault, Issue
from evaluators.model import MISSING
from evaluators.testsets import arrow_blocks, quotes
from evaluators.testsets.blocks import line_blocks
from evaluators.testsets.byte_source import ByteSource, shortened
from evaluators.testsets.delimited_issues import (
    NOT_TEXT,
    OPEN_QUOTE,
    RAGGED,
    after_quote,
    not_text,
    ragged_row,
    wrong_cut,
)
from evaluators.testsets.reader import CHUNK_BYTES, MAX_CHUNK_ROWS, Cell, Chunk, Split, broken

if TYPE_CHECKING:
    from evaluators.testsets.delimited import Delimited

LARGEST_CELL: Final = 2**31 - 1
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
            blocks = line_blocks(stream, CHUNK_BYTES, None if end is None else end - start)
            lines = chain.from_iterable(self._lines(size.counted(blocks), first=start == 0))
            header = self.table.skipped_records if start == 0 else 0
            if one_by_one:
                yield from self._one_by_one(chain(lines, (self.end_line,)), header + skip, end)
                return
            records = csv.reader(chain(lines, (self.end_line,)), delimiter=self.table.delimiter, strict=True)
            _skip(records, header)
            yield from self._cut(records, size, end)

    def _one_by_one(self, lines: Iterator[str], skipped: int, end: int | None) -> Iterator[Chunk]:
        """The rows after the first ones, each held against its own text."""
        seen: list[str] = []

        def noted() -> Iterator[str]:
            for line in lines:
                seen.append(line)
                yield line

        records = csv.reader(noted(), delimiter=self.table.delimiter)
        for _ in islice(records, skipped):
            seen.clear()
        taken: list[list[str]] = []
        torn: dict[int, Issue] = {}
        for record in _guarded(records, self.table.source):
            row = "".join(seen)
            seen.clear()
            if record and record[-1].endswith(_END):
                taken.append(record)
                break
            found = quotes.closed_too_early(row, self.table.delimiter)
            if found is not None:
                torn[len(taken)] = after_quote(*found, self.table.header)
            taken.append(record)
            if len(taken) == MAX_CHUNK_ROWS:
                yield self.chunk(taken, torn=torn)
                taken, torn = [], {}
        if taken:
            yield from self._last(taken, end, torn)

    def ends_a_row(self, block: bytes) -> bool:
        """Whether a block that starts with a row also ends with one."""
        text = block.decode(self.table.source.encoding, "surrogateescape")
        records = csv.reader(chain(io.StringIO(text, newline=""), (self.end_line,)), delimiter=self.table.delimiter)
        return deque(records, maxlen=1).pop() == [_END, _END]

    def _cut(self, records: Iterator[list[str]], size: _Size, end: int | None) -> Iterator[Chunk]:
        while rows := _next(records, size.rows):
            size.read += len(rows)
            last = rows[-1]
            if not last or not last[-1].endswith(_END):
                yield self.chunk(rows)
            else:
                yield from self._last(rows, end)

    def _last(
        self, rows: list[list[str]], end: int | None, torn: Mapping[int, Issue] = MappingProxyType({})
    ) -> Iterator[Chunk]:
        """The last rows of a piece, the line that no file holds among them."""
        last = rows[-1]
        if last == [_END, _END]:
            yield self.chunk(rows[:-1], torn=torn)
        elif end is None:
            rows = [*rows[:-1], [*last[:-1], last[-1].removesuffix(self.end_line)]]
            yield self.chunk(rows, open_quote=True, torn=torn)
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
        self, records: list[list[str]], open_quote: bool = False, torn: Mapping[int, Issue] = MappingProxyType({})
    ) -> Chunk:
        """Records as columns; ragged and unreadable ones, and the `torn` ones by their place, as faults."""
        start = self.span
        self.span += len(records)
        if not self.undecoded and not open_quote and not torn and all(len(record) == self.width for record in records):
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

    def counted(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        for block in blocks:
            self.bytes += len(block)
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


def _guarded(records: Iterator[list[str]], source: ByteSource) -> Iterator[list[str]]:
    try:
        yield from records
    except csv.Error as error:
        raise broken(source, "unreadable-table", f"the file cannot be read as a table: {error}") from None


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
            yield from lines
    except UnicodeError as error:
        raise not_text(source, error) from None
    if rest:
        yield rest
