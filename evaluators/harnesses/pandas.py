"""pandas: importing this module gives data frames an accessor.

import evaluators.harnesses.pandas
scores = frame.evaluators.score("suite.yaml")
frame.join(scores)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluators.api.loading import Suite
from evaluators.harnesses._host import needs
from evaluators.harnesses._score_columns import Kind, Roles, batch_columns, roles_in, score_columns
from evaluators.harnesses._scorer import suite_of
from evaluators.model import MISSING
from evaluators.needs import Cell
from evaluators.testsets.python_cells import cell_of

with needs("pandas", "pandas"):
    import pandas


def evaluate_batch(
    suite: str | Path | Suite,
    frame: Any,
    *,
    columns: Roles | None = None,
    overall: str | None = None,
    fields: bool = True,
) -> Any:
    """The scores of a data frame as another with the same index: one row for each row, and columns that depend on the suite alone.

    `columns` names the columns of roles (`{"output": "model_output"}`) where their names are not the usual ones, and `overall` the
    evaluator that is the overall score. Without `fields`, the columns of evaluators and of the overall score alone are there.
    A cell that is NaN, NaT or None is empty. Raises Problems for a column that is unclear or not there; what is wrong with a
    row is in its scores.
    """
    found = suite_of(suite)
    header = [name for name in frame.columns if isinstance(name, str)]
    roles = roles_in(found, header, columns)
    cells = {name: _cells(frame[name]) for name in found.plan(roles).columns if name in header}
    scores = score_columns(found, cells, len(frame), roles, overall, fields)
    made = batch_columns(found, fields)
    series = {
        column.name: pandas.array(values, dtype=_type(column.kind)) for column, values in zip(made, scores, strict=True)
    }
    return pandas.DataFrame(series, index=frame.index)


@pandas.api.extensions.register_dataframe_accessor("evaluators")
class EvaluatorsAccessor:
    """`frame.evaluators`: the rows of a data frame, scored."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def score(
        self, suite: str | Path | Suite, *, columns: Roles | None = None, overall: str | None = None, fields: bool = True
    ) -> Any:
        """The scores of the rows: see `evaluate_batch`."""
        return evaluate_batch(suite, self._frame, columns=columns, overall=overall, fields=fields)


def _cells(series: Any) -> list[Cell]:
    empty = series.isna()
    return [MISSING if gone else cell_of(value) for value, gone in zip(series.tolist(), empty.tolist(), strict=True)]


def _type(kind: Kind) -> str:
    match kind:
        case "score":
            return "Float64"
        case "passed":
            return "boolean"
        case "text":
            return "string"
