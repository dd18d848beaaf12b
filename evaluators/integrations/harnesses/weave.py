"""Weave: a scorer for `weave.Evaluation`.

    scorer = SuiteScores(suite="suite.yaml")
    evaluation = weave.Evaluation(dataset=rows, scorers=[scorer])

Keys of the dataset's rows are columns, the expected answer among them. Each evaluator gives its score, whether it passed, and the scores of
its fields; what could not be measured has an `error` in place of them. Weave averages what is there; `scorer.shared` has our metrics.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field, PrivateAttr

from evaluators.integrations.harnesses._host_rows import HostRow, needs
from evaluators.integrations.harnesses._row_scores import RowScores
from evaluators.integrations.harnesses._scorer import SuiteScorer, scorer_of
from evaluators.reports.names import field_name, segment
from evaluators.reports.rows import FieldView
from evaluators.runs.overall import OVERALL

with needs("weave", "weave"):
    import weave


class SuiteScores(weave.Scorer):
    """A suite as a Weave scorer."""

    suite: str
    """The file of the suite."""
    columns: dict[str, str] = Field(default_factory=dict)
    """Where a column is in what Weave gives: places such as `output.text`."""
    overall: str | None = None
    """The evaluator that is the overall score."""
    _shared: SuiteScorer = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Reads the suite. Raises Problems with all that is wrong with it."""
        super().model_post_init(context)
        self._shared = scorer_of(self.suite, self.columns, self.overall)

    @property
    def shared(self) -> SuiteScorer:
        """The scorer behind this one, which has our own metrics of the rows that were scored."""
        return self._shared

    @weave.op
    def score(self, *, output: Any, **columns: Any) -> dict[str, Any]:
        """Scores one row: the scores by evaluator, with those of fields. The row counts in the metrics of `shared`."""
        return _scores_by_evaluator(self._shared.score(HostRow({**columns, "output": output}, output, more=[columns])))


def _scores_by_evaluator(scores: RowScores) -> dict[str, Any]:
    """The scores by evaluator, `overall` among them, with the scores of the fields below `field`."""
    record: dict[str, dict[str, Any]] = {OVERALL: _as_record(scores.overall)}
    for score in scores.evaluators:
        whole = record.setdefault(segment(str(score.evaluator)), {})
        if score.path is None:
            whole.update(_as_record(score))
        else:
            whole.setdefault("field", {})[field_name(score.path)] = _as_record(score)
    return record


def _as_record(view: FieldView) -> dict[str, Any]:
    """A score in Weave's words. One that is not there is left out: no number stands for it."""
    if view.error is not None:
        return {"error": view.error, "status": view.status.word}
    record = {"score": view.score, "passed": view.passed, "status": view.label, "reason": view.reason}
    return {key: value for key, value in record.items() if value is not None}
