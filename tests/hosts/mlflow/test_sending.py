"""A run goes to a real MLflow server, and is read back by MLflow's own client."""

from __future__ import annotations

import csv
import getpass
import json
import os
import sys
from pathlib import Path
from typing import Any

import mlflow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlflow.types.schema import Schema

from evaluators.api.execute import finish
from evaluators.api.loading import load
from evaluators.reports.names import field_name, fit_name, segment
from evaluators.reports.tracking.attachments import flat_params
from evaluators.reports.tracking.metrics import metrics_of
from evaluators.scoring.values.path_text import display
from tests.hosts.servers import refusing
from tests.hosts.table import SUITE, Aggregate, Figures, Found, assert_same_figures, assert_same_rows, figures
from tests.hosts.table.rows import table_rows
from tests.kit import cli


@pytest.fixture
def client(mlflow_store: str) -> Any:
    return mlflow.MlflowClient(mlflow_store)


def sent(ours: Figures) -> dict[str, str]:
    (link,) = json.loads((ours.folder / "links.json").read_text(encoding="utf-8"))
    return dict(link)


def in_experiment(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("MLFLOW_EXPERIMENT_NAME", name)


def test_a_run_is_there_with_our_figures(client: Any, mlflow_store: str, tmp_path: Path) -> None:
    ours = figures(tmp_path, "--track", "mlflow")
    link = sent(ours)
    run = client.get_run(link["run_id"])
    assert link["url"] == f"{mlflow_store}/#/experiments/{run.info.experiment_id}/runs/{run.info.run_id}"
    assert client.get_experiment(run.info.experiment_id).name == "table"
    assert run.info.status == "FINISHED"
    assert run.info.run_name == "table"
    assert run.data.metrics == ours.main
    assert run.data.params == flat_params(ours.record)
    shown = [name for name in ours.evaluators if f"{name}/mean" in ours.main]
    assert shown == ["short", "whole", "overall"]
    assert_same_figures({name: Aggregate(run.data.metrics[f"{name}/mean"]) for name in shown}, ours)
    assert (run.data.metrics["overall/scored"], run.data.metrics["gates/failed"]) == (7, 1)
    file = client.download_artifacts(run.info.run_id, "metrics.json", str(tmp_path))
    assert json.loads(Path(file).read_text(encoding="utf-8")).items() >= {**ours.metrics, **ours.main}.items()
    assert run.data.tags["evaluators.gate/page.number/accuracy"].startswith("failed: accuracy 0.7500 is below 0.99")
    assert run.data.tags["mlflow.note.content"].startswith("# table: FAILED")


def test_the_table_has_every_row_for_mlflows_own_reader(client: Any, tmp_path: Path) -> None:
    ours = figures(tmp_path, "--track", "mlflow")
    run = client.get_run(sent(ours)["run_id"])
    table = client.load_table(run.info.experiment_id, "rows.json", run_ids=[run.info.run_id])
    found = {
        row["id"]: {
            name: Found(
                None if row[f"{name}.score"] != row[f"{name}.score"] else row[f"{name}.score"],
                row[f"{name}.status"] in ("invalid", "unjudged"),
            )
            for name in ours.evaluators
        }
        for row in table.to_dict("records")
    }
    assert_same_rows(found, ours)
    assert {"header.items[*].price", "output", "supplier"} <= {*table.columns}
    assert [name for name in table.columns if name.startswith("slice ") or name.endswith(")")] == []


def test_the_test_set_and_the_files_are_there(client: Any, tmp_path: Path) -> None:
    ours = figures(tmp_path, "--track", "mlflow")
    run = client.get_run(sent(ours)["run_id"])
    (given,) = run.inputs.dataset_inputs
    assert given.dataset.name == "rows.csv"
    assert (
        ours.run["data_fingerprint"].endswith(given.dataset.digest)
        or given.dataset.digest in ours.run["data_fingerprint"]
    )
    assert [(tag.key, tag.value) for tag in given.tags] == [("mlflow.data.context", "evaluation")]
    columns = Schema.from_json(json.dumps(json.loads(given.dataset.schema)["mlflow_colspec"]))
    assert {"id", "question", "output", "expected"} <= {*columns.input_names()}
    files = {one.path for one in client.list_artifacts(run.info.run_id, "run")}
    assert {"run/run.json", "run/run.db", "run/report.html", "run/suite"} <= files
    assert "run/environment.json" not in files
    assert {one.path for one in client.list_artifacts(run.info.run_id, "run/suite")} == {"run/suite/suite.yaml"}
    suite = client.download_artifacts(run.info.run_id, "run/suite/suite.yaml", str(tmp_path))
    assert Path(suite).read_bytes() == SUITE.read_bytes()


def test_all_metrics_are_there_where_the_suite_asks_for_them(client: Any, tmp_path: Path) -> None:
    suite = suite_with(tmp_path, "{mlflow: {metrics: all, trace_rows: 0}}")
    ours = figures(tmp_path, suite=suite, name="all")
    run = client.get_run(sent(ours)["run_id"])
    every = {**metrics_of(ours.record.result, every=True), **ours.main}
    assert run.data.metrics == {fit_name(name, 250): value for name, value in every.items()}
    assert run.data.metrics["evaluator/header/field/items.each.price/accuracy"] == 3 / 7


def suite_with(folder: Path, tracker: str) -> Path:
    """The suite of the table with a tracker."""
    text = SUITE.read_text(encoding="utf-8").replace("file: rows.csv", f"file: {SUITE.parent / 'rows.csv'}")
    (folder / "suite.yaml").write_text(f"{text}\ntracking: [{tracker}]\n", encoding="utf-8")
    return folder / "suite.yaml"


def everything(client: Any, run_id: str) -> str:
    run = client.get_run(run_id)
    return json.dumps([run.data.metrics, run.data.params, run.data.tags, run.inputs.to_dictionary()])


def sources(client: Any, run_id: str) -> dict[str, str]:
    """What a run says of who made it and from what; its traces say the same."""
    experiment = client.get_run(run_id).info.experiment_id
    traces = client.search_traces(locations=[experiment], run_id=run_id)
    assert traces
    (said,) = {tuple(sorted(found.items())) for trace in traces if (found := _source_in(trace.info.trace_metadata))}
    assert dict(said) == _source_in(client.get_run(run_id).data.tags)
    return dict(said)


def _source_in(tags: Any) -> dict[str, str]:
    return {name: text for name, text in tags.items() if name.startswith(("mlflow.user", "mlflow.source.", "mlflow.git"))}


def test_the_machine_is_told_only_when_somebody_asks(client: Any, tmp_path: Path) -> None:
    ours = figures(tmp_path, "--track", "mlflow", "--trace-rows", "2")
    known = json.loads((ours.folder / "environment.json").read_text(encoding="utf-8"))
    assert known["folder"] not in everything(client, sent(ours)["run_id"])
    with_it = suite_with(tmp_path, "{mlflow: {environment: true, experiment: told, trace_rows: 2}}")
    told = client.get_run(sent(figures(tmp_path, suite=with_it, name="told"))["run_id"])
    assert told.data.tags["evaluators.host"] == known["host"]
    assert client.get_experiment(told.info.experiment_id).name == "told"
    quiet, loud = sources(client, sent(ours)["run_id"]), sources(client, told.info.run_id)
    assert quiet == {
        "mlflow.user": getpass.getuser(), "mlflow.source.name": "suite.yaml", "mlflow.source.type": "LOCAL",
        **({"mlflow.source.git.commit": known["commit"]} if known["commit"] else {}),
    }  # fmt: skip
    assert (loud["mlflow.user"], loud["mlflow.source.name"]) == (quiet["mlflow.user"], sys.argv[0])
    assert "run/environment.json" in {one.path for one in client.list_artifacts(told.info.run_id, "run")}


def test_each_model_is_a_run_of_its_own_below_one_of_all(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_experiment(monkeypatch, "models")
    rows = (SUITE.parent / "rows.csv").read_text(encoding="utf-8").replace(",output,", ",first,")
    lines = list(csv.DictReader(rows.splitlines(keepends=True)))
    with open(tmp_path / "rows.csv", "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [*lines[0], "second"])
        writer.writeheader()
        writer.writerows({**line, "second": line["expected"]} for line in lines)
    outputs = "rows.csv\n  outputs: {first: {column: first}, second: {column: second}}"
    text = SUITE.read_text(encoding="utf-8").replace("file: rows.csv", f"file: {outputs}")
    (tmp_path / "suite.yaml").write_text(text, encoding="utf-8")
    ours = figures(tmp_path, "--track", "mlflow", "--trace-rows", "3", suite=tmp_path / "suite.yaml")
    experiment = client.get_experiment_by_name("models").experiment_id
    for _ in range(2):
        runs = {run.info.run_name: run for run in client.search_runs([experiment])}
        assert sorted(runs) == ["table", "table (first)", "table (second)"]
        above = runs["table"]
        assert above.info.run_id == sent(ours)["run_id"]
        assert above.data.metrics == {"gates/failed": sum(one["verdict"] == "failed" for one in ours.run["gates"])}
        for model in ("first", "second"):
            one = runs[f"table ({model})"]
            assert one.data.tags["mlflow.parentRunId"] == above.info.run_id
            assert one.info.status == above.info.status == "FINISHED"
            assert not any(name.startswith("variant/") for name in one.data.metrics)
            assert one.data.metrics["whole/mean"] == ours.main[f"variant/{model}/whole/mean"]
            table = client.load_table(experiment, "rows.json", run_ids=[one.info.run_id])
            assert {*table["variant"]} == {model}
            assert len(client.search_traces(locations=[experiment], run_id=one.info.run_id)) == 3
        ended = cli("track", str(ours.folder), "--to", "mlflow", "--trace-rows", "3")
        assert ended.exit_code == 0, ended.output


def test_without_an_address_the_file_of_the_store_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ours = figures(tmp_path)
    ended = cli("track", str(ours.folder), "--to", "mlflow")
    assert ended.exit_code == 0, ended.output
    assert "no address" not in ended.output
    files = [file.name for file in tmp_path.iterdir() if file.name.startswith("mlflow")]
    assert any(f"sqlite:///{name} " in ended.output for name in files), (files, ended.output)


def test_a_server_that_refuses_for_a_while_gets_the_run_all_the_same(
    client: Any, mlflow_store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_experiment(monkeypatch, "busy")
    ours = figures(tmp_path)
    with refusing(mlflow_store, {3: (429, "0"), 4: (429, "0"), 5: (503, None), 9: None, 12: None}) as address:
        monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
        ended = cli("track", str(ours.folder), "--to", "mlflow", "--trace-rows", "3")
    assert ended.exit_code == 0, ended.output
    (run,) = client.search_runs([client.get_experiment_by_name("busy").experiment_id])
    assert run.data.metrics == ours.main
    assert len(client.search_traces(locations=[run.info.experiment_id], run_id=run.info.run_id)) == 3


def test_a_wrong_key_is_named(mlflow_store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = figures(tmp_path)
    with refusing(mlflow_store, dict.fromkeys(range(1, 50), (401, None))) as address:
        monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
        ended = cli("track", str(ours.folder), "--to", "mlflow")
    assert ended.exit_code == 3
    assert f"MLflow at {address} refuses the name or the key" in ended.output
    assert "MLFLOW_TRACKING_TOKEN" in ended.output


def test_sending_again_changes_nothing(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_experiment(monkeypatch, "again")
    ours = figures(tmp_path, "--track", "mlflow", "--trace-rows", "4")
    first = sent(ours)
    before = everything(client, first["run_id"])
    ended = cli("track", str(ours.folder), "--to", "mlflow", "--trace-rows", "6")
    assert ended.exit_code == 0, ended.output
    assert sent(ours) == first
    assert everything(client, first["run_id"]) == before
    experiment = client.get_experiment_by_name("again").experiment_id
    assert len(client.search_runs([experiment])) == 1
    history = client.get_metric_history(first["run_id"], "whole/mean")
    assert len(history) == 1
    traces = client.search_traces(locations=[experiment], run_id=first["run_id"])
    assert len(traces) == 6
    names = [
        one.name for trace in traces for one in trace.info.assessments if trace.info.tags["evaluators.id"] == "wrong"
    ]
    assert len(names) == len({*names})


def test_traces_have_a_feedback_for_every_score_and_every_error(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_experiment(monkeypatch, "traces")
    ours = figures(tmp_path, "--track", "mlflow", "--trace-rows", "100")
    experiment = client.get_experiment_by_name("traces").experiment_id
    assert os.environ["MLFLOW_TRACKING_URI"] == mlflow.get_tracking_uri() == client.tracking_uri
    traces = client.search_traces(locations=[experiment], run_id=sent(ours)["run_id"])
    by_id = {trace.info.tags["evaluators.id"]: trace for trace in traces}
    found = {
        id: {one.name: Found(one.value, one.error is not None) for one in trace.info.assessments}
        for id, trace in by_id.items()
    }
    assert_same_rows(found, ours)
    expected = {one.name: one.value for one in by_id["right"].info.assessments if one.expectation is not None}
    assert expected == {"expected_response": next(row["expected"] for row in table_rows() if row["id"] == "right")}
    root = by_id["right"].data.spans[0]
    assert root.inputs == "Read the document right."
    assert (root.attributes["evaluators.column.supplier"], root.span_type) == ("Alpha", "LLM")
    assert by_id["skipped"].info.tags["evaluators.status.header"] == "skipped"
    wrong = {one.name: one for one in by_id["wrong"].info.assessments}
    assert (wrong["header/field/number"].value, wrong["header/field/number"].rationale) == (
        0.0,
        '"A-7" differs from "A-2"',
    )
    assert wrong["page/field/items.each.price"].metadata["path"] == "items[*].price"
    silent = {one.name: one for one in by_id["judge failed"].info.assessments}
    assert silent["header"].error.error_message == "the judge gave no answer"
    assert by_id["fenced"].data.spans[0].outputs.startswith("Here it is:")


def test_a_run_that_the_environment_names_is_taken(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = client.create_experiment("of somebody else")
    run = client.create_run(experiment, run_name="training")
    monkeypatch.setenv("MLFLOW_RUN_ID", run.info.run_id)
    ours = figures(tmp_path, "--track", "mlflow")
    assert sent(ours)["run_id"] == run.info.run_id
    assert client.get_run(run.info.run_id).data.metrics == ours.main


def test_what_was_sent_before_an_interruption_is_there_and_the_rest_comes_later(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_experiment(monkeypatch, "interrupted")
    ours = figures(tmp_path)
    log_assessment, times = mlflow.log_assessment, iter(range(1000))

    def interrupted(trace_id: str, assessment: Any) -> Any:
        if next(times) == 20:
            raise KeyboardInterrupt
        return log_assessment(trace_id, assessment)

    monkeypatch.setattr(mlflow, "log_assessment", interrupted)
    ended = cli("track", str(ours.folder), "--to", "mlflow", "--trace-rows", "100")
    assert ended.exit_code not in (0, 3)
    experiment = client.get_experiment_by_name("interrupted").experiment_id
    (run,) = client.search_runs([experiment])
    assert run.info.status == "KILLED"
    assert run.data.metrics == ours.main
    assert len(client.search_traces(locations=[experiment], run_id=run.info.run_id)) == 9
    assert sum(len(one.info.assessments) for one in client.search_traces(locations=[experiment])) == 20
    ended = cli("track", str(ours.folder), "--to", "mlflow", "--trace-rows", "100")
    assert ended.exit_code == 0, ended.output
    assert client.get_run(run.info.run_id).info.status == "FINISHED"
    traces = client.search_traces(locations=[experiment], run_id=sent(ours)["run_id"])
    assert_same_rows(
        {
            trace.info.tags["evaluators.id"]: {
                one.name: Found(one.value, one.error is not None) for one in trace.info.assessments
            }
            for trace in traces
        },
        ours,
    )


def test_a_run_that_was_stopped_says_so(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_experiment(monkeypatch, "stopped")
    done = finish(load(SUITE), results=tmp_path, name="x", track=("mlflow",), stopped=lambda: True)
    assert done.sent is not None
    (link,) = done.sent.links
    run = client.get_run(link.run_id)
    assert (run.info.status, run.data.tags["evaluators.exit_code"]) == ("KILLED", "130")


KEYS = st.one_of(st.text(max_size=8), st.sampled_from(["", "each", "..", ".", "/", "a/../b", " ", "²", "ª", "x" * 300]))


@given(st.lists(KEYS, min_size=1, max_size=4), KEYS)
def test_mlflow_takes_every_name(keys: list[str], name: str) -> None:
    from mlflow.utils.validation import _validate_metric_name, _validate_param_name, _validate_tag_name

    path = ".".join(json.dumps([key]) for key in keys)
    for made in (field_name(display(keys)), field_name(path), "/".join(["evaluator", segment(name), "mean_score"])):
        short = fit_name(made, 250)
        _validate_metric_name(short)
        _validate_param_name(short)
        _validate_tag_name(short)
