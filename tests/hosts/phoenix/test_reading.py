"""Outputs that live on a real Phoenix server are scored like those of a file, and scores go back to them."""

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

from tests.hosts.table import ROWS, SUITE, Figures, Found, assert_same_rows, figures
from tests.kit import cli


@pytest.fixture
def client(phoenix_store: str) -> Any:
    return Client(base_url=phoenix_store)


def suite_on(folder: Path, test_set: str, tracking: str = "") -> Path:
    text = SUITE.read_text(encoding="utf-8").replace("test_set:\n  file: rows.csv\n", f"test_set: {test_set}\n")
    (folder / "suite.yaml").write_text(f"{text}\n{tracking}\n", encoding="utf-8")
    return folder / "suite.yaml"


def assert_scored_alike(ours: Figures, again: Figures) -> None:
    assert_same_rows(
        {id: {name: Found(one.score, one.error) for name, one in row.items()} for id, row in again.rows.items()}, ours
    )


def sent_as(folder: Path, dataset: str) -> Figures:
    """The run of the table, sent to a dataset of that name."""
    (folder / "sent").mkdir()
    suite = suite_on(folder / "sent", f"{{file: {ROWS}}}", f"tracking: [{{phoenix: {{dataset: {dataset}}}}}]")
    return figures(folder, suite=suite)


def test_the_outputs_of_an_experiment_are_scored(client: Any, tmp_path: Path) -> None:
    ours = sent_as(tmp_path, "of an experiment")
    (link,) = json.loads((ours.folder / "links.json").read_text(encoding="utf-8"))
    by_id = figures(tmp_path, suite=suite_on(tmp_path, f"{{phoenix: {{experiment: {link['run_id']}}}}}"), name="by_id")
    assert by_id.run["test_set"] == f"Phoenix experiment {link['run_id']}"
    assert_scored_alike(ours, by_id)
    named = suite_on(tmp_path, "{phoenix: {dataset: of an experiment, experiment: table}}")
    assert_scored_alike(ours, figures(tmp_path, suite=named, name="by_name"))


def test_the_expected_answers_of_a_dataset_meet_outputs_of_a_file(client: Any, tmp_path: Path) -> None:
    ours = sent_as(tmp_path, "of a dataset")
    with open(ROWS, encoding="utf-8", newline="") as stream, open(tmp_path / "outputs.csv", "w", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "output"])
        writer.writerows([line["id"], line["output"]] for line in csv.DictReader(stream))
    suite = suite_on(tmp_path, "{phoenix: {dataset: of a dataset}, output: outputs.csv}")
    assert_scored_alike(ours, figures(tmp_path, suite=suite, name="again"))


def test_traces_are_scored_and_get_the_scores(client: Any, tmp_path: Path) -> None:
    ours = figures(tmp_path)
    started = datetime.now(UTC)
    with open(ROWS, encoding="utf-8", newline="") as stream:
        lines = [{**line, "span": uuid.uuid4().hex[:16]} for line in csv.DictReader(stream)]
    spans = [
        {
            "name": "answer", "context": {"trace_id": uuid.uuid4().hex, "span_id": line["span"]}, "span_kind": "LLM",
            "start_time": (started + timedelta(seconds=place)).isoformat(), "status_code": "OK",
            "end_time": (started + timedelta(seconds=place + 1)).isoformat(),
            "attributes": {
                "input.value": json.dumps({"question": line["question"]}), "input.mime_type": "application/json",
                "output.value": line["output"], "metadata": {"kind": line["kind"], "supplier": line["supplier"]},
            },
        }
        for place, line in enumerate(lines)
    ]  # fmt: skip
    client.spans.log_spans(project_identifier="answers", spans=spans)
    until = time.monotonic() + 300
    while "answers" not in {one["name"] for one in client.projects.list()} or len(lines) > len(
        client.spans.get_spans(project_identifier="answers", limit=1000)
    ):
        assert time.monotonic() < until
        threading.Event().wait(0.1)
    with open(tmp_path / "expected.csv", "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "expected", "kind", "supplier"])
        writer.writerows([line["span"], line["expected"], line["kind"], line["supplier"]] for line in lines)
    suite = suite_on(
        tmp_path, "{phoenix: {traces: answers}, expected: expected.csv}",
        "tracking: [{phoenix: {span_column: span_id, dataset: of traces}}]",
    )  # fmt: skip
    text = suite.read_text(encoding="utf-8")
    suite.write_text(
        text.replace("row.kind", "row.metadata.kind").replace("row.supplier", "row.metadata.supplier"), "utf-8"
    )
    again = figures(tmp_path, suite=suite, name="again")
    assert_same_rows(
        {
            line["id"]: {name: Found(one.score, one.error) for name, one in again.rows[line["span"]].items()}
            for line in lines
        },
        ours,
    )
    ids = {line["span"]: line["id"] for line in lines}
    found: dict[str, dict[str, Found]] = {id: {} for id in ids.values()}
    for one in client.spans.get_span_annotations(span_ids=list(ids), project_identifier="answers"):
        found[ids[one["span_id"]]][one["name"]] = Found(one["result"].get("score"), "error" in one["metadata"])
    assert_same_rows(found, ours)


@pytest.mark.parametrize(
    ("test_set", "code", "said"),
    [
        ("{phoenix: {}}", 2, 'an "experiment", a "dataset" or "traces" must be named'),
        ("{phoenix: {traces: x, dataset: y}}", 2, '"traces" cannot be beside "dataset" or "experiment"'),
        ("{phoenix: {traces: no such project}}", 3, "the rows could not be read from phoenix"),
        ("{phoenix: {dataset: no such dataset}}", 3, "the rows could not be read from phoenix"),
    ],
)
def test_what_cannot_be_read_is_said(phoenix_store: str, tmp_path: Path, test_set: str, code: int, said: str) -> None:
    ended = cli("run", str(suite_on(tmp_path, test_set)), "--no-results")
    assert ended.exit_code == code, ended.output
    assert said in ended.stderr
