"""LangSmith: an evaluator for `langsmith.evaluate`, and one for the experiment as a whole.

    scores = SuiteResults("suite.yaml")
    evaluate(target, data="invoices", evaluators=[scores], summary_evaluators=[scores.summary])

Each score is a feedback under its name. One that could not be measured has no score, and is marked as an error with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluators.integrations.harnesses._host_rows import HostRow, Places
from evaluators.integrations.harnesses._scorer import AnySuite, scorer_of
from evaluators.reports.rows import FieldView


class SuiteResults:
    """A suite as a LangSmith evaluator: keys of `inputs` are columns, `reference_outputs` is the expected answer."""

    __name__ = "suite"

    def __init__(self, suite: AnySuite, *, columns: Places | None = None, overall: str | None = None) -> None:
        """`columns` are places such as `inputs.shop` or `reference_outputs.gold`. Raises Problems with all that is wrong with the
        suite."""
        self.suite = scorer_of(suite, columns, overall)

    def __call__(self, inputs: Any, outputs: Any, reference_outputs: Any) -> dict[str, Any]:
        """Scores one run of an experiment: a feedback for each score. The row counts in the metrics of `suite`."""
        own = {"inputs": inputs, "outputs": outputs, "reference_outputs": reference_outputs}
        scores = self.suite.score(HostRow(own, outputs, reference_outputs, inputs))
        return {"results": [_result(score) for score in scores.every_score]}

    def summary(self, runs: Any, examples: Any) -> dict[str, Any]:
        """Our own metrics of all rows that were scored, by the names of trackers: for the experiment as a whole."""
        return {"results": [{"key": name, "score": value} for name, value in self.suite.summary_metrics().items()]}


def _result(view: FieldView) -> Mapping[str, Any]:
    """A score as a feedback; one that could not be measured has no score, and is marked as an error."""
    error = {"extra": {"error": True}} if view.error is not None else {}
    return {
        "key": view.name, "score": view.score, "value": view.label, "comment": view.error or view.reason,
        "metadata": {**view.metadata}, **error,
    }  # fmt: skip
