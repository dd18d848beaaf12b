"""Rows that come one by one, from a program that holds them: scored at once, and summed as those of a run.

The sums are those of a split, so that metrics of rows that came one by one are equal, to the last bit, to the metrics of a run
over the same rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluators.model.rows import MISSING, Result
from evaluators.runs.driver import Merger, memory_variant
from evaluators.runs.figures import Measured
from evaluators.runs.job import Job, Work, plan_of
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.testsets.reader import Chunk, Split


class LiveRows:
    """Rows that come one by one. Not for several threads at once."""

    def __init__(self, job: Job, lines: Sequence[EvaluatorLine], name: str) -> None:
        self._run = memory_variant(name, job, lines)
        self._merger = Merger(self._run)
        self._parts = 0
        self._rows = 0
        self._work: Work | None = None

    def take(self, cells: Mapping[str, Any], row_id: str) -> dict[str, Result]:
        """Scores one more row with the id `row_id`, and returns the result of every evaluator by name, as `Plan.explain` does.
        `cells` are keyed by column."""
        if self._work is None:
            run = self._run
            self._work = Work(run.job, Split(run.title, self._parts), plan_of(run.job, run.lines), full=())
        work = self._work
        columns = {name: [cells.get(name, MISSING)] for name in work.columns}
        ids, span = [row_id] if row_id else None, range(self._rows, self._rows + 1)
        with work.scoring(Chunk(span, self._rows + 1, columns, ids=ids)) as slots:
            self._rows += 1
            return work.plan.explain_slots(slots)

    def results(self) -> Measured:
        """The sums and figures of all rows so far. Rows may come after it."""
        if self._work is not None:
            self._merger.take(self._work.finish())
            self._work, self._rows = None, 0
            self._parts += 1
        return self._merger.count_figures(self._parts)
