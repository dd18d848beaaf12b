"""Drawn suites over drawn rows: a file that is cut into splits and chunks gives the folder of the whole file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import load
from evaluators.model.issues import Problems
from evaluators.testsets import delimited, delimited_rows
from evaluators.testsets.readers import jsonl
from tests.kit import tables_of
from tests.runs.drawn_runs import Drawing


def drawn(seed: int) -> tuple[Drawing, Any]:
    """The first drawing from the seed on whose suite can be read."""
    for number in range(seed * 1000, (seed + 1) * 1000):
        drawing = Drawing(number)
        try:
            return drawing, load(drawing.suite)
        except Problems:
            continue
    raise AssertionError("no suite can be read")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text.jsonl", "documents.jsonl", "cells.csv"])
@pytest.mark.parametrize("splits", [3, 7])
def test_run_folders_are_the_same_however_the_file_is_cut(
    kind: str, splits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing, suite = drawn(20 + splits)
    file = tmp_path / kind
    file.write_bytes(drawing.csv() if file.suffix == ".csv" else drawing.jsonl(documents=kind.startswith("documents")))

    def run(name: str) -> tuple[Any, dict[str, object]]:
        result = suite.run(file, results=tmp_path / name, name="run")
        files = [one for one in sorted((tmp_path / name).rglob("*")) if one.is_file() and one.name != "environment.json"]
        found: dict[str, object] = {one.name: one.read_bytes() for one in files if one.name != "run.db"}
        lines = tables_of(tmp_path / name / "run" / "run.db")
        return result.exit_code, {**found, "tables": [line for line in lines if 'INTO "splits"' not in line]}

    whole = run("whole")
    for module in (jsonl, delimited):
        monkeypatch.setattr(module, "SPLIT_BYTES", -(-file.stat().st_size // splits))
    for module in (jsonl, delimited_rows):
        monkeypatch.setattr(module, "CHUNK_BYTES", 20_000)
    assert run("cut") == whole
