"""Arrow: a batch of rows in, a batch of scores out, for engines that hand out batches (Spark, Ray, Daft, DuckDB, Polars).

    schema = batch_schema("suite.yaml")
    scores = evaluate_batch("suite.yaml", batch)

Both are pure: the schema depends on the suite alone, a batch on the suite and its rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluators.api.score_columns import Roles, arrow_type, columns_of, overall_of, roles_in, verdict_columns
from evaluators.api.suite import Suite
from evaluators.integrations.harnesses._host_rows import needs
from evaluators.integrations.harnesses._scorer import suite_of
from evaluators.model.rows import MISSING
from evaluators.testsets.python_cells import arrow_cells

with needs("arrow", extra="parquet"):
    import pyarrow


def batch_schema(suite: str | Path | Suite, *, fields: bool = True) -> Any:
    """The `pyarrow.Schema` of the scores of any batch. Raises Problems when the suite cannot be read."""
    made = columns_of(suite_of(suite).lines, fields)
    return pyarrow.schema([pyarrow.field(name, arrow_type(kind)) for name, kind in made.items()])


def evaluate_batch(
    suite: str | Path | Suite,
    batch: Any,
    *,
    columns: Roles | None = None,
    overall: str | None = None,
    fields: bool = True,
) -> Any:
    """The scores of a `pyarrow.RecordBatch` as another, row by row in the same order, with the columns of `batch_schema`.

    `columns` names the columns of roles (`{"output": "model_output"}`) where their names are not the usual ones, and `overall` the
    evaluator that is the overall score. Without `fields`, the columns of evaluators and of the overall score alone are there.
    Raises Problems for a column that is unclear or not there; what is wrong with a row is in its scores.
    """
    suite = suite_of(suite)
    plan = suite.plan(roles_in(suite, batch.schema.names, columns))
    cells = {
        name: arrow_cells(batch.column(name)) if name in batch.schema.names else [MISSING] * batch.num_rows
        for name in plan.columns
    }
    overall_parts = overall_of(suite.lines, overall)
    with plan.score_chunk(cells, batch.num_rows) as slots:
        verdicts = [slots[evaluator.verdicts] for evaluator in plan.evaluators]
    scores = verdict_columns(suite.lines, verdicts, overall_parts, fields)
    schema = batch_schema(suite, fields=fields)
    arrays = [pyarrow.array(values, column.type) for column, values in zip(schema, scores, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=schema)
