"""`run --watch`: a run again after every change of its files, compared with the run before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluators.cli import _watch
from tests.waiting import PATIENCE

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


def watched(suite: Path, monkeypatch: pytest.MonkeyPatch, *changes: Callable[[], object]) -> None:
    """Watches until the changes are made, one at each look, and nothing happens any more."""
    waiting = iter(changes)

    def pause(seconds: float) -> None:
        change = next(waiting, None)
        if change is None:
            raise KeyboardInterrupt
        change()

    monkeypatch.setattr(time, "sleep", pause)
    with pytest.raises(KeyboardInterrupt):
        _watch.watch_run(str(suite), None, {"summary": True})


def test_nothing_is_scored_again_until_a_file_changes(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, base = suite.parent / "rows.csv", suite.parent / "base.yaml"
    base.write_text("name: base\n", encoding="utf-8")
    suite.write_text(f"extends: base.yaml\n{SUITE}", encoding="utf-8")
    watched(suite, monkeypatch, lambda: None, lambda: rows.write_text(RIGHT + "\n", encoding="utf-8"), lambda: None)
    first, second, end = capsys.readouterr().out.split("Watching 3 files. Ctrl-C ends it.\n")
    assert "gate failed" in first
    assert "1 fixed, 0 broken" in second
    assert "base: passed" in second
    assert "view RUN" not in first + second
    assert end == ""


def test_another_comparator_is_scored_and_compared_with_the_one_before(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    forgiving = SUITE.replace("[city]", "{city: {fuzzy: {at_least: 0.5}}}")
    watched(suite, monkeypatch, lambda: suite.write_text(forgiving, encoding="utf-8"), lambda: None)
    said = capsys.readouterr().out.split("Watching 2 files. Ctrl-C ends it.\n")[1]
    assert said.startswith("suite: passed\n")
    assert "1 row in both runs: 1 fixed, 0 broken, 0 unchanged" in said
    assert '- the evaluator "json_multi_field_match" has other settings: fields' in said


def test_a_mistake_in_between_is_said_and_compared_with_nothing(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    watched(
        suite, monkeypatch, lambda: suite.write_text("evaluators: [exat_match]\n", encoding="utf-8"),
        lambda: suite.write_text(f"{SUITE}# the same\n", encoding="utf-8"),
    )  # fmt: skip
    said = capsys.readouterr()
    assert "exact_match" in said.err
    assert ["1 row in both runs" in part for part in said.out.split("Watching 2 files. Ctrl-C ends it.\n")] == [
        False,
        False,
        True,
        False,
    ]


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
        assert "1 fixed, 0 broken" in again
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
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
