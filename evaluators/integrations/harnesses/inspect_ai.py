"""Inspect: a scorer for a `Task`, with a metric for each score.

    suite = SuiteScorer("suite.yaml")
    task = Task(dataset=dataset, solver=solver, scorer=suite_scorer(suite))
    eval(task, model="…")
    suite.metrics()

The value of a sample has every score by its name, fields of open documents apart: Inspect wants the same names in every sample. A
score that is not there is NaN, which Inspect's metrics leave out, and `metadata` says why: `status` for all of them, `errors` for what
could not be measured.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from math import nan
from typing import Any

from evaluators.integrations.harnesses._host_rows import HostRow, Places, needs
from evaluators.integrations.harnesses._row_scores import RowScores, names_of
from evaluators.integrations.harnesses._scorer import AnySuite, scorer_of
from evaluators.model.rows import MISSING

with needs("inspect_ai", "inspect-ai"):
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState


@scorer(metrics={"*": [mean(), stderr()]}, name="suite")
def suite_scorer(suite: AnySuite, *, columns: Places | None = None, overall: str | None = None) -> Scorer:
    """A suite as a scorer: the target is the expected answer, keys of the metadata are columns, the completion is the output.

    `columns` are places such as `metadata.shop`, by the columns of the suite; `overall` names the evaluator that is the overall score.
    Raises Problems with all that is wrong with the suite.
    """
    shared = scorer_of(suite, columns, overall)

    async def score(state: TaskState, target: Target) -> Score:
        """The scores of a sample, by what Inspect knows of it and of the answer."""
        own = {"input": state.input, "output": state.output.completion, "target": target.text, "metadata": state.metadata}
        sample = state.sample_id if state.sample_id is not None else MISSING
        row = HostRow(own, own["output"], own["target"], own["input"], sample, [state.metadata])
        return _score(shared.score(row), names_of(shared.suite.lines, shared.fields), state.output.completion)

    scorer: Callable[[TaskState, Target], Awaitable[Any]] = score
    return scorer


def _score(scores: RowScores, names: Sequence[str], answer: str) -> Score:
    """The scores of a row as Inspect takes them: a value for each of the names, NaN where there is no score, and why in the metadata.
    `answer` is the output, which Inspect shows beside them."""
    every = scores.every_score
    numbers = {score.name: score.score for score in every if score.score is not None}
    errors = {score.name: score.error for score in every if score.error is not None}
    return Score(
        value={name: numbers.get(name, nan) for name in names},
        answer=answer,
        explanation=scores.overall.error or scores.overall.reason,
        metadata={"status": {score.name: score.status.word for score in every}, "errors": errors},
    )
