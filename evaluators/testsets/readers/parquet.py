"""Parquet files, with pyarrow.

A small file may say that it holds very much, and a value that stands once in a file may stand for millions of cells. So what a
file says of itself is held against a limit before it is read, what comes out of it is counted, and rows whose values are long
are taken a few at a time. A page of a file cannot be larger than 2 GiB, by its format.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Final, Self

from evaluators.model.issues import extra_hint, problem
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import Cell, too_long
from evaluators.scoring.values.addresses import StoreFault
from evaluators.scoring.values.json_text import MAX_CHARS
from evaluators.testsets.byte_source import GIB, MOST_UNPACKED_GIB, ByteSource, TooLarge, reading, unusable_file
from evaluators.testsets.python_cells import arrow_cells
from evaluators.testsets.reader import (
    CHUNK_BYTES,
    MAX_CHUNK_ROWS,
    SPLIT_BYTES,
    Chunk,
    Reader,
    Split,
    refuse_same_names,
    splits_from,
)

LONGEST: Final = MAX_CHARS
"""Characters of a cell."""
_ROW_BYTES: Final = 16
"""What a row counts beside its values: rows of nothing could be named without end."""


class Parquet(Reader, frozen=True):
    """A Parquet file. Text stays text, nested columns are JSON values, an empty cell is missing."""

    suffixes: ClassVar[tuple[str, ...]] = (".parquet", ".pq")

    kinds: tuple[str, ...] = ()

    @classmethod
    def open(cls, source: ByteSource) -> Self:
        """Opens the file; its header is its columns. A compressed one is unpacked first. Raises Problems for a file that is no Parquet or
        unpacks to too much."""
        source = source.uncompressed()
        with _open_file(source) as file:
            names, kinds = tuple(file.schema_arrow.names), tuple(map(str, file.schema_arrow.types))
            _check_size(source, _declared_size(file.metadata))
        refuse_same_names(source, names)
        return cls(source, names, kinds=kinds)

    def splits(self) -> list[Split]:
        """The splits of the file, each of some whole row groups; `start` and `end` count row groups."""
        starts, size = [0], 0
        with _open_file(self.source) as file:
            groups = file.num_row_groups
            for group in range(groups):
                if size >= SPLIT_BYTES:
                    starts.append(group)
                    size = 0
                size += file.metadata.row_group(group).total_byte_size
        return splits_from(self.source.path, starts, groups)

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of one split, which is some row groups, chunk by chunk, with these columns."""
        wanted = [name for name in dict.fromkeys(columns) if name in self.header]
        span = size = 0
        with _open_file(self.source) as file:
            for group in range(split.start, file.num_row_groups if split.end is None else split.end):
                shape = file.metadata.row_group(group)
                rows = min(max(CHUNK_BYTES * shape.num_rows // max(shape.total_byte_size, 1), 1), MAX_CHUNK_ROWS)
                longest = _longest_dictionary_values(self.source, file.metadata, group, wanted)
                rows = max(1, min(rows, CHUNK_BYTES // max(longest, 1)))
                # one group at a time: the memory in use does not grow with the file
                for batch in file.iter_batches(rows, row_groups=[group], columns=wanted or None, use_threads=False):
                    start, span = span, span + batch.num_rows
                    size += batch.nbytes + batch.num_rows * _ROW_BYTES
                    _check_size(self.source, size)
                    yield Chunk(range(start, span), span, {name: _cells(batch, name, wanted) for name in columns})


def _declared_size(metadata: Any) -> int:
    """The number of bytes that a file unpacks to, as it says itself."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    size = sum(
        max(group.column(number).total_uncompressed_size, 0) for group in groups for number in range(group.num_columns)
    )
    return int(max(size, metadata.num_rows * _ROW_BYTES))


def _check_size(source: ByteSource, size: int) -> None:
    """Raises Problems (testset) for a file that unpacks to more than the settings allow."""
    most = source.most_unpacked_gib or MOST_UNPACKED_GIB
    if size > most * GIB:
        with reading(source):
            raise TooLarge(f"it unpacks to more than {most:g} GiB")


def _longest_dictionary_values(source: ByteSource, metadata: Any, group: int, wanted: Sequence[str]) -> int:
    """The bytes that one row of a group may take in columns whose values are kept once in a dictionary and stand for many cells: the
    longest value of each, added up. 0 where all cells of the group together could not become more than a chunk."""
    import pyarrow
    from pyarrow import compute

    shape = metadata.row_group(group)
    packed = [column for number in range(shape.num_columns) if (column := shape.column(number)).has_dictionary_page]
    names = [name for name in wanted if any(column.path_in_schema == name for column in packed)]
    if not names or shape.num_rows * sum(max(column.total_uncompressed_size, 0) for column in packed) <= CHUNK_BYTES:
        return 0
    longest = 0
    with _open_file(source, read_dictionary=names, metadata=metadata) as file:
        for batch in file.iter_batches(1, row_groups=[group], columns=names, use_threads=False):
            for cells in batch.columns:
                if pyarrow.types.is_dictionary(cells.type):
                    longest += compute.max(compute.binary_length(cells.dictionary)).as_py() or 0
            break
    return longest


@contextmanager
def _open_file(source: ByteSource, **options: Any) -> Iterator[Any]:
    """A context with the open Parquet file. Raises Problems without the package, and for a file that cannot be read, also while it is
    read."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        message = 'the format "parquet" needs a package that is not installed'
        raise problem("missing-package", message, where=source.name, hint=extra_hint("parquet")) from None
    try:
        with parquet.ParquetFile(source.local or source.open(), pre_buffer=False, **options) as file:
            yield file
    except StoreFault as error:
        with reading(source):
            raise error
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0] if str(error) else "it is damaged"
        raise unusable_file(source, "unreadable-file", f"the file cannot be read as Parquet: {reason}") from None


def _cells(batch: Any, name: str, wanted: Sequence[str]) -> list[Cell]:
    """The cells of a column of a batch; MISSING for a column that is not among the `wanted` ones, a fault for a text that is too long."""
    if name not in wanted:
        return [MISSING] * batch.num_rows
    cells = arrow_cells(batch.column(name))
    if batch.nbytes <= LONGEST:
        return cells
    return [too_long(len(cell), LONGEST) if isinstance(cell, str) and len(cell) > LONGEST else cell for cell in cells]
