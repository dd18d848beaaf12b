"""CSV that a spreadsheet opens right and cannot be harmed by.

Every file starts with the UTF-8 byte order mark, because Excel reads accents wrongly without it (pandas, DuckDB and our
own reader set it aside), and every cell is quoted, so that a separator inside a cell never starts a new one.

A cell that a spreadsheet would run as a formula gets an apostrophe in front, and is text from then on: one that starts,
white space and invisible characters apart, with `=`, `+`, `-`, `@` or their full-width twins, or with a tab or a line
end. A plain number such as `-12.5` stays as it is.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import Final, TextIO

BYTE_ORDER_MARK: Final = "\ufeff"

_RISKY: Final = re.compile(r"[\t\r\n]|[\s\x00-\x1f\u200b-\u200f\ufeff]*[=+\-@＝＋－＠]")
_NUMBER: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def guarded(cell: str) -> str:
    """The cell, with an apostrophe in front when a spreadsheet would take it for a formula."""
    if cell[:1].isalnum():
        return cell  # most cells: no formula starts so
    if _RISKY.match(cell) and not _NUMBER.fullmatch(cell):
        return "'" + cell
    return cell


def write_csv(stream: TextIO, rows: Iterable[Iterable[str]], delimiter: str = ",") -> None:
    """Write rows, the head among them, guarded and quoted. The stream must not translate line ends."""
    write_guarded(stream, ([guarded(cell) for cell in row] for row in rows), delimiter)


def write_guarded(stream: TextIO, rows: Iterable[Iterable[str]], delimiter: str = ",") -> None:
    """Write rows whose cells are guarded already. The stream must not translate line ends."""
    stream.write(BYTE_ORDER_MARK)
    csv.writer(stream, quoting=csv.QUOTE_ALL, delimiter=delimiter).writerows(rows)
