"""Drawn suites over drawn rows: a row that is scored by its trace is scored as it is in full."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import load
from evaluators.issues import Problems
from evaluators.model import MISSING
from evaluators.plan import traced_rows
from evaluators.plan.suite_plan import Reading
from evaluators.plan.traced_rows import TracedRows, view_of
from evaluators.run import job
from evaluators.testsets import delimited, delimited_rows
from evaluators.testsets.readers import jsonl
from tests.run.drawn_runs import Drawing

ROLES = {"id": "id", "output": "output", "expected": "expected"}
COLUMNS = ("output", "expected", "second", "other", "group")


def drawn(seed: int) -> tuple[Drawing, Any]:
    """The first drawing from the seed on whose suite can be read."""
    for number in range(seed * 1000, (seed + 1) * 1000):
        drawing = Drawing(number)
        try:
            return drawing, load(drawing.suite)
        except Problems:
            continue
    raise AssertionError("no suite can be read")


def counted(rows: TracedRows, place: int, note: Any) -> Any:
    """What was counted by path in one row, without what is 0."""
    if note is None:
        return None
    paths = {path: tuple(counts) for path, counts in rows.summed(place, dict(note.counts)).items() if any(counts)}
    return paths, {detail: count for detail, count in note.details.items() if count}


@pytest.mark.parametrize("seed", range(8))
def test_what_a_trace_says_is_what_each_of_its_rows_says(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing, suite = drawn(seed)
    options = drawing.suite["test_set"]
    reading = Reading(
        unreadable=options.get("unreadable_output", "fail"), empty_expected=options.get("empty_expected", "invalid")
    )
    view = view_of(suite.lines, ROLES, reading)
    if view is None:
        return
    monkeypatch.setattr(traced_rows, "LEARNED_ROWS", drawing.random.choice([200, 30, 5]))
    traced, in_full = (TracedRows(view, ROLES, reading, {}) for _ in range(2))
    columns = {name: [row.get(name, MISSING) for row in drawing.rows] for name in COLUMNS}
    traced.learn({name: cells[: traced_rows.LEARNED_ROWS] for name, cells in columns.items()})
    slots, notes = in_full._scored(columns, len(drawing.rows))
    for row, number in enumerate(traced.find(columns, len(drawing.rows))):
        for place, one in enumerate(in_full._plan.evaluators if number >= 0 else ()):
            said = traced.rows[number]
            assert said.verdicts[place] == slots[one.verdicts][row], (one.line.name, drawing.rows[row])
            assert counted(traced, place, said.notes[place]) == counted(in_full, place, notes[place][row]), drawing.rows[
                row
            ]


@pytest.mark.parametrize("kind", ["text.jsonl", "documents.jsonl", "cells.csv"])
@pytest.mark.parametrize("splits", [1, 3])
def test_run_folders_are_the_same(kind: str, splits: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawing, suite = drawn(20 + splits)
    file = tmp_path / kind
    file.write_bytes(drawing.csv() if file.suffix == ".csv" else drawing.jsonl(documents=kind.startswith("documents")))
    for module in (jsonl, delimited):
        monkeypatch.setattr(module, "SPLIT_BYTES", -(-file.stat().st_size // splits))
    for module in (jsonl, delimited_rows):
        monkeypatch.setattr(module, "CHUNK_BYTES", 20_000)

    def run(name: str) -> tuple[Any, dict[str, bytes]]:
        result = suite.run(file, results=tmp_path / name, name="run")
        files = [one for one in sorted((tmp_path / name).rglob("*")) if one.is_file() and one.name != "environment.json"]
        return result.exit_code, {one.name: one.read_bytes() for one in files}

    by_trace = run("by trace")
    monkeypatch.setattr(job, "shared_rows", lambda *_: nullcontext())
    assert by_trace == run("in full")
