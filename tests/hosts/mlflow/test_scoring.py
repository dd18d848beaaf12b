"""A suite scores inside MLflow, against a real server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mlflow
import pandas
import pytest

from evaluators.integrations.harnesses.mlflow import SuiteFeedback, table_metrics
from tests.hosts.table import SUITE, Aggregate, Figures, Found, assert_same_figures, assert_same_rows, figures
from tests.hosts.table.rows import answers, inputs_of, table_rows

ANSWERS = answers()


@pytest.fixture(autouse=True)
def experiment(mlflow_store: str, request: pytest.FixtureRequest) -> Any:
    mlflow.set_tracking_uri(mlflow_store)
    return mlflow.set_experiment(request.node.name)


def read_back(experiment: Any) -> dict[str, dict[str, Any]]:
    """The feedback of each row by name, as the server has it."""
    traces = mlflow.search_traces(locations=[experiment.experiment_id], return_type="list")
    found = {}
    for trace in traces:
        (span,) = [span for span in trace.data.spans if span.parent_id is None]
        feedback = {one.name: one for one in trace.info.assessments if hasattr(one, "feedback") and one.feedback}
        inputs = span.inputs.get("inputs", span.inputs)
        found[inputs["id"]] = feedback
    return found


def test_every_row_and_every_mean_is_ours(experiment: Any, ours: Figures) -> None:
    scores = SuiteFeedback(SUITE)
    data = [
        {"inputs": inputs_of(row), "outputs": row["output"], "expectations": {"expected_response": row["expected"]}}
        for row in table_rows()
    ]
    result = mlflow.genai.evaluate(data=data, scorers=[scores])
    read = read_back(experiment)
    found = {
        id: {name: Found(row[name].value, row[name].error is not None) for name in ours.evaluators}
        for id, row in read.items()
    }
    assert_same_rows(found, ours)
    assert read["skipped"]["header"].metadata["label"] == "skipped"
    assert read["wrong"]["header/field/number"].rationale == '"A-7" differs from "A-2"'
    assert_same_figures({name: Aggregate(result.metrics[f"{name}/mean"]) for name in ours.evaluators}, ours)
    assert scores.suite.metrics() == ours.metrics
    assert scores.suite.main_metrics() == ours.main


def test_a_run_of_mlflow_and_a_run_that_is_sent_stand_in_one_table(
    experiment: Any, mlflow_store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", experiment.name)
    ours = figures(tmp_path, "--track", "mlflow")
    scores = SuiteFeedback(SUITE)
    data = [
        {"inputs": inputs_of(row), "outputs": row["output"], "expectations": {"expected_response": row["expected"]}}
        for row in table_rows()
    ]
    for _ in range(2):  # a scorer that is used again counts the rows of each evaluation
        mlflow.genai.evaluate(data=data, scorers=[scores])
    pass_rate = next(each for each in scores.aggregations if getattr(each, "__name__", "") == "pass_rate")
    assert pass_rate([]) is None  # an evaluation without a score has none of earlier rows
    runs = mlflow.MlflowClient(mlflow_store).search_runs([experiment.experiment_id])
    assert len(runs) == 3
    shared = {name: pytest.approx(value) for name, value in ours.main.items() if name != "gates/failed"}
    assert {"overall/mean", "overall/pass_rate", "overall/scored", "whole/mean"} <= {*shared}
    for run in runs:
        assert {name: run.data.metrics[name] for name in shared} == shared
        assert run.data.tags["mlflow.runType"] == "genai_evaluate"  # what the page of evaluation runs goes by
        assert len(mlflow.search_traces(locations=[experiment.experiment_id], run_id=run.info.run_id)) == len(data)


def test_a_row_whose_model_failed_counts_as_one_without_an_output(experiment: Any) -> None:
    scores = SuiteFeedback(SUITE)

    def predict(question: str, id: str, kind: str, supplier: str) -> str:
        if id == "wrong":
            raise ValueError("no answer")
        return ANSWERS[question]

    data = [{"inputs": inputs_of(row), "expectations": {"expected_response": row["expected"]}} for row in table_rows()]
    mlflow.genai.evaluate(data=data, scorers=[scores], predict_fn=predict)
    figures = scores.suite.metrics()
    assert figures["run/rows"] == len(data)  # MLflow scores such a row, without an output
    assert figures["evaluator/header/unreadable"] + figures["evaluator/header/blocked"] == 3
    assert figures["header/mean"] == pytest.approx((1 + 0 + 1 / 2 + 0 + 0 + 7 / 8) / 6)


def test_a_table_has_our_scores_and_our_aggregates(experiment: Any, ours: Figures) -> None:
    frame = pandas.DataFrame(table_rows())
    with mlflow.start_run():
        result = mlflow.models.evaluate(
            data=frame, predictions="output", targets="expected", extra_metrics=table_metrics(SUITE)
        )
    table = result.tables["eval_results_table"]
    found = {}
    for _, row in table.iterrows():
        scores = {name: row[f"{name}/score"] for name in ours.evaluators}
        mine = ours.rows[row["id"]]
        found[row["id"]] = {
            name: Found(None if pandas.isna(score) else score, mine[name].error) for name, score in scores.items()
        }
    assert_same_rows(found, ours)
    aggregates = {
        name: Aggregate(
            result.metrics[f"{name}/mean"], result.metrics[f"{name}/pass_rate"], int(result.metrics[f"{name}/scored"])
        )
        for name in ours.evaluators
    }
    assert_same_figures(aggregates, ours)
    accuracy = ours.metrics["evaluator/header/field/items.each.price/accuracy"]
    assert result.metrics["header.field.items.each.price/accuracy"] == pytest.approx(accuracy)
