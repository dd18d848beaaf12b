"""What a run folder says of its rows as a whole: the `record` of `run.json`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from evaluators.needs import Wanted
from evaluators.run.declared import Declared
from evaluators.run.recorder import Kept
from evaluators.run.result import Count
from evaluators.run.rows import RowsFormat
from evaluators.values.json_choice import Pick, Want

SUITE_FOLDER: Final = "suite"
"""The folder of a run folder with the suite as it is written."""


class CellReading(Struct, frozen=True):
    """How an evaluator reads one column."""

    column: str
    side: Literal["expected", "output", "other"]
    how: Literal["text", "expected", "output"]
    """As text; as strict JSON; as JSON in an output."""
    want: Wanted = "any"
    """The kind of JSON that is looked for in an output; `like_expected` goes by the cell `beside`."""
    lenient: bool = True
    beside: str | None = None
    like: str | None = None
    """The column of the expected documents whose kind goes first, where an output holds several documents."""
    prefer: Want = "any"
    """The kind that goes first where there is no such column."""
    pick: Pick = "fitting"
    keys: tuple[str, ...] = ()
    """The keys that the suite names at the top of documents."""


class RecordedEvaluator(Struct, frozen=True):
    """What readers of the rows need to know of an evaluator."""

    name: str
    fields: tuple[str, ...] = ()
    """The fields whose status a code has, in order."""
    by_schema: bool = False
    """Its outcomes can be listed field by field."""
    needs: tuple[str, ...] = ()
    where: str = ""
    """Where it stands in the suite; the file by its name alone."""
    field_places: Mapping[str, str] = {}
    readings: tuple[CellReading, ...] = ()


class RecordedVariant(Struct, frozen=True):
    """What was kept of the rows of one variant."""

    variant: str | None
    rows: Count
    every_outcome: bool
    """All outcomes are there; else the first rows with something wrong of each field."""
    every_cell: bool
    """The cells of all rows are there; else those of some rows with something wrong, or none."""
    outcomes: Count
    """The lines of outcomes."""
    cells: Count
    """The lines of cells."""


class RecordFacts(Struct, frozen=True):
    """What a run folder says of its rows as a whole."""

    rows_format: RowsFormat
    evaluators: tuple[RecordedEvaluator, ...]
    variants: tuple[RecordedVariant, ...]
    header: tuple[str, ...] = ()
    """The columns of the test set that go back to a spreadsheet."""
    delimiter: str | None = None
    byte_order_mark: bool = True
    """A file with these rows begins with one."""
    slices: tuple[str, ...] = ()
    documents: Kept = "auto"
    most: Count | None = 200
    lowest_fields: Count = 5
    schemas: Mapping[str, Declared] = {}
    """What schemas declare, by hash."""
    suite: str = ""
    """The suite's own text, among the files of the folder."""
