"""The action for GitHub: its shell steps are run as a runner runs them, with real files in the places of GITHUB_….

What is a service there is a file here: `gh` is a program that finds the artifact of an earlier run in a folder. Steps that use other
actions (setting up Python, keeping an artifact) are done by the test.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.commands import program
from tests.kit import cli, read_yaml

ROOT = Path(__file__).parents[2]
ACTION = read_yaml(ROOT / "action.yml")
HOOKS = read_yaml(ROOT / ".pre-commit-hooks.yaml")

SUITE = """\
evaluators:
  - exact_match
gates:
  exact_match: {fail_below: 0.5}
"""
GH = """\
#!/bin/sh
# finds what was kept: the run that is called like the branch, and in it the artifact
echo "$@" >> "$CALLS"
if [ "$2" = list ]; then
  while [ "$1" != --branch ]; do shift; done
  [ -d "$KEPT/$2" ] && echo "$2"
  exit 0
fi
run=$3
while [ "$1" != --name ]; do shift; done
[ -d "$KEPT/$run/$2" ] && cp -R "$KEPT/$run/$2" "$4"
"""


@dataclass
class Runner:
    """A machine that runs the action: a folder for each place that GitHub names."""

    home: Path
    event: dict[str, str] = field(default_factory=dict)
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    said: str = ""

    def run(self, **given: str) -> int:
        """Runs every step of the action. Gives the exit code of the last one that failed, or 0."""
        inputs = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
        inputs |= {name.replace("_", "-"): value for name, value in given.items()}
        ended = 0
        for step in ACTION["runs"]["steps"]:
            always, condition = "always()" in step.get("if", ""), step.get("if", "").replace("always() && ", "")
            if (ended and not always) or not self._holds(condition, inputs):
                continue
            if "uses" in step:
                if step["uses"].startswith("actions/upload-artifact"):
                    wanted = {name: self._filled(value, inputs) for name, value in step["with"].items()}
                    shutil.copytree(self.home / wanted["path"], self.home / "uploaded" / wanted["name"])
                continue
            ended = self._shell(step, inputs) or ended
        return ended

    def _shell(self, step: dict[str, Any], inputs: dict[str, str]) -> int:
        output = self.home / "output.txt"
        output.write_text("")
        own = {name: self._filled(value, inputs) for name, value in step.get("env", {}).items()}
        environment = os.environ | {
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.home / "summary.md"),
            "GITHUB_REPOSITORY": "someone/something",
            "GITHUB_WORKFLOW_REF": "someone/something/.github/workflows/evaluate.yml@refs/pull/1/merge",
            "GITHUB_ACTIONS": "true",
            "RUNNER_TEMP": str(self.home / "temp"),
            "KEPT": str(self.home / "kept"),
            "CALLS": str(self.home / "calls.txt"),
            **own,
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.home, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
        )  # fmt: skip
        self.said += done.stdout
        pairs = (line.partition("=") for line in output.read_text(encoding="utf-8").splitlines())
        self.steps[step.get("id", step["name"])] = {name: value for name, _, value in pairs}
        return done.returncode

    def _filled(self, text: str, inputs: dict[str, str]) -> str:
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self._value(found[1], inputs), text)

    def _value(self, expression: str, inputs: dict[str, str]) -> str:
        """`inputs.package || github.action_path`: the first that is not empty."""
        for part in expression.split(" || "):
            room, _, name = part.partition(".")
            if room == "steps":
                step, _, output = name.partition(".outputs.")
                found = self.steps.get(step, {}).get(output, "")
            else:
                found = (inputs if room == "inputs" else self.event)[name]
            if found:
                return found
        return ""

    def _holds(self, condition: str, inputs: dict[str, str]) -> bool:
        if condition in ("", "always()"):
            return True
        left, unequal, right = re.fullmatch(r"(\S+) (!=) '(.*)'", condition).groups()  # type: ignore[union-attr]  # else it fails
        return unequal == "!=" and self._value(left, inputs) != right


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """A machine with a suite, and with the programs that the action calls."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (tmp_path / "temp").mkdir()
    (tmp_path / "kept").mkdir()
    program(programs)
    (programs / "gh").write_text(GH)
    (programs / "gh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "suite.yaml").write_text(SUITE)
    event = {"token": "t", "base_ref": "", "action_path": str(ROOT)}
    return Runner(tmp_path, event)


def write_rows(runner: Runner, right: int, name: str = "rows.csv") -> None:
    rows = [f"{number},a,{'a' if number < right else 'b'}" for number in range(12)]
    (runner.home / name).write_text("\n".join(["id,expected,output", *rows]) + "\n")


def act(runner: Runner, **given: str) -> int:
    return runner.run(
        suite="suite.yaml", **{"test_set": "rows.csv", "package": "none", "python_version": "none", **given}
    )


def test_a_run_that_passes_is_kept_and_has_its_page(runner: Runner) -> None:
    write_rows(runner, 12)
    assert act(runner, arguments="--lowest-fields 3 --hardest 2") == 0, runner.said
    assert runner.steps["score"] == {"exit-code": "0", "run": "runs/evaluation"}
    assert (runner.home / "uploaded" / "evaluators-run" / "run.json").is_file()
    assert "exact_match" in (runner.home / "summary.md").read_text(encoding="utf-8")
    assert not (runner.home / "calls.txt").exists()


def test_a_gate_that_fails_is_marked_and_fails_the_action(runner: Runner) -> None:
    write_rows(runner, 3)
    assert act(runner) == 1
    assert "::error" in runner.said
    assert runner.steps["verdict"] == {"exit-code": "1"}
    assert (runner.home / "uploaded" / "evaluators-run" / "run.json").is_file()


def test_a_suite_with_a_mistake_is_marked_at_its_line(runner: Runner) -> None:
    (runner.home / "suite.yaml").write_text("evaluators:\n  - exact_mtch\n")
    write_rows(runner, 12)
    assert act(runner) == 2
    assert "::error file=suite.yaml,line=2" in runner.said
    assert runner.steps["score"] == {"exit-code": "2"}
    assert not (runner.home / "uploaded").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("before", "now", "code"), [(12, 12, 0), (12, 6, 1), (6, 12, 0)])
