"""Cells that are too long for a line of the run folder: the row is scored, and what was recorded can be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluators import load
from evaluators.runs import recorder
from evaluators.runs.reader import Run
from tests.kit import write_rows

SUITE = {"test_set": "rows.jsonl", "evaluators": ["exact_match", {"json_multi_field_match": {"fields": ["a", "b"]}}]}


def test_what_is_too_long_for_a_line_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "LONGEST", 2000)
    monkeypatch.setattr("evaluators.runs.record_lines._LONG", 500)
    monkeypatch.chdir(tmp_path)
    long = {"a": "x" * 3000, "b": 1}
    rows = [
        {"id": "1", "output": {"a": 1}, "expected": {"a": 2}},
        {"id": "2", "output": long, "expected": {**long, "a": "y"}},
        {"id": "3", "output": {"a": 1}, "expected": {"a": 2}},
    ]
    write_rows(Path("rows.jsonl"), rows)
    result = load(SUITE).run(results="runs", name="it")
    assert result["exact_match"].scored == 3
    folder = tmp_path / "runs" / "it"
    assert [line.row for line in Run(folder).cells()] == [1, 3]
    lines = [json.loads(line) for line in Run(folder).lines("outcomes")]
    (one,) = [line for line in lines if line.get("path") == "a" and line["row"] == 2]
    assert (one["status"], one["expected"]) == ("mismatch", "y")
    assert one["actual"] == "(3,002 bytes, too long to be kept)"
    assert len(list(Run(folder).each_row())) == 3
