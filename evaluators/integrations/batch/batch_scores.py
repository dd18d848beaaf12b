"""One batch of rows in, its scores and sums out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluators.api.score_columns import verdict_columns
from evaluators.integrations.batch.batch_blob import Batch, BatchRows, blob_of
from evaluators.integrations.batch.batch_plan import BatchPlan
from evaluators.integrations.batch.batch_sums import digest_of_rows, ranges_of
from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.rows import MISSING, Result
from evaluators.runs.job import Work, work_on
from evaluators.scoring.needs import Cell
from evaluators.testsets.columns import no_such_column
from evaluators.testsets.composed import made_cells
from evaluators.testsets.python_cells import arrow_cells
from evaluators.testsets.reader import MAX_CHUNK_ROWS, Chunk, Split, id_text
from evaluators.testsets.test_set_config import TestSetConfig


def evaluate_batch(plan: BatchPlan, batch: Any) -> Any:
    """The scores of a `pyarrow.RecordBatch` as another with the schema of the plan, row by row in the same order.

    Its first row also holds what the batch came to, for `merge`. Raises Problems for a column that is not there and for numbers of
    rows that are none; what is wrong with a row is in its scores.
    """
    import pyarrow

    count, cells = batch.num_rows, _cells_of(plan, batch)
    numbers = range(count) if plan.row is None else _checked_numbers(batch.column(plan.row).to_pylist(), plan)
    id_column = plan.table.columns.id
    ids = None if id_column is None else [id_text(cell) for cell in cells[id_column]]
    scores, sums = _score_rows(plan, cells, numbers, ids) if count else ([[] for _ in plan.scores], None)
    own: list[Sequence[Any]] = [] if plan.row is None else [numbers]
    own += [] if ids is None else [[id_ or None for id_ in ids]]
    sums_column = [sums, *([None] * (count - 1))] if count else []
    arrays = [
        pyarrow.array(values, field.type) for values, field in zip([*own, *scores, sums_column], plan.schema, strict=True)
    ]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=plan.schema)


def _cells_of(plan: BatchPlan, batch: Any) -> dict[str, list[Cell]]:
    """The columns of the batch by name, and those that the suite makes of them, with an empty text for null: programs that read a CSV file
    make null of its empty cells. The column with the numbers of rows is left out.

    Raises Problems for a column that is not there.
    """
    lacking = [name for name in plan.table.header if name not in batch.schema.names]
    if lacking:
        raise Problems(no_such_column(name, batch.schema.names, plan.table.name) for name in lacking)
    own: dict[str, list[Cell]] = {
        name: ["" if cell is MISSING else cell for cell in arrow_cells(batch.column(name))]
        for name in plan.table.header
        if name != plan.row
    }
    return own if plan.test_set is None else {**own, **_made_columns(plan, plan.test_set, own)}


def _made_columns(plan: BatchPlan, settings: TestSetConfig, cells: Mapping[str, list[Cell]]) -> dict[str, list[Cell]]:
    """The columns `made` of the plan, which the settings of the test set make of other columns, row by row."""
    rows = [made_cells(settings, dict(zip(cells, row, strict=True))) for row in zip(*cells.values(), strict=True)]
    return {name: [row.get(name, MISSING) for row in rows] for name in plan.made}


def _checked_numbers(cells: Sequence[Any], plan: BatchPlan) -> Sequence[int]:
    """The row numbers in a column, as they are. Raises Problems (testset) for a cell that is no whole number from 1 on."""
    for cell in cells:
        if cell.__class__ is not int or cell < 1:
            message = f'the column "{plan.row}" holds the numbers of rows, from 1 on; found {cell!r}'
            raise Problems([Issue("no-row-number", Blame.TESTSET, message, plan.table.name)])
    return cells


def _score_rows(
    plan: BatchPlan, cells: Mapping[str, list[Cell]], numbers: Sequence[int], ids: Sequence[str] | None
) -> tuple[list[list[Any]], bytes]:
    """(columns, sums): scores the rows of a batch in the order of their numbers, and gives the columns of scores, in the order in which the
    rows came, and the packed result of the batch. `cells` are the columns, `ids` the ids of the rows where there are any."""
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    ordered = [numbers[place] for place in order]
    numbered = plan.row is not None
    with work_on(plan.job, Split(plan.table.name, 0 if ordered[0] == 1 or not numbered else 1)) as work:
        verdicts = _score_in_order(work, cells, ordered, ids, order)
        part = work.finish()
    rows = BatchRows(plan.key, ranges_of(ordered), digest_of_rows(cells, len(numbers)))
    back = sorted(range(len(order)), key=order.__getitem__)
    verdicts = [[column[place] for place in back] for column in verdicts]
    lines = [evaluator.line for evaluator in work.plan.evaluators]
    return verdict_columns(lines, verdicts, plan.overall), blob_of(Batch(rows, part))


def _score_in_order(
    work: Work, cells: Mapping[str, list[Cell]], ordered: Sequence[int], ids: Sequence[str] | None, order: Sequence[int]
) -> list[list[Result]]:
    """The verdicts of all rows by evaluator, in the order of their numbers. `ordered` are these numbers, and `order` the places
    of their rows in the batch."""
    verdicts: list[list[Result]] = [[] for _ in work.plan.evaluators]
    nothing: list[Cell] = [MISSING] * len(order)
    columns = {name: cells.get(name, nothing) for name in work.columns}
    for start in range(0, len(order), MAX_CHUNK_ROWS):
        places = order[start : start + MAX_CHUNK_ROWS]
        offsets = [number - ordered[0] for number in ordered[start : start + MAX_CHUNK_ROWS]]
        chunk = {name: [column[place] for place in places] for name, column in columns.items()}
        own_ids = None if ids is None else [ids[place] for place in places]
        with work.scoring(Chunk(offsets, offsets[-1] + 1, chunk, ids=own_ids)) as slots:
            for column, evaluator in zip(verdicts, work.plan.evaluators, strict=True):
                column += slots[evaluator.verdicts]
    return verdicts
