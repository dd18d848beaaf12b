"""One batch of rows in, its scores and sums out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from evaluators.api.score_columns import verdict_columns
from evaluators.batch.batch_plan import BatchPlan
from evaluators.batch.sums_of_batch import SumsOfBatch, digest_of_rows, ranges_of
from evaluators.issues import Blame, Issue, Problems
from evaluators.model import MISSING, Result, __version__
from evaluators.needs import Cell
from evaluators.run.ids import MOST_IDS, Ids
from evaluators.run.job import Work, work_on
from evaluators.run.split_result import sealed
from evaluators.testsets.columns import no_such_column
from evaluators.testsets.python_cells import arrow_cells
from evaluators.testsets.reader import MAX_CHUNK_ROWS, Chunk, Split, id_text


def evaluate_batch(plan: BatchPlan, batch: Any) -> Any:
    """The scores of a `pyarrow.RecordBatch` as another with the schema of the plan, row by row in the same order.

    Its first row also holds what the batch came to, for `merge`. Raises Problems for a column that is not there and for numbers of
    rows that are none; what is wrong with a row is in its scores.
    """
    import pyarrow

    rows = _Rows.of(plan, batch)
    scores, sums = _scored(plan, rows) if rows.count else ([[] for _ in plan.scores], None)
    own: list[Sequence[Any]] = [] if plan.row is None else [rows.numbers]
    own += [] if plan.id is None else [[one or None for one in rows.ids or ()]]
    told = [sums, *([None] * (rows.count - 1))] if rows.count else []
    arrays = [pyarrow.array(values, field.type) for values, field in zip([*own, *scores, told], plan.schema, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=plan.schema)


class _Rows(Struct, frozen=True):
    """The rows of a batch, as cells."""

    count: int
    columns: dict[str, list[Cell]]
    numbers: Sequence[int]
    """Their numbers; from 0 on where they have none."""
    ids: list[str] | None

    @classmethod
    def of(cls, plan: BatchPlan, batch: Any) -> _Rows:
        """Raises Problems for a column that is not there."""
        wanted = [name for name in plan.header if name != plan.row]
        names = [*wanted, *([plan.row] if plan.row is not None else [])]
        lacking = [name for name in names if name not in batch.schema.names]
        if lacking:
            raise Problems(no_such_column(name, batch.schema.names, plan.name) for name in lacking)
        columns = {name: _filled(arrow_cells(batch.column(name))) for name in wanted}
        numbers = range(batch.num_rows) if plan.row is None else _numbers(batch.column(plan.row).to_pylist(), plan)
        ids = None if plan.id is None else [id_text(cell) for cell in columns[plan.id]]
        return cls(batch.num_rows, columns, numbers, ids)


def _filled(cells: list[Cell]) -> list[Cell]:
    """The cells, with an empty text for null: programs that read a CSV file make null of its empty cells."""
    return ["" if cell is MISSING else cell for cell in cells] if MISSING in cells else cells


def _numbers(cells: Sequence[Any], plan: BatchPlan) -> Sequence[int]:
    for cell in cells:
        if cell.__class__ is not int or cell < 1:
            message = f'the column "{plan.row}" holds the numbers of rows, from 1 on; found {cell!r}'
            raise Problems([Issue("no-row-number", Blame.TESTSET, message, plan.name)])
    return cells


def _scored(plan: BatchPlan, rows: _Rows) -> tuple[list[list[Any]], bytes]:
    """The columns of scores, and what the rows came to, packed."""
    order = sorted(range(rows.count), key=rows.numbers.__getitem__)
    first = rows.numbers[order[0]]
    known_place = plan.row is not None
    split = Split(plan.name, 0 if first == 1 or not known_place else 1)
    with work_on(plan.job, split) as work:
        verdicts = _taken(work, rows, order, first)
        result = work.finished()
    if known_place and first > MOST_IDS:
        result.ids = Ids()
    sums = SumsOfBatch(
        plan.suite_fingerprint, __version__, plan.row is not None, ranges_of([rows.numbers[place] for place in order]),
        digest_of_rows(rows.columns, rows.count), result,
    )  # fmt: skip
    back = sorted(range(rows.count), key=order.__getitem__)
    in_order = [[column[place] for place in back] for column in verdicts]
    return verdict_columns([one.line for one in work.plan.evaluators], in_order, plan.overall), sealed(sums)


def _taken(work: Work, rows: _Rows, order: Sequence[int], first: int) -> list[list[Result]]:
    """The verdicts of all rows by evaluator, in the order of their numbers."""
    found: list[list[Result]] = [[] for _ in work.ledgers]
    nothing: list[Cell] = [MISSING] * rows.count
    columns = {name: rows.columns.get(name, nothing) for name in work.columns}
    for start in range(0, rows.count, MAX_CHUNK_ROWS):
        places = order[start : start + MAX_CHUNK_ROWS]
        offsets = [rows.numbers[place] - first for place in places]
        cells = {name: [column[place] for place in places] for name, column in columns.items()}
        ids = None if rows.ids is None else [rows.ids[place] for place in places]
        with work.scored(Chunk(offsets, offsets[-1] + 1, cells, ids=ids)) as slots:
            for column, one in zip(found, work.plan.evaluators, strict=True):
                column.extend(slots[one.verdicts])
    return found
