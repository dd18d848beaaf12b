"""Exports of Label Studio, in which tasks far down say more than the first ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluators import load
from tests.kit import cli

FIRST = {"type": "choices", "value": {"choices": ["a"]}}


@pytest.mark.parametrize(
    "late", [{"type": "choices", "value": {"choices": ["a", "b"]}}, {"type": "rating", "value": {"rating": 3}}]
)
def test_tasks_far_down_that_say_more_are_compared_too(late: dict[str, Any], tmp_path: Path) -> None:
    rows = [_task(FIRST, FIRST)] * 240 + [_task(late, FIRST)] * 10
    file, suite = tmp_path / "r.json", tmp_path / "s.yaml"
    file.write_text(json.dumps(rows), encoding="utf-8")
    made = cli("init", str(file), "--suite", str(suite))
    assert made.exit_code == 0, made.output
    scores = {one.name: one for one in load(str(suite)).run().result.evaluators}
    assert (scores["fields"].passed, scores["fields"].scored) == (240, 250)


def _task(answer: dict[str, Any], output: dict[str, Any]) -> dict[str, Any]:
    results = [[{"from_name": "s", "to_name": "t", **one}] for one in (answer, output)]
    return {"annotations": [{"result": results[0]}], "predictions": [{"result": results[1]}]}
