"""The rows of a text table as texts, in memory that does not grow with them: what is too long is counted, and left out.

A parser of tables holds a whole row before it gives it, however long that is. Here the text comes in pieces, and is followed from cell
to cell by the parser's own rules: a quote at the beginning of a cell opens it, a doubled one is text, and what follows the one that
closes it, up to the delimiter, belongs to the cell. Of a cell that is too long nothing is kept but its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from msgspec import Struct

_START, _PLAIN, _QUOTED, _CLOSED = range(4)
_INSIDE: Final = re.compile(r'(?:[^"]++|"")*+')
_OF_A_CELL: Final = 64
"""What a cell counts beside its text: cells of nothing could be many."""
CELLS_OF_A_ROW: Final = 4
"""So many times the longest cell is the longest row."""


class RowText(Struct, frozen=True):
    """One row, without the end of its line."""

    text: str
    """Its text. A cell that is too long is empty in it; a row that is too long is empty."""
    long: Mapping[int, int]
    """The cells that are too long: place → characters."""
    length: int
    """Characters of the whole row."""
    fits: bool
    """It is not too long as a whole."""
    closed: bool = True
    """The quote of its last cell is closed."""
    after: tuple[int, str] | None = None
    """The first cell, by its place, that has text after the quote that closes it, and that text."""


def row_texts(pieces: Iterable[str], delimiter: str, longest: int) -> Iterator[RowText]:
    """Each row of a text. A blank line is a row. A quoted cell may have twice as many characters as `longest`, for its quotes."""
    stops = re.compile(f"[{re.escape(delimiter)}\r\n]")
    row, state, rest = _OpenRow(delimiter, longest), _START, ""
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
            if state == _CLOSED and row.cell <= row.most:
                row.behind.append(text[at:end])
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
                yield row.ended()
                row = _OpenRow(delimiter, longest)
    if row.length:
        yield row.ended(closed=state != _QUOTED)


class _OpenRow:
    """A row that is being read."""

    def __init__(self, delimiter: str, longest: int) -> None:
        self.delimiter = delimiter
        self.most = 2 * longest + 2
        self.most_of_row = CELLS_OF_A_ROW * longest + 1_000_000
        self.cells: list[str] = []
        self.parts: list[str] = []
        self.behind: list[str] = []
        """Text after the quote that closes the cell."""
        self.after: tuple[int, str] | None = None
        self.long: dict[int, int] = {}
        self.length = self.kept = self.cell = self.place = 0

    def take(self, text: str, start: int, end: int) -> int:
        """A part of the cell at hand. Gives its end."""
        self.length += end - start
        self.cell += end - start
        if self.cell > self.most or self.kept + self.cell > self.most_of_row:
            self.parts.clear()
        elif end > start:
            self.parts.append(text[start:end])
        return end

    def end_cell(self) -> None:
        """The cell at hand is complete, and another one begins."""
        self.length += 1
        if self.cell > self.most:
            self.long[self.place] = self.cell
        else:
            self.kept += self.cell + _OF_A_CELL
            behind = "".join(self.behind)
            if behind and self.after is None:
                self.after = self.place, behind
        if self.kept <= self.most_of_row:
            self.cells.append("".join(self.parts))
        else:
            self.cells.clear()
            self.long.clear()
        self.parts.clear()
        self.behind.clear()
        self.cell, self.place = 0, self.place + 1

    def ended(self, closed: bool = True) -> RowText:
        """The whole row."""
        self.end_cell()
        fits = self.kept <= self.most_of_row
        return RowText(
            self.delimiter.join(self.cells) if fits else "", self.long, self.length - 1, fits, closed, self.after
        )
