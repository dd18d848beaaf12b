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

from evaluators.issues import Fault
from evaluators.model import MISSING
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.values.json_text import NotJSON, parse, to_text

_ending_zero: Final = re.compile(r"\.\d*0[,}\]]").search
"""A decimal that ends with a zero, which programs leave away when they write it anew."""


def output_columns(lines: Sequence[EvaluatorLine], roles: Mapping[str, str]) -> Collection[str]:
    """The columns that hold outputs, as the test set calls them."""
    found = {roles.get("output", "output")}
    found.update(line.settings.column("output").name for line in lines if line.settings.column("output").literal)
    return found


def checksums(columns: Sequence[Sequence[Any]], count: int) -> list[int]:
    """One number for each of `count` rows, from its cells in those columns."""
    found = [0] * count
    for cells in columns:
        found = [
            crc32(_text(cell).encode("utf-8", "surrogatepass"), crc32(b"\0", before))
            for before, cell in zip(found, cells, strict=True)
        ]
    return found


def _text(cell: Any) -> str:
    """The cell as a text that is the same for every kind of file."""
    if cell.__class__ is str:
        return cell if cell[:1] not in _OPENING or _as_we_write(cell) else _anew(cell)
    if cell is None or cell is MISSING:
        return ""
    return "\1" if isinstance(cell, Fault) else to_text(cell)


_OPENING: Final = ("{", "[")


def _as_we_write(text: str) -> bool:
    """An object that needs no reading, because most programs write it just so: in one line, blanks after its colons and
    commas, no escapes, no decimal that ends with a zero. Only its first key is looked at for the colon: a program has one
    habit. The cheapest looks come first: this is done for every row.
    """
    first = text.find('":') + 2
    return (
        text[first : first + 1] == " "
        and first > 1
        and "\\" not in text
        and "\n" not in text
        and ',"' not in text
        and _ending_zero(text) is None
    )


def _anew(text: str) -> str:
    try:
        value = parse(text)
    except NotJSON:
        return text
    try:
        quick = msgspec.json.format(_encode(value), indent=0).decode()
    except (UnicodeError, OverflowError):  # half of a surrogate pair; a number beyond 64 bits
        return to_text(value)
    return to_text(value) if _spelled_otherwise(quick) else quick


_encode: Final = msgspec.json.Encoder().encode
_spelled_otherwise: Final = re.compile(r"\de|\.0000").search
"""Where msgspec may write a number in another way than `to_text` does: `1e-6` for `1e-06`, `0.00005` for `5e-05`."""
