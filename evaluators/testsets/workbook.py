"""A sheet of a workbook of Excel: its cells as we read them, and which of them hold nothing that can be read.

A sheet is gone through row by row, with the values that the program that saved it left there: nothing is calculated here. What a file
says of its own size is not believed, and one that unpacks to more than the settings allow is not opened.
"""

from __future__ import annotations

import datetime
import re
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import PurePath
from typing import Any, Final

from evaluators.model.issues import Blame, CellError, Issue, Problems, extra_hint, problem
from evaluators.model.registry import nearest
from evaluators.scoring.needs import Cell
from evaluators.scoring.values.quoting import first_texts
from evaluators.testsets.byte_source import GIB, OLD_WORKBOOK, OPEN_WORKBOOK, ByteSource, reading, unusable_file

MOST_WORKBOOK_GIB: Final = 1.0
"""How much a workbook may unpack to, where the settings do not say: a part of it is held in memory."""
MOST_ROWS: Final = 1_048_576
"""The rows of a sheet."""
_BLOCK: Final = 1024 * 1024
_LONGEST_TAG: Final = 64 * 1024
_MERGED: Final = re.compile(rb"<(?:\w+:)?mergeCell\s[^<>]*?ref=\"([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})\"")
_HIDDEN_ROW: Final = re.compile(rb"<(?:\w+:)?row\s[^<>]*?hidden=\"(?:1|true)\"")
_HINT: Final = "open it in the program that made it and save it as an Excel workbook (.xlsx)"
MOST_CHARACTERS: Final = 32_767
"""The characters of a cell."""
_EXACT: Final = 2**53
_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
_NOT_SHOWN: Final = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_SIMPLE_NAME: Final = re.compile(r"[^\W\d]\w*")


