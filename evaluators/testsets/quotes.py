"""Cutting CSV where a row starts, without parsing it.

Strategy. In CSV as RFC 4180 has it every quote opens or closes, so an even number of quotes before a place says that the
place is outside quotes, and a line break there ends a row. Counting quotes is an order of magnitude cheaper than parsing.
A quote inside a cell that is not quoted (`5" pipe`) upsets the count. So a cut is looked at before a split ends there:
unless what follows reads as rows, the rest of the file stays in one piece. Whoever reads a split
also learns whether it ended inside a quoted cell, which is exact (`delimited`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO, Final

from evaluators.testsets.blocks import line_blocks

CUT_BYTES: Final = 512 * 1024
"""A place where a row starts is noted about this often."""

_LOOK_BYTES: Final = 64 * 1024
_LOOK_ROWS: Final = 9


def row_starts(stream: BinaryIO) -> Iterator[int]:
    """Where rows start, about one place per CUT_BYTES, by the count of quotes; neither 0 nor the end of the file."""
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
    """The first place in the block that follows the end of a row; None when no row ends there."""
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
