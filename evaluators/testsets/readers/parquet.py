"""Parquet files, with pyarrow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, ClassVar, Final, Self

from evaluators.issues import Blame, Fault, Issue, problem
from evaluators.model import JSON, MISSING
from evaluators.needs import Cell
from evaluators.testsets.reader import CHUNK_BYTES, MAX_CHUNK_ROWS, SPLIT_BYTES, Chunk, Reader, Split, broken
from evaluators.testsets.source import Source

_PLAIN: Final = frozenset({str, int, bool})


@dataclass(frozen=True)
class Parquet(Reader):
    """A Parquet file. Text stays text, nested columns are JSON values, an empty cell is missing."""

    suffixes: ClassVar[tuple[str, ...]] = (".parquet", ".pq")

    @classmethod
    def open(cls, source: Source) -> Self:
        """The file. Its header is its columns."""
        source = source.uncompressed()
        with _opened(source) as file:
            names = tuple(file.schema_arrow.names)
        twice = [f'"{name}"' for name, count in Counter(names).items() if count > 1]
        if twice:
            message = f"columns have the same name: {', '.join(twice)}"
            raise broken(source, "same-column-name", message, "give each its own name")
        return cls(source, names)

    def splits(self) -> list[Split]:
        """Pieces of whole row groups."""
        starts, size = [0], 0
        with _opened(self.source) as file:
            groups = file.num_row_groups
            for group in range(groups):
                if size >= SPLIT_BYTES:
                    starts.append(group)
                    size = 0
                size += file.metadata.row_group(group).total_byte_size
        ends = [*starts[1:], groups]
        return [
            Split(self.source.path, index, start, end)
            for index, (start, end) in enumerate(zip(starts, ends, strict=True))
        ]

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of some row groups, numbered from 1."""
        wanted = [name for name in dict.fromkeys(columns) if name in self.header]
        span = 0
        with _opened(self.source) as file:
            for group in range(split.start, file.num_row_groups if split.end is None else split.end):
                shape = file.metadata.row_group(group)
                rows = min(max(CHUNK_BYTES * shape.num_rows // max(shape.total_byte_size, 1), 1), MAX_CHUNK_ROWS)
                # one group at a time: the memory in use does not grow with the file
                for batch in file.iter_batches(rows, row_groups=[group], columns=wanted or None, use_threads=False):
                    start, span = span, span + batch.num_rows
                    yield Chunk(range(start, span), span, {name: _cells(batch, name, wanted) for name in columns})


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise problem(
            "missing-package",
            'the format "parquet" needs a package that is not installed',
            where=source.name,
            hint='pip install "evaluators[parquet]"',
        ) from None
    try:
        with parquet.ParquetFile(source.path, pre_buffer=False) as file:
            yield file
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else "it is damaged"
        raise broken(source, "unreadable-file", f"the file cannot be read as Parquet: {reason}") from None


def _cells(batch: Any, name: str, wanted: Sequence[str]) -> list[Cell]:
    if name not in wanted:
        return [MISSING] * batch.num_rows
    column = _in_microseconds(batch.column(name))
    cells: list[Any] = column.to_pylist()
    kinds = set(map(type, cells))
    if kinds <= _PLAIN:
        return cells
    return [MISSING if cell is None else _cell(cell) for cell in cells]


def _in_microseconds(column: Any) -> Any:
    import pyarrow

    if pyarrow.types.is_timestamp(column.type) and column.type.unit == "ns":
        return column.cast(pyarrow.timestamp("us", column.type.tz), safe=False)
    return column


def _cell(value: object) -> Cell:
    try:
        return _json(value)
    except (ValueError, RecursionError) as error:
        return Fault(Issue("not-json", Blame.TESTSET, f"the cell cannot be a JSON value: {error}"))


def _json(value: object) -> JSON:
    """The JSON value that stands for a Parquet value."""
    match value:
        case None | str() | bool() | int():
            return value
        case float():
            if math.isfinite(value):
                return value
            raise ValueError(f"{value} is not a JSON number")
        case Decimal():
            return _number(value)
        case bytes():
            return value.decode()
        case dict():
            return {str(key): _json(item) for key, item in value.items()}
        case list() if value and all(isinstance(item, tuple) for item in value):
            return {str(key): _json(item) for key, item in value}
        case list():
            return [_json(item) for item in value]
        case datetime() | date() | time():
            return value.isoformat()
    return str(value)


def _number(value: Decimal) -> int | float:
    if not value.is_finite():
        raise ValueError(f"{value} is not a JSON number")
    return int(value) if value == value.to_integral_value() else float(value)