class Sheet:
    """A sheet of an open workbook, with its cells as we read them. Made by `opened`."""

    def __init__(self, source: ByteSource, stack: ExitStack) -> None:
        self.source = source
        self._stack = stack
        self._reader = self._load(data_only=True)
        self._sheets = self._reader.wb.worksheets
        self.name = self._sheet_name(source.sheet)
        self._formulas: Iterator[tuple[int, Sequence[Any]]] | None = None
        self._formula_row: tuple[int, Sequence[Any]] = (0, ())

    def _load(self, *, data_only: bool) -> Any:
        """A reader of the workbook, open until the sheet is closed, with the values of cells or, where `data_only` is false, with their
        formulas."""
        from openpyxl.reader.excel import ExcelReader

        stream = self._stack.enter_context(self.source.open())
        reader = ExcelReader(stream, read_only=True, data_only=data_only, keep_links=False)
        self._stack.callback(reader.archive.close)
        reader.read()
        return reader

    def _sheet_name(self, name: str | None) -> str:
        """The name of the sheet to read: the one asked for, or the first that is not hidden, or else the first. Raises Problems for a
        workbook without a sheet of cells (testset), and where none has the name (config)."""
        names = [sheet.title for sheet in self._sheets]
        if not names:
            raise unusable_file(self.source, "no-rows", "the workbook has no sheet with cells")
        if name is None:
            shown = [sheet.title for sheet in self._sheets if sheet.sheet_state == "visible"]
            return str((shown or names)[0])
        if name not in names:
            near = nearest(name, names)
            sheets = first_texts([f'"{name}"' for name in names], 10)
            hint = f'did you mean "{near}"?' if near else f"the sheets are {sheets}"
            raise problem("no-such-sheet", f'there is no sheet "{name}"', where=self.source.name, hint=hint)
        return name

    def visible_sheets(self) -> list[str]:
        """The names of the sheets that are not hidden."""
        return [str(sheet.title) for sheet in self._sheets if sheet.sheet_state == "visible"]

    def other_sheets(self) -> str:
        """The sheets that are not read, in words; empty where there are none."""
        others = [sheet for sheet in self._sheets if sheet.title != self.name]
        names = [f'"{other.title}"' + ("" if other.sheet_state == "visible" else " (hidden)") for other in others]
        return first_texts(names, 5)

    def merged_and_hidden(self) -> tuple[tuple[str, ...], int]:
        """The ranges of cells that are shown as one (`B2:B4`), and the number of hidden rows, which the library does not give."""
        merged: list[str] = []
        hidden, rest = 0, b""
        archive = self._reader.archive
        parts = (part.target for sheet, part in self._reader.parser.find_sheets() if sheet.name == self.name)
        with archive.open(next(part for part in parts if part in archive.namelist())) as text:
            while block := text.read(_BLOCK):
                tags, end, rest = (rest + block).rpartition(b">")
                merged += [match.decode() for match in _MERGED.findall(tags + end)]
                hidden += len(_HIDDEN_ROW.findall(tags + end))
                rest = rest[-_LONGEST_TAG:]
        return tuple(merged), hidden

    def rows(self, first: int, width: int | None = None, reader: Any = None) -> Iterator[tuple[int, Sequence[Any]]]:
        """Each row from `first` on with its number and its cells, as the library has them; at most `width` of them. `reader` is another
        reader than that of the values, such as that of the formulas. Raises Problems for a row beyond `MOST_ROWS`."""
        sheet = (reader or self._reader).wb[self.name]
        sheet.reset_dimensions()  # what a file says of its own size need not be so
        for number, row in enumerate(sheet.iter_rows(min_row=first, max_col=width), start=first):
            if number > MOST_ROWS:
                raise unusable_file(
                    self.source, "unreadable-file", f"the sheet says that it has more than {MOST_ROWS:,} rows"
                )
            yield number, row

    def cells(self, first: int, width: int, merged: Sequence[str] = ()) -> Iterator[tuple[int, list[Cell]]]:
        """Each row from `first` on that has anything in it: its number, and `width` cells. An empty cell is an empty text, but a fault
        where it is covered by one of the `merged` ranges, whose value stands in the first cell alone."""
        covering = _covering_ranges(merged, width)
        for number, row in self.rows(first, width):
            raw = [*row, *[None] * (width - len(row))]
            cells = [self._cell(cell, number, column, width) for column, cell in enumerate(raw, start=1)]
            if any(cell != "" for cell in cells):
                for column, cell in enumerate(cells, start=1):
                    if cell == "" and (range_ := covering(number, column)) is not None:
                        text = f"is one of the merged cells {range_}, of which only the first has a value"
                        hint = "unmerge the cells, and write the value into each row"
                        cells[column - 1] = self._fault("merged-cells", number, column, text, hint)
                yield number, cells

    def _cell(self, cell: Any, row: int, column: int, width: int) -> Cell:
        """The value of a cell as rows have it: texts unescaped, whole floats as integers, dates as text. A cell that cannot be read is a
        CellError."""
        value = getattr(cell, "value", None)
        if value is None:
            return self._cell_without_value(cell, row, column, width)
        if isinstance(value, str):
            if cell.data_type == "e":
                return self._fault("error-cell", row, column, f"holds the error {value}", "mend it in the workbook")
            if len(value) >= MOST_CHARACTERS:
                most = f"has {MOST_CHARACTERS:,} characters, the most that a cell can have"
                hint = "take the rows from where the workbook was made: CSV, JSON lines"
                return self._fault("cut-cell", row, column, f"{most}, so its end is probably missing", hint)
            return _ESCAPED.sub(_unescaped_character, value) if "_x" in value else value
        if isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            # Excel knows no integers: a number without decimals is one
            return int(value) if value.is_integer() and abs(value) < _EXACT else value
        return time_text(value, cell.number_format or "")

    def _cell_without_value(self, cell: Any, row: int, column: int, width: int) -> Cell:
        """The cell in that row and column, where the library gives no value: "" for an empty one, an error for a formula that was never
        calculated.

        The sheet is gone through a second time, for its formulas, from the first cell on that might be one.
        """
        if getattr(cell, "data_type", None) != "n" or not hasattr(cell, "row"):
            return ""
        if self._formulas is None:
            self._formulas = self.rows(row, width, self._load(data_only=False))
        while self._formula_row[0] < row:
            self._formula_row = next(self._formulas, (MOST_ROWS + 1, ()))
        number, cells = self._formula_row
        if number != row or column > len(cells) or cells[column - 1].data_type != "f":
            return ""
        hint = "open the workbook in Excel or LibreOffice and save it, which calculates its formulas"
        return self._fault("formula-without-value", row, column, "is a formula whose value was not saved", hint)

    def _fault(self, code: str, row: int, column: int, predicate: str, hint: str) -> CellError:
        """The fault of a cell, whose message names the cell and then says the `predicate` of it."""
        message = f"the cell {place_of(self.name, row, column)} {predicate}"
        return CellError(Issue(code, Blame.TESTSET, message, hint=hint))


