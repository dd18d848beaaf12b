"""The hook in the real pre-commit: it is installed from a copy of this repository, and runs on the suites of another one.

There is no network: what pip would fetch stands in this environment, so the hook's own environment is given it by its path.
"""

from __future__ import annotations

import os
import shutil
import site
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hosts.environments import ROOT

PARTS = ("evaluators", "configs", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
RIGHT = "evaluators: [exact_match]\n"
WRONG = "evaluators:\n  - exact_mtch\n"


@pytest.fixture
def hook(tmp_path: Path) -> Path:
    """A repository with this package and its hook."""
    folder = tmp_path / "package"
    folder.mkdir()
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part, ignore=not_ours)
        else:
            shutil.copy(ROOT / part, folder / part)
    return committed(folder)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with two suites, one of them wrong, and YAML that is no suite."""
    folder = tmp_path / "project"
    (folder / "eval").mkdir(parents=True)
    (folder / "eval" / "suite.yaml").write_text(RIGHT)
    (folder / "other.suite.yml").write_text(WRONG)
    (folder / "compose.yaml").write_text("services: {}\n")
    return committed(folder)


def not_ours(folder: str, names: list[str]) -> list[str]:
    """What stands beside our files and is not kept: bytecode, and the runs of the shipped suites."""
    return [name for name in names if name == "__pycache__" or (name == "runs" and "configs" in Path(folder).parts)]


def committed(folder: Path) -> Path:
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        git(folder, *words)
    return folder


def git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    named = ["-c", "user.name=tests", "-c", "user.email=tests@localhost", "-c", "safe.directory=*"]
    return run(["git", *named, *words], folder, check=True)


def run(command: list[str], folder: Path, *, check: bool = False) -> subprocess.CompletedProcess[str]:
    found = os.environ | {
        "PRE_COMMIT_HOME": str(folder.parent / "cache"),
        "PYTHONPATH": os.pathsep.join(site.getsitepackages()),
        "PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "VIRTUALENV_NO_PERIODIC_UPDATE": "1",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    return subprocess.run(
        command, cwd=folder, env=found, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=check
    )


def test_try_repo_runs_the_hook_on_suites_alone(hook: Path, project: Path) -> None:
    done = run(["pre-commit", "try-repo", str(hook), "evaluators-check", "--all-files", "--verbose"], project)
    assert done.returncode == 1, done.stdout
    assert "other.suite.yml:2:5: unknown" in done.stdout
    assert "eval/suite.yaml: no problems; 1 evaluator, 0 gates" in done.stdout
    assert "compose.yaml" not in done.stdout


def test_a_commit_with_a_wrong_suite_is_stopped(hook: Path, project: Path) -> None:
    revision = git(hook, "rev-parse", "HEAD").stdout.strip()
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {hook}\n    rev: {revision}\n    hooks: [{{id: evaluators-check}}]\n"
    )
    assert run(["pre-commit", "install"], project).returncode == 0
    git(project, "add", ".pre-commit-config.yaml")
    (project / "eval" / "suite.yaml").write_text(WRONG)
    git(project, "add", "-A")
    with pytest.raises(subprocess.CalledProcessError) as stopped:
        git(project, "commit", "-m", "wrong")
    assert "eval/suite.yaml:2:5: unknown" in stopped.value.output
    (project / "eval" / "suite.yaml").write_text(f"# changed\n{RIGHT}")
    git(project, "add", "-A")
    assert "Passed" in git(project, "commit", "-m", "right").stdout


def test_the_manifest_is_one_that_pre_commit_reads() -> None:
    done = run(["pre-commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")], ROOT)
    assert done.returncode == 0, done.stdout
