"""The files of the tracker `files`, read by the real DVC: figures, differences between commits, settings, plots."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluators.reports.tracking.metrics import metrics_of
from evaluators.reports.tracking.plugs.files import Files
from tests.hosts.table import ROWS, SUITE, Aggregate, Figures, assert_same_figures, figures, headline

DVC = Path(sys.executable).parent / "dvc"


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    """The same run after the model learned what invoice A-2 is called."""
    folder = tmp_path_factory.mktemp("later")
    (folder / "suite.yaml").write_bytes(SUITE.read_bytes())
    rows = ROWS.read_text(encoding="utf-8")
    (folder / "rows.csv").write_text(rows.replace('""A-7""', '""A-2""', 1), encoding="utf-8")
    return figures(folder, suite=folder / "suite.yaml")


@pytest.fixture(params=["in git", "without git"])
def repository(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that DVC looks after."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DVC_NO_ANALYTICS", "1")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    if request.param == "in git":
        run("git", "init", "--quiet")
        dvc("init", "--quiet")
    else:
        dvc("init", "--no-scm", "--quiet")
    return tmp_path


in_git = pytest.mark.parametrize("repository", ["in git"], indirect=True)


def run(*command: str) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def dvc(*words: str) -> str:
    return run(str(DVC), *words)


def commit(message: str) -> None:
    run("git", "add", "--all")
    run("git", "-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "--quiet", "--message", message)


def flat(data: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in data.items():
        yield from flat(value, f"{above}{key}/") if isinstance(value, dict) else [(above + key, value)]


def shown() -> dict[str, Any]:
    """The figures that `dvc metrics show` has, by our names."""
    found = json.loads(dvc("metrics", "show", "--json"))
    return dict(flat(found[""]["data"]["metrics/metrics.json"]["data"]))


def test_dvc_shows_the_figures_of_the_run(repository: Path, ours: Figures) -> None:
    Files().send(ours.record)
    found = shown()
    assert found == {**ours.metrics, **ours.main}
    assert_same_figures(
        {name: Aggregate(*(found[one] for one in headline(name))) for name in ours.evaluators},
        ours,
    )
    page = dvc("metrics", "show", "--md").splitlines()
    assert "evaluator.header.field.items.each.price.accuracy" in page[0]


@in_git
def test_dvc_compares_two_commits(repository: Path, ours: Figures, later: Figures) -> None:
    Files.model_validate({"metrics": "all"}).send(ours.record)
    commit("first")
    Files.model_validate({"metrics": "all"}).send(later.record)
    found = json.loads(dvc("metrics", "diff", "--json"))["metrics/metrics.json"]
    before, after = ({**metrics_of(one.record.result, every=True), **one.main} for one in (ours, later))
    changed = {name.replace("/", "."): (before[name], after[name]) for name in before if before[name] != after[name]}
    assert {name: (one["old"], one["new"]) for name, one in found.items()} == changed
    assert "evaluator.header.field.number.accuracy" in changed
    assert "| evaluator.header.field.number.accuracy" in re.sub(r".*json \|", "|", dvc("metrics", "diff", "--md"))
    params = json.loads(dvc("params", "diff", "--json"))["metrics/params.yaml"]
    assert [*params] == ["run.test_set_fingerprint"]


@in_git
def test_a_run_that_is_sent_again_makes_no_difference(repository: Path, ours: Figures) -> None:
    Files().send(ours.record)
    commit("first")
    Files().send(ours.record)
    assert run("git", "status", "--porcelain") == ""
    assert json.loads(dvc("metrics", "diff", "--json")) == {}


def points(page: Path) -> list[dict[str, Any]]:
    """The points that a page of DVC draws."""
    text = page.read_text(encoding="utf-8")
    specifications = re.findall(r"var spec = (\{.*?\});\n", text, re.DOTALL)
    assert len(specifications) == 1
    values: list[dict[str, Any]] = json.loads(specifications[0])["data"]["values"]
    return values


def test_dvc_draws_the_accuracy_of_each_field(repository: Path, ours: Figures) -> None:
    Files().send(ours.record)
    dvc("plots", "show", "--out", "page")
    drawn = {one["name"]: one["accuracy"] for one in points(repository / "page" / "index.html")}
    metrics = metrics_of(ours.record.result, every=True)
    fields = {
        name.removesuffix("/match") for name in metrics if name.startswith("evaluator/") and name.endswith("/match")
    }
    fields = {name for name in fields if "/field/" in name}
    assert {*drawn} == fields
    assert {name: float(value) for name, value in drawn.items() if value != ""} == {
        name: metrics[f"{name}/accuracy"] for name in fields if f"{name}/accuracy" in metrics
    }


@in_git
def test_dvc_draws_two_commits_beside_each_other(repository: Path, ours: Figures, later: Figures) -> None:
    Files().send(ours.record)
    commit("first")
    Files().send(later.record)
    dvc("plots", "diff", "HEAD", "workspace", "--out", "page")
    drawn = points(repository / "page" / "index.html")
    number = {one["rev"]: float(one["accuracy"]) for one in drawn if one["name"] == "evaluator/header/field/number"}
    assert number == {
        "HEAD": ours.metrics["evaluator/header/field/number/accuracy"],
        "workspace": later.metrics["evaluator/header/field/number/accuracy"],
    }
