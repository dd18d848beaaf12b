"""Expected values that may be read in two ways, such as `1.234` where a field has two notations for numbers.

The first notation that fits is taken. The expected cells are read beside the run, and only where a comparator of the suite may doubt one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from evaluators.model.issues import Blame, CellError, Issue, Problems
from evaluators.reports.kinds_read import ReadField, read_fields, single_values
from evaluators.runs.metrics import count_text
from evaluators.runs.places import field_places, line_places
from evaluators.scoring.evaluators._cells import cell_value
from evaluators.scoring.needs import expected_document
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.quoting import quote
from evaluators.scoring.values.transforms import TransformError
from evaluators.testsets.reader import rows_of
from evaluators.testsets.test_set import TestSet

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite

IN_DOUBT: Final = "expected-in-doubt"
_MOST: Final = 20
_HINT: Final = "the first notation of the list that fits is taken; write such a value so that one alone fits, or put the right one first"


class Doubtful(Struct, frozen=True):
    """An expected value with two meanings: its row, its evaluator and its field, and what it may be."""

    row: int
    column: str
    name: str
    path: str
    value: object
    meanings: str


def doubtful_values(lines: Sequence[EvaluatorLine], roles: Mapping[str, str], test_set: TestSet) -> Iterator[Doubtful]:
    """Every expected value that a comparator may read in two ways, row by row. Without such a comparator, nothing is read."""
    every = [field for line in lines for field in read_fields(line, roles)]
    fields = [field for field in every if any(comparator.may_doubt for comparator in field.comparators)]
    columns = list(dict.fromkeys(field.column for field in fields))
    if not fields:
        return
    try:
        for number, row in rows_of(test_set, columns):
            cells = dict(zip(columns, row, strict=True))
            for field in fields:
                yield from _doubts_in_cell(field, number, cells[field.column])
    except (OSError, Problems):  # the file has changed since it was scored: the run says so
        return


def _doubts_in_cell(field: ReadField, number: int, cell: Any) -> Iterator[Doubtful]:
    """The expected values of a field in one row that a comparator may read in two ways.

    Cells that cannot be read and values that a transform rejects give nothing: their rows say what is wrong.
    """
    document = cell_value(cell) if field.of_cells else expected_document(cell)
    if isinstance(document, CellError):
        return
    values = document if field.of_cells else field.path.get(document)
    for value in single_values(values):
        try:
            changed = value if field.apply is None else field.apply(value)
        except TransformError:
            continue  # its row says what is wrong
        for comparator in field.comparators:
            if comparator.may_doubt and (meanings := comparator.doubt(changed)) is not None:
                yield Doubtful(number, field.column, field.line.name, field.path.canonical, value, meanings)


def doubt_warnings(
    lines: Sequence[EvaluatorLine], roles: Mapping[str, str], test_set: TestSet, suite: LoadedSuite | None = None
) -> list[Issue]:
    """A warning for each field with expected values that may be read in two ways: how many there are, and the first of them."""
    by_field: dict[tuple[str, str], list[Doubtful]] = {}
    for doubt in doubtful_values(lines, roles, test_set):
        by_field.setdefault((doubt.name, doubt.path), []).append(doubt)
    places = field_places(suite) if by_field and suite is not None else {}
    return [
        Issue(
            IN_DOUBT,
            Blame.TESTSET,
            f'"{name}": {count_text(len(doubts), "expected value")} of "{path}" may be read in two ways; '
            f"in row {doubts[0].row:,} {_sentence(doubts[0])}",
            places.get((name, path)) or line_places(suite).get(name),
            f"{_HINT}; `evaluators check` lists them",
        )
        for (name, path), doubts in by_field.items()
    ]


def doubts_listed(lines: Sequence[EvaluatorLine], roles: Mapping[str, str], test_set: TestSet) -> list[Issue]:
    """A warning for each expected value that may be read in two ways, placed at its cell. Of more than `_MOST`, the first and one that says
    so."""
    doubts = list(islice(doubtful_values(lines, roles, test_set), _MOST + 1))
    listed = [
        Issue(
            IN_DOUBT, Blame.TESTSET, f'"{doubt.name}": {_sentence(doubt)}', test_set.place(doubt.row, doubt.column), _HINT
        )
        for doubt in doubts[:_MOST]
    ]
    more = f"more than {_MOST} expected values may be read in two ways; these are the first"
    return listed if len(doubts) <= _MOST else [*listed, Issue(IN_DOUBT, Blame.TESTSET, more, test_set.name)]


def _sentence(doubt: Doubtful) -> str:
    return f"{quote(doubt.value)} is {doubt.meanings}"
