"""Excel workbooks, with openpyxl."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, ClassVar, Final, Self

from evaluators.model.issues import CellError
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import Cell
from evaluators.scoring.values.json_text import to_text
from evaluators.testsets.byte_source import ByteSource, unusable_file
from evaluators.testsets.reader import (
    CHUNK_BYTES,
    HEADER_AGAIN,
    HEADER_HINT,
    MAX_CHUNK_ROWS,
    Chunk,
    Reader,
    Split,
    names_of,
    refuse_same_names,
)
from evaluators.testsets.table_head import refuse_two_rows_of_names
from evaluators.testsets.workbook import Sheet, open_sheet, place_of

_FIRST_ROWS: Final = 200
_ONLY_ZEROS: Final = re.compile("0{2,}")


class Xlsx(Reader, frozen=True):
    """A sheet of an Excel workbook. Text stays text, numbers are numbers, dates are texts such as 2026-03-01.

    Read is what the cells hold, not how they are shown. An empty cell is an empty text, as in CSV. The rows have the numbers of
    the sheet.
    """

    suffixes: ClassVar[tuple[str, ...]] = (".xlsx", ".xlsm")
    options: ClassVar[frozenset[str]] = frozenset({"sheet", "header_row"})

    merged: tuple[str, ...] = ()
    """Ranges of cells that are shown as one."""

    @classmethod
    def open(cls, source: ByteSource) -> Self:
        """Opens the sheet that the source names, or the first that is not hidden, and finds its header. Raises Problems when the file is no
        workbook, or the header is unclear."""
        source = source.uncompressed()
        with open_sheet(source) as sheet:
            merged, hidden = sheet.merged_and_hidden()
            rows = sheet.rows(source.header_row or 1)
            row, cells = next(
                (row for row in rows if source.header_row or _filled_places(row[1])), (source.header_row, ())
            )
            first = list(islice(rows, _FIRST_ROWS))
            if row is None:
                others = sheet.other_sheets()
                hint = f"`sheet: NAME` names another one: {others}" if others else None
                raise unusable_file(source, "no-header", f'the sheet "{sheet.name}" is empty', hint)
            if source.header_row is None and first and first[0][0] == row + 1:
                names, below = (
                    [str(cell.value) if isinstance(cell.value, str) else "" for cell in each]
                    for each in (cells, first[0][1])
                )
                refuse_two_rows_of_names(source, row, names, below)
            header, notes = _header(sheet, row, max(_filled_places(cells), default=0))
            if source.header_row is None:
                _check_title(sheet, row, header, first)
            others = sheet.other_sheets()
            if others or row > 1:
                text = f"; not read: {others}" if others else ""
                notes.insert(0, f'{source.name}: sheet "{sheet.name}", with the header in row {row}{text}')
            if hidden:
                text = "1 hidden row is" if hidden == 1 else f"{hidden:,} hidden rows are"
                notes.append(f"{source.name}: {text} read like the others")
            notes += _notes_on_zeros(sheet, first, len(header))
        return cls(source, header, row + 1, tuple(notes), merged=merged)

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of the sheet below its header in chunks with these columns, without the empty rows. A sheet is one split."""
        places = {name: self.header.index(name) for name in columns if name in self.header}
        names = names_of(self.header)
        with open_sheet(self.source) as sheet:
            # every column of the header says whether a row is empty
            rows = sheet.cells(self.first_number, len(self.header), self.merged)
            taken: list[tuple[int, list[Cell]]] = []
            size = 0
            for number, cells in rows:
                taken.append((number - self.first_number, cells))
                size += sum(len(cell) for cell in cells if isinstance(cell, str))
                if len(taken) == MAX_CHUNK_ROWS or size >= CHUNK_BYTES:
                    yield _chunk(taken, columns, places, names)
                    taken, size = [], 0
            if taken:
                yield _chunk(taken, columns, places, names)


