"""What the guide says of MLflow is what happens."""

from __future__ import annotations

from pathlib import Path

import mlflow

from tests.hosts.guide import run_shell


def test_the_commands_of_the_guide(mlflow_store: str, tmp_path: Path) -> None:
    said = run_shell("mlflow.md", tmp_path, "MLFLOW_TRACKING_URI", mlflow_store)
    assert said.count(f"sent to mlflow: {mlflow_store}/#/experiments/") == 2
    client = mlflow.MlflowClient(mlflow_store)
    experiment = client.get_experiment_by_name("extraction").experiment_id
    (run,) = client.search_runs([experiment])
    assert (run.info.run_name, run.data.metrics["header/mean"]) == ("nightly", 1 / 3)
    assert run.data.tags["evaluators.gate/header/mean"].startswith("passed")
    assert len(client.search_traces(locations=[experiment], run_id=run.info.run_id)) == 3
