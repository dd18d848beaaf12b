"""What a row gives beside the output: the expected answer and whatever else its evaluators look at, as one checksum.

Two runs of the same question have the same checksums, whatever the models answered; so a comparison can say which rows
are no longer the same question. The kind of file does not matter: a JSON value and a text that says the same have the same
checksum, and so have null and an empty cell.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from zlib import crc32

import msgspec

from evaluators.issues import CellError
from evaluators.model import MISSING
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.values.json_text import NotJSON, parse, to_text


def output_columns(lines: Sequence[EvaluatorLine], roles: Mapping[str, str]) -> Collection[str]:
    """The columns that hold outputs, as the test set calls them."""
    found = {roles.get("output", "output")}
    found.update(line.settings.column("output").name for line in lines if line.settings.column("output").literal)
    return found


def checksums(columns: Sequence[Sequence[Any]], count: int) -> list[int]:
    """One number for each of `count` rows, from its cells in those columns."""
    found = [0] * count
    for cells in columns:
        found = [crc32(_packed(cell), crc32(b"\0", before)) for before, cell in zip(found, cells, strict=True)]
    return found


def _packed(cell: Any) -> bytes:
    """The cell as a text that is the same for every kind of file, in UTF-8."""
    if cell.__class__ is str:
        packed: bytes = cell.encode(*_CODING)
        return packed if not packed.startswith(_OPENING) or _as_we_write(packed) else _anew(cell)
    if cell is None or cell is MISSING:
        return b""
    return b"\1" if isinstance(cell, CellError) else to_text(cell).encode(*_CODING)


_CODING: Final = ("utf-8", "surrogatepass")
_OPENING: Final = (b"{", b"[")


def _as_we_write(text: bytes) -> bool:
    """An object that needs no reading, because most programs write it just so: in one line, blanks after its colons and
    commas, no escapes, no decimal that ends with a zero. Only its first key is looked at for the colon: a program has one
    habit. Every row comes here: each look is the quickest that there is for what it looks for.
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
"""A decimal that ends with a zero, which programs leave away when they write it anew."""


def _anew(text: str) -> bytes:
    """The text as we write its value; as it is when it is no JSON."""
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
