"""What a row gives beside the output: the expected answer and whatever else its evaluators look at, as one checksum.

Two runs of the same question have the same checksums, whatever the models answered; so a comparison can say which rows
are no longer the same question.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from zlib import crc32

from evaluators.issues import Fault
from evaluators.model import MISSING
from evaluators.suite.lines import EvaluatorLine
from evaluators.values.json_text import compact


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
            crc32(cell.encode("utf-8", "surrogatepass") if cell.__class__ is str else _bytes(cell), crc32(b"\0", before))
            for before, cell in zip(found, cells, strict=True)
        ]
    return found


def _bytes(cell: Any) -> bytes:
    if cell is MISSING or isinstance(cell, Fault):
        return b"\1"
    return b"\2" + compact(cell)
