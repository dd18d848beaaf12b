"""The cells that a split kept, on their way into the run folder: blocks of lines, each with a table of what they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from evaluators.issues import Fault
from evaluators.model import JSON, MISSING
from evaluators.testsets.byte_store import read_from
from evaluators.value_class import NamedTuple
from evaluators.values.json_text import compact, parse


class KeptCells(NamedTuple):
    """The cells of one row."""

    offset: int
    """The place of the row in its split."""
    line: bytes
    """The line without its number: `"cells":{…}}`."""


def cell_lines(names: Sequence[str], columns: Sequence[Sequence[Any]], rows: Sequence[int]) -> Iterator[bytes]:
    """The lines of some rows. A cell that is not there is left out, and one that could not be read is its text."""
    plain = all(set(map(type, column)) <= _PLAIN for column in columns)
    for row in rows:
        cells = {name: column[row] for name, column in zip(names, columns, strict=True)}
        if not plain:
            cells = {name: _cell(cell) for name, cell in cells.items() if cell is not MISSING}
        yield b'"cells":%b}' % compact(cells)


_PLAIN = frozenset((str, int, float, bool, type(None), dict, list))


def _cell(cell: Any) -> Any:
    return cell.text if isinstance(cell, Fault) else cell


def write_cells(part: BinaryIO, kept: Sequence[KeptCells]) -> None:
    """Adds a block to a part."""
    table: JSON = [[one.offset, len(one.line)] for one in kept]
    part.write(b"%b\n%b" % (compact(table), b"".join([one.line for one in kept])))


def read_cells(place: str) -> Iterator[KeptCells]:
    """What a part holds, in the order of rows."""
    with read_from(place) as part:
        for table in part:
            entries: Any = parse(table)
            block = part.read(sum(length for _, length in entries))
            start = 0
            for offset, length in entries:
                yield KeptCells(offset, block[start : start + length])
                start += length
