"""Rows that a program holds in its hands, read like the rows of a file."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from functools import partial
from types import NoneType
from typing import Any, ClassVar, Final
from uuid import UUID

from msgspec import Struct

from evaluators.issues import CellError, problem
from evaluators.model import MISSING, Missing
from evaluators.needs import Cell
from evaluators.testsets.byte_source import ByteSource
from evaluators.testsets.documents import DocumentFile, text_of
from evaluators.testsets.reader import MAX_CHUNK_ROWS, Chunk, Split
from evaluators.values.json_text import to_text

DOCUMENT: Final = "document"
_AT_ONCE: Final = 50
"""The documents that are read at a time."""


class MemoryRows(Struct, frozen=True):
    """Columns of cells, all of one length. A cell is text, a JSON value, or a document, which is read when its row is."""

    header: tuple[str, ...]
    columns: Callable[[], Mapping[str, Sequence[Cell | ByteSource]]]
    """Makes the columns, or has them."""
    name: str = "the test set"
    """What messages call the place that the rows are from."""
    noun: str = "id"
    """What messages call one of the things that other rows are paired with."""
    where: str = "row"
    """What messages call the place of one row."""
    notes: tuple[str, ...] = ()
    files: tuple[ByteSource, ...] = ()

    first_number: ClassVar[int] = 1

    def splits(self) -> list[Split]:
        """One piece."""
        return [Split("given", 0)]

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows, some hundred at a time; documents are fewer."""
        found = self.columns()
        count = len(next(iter(found.values()), ()))
        step = _AT_ONCE if self.noun == DOCUMENT else MAX_CHUNK_ROWS
        for start in range(0, count, step):
            stop = min(start + step, count)
            nothing: list[Cell] = [MISSING] * (stop - start)
            cells = {name: found[name][start:stop] if name in found else nothing for name in columns}
            yield Chunk(range(start, stop), stop, {name: list(map(_read, some)) for name, some in cells.items()})

    def fingerprint(self) -> str:
        """SHA-256 over the cells, as `sha256:…`."""
        digest = hashlib.sha256()
        for row in zip(*self.columns().values(), strict=True):
            digest.update(row_bytes(map(_read, row)) + b"\x1e")
        return f"sha256:{digest.hexdigest()}"


def memory_rows(columns: Mapping[str, Sequence[Cell]]) -> MemoryRows:
    """The rows of columns that are at hand."""
    return MemoryRows(tuple(columns), partial(dict, columns))


def document_rows(documents: Sequence[DocumentFile], name: str) -> MemoryRows:
    """One row per expected document; `name` is what messages call the place."""
    sources = [one.source for one in documents]
    columns: dict[str, list[Any]] = {
        "id": [one.id for one in documents], "folder": [one.folder for one in documents],
        "file": [one.file for one in documents], "expected": sources,
    }  # fmt: skip
    files = tuple(dict.fromkeys(sources))
    return MemoryRows(tuple(columns), partial(dict, columns), name, DOCUMENT, files=files)


def _read(cell: Cell | ByteSource) -> Cell:
    return text_of(cell) if isinstance(cell, ByteSource) else cell


_PLAIN: Final = frozenset((str, int, float, bool, NoneType))
_PYTHON_ALONE: Final = (date, time, timedelta, Decimal, UUID, bytes)
"""What a model's fields may be in Python, and no JSON value is."""


def is_data_frame(rows: Any) -> bool:
    """Whether it is a data frame of pandas."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(rows, pandas.DataFrame)


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
    if isinstance(cell, CellError | Missing):
        return "\x1d\x18" + (cell.issue.message if isinstance(cell, CellError) else "")
    return cell if isinstance(cell, str) else f"\x1d{to_text(cell)}"
