"""The rows of a text table, read in bounded memory: of a cell that is too long only the length is kept.

A parser of tables holds a whole row before it gives it, however long that is. Here the text comes in pieces, and is followed from cell
to cell by the parser's own rules: a quote at the beginning of a cell opens it, a doubled one is text, and what follows the one that
closes it, up to the delimiter, belongs to the cell. Of a cell that is too long nothing is kept but its length.

Bytes of a file in blocks that end where a line ends.

Cutting CSV where a row starts, without parsing it.

Strategy. In CSV as RFC 4180 has it every quote opens or closes, so an even number of quotes before a place says that the
place is outside quotes, and a line break there ends a row. Counting quotes is an order of magnitude cheaper than parsing.
A quote inside a cell that is not quoted (`5" pipe`) upsets the count. So a cut is looked at before a split ends there:
unless what follows reads as rows, the rest of the file stays in one piece. Whoever reads a split
also learns whether it ended inside a quoted cell, which is exact (`delimited`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import BinaryIO, Final

from evaluators.scoring.needs import Cell, too_long

_START, _PLAIN, _QUOTED, _CLOSED = range(4)
_INSIDE: Final = re.compile(r'(?:[^"]++|"")*+')
_CELL_OVERHEAD: Final = 64
"""Characters that a cell counts beside its text, so that a row of very many empty cells is too long as well."""
CELLS_OF_A_ROW: Final = 4
"""The longest row is this many times the longest cell."""


def row_texts(pieces: Iterable[str], delimiter: str, longest: int) -> Iterator[RowText]:
    """Each row of a text that comes in pieces, read character by character as a parser of CSV does; a blank line is a row. A cell with more
    characters than `longest` is a fault; a quoted one may have twice as many, for its quotes."""
    stops = re.compile(f"[{re.escape(delimiter)}\r\n]")
    row, state, rest = RowText(longest), _START, ""
    for piece in chain(pieces, ("",)):
        text, rest, at = rest + piece, "", 0
        while at < len(text):
            if state == _QUOTED:
                at = row.take(text, at, _INSIDE.match(text, at).end())  # type: ignore[union-attr]  # matches nothing, too
                if at + 1 == len(text) and piece:  # a quote that the next piece may double
                    rest = text[at:]
                    break
                if at < len(text):
                    at, state = row.take(text, at, at + 1), _CLOSED
                continue
            if state == _START and text[at] == '"':
                at, state = row.take(text, at, at + 1), _QUOTED
                continue
            stop = stops.search(text, at)
            end = len(text) if stop is None else stop.start()
            if state == _CLOSED and end > at and row.cell_length <= row.longest_raw_cell:
                row.after_quote.append(text[at:end])
            elif state == _START and end > at:
                state = _PLAIN
            at = row.take(text, at, end)
            if stop is None:
                continue
            if stop[0] == "\r" and stop.end() == len(text) and piece:
                rest, state = "\r", _PLAIN if state == _START else state
                break
            at, state = stop.end() + text.startswith("\r\n", stop.start()), _START
            if stop[0] == delimiter:
                row.end_cell()
            else:
                yield row.finish()
                row = RowText(longest)
    if row.length:
        yield row.finish(closed=state != _QUOTED)


class RowText:
    """A row, read cell by cell: its finished cells, and the parts of the current one. All sizes are in characters."""

    def __init__(self, longest: int) -> None:
        """`longest` is how many characters a cell may have. Numbers of the row count characters."""
        self.longest_cell = longest
        self.longest_raw_cell = 2 * longest + 2
        """With its quotes, each of which may be doubled."""
        self.longest_row = CELLS_OF_A_ROW * longest + 1_000_000
        self.cells: list[Cell] = []
        """A cell that is too long is a fault. A blank line, and a row that is too long as a whole, has none."""
        self.length = 0
        """The whole row, with delimiters."""
        self.closed = True
        """The quote of its last cell is closed."""
        self.after: tuple[int, str] | None = None
        """The index of the first cell that has text after the quote that closes it, and that text."""
        self.parts: list[str] = []
        """The text of the current cell, with its quotes."""
        self.after_quote: list[str] = []
        """The text of the current cell after the quote that closes it."""
        self.cells_length = 0
        """The finished cells that are not too long."""
        self.cell_length = 0
        """The current cell."""

    @property
    def fits(self) -> bool:
        """Whether the row is not too long as a whole."""
        return self.cells_length <= self.longest_row

    def take(self, text: str, start: int, end: int) -> int:
        """Adds `text[start:end]` to the current cell, and gives `end`."""
        self.length += end - start
        self.cell_length += end - start
        if self.cell_length > self.longest_raw_cell or self.cells_length + self.cell_length > self.longest_row:
            self.parts.clear()
        elif end > start:
            self.parts.append(text[start:end])
        return end

    def end_cell(self) -> None:
        """Adds the current cell to the finished ones, without its quotes, or with an error if it is too long."""
        self.length += 1
        cell: Cell
        if self.cell_length > self.longest_raw_cell:
            cell = too_long(self.cell_length, self.longest_cell)
        else:
            self.cells_length += self.cell_length + _CELL_OVERHEAD
            text = "".join(self.parts)
            text = text[1:-1].replace('""', '"') if text[:1] == '"' else text
            cell = too_long(len(text), self.longest_cell) if len(text) > self.longest_cell else text
            if self.after_quote and self.after is None:
                self.after = len(self.cells), "".join(self.after_quote)
        self.cells.append(cell)
        if self.cells_length > self.longest_row:
            self.cells.clear()
        self.parts.clear()
        self.after_quote.clear()
        self.cell_length = 0

    def finish(self, closed: bool = True) -> RowText:
        """Ends the row with the current cell as its last, and gives it back. `closed` says that the quote of that cell is closed."""
        self.end_cell()
        self.length -= 1
        self.closed = closed
        if not self.length:
            self.cells.clear()
        return self


_PART: Final = 1024 * 1024


def line_blocks(stream: BinaryIO, size: int, length: int | None = None, longest: int = -1) -> Iterator[bytes]:
    """The next `length` bytes, or all, in blocks of at least `size` bytes that end with `\\n`; the last may lack it.

    A line that has more than `longest` bytes is cut.
    """
    end = None if length is None else stream.tell() + length
    while block := stream.read(size if end is None else max(0, min(size, end - stream.tell()))):
        if block[-1] != 10 and (end is None or stream.tell() < end):
            block += stream.readline(longest)
        yield block


def short_line_blocks(stream: BinaryIO, size: int, length: int | None, longest: int) -> Iterator[bytes | int]:
    """The blocks that `line_blocks` gives; in place of a line of more than `longest` bytes, its length as a number.

    Such a line is skipped, and is never in memory as a whole.
    """
    for block in line_blocks(stream, size, length, longest + 1):
        start = block.rfind(b"\n", 0, -1) + 1
        last = len(block) - start
        if last - (block[-1] == 10) <= longest:
            yield block
            continue
        if start:
            yield block[:start]
        yield last if block[-1] == 10 else last + rest_of_line(stream)


def rest_of_line(stream: BinaryIO) -> int:
    """Skips the rest of a line. Gives how many bytes were skipped."""
    passed = 0
    while part := stream.readline(_PART):
        passed += len(part)
        if part[-1] == 10:
            break
    return passed


CUT_BYTES: Final = 512 * 1024
"""A place where a row starts is noted about this often."""

_LOOK_BYTES: Final = 64 * 1024
_LOOK_ROWS: Final = 9


def row_starts(stream: BinaryIO) -> Iterator[int]:
    """Offsets at which rows start, about one per CUT_BYTES, found by counting quotes; neither 0 nor the end of the file."""
    inside, base = False, 0
    block = stream.read(CUT_BYTES)
    while block:
        inside ^= bool(block.count(b'"') & 1)
        base += len(block)
        block = stream.read(CUT_BYTES)
        start = row_start(block, inside)
        if start is not None and start < len(block):  # at the end of the block, the file may end, too
            yield base + start


def row_start(block: bytes, inside: bool) -> int | None:
    """The offset in the block right after the first end of a row; None when no row ends in it. `inside`: it begins in a quoted cell."""
    position, line_end = 0, -1
    while True:
        if inside:
            position = block.find(b'"', position) + 1
            if not position:
                return None
            inside = False
        if line_end < position:
            line_end = block.find(b"\n", position)
            if line_end < 0:
                return None
        quote = block.find(b'"', position, line_end)
        if quote < 0:
            return line_end + 1
        position, inside = quote + 1, True


def looks_like_rows(stream: BinaryIO, start: int, width: int, delimiter: str) -> bool:
    """Whether the lines from `start` on read as rows: quotes around whole cells only, and mostly `width` cells."""
    stream.seek(start)
    text = b"".join(line_blocks(stream, _LOOK_BYTES, _LOOK_BYTES)).decode("latin-1")
    if not _quotes_whole_cells(text, delimiter):
        return False
    rows = [row for row in islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), _LOOK_ROWS) if row]
    return 2 * sum(len(row) == width for row in rows) >= len(rows)


def _quotes_whole_cells(text: str, delimiter: str) -> bool:
    """Whether each quote that opens follows the end of a cell, and each that closes is followed by one.

    Doubled quotes change nothing: what is left once they are gone opens and closes in turn.
    """
    parts = text.replace('""', "").split('"')
    ends = (delimiter, "\n", "\r")
    opens = all(not part or part.endswith(ends) for part in parts[:-1:2])
    return opens and all(not part or part.startswith(ends) for part in parts[2::2])
