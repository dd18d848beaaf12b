"""A run goes to a real Phoenix server, and is read back by Phoenix's own client."""

from __future__ import annotations

import csv
import json
import threading
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from phoenix.client import Client

from evaluators.reports.rows import row_views, scores_of
from evaluators.reports.tracking.attachments import flat_params
from tests.hosts.servers import refusing
from tests.hosts.table import ROWS, SUITE, Aggregate, Figures, Found, assert_same_figures, assert_same_rows, figures
from tests.kit import cli


@pytest.fixture
def client(phoenix_store: str) -> Any:
    return Client(base_url=phoenix_store)


def suite_with(folder: Path, tracking: str, rows: Path = ROWS) -> Path:
    text = SUITE.read_text(encoding="utf-8").replace("file: rows.csv", f"file: {rows}")
    (folder / "suite.yaml").write_text(f"{text}\ntracking: [{tracking}]\n", encoding="utf-8")
    return folder / "suite.yaml"


def sent(ours: Figures) -> dict[str, str]:
    (link,) = json.loads((ours.folder / "links.json").read_text(encoding="utf-8"))
    return dict(link)


def evaluations(client: Any, experiment: str) -> dict[str, dict[str, Any]]:
    """By id of the row, then by name."""
    ran = client.experiments.get_experiment(experiment_id=experiment)
    dataset = client.datasets.get_dataset(dataset=ran["dataset_id"], version_id=ran["dataset_version_id"])
    ids = {example["node_id"]: example["metadata"]["id"] for example in dataset.examples}
    rows = {run["id"]: ids[run["dataset_example_id"]] for run in ran["task_runs"]}
    found: dict[str, dict[str, Any]] = {id: {} for id in rows.values()}
    for one in ran["evaluation_runs"]:
        assert one.name not in found[rows[one.experiment_run_id]]
        found[rows[one.experiment_run_id]][one.name] = one
    return found


def test_a_run_is_there_with_every_row(client: Any, phoenix_store: str, tmp_path: Path) -> None:
    ours = figures(tmp_path, suite=suite_with(tmp_path, "{phoenix: {fields: true}}"))
    link = sent(ours)
    assert link["url"].startswith(f"{phoenix_store}/datasets/")
    assert link["url"].endswith(f"experimentId={link['run_id']}")
    read = evaluations(client, link["run_id"])
    assert_same_rows(
        {
            id: {name: Found(one.result["score"], one.error is not None) for name, one in row.items()}
            for id, row in read.items()
        },
        ours,
    )
    ours_by_label = {
        (id, name): one.label for id, name, one in (
            (row.id, each.name, each) for row in row_views(ours.record) for each in scores_of(ours.record, row)
        )
    }  # fmt: skip
    assert {(id, name): one.result["label"] for id, row in read.items() for name, one in row.items()} == ours_by_label
    price = read["lacking"]["page/field/items.each.price"]
    assert (price.result["score"], price.metadata["path"]) == (0.5, "items[*].price")
    assert price.result["explanation"] == "items[1].price: missing in the output"
    assert read["judge failed"]["header"].error == "the judge gave no answer"
    assert read["skipped"]["header"].result["label"] == "skipped"


def test_the_means_of_all_rows_are_ours(client: Any, tmp_path: Path) -> None:
    ours = figures(tmp_path, "--track", "phoenix")
    read = evaluations(client, sent(ours)["run_id"])
    said = {}
    for name in ours.evaluators:
        scores = [row[name].result["score"] for row in read.values() if row[name].result["score"] is not None]
        said[name] = Aggregate(sum(scores) / len(scores), scored=len(scores))
    assert_same_figures(said, ours)
    ran = client.experiments.get_experiment(experiment_id=sent(ours)["run_id"])
    assert ran["experiment_metadata"]["metrics"] == ours.main
    assert ran["experiment_metadata"]["params"] == flat_params(ours.record)
    known = json.loads((ours.folder / "environment.json").read_text(encoding="utf-8"))
    assert known["folder"] not in json.dumps(ran["experiment_metadata"])