def _covering_ranges(ranges: Sequence[str], width: int) -> Callable[[int, int], str | None]:
    """A function from the row and column of a cell to the merged range that covers it; it gives None where none does, and for the first
    cell of a range. Of the `ranges`, such as `B2:B4`, columns beyond `width` are left out."""
    from openpyxl.utils import range_boundaries

    columns: dict[int, list[tuple[int, int, str, bool]]] = {}
    for range_ in ranges:
        first, top, last, bottom = range_boundaries(range_)
        for column in range(first, min(last, width) + 1):
            columns.setdefault(column, []).append((top, bottom, range_, column == first))
    for values in columns.values():
        values.sort()

    def covering(row: int, column: int) -> str | None:
        """The merged range that covers a cell; None where there is none, and for the first cell of a range, which holds its value."""
        values = columns.get(column, [])
        index = bisect_right(values, (row, MOST_ROWS + 1)) - 1
        if index < 0:
            return None
        top, bottom, range_, holds = values[index]
        return range_ if row <= bottom and not (holds and row == top) else None

    return covering


@contextmanager
def open_sheet(source: ByteSource) -> Iterator[Sheet]:
    """The sheet of a workbook that the settings name, open within the `with` block. Raises Problems when it cannot be read."""
    try:
        import openpyxl  # noqa: F401  # whether it is there
    except ImportError:
        message = "Excel files need a package that is not installed"
        raise problem("missing-package", message, where=source.name, hint=extra_hint("excel")) from None
    _check_workbook(source)
    with ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of parts of a workbook that are not read: its colours, its rules, its pictures
        try:
            yield Sheet(source, stack)
        except Problems:
            raise
        except Exception as error:  # whatever the library raises on a damaged file
            if isinstance(error, OSError) and error.errno is not None:
                with reading(source):
                    raise
            reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
            message = f"the file cannot be read as an Excel workbook: {reason[0]}"
            raise unusable_file(source, "unreadable-file", message, _HINT) from None


def sheet_names(source: ByteSource) -> list[str]:
    """The sheets of a workbook that are not hidden, in order. Raises Problems when it cannot be read."""
    with open_sheet(source.uncompressed()) as sheet:
        return sheet.visible_sheets()


def _check_workbook(source: ByteSource) -> None:
    """Raises Problems for what is no workbook, and for one that unpacks to more than the settings allow."""
    from zipfile import BadZipFile, ZipFile

    with reading(source), source.open() as stream:
        head = stream.read(4)
        if head == OLD_WORKBOOK:
            message = "this is a workbook of an old version of Excel (.xls), or one that opens with a password"
            raise unusable_file(source, "unreadable-file", message, "save it as .xlsx, without a password")
        try:
            with ZipFile(stream) as archive:
                size = sum(part.file_size for part in archive.infolist())
        except (BadZipFile, NotImplementedError, ValueError) as error:
            hint = f"{_HINT}; for text with commas write `format: csv`"
            name = PurePath(source.file_name or source.name)
            if name.name.startswith(OPEN_WORKBOOK):
                hint = (
                    f"it marks that the workbook is open in Excel: name {name.with_name(name.name[len(OPEN_WORKBOOK) :])}"
                )
            raise unusable_file(source, "unreadable-file", f"the file is no Excel workbook: {error}", hint) from None
    most = source.most_unpacked_gib or MOST_WORKBOOK_GIB
    if size > most * GIB:
        message = f"the workbook is not read: it unpacks to more than {most:g} GiB"
        raise unusable_file(source, "too-large", message, "`test_set: {most_unpacked_gib: …}` in the suite allows more")


def place_of(sheet: str, row: int, column: int) -> str:
    """The name of a cell as Excel writes it: `Sheet1!C7`."""
    from openpyxl.utils import get_column_letter

    name = sheet if _SIMPLE_NAME.fullmatch(sheet) else "'" + sheet.replace("'", "''") + "'"
    return f"{name}!{get_column_letter(column)}{row}"


def time_text(value: object, number_format: str) -> str:
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
    """Whether a number format shows hours or seconds, so that a date in it has a time."""
    return any(sign in "hs" for sign in _NOT_SHOWN.sub("", number_format).lower())


def _unescaped_character(match: re.Match[str]) -> str:
    """The character that a workbook writes as its number, since XML has no place for it."""
    return chr(int(match[1], 16))
