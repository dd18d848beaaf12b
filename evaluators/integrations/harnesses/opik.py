"""Opik: a metric for its evaluations.

    metric = SuiteMetric("suite.yaml")
    evaluate(dataset=dataset, task=task, scoring_metrics=[metric])

Each score is a result under its name. One that could not be measured is a failed one, with the reason; a row that is left out has none.
"""

from __future__ import annotations

from typing import Any

from evaluators.integrations.harnesses._host_rows import HostRow, Places, needs
from evaluators.integrations.harnesses._scorer import AnySuite, scorer_of
from evaluators.model.rows import MISSING

with needs("opik", "opik"):
    from opik.evaluation.metrics.base_metric import BaseMetric
    from opik.evaluation.metrics.score_result import ScoreResult


class SuiteMetric(BaseMetric):
    """A suite as an Opik metric: keys of the dataset item are columns, the expected answer among them."""

    def __init__(
        self,
        suite: AnySuite,
        *,
        columns: Places | None = None,
        overall: str | None = None,
        name: str = "suite",
        track: bool = True,
    ) -> None:
        """`columns` are places such as `gold` or `output.text`, by the columns of the suite; `overall` names the evaluator that is the
        overall score. `name` is what Opik calls the metric, and `track` whether it keeps the calls. Raises Problems with all that is wrong
        with the suite."""
        super().__init__(name=name, track=track)
        self.suite = scorer_of(suite, columns, overall)

    def score(self, output: Any = MISSING, **columns: Any) -> list[ScoreResult]:
        """Scores one item of a dataset and gives a result for each score. What has neither a score nor an error is left out, and an error
        has the value 0 and is marked as failed. The row counts in the metrics of `suite`."""
        scores = self.suite.score(HostRow({**columns, "output": output}, output, more=[columns]))
        return [
            ScoreResult(
                name=score.name, value=0.0 if score.score is None else score.score, reason=score.error or score.reason,
                metadata={**score.metadata}, scoring_failed=score.error is not None,
            )
            for score in scores.every_score
            if score.score is not None or score.error is not None
        ]  # fmt: skip
