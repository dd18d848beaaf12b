"""Text tables: cells between delimiters, as RFC 4180 has it. CSV and TSV are two names for it.

Strategy. The standard library's parser says what a row is. Files of more than one split are cut by counting quotes
(`quotes`), and where pyarrow is installed their blocks are parsed by it (`arrow_blocks`), which is faster and gives the
same rows; a block in which it meets anything unusual is read again by the standard library's parser.

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
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from types import MappingProxyType
from typing import ClassVar, Final, Self

from evaluators.issues import Blame, Fault, Issue, Problems
from evaluators.model import MISSING
from evaluators.testsets import arrow_blocks, quotes
from evaluators.testsets.blocks import line_blocks
from evaluators.testsets.byte_source import ByteSource, reading
from evaluators.testsets.reader import (
    CHUNK_BYTES,
    MAX_CHUNK_ROWS,
    SPLIT_BYTES,
    Cell,
    Chunk,
    Reader,
    Split,
    broken,
)
from evaluators.value_class import dataclass, replace

DELIMITERS: Final = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}

_HEAD_BYTES: Final = 64 * 1024
_SNIFFED_ROWS: Final = 20
_LARGEST_CELL: Final = 2**31 - 1
_END: Final = "\x00the split ends here\x00"
_UNDECODED = re.compile("[\udc80-\udcff]")
# in these encodings the byte of a quote or a line break is never a part of another character
_CUTTABLE = re.compile(r"utf-8|ascii|iso8859-\d+|cp125\d|cp437|cp85\d|koi8-[rut]|mac-\w+")

_RAGGED: Final = "ragged-row"
_WORKBOOK: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
"""How .xlsx and .xls files begin."""
_NOT_TEXT: Final = Issue(
    "undecodable-text",
    Blame.TESTSET,
    "this row holds bytes that are not text in the file's encoding",
    hint="name the encoding of the file, such as `encoding: cp1252`, or save the file as UTF-8",
)
_OPEN_QUOTE: Final = Issue(
    "quote-not-closed",
    Blame.TESTSET,
    "a cell of this row opens a quote that is never closed, and takes in the rest of the file",
    hint='a quote that belongs to the text of a quoted cell is doubled: ""',
)


@dataclass(frozen=True)
class Delimited(Reader):
    """A text table. Cells are text, whatever they look like."""

    usual: ClassVar[str | None] = None
    """The delimiter of the format; None where it is worked out from the file."""

    delimiter: str = ","
    skipped_records: int = 0
    """Records up to and including the header."""

    @classmethod
    def open(cls, source: ByteSource) -> Self:
        """The table, with its delimiter and header worked out."""
        source = replace(source, encoding=_encoding(source))
        text, whole = _head(source)
        delimiter = source.delimiter or cls.usual or sniff(text)
        skipped, names = _header(source, text, whole, delimiter)
        notes = []
        if delimiter != (source.delimiter or cls.usual or ","):
            notes.append(f"{source.name}: the columns are separated by {_spoken(delimiter)}")
        header = _named(source, names, notes)
        return cls(source, header, skipped + 1, tuple(notes), delimiter, skipped)

    @property
    def separator(self) -> str:
        """What separates the cells."""
        return self.delimiter

    def splits(self) -> list[Split]:
        """Pieces that start where a row starts; one piece for what cannot be cut."""
        path = self.source.path
        if self.source.compressed or self.source.size <= SPLIT_BYTES or not _CUTTABLE.fullmatch(self.source.encoding):
            return [Split(path, 0)]
        with reading(self.source), self.source.open() as stream:
            starts = list(quotes.row_starts(stream))
            ends, note = self._split_ends(starts)
        return [
            self._split(index, start, end, starts, None if end else note)
            for index, (start, end) in enumerate(pairwise([0, *ends, None]))
        ]

    def _split(self, index: int, start: int | None, end: int | None, starts: Sequence[int], note: str | None) -> Split:
        first, last = start or 0, end or self.source.size
        # where quotes cannot be trusted nothing but a parser knows where rows start
        cuts = () if note else tuple(cut for cut in starts if first < cut < last)
        return Split(self.source.path, index, first, end, cuts, note)

    def _split_ends(self, starts: Sequence[int]) -> tuple[list[int], str | None]:
        ends: list[int] = []
        with self.source.open() as stream:
            for start in starts:
                if start < (len(ends) + 1) * SPLIT_BYTES:
                    continue
                if not quotes.looks_like_rows(stream, start, len(self.header), self.delimiter):
                    name = self.source.name
                    note = "there seem to be quotes inside unquoted cells; from there on the file is read as one piece"
                    return ends, f"{name}: around byte {start:,} {note}"
                ends.append(start)
        return ends, None

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of one piece."""
        rows = _SplitPass(self, split, columns)
        with reading(self.source):
            if split.cuts and columns and len(self.header) > 1 and arrow_blocks.available():
                yield from _by_arrow(rows)
            else:
                yield from rows.chunks(split.start, split.end)


