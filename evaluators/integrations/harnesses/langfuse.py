"""Langfuse: an evaluator for `run_experiment`, and one for the run as a whole.

    scores = SuiteEvaluations("suite.yaml")
    langfuse.run_experiment(name="nightly", data=data, task=task, evaluators=[scores], run_evaluators=[scores.metrics])

Each score is an evaluation under its name. Langfuse drops an evaluator that raises, so what could not be measured is an evaluation too:
`NAME/error`, with the status as its category and the reason as its comment.
"""

from __future__ import annotations

from typing import Any

from evaluators.integrations.harnesses._host_rows import HostRow, Places, needs
from evaluators.integrations.harnesses._scorer import AnySuite, scorer_of
from evaluators.reports.rows import FieldView

with needs("langfuse", "langfuse"):
    from langfuse import Evaluation


class SuiteEvaluations:
    """A suite as a Langfuse evaluator: keys of `input` and `metadata` are columns, `expected_output` is the expected answer."""

    __name__ = "suite"

    def __init__(self, suite: AnySuite, *, columns: Places | None = None, overall: str | None = None) -> None:
        """`columns` are places such as `input.shop` or `metadata.gold`. Raises Problems with all that is wrong with the suite."""
        self.suite = scorer_of(suite, columns, overall)

    def __call__(
        self, *, input: Any, output: Any, expected_output: Any = None, metadata: Any = None, **more: Any
    ) -> list[Evaluation]:
        """Scores one item of an experiment: an evaluation for each score. The row counts in the metrics of `suite`."""
        own = {"input": input, "output": output, "expected_output": expected_output, "metadata": metadata, **more}
        scores = self.suite.score(HostRow(own, output, expected_output, input, more=[metadata]))
        return [_evaluation(score) for score in scores.every_score]

    def metrics(self, *, item_results: Any = (), **more: Any) -> list[Evaluation]:
        """Our own metrics of all rows that were scored, by the names of trackers: for the run as a whole."""
        return [Evaluation(name=name, value=value) for name, value in self.suite.summary_metrics().items()]

    figures = metrics
    """The name that it had before."""


def _evaluation(view: FieldView) -> Evaluation:
    """A score as an evaluation; one that is not there is a category `NAME/error` or `NAME/status`, with the reason as its comment."""
    if view.score is not None:
        return Evaluation(name=view.name, value=view.score, comment=view.reason, metadata={**view.metadata})
    kind = "error" if view.error is not None else "status"
    return Evaluation(
        name=f"{view.name}/{kind}", value=view.status.word, comment=view.error or view.reason, metadata={**view.metadata},
        data_type="CATEGORICAL",
    )  # fmt: skip
