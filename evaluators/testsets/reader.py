"""The contract of a reader: a file as pieces, a piece as chunks of columns.

A *split* is a piece of a file that a worker reads on its own. Splits depend on the file alone, never on the number of
workers. A *chunk* is some hundred rows as columns.

Nobody counts rows beforehand, so a chunk numbers its rows inside its split, and whoever puts the splits in order knows
the rest: the number that a spreadsheet shows is `first_number` + the `span` of all splits before + the row's offset. For
the same reason an `Issue` of a chunk has no `where` yet. Blank lines are no rows, but they keep their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import ClassVar, Final, Protocol, Self

from msgspec import Struct

from evaluators.model.issues import Blame, CellError, Issue
from evaluators.model.registry import Socket
from evaluators.model.rows import MISSING
from evaluators.scoring.needs import Cell
from evaluators.scoring.values.json_text import to_text
from evaluators.testsets.byte_source import ByteSource, unusable_file

SPLIT_BYTES: Final = 4 * 1024 * 1024
"""A split is about this long. Changing it changes the parts that results are stored in, not the results."""

CHUNK_BYTES: Final = 384 * 1024
"""A chunk is about this much text: some 250 rows of usual length, whose questions are asked at once."""

MAX_CHUNK_ROWS: Final = 1000

OPTIONS: Final = ("encoding", "delimiter", "sheet", "header_row", "list")
"""The settings of `test_set` that say how a file is read, and that not every format has."""


HEADER_HINT: Final = "the header holds the names of the columns; `header_row: 3` says that it is row 3"


class Split(Struct, frozen=True):
    """A piece of a file: a range of bytes, or of row groups. `end` is None when it goes on to the end of the file."""

    file: str
    index: int
    start: int = 0
    end: int | None = None
    note: str | None = None
    """Why the piece was not cut further, when that is worth saying."""


HEADER_AGAIN: Final = Issue(
    "header-again",
    Blame.TESTSET,
    "this row has the names of the columns once more, and no values",
    hint="delete it; where another table begins here, put that one into a file of its own",
)
"""The fault of such a row, as files that were put behind one another have it."""


def names_of(header: Sequence[str]) -> list[str] | None:
    """The names of the columns as a row would have them; None for a single column, in which a name may well be a value."""
    return list(header) if len(header) > 1 else None


class Chunk(Struct, frozen=True):
    """Some rows, as columns.

    `offsets` has one number per row, counted from the start of the split. `span` is the length of the split up to here in
    the same numbers, blank lines included, so that the last chunk of a split has the length of the split. An unreadable
    row keeps its place: its cells are `CellError`s, and `faults` has (position in the chunk, issue).
    """

    offsets: Sequence[int]
    span: int
    columns: Mapping[str, Sequence[Cell]]
    """Cells by column name: text in CSV and TSV, any JSON value elsewhere, MISSING when the row has no such key."""
    faults: Sequence[tuple[int, Issue]] = ()
    ids: Sequence[str] | None = None
    """The rows' names; None where a row is called by its number."""
    file: str | None = None
    """The file that the rows are in, where the table is several files."""

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.offsets)


class Table(Protocol):
    """A table of rows: a file, files joined, or a choice of rows. Small, and can be pickled."""

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns, in order."""

    @property
    def first_number(self) -> int:
        """The number of the first row: 2 below a header in the first line, 1 where there is no header."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for people on what was worked out from the file."""

    @property
    def files(self) -> tuple[ByteSource, ...]:
        """Every file that is read."""

    def splits(self) -> list[Split]:
        """The pieces, in order."""

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of one split, chunk by chunk, with these columns. A column that the table does not have is MISSING in every row."""


class Reader(Struct, frozen=True):
    """One file of rows. A plug says how: `open` looks at the beginning of the file, `read` reads a piece."""

    suffixes: ClassVar[tuple[str, ...]] = ()
    """File name endings of the format."""
    options: ClassVar[frozenset[str]] = frozenset()
    """The settings of `test_set` that say how a file of the format is read, among `OPTIONS`; the others are refused."""

    source: ByteSource
    header: tuple[str, ...]
    first_number: int = 1
    notes: tuple[str, ...] = ()
    doubts: tuple[Issue, ...] = ()
    """What may be wrong with the header, to be said where columns are not clear: it looks like a row, or some of several files
    lack columns."""

    @classmethod
    def open(cls, source: ByteSource) -> Self:
        """Opens the file, of which only the beginning is read. Raises Problems (testset) when it is not of this format at all.

        Every format implements it.
        """
        raise NotImplementedError  # the contract: each format opens its files in its own way

    @property
    def files(self) -> tuple[ByteSource, ...]:
        """The file."""
        return (self.source,)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each column of the header, where the file says it; empty where it does not."""
        return ()

    @property
    def separator(self) -> str | None:
        """The delimiter of the cells; None for a format without one."""
        return None

    def splits(self) -> list[Split]:
        """The splits of the file, in order: one, unless the format knows how to cut."""
        return [Split(self.source.path, 0)]

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of one split, chunk by chunk, with these columns. Every format implements it."""
        raise NotImplementedError  # the contract: each format reads rows in its own way

    def knows(self, column: str) -> bool:
        """Whether some row has the column; looks beyond the header where the header may not be all."""
        return column in self.header


def id_text(cell: Cell) -> str:
    """The id that a cell holds, as text; empty when it holds none."""
    if isinstance(cell, str):
        return cell
    if cell.__class__ is int:  # no bool
        return str(cell)
    return "" if cell is None or cell is MISSING or isinstance(cell, CellError) else to_text(cell)


def splits_from(file: str, starts: Sequence[int], end: int | None = None, note: str | None = None) -> list[Split]:
    """The pieces of a file that start there; `note` says why the last one, which goes on to the end of the file, is not cut further."""
    ends = [*starts[1:], end]
    return [
        Split(file, index, start, end, note if end is None else None)
        for index, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]


def refuse_same_names(source: ByteSource, header: Sequence[str], places: Callable[[str], str] | None = None) -> None:
    """Raises Problems where columns have the same name; `places` says where those of a name are."""
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        listed = ", ".join(f'"{name}"' + (f" ({places(name)})" if places is not None else "") for name in twice)
        raise unusable_file(source, "same-column-name", f"columns have the same name: {listed}", "give each its own name")


def all_chunks(table: Table, columns: Sequence[str]) -> Iterator[Chunk]:
    """The chunks of all splits of a table, with rows counted through all of them, as those of one split."""
    names, before = list(dict.fromkeys(columns)), 0
    for split in table.splits():
        span = 0
        for chunk in table.read(split, names):
            span = chunk.span
            offsets = [before + offset for offset in chunk.offsets] if before else chunk.offsets
            yield Chunk(offsets, before + span, chunk.columns, chunk.faults, chunk.ids, chunk.file)
        before += span


def rows_of(table: Table, columns: Sequence[str]) -> Iterator[tuple[int, tuple[Cell, ...]]]:
    """Each row of a table: its number, as a spreadsheet shows it, and its cells in these columns, of which there is at least one."""
    for chunk in all_chunks(table, columns):
        cells = zip(*(chunk.columns[name] for name in columns), strict=True)
        for offset, row in zip(chunk.offsets, cells, strict=True):
            yield table.first_number + offset, row


READERS: Socket[Reader] = Socket("evaluators.testsets.readers", Reader, "format")
