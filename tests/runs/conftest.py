"""A small test set with everything that can happen to a row, and a way to score it in any number of pieces."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from evaluators.api.loading import load
from evaluators.api.suite import Suite
from evaluators.runs.driver import VariantRun, score_variant
from evaluators.runs.engines.engine import ENGINES, Engine, Result, Stopped, Task, never
from evaluators.runs.figures import Measured
from evaluators.runs.job import Job, layout_of
from evaluators.runs.observer import Observer
from evaluators.runs.preparing import prepare
from evaluators.runs.record_checks import stored_rows
from evaluators.runs.record_lines import code_lines
from evaluators.runs.recorder import Recording
from evaluators.runs.row_writer import RowWriter
from evaluators.runs.run_db import RunDb
from evaluators.runs.run_rows import RunRows
from evaluators.runs.split_result import FirstRows
from evaluators.testsets.readers import jsonl

SUITE: dict[str, Any] = {
    "evaluators": [
        {"weighted_mean": {"name": "overall", "of": {"header": 2, "json_diff_match": 1}}},
        "exact_match",
        "contains_json",
        {
            "json_multi_field_match": {
                "name": "header",
                "fields": {"a": "exact", "b.c": "numeric", "items[*].n": "numeric"},
            }
        },
        {"type": "json_diff_match", "needs": ["contains_json"]},
        "json_field_match_normalized",
    ],
    "slices": ["row.group"],
}
WHOLE: dict[str, Any] = {**SUITE, "repeats": "row.question", "confidence": "row.conf"}


def row(number: int) -> dict[str, Any]:
    """One of some two hundred rows: most are fine, some are wrong, some cannot be read."""
    random = Random(number)
    expected = {"a": f"A{number % 5}", "b": {"c": number % 7}, "items": [{"n": n} for n in range(number % 4)]}
    output: Any = json.loads(json.dumps(expected))
    kind = random.randrange(8)
    if kind == 1:
        output["a"] = "wrong"
    elif kind == 2:
        output["b"]["c"] += 1
        output["x é"] = [1]
    elif kind == 3:
        del output["b"]
    elif kind == 4:
        output["items"].append({"n": -1})
    text = "there is none" if kind == 5 else json.dumps(output, ensure_ascii=False)
    wanted = "not json" if kind == 6 else json.dumps(expected)
    found: dict[str, Any] = {"id": f"row-{number}", "output": text, "expected": wanted, "group": "abc"[number % 3],
                             "question": f"q{number % 67}", "conf": (number * number % 101) / 90}  # fmt: skip
    if kind == 7:
        del found["output"]
    return found


def lines_of(rows: Iterable[dict[str, Any]]) -> str:
    """JSON lines, with a blank line here and there."""
    text = [json.dumps(one, ensure_ascii=False) + "\n" for one in rows]
    return "".join(line + ("\n" if place % 40 == 7 else "") for place, line in enumerate(text))


class Shuffled(Engine):
    """Runs every task at once, and hands the results over in an order of its own: one for each number of workers."""

    def map(
        self, run: Callable[[Task, Stopped], Result], tasks: Iterable[Task], stopped: Stopped = never
    ) -> Iterator[Result]:
        results = [run(task, stopped) for task in tasks]
        Random(self.parallel).shuffle(results)
        return iter(results)


@dataclass
class Bench:
    """Scores a test set; what comes out can be compared to the byte."""

    folder: Path
    patch: pytest.MonkeyPatch
    rows: list[dict[str, Any]] = field(default_factory=lambda: [row(number) for number in range(200)])
    suite: dict[str, Any] = field(default_factory=lambda: WHOLE)
    runs: int = 0

    def job(self, splits: int = 1, most: int | None = 3, chunk: int = 2_000) -> tuple[Suite, Job]:
        """The test set, cut into about so many splits, and what is to be done with each."""
        file = self.folder / "rows.jsonl"
        if not file.exists():
            file.write_text(lines_of(self.rows), encoding="utf-8")
        self.patch.setattr(jsonl, "SPLIT_BYTES", max(1, -(-file.stat().st_size // splits)))
        self.patch.setattr(jsonl, "CHUNK_BYTES", chunk)
        suite = load(self.suite)
        prepared = prepare(suite, str(file))
        self.runs += 1
        job = Job(
            suite.for_workers(), prepared.test_set, prepared.roles, suite.reading, suite.config.slices,
            Recording(most, "all", columns=prepared.test_set.header, small=0, first_rows=0), cluster=suite.cluster,
            measures=suite.measures, repeats=suite.repeats is not None, confidence=suite.confidence.column,
        )  # fmt: skip
        return suite, job

    def score(
        self, engine: Engine | None = None, *, stopped: Callable[[], bool] = lambda: False, **options: Any
    ) -> tuple[Measured, dict[str, bytes]]:
        """What the rows came to, and the stored files by name."""
        suite, job = self.job(**options)
        rows = RunRows(RunDb(self.folder / f"{self.runs}.db"), 0, layout_of(job, suite.lines))
        run = VariantRun("rows.jsonl", job, suite.lines, RowWriter(rows))
        measured = score_variant(run, engine or ENGINES.find("in_process")(), Observer(stopped))
        sums = measured.sums
        # what may differ with the cut: hints look at the first split, and splits do not know what others recorded
        sums.first_rows, sums.recorded = FirstRows(), {}
        codes = code_lines([line.name for line in suite.lines], rows.verdicts())
        stored = {
            "rows": msgspec.json.Encoder().encode_lines(stored_rows(rows, "rows")), "codes": b"".join(code + b"\n" for code in codes),
            "outcomes": "".join(f"{line}\n" for line in rows.lines("outcomes")).encode(),
            "cells": "".join(f"{line}\n" for line in rows.lines("cells")).encode(),
        }  # fmt: skip
        return measured, stored


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


@pytest.fixture
def shuffled() -> type[Shuffled]:
    return Shuffled
