"""The examples of docs/how-to/gates-in-ci.md, run as a build system would run them: every shell command of every step, as it is printed."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from evaluators.reports.format import FORMATS
from tests.docs.blocks import blocks
from tests.docs.sessions import ROOT, prepare
from tests.kit import cli, read_yaml

GUIDE = ROOT / "docs" / "how-to" / "gates-in-ci.md"
FILES = {block.file: block.text for block in blocks(GUIDE) if block.file}
PIP = """#!/bin/sh
# Installing takes the network: what is asked for must be there to install.
[ "$1" = install ] && [ -f "$2/pyproject.toml" ] && [ $# = 2 ]
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with the files of the page, and this project where the page has it."""
    place = prepare(tmp_path, monkeypatch)
    pip = tmp_path / "bin" / "pip"
    pip.write_text(PIP, encoding="utf-8")
    pip.chmod(pip.stat().st_mode | stat.S_IEXEC)
    for name in ("eval/rows.csv", "eval/suite.yaml"):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(FILES[name], encoding="utf-8")
    (place / "path" / "to").mkdir(parents=True)
    (place / "path" / "to" / "structured-evaluators").symlink_to(ROOT)
    return place


def run(place: Path, step: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A command as GitHub and GitLab run it: a shell that stops at the first failure."""
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step],
        cwd=place,
        env={**os.environ, **more},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def steps_of(workflow: str) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = yaml.safe_load(FILES[workflow])["jobs"]["evaluate"]["steps"]
    return found


def test_the_workflow_of_github_runs_as_it_is_printed(checkout: Path, tmp_path: Path) -> None:
    page = tmp_path / "step.md"
    steps = steps_of(".github/workflows/evaluate.yml")
    commands = [step["run"] for step in steps if "run" in step]
    assert len(commands) == 3
    for script in commands:
        done = run(checkout, script, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(page))
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
    kept = next(step["with"]["path"] for step in steps if step.get("uses", "").startswith("actions/upload-artifact"))
    assert list((checkout / kept).glob("*/run.json")), "the artifact is the run folder"
    assert "cities" in page.read_text(encoding="utf-8"), "the page of the step has the summary"


def test_a_gate_that_fails_stops_the_workflow_and_is_marked(checkout: Path) -> None:
    rows = checkout / "eval" / "rows.csv"
    rows.write_text(rows.read_text(encoding="utf-8").replace("Rome", "Bergen"), encoding="utf-8")
    command = steps_of(".github/workflows/evaluate.yml")[-2]["run"]
    done = run(checkout, command, GITHUB_ACTIONS="true")
    assert done.returncode == 1
    assert "::error" in done.stdout


def test_the_workflow_that_compares_gives_the_action_what_it_takes() -> None:
    action = read_yaml(ROOT / "action.yml")
    given = steps_of(".github/workflows/compare.yml")[-1]["with"]
    needed = {name for name, one in action["inputs"].items() if one.get("required")}
    assert needed <= given.keys() <= action["inputs"].keys()
    listed = re.findall(r"^\| `([a-z-]+)` \|", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {*listed} == action["inputs"].keys() - {"token"}, "the page lists the inputs"


def test_the_job_of_gitlab_runs_as_it_is_printed(checkout: Path) -> None:
    job = yaml.safe_load(FILES[".gitlab-ci.yml"])["evaluate"]
    for script in job["script"]:
        done = run(checkout, script)
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
    wanted = [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]
    assert [name for name in wanted if not (checkout / name).exists()] == []


def test_the_hook_of_pre_commit_checks_the_suites_of_the_page(checkout: Path) -> None:
    (used,) = yaml.safe_load(FILES[".pre-commit-config.yaml"])["repos"][0]["hooks"]
    hooks = read_yaml(checkout / "path/to/structured-evaluators" / ".pre-commit-hooks.yaml")
    (hook,) = [one for one in hooks if one["id"] == used["id"]]
    assert re.search(hook["files"], "eval/suite.yaml")
    shutil.copy(checkout / "eval" / "suite.yaml", checkout / "eval" / "invoices.suite.yaml")
    assert run(checkout, f"{hook['entry']} eval/suite.yaml eval/invoices.suite.yaml").returncode == 0
    (checkout / "eval" / "suite.yaml").write_text("evaluators: [exact_mach]\n", encoding="utf-8")
    done = run(checkout, f"{hook['entry']} eval/suite.yaml")
    assert done.returncode == 2
    assert "exact_match" in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["run", "report"])
def test_help_lists_every_ending_that_is_written(name: str) -> None:
    text = cli(name, "--help").stdout
    endings = {suffix for word in FORMATS.names() for suffix in FORMATS.find(word).suffixes}
    assert endings >= {".html", ".json", ".csv"}
    assert sorted(ending for ending in endings if ending not in text) == []