def _chunk(
    rows: Sequence[tuple[int, list[Cell]]], columns: Sequence[str], places: dict[str, int], names: list[str] | None
) -> Chunk:
    """Rows, each with its offset, as a chunk of columns. A column that the header does not have holds MISSING. A row with the `names` of
    the columns is a fault, and each of its cells a CellError."""
    cells: dict[str, list[Cell]] = {
        name: [row[places[name]] for _, row in rows] if name in places else [MISSING] * len(rows) for name in columns
    }
    faults = [(at, HEADER_AGAIN) for at, (_, row) in enumerate(rows) if row == names]
    for column in cells.values():
        for at, issue in faults:
            column[at] = CellError(issue)
    return Chunk([offset for offset, _ in rows], rows[-1][0] + 1, cells, faults)


def _filled_places(row: Sequence[Any]) -> list[int]:
    """The places of the cells that have a value, counted from 1."""
    return [index for index, cell in enumerate(row, start=1) if cell.value not in (None, "")]


def _header(sheet: Sheet, row: int, width: int) -> tuple[tuple[str, ...], list[str]]:
    """(names, notes): the names of the columns, from the first `width` cells of the row, and a note on columns without a name. Raises
    Problems for an empty row, and for names that are there twice."""
    from openpyxl.utils import get_column_letter

    source = sheet.source
    if not width:
        raise unusable_file(source, "no-header", f'row {row} of the sheet "{sheet.name}" is empty', HEADER_HINT)
    cells = next((cells for number, cells in sheet.cells(row, width) if number == row), [])
    names = [_name(source, cell) for cell in cells]
    nameless = {index: get_column_letter(index) for index, name in enumerate(names, start=1) if not name.strip()}
    header = tuple(
        f"column {nameless[index]}" if index in nameless else name for index, name in enumerate(names, start=1)
    )

    def places(twice: str) -> str:
        """The cells of the header that hold a name, in words."""
        return " and ".join(
            place_of(sheet.name, row, index) for index, name in enumerate(header, start=1) if name == twice
        )

    refuse_same_names(source, header, places)
    note = f'{source.name}: columns without a name are called by their letter, "column X": {", ".join(nameless.values())}'
    return header, [note] if nameless else []


def _name(source: ByteSource, cell: Cell) -> str:
    """The name of a column from a cell of the header. Raises Problems for a cell that cannot be read."""
    if isinstance(cell, CellError):
        raise unusable_file(source, cell.issue.code, f"a column has no name: {cell.issue.message}", cell.issue.hint)
    return cell if isinstance(cell, str) else to_text(cell)  # type: ignore[arg-type]  # cells of a workbook are JSON


def _check_title(sheet: Sheet, row: int, header: Sequence[str], first: Sequence[tuple[int, Sequence[Any]]]) -> None:
    """Raises Problems where the first row with anything in it seems to be a title above the header."""
    if len(header) > 1:
        return
    wider = next((number for number, cells in first if len(_filled_places(cells)) > 1), None)
    if wider is not None:
        message = f"{place_of(sheet.name, row, 1)} is alone in its row, and row {wider} has several cells"
        hint = f"`header_row: {wider}` under test_set, or --header-row {wider}, says that row {wider} is the header"
        raise unusable_file(sheet.source, "unclear-header", message, hint)


def _notes_on_zeros(sheet: Sheet, first: Sequence[tuple[int, Sequence[Any]]], width: int) -> list[str]:
    """A note on the first number that is shown with leading zeros, which are not in the cell; none without one. Of each of the `first`
    rows, `width` cells are looked at."""
    for number, cells in first:
        for index, cell in enumerate(cells[:width], start=1):
            whole = isinstance(cell.value, int) and not isinstance(cell.value, bool)
            if whole and _ONLY_ZEROS.fullmatch(cell.number_format or ""):
                shown = str(cell.value).zfill(len(cell.number_format))
                text = f"is shown as {shown} and holds the number {cell.value}, which is read"
                where = f"{sheet.source.name}: {place_of(sheet.name, number, index)}"
                return [f"{where} {text}; cells with the format Text keep their zeros"]
    return []
