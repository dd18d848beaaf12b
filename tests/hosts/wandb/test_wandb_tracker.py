"""Runs sent to Weights & Biases: its offline files, written by the real client, read back record by record."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wandb

from evaluators.reports.tracking.plugs.wandb import WeightsAndBiases
from evaluators.reports.tracking.tracker import run_key
from tests.hosts.table import SUITE, Aggregate, Figures, Found, assert_same_figures, assert_same_rows
from tests.hosts.wandb.offline_files import OfflineRun, read_run, read_table
from tests.kit import cli

ERRORS = ("invalid", "unjudged", "bug")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder in which the client works offline, with all that it writes in it."""
    for name in [name for name in os.environ if name.startswith("WANDB_")]:
        monkeypatch.delenv(name)
    for name in ("DIR", "DATA_DIR", "CACHE_DIR", "CONFIG_DIR", "ARTIFACT_DIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(f"WANDB_{name}", str(tmp_path / name))
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    wandb.teardown()  # the client reads its variables once in each process


def folders(here: Path) -> list[Path]:
    """What was written. The client writes in a process of its own, which ends first, as it does with the command."""
    wandb.teardown()
    return sorted((here / "DIR" / "wandb").glob("offline-run-*"))


def only_run(here: Path) -> tuple[Path, OfflineRun]:
    (folder,) = folders(here)
    return folder, read_run(folder)


def test_the_figures_are_in_the_summary(here: Path, ours: Figures) -> None:
    link = WeightsAndBiases().send(ours.record)
    _, run = only_run(here)
    assert (link.platform, link.url, link.run_id) == ("wandb", None, run_key(ours.record))
    assert (run.id, run.name, run.project, run.exit_code) == (link.run_id, "table", "table", 0)
    assert {name: value for name, value in run.summary.items() if "/" in name} == ours.main
    shown = [name for name in ours.evaluators if f"{name}/mean" in ours.main]
    assert_same_figures({name: Aggregate(run.summary[f"{name}/mean"]) for name in shown}, ours)


def found(line: dict[str, Any], name: str) -> Found:
    return Found(line[f"{name}.score"], line[f"{name}.status"] in ERRORS)


def test_every_row_is_in_the_table_and_in_the_artifact(here: Path, ours: Figures) -> None:
    WeightsAndBiases().send(ours.record)
    folder, run = only_run(here)
    shown = read_table(folder, run.summary["rows"])
    files = run.artifacts[f"run-{run.id}-evaluation"]
    whole = json.loads(files["rows.json"].read_text(encoding="utf-8"))
    kept = [dict(zip(whole["columns"], row, strict=True)) for row in whole["data"]]
    assert shown == kept
    assert_same_rows({line["id"]: {name: found(line, name) for name in ours.evaluators} for line in shown}, ours)
    assert len(run.history) == 1


def test_settings_and_the_suite_are_there_and_the_machine_is_not(here: Path, ours: Figures) -> None:
    WeightsAndBiases().send(ours.record)
    folder, run = only_run(here)
    assert run.config["evaluators"]["header"]["fields"]["items[*].price"] == "numeric"
    assert run.config["run"]["test_set_fingerprint"] == ours.record.result.data_fingerprint
    assert "environment" not in run.config
    files = run.artifacts[f"run-{run.id}-evaluation"]
    assert files["run/suite/suite.yaml"].read_bytes() == SUITE.read_bytes()
    assert files["run/report.html"].stat().st_size > 10_000
    assert "run/environment.json" not in files
    known = ours.record.result.environment
    assert run.host == "-"
    assert not any(known.folder.encode() in file.read_bytes() for file in folder.glob("*.wandb"))
    assert not list(folder.rglob("wandb-metadata.json"))
    assert not list(folder.rglob("requirements.txt"))


def test_the_machine_is_told_when_somebody_asks(here: Path, ours: Figures) -> None:
    WeightsAndBiases(environment=True).send(ours.record)
    known = ours.record.result.environment
    assert only_run(here)[1].config["environment"]["host"] == known.host


def test_a_run_that_is_sent_again_is_there_once(here: Path, ours: Figures) -> None:
    first = WeightsAndBiases().send(ours.record)
    before = only_run(here)[1]
    assert WeightsAndBiases().send(ours.record) == first
    after = only_run(here)[1]
    assert (after.config, metrics(after)) == (before.config, metrics(before))


def metrics(run: OfflineRun) -> dict[str, Any]:
    return {name: value for name, value in run.summary.items() if "/" in name}


def test_the_variables_of_the_platform_count(here: Path, ours: Figures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_PROJECT", "from-variable")
    monkeypatch.setenv("WANDB_NAME", "tuesday")
    WeightsAndBiases().send(ours.record)
    run = only_run(here)[1]
    assert (run.project, run.name) == ("from-variable", "tuesday")


def test_the_suite_wins_over_the_variables(here: Path, ours: Figures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_PROJECT", "from-variable")
    monkeypatch.setenv("WANDB_MODE", "online")
    WeightsAndBiases(project="from-suite", entity="team", mode="offline").send(ours.record)
    run = only_run(here)[1]
    assert (run.project, run.entity) == ("from-suite", "team")


def test_a_run_of_the_program_is_left_alone(here: Path, ours: Figures) -> None:
    with wandb.init(project="training", settings=wandb.Settings(silent=True)) as own:
        own.log({"loss": 1.0})
        WeightsAndBiases().send(ours.record)
        own.log({"loss": 0.5})
        assert wandb.run is own
    runs = {run.project: run for run in map(read_run, folders(here))}
    assert [line["loss"] for line in runs["training"].history] == [1.0, 0.5]
    assert "whole/mean" in runs["table"].summary


def track(folder: Path) -> tuple[int, str]:
    ended = cli("track", str(folder), "--to", "wandb")
    return ended.exit_code, ended.output


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"WANDB_MODE": "online", "WANDB_BASE_URL": "http://127.0.0.1:9", "WANDB_API_KEY": "0" * 40}, "wandb"),
        ({"WANDB_MODE": "disabled"}, "WANDB_MODE is disabled"),
    ],
)
def test_a_platform_that_is_not_there_loses_nothing(
    ours: Figures, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], said: str
) -> None:
    monkeypatch.setenv("WANDB_INIT_TIMEOUT", "2")
    monkeypatch.setenv("WANDB_LOGIN_TIMEOUT", "2")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    before = {file: file.read_bytes() for file in ours.folder.rglob("*") if file.is_file()}
    code, printed = track(ours.folder)
    assert code == 3
    assert 'the run could not be sent to "wandb"' in printed
    assert said in printed
    assert {file: file.read_bytes() for file in ours.folder.rglob("*") if file.is_file()} == before


def test_the_command_line_prints_nothing_of_the_client(here: Path, ours: Figures) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "evaluators", "track", str(ours.folder), "--to", "wandb"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "sending to wandb\n")
    assert ended.stdout == f"sent to wandb: no address (run {run_key(ours.record)})\n"
    (ours.folder / "links.json").unlink()


INTERRUPTED = """
import os, signal, sys
from pathlib import Path
import wandb
from evaluators.runs.reader import Run
from evaluators.reports.tracking.metrics import metrics_of
from evaluators.reports.tracking.plugs.wandb import WeightsAndBiases
def log_artifact(self, *_):
    os.kill(os.getpid(), signal.SIGINT)
wandb.Run.log_artifact = log_artifact
WeightsAndBiases().send(Run(Path(sys.argv[1])))
"""


def test_an_interrupted_run_is_closed_with_what_it_has(here: Path, ours: Figures) -> None:
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED, str(ours.folder)], capture_output=True, timeout=120)
    assert ended.returncode in (-signal.SIGINT, 1, 130)
    run = only_run(here)[1]
    assert run.exit_code not in (None, 0)
    assert metrics(run) == ours.main
