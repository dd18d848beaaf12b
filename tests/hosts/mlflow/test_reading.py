"""Outputs that live on a real MLflow server are scored like those of a file, and scores go back to them."""

from __future__ import annotations

import csv
import json
import socket
from pathlib import Path
from typing import Any

import mlflow
import pytest
from mlflow.entities import AssessmentSource

from tests.hosts.table import ROWS, SUITE, Figures, Found, assert_same_rows, figures
from tests.kit import cli, lines_of


@pytest.fixture
def client(mlflow_store: str) -> Any:
    return mlflow.MlflowClient(mlflow_store)


def suite_on(folder: Path, test_set: str, tracking: str = "") -> Path:
    text = SUITE.read_text(encoding="utf-8").replace("test_set:\n  file: rows.csv\n", f"test_set: {test_set}\n")
    (folder / "suite.yaml").write_text(f"{text}\n{tracking}\n", encoding="utf-8")
    return folder / "suite.yaml"


def run_id(ours: Figures) -> str:
    return str(json.loads((ours.folder / "links.json").read_text(encoding="utf-8"))[0]["run_id"])


def assert_scored_alike(ours: Figures, again: Figures) -> None:
    assert_same_rows(
        {id: {name: Found(one.score, one.error) for name, one in row.items()} for id, row in again.rows.items()}, ours
    )
    assert {name: value for name, value in again.metrics.items() if "/evaluator/" in name} == {
        name: value for name, value in ours.metrics.items() if "/evaluator/" in name
    }


def test_the_table_of_a_run_is_scored(mlflow_store: str, tmp_path: Path) -> None:
    ours = figures(tmp_path, "--track", "mlflow")
    suite = suite_on(tmp_path, f"{{mlflow: {{run: {run_id(ours)}}}}}")
    again = figures(tmp_path, suite=suite, name="again")
    assert again.run["test_set"] == f"MLflow run {run_id(ours)}"
    assert_scored_alike(ours, again)
    twice = figures(tmp_path, suite=suite, name="twice")
    assert (twice.folder / "run.json").read_bytes() == (again.folder / "run.json").read_bytes()


@pytest.fixture
def answered(client: Any, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> dict[str, str]:
    """Traces of an application that answered the rows of the table, with what somebody expected of them: trace ids by row."""
    experiment = client.create_experiment(request.node.name)
    monkeypatch.setattr("mlflow.tracking._tracking_service.utils._tracking_uri", None)
    found = {}
    with open(ROWS, encoding="utf-8", newline="") as stream:
        for line in csv.DictReader(stream):
            given = {"question": line["question"]}
            tags = {"kind": line["kind"], "supplier": line["supplier"], "row": line["id"]}
            span = client.start_trace("answer", inputs=given, tags=tags, experiment_id=experiment)
            client.end_trace(span.trace_id, outputs=line["output"])
            found[line["id"]] = span.trace_id, line["expected"]
    mlflow.flush_trace_async_logging()
    for trace_id, expected in found.values():
        mlflow.log_expectation(
            trace_id=trace_id, name="expected_response", value=expected, source=AssessmentSource("HUMAN", "an editor")
        )
    return {id: trace_id for id, (trace_id, _) in found.items()}


def test_traces_are_scored_and_get_the_scores(
    client: Any, answered: dict[str, str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    ours = figures(tmp_path)
    suite = suite_on(
        tmp_path,
        f"{{mlflow: {{traces: {request.node.name}}}}}",
        "tracking: [{mlflow: {trace_column: trace_id, experiment: scores}}]",
    )
    text = (
        suite.read_text(encoding="utf-8")
        .replace("row.kind", "row.tags.kind")
        .replace("row.supplier", "row.tags.supplier")
    )
    suite.write_text(text, encoding="utf-8")
    again = figures(tmp_path, suite=suite, name="again")
    rows = {id: again.rows[trace_id] for id, trace_id in answered.items()}
    assert len(again.rows) == len(rows)
    assert_same_rows(
        {id: {name: Found(one.score, one.error) for name, one in row.items()} for id, row in rows.items()}, ours
    )
    for _ in range(2):
        found = {}
        for id, trace_id in answered.items():
            scores = [one for one in client.get_trace(trace_id).info.assessments if one.name != "expected_response"]
            found[id] = {one.name: Found(one.value, one.error is not None) for one in scores}
            assert len(found[id]) == len(scores)
        assert_same_rows(found, ours)
        assert cli("track", str(again.folder), "--to", "mlflow").exit_code == 0


def test_some_traces_are_chosen(
    client: Any, answered: dict[str, str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    name = request.node.name
    uri = f"uri: '{client.tracking_uri}'"

    def ids(options: str) -> list[str]:
        (tmp_path / "s.yaml").write_text(
            f"test_set: {{mlflow: {{traces: {name}, {uri}, {options}}}}}\nevaluators: [exact_match]\n", encoding="utf-8"
        )
        ended = cli("run", str(tmp_path / "s.yaml"), "--results", str(tmp_path), "--name", "x", "--force")
        assert ended.exit_code in (0, 3), ended.output
        return [line["id"] for line in lines_of(tmp_path / "x", "rows")]

    every = list(answered.values())
    assert ids("limit: 2") == every[-2:]
    assert ids("filter: \"tags.kind = 'letter'\"") == [answered["skipped"]]


@pytest.mark.parametrize(
    ("test_set", "code", "said"),
    [
        ("{mlflow: {}}", 2, 'a "run" or "traces" must be named'),
        ("{mlflow: {run: x, limit: 3}}", 2, '"filter" and "limit" belong to "traces"'),
        ("{mlflow: {run: x}, file: rows.csv}", 2, 'the rows are named twice: "file" and "mlflow"'),
        ("{mlflow: {traces: nothing of that name}}", 2, 'MLflow has no experiment "nothing of that name"'),
        ("{mlflow: {run: no-such-run}}", 3, "the rows could not be read from mlflow"),
    ],
)
def test_what_cannot_be_read_is_said(mlflow_store: str, tmp_path: Path, test_set: str, code: int, said: str) -> None:
    ended = cli("run", str(suite_on(tmp_path, test_set)), "--no-results")
    assert ended.exit_code == code, ended.output
    assert said in ended.stderr


def test_a_server_that_is_away_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
        uri = f"http://127.0.0.1:{taken.getsockname()[1]}"
        suite = suite_on(tmp_path, f"{{mlflow: {{run: x, uri: '{uri}'}}}}")
        ended = cli("run", str(suite), "--no-results")
    assert ended.exit_code == 3
    assert "the rows could not be read from mlflow" in ended.stderr
