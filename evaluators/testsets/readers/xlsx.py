"""Excel workbooks, with openpyxl."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar, Final, Self

from evaluators.issues import Fault
from evaluators.model import MISSING
from evaluators.needs import Cell
from evaluators.testsets.byte_source import ByteSource
from evaluators.testsets.reader import CHUNK_BYTES, MAX_CHUNK_ROWS, Chunk, Reader, Split, broken, refuse_same_names
from evaluators.testsets.sheet_cells import SheetCells, letters, place_of
from evaluators.testsets.workbook import Workbook, opened
from evaluators.values.json_text import to_text

_FIRST_ROWS: Final = 200
_ONLY_ZEROS: Final = re.compile("0{2,}")
_HEADER_HINT: Final = "the header holds the names of the columns; `header_row: 3` says that it is row 3"


class Xlsx(Reader, frozen=True):
    """A sheet of an Excel workbook. Text stays text, numbers are numbers, dates are texts such as 2026-03-01.

    Read is what the cells hold, not how they are shown. An empty cell is an empty text, as in CSV. The rows have the numbers of
    the sheet.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".xlsx", ".xlsm")

    sheet: str = ""
    merged: tuple[str, ...] = ()
    """Ranges of cells that are shown as one."""

    @classmethod
    def open(cls, source: ByteSource) -> Self:
        """The sheet, with its header. Raises Problems when the file is no workbook, or the header is unclear."""
        source = source.uncompressed()
        with opened(source) as book:
            sheet = book.sheet(source.sheet)
            merged, hidden = book.extras(sheet)
            row = source.header_row or _first_row(book, source, sheet)
            header, notes = _header(book, source, sheet, row)
            first = list(islice(book.rows(sheet, row + 1), _FIRST_ROWS))
            if source.header_row is None:
                _check_title(source, sheet, row, header, first)
            others = book.others(sheet)
            if others or row > 1:
                said = f"; not read: {others}" if others else ""
                notes.insert(0, f'{source.name}: sheet "{sheet}", with the header in row {row}{said}')
            if hidden:
                rows = "1 hidden row is" if hidden == 1 else f"{hidden:,} hidden rows are"
                notes.append(f"{source.name}: {rows} read like the others")
            notes += _zeros(source, sheet, first, len(header))
        return cls(source, header, row + 1, tuple(notes), sheet, merged)

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of the sheet below its header, without the empty ones."""
        places = {name: self.header.index(name) for name in columns if name in self.header}
        width = max((place + 1 for place in places.values()), default=0)
        with opened(self.source) as book:
            # every column of the header says whether a row is empty
            rows = SheetCells(book, self.sheet, self.first_number, max(width, len(self.header)), self.merged).rows()
            taken: list[tuple[int, list[Cell]]] = []
            size = 0
            for number, cells in rows:
                taken.append((number - self.first_number, cells))
                size += sum(len(cell) for cell in cells if isinstance(cell, str))
                if len(taken) == MAX_CHUNK_ROWS or size >= CHUNK_BYTES:
                    yield _chunk(taken, columns, places)
                    taken, size = [], 0
            if taken:
                yield _chunk(taken, columns, places)


def _chunk(rows: Sequence[tuple[int, list[Cell]]], columns: Sequence[str], places: dict[str, int]) -> Chunk:
    cells: dict[str, list[Cell]] = {
        name: [row[places[name]] for _, row in rows] if name in places else [MISSING] * len(rows) for name in columns
    }
    return Chunk([offset for offset, _ in rows], rows[-1][0] + 1, cells)


def _first_row(book: Workbook, source: ByteSource, sheet: str) -> int:
    """The first row that has anything in it."""
    for number, row in book.rows(sheet, 1):
        if _filled(row):
            return number
    others = book.others(sheet)
    hint = f"`sheet: NAME` names another one: {others}" if others else None
    raise broken(source, "no-header", f'the sheet "{sheet}" is empty', hint)


def _filled(row: Sequence[Any]) -> list[int]:
    """The places of the cells that have a value, counted from 1."""
    return [place for place, cell in enumerate(row, start=1) if cell.value not in (None, "")]


def _header(book: Workbook, source: ByteSource, sheet: str, row: int) -> tuple[tuple[str, ...], list[str]]:
    """The names of the columns, up to the last cell of the header that has a value; and what is to be said of them."""
    found = next((cells for number, cells in book.rows(sheet, row) if number == row), ())
    width = max(_filled(found), default=0)
    if not width:
        raise broken(source, "no-header", f'row {row} of the sheet "{sheet}" is empty', _HEADER_HINT)
    cells = next((cells for number, cells in SheetCells(book, sheet, row, width, ()).rows() if number == row), [])
    names = [_name(source, cell) for cell in cells]
    header = tuple(name if name.strip() else f"column {letters(place)}" for place, name in enumerate(names, start=1))
    refuse_same_names(source, header, lambda twice: _places(header, twice, sheet, row))
    nameless = [letters(place) for place, name in enumerate(names, start=1) if not name.strip()]
    note = f'{source.name}: columns without a name are called by their letter, "column X": {", ".join(nameless)}'
    return header, [note] if nameless else []


def _name(source: ByteSource, cell: Cell) -> str:
    if isinstance(cell, Fault):
        raise broken(source, cell.issue.code, f"a column has no name: {cell.issue.message}", cell.issue.hint)
    return cell if isinstance(cell, str) else to_text(cell)  # type: ignore[arg-type]  # cells of a workbook are JSON


def _places(header: Sequence[str], name: str, sheet: str, row: int) -> str:
    return " and ".join(place_of(sheet, row, place) for place, other in enumerate(header, start=1) if other == name)


def _check_title(
    source: ByteSource, sheet: str, row: int, header: Sequence[str], first: Sequence[tuple[int, Sequence[Any]]]
) -> None:
    """Raises Problems where the first row with anything in it seems to be a title above the header."""
    if len(header) > 1:
        return
    wider = next((number for number, cells in first if len(_filled(cells)) > 1), None)
    if wider is not None:
        message = f"{place_of(sheet, row, 1)} is alone in its row, and row {wider} has several cells"
        hint = f"`header_row: {wider}` under test_set, or --header-row {wider}, says that row {wider} is the header"
        raise broken(source, "unclear-header", message, hint)


def _zeros(source: ByteSource, sheet: str, first: Sequence[tuple[int, Sequence[Any]]], width: int) -> list[str]:
    """What is to be said of numbers that are shown with zeros in front: those are not in the cell."""
    for number, cells in first:
        for place, cell in enumerate(cells[:width], start=1):
            whole = isinstance(cell.value, int) and not isinstance(cell.value, bool)
            if whole and _ONLY_ZEROS.fullmatch(cell.number_format or ""):
                shown = str(cell.value).zfill(len(cell.number_format))
                said = f"is shown as {shown} and holds the number {cell.value}, which is read"
                return [
                    f"{source.name}: {place_of(sheet, number, place)} {said}; cells with the format Text keep their zeros"
                ]
    return []