def test_the_dataset_is_the_test_set(client: Any, tmp_path: Path) -> None:
    ours = figures(tmp_path, "--track", "phoenix")
    ran = client.experiments.get_experiment(experiment_id=sent(ours)["run_id"])
    dataset = client.datasets.get_dataset(dataset=ran["dataset_id"])
    assert dataset.name == "table: rows.csv"
    assert sorted(example["metadata"]["id"] for example in dataset.examples) == sorted(ours.rows)
    right = next(example for example in dataset.examples if example["metadata"]["id"] == "right")
    assert right["input"]["question"] == "Read the document right."
    assert right["output"]["expected"]["items"][1] == {"sku": "b", "price": 2.5}
    assert right["metadata"]["slices"] == {"supplier": "Alpha"}
    assert "output" not in right["input"]
    outputs = {run["dataset_example_id"]: run["output"] for run in ran["task_runs"]}
    unreadable = next(example for example in dataset.examples if example["metadata"]["id"] == "unreadable")
    assert outputs[unreadable["node_id"]] == "I could not find an invoice."


def test_sending_again_changes_nothing(client: Any, tmp_path: Path) -> None:
    suite = suite_with(tmp_path, "{phoenix: {dataset: again}}")
    ours = figures(tmp_path, "--trace-rows", "3", suite=suite)
    first = sent(ours)
    before = evaluations(client, first["run_id"])
    assert sorted(before) == ["lacking", "unreadable", "wrong"]
    for rows in ("3", "5"):
        ended = cli("track", str(ours.folder), "--to", "phoenix", "--trace-rows", rows)
        assert ended.exit_code == 0, ended.output
        assert sent(ours) == first
    after = evaluations(client, first["run_id"])
    assert len(after) == 5
    assert {id: {name: one.result for name, one in after[id].items()} for id in before} == {
        id: {name: one.result for name, one in row.items()} for id, row in before.items()
    }
    dataset = client.datasets.get_dataset(dataset="again")
    assert len(client.experiments.list(dataset_id=dataset.id)) == 1
    assert len(client.datasets.get_dataset_versions(dataset="again")) == 1


