"""Rows that a program holds in its hands, read like the rows of a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from types import NoneType
from typing import ClassVar, Final
from uuid import UUID

from msgspec import Struct

from evaluators.issues import Fault, problem
from evaluators.model import Missing
from evaluators.needs import Cell
from evaluators.testsets.byte_source import ByteSource
from evaluators.testsets.reader import MAX_CHUNK_ROWS, Chunk, Split
from evaluators.values.json_text import to_text


class MemoryRows(Struct, frozen=True):
    """Columns of cells, all of one length. Cells are text or JSON values."""

    columns: Mapping[str, Sequence[Cell]]
    count: int

    first_number: ClassVar[int] = 1
    notes: ClassVar[tuple[str, ...]] = ()
    files: ClassVar[tuple[ByteSource, ...]] = ()

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.columns)

    def splits(self) -> list[Split]:
        """One piece."""
        return [Split("given", 0)]

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows, some hundred at a time."""
        known = [name for name in columns if name in self.columns]
        for start in range(0, self.count, MAX_CHUNK_ROWS):
            stop = min(start + MAX_CHUNK_ROWS, self.count)
            yield Chunk(range(start, stop), stop, {name: self.columns[name][start:stop] for name in known})

    def fingerprint(self) -> str:
        """SHA-256 over the cells, as `sha256:…`."""
        digest = hashlib.sha256()
        for row in zip(*self.columns.values(), strict=True):
            digest.update(row_bytes(row) + b"\x1e")
        return f"sha256:{digest.hexdigest()}"


_PLAIN: Final = frozenset((str, int, float, bool, NoneType))
_PYTHON_ALONE: Final = (date, time, timedelta, Decimal, UUID, bytes)
"""What a model's fields may be in Python, and no JSON value is."""


def refuse_python_values(name: str, document: object) -> None:
    """Raises Problems (config) where a document holds what JSON has no word for, such as a date of Python's."""
    waiting: list[tuple[str, object]] = [("$", document)]
    for place, value in waiting:
        if value.__class__ in _PLAIN:
            continue
        if isinstance(value, dict):
            waiting.extend((f"{place}.{key}", inner) for key, inner in value.items() if inner.__class__ not in _PLAIN)
        elif isinstance(value, list):
            waiting.extend((f"{place}[{at}]", inner) for at, inner in enumerate(value) if inner.__class__ not in _PLAIN)
        elif isinstance(value, _PYTHON_ALONE):
            message = f"{name}, {place}: {type(value).__name__} is a type of Python's, and no JSON value"
            raise problem(
                "not-json", message, hint='dump a model with `model_dump(mode="json")`, and write other values as text'
            )


def row_bytes(row: Iterable[Cell]) -> bytes:
    """The cells of one row, so that different rows have different bytes."""
    return "\x1f".join(map(_spelled, row)).encode("utf-8", "backslashreplace")


def _spelled(cell: Cell) -> str:
    """A text, or JSON with a mark in front, so that the text `1` and the number 1 differ; what is no JSON by its fault."""
    if isinstance(cell, Fault | Missing):
        return "\x1d\x18" + (cell.issue.message if isinstance(cell, Fault) else "")
    return cell if isinstance(cell, str) else f"\x1d{to_text(cell)}"