class _SplitPass:
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
        csv.field_size_limit(_LARGEST_CELL)
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
                torn[len(taken)] = _after_quote(*found, self.table.header)
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
            raise _wrong_cut(self.table.source)

    def _lines(self, blocks: Iterable[bytes], first: bool) -> Iterator[Iterable[str]]:
        encoding = self.table.source.encoding
        if not _CUTTABLE.fullmatch(encoding):
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
            faults = [*(fault for fault in faults if fault[0] != len(kept) - 1), (len(kept) - 1, _OPEN_QUOTE)]
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
        if place is None or issue.code != _RAGGED or any(map(_UNDECODED.search, record)):
            return ""
        return self.table.delimiter.join(record[place:] if place == self.width - 1 else record[place : place + 1])

    def _issue(self, record: list[str]) -> Issue | None:
        if len(record) != self.width:
            return _ragged(len(record), self.width, self.table.delimiter)
        if self.undecoded and any(map(_UNDECODED.search, record)):
            return _NOT_TEXT
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


def _by_arrow(rows: _SplitPass) -> Iterator[Chunk]:
    """The blocks of a split, parsed by pyarrow wherever its answer is certain."""
    table, split = rows.table, rows.split
    names = list(dict.fromkeys(name for name, index in rows.wanted if index is not None))
    parse, delimiter = arrow_blocks.parser(table.header, names, table.delimiter), table.delimiter.encode()
    end_of_split = split.end or table.source.size
    with table.source.open(split.start) as stream:
        for start, end in pairwise([split.start, *split.cuts, end_of_split]):
            block = stream.read(end - start)
            certain = start and table.source.encoding == "utf-8" and names
            cells = parse(block) if certain and quotes.all_close_cells(block, delimiter) else None
            if cells is not None:
                yield from _arrow_chunks(rows, cells, len(block))
            elif rows.ends_a_row(block) and end < end_of_split:
                yield from rows.chunks(start, end)
            else:
                yield from rows.chunks(start, split.end)
                return


def _arrow_chunks(rows: _SplitPass, cells: dict[str, list[str]], size: int) -> Iterator[Chunk]:
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


def sniff(text: str) -> str:
    """The delimiter that gives the header, and the most rows, the same number of cells; a comma when none does."""
    best, delimiter = (0, 0), ","
    for candidate in DELIMITERS:
        rows = [row for row in islice(_records(text, candidate), _SNIFFED_ROWS) if row]
        width = len(rows[0]) if rows else 0
        fit = (sum(len(row) == width for row in rows), width)
        if width > 1 and fit > best:
            best, delimiter = fit, candidate
    return delimiter


def _encoding(source: ByteSource) -> str:
    try:
        name = codecs.lookup(source.encoding).name
        "".encode(name)
    except (LookupError, UnicodeError):
        message = f'unknown encoding "{source.encoding}"'
        hint = "usual ones: utf-8, cp1252 (Windows), latin-1, utf-16"
        raise Problems([Issue("unknown-encoding", Blame.CONFIG, message, source.name, hint)]) from None
    return "utf-8" if name == "utf-8-sig" else name