def test_a_pull_request_is_compared_with_the_last_green_run_of_its_base(
    runner: Runner, before: int, now: int, code: int
) -> None:
    write_rows(runner, before)
    assert act(runner) == 0
    shutil.move(runner.home / "uploaded", runner.home / "kept" / "main")
    write_rows(runner, now)
    runner.event["base_ref"] = "main"
    assert act(runner) == code, runner.said
    assert runner.steps["score"]["exit-code"] == "0"
    assert runner.steps["compare"]["exit-code"] == str(code)
    called = (runner.home / "calls.txt").read_text(encoding="utf-8")
    assert "--workflow evaluate.yml --branch main --event push --status success" in called


@pytest.mark.slow
def test_what_is_given_to_the_action_is_never_read_by_the_shell(runner: Runner) -> None:
    write_rows(runner, 12)
    name = "$(touch taken);`touch taken`.csv"
    (runner.home / "rows.csv").rename(runner.home / name)
    assert act(runner, test_set=name, arguments="--limit 2 --seed $(touch${IFS}taken)") == 2
    assert act(runner, test_set=name, artifact="again") == 0
    assert not (runner.home / "taken").exists()
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), "an expression in a script is filled in before the shell reads it"


def test_every_input_and_output_of_the_action_is_described() -> None:
    for each in (*ACTION["inputs"].values(), *ACTION["outputs"].values()):
        assert each["description"].endswith(".")


def test_the_hook_checks_every_suite_that_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (hook,) = HOOKS
    program, *words = hook["entry"].split()
    assert program == "evaluators"
    Path("suite.yaml").write_text(SUITE)
    Path("b.suite.yml").write_text("evaluators: [exact_mtch]\n")
    Path("c-suite.yaml").write_text("evaluators: [contains]\n")
    files = ["suite.yaml", "b.suite.yml", "c-suite.yaml"]
    assert all(re.search(hook["files"], file) for file in (*files, "eval/suite.yaml"))
    assert not re.search(hook["files"], "test-suites.yaml")
    done = cli(*words, *files)
    assert done.exit_code == 2
    assert "suite.yaml: no problems" in done.stdout
    assert "b.suite.yml:1:14: unknown" in done.stderr
    assert "c-suite.yaml:1:14" in done.stderr
    assert cli(*words, *files[:1]).exit_code == 0


def test_a_test_set_is_for_one_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("suite.yaml").write_text(SUITE)
    done = cli("check", "suite.yaml", "suite.yaml", "rows.csv")
    assert done.exit_code == 2
    assert "a test set is checked with one suite" in done.stderr
