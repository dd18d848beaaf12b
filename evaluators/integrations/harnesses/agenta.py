"""Agenta: a suite as the function behind an evaluator of its SDK.

    @ag.evaluator(slug="invoices")
    async def invoices(inputs, outputs):
        return handler(inputs, outputs)

with `handler = suite_handler("suite.yaml")`. Its webhook evaluator needs no code: `evaluators serve suite.yaml` answers it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evaluators.integrations.harnesses._host_rows import HostRow, Places
from evaluators.integrations.harnesses._row_scores import RowError
from evaluators.integrations.harnesses._scorer import AnySuite, scorer_of


def suite_handler(
    suite: AnySuite, *, columns: Places | None = None, overall: str | None = None
) -> Callable[[Mapping[str, Any], Any], dict[str, Any]]:
    """A function of a test case's columns and an output: `{"score": 0.5, "success": false, "header": 0.5, "header.city": 0, …}`.
    `columns` says where a column of the suite is in these, and `overall` names the evaluator that is the overall score.

    It raises RowError when something other than the output kept the overall score from being measured, which Agenta shows as an
    error. Raises Problems with all that is wrong with the suite.
    """
    scorer = scorer_of(suite, columns, overall)

    def handler(inputs: Mapping[str, Any], outputs: Any) -> dict[str, Any]:
        """The scores of a row by their names, with `score` and `success` for all together. Raises RowError where it could not be
        measured."""
        scores = scorer.score(HostRow({"inputs": inputs, "outputs": outputs}, outputs, more=[inputs]))
        if scores.overall.error is not None:
            raise RowError(scores.overall.error)
        numbers = {
            f"{score.evaluator}.{score.path}" if score.path else str(score.evaluator): score.score
            for score in scores.evaluators
        }
        return {**numbers, "score": scores.overall.score, "success": scores.overall.passed}

    return handler
