"""A workbook of Excel: its sheets, the rows of one as the library has them, and what the library does not say of it.

What a file says of its own size is not believed, and one that unpacks to more than the settings allow is not opened.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from evaluators.issues import Problems, extra_hint, problem
from evaluators.registry import nearest
from evaluators.testsets.byte_source import GIB, ByteSource, reading
from evaluators.testsets.reader import broken

MOST_WORKBOOK_GIB: Final = 1.0
"""How much a workbook may unpack to, where the settings do not say: a part of it is held in memory."""
MOST_ROWS: Final = 1_048_576
"""The rows of a sheet."""
_BLOCK: Final = 1024 * 1024
_LONGEST_TAG: Final = 64 * 1024
_OLD: Final = b"\xd0\xcf\x11\xe0"
_MERGED: Final = re.compile(rb"<(?:\w+:)?mergeCell\s[^<>]*?ref=\"([A-Z]{1,3}\d{1,7}:[A-Z]{1,3}\d{1,7})\"")
_HIDDEN_ROW: Final = re.compile(rb"<(?:\w+:)?row\s[^<>]*?hidden=\"(?:1|true)\"")
_HINT: Final = "open it in the program that made it and save it as an Excel workbook (.xlsx)"


class Workbook:
    """An open workbook. Made by `opened`."""

    def __init__(self, source: ByteSource, stack: ExitStack) -> None:
        self.source = source
        self._stack = stack
        self._values = self._load(data_only=True)

    def _load(self, *, data_only: bool) -> Any:
        from openpyxl import load_workbook

        stream = self._stack.enter_context(self.source.open())
        book = load_workbook(stream, read_only=True, data_only=data_only, keep_links=False)
        self._stack.callback(book.close)
        return book

    def sheet(self, name: str | None) -> str:
        """The name of the sheet to read: the one asked for, or the first that is not hidden. Raises Problems (config)."""
        names = [sheet.title for sheet in self._values.worksheets]
        if not names:
            raise broken(self.source, "no-rows", "the workbook has no sheet with cells")
        if name is None:
            shown = [sheet.title for sheet in self._values.worksheets if sheet.sheet_state == "visible"]
            return str((shown or names)[0])
        if name not in names:
            near = nearest(name, names)
            hint = f'did you mean "{near}"?' if near else f"the sheets are {_listed(names)}"
            raise problem("no-such-sheet", f'there is no sheet "{name}"', where=self.source.name, hint=hint)
        return name

    def others(self, name: str) -> str:
        """The sheets that are not read, in words; empty where there are none."""
        others = [sheet for sheet in self._values.worksheets if sheet.title != name]
        said = [f'"{one.title}"' + ("" if one.sheet_state == "visible" else " (hidden)") for one in others[:5]]
        return ", ".join(said) + (f" and {len(others) - 5:,} more" if len(others) > 5 else "")

    def rows(self, sheet: str, first: int, width: int | None = None) -> Iterator[tuple[int, Sequence[Any]]]:
        """Each row from `first` on with its number and its cells, as the library has them; at most `width` of them."""
        return self._rows(self._values, sheet, first, width)

    def _rows(self, book: Any, name: str, first: int, width: int | None) -> Iterator[tuple[int, Sequence[Any]]]:
        sheet = book[name]
        sheet.reset_dimensions()  # what a file says of its own size need not be so
        for number, row in enumerate(sheet.iter_rows(min_row=first, max_col=width), start=first):
            if number > MOST_ROWS:
                raise broken(self.source, "unreadable-file", f"the sheet says that it has more than {MOST_ROWS:,} rows")
            yield number, row

    def formulas(self, sheet: str, first: int, width: int) -> Iterator[tuple[int, Sequence[Any]]]:
        """The same rows with formulas in place of their values."""
        return self._rows(self._load(data_only=False), sheet, first, width)

    def extras(self, sheet: str) -> tuple[tuple[str, ...], int]:
        """What the library does not say of a sheet: the ranges of cells that are shown as one (`B2:B4`), and how many rows are hidden."""
        merged: list[str] = []
        hidden, rest = 0, b""
        with self._values[
            sheet
        ]._get_source() as text:  # the part of the file with the sheet, which only the library finds
            while block := text.read(_BLOCK):
                tags, end, rest = (rest + block).rpartition(b">")
                merged += [found.decode() for found in _MERGED.findall(tags + end)]
                hidden += len(_HIDDEN_ROW.findall(tags + end))
                rest = rest[-_LONGEST_TAG:]
        return tuple(merged), hidden


@contextmanager
def opened(source: ByteSource) -> Iterator[Workbook]:
    """The workbook, for as long as the context lasts. Raises Problems when it cannot be opened, or read on."""
    try:
        import openpyxl  # noqa: F401  # whether it is there
    except ImportError:
        raise problem(
            "missing-package",
            "Excel files need a package that is not installed",
            where=source.name,
            hint=extra_hint("excel"),
        ) from None
    _check(source)
    with ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of parts of a workbook that are not read: its colours, its rules, its pictures
        try:
            yield Workbook(source, stack)
        except Problems:
            raise
        except Exception as error:  # whatever the library raises on a damaged file
            if isinstance(error, OSError) and error.errno is not None:
                with reading(source):
                    raise
            reason = str(error).strip().splitlines()[:1] or [type(error).__name__]
            raise broken(
                source, "unreadable-file", f"the file cannot be read as an Excel workbook: {reason[0]}", _HINT
            ) from None


def _check(source: ByteSource) -> None:
    """Raises Problems for what is no workbook, and for one that unpacks to more than the settings allow."""
    from zipfile import BadZipFile, ZipFile

    with reading(source), source.open() as stream:
        head = stream.read(4)
        if head == _OLD:
            message = "this is a workbook of an old version of Excel (.xls), or one that opens with a password"
            raise broken(source, "unreadable-file", message, "save it as .xlsx, without a password")
        try:
            with ZipFile(stream) as archive:
                size = sum(part.file_size for part in archive.infolist())
        except (BadZipFile, NotImplementedError, ValueError) as error:
            message = f"the file is no Excel workbook: {error}"
            raise broken(
                source, "unreadable-file", message, f"{_HINT}; for text with commas write `format: csv`"
            ) from None
    most = source.most_unpacked_gib or MOST_WORKBOOK_GIB
    if size > most * GIB:
        message = f"the workbook is not read: it unpacks to more than {most:g} GiB"
        raise broken(source, "too-large", message, "`test_set: {most_unpacked_gib: …}` in the suite allows more")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 10:,} more" if len(names) > 10 else ""
    return ", ".join(f'"{name}"' for name in names[:10]) + more
