"""deepeval: metrics for `evaluate` and `assert_test`.

    metrics = suite_metrics("suite.yaml")
    evaluate(test_cases, metrics, error_config=ErrorConfig(ignore_errors=True))

There is one metric for the overall score and one for each evaluator of the suite, with the scores of its fields as its breakdown. One that
cannot measure a row raises, which deepeval keeps as the metric's error when it is told to go on.
"""

from __future__ import annotations

from typing import Any

from evaluators.integrations.harnesses._host_rows import HostRow, Places, needs
from evaluators.integrations.harnesses._row_scores import RowError
from evaluators.integrations.harnesses._scorer import AnySuite, scorer_of
from evaluators.model.rows import MISSING
from evaluators.runs.overall import OVERALL

with needs("deepeval", "deepeval"):
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase


class SuiteMetric(BaseMetric):
    """One part of a suite: `actual_output` is the output, `expected_output` the expected answer, keys of the metadata are columns."""

    def __init__(
        self, suite: AnySuite, part: str = OVERALL, columns: Places | None = None, succeeds_at: float | None = None
    ) -> None:
        """`part` is an evaluator by its name, or the overall score. It succeeds when the evaluator passes, or from `succeeds_at` on where
        that is given. `columns` says where in a test case a column of the suite is.

        deepeval makes copies of a metric, and they share their suite. Raises Problems with all that is wrong with the suite.
        """
        self.suite = scorer_of(suite, columns)
        self.part = self.suite.register_part(part)
        self.columns = columns
        self.succeeds_at = succeeds_at
        lines = {line.name: line for line in self.suite.suite.lines}
        self.threshold = lines[part].settings.pass_at if part in lines else 1.0
        self.async_mode = False
        self._passed: bool | None = None

    def measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float | None:
        """Scores a test case and gives the score. deepeval reads the rest from the metric, so `score`, `reason`, `error`, `success` and
        `score_breakdown`, which has the scores of fields, are set. Raises RowError when something other than the output kept it from being
        measured."""
        self.score, self.reason, self.error = None, None, None
        metadata = getattr(test_case, "metadata", None) or {}
        own = {"input": test_case.input, "actual_output": test_case.actual_output, "metadata": metadata}
        own["expected_output"] = test_case.expected_output
        name = test_case.name if test_case.name is not None else MISSING
        row = HostRow(own, test_case.actual_output, test_case.expected_output, test_case.input, name, [metadata])
        try:
            whole, *fields = self.suite.score_part(self.part, row)
        except RowError as error:
            self.error = str(error)
            raise
        self.score, self.reason, self._passed = whole.score, whole.reason, whole.passed
        self.score_breakdown = {field.name: field.score for field in fields}
        self.success = self.is_successful()
        return whole.score

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float | None:
        """`measure`, for use inside a running event loop."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Whether the evaluator passed; a row that is left out fails nothing."""
        if self.error is not None:
            return False
        if self.succeeds_at is not None and self.score is not None:
            return self.score >= self.succeeds_at
        return self._passed is not False

    @property
    def __name__(self) -> str:
        """The name by which deepeval shows the metric."""
        return self.part


def suite_metrics(suite: AnySuite, *, columns: Places | None = None, overall: str | None = None) -> list[SuiteMetric]:
    """The overall score and every evaluator of a suite. They share one `suite`, and a test case is scored once."""
    shared = scorer_of(suite, columns, overall)
    return [SuiteMetric(shared, part) for part in shared.parts]
