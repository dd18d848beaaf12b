"""The files of the page "where does my code go" work: each is added to a copy of the package, and nothing else is changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import evaluators
from tests.docs.blocks import blocks

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "contributing" / "where-does-my-code-go.md"

SUITE = """
name: everything new
test_set: rows.psv
judge: {agreeable: {}}
evaluators:
  - has_digits
  - json_multi_field_match: {fields: {card: {ends_alike: {length: 2}}}}
  - llm_judge: {rubric: Is it polite?, pass_at: 0.5}
tracking: [logbook]
"""
ROWS = 'output|expected\n{"card": "x-12"}|{"card": "y-12"}\n{"card": "none"}|{"card": "y-12"}\n'
ENGINE = """
from evaluators.runs.engines.engine import ENGINES
print(*ENGINES.find("backwards")().map(lambda task, _stopped: task.upper(), ["a", "b"]))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("copy")
    shutil.copytree(
        Path(evaluators.__file__).parent, place / "evaluators", ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
    )
    for block in blocks(PAGE):
        if block.file is not None:
            assert not (place / block.file).exists()
            (place / block.file).write_text(block.text, encoding="utf-8")
    (place / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (place / "rows.psv").write_text(ROWS, encoding="utf-8")
    return place


def python(place: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], cwd=place, env={**os.environ, "PYTHONPATH": str(place)}, encoding="utf-8",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.slow
def test_a_suite_that_uses_every_new_file_runs(place: Path) -> None:
    python(place, "-m", "evaluators", "run", "suite.yaml", "--name", "first", "-o", "run.line")
    assert (place / "run.line").read_text(encoding="utf-8") == "everything new: 2 rows\n"
    assert (place / "runs.log").read_text(encoding="utf-8").endswith(" everything new\n")
    written = json.loads((place / "runs" / "first" / "run.json").read_text(encoding="utf-8"))
    means = {one["name"]: one["mean"] for one in written["evaluators"]}
    assert means == {"has_digits": 0.5, "json_multi_field_match": 0.5, "llm_judge": 1.0}


def test_a_new_engine_is_found_by_its_name(place: Path) -> None:
    assert python(place, "-c", ENGINE) == "B A\n"


def test_a_new_command_is_listed_and_runs(place: Path) -> None:
    assert python(place, "-m", "evaluators", "hello") == "hello\n"
    assert "hello" in python(place, "-m", "evaluators", "--help")


def test_new_plugs_are_listed_with_their_first_sentence(place: Path) -> None:
    listed = python(place, "-m", "evaluators", "list")
    assert "The two texts end with the same characters." in listed
    assert "Pass when the output holds at least one digit." in listed
