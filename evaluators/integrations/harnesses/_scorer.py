"""A suite that scores row after row inside another program, and keeps the metrics of a run beside the host's own.

A host averages what it was given, in its own way: rows with an error are left out, or count 0, or stop it. `result` has our
metrics, over every row that was scored, each with its own counts: those that `evaluators run` gives for the same rows.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from threading import Lock
from typing import Any, Final, TypeAlias

from evaluators.api.loading import load
from evaluators.api.score_columns import overall_of
from evaluators.api.suite import Suite
from evaluators.integrations.harnesses._host_rows import HostRow, Places, cells_of, with_usual_names
from evaluators.integrations.harnesses._row_scores import RowError, RowScores, row_scores
from evaluators.model.issues import problem
from evaluators.model.registry import suggestion
from evaluators.model.rows import MISSING
from evaluators.reports.conclusions import finish_run
from evaluators.reports.rows import FieldView
from evaluators.reports.tracking.metrics import Number, Overall, headline_of, metrics_of
from evaluators.runs.driver import jobs_of
from evaluators.runs.overall import OVERALL
from evaluators.runs.preparing import Prepared, check_gate_targets, prepared_rows
from evaluators.runs.result import RunResult
from evaluators.runs.streaming import LiveRows
from evaluators.testsets.reader import id_text

_NAME: Final = "the rows of the host"
_HEADLINE: Final = re.compile(
    "[^/]+/(mean|pass_rate)$|measure/|evaluator/[^/]+/(rows/|metric/|labels/|repeats/|confidence/|invented|left_empty|expected)"
)


def suite_of(suite: str | Path | Suite) -> Suite:
    """The suite, which is read where it is a file. Raises Problems, also when it cannot score a row before it has seen them all."""
    suite = suite if isinstance(suite, Suite) else load(suite)
    inference = [line.name for line in suite.lines if line.settings.schema_inference() is not None]
    if inference:
        raise problem(
            "learns-from-test-set",
            f'"{inference[0]}" infers its schema from a whole test set, and a host gives one row at a time',
            where=suite.place("evaluators"),
            hint="`evaluators infer-schema` writes the schema to a file; name that file in place of `infer`",
        )
    return suite


class SuiteScorer:
    """A suite for one host. Threads may share it, and so may several scorers of a host: each of them asks for its part."""

    def __init__(
        self,
        suite: str | Path | Suite,
        *,
        columns: Places | None = None,
        overall: str | None = None,
        keep: bool = True,
        fields: bool = True,
    ) -> None:
        """`columns` says where in what the host gives a column of the suite is; `overall` names the evaluator that is the overall
        score. Without `fields` the host is given the overall score and those of evaluators alone. Without `keep` there is no
        `result`, and nothing grows. Raises Problems with everything that is wrong."""
        self.suite = suite_of(suite)
        self.overall = overall_of(self.suite.lines, overall)
        self.fields = fields
        self._columns: Places = columns or {}
        self._keep = keep
        self._lock = Lock()
        self._asked: set[str] = set()
        self._plan = self.suite.plan()
        check_gate_targets(self.suite)
        self.reset()

    @property
    def parts(self) -> tuple[str, ...]:
        """The overall score and the evaluators, by name: what hosts that take one thing at a time have a scorer for."""
        return tuple(dict.fromkeys([OVERALL, *(line.name for line in self.suite.lines)]))

    def register_part(self, part: str) -> str:
        """Registers a part that will be requested for every row. Raises Problems (config) when there is no such part."""
        if part not in self.parts:
            hint = suggestion(part, self.parts) or f"known: {', '.join(self.parts)}"
            raise problem("unknown-evaluator", f'there is no evaluator "{part}"', hint=hint)
        self._asked.add(part)
        return part

    def score_part(self, part: str, row: HostRow) -> tuple[FieldView, ...]:
        """The score of one part of a row, then those of its fields. A row that all parts are asked of is scored once.

        Raises RowError when something other than the output kept the part from being measured.
        """
        cells = self._row_cells(row)
        key = hashlib.sha256(repr(sorted(cells.items())).encode("utf-8", "backslashreplace")).digest()
        with self._lock:
            waiting = self._waiting.setdefault(
                key, []
            )  # scores of equal rows, each with the parts that are still asked for
            entry = next((entry for entry in waiting if part in entry[1]), None)
            if entry is None:
                entry = self._score_locked(cells), set(self._asked)
                waiting.append(entry)
            row_scores, open_parts = entry
            open_parts.discard(part)
            if not open_parts:
                waiting.remove(entry)
            if not waiting:
                del self._waiting[key]
        scores = row_scores.of_part(part)
        if scores[0].error is not None:
            raise RowError(scores[0].error)
        return scores

    def score(self, row: HostRow) -> RowScores:
        """The scores of one row. Never raises for what is wrong with a row: that is in the scores."""
        cells = self._row_cells(row)
        with self._lock:
            return self._score_locked(cells)

    def _row_cells(self, row: HostRow) -> dict[str, Any]:
        """The cells of a row of the host, by the columns that the suite reads."""
        return self.suite.with_roles(with_usual_names(cells_of(row, self._columns), self.suite.named_columns()))

    def _score_locked(self, cells: dict[str, Any]) -> RowScores:
        """Scores a row by its cells, which count in the metrics of the run. The caller holds the lock."""
        row_id = id_text(cells.get(self.suite.role_columns["id"], MISSING))
        if self._keep:
            results = self._live.take(cells, row_id)
            self._cells.append(cells)
        else:
            results = self._plan.explain(cells)
        scores = row_scores(row_id, self.suite.lines, results, self.overall, self.fields)
        self._whole.add(scores.verdict)
        return scores

    def result(self) -> RunResult:
        """The metrics, gates and problems of all rows that were scored since the beginning, or since `reset`."""
        with self._lock:
            measured = self._live.results()
            return finish_run(self._prepare_rows(), [(None, measured)], "")

    def metrics(self) -> dict[str, Number]:
        """The metrics by name, such as `header/mean`: the names that trackers use."""
        return metrics_of(self.result())

    def main_metrics(self) -> dict[str, Number]:
        """The few of them that trackers send unless a suite asks for all, with those of the overall score."""
        result = self.result()
        with self._lock:
            return headline_of(result, {None: self._whole})

    def summary_metrics(self) -> dict[str, Number]:
        """The metrics among them that a platform shows of a whole experiment: numeric columns, what judges cost, and of each evaluator
        its mean, its pass rate, its rows, and its rates, repeats and confidences; nothing of its fields."""
        return {name: value for name, value in self.metrics().items() if _HEADLINE.match(name)}

    def reset(self) -> None:
        """Forgets the rows that were scored, before the next evaluation."""
        with self._lock:
            self._cells: list[dict[str, Any]] = []
            self._whole = Overall()
            self._waiting: dict[bytes, list[tuple[RowScores, set[str]]]] = {}
            (job,) = jobs_of(self._prepare_rows())
            self._live = LiveRows(job, self.suite.lines, _NAME)

    def _prepare_rows(self) -> Prepared:
        """The suite, prepared with the rows that were scored so far."""
        names = dict.fromkeys(name for cells in self._cells for name in cells)
        columns = {name: [cells.get(name, MISSING) for cells in self._cells] for name in names}
        roles = self.suite.role_columns
        return prepared_rows(self.suite, _NAME, columns, roles, roles["id"] if roles["id"] in names else None)


AnySuite: TypeAlias = str | Path | Suite | SuiteScorer
"""A suite or its file, or a scorer that several of a host share."""


def scorer_of(suite: AnySuite, columns: Places | None = None, overall: str | None = None) -> SuiteScorer:
    """The scorer of a suite. A scorer is given back as it is, so that several of a host share it."""
    return suite if isinstance(suite, SuiteScorer) else SuiteScorer(suite, columns=columns, overall=overall)
