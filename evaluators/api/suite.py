"""A suite, ready to be asked: about one row, or about a test set."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from evaluators.model.rows import MISSING, Row, RowResult
from evaluators.runs.loaded_suite import LoadedSuite
from evaluators.scoring.plan.suite_plan import Plan
from evaluators.testsets.composed import made_cells, makes_cells
from evaluators.testsets.memory_rows import is_data_frame, refuse_python_values
from evaluators.testsets.reader import id_text

if TYPE_CHECKING:
    from evaluators.api.run_object import Run
    from evaluators.api.run_options import RunOptions
    from evaluators.reports.tracking.tracker import NamedTracker
    from evaluators.runs.compare.compare_section import CompareConfig

Rows: TypeAlias = Any
"""Rows as a program has them: a DataFrame, a list of dicts, an Arrow table, the name of a file, or the settings of a test set."""


class Suite(LoadedSuite, frozen=True, dict=True):
    """A suite that has been read and checked, and can be run. `load` makes one."""

    @property
    def tracking(self) -> tuple[NamedTracker, ...]:
        """The trackers that finished runs are sent to."""
        return self._section("tracking", ())

    @property
    def compare(self) -> CompareConfig:
        """The settings under `compare`: how runs are compared, and what makes a comparison fail."""
        from evaluators.runs.compare.compare_section import CompareConfig  # few suites are compared

        return self._section("compare", CompareConfig())

    def run(self, test_set: Rows | None = None, **options: Unpack[RunOptions]) -> Run:
        """Score a whole test set.

        `test_set` is a file, the settings of a test set, or rows: a DataFrame, a list of dicts, an Arrow table. Without it, the suite's
        own test set is read. The options are those of the command, by the names of `RunOptions`; nothing is
        written unless `results` names a folder. Raises Problems when nothing can be run: bad settings, no such file, an
        unclear column; TypeError for an option that there is not.
        """
        from evaluators.api.execute import run_of

        return run_of(self, test_set, options)

    async def run_async(self, test_set: Rows | None = None, **options: Unpack[RunOptions]) -> Run:
        """`run`, for use inside a running event loop."""
        from asyncio import to_thread

        return await to_thread(lambda: self.run(test_set, **options))

    def evaluate(self, row: Row | Mapping[str, Any]) -> RowResult:
        """The explained results of every evaluator for one row.

        A row's cells are text or JSON values, keyed by column. Roles are found under their own names (`output`,
        `expected`, `input`, `id`), or in the columns that the suite names for them. Raises TypeError for what is no row.
        """
        if not isinstance(row, Row | dict) and (is_data_frame(row) or not hasattr(row, "keys")):
            raise TypeError(
                f"evaluate() of a suite takes one row, a dict or a Row; found {type(row).__name__}; "
                "for many rows call evaluators.evaluate(rows, suite=…)"
            )
        cells = dict(row.cells if isinstance(row, Row) else row)
        if self._makes_cells:
            cells = self.with_roles(made_cells(self.test_set, cells))
        for name, cell in cells.items():
            if isinstance(cell, dict | list):
                refuse_python_values(f'column "{name}"', cell)
        host_row = row if isinstance(row, Row) else Row(cells, id_text(cells.get(self.role_columns["id"], MISSING)))
        return RowResult(host_row.id, host_row.number, self._row_plan.explain(cells))

    async def evaluate_async(self, row: Row | Mapping[str, Any]) -> RowResult:
        """`evaluate`, for use inside a running event loop."""
        from asyncio import to_thread  # half of the start-up of a small run, and for these two only

        return await to_thread(self.evaluate, row)

    @cached_property
    def _makes_cells(self) -> bool:
        """Whether the test set of the suite names columns of its own, so that a row may have cells which are made of others."""
        return makes_cells(self.test_set)

    @cached_property
    def _row_plan(self) -> Plan:
        """The compiled steps with which single rows are scored, made once."""
        return self.plan()
