"""The command `new`: what it writes works as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result

import evaluators
from tests.kit import cli

ROOT = Path(evaluators.__file__).parent.parent
LINE = "# yaml-language-server: $schema=suite.schema.json"
KINDS = [("evaluator", "enough_digits"), ("comparator", "starts_alike")]


pytestmark = pytest.mark.usefixtures("folder")


def new(*words: str) -> Result:
    return cli("new", *words)


def tool(*words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        [sys.executable, "-m", *words], capture_output=True, encoding="utf-8", env=environment, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_skeletons_are_clean_typed_and_pass_their_own_cases() -> None:
    for kind, name in KINDS:
        assert new(kind, name).exit_code == 0
    config = str(ROOT / "pyproject.toml")
    tool("ruff", "check", "--no-cache", "--config", config, ".")
    tool("ruff", "format", "--no-cache", "--check", "--config", config, ".")
    tool("mypy", "--config-file", config, "--cache-dir", str(ROOT / ".mypy_cache"), *(f"{name}.py" for _, name in KINDS))
    assert "12 passed" in tool("pytest", "-q", "-p", "no:cacheprovider")


def test_the_files_are_named_and_the_next_steps_said() -> None:
    found = new("evaluator", "enough_digits")
    assert (found.exit_code, found.stderr) == (0, "")
    assert (
        found.stdout
        == """\
wrote enough_digits.py
wrote enough_digits.yaml
wrote test_enough_digits.py

Next:
1. Change enough_digits.py. Its docstring becomes its page: evaluators explain enough_digits --register enough_digits.py
2. Add cases to enough_digits.yaml, and run them: python -m pytest test_enough_digits.py
   This needs pytest: pip install pytest
3. Make the name known, in one of three ways.
   On the command line, name the file:

       evaluators run suite.yaml --register enough_digits.py

   In a program of yours, name the file before you load a suite:

       evaluators.register_file("enough_digits.py")

   In a package of yours, for every command, add to pyproject.toml and install the package:

       [project.entry-points."evaluators.scoring.evaluators"]
       enough_digits = "your_package.enough_digits:EnoughDigits"
"""
    )


def test_a_comparator_in_a_file_is_known_where_the_command_names_it(folder: Path) -> None:
    assert new("comparator", "starts_alike").exit_code == 0
    (folder / "rows.csv").write_text('output,expected\n"{""a"": ""abcd""}","{""a"": ""abce""}"\n', encoding="utf-8")
    (folder / "suite.yaml").write_text(
        "name: s\nevaluators: [{json_multi_field_match: {fields: {a: starts_alike}}}]\n", encoding="utf-8"
    )
    for words in (["run", "suite.yaml", "rows.csv", "-q"], ["run", "suite.yaml", "rows.csv", "-q", "--workers", "2"]):
        assert tool("evaluators", *words, "--register", "starts_alike.py") == "s: finished\n"
    assert "fits the test set" in tool("evaluators", "check", "suite.yaml", "rows.csv", "--register", "starts_alike.py")
    assert "start with the same characters" in tool(
        "evaluators", "explain", "starts_alike", "--register", "starts_alike.py"
    )
    assert 'unknown comparator "starts_alike"' in cli("check", "suite.yaml").stderr
    refused = cli("run", "suite.yaml", "--register", "none.py")
    assert (refused.exit_code, refused.stderr.splitlines()[0]) == (2, "none.py: there is no such file")


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_nothing_is_overwritten_unasked(folder: Path, kind: str, name: str) -> None:
    (folder / f"{name}.yaml").write_text("mine", encoding="utf-8")
    found = new(kind, name)
    assert found.exit_code == 2
    assert found.stderr == (
        f"{name}.yaml: there is such a file already, and nothing has been written\n"
        "  hint: --force replaces it\n1 problem found.\n"
    )
    assert not (folder / f"{name}.py").exists()
    assert new(kind, name, "--force").exit_code == 0
    assert (folder / f"{name}.yaml").read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("evaluator", "HasDigits", '"HasDigits" cannot be the name of an evaluator'),
        ("evaluator", "has.digits", '"has.digits" cannot be the name of an evaluator'),
        ("comparator", "../x", '"../x" cannot be the name of a comparator'),
        ("evaluator", "class", '"class" cannot be the name of an evaluator'),
        ("evaluator", "length", '"length" ships with the package'),
        ("comparator", "fuzzy", '"fuzzy" ships with the package'),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(kind: str, name: str, said: str) -> None:
    found = new(kind, name)
    assert found.exit_code == 2
    assert said in found.stderr


@pytest.mark.parametrize("name", ["first", "first.yaml", 'my "first": suite.yml'])
def test_a_new_suite_checks_and_runs(folder: Path, name: str) -> None:
    found = new("suite", name, "--folder", "suites")
    assert found.exit_code == 0
    (file,) = set((folder / "suites").iterdir()) - {folder / "suites" / "suite.schema.json"}
    assert found.stdout.splitlines()[:2] == [
        f"wrote {Path('suites', 'suite.schema.json')}", f"wrote {Path('suites', file.name)}"
    ]  # fmt: skip
    (folder / "rows.csv").write_text("output,expected\nOslo,oslo\n", encoding="utf-8")
    checked = cli("check", str(file), "rows.csv")
    assert (checked.exit_code, checked.stderr) == (0, "")
    assert checked.stdout.endswith("The suite fits the test set.\n")


def test_a_suite_names_the_schema_that_is_written_beside_it(folder: Path) -> None:
    assert new("suite", "first").exit_code == 0
    assert (folder / "first.yaml").read_text(encoding="utf-8").splitlines()[0] == LINE
    schema = (folder / "suite.schema.json").read_text(encoding="utf-8")
    assert schema == cli("schema").stdout
    (folder / "suite.schema.json").write_text("{}", encoding="utf-8")
    assert new("suite", "second").stdout.startswith("wrote second.yaml\n")
    assert (folder / "second.yaml").read_text(encoding="utf-8").startswith(LINE)
    assert (folder / "suite.schema.json").read_text(encoding="utf-8") == "{}"


def test_a_suite_names_no_schema_that_cannot_be_written(folder: Path) -> None:
    (folder / "suite.schema.json").mkdir()
    assert new("suite", "first").exit_code == 0
    assert "$schema" not in (folder / "first.yaml").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_made_is_said(folder: Path) -> None:
    (folder / "taken").write_text("", encoding="utf-8")
    found = new("suite", "first", "--folder", "taken")
    assert found.exit_code == 3
    assert "the file cannot be written" in found.stderr
