"""How a row is recognised in another run: by its id, and by a checksum of its cells without the outputs.

The checksum does not depend on the kind of file: a JSON value and its text have the same one, and so have null and an empty cell.
For that, JSON text is brought into one canonical form first: the one that `to_text` writes.

Ids may be missing, or stand in several rows: the first `MOST_IDS` of them are looked at when the run has ended.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

import msgspec

from evaluators.model.issues import CellError
from evaluators.model.rows import MISSING
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.json_text import NotJSON, parse, to_text

if TYPE_CHECKING:
    from evaluators.runs.columns import Columns

MOST_IDS: Final = 200_000
_CODING: Final = ("utf-8", "surrogatepass")


def rows_of_repeated_ids(columns: Columns) -> dict[str, list[int]]:
    """The row numbers of each id that is missing or stands in several rows, by id. Only the first `MOST_IDS` rows that can have an
    id are looked at."""
    every, count = set[str](), 0
    for (ids,) in columns.read(["id"]):
        known = [name for name in ids if name is not None][: MOST_IDS - count]
        every.update(known)
        if (count := count + len(known)) == MOST_IDS:
            break
    if len(every) == count and "" not in every:
        return {}
    rows_of, left = dict[str, list[int]](), count
    for rows, ids in columns.read(["row", "id"]):
        for row, name in zip(rows, ids, strict=True):
            if name is not None and (left := left - 1) >= 0:
                rows_of.setdefault(name, []).append(row)
        if left <= 0:
            break
    return {name: rows for name, rows in rows_of.items() if not name or len(rows) > 1}


def output_columns(lines: Sequence[EvaluatorLine], roles: Mapping[str, str]) -> Collection[str]:
    """The columns that hold outputs, as the test set calls them."""
    columns = {roles.get("output", "output")}
    columns.update(line.settings.column("output").name for line in lines if line.settings.column("output").literal)
    return columns


def checksums(columns: Sequence[Sequence[Any]], count: int) -> list[int]:
    """One number for each of `count` rows, from its cells in those columns."""
    checksums = [0] * count
    for cells in columns:
        checksums = [
            crc32(_cell_bytes(cell), crc32(b"\0", before)) for before, cell in zip(checksums, cells, strict=True)
        ]
    return checksums


def _cell_bytes(cell: Any) -> bytes:
    """The bytes of a cell that go into the checksum of its row: its text, JSON in canonical form, nothing for an empty cell."""
    if cell.__class__ is str:
        text: bytes = cell.encode(*_CODING)
        return text if not text.startswith(_JSON_OPENINGS) or _is_canonical(text) else _canonical(cell)
    if cell is None or cell is MISSING:
        return b""
    return b"\1" if isinstance(cell, CellError) else to_text(cell).encode(*_CODING)


_JSON_OPENINGS: Final = (b"{", b"[")


def _is_canonical(text: bytes) -> bool:
    """Whether JSON text is surely in canonical form, so that it need not be parsed and written again.

    It is when it stands on one line, has a blank after its colons and commas, no escapes, and no decimal that ends with a zero. For
    the colon only the first key is checked: a program writes all of them alike. This runs for every row, so each test is a fast one.
    """
    first = text.find(b'":') + 2
    return (
        first > 1
        and text[first : first + 1] == b" "
        and b"\\" not in text
        and b"\n" not in text
        and _compact_comma(text) is None
        and _ending_zero(text) is None
    )


_compact_comma: Final = re.compile(rb',"').search
_ending_zero: Final = re.compile(rb"\.[0-9]*0[,}\]]").search
"""A decimal that ends with a zero: `to_text` leaves that zero out."""


def _canonical(text: str) -> bytes:
    """JSON text in canonical form, parsed and written again; any other text as it is."""
    try:
        value = parse(text)
    except NotJSON:
        return text.encode(*_CODING)
    try:
        quick = msgspec.json.format(_encode(value), indent=0)
    except (UnicodeError, OverflowError):  # half of a surrogate pair; a number beyond 64 bits
        return to_text(value).encode(*_CODING)
    return to_text(value).encode(*_CODING) if _exponent(quick) or _tiny(quick) else quick


_encode: Final = msgspec.json.Encoder().encode
_exponent: Final = re.compile(rb"[0-9]e").search
_tiny: Final = re.compile(rb"\.0000").search
"""Where msgspec may write a number in another way than `to_text` does: `1e-6` for `1e-06`, `0.00005` for `5e-05`."""
