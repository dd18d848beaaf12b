"""A suite inside Weave, offline."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from evaluators.integrations.harnesses.weave import SuiteScores
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

weave = pytest.importorskip("weave")
ANSWERS = answers()


@pytest.fixture
def evaluation(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, SuiteScores]:
    monkeypatch.setenv("WEAVE_DISABLED", "true")
    scores = SuiteScores(suite=str(SUITE))
    dataset = [{**inputs_of(row), "expected": row["expected"]} for row in table_rows()]
    return weave.Evaluation(dataset=dataset, scorers=[scores]), scores


@weave.op
def model(question: str) -> str:
    return ANSWERS[question]


def test_every_row_is_ours(evaluation: tuple[Any, SuiteScores], tmp_path: Any) -> None:
    ours = figures(tmp_path)
    results = asyncio.run(evaluation[0].get_eval_results(model))
    found = {}
    for row, result in zip(table_rows(), results.rows, strict=True):
        (scores,) = result["scores"].values()
        found[row["id"]] = {name: Found(scores[name].get("score"), "error" in scores[name]) for name in ours.evaluators}
        for path, status in ours.rows[row["id"]]["header"].fields.items():
            if path == "number":
                assert scores["header"]["field"]["number"]["status"] == status
    assert_same_rows(found, ours)
    assert evaluation[1].shared.metrics() == ours.metrics


def test_its_means_are_ours(evaluation: tuple[Any, SuiteScores], tmp_path: Any) -> None:
    ours: Figures = figures(tmp_path)
    (summary,) = [one for name, one in asyncio.run(evaluation[0].evaluate(model)).items() if name == "SuiteScores"]
    said = {
        name: Aggregate(summary[name]["score"]["mean"], summary[name]["passed"]["true_fraction"])
        for name in ours.evaluators
    }
    assert_same_figures(said, ours)
