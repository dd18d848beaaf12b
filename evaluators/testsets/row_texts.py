"""The rows of a text table, in memory that does not grow with them: what is too long is counted, and left out.

A parser of tables holds a whole row before it gives it, however long that is. Here the text comes in pieces, and is followed from cell
to cell by the parser's own rules: a quote at the beginning of a cell opens it, a doubled one is text, and what follows the one that
closes it, up to the delimiter, belongs to the cell. Of a cell that is too long nothing is kept but its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from msgspec import Struct

from evaluators.needs import Cell, too_long

_START, _PLAIN, _QUOTED, _CLOSED = range(4)
_INSIDE: Final = re.compile(r'(?:[^"]++|"")*+')
_OF_A_CELL: Final = 64
"""What a cell counts beside its text: cells of nothing could be many."""
CELLS_OF_A_ROW: Final = 4
"""So many times the longest cell is the longest row."""


class RowText(Struct, frozen=True):
    """One row."""

    cells: list[Cell]
    """A cell that is too long is a fault. A blank line, and a row that is too long as a whole, has none."""
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
    row, state, rest = _OpenRow(longest), _START, ""
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
            if state == _CLOSED and end > at and row.cell <= row.most:
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
                row = _OpenRow(longest)
    if row.length:
        yield row.ended(closed=state != _QUOTED)


class _OpenRow:
    """A row that is being read."""

    def __init__(self, longest: int) -> None:
        self.longest = longest
        self.most = 2 * longest + 2
        self.most_of_row = CELLS_OF_A_ROW * longest + 1_000_000
        self.cells: list[Cell] = []
        self.parts: list[str] = []
        self.behind: list[str] = []
        """Text after the quote that closes the cell."""
        self.after: tuple[int, str] | None = None
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
        cell: Cell
        if self.cell > self.most:
            cell = too_long(self.cell, self.longest)
        else:
            self.kept += self.cell + _OF_A_CELL
            text = "".join(self.parts)
            text = text[1:-1].replace('""', '"') if text[:1] == '"' else text
            cell = too_long(len(text), self.longest) if len(text) > self.longest else text
            if self.behind and self.after is None:
                self.after = self.place, "".join(self.behind)
        self.cells.append(cell)
        if self.kept > self.most_of_row:
            self.cells.clear()
        self.parts.clear()
        self.behind.clear()
        self.cell, self.place = 0, self.place + 1

    def ended(self, closed: bool = True) -> RowText:
        """The whole row."""
        self.end_cell()
        length = self.length - 1
        return RowText(self.cells if length else [], length, self.kept <= self.most_of_row, closed, self.after)
