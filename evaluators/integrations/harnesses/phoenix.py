"""Arize Phoenix: evaluators for `experiments.run_experiment`, from the client alone.

    scores = suite_evaluators("suite.yaml")
    client.experiments.run_experiment(dataset=dataset, task=task, evaluators=scores.evaluators)
    scores.suite.metrics()

There is one evaluator for the overall score and one for each evaluator of the suite, which also gives the scores of its fields. One that
cannot measure a row has an error there, and the others have their scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from evaluators.integrations.harnesses._host_rows import HostRow, Places, needs
from evaluators.integrations.harnesses._scorer import AnySuite, SuiteScorer, scorer_of
from evaluators.reports.names import segment
from evaluators.reports.rows import FieldView

with needs("phoenix", "arize-phoenix-client"):
    from phoenix.client.experiments import create_evaluator


class SuiteEvaluators(Struct, frozen=True):
    """A suite as Phoenix evaluators."""

    suite: SuiteScorer
    """Our own metrics of the rows that were scored."""
    evaluators: Mapping[str, Any]
    """The evaluators by name, as `run_experiment` takes them."""


def suite_evaluators(suite: AnySuite, *, columns: Places | None = None, overall: str | None = None) -> SuiteEvaluators:
    """A suite as Phoenix evaluators: `expected` is the expected answer, keys of `input` and `metadata` are columns.

    `columns` are places such as `input.shop` or `metadata.gold`. Raises Problems with all that is wrong with the suite.
    """
    scorer = scorer_of(suite, columns, overall)
    named = {segment(part): _evaluator(scorer, part) for part in scorer.parts}
    return SuiteEvaluators(scorer, named)


def _evaluator(scorer: SuiteScorer, part: str) -> Any:
    """The evaluator of Phoenix for one evaluator of the suite, or for the overall score. It gives the score of that part, then the
    scores of its fields."""
    part_name = scorer.register_part(part)

    def scores(input: Any, output: Any, expected: Any, metadata: Any) -> list[dict[str, Any]]:
        """The score of the part and those of its fields. Raises RowError where the row could not be measured."""
        own = {"input": input, "output": output, "expected": expected, "metadata": metadata}
        scores = scorer.score_part(part_name, HostRow(own, output, expected, input, more=[metadata]))
        return [_evaluation(score) for score in scores]

    made: Callable[..., Any] = create_evaluator(kind="CODE", name=segment(part))
    return made(scores)


def _evaluation(view: FieldView) -> dict[str, Any]:
    """A score in Phoenix's words. One that is not there is left out: no number stands for it."""
    record = {
        "score": view.score,
        "label": view.label,
        "explanation": view.error or view.reason,
        "metadata": {**view.metadata},
    }
    return {"name": view.name, **{key: value for key, value in record.items() if value is not None}}
