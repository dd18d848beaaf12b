"""Runs sent to Trackio: its store is read back by its own commands, and a real server takes a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluators.reports.tracking.tracker import run_key
from tests.hosts.servers import HOST, free_port, server
from tests.hosts.table import SUITE, Aggregate, Figures, Found, assert_same_figures, assert_same_rows

PROGRAMS = Path(sys.executable).parent
ERRORS = ("invalid", "unjudged", "bug")


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store. The client reads its variables when it is imported, so that each test starts it anew."""
    for name in [name for name in os.environ if name.startswith("TRACKIO_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "store"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    return tmp_path / "store"


def track(ours: Figures) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "evaluators", "track", str(ours.folder), "--to", "trackio"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    (ours.folder / "links.json").unlink(missing_ok=True)
    return ended


def name_of(ours: Figures) -> str:
    return f"table {run_key(ours.record)[:12]}"


def trackio(*words: str) -> Any:
    ended = subprocess.run(
        [str(PROGRAMS / "trackio"), *words, "--json"], capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def logged(ours: Figures) -> dict[str, list[Any]]:
    """Everything that was logged of the run, as Trackio's own query gives it: each metric with all its values."""
    found = trackio("query", "project", "--project", "table", "--sql", "SELECT run_name, step, metrics FROM metrics")
    values: dict[str, list[Any]] = {}
    for row in found["rows"]:
        assert (row["run_name"], row["step"]) == (name_of(ours), 0)
        for name, value in json.loads(row["metrics"]).items():
            values.setdefault(name, []).append(value)
    return values


def test_the_figures_are_there_once(ours: Figures) -> None:
    ended = track(ours)
    assert (ended.returncode, ended.stderr) == (0, "sending to trackio\n")
    assert ended.stdout == f"sent to trackio: no address (run {name_of(ours)})\n"
    found = logged(ours)
    assert {name: value for name, (value,) in found.items() if name != "rows"} == ours.main
    shown = [name for name in ours.evaluators if f"{name}/mean" in ours.main]
    assert_same_figures({name: Aggregate(found[f"{name}/mean"][0]) for name in shown}, ours)


def test_every_row_is_in_the_table(ours: Figures) -> None:
    track(ours)
    ((table,),) = (logged(ours)["rows"],)
    assert table["_type"] == "trackio.table"
    assert_same_rows(
        {
            line["id"]: {name: Found(line[f"{name}.score"], line[f"{name}.status"] in ERRORS) for name in ours.evaluators}
            for line in table["_value"]
        },
        ours,
    )


def test_a_run_that_is_sent_again_is_there_once(ours: Figures) -> None:
    assert track(ours).stdout == track(ours).stdout
    assert trackio("list", "runs", "--project", "table")["runs"] == [name_of(ours)]
    assert {name: len(values) for name, values in logged(ours).items()} == dict.fromkeys(logged(ours), 1)


def artifact(ours: Figures) -> dict[str, Path]:
    """The files of the artifact by their names, and where they are kept."""
    name = f"run-{run_key(ours.record)}"
    (listed,) = trackio("list", "artifacts", "--project", "table")["artifacts"]
    assert (listed["name"], listed["type"], listed["num_versions"]) == (name, "evaluation", 1)
    found = trackio("get", "artifact", "--project", "table", "--name", name)
    blobs = {file.name: file for file in Path(os.environ["TRACKIO_DIR"]).glob("artifacts/table/blobs/sha256/*/*")}
    return {one["path"]: blobs[one["digest"].rpartition(":")[2]] for one in found["manifest"]}


def test_the_run_folder_is_an_artifact_and_the_machine_is_not_told(ours: Figures, store: Path) -> None:
    track(ours)
    track(ours)
    files = artifact(ours)
    assert files["run/suite/suite.yaml"].read_bytes() == SUITE.read_bytes()
    assert files["run/report.html"].stat().st_size > 10_000
    assert json.loads(files["rows.json"].read_text(encoding="utf-8"))["columns"][:2] == ["row", "id"]
    known = ours.record.result.environment
    assert not any(known.folder.encode() in file.read_bytes() for file in store.rglob("*") if file.is_file())


def test_settings_are_there(ours: Figures) -> None:
    track(ours)
    found = trackio("query", "project", "--project", "table", "--sql", "SELECT config FROM configs")
    (config,) = (json.loads(row["config"]) for row in found["rows"])
    assert config["evaluators"]["header"]["fields"]["items[*].price"] == "numeric"
    assert config["run"]["test_set_fingerprint"] == ours.record.result.data_fingerprint
    assert "environment" not in config


@pytest.mark.parametrize(
    "variables",
    [{"TRACKIO_DIR": "no-folder/store"}, {"TRACKIO_SERVER_URL": "http://127.0.0.1:9", "TRACKIO_WRITE_TOKEN": "x"}],
)
def test_a_store_that_is_not_there_loses_nothing(
    ours: Figures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    (tmp_path / "no-folder").write_text("a file", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    before = {file: file.read_bytes() for file in ours.folder.rglob("*") if file.is_file()}
    ended = track(ours)
    assert ended.returncode == 3
    assert 'the run could not be sent to "trackio"' in ended.stderr
    assert {file: file.read_bytes() for file in ours.folder.rglob("*") if file.is_file()} == before


OWN = """
import sys
from pathlib import Path
import trackio
from evaluators.runs.reader import Run
from evaluators.reports.tracking.plugs.trackio import Trackio
trackio.init(project="training", name="own", embed=False, auto_log_cpu=False)
trackio.log({"loss": 1.0})
Trackio().send(Run(Path(sys.argv[1])))
trackio.log({"loss": 0.5})
trackio.finish()
"""


def test_a_run_of_the_program_is_left_alone(ours: Figures) -> None:
    subprocess.run([sys.executable, "-c", OWN, str(ours.folder)], check=True, capture_output=True, timeout=120)
    found = trackio("get", "metric", "--project", "training", "--run", "own", "--metric", "loss")
    assert [one["value"] for one in found["values"]] == [1.0, 0.5]
    assert "whole/mean" in logged(ours)


SERVED = "import sys, trackio; trackio.show(open_browser=False, host=sys.argv[1], server_port=int(sys.argv[2]), block_thread=True)"


@pytest.fixture
def address(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A real server with a store of its own. Its users know its address and its token."""
    port = free_port()
    own = {"TRACKIO_DIR": str(tmp_path / "served"), "TRACKIO_WRITE_TOKEN": "token"}
    command = [sys.executable, "-c", SERVED, HOST, str(port)]
    with server(command, f"http://{HOST}:{port}/version", tmp_path, own):
        monkeypatch.setenv("TRACKIO_SERVER_URL", f"http://{HOST}:{port}")
        monkeypatch.setenv("TRACKIO_WRITE_TOKEN", "token")
        yield f"http://{HOST}:{port}"


def test_a_server_takes_the_run_once(
    address: str, ours: Figures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        ended = track(ours)
        assert ended.stdout == f"sent to trackio: {address} (run {name_of(ours)})\n", ended.stderr
    monkeypatch.delenv("TRACKIO_SERVER_URL")
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "served"))
    found = logged(ours)
    assert {name: value for name, (value,) in found.items() if name != "rows"} == ours.main
    assert len(found["rows"][0]["_value"]) == len(ours.rows)
    assert "run/suite/suite.yaml" in artifact(ours)
