"""A suite inside Opik, without its server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluators.integrations.harnesses.opik import SuiteMetric
from tests.hosts.table import (
    SUITE,
    Aggregate,
    Figures,
    Found,
    assert_same_figures,
    assert_same_rows,
    figures,
)  # fmt: skip
from tests.hosts.table.rows import answers, inputs_of, table_rows

ANSWERS = answers()


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is sent anywhere."""
    monkeypatch.setenv("OPIK_URL_OVERRIDE", "http://127.0.0.1:9/api")
    monkeypatch.setenv("OPIK_ANALYTICS_ENABLE", "false")
    monkeypatch.setenv("OPIK_TRACK_DISABLE", "true")


def items() -> list[dict[str, Any]]:
    """The rows; Opik has an id of its own for each."""
    return [
        {**{name: cell for name, cell in inputs_of(row).items() if name != "id"}, "row": row["id"], "expected": row["expected"]}
        for row in table_rows()
    ]  # fmt: skip


@pytest.mark.usefixtures("alone")
def test_every_item_and_every_mean_is_ours(tmp_path: Path) -> None:
    from opik.evaluation import evaluate_on_dict_items

    ours: Figures = figures(tmp_path)
    metric = SuiteMetric(SUITE, columns={"id": "row"}, track=False)
    result: Any = evaluate_on_dict_items(
        items=items(), task=lambda item: {"output": ANSWERS[item["question"]]}, scoring_metrics=[metric]
    )
    found = {}
    for one in result.test_results:
        said = {score.name: score for score in one.score_results}
        found[one.test_case.dataset_item_content["row"]] = {
            name: Found(None if said[name].scoring_failed else said[name].value, said[name].scoring_failed)
            for name in ours.evaluators
            if name in said
        }
    assert_same_rows(found, ours)
    means = result.aggregate_evaluation_scores()
    assert_same_figures({name: Aggregate(means[name].mean) for name in ours.evaluators}, ours)
    assert metric.suite.metrics() == ours.metrics
