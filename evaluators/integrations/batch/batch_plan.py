"""What there is to do with every batch of rows: settled once by the program that has the suite, and sent along with each batch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from evaluators.api.score_columns import Roles, arrow_type, columns_of, overall_of, roles_in
from evaluators.api.suite import Suite
from evaluators.integrations.harnesses._host_rows import needs
from evaluators.integrations.harnesses._scorer import suite_of
from evaluators.model.issues import Problems, problem
from evaluators.model.result_table import Kind
from evaluators.model.rows import __version__
from evaluators.runs.driver import jobs_of
from evaluators.runs.job import Job
from evaluators.runs.preparing import check_gate_targets, prepared_rows
from evaluators.testsets.columns import no_such_column
from evaluators.testsets.composed import is_own_document, made_columns
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import TestSetConfig

with needs("batch", extra="parquet"):
    import pyarrow

SUMS: Final = "evaluators.sums"
"""The column with what a batch came to, in its first row; empty in the others."""
ROWS: Final = "the rows"
"""What messages call rows that nobody has named."""
_ELSEWHERE: Final = ("output", "outputs", "expected", "attach")
"""Settings of a test set that fetch cells from other files."""


class BatchPlan(Struct, frozen=True):
    """A suite for batches with certain columns. Small, and can be pickled: each worker compiles it once."""

    table: TestSet
    """The columns of the batches, as a test set without rows. Its name is what messages call the rows."""
    job: Job
    """What a split of a run with this suite would be scored by."""
    scores: tuple[tuple[str, Kind], ...]
    """The columns with scores, in order."""
    overall: tuple[str, ...]
    """The evaluators that the overall score is made of."""
    row: str | None
    """The column with the numbers of rows."""
    key: str
    """The version of this package, the fingerprint of the suite, and whether rows have numbers of their own."""
    made: tuple[str, ...] = ()
    """The columns that the settings of the test set make of others, row by row."""
    test_set: TestSetConfig | None = None
    """These settings, where there are such columns."""

    @property
    def schema(self) -> Any:
        """The `pyarrow.Schema` of what `evaluate_batch` gives: the number and the id of each row, where the plan has columns for them,
        its scores, and the column of sums."""
        own = [(self.row, pyarrow.int64())] if self.row is not None else []
        own += [(self.table.columns.id, pyarrow.string())] if self.table.columns.id is not None else []
        return pyarrow.schema([*own, *((name, arrow_type(kind)) for name, kind in self.scores), (SUMS, pyarrow.binary())])


def batch_plan(
    suite: str | Path | Suite,
    columns: Sequence[str] | Any,
    *,
    roles: Roles | None = None,
    row: str | None = None,
    overall: str | None = None,
    name: str = ROWS,
) -> BatchPlan:
    """The plan for batches with these columns: their names, or a `pyarrow.Schema`.

    `roles` names the columns of roles (`{"output": "model_output"}`) where their names are not the usual ones. `row` is the column
    with the numbers of rows, from 1 on, each once: messages name rows by them, and `merge` sees by them that every row was scored
    once. `overall` is the evaluator that is the overall score, and `name` what messages call the rows.

    Raises Problems with everything that keeps the suite from being scored batch by batch: a column that is unclear or not there, a
    schema that is inferred from all rows, cells that come from other files.
    """
    read_suite = suite_of(suite)
    header = tuple(getattr(columns, "names", columns))
    _check_places(read_suite)
    if row is not None and row not in header:
        raise Problems([no_such_column(row, header, name)])
    made = made_columns(read_suite.test_set, header)
    known = roles_in(read_suite, (*header, *made), roles, "roles")
    check_gate_targets(read_suite, ())
    prepared = prepared_rows(read_suite, name, dict.fromkeys(header, ()), known, known.get("id"))
    (job,) = jobs_of(prepared)
    lines = read_suite.lines
    scores = tuple(columns_of(lines).items())
    key = f"{__version__} {read_suite.fingerprint} {'numbered' if row is not None else 'counted'}"
    settings = read_suite.test_set if made else None
    return BatchPlan(prepared.test_set, job, scores, overall_of(lines, overall), row, key, made, settings)


def _check_places(suite: Suite) -> None:
    """Raises Problems (config) where cells come from somewhere else than the rows."""
    for setting in _ELSEWHERE:
        place = getattr(suite.test_set, setting)
        if place and not is_own_document(place):
            raise problem(
                "cells-elsewhere",
                f"`{setting}` fetches cells from other files, and a batch has all cells of its rows",
                where=suite.place("test_set", setting, key=True),
                hint="join them beforehand, as columns of the batches",
            )
