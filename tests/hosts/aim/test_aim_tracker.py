"""Runs sent to Aim: the repository is read back by the real library, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from evaluators.tracking.metrics import metric_groups, metrics_of
from evaluators.tracking.tracker import run_key
from tests.hosts.table import SUITE, Aggregate, Figures, Found, assert_same_figures, assert_same_rows, figures

ERRORS = ("invalid", "unjudged", "bug")
READ = """
import json, sys
from aim import Repo
print(json.dumps([
    {
        "name": run.name, "experiment": run.experiment, "description": run.description, "active": run.active,
        "params": {name: run.get(name) for name in ("evaluators_run_key", "evaluation", "environment", "__system_params")},
        "metrics": [[one.name, one.context.to_dict(), list(map(float, one.values.sparse_list()[1]))] for one in run.metrics()],
        "artifacts": {name: one.uri for name, one in run.artifacts.items()},
    }
    for run in Repo(sys.argv[1]).iter_runs()
]))
"""
INTERRUPTED = """
import os, signal, sys
from pathlib import Path
import aim
from evaluators.run.reader import Run
from evaluators.tracking.plugs.aim import Aim
aim.Run.log_artifact = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)
Aim().send(Run(Path(sys.argv[1])))
"""


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    return figures(tmp_path_factory.mktemp("table"))


@dataclass(frozen=True, slots=True)
class Sent:
    """A repository to which the run was sent, and what is in it."""

    folder: Path
    ended: subprocess.CompletedProcess[str]
    run: dict[str, Any]


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory, ours: Figures) -> Sent:
    """The run is sent once, to a repository that is made for it."""
    folder = tmp_path_factory.mktemp("sent")
    return Sent(folder, track(folder, ours), only_run(folder))


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A program of its own, in a folder: a repository stays open as long as the program that opened it."""
    return subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, timeout=180, check=False)


def aim(folder: Path, *words: str) -> None:
    """A command of Aim."""
    command = [Path(sys.executable).parent / "aim", *words]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=180)


def track(folder: Path, ours: Figures) -> subprocess.CompletedProcess[str]:
    ended = python(folder, "-m", "evaluators", "track", str(ours.folder), "--to", "aim")
    (ours.folder / "links.json").unlink(missing_ok=True)
    return ended


def runs(folder: Path) -> list[dict[str, Any]]:
    ended = python(folder, "-c", READ, str(folder))
    assert ended.returncode == 0, ended.stderr
    found: list[dict[str, Any]] = json.loads(ended.stdout)
    return found


def only_run(folder: Path) -> dict[str, Any]:
    (found,) = runs(folder)
    return found


def test_each_figure_has_its_name_and_what_it_is_about(sent: Sent, ours: Figures) -> None:
    assert (sent.ended.returncode, sent.ended.stderr) == (0, "sending to aim\n")
    assert sent.ended.stdout == f"sent to aim: no address (run {run_key(ours.record)})\n"
    run = sent.run
    found = {(name, json.dumps(about, sort_keys=True)): values for name, about, values in run["metrics"]}
    assert len(found) == len(run["metrics"]) == len(metrics_of(ours.record.result))
    assert found == {
        (name, json.dumps(subject.about, sort_keys=True)): [value]
        for subject in metric_groups(ours.record.result)
        for name, value in subject.metrics.items()
    }
    assert found["accuracy", '{"evaluator": "header", "field": "items[*].price"}'] == [3 / 7]

    def of_evaluator(name: str, evaluator: str) -> Any:
        return found[name, json.dumps({"evaluator": evaluator})][0]

    assert_same_figures(
        {
            name: Aggregate(*(of_evaluator(one, name) for one in ("mean_score", "pass_rate", "rows/scored")))
            for name in ours.evaluators
        },
        ours,
    )


def artifacts(run: dict[str, Any]) -> dict[str, Path]:
    return {name: Path(uri.removeprefix("file://")) for name, uri in run["artifacts"].items()}


def test_every_row_is_in_the_table(sent: Sent, ours: Figures) -> None:
    table = json.loads(artifacts(sent.run)["rows.json"].read_text(encoding="utf-8"))
    lines = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    assert_same_rows(
        {
            line["id"]: {name: Found(line[f"{name}.score"], line[f"{name}.status"] in ERRORS) for name in ours.evaluators}
            for line in lines
        },
        ours,
    )


def test_settings_and_the_run_folder_are_there_and_the_machine_is_not(sent: Sent) -> None:
    run = sent.run
    assert (run["name"], run["experiment"], run["active"]) == ("table", "table", False)
    assert run["description"].startswith("# table: FAILED")
    assert run["params"]["evaluation"]["evaluators"]["header"]["fields"]["items[*].price"] == "numeric"
    assert run["params"]["environment"] is run["params"]["__system_params"] is None
    files = artifacts(run)
    assert files["run/suite/suite.yaml"].read_bytes() == SUITE.read_bytes()
    assert files["run/report.html"].stat().st_size > 10_000
    assert "run/environment.json" not in files


def test_an_interrupted_run_is_closed_with_its_figures_and_replaced(tmp_path: Path, ours: Figures, sent: Sent) -> None:
    python(tmp_path, "-c", INTERRUPTED, str(ours.folder))
    aim(tmp_path, "storage", "reindex", "--yes")
    run = only_run(tmp_path)
    assert not run["active"]
    assert len(run["metrics"]) == len(metrics_of(ours.record.result))
    assert not run["artifacts"]
    track(tmp_path, ours)
    track(tmp_path, ours)
    after = only_run(tmp_path)
    assert sorted(after["metrics"], key=str) == sorted(sent.run["metrics"], key=str)
    assert {*after["artifacts"]} == {*sent.run["artifacts"]}
    assert len(list((tmp_path / ".aim" / "artifacts").iterdir())) == 1


def test_the_nearest_repository_is_taken(tmp_path: Path, ours: Figures) -> None:
    aim(tmp_path, "init", "--yes")
    (tmp_path / "deeper").mkdir()
    track(tmp_path / "deeper", ours)
    assert only_run(tmp_path)["name"] == "table"
    assert not (tmp_path / "deeper" / ".aim").exists()


def test_a_repository_that_cannot_be_written_loses_nothing(tmp_path: Path, ours: Figures) -> None:
    (tmp_path / ".aim").write_text("a file", encoding="utf-8")
    before = {file: file.read_bytes() for file in ours.folder.rglob("*") if file.is_file()}
    ended = track(tmp_path, ours)
    assert ended.returncode == 3
    assert 'the run could not be sent to "aim"' in ended.stderr
    assert {file: file.read_bytes() for file in ours.folder.rglob("*") if file.is_file()} == before
