"""Scoring again after a change: when it happens, and what is said to have moved."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluators import load
from evaluators.api.rescoring import files_of, moved, watch
from evaluators.api.run_request import RunRequest
from evaluators.run.result import RunResult

SUITE = """\
test_set: rows.csv
evaluators:
  - json_multi_field_match: {fields: [city]}
gates: {json_multi_field_match: {fail_below: 0.9}}
"""
WRONG = 'output,expected\n"{""city"": ""Rome""}","{""city"": ""Roma""}"\n'
RIGHT = WRONG.replace("Rome", "Roma")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "rows.csv").write_text(WRONG, encoding="utf-8")
    file = tmp_path / "suite.yaml"
    file.write_text(SUITE, encoding="utf-8")
    return file


def scored(suite: Path) -> RunResult:
    return load(suite).run().result


def test_the_files_of_a_run_are_its_suite_its_base_and_its_rows(suite: Path) -> None:
    (suite.parent / "base.yaml").write_text("name: base\n", encoding="utf-8")
    suite.write_text(f"extends: base.yaml\n{SUITE}", encoding="utf-8")
    assert {file.name for file in files_of(load(suite), RunRequest())} == {"base.yaml", "suite.yaml", "rows.csv"}


def test_nothing_is_scored_again_until_a_file_changes(suite: Path) -> None:
    rows = suite.parent / "rows.csv"
    runs = 0

    def score() -> RunResult:
        nonlocal runs
        runs += 1
        return scored(suite)

    def events() -> Iterator[int]:
        yield 1
        yield 2
        rows.write_text(RIGHT + RIGHT.splitlines()[1] + "\n", encoding="utf-8")
        yield 3
        yield 4

    found = list(watch(score, lambda: [suite, rows], events()))
    assert (runs, len(found)) == (2, 2)
    assert found[0][1] == ()
    assert found[1][1] == (
        "rows: 1 → 2",
        "json_multi_field_match: mean 0.0000 → 1.0000 (+1.0000)",
        "json_multi_field_match, city: accuracy 0.0000 → 1.0000 (+1.0000)",
        "gate json_multi_field_match: failed → passed",
    )


def test_a_mistake_in_between_is_compared_with_nothing(suite: Path) -> None:
    results = iter([scored(suite), None, scored(suite)])

    def events() -> Iterator[int]:
        for number in range(2):
            suite.write_text(f"{SUITE}# {'x' * (number + 1)}\n", encoding="utf-8")
            yield number

    found = list(watch(lambda: next(results), lambda: [suite], events()))
    assert [lines for _, lines in found] == [(), (), ("no figure moved",)]


def test_an_evaluator_that_comes_and_one_that_goes(suite: Path) -> None:
    before = scored(suite)
    suite.write_text("test_set: rows.csv\nevaluators: [exact_match]\n", encoding="utf-8")
    assert list(moved(before, scored(suite))) == ["exact_match: new, mean 0.0000", "json_multi_field_match: gone"]


@pytest.mark.slow
def test_the_command_scores_again_and_ends_with_ctrl_c(suite: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "evaluators", "run", str(suite), "--watch"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        said = _until_watching(process.stdout)
        assert "0.0000" in said
        (suite.parent / "rows.csv").write_text(RIGHT + "\n", encoding="utf-8")
        again = _until_watching(process.stdout)
        assert "- json_multi_field_match: mean 0.0000 → 1.0000 (+1.0000)" in again
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 130
        assert not (suite.parent / "runs").exists()
    finally:
        process.kill()
        process.wait()


def _until_watching(lines: Iterator[str]) -> str:
    said = ""
    for line in lines:
        said += line
        if line.startswith("Watching"):
            return said
    return said
