"""A suite inside Inspect, with recorded outputs."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.solver import solver

from evaluators.integrations.harnesses import SuiteScorer
from evaluators.integrations.harnesses.inspect_ai import suite_scorer
from tests.hosts.table import SUITE, Aggregate, Figures, Found, assert_same_figures, assert_same_rows
from tests.hosts.table.rows import answers, inputs_of, metrics_without, table_rows

ANSWERS = answers()


@solver
def replay(fails: str = "") -> Any:
    async def solve(state: Any, generate: Any) -> Any:
        if state.sample_id == fails:
            raise ValueError("no answer")
        state.output = ModelOutput.from_content("none", ANSWERS[state.input_text])
        return state

    return solve


def run(folder: Path, scorer: Any, fails: str = "") -> Any:
    samples = [
        Sample(id=row["id"], input=row["question"], target=row["expected"], metadata=inputs_of(row))
        for row in table_rows()
    ]
    task = Task(dataset=MemoryDataset(samples), solver=replay(fails), scorer=scorer, fail_on_error=False)
    (log,) = eval(task, model=None, log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return log


@pytest.fixture
def suite() -> SuiteScorer:
    return SuiteScorer(SUITE)


def test_every_sample_and_every_metric_is_ours(suite: SuiteScorer, ours: Figures, tmp_path: Path) -> None:
    log = run(tmp_path, suite_scorer(suite))
    found = {}
    for sample in log.samples:
        (score,) = sample.scores.values()
        errors = score.metadata["errors"]
        found[sample.id] = {
            name: Found(None if isnan(score.value[name]) else score.value[name], name in errors)
            for name in ours.evaluators
        }
    assert_same_rows(found, ours)
    metrics = {one.name: one.metrics["mean"].value for one in log.results.scores}
    assert_same_figures({name: Aggregate(metrics[name]) for name in ours.evaluators}, ours)
    assert metrics["header/field/number"] == pytest.approx(ours.metrics["evaluator/header/field/number/accuracy"])
    assert suite.metrics() == ours.metrics


def test_a_row_that_fails_inside_the_host_is_not_among_our_rows(suite: SuiteScorer, tmp_path: Path) -> None:
    log = run(tmp_path, suite_scorer(suite), fails="wrong")
    assert [sample.id for sample in log.samples if sample.error is not None] == ["wrong"]
    assert suite.metrics() == metrics_without({"wrong"}, tmp_path)