def _head(source: ByteSource) -> tuple[str, bool]:
    """The beginning of the text, and whether it is the whole."""
    data = source.head(_HEAD_BYTES)
    whole = len(data) < _HEAD_BYTES
    if data.startswith(_WORKBOOK):
        raise broken(
            source, "undecodable-text", "the file looks like an Excel workbook", "name it .xlsx, or write `format: xlsx`"
        )
    if source.encoding == "utf-8" and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise broken(source, "undecodable-text", "the file looks like UTF-16", "write `encoding: utf-16` below test_set")
    try:
        text = codecs.getincrementaldecoder(source.encoding)("surrogateescape").decode(data, final=whole)
    except UnicodeError as error:
        raise _not_text(source, error) from None
    return text.removeprefix("\ufeff"), whole


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(_LARGEST_CELL)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _header(source: ByteSource, text: str, whole: bool, delimiter: str) -> tuple[int, list[str]]:
    """The number of records up to the header, and the header."""
    records = _records(text, delimiter)
    for skipped, record in enumerate(records, start=1):
        if not record:
            continue
        if not whole and next(records, None) is None:
            message = f"the header is longer than {_HEAD_BYTES:,} bytes"
            raise broken(source, "no-header", message, "the first row must hold the names of the columns")
        return skipped, record
    message = "the file is empty" if whole else "the file begins with blank lines only"
    raise broken(source, "no-header", message, "the first row must hold the names of the columns")


def _named(source: ByteSource, names: Sequence[str], notes: list[str]) -> tuple[str, ...]:
    """The column names; one without a name is called by its place."""
    if any(map(_UNDECODED.search, names)):
        raise broken(source, _NOT_TEXT.code, "the header is not text in the file's encoding", _NOT_TEXT.hint)
    header = tuple(name if name.strip() else f"column {place}" for place, name in enumerate(names, start=1))
    nameless = [place for place, name in enumerate(names, start=1) if not name.strip()]
    if nameless:
        places = ", ".join(map(str, nameless))
        notes.append(f'{source.name}: columns without a name are called by their place, "column N": {places}')
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        listed = ", ".join(f'"{name}" ({_places(header, name)})' for name in twice)
        raise broken(source, "same-column-name", f"columns have the same name: {listed}", "give each its own name")
    return header


def _places(header: Sequence[str], name: str) -> str:
    places = [str(place) for place, other in enumerate(header, start=1) if other == name]
    return f"columns {' and '.join(places)}"


def _spoken(delimiter: str) -> str:
    return DELIMITERS.get(delimiter, f'"{delimiter}"')


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


def _after_quote(place: int, text: str, header: Sequence[str]) -> Issue:
    named = f'column "{header[place]}"' if place < len(header) else f"cell {place + 1}"
    shown = text if len(text) <= 40 else f"{text[:40]}…"
    return Issue(
        "text-after-quote",
        Blame.TESTSET,
        f"{named}: text stands after the quote that closes the cell: {shown}",
        hint='a quote that belongs to the text is doubled: ""; or an earlier quote of the row, or of a row before it, is not closed',
    )


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
        raise _not_text(source, error) from None
    if rest:
        yield rest


def _not_text(source: ByteSource, error: UnicodeError) -> Problems:
    return broken(source, _NOT_TEXT.code, f"the file is not text in {source.encoding}: {error}", _NOT_TEXT.hint)


def _ragged(found: int, width: int, delimiter: str) -> Issue:
    cells = "1 cell" if found == 1 else f"{found} cells"
    return Issue(
        _RAGGED,
        Blame.TESTSET,
        f"this row has {cells}, the header has {width}",
        hint=f"a cell that holds {_spoken(delimiter)} or a line break must be inside double quotes",
    )


def _wrong_cut(source: ByteSource) -> Problems:
    return broken(
        source,
        "uneven-quotes",
        "quotes inside unquoted cells make it unclear where rows end",
        'put such cells inside double quotes, with each quote of the text doubled: "5"" pipe"',
    )
