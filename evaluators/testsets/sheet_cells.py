"""The cells of a sheet as we read them, and which of them hold nothing that can be read.

A sheet is gone through row by row, with the values that the program that saved it left there: nothing is calculated here. A
cell of which that program left a formula and no value is found by going through the sheet a second time, for its formulas,
from the first cell on that might be one.
"""

from __future__ import annotations

import datetime
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from evaluators.issues import Blame, Fault, Issue
from evaluators.needs import Cell
from evaluators.testsets.workbook import MOST_ROWS, Workbook

MOST_CHARACTERS: Final = 32_767
"""The characters of a cell."""
_EXACT: Final = 2**53
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_NOT_SHOWN: Final = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_SIMPLE_NAME: Final = re.compile(r"[^\W\d]\w*")


class MergedCells:
    """Which cells are covered by another one, with which they are shown as one."""

    def __init__(self, ranges: Sequence[str], width: int) -> None:
        from openpyxl.utils import range_boundaries

        self._columns: dict[int, list[tuple[int, int, str, bool]]] = {}
        for one in ranges:
            first, top, last, bottom = range_boundaries(one)
            for column in range(first, min(last, width) + 1):
                self._columns.setdefault(column, []).append((top, bottom, one, column == first))
        for found in self._columns.values():
            found.sort()

    def covering(self, row: int, column: int) -> str | None:
        """The range whose first cell covers this one; None for all other cells."""
        found = self._columns.get(column, [])
        place = bisect_right(found, (row, MOST_ROWS + 1)) - 1
        if place < 0:
            return None
        top, bottom, range_, holds = found[place]
        return range_ if row <= bottom and not (holds and row == top) else None


class SheetCells:
    """The cells of one pass over a sheet, as we read them."""

    def __init__(self, book: Workbook, sheet: str, first: int, width: int, merged: Sequence[str]) -> None:
        self._book, self._sheet, self._first, self._width = book, sheet, first, width
        self._merged = MergedCells(merged, width)
        self._formulas: Iterator[tuple[int, Sequence[Any]]] | None = None
        self._formula_row: tuple[int, Sequence[Any]] = (0, ())

    def rows(self) -> Iterator[tuple[int, list[Cell]]]:
        """Each row that has anything in it: its number, and `width` cells. An empty cell is an empty text."""
        for number, found in self._book.rows(self._sheet, self._first, self._width):
            raw = [*found, *[None] * (self._width - len(found))]
            cells = [
                self._unset(cell, number, column)
                if getattr(cell, "value", None) is None
                else self._set(cell, number, column)
                for column, cell in enumerate(raw, start=1)
            ]
            if any(cell != "" for cell in cells):
                yield (
                    number,
                    [
                        self._covered(cell, number, column) if cell == "" else cell
                        for column, cell in enumerate(cells, start=1)
                    ],
                )

    def _set(self, cell: Any, row: int, column: int) -> Cell:
        value, kind = cell.value, cell.data_type
        if isinstance(value, str):
            if kind == "e":
                return self._fault("error-cell", row, column, f"holds the error {value}", "mend it in the workbook")
            if len(value) >= MOST_CHARACTERS:
                said = (
                    f"has {MOST_CHARACTERS:,} characters, the most that a cell can have, so its end is probably missing"
                )
                return self._fault(
                    "cut-cell", row, column, said, "take the rows from where the workbook was made: CSV, JSON lines"
                )
            return _ESCAPED.sub(_unescaped, value) if "_x" in value else value
        if isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            # Excel knows no integers: a number without decimals is one
            return int(value) if value.is_integer() and abs(value) < _EXACT else value
        return moment(value, cell.number_format or "")

    def _unset(self, cell: Any, row: int, column: int) -> Cell:
        """A cell without a value: empty, or a formula that nobody has calculated."""
        if getattr(cell, "data_type", None) != "n" or not hasattr(cell, "row") or not self._is_formula(row, column):
            return ""
        hint = "open the workbook in Excel or LibreOffice and save it, which calculates its formulas"
        return self._fault("formula-without-value", row, column, "is a formula whose value was not saved", hint)

    def _is_formula(self, row: int, column: int) -> bool:
        if self._formulas is None:
            self._formulas = self._book.formulas(self._sheet, row, self._width)
        while self._formula_row[0] < row:
            self._formula_row = next(self._formulas, (MOST_ROWS + 1, ()))
        number, cells = self._formula_row
        return number == row and column <= len(cells) and cells[column - 1].data_type == "f"

    def _covered(self, cell: Cell, row: int, column: int) -> Cell:
        range_ = self._merged.covering(row, column)
        if range_ is None:
            return cell
        said = f"is one of the merged cells {range_}, of which only the first has a value"
        return self._fault("merged-cells", row, column, said, "unmerge the cells, and write the value into each row")

    def _fault(self, code: str, row: int, column: int, said: str, hint: str) -> Fault:
        message = f"the cell {place_of(self._sheet, row, column)} {said}"
        return Fault(Issue(code, Blame.TESTSET, message, hint=hint))


def place_of(sheet: str, row: int, column: int) -> str:
    """A cell as Excel names it: `Sheet1!C7`."""
    name = sheet if _SIMPLE_NAME.fullmatch(sheet) else "'" + sheet.replace("'", "''") + "'"
    return f"{name}!{letters(column)}{row}"


def letters(column: int) -> str:
    """The letters of a column, counted from 1."""
    found = ""
    while column:
        column, place = divmod(column - 1, 26)
        found = chr(ord("A") + place) + found
    return found


def moment(value: object, number_format: str) -> str:
    """A date or time as text: `2026-03-01`, `2026-03-01T14:30:00`, `14:30:00`; a length of time as `26:30:00`.

    A date at midnight is a date alone, unless the cell is shown with its time.
    """
    match value:
        case datetime.timedelta():
            minutes, seconds = divmod(abs(value), datetime.timedelta(minutes=1))
            clock = (datetime.datetime.min + seconds).time().isoformat()
            return f"{'-' if value < datetime.timedelta() else ''}{minutes // 60:02}:{minutes % 60:02}:{clock[6:]}"
        case datetime.datetime() if value.time() == datetime.time() and not _shows_time(number_format):
            return value.date().isoformat()
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
    return str(value)


@lru_cache(maxsize=256)
def _shows_time(number_format: str) -> bool:
    return any(sign in "hs" for sign in _NOT_SHOWN.sub("", number_format).lower())


def _unescaped(found: re.Match[str]) -> str:
    """The character that a workbook writes as its number, since XML has no place for it."""
    return chr(int(found[1], 16))
