"""A suite scores inside Phoenix, against a real server."""

from __future__ import annotations

import json
import urllib.request
from typing import Any

import pytest
from phoenix.client import Client

from evaluators.integrations.harnesses.phoenix import suite_evaluators
from tests.hosts.table import SUITE, Figures, Found, assert_same_rows
from tests.hosts.table.rows import answers, inputs_of, table_rows

ANSWERS = answers()


@pytest.fixture
def client(phoenix_store: str) -> Any:
    return Client(base_url=phoenix_store)


def run(client: Any, address: str, scores: Any, name: str, fails: str = "") -> dict[str, dict[str, Any]]:
    """The evaluations by row and name, read back from the server."""

    def task(input: Any) -> str:
        if input["id"] == fails:
            raise ValueError("no answer")
        return ANSWERS[input["question"]]

    examples = [
        {"input": inputs_of(row), "output": {"expected": row["expected"]}, "metadata": {}} for row in table_rows()
    ]
    dataset = client.datasets.create_dataset(name=name, examples=examples)
    ran = client.experiments.run_experiment(dataset=dataset, task=task, evaluators=scores.evaluators, print_summary=False)
    with urllib.request.urlopen(f"{address}/v1/experiments/{ran['experiment_id']}/json", timeout=30) as answer:
        rows = json.load(answer)
    return {row["input"]["id"]: {one["name"]: one for one in row["annotations"]} for row in rows}


def test_every_row_is_ours(client: Any, phoenix_store: str, ours: Figures) -> None:
    scores = suite_evaluators(SUITE)
    read = run(client, phoenix_store, scores, "a suite is its evaluators")
    found = {
        id: {name: Found(row[name]["score"], row[name]["error"] is not None) for name in ours.evaluators}
        for id, row in read.items()
    }
    assert_same_rows(found, ours)
    assert read["wrong"]["header/field/number"]["label"] == "mismatch"
    assert read["skipped"]["header"]["label"] == "skipped"
    assert scores.suite.metrics() == ours.metrics


def test_a_row_whose_task_failed_counts_as_one_without_an_output(client: Any, phoenix_store: str) -> None:
    scores = suite_evaluators(SUITE)
    run(client, phoenix_store, scores, "a task fails", fails="wrong")
    figures = scores.suite.metrics()
    assert figures["run/rows"] == len(table_rows())
    assert figures["header/mean"] == pytest.approx((1 + 0 + 1 / 2 + 0 + 0 + 7 / 8) / 6)
