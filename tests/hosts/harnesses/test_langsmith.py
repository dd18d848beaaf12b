"""A suite inside LangSmith, offline."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from langsmith import Client, evaluate
from langsmith.schemas import Example

from evaluators.integrations.harnesses.langsmith import SuiteResults
from tests.hosts.table import SUITE, Figures, Found, assert_same_rows
from tests.hosts.table.rows import answers, inputs_of, table_rows

ANSWERS = answers()


@pytest.mark.filterwarnings("ignore")
def test_every_run_is_ours(ours: Figures) -> None:
    scores = SuiteResults(SUITE)
    dataset = uuid.uuid4()
    examples = [
        Example(id=uuid.uuid4(), inputs=inputs_of(row), outputs={"expected": row["expected"]}, dataset_id=dataset)
        for row in table_rows()
    ]
    results: Any = evaluate(
        lambda inputs: {"output": ANSWERS[inputs["question"]]}, data=examples, evaluators=[scores],
        summary_evaluators=[scores.summary], upload_results=False,
        client=Client(api_url="http://127.0.0.1:9", api_key="none", auto_batch_tracing=False),
    )  # fmt: skip
    found = {}
    for one in results:
        said = {each.key: each for each in one["evaluation_results"]["results"]}
        found[one["example"].inputs["id"]] = {
            name: Found(said[name].score, bool((said[name].extra or {}).get("error"))) for name in ours.evaluators
        }
    assert_same_rows(found, ours)
    summary = {each.key: each.score for each in results._summary_results["results"]}
    assert summary["header/mean"] == pytest.approx(ours.metrics["header/mean"])
    assert summary["evaluator/header/rows/scored"] == 6
    assert scores.suite.metrics() == ours.metrics
