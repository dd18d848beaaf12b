"""pandas: importing this module gives data frames an accessor.

import evaluators.integrations.harnesses.pandas
scores = frame.evaluators.score("suite.yaml")
frame.join(scores)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluators.api.loading import load
from evaluators.api.run_object import Run
from evaluators.api.score_columns import Roles
from evaluators.api.suite import Suite
from evaluators.integrations.harnesses._host_rows import needs

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
    return _run_frame(suite, frame, columns).to_pandas(overall=overall, fields=fields)


def _run_frame(suite: str | Path | Suite, frame: Any, columns: Roles | None) -> Run:
    """Runs a suite over the rows of a data frame; `columns` are the columns of roles."""
    suite = suite if isinstance(suite, Suite) else load(suite)
    return suite.run(frame, test_set_settings={"columns": dict(columns)} if columns else {})


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

    def evaluate(self, suite: str | Path | Suite, *, columns: Roles | None = None) -> Run:
        """The run over the rows: `scores` are its `to_pandas()`, and it has metrics, gates and reasons."""
        return _run_frame(suite, self._frame, columns)