def test_several_models_are_experiments_over_one_dataset(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = ROWS.read_text(encoding="utf-8").replace(",output,", ",first,")
    lines = list(csv.DictReader(rows.splitlines(keepends=True)))
    with open(tmp_path / "rows.csv", "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, [*lines[0], "second"])
        writer.writeheader()
        writer.writerows({**line, "second": line["expected"]} for line in lines)
    outputs = "rows.csv\n  outputs: {first: {column: first}, second: {column: second}}"
    text = SUITE.read_text(encoding="utf-8").replace("file: rows.csv", f"file: {outputs}")
    (tmp_path / "suite.yaml").write_text(f"{text}\ntracking: [{{phoenix: {{dataset: models}}}}]\n", encoding="utf-8")
    ours = figures(tmp_path, suite=tmp_path / "suite.yaml")
    ids = sent(ours)["run_id"].split(",")
    assert len(ids) == 2
    assert all(f"experimentId={id}" in sent(ours)["url"] for id in ids)
    first, second = (evaluations(client, id) for id in ids)
    assert first["wrong"]["header"].result["score"] == 0.5
    assert second["wrong"]["header"].result["score"] == 1.0
    assert len(client.datasets.get_dataset(dataset="models").examples) == 9
    monkeypatch.setattr("evaluators.reports.tracking.plugs.phoenix._EVERY_CELL", 8)  # as if nine rows were many
    (tmp_path / "suite.yaml").write_text(f"{text}\ntracking: [{{phoenix: {{dataset: many}}}}]\n", encoding="utf-8")
    ours = figures(tmp_path, "--trace-rows", "2", suite=tmp_path / "suite.yaml", name="many")
    few = [evaluations(client, id) for id in sent(ours)["run_id"].split(",")]
    assert [sorted(rows) for rows in few] == [["lacking", "wrong"], ["invalid", "right"]]
    assert sorted(one["metadata"]["id"] for one in client.datasets.get_dataset(dataset="many").examples) == [
        "invalid", "lacking", "right", "wrong",
    ]  # fmt: skip


def wait_for_spans(client: Any, project: str, count: int) -> None:
    """Phoenix takes spans first, and stores them a moment later."""
    until = time.monotonic() + 300
    while project not in {one["name"] for one in client.projects.list()} or count > len(
        client.spans.get_spans(project_identifier=project, limit=1000)
    ):
        assert time.monotonic() < until
        threading.Event().wait(0.1)


def test_spans_that_outputs_come_from_are_annotated(client: Any, tmp_path: Path) -> None:
    started = datetime.now(UTC)
    with open(ROWS, encoding="utf-8", newline="") as stream:
        lines = [{**line, "span": uuid.uuid4().hex[:16]} for line in csv.DictReader(stream)]
    client.spans.log_spans(
        project_identifier="invoices",
        spans=[
            {
                "name": "answer", "context": {"trace_id": uuid.uuid4().hex, "span_id": line["span"]}, "span_kind": "LLM",
                "start_time": started.isoformat(), "end_time": (started + timedelta(seconds=1)).isoformat(), "status_code": "OK",
                "attributes": {"output.value": line["output"]},
            }
            for line in lines
        ],
    )  # fmt: skip
    wait_for_spans(client, "invoices", len(lines))
    with open(tmp_path / "rows.csv", "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    suite = suite_with(tmp_path, "{phoenix: {span_column: span, dataset: spans}}", tmp_path / "rows.csv")
    ours = figures(tmp_path, suite=suite)
    assert cli("track", str(ours.folder), "--to", "phoenix").exit_code == 0
    ids = {line["span"]: line["id"] for line in lines}
    found: dict[str, dict[str, Found]] = {line["id"]: {} for line in lines}
    for one in client.spans.get_span_annotations(span_ids=list(ids), project_identifier="invoices"):
        assert one["name"] not in found[ids[one["span_id"]]]
        score = one["result"].get("score")
        found[ids[one["span_id"]]][one["name"]] = Found(score, "error" in one["metadata"])
    assert_same_rows(found, ours)


def found_in(client: Any, experiment: str) -> dict[str, dict[str, Found]]:
    return {
        id: {name: Found(one.result["score"], one.error is not None) for name, one in row.items()}
        for id, row in evaluations(client, experiment).items()
    }


def test_a_server_that_refuses_for_a_while_gets_the_run_all_the_same(
    client: Any, phoenix_store: str, tmp_path: Path
) -> None:
    answers = {2: (429, "0"), 3: (503, None), 9: None, 15: (429, "0"), 16: (429, "0"), 17: (429, "0"), 40: None, 41: None}
    with refusing(phoenix_store, answers) as address:
        suite = suite_with(tmp_path, f"{{phoenix: {{dataset: busy, endpoint: '{address}'}}}}")
        ours = figures(tmp_path, suite=suite)
    assert_same_rows(found_in(client, sent(ours)["run_id"]), ours)
    dataset = client.datasets.get_dataset(dataset="busy")
    assert len(client.experiments.list(dataset_id=dataset.id)) == 1


def test_sending_goes_on_where_it_stopped(client: Any, phoenix_store: str, tmp_path: Path) -> None:
    with refusing(phoenix_store, dict.fromkeys(range(50, 5000), (418, None))) as address:
        suite = suite_with(tmp_path, f"{{phoenix: {{dataset: half, endpoint: '{address}'}}}}")
        ours = figures(tmp_path, suite=suite)
    assert not (ours.folder / "links.json").exists()
    dataset = client.datasets.get_dataset(dataset="half")
    (experiment,) = (one["id"] for one in client.experiments.list(dataset_id=dataset.id))
    before = sum(map(len, evaluations(client, experiment).values()))
    recorded = (ours.folder / "suite" / "suite.yaml").read_text(encoding="utf-8")
    (ours.folder / "suite" / "suite.yaml").write_text(recorded.replace(address, phoenix_store), encoding="utf-8")
    ended = cli("track", str(ours.folder), "--to", "phoenix")
    assert ended.exit_code == 0, ended.output
    assert sent(ours)["run_id"] == experiment
    assert_same_rows(found_in(client, experiment), ours)
    assert 0 < before < sum(map(len, evaluations(client, experiment).values()))


def test_a_wrong_key_is_named(phoenix_store: str, tmp_path: Path) -> None:
    with refusing(phoenix_store, dict.fromkeys(range(1, 100), (401, None))) as address:
        suite = suite_with(tmp_path, f"{{phoenix: {{endpoint: '{address}'}}}}")
        ours = figures(tmp_path, suite=suite)
        ended = cli("track", str(ours.folder), "--to", "phoenix")
    assert ended.exit_code == 3
    assert f"Phoenix at {address} refuses the key, or there is none (status 401)" in ended.output
    assert "PHOENIX_API_KEY" in ended.output


def test_evaluations_of_fields_are_left_out_unless_they_are_asked_for(client: Any, tmp_path: Path) -> None:
    suite = suite_with(tmp_path, "{phoenix: {dataset: whole rows}}")
    ours = figures(tmp_path, suite=suite)
    read = evaluations(client, sent(ours)["run_id"])
    assert {name for row in read.values() for name in row} == {*ours.evaluators}
    assert_same_rows(found_in(client, sent(ours)["run_id"]), ours)
