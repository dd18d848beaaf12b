"""A suite inside Langfuse, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langfuse import Langfuse

from evaluators.integrations.harnesses.langfuse import SuiteEvaluations
from tests.hosts.table import SUITE, Figures, Found, assert_same_rows
from tests.hosts.table.rows import answers, inputs_of, metrics_without, table_rows

ANSWERS = answers()


def run(scores: SuiteEvaluations, fails: str = "") -> Any:
    def task(*, item: Any, **_: Any) -> str:
        if item["input"]["id"] == fails:
            raise ValueError("no answer")
        return ANSWERS[item["input"]["question"]]

    client = Langfuse(tracing_enabled=False, public_key="none", secret_key="none", host="http://127.0.0.1:9")
    data = [{"input": inputs_of(row), "expected_output": row["expected"]} for row in table_rows()]
    return client.run_experiment(name="table", data=data, task=task, evaluators=[scores], run_evaluators=[scores.metrics])


def test_every_item_is_ours(ours: Figures) -> None:
    scores = SuiteEvaluations(SUITE)
    result = run(scores)
    found = {}
    for item in result.item_results:
        said = {each.name: each.value for each in item.evaluations}
        found[item.item["input"]["id"]] = {
            name: Found(said.get(name), f"{name}/error" in said) for name in ours.evaluators
        }
    assert_same_rows(found, ours)
    figures = {each.name: each.value for each in result.run_evaluations}
    assert figures["header/mean"] == pytest.approx(ours.metrics["header/mean"])
    assert scores.suite.metrics() == ours.metrics


def test_a_row_that_fails_inside_the_host_is_not_among_our_rows(tmp_path: Path) -> None:
    scores = SuiteEvaluations(SUITE)
    run(scores, fails="wrong")
    assert scores.suite.metrics() == metrics_without({"wrong"}, tmp_path)
