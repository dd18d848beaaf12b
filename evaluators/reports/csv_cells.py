"""CSV that a spreadsheet opens right and cannot be harmed by.

Every file starts with the UTF-8 byte order mark, because Excel reads accents wrongly without it (pandas, DuckDB and our
own reader set it aside), and every cell is quoted, so that a separator inside a cell never starts a new one. Cells are separated,
and decimals written, as in the test set.

A cell that a spreadsheet would run as a formula gets an apostrophe in front, and is text from then on: one that starts,
white space and invisible characters apart, with `=`, `+`, `-`, `@` or their full-width twins, or with a tab or a line
end. So does what begins that way behind a semicolon, where a spreadsheet of some countries begins a cell. A plain number such as
`-12.5` stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, TextIO, TypeAlias

from msgspec import Struct

from evaluators.model.issues import Problems

if TYPE_CHECKING:
    from evaluators.runs.reader import Run

Value: TypeAlias = str | float | bool | None

BYTE_ORDER_MARK: Final = "\ufeff"

_INVISIBLE: Final = (
    r"\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_FILLERS: Final = "\u115f\u1160\u3164\uffa0"
"""Letters that cannot be seen."""
_RISKY: Final = re.compile(rf"[\t\r\n]|[{_INVISIBLE}]*+[=+\-@＝＋－＠]")
_INSIDE: Final = re.compile(rf"(;)([\"{_INVISIBLE}]*+[=+\-@＝＋－＠])")
"""Where lists are separated by semicolons, Excel begins a cell after one that stands inside quotes."""
_NUMBER: Final = re.compile(r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?")


def guard_cell(cell: str) -> str:
    """The cell, with an apostrophe in front when a spreadsheet would take it for a formula."""
    if ";" in cell:
        cell = _INSIDE.sub(_guarded_inside, cell)
    if cell[:1].isalnum() and cell[0] not in _FILLERS:
        return cell  # most cells: no formula starts so
    if _RISKY.match(cell) and not _NUMBER.fullmatch(cell):
        return "'" + cell
    return cell


def _guarded_inside(match: re.Match[str]) -> str:
    """The text in place of a match of `_INSIDE`: an apostrophe behind the semicolon, unless a plain number stands there."""
    rest = match.string[match.end(1) :].partition(";")[0]
    return match[0] if _NUMBER.fullmatch(rest.strip()) else f"{match[1]}'{match[2]}"


class Spelling(Struct, frozen=True):
    """How a file is spelled, so that it opens in the spreadsheet that the rows come from."""

    delimiter: str = ","
    decimal: str = "."
    mark: bool = True
    """It begins with a byte order mark."""


def spelling_of(run: Run) -> Spelling:
    """The spelling of a run's test set; the usual one where its rows were not recorded."""
    try:
        return Spelling(run.facts.delimiter or ",", run.facts.decimal, run.facts.byte_order_mark)
    except Problems:
        return Spelling()


def write_csv(stream: TextIO, rows: Iterable[Iterable[Value]], spelling: Spelling = Spelling()) -> None:
    """Write rows, the head among them, guarded and quoted. The stream must not translate line ends."""
    stream.write(BYTE_ORDER_MARK)
    decimal = spelling.decimal
    stream.writelines(
        f"{quote_cells([cell_text(cell, decimal) for cell in row], spelling.delimiter)}\r\n" for row in rows
    )


def quote_cells(cells: Iterable[str], delimiter: str = ",") -> str:
    """Some cells of a line as a CSV file has them: guarded against formulas, in quotes, with the delimiter between them."""
    return delimiter.join([f'"{guard_cell(cell).replace(_QUOTE, _QUOTE * 2)}"' for cell in cells])


_QUOTE: Final = '"'


def cell_text(cell: Value, decimal: str = ".") -> str:
    """A value as a cell: numbers with every digit that they have, `true` and `false`, and nothing where there is nothing."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if cell is None or isinstance(cell, str):
        return cell or ""
    return repr(cell).replace(".", decimal)
