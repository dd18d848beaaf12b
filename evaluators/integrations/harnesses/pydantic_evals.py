"""pydantic-evals: evaluators for a `Dataset`.

    dataset = Dataset(name="invoices", cases=cases, evaluators=suite_evaluators("suite.yaml"))
    report = dataset.evaluate_sync(task)

There is one evaluator for the overall score and one for each evaluator of the suite. Each gives a score and an assertion (whether it
passed), and a score for each field. One that cannot measure a row is a failure there, and the others have their scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evaluators.integrations.harnesses._host_rows import HostRow, Places, needs
from evaluators.integrations.harnesses._scorer import AnySuite, SuiteScorer, scorer_of
from evaluators.model.rows import MISSING
from evaluators.runs.overall import OVERALL

with needs("pydantic_evals", "pydantic-evals"):
    from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext


@dataclass(repr=False)
class SuiteEvaluator(Evaluator):
    """One part of a suite: `expected_output` is the expected answer, keys of the inputs and of the metadata are columns.

    With a file as `suite` it can be written into a dataset file, and read with `custom_evaluator_types=[SuiteEvaluator]`.
    """

    suite: Any
    """The suite: a file, a Suite, or a SuiteScorer that several of these share."""
    part: str = OVERALL
    """The overall score, or an evaluator by its name."""
    columns: Mapping[str, Any] | None = None
    """Where a column is: places such as `inputs.shop` or `metadata.gold`."""

    @cached_property
    def scorer(self) -> SuiteScorer:
        """The scorer behind this one, which has our own metrics of the rows that were scored; it is made at the first use. Raises Problems
        with all that is wrong with the suite."""
        scorer = scorer_of(self.suite, self.columns)
        scorer.register_part(self.part)
        return scorer

    def evaluate(self, ctx: EvaluatorContext) -> dict[str, Any]:
        """The scores of one case by their names, with their reasons: that of the evaluator, whether it passed, and those of its fields.
        What has no score has its status under `NAME/status`. Raises RowError when something other than the output kept it from being
        measured."""
        own = {"name": ctx.name, "inputs": ctx.inputs, "output": ctx.output, "metadata": ctx.metadata}
        own["expected_output"] = ctx.expected_output
        row_id = ctx.name if ctx.name is not None else MISSING
        row = HostRow(own, ctx.output, ctx.expected_output, ctx.inputs, row_id, [ctx.metadata])
        values: dict[str, Any] = {}
        for score in self.scorer.score_part(self.part, row):
            reason = score.reason
            if score.score is None:
                values[f"{score.name}/status"] = EvaluationReason(score.status.word, reason)
                continue
            values[score.name] = EvaluationReason(score.score, reason)
            if score.path is None and score.passed is not None:
                values[f"{score.name}/passed"] = EvaluationReason(score.passed, reason)
        return values

    def get_default_evaluation_name(self) -> str:
        """The name that failures are reported under."""
        return self.part


def suite_evaluators(
    suite: AnySuite, *, columns: Places | None = None, overall: str | None = None
) -> list[SuiteEvaluator]:
    """The overall score and every evaluator of a suite. They share one `scorer`, and a case is scored once. `columns` says where in a case
    a column of the suite is, and `overall` names the evaluator that is the overall score. Raises Problems with all that is wrong with the
    suite."""
    scorer = scorer_of(suite, columns, overall)
    evaluators = [SuiteEvaluator(scorer, part) for part in scorer.parts]
    for evaluator in evaluators:
        scorer.register_part(evaluator.part)
    return evaluators
