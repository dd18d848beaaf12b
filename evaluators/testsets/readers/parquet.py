"""Parquet files, with pyarrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Self

from evaluators.issues import problem
from evaluators.model import MISSING
from evaluators.needs import Cell
from evaluators.testsets.byte_source import ByteSource, reading
from evaluators.testsets.python_cells import arrow_cells
from evaluators.testsets.reader import CHUNK_BYTES, MAX_CHUNK_ROWS, SPLIT_BYTES, Chunk, Reader, Split, broken
from evaluators.testsets.store_faults import StoreFault
from evaluators.value_class import dataclass


@dataclass(frozen=True)
class Parquet(Reader):
    """A Parquet file. Text stays text, nested columns are JSON values, an empty cell is missing."""

    suffixes: ClassVar[tuple[str, ...]] = (".parquet", ".pq")

    @classmethod
    def open(cls, source: ByteSource) -> Self:
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
def _opened(source: ByteSource) -> Iterator[Any]:
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
        with parquet.ParquetFile(source.local or source.open(), pre_buffer=False) as file:
            yield file
    except StoreFault as error:
        with reading(source):
            raise error
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else "it is damaged"
        raise broken(source, "unreadable-file", f"the file cannot be read as Parquet: {reason}") from None


def _cells(batch: Any, name: str, wanted: Sequence[str]) -> list[Cell]:
    return arrow_cells(batch.column(name)) if name in wanted else [MISSING] * batch.num_rows
