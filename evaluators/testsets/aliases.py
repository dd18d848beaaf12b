"""A column of a table under another name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluators.testsets.byte_source import ByteSource
from evaluators.testsets.reader import Chunk, Split, Table, with_column
from evaluators.value_class import dataclass


@dataclass(frozen=True, slots=True)
class Aliased:
    """A table in which `column` holds what stands in the column `source`; it takes the place of a column of that name."""

    base: Table
    source: str
    column: str

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns."""
        return with_column(self.base.header, self.column)

    @property
    def first_number(self) -> int:
        """The number of the first row."""
        return self.base.first_number

    @property
    def notes(self) -> tuple[str, ...]:
        """What was worked out."""
        return (*self.base.notes, f'{self.column} is the column "{self.source}"')

    @property
    def files(self) -> tuple[ByteSource, ...]:
        """Every file that is read."""
        return self.base.files

    def splits(self) -> list[Split]:
        """The table's pieces."""
        return self.base.splits()

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of one piece."""
        names = list(dict.fromkeys(self.source if name == self.column else name for name in columns))
        for chunk in self.base.read(split, names):
            cells = {name: chunk.columns[self.source if name == self.column else name] for name in columns}
            yield Chunk(chunk.offsets, chunk.span, cells, chunk.faults, chunk.ids, chunk.file)
