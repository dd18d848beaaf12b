"""The rows that a run reads, in splits, with the columns that play a role and the variants of the output.

What is wrong with one row waits in the row. A `TestSet` is small and can be pickled: a worker reads on its own.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import ClassVar, Final, Literal

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.model.issues import CellError, Issue
from evaluators.scoring.needs import as_output_error
from evaluators.scoring.values.numbers import decimal_mark
from evaluators.testsets.byte_source import ByteSource, fingerprint
from evaluators.testsets.columns import Columns
from evaluators.testsets.corrections import Applied
from evaluators.testsets.derived import first_table
from evaluators.testsets.reader import Chunk, Reader, Split, Table, id_text, rows_of
from evaluators.testsets.test_set_config import TestSetConfig

_FIRST_ROWS: Final = 100


class TestSet(Struct, frozen=True):
    """The rows of a run. With variants, `variant` gives the rows with one variant's outputs, and nothing else is read."""

    __test__: ClassVar[bool] = False

    name: str
    table: Table
    columns: Columns
    config: TestSetConfig
    issues: tuple[Issue, ...] = ()
    """Ids that do not fit together, for people to see; the rows concerned have faults as well."""
    warnings: tuple[Issue, ...] = ()
    """What keeps no row from being measured, and has to be said: outputs that no row asks for."""
    variant_sets: Mapping[str, TestSet] = field(default_factory=dict)
    extra_notes: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    """What was left out because runs have written it, in sentences."""
    corrections: tuple[Applied, ...] = ()
    """The corrections of expected answers, and what became of each."""
    uncorrected: Table | None = None
    """The rows with the expected answers as they stand; None where nothing is corrected."""
    unrepeatable: str | None = None
    """Why the same rows may come in another order when they are read anew, so that no run of them can be resumed; None for all
    that lies in files."""
    fetched: bool = False
    """Whether the rows were fetched into a temporary file: another one each time, whatever the rows hold."""

    @property
    def header(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.table.header

    @property
    def own_header(self) -> tuple[str, ...]:
        """The names of the columns without those that hold a whole file: these are not written beside the results."""
        return tuple(name for name in self.table.header if name not in self.config.attach)

    @property
    def first_number(self) -> int:
        """The number of the first row, as a spreadsheet shows it."""
        return self.table.first_number

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for people on what was worked out: the delimiter, the columns, the selection."""
        return tuple(map(self.config.masked, (*self.table.notes, *self.passed_over, *self.extra_notes)))

    @property
    def delimiter(self) -> str | None:
        """The delimiter of the file with the rows; None where it is no CSV or TSV."""
        first = first_table(self.table)
        return first.separator if isinstance(first, Reader) else None

    @property
    def decimal(self) -> Literal[".", ","]:
        """The mark before decimals for a file that is written for the same spreadsheet: the one that the first cells have; a point where
        commas separate cells, and where the rows are no text table."""
        first = first_table(self.table)
        if not isinstance(first, Reader) or first.separator in (None, ","):
            return "."
        rows = islice(rows_of(first, first.header), _FIRST_ROWS)
        cells = (cell for _, row in rows for cell in row if isinstance(cell, str))
        return decimal_mark(cells) or ("," if first.separator == ";" else ".")

    @property
    def byte_order_mark(self) -> bool:
        """Whether a file that is written for the same spreadsheet begins with a byte order mark: where the rows are CSV in UTF-8 it does as
        their file does, and else it has one."""
        first = first_table(self.table)
        if not isinstance(first, Reader) or first.separator is None or first.files[0].encoding != "utf-8":
            return True
        return first.files[0].head(3) == codecs.BOM_UTF8

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of the variants; empty when there is one output per row."""
        return tuple(self.variant_sets)

    @property
    def files(self) -> tuple[ByteSource, ...]:
        """Every file that is read, each once."""
        every = [*self.table.files, *(source for variant in self.variant_sets.values() for source in variant.table.files)]
        return tuple(dict.fromkeys(every))

    @property
    def lasting(self) -> bool:
        """Whether the rows can be read again later: all that lies in files, and neither a query nor standard input."""
        return bool(self.files) and not self.fetched and all(source.lasting for source in self.files)

    def without_corrections(self) -> TestSet:
        """The same test set with the expected answers as the file has them, without corrections."""
        plain = {name: variant.without_corrections() for name, variant in self.variant_sets.items()}
        return replace(self, table=self.uncorrected or self.table, corrections=(), uncorrected=None, variant_sets=plain)

    def variant(self, name: str) -> TestSet:
        """The test set with the outputs of one variant."""
        return self.variant_sets[name]

    def fingerprint(self) -> str:
        """SHA-256 over the bytes of every file, as `sha256:…`."""
        return fingerprint(self.files)

    def splits(self) -> list[Split]:
        """The pieces of the rows, in order; they depend on the files alone."""
        return self.table.splits()

    def read(self, split: Split, columns: Sequence[str]) -> Iterator[Chunk]:
        """The rows of one split, chunk by chunk, with these columns and with their ids, where a column holds ids; an id is empty where the
        row has none."""
        key = self.columns.id
        names = columns if key is None else list(dict.fromkeys([*columns, key]))
        for chunk in map(self._with_output_faults, self.table.read(split, names)):
            yield chunk if key is None else replace(chunk, ids=[id_text(cell) for cell in chunk.columns[key]])

    def _with_output_faults(self, chunk: Chunk) -> Chunk:
        """The chunk, in which a cell of the output that is too long is the fault of the output."""
        output = self.columns.output
        if output is None or not any(cell.__class__ is CellError for cell in chunk.columns.get(output, ())):
            return chunk
        cells = [as_output_error(cell) if isinstance(cell, CellError) else cell for cell in chunk.columns[output]]
        return replace(chunk, columns={**chunk.columns, output: cells})

    def number(self, rows_before: int, offset: int) -> int:
        """The number that a spreadsheet shows for a row, from the spans of the splits before and its own offset."""
        return self.first_number + rows_before + offset

    def place(self, number: int, column: str | None = None) -> str:
        """The place of a row as messages say it: `rows.csv row 12, column "expected"`."""
        return f"{self.name} row {number}" + (f', column "{column}"' if column is not None else "")
