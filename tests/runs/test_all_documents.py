"""`pick: all`: the JSON documents of an output are compared as one list, wherever an expected list is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluators import load

CALLS = [{"f": "add", "n": 1}, {"f": "mul", "n": 2}]
LINES = "\n".join(map(json.dumps, CALLS))


@pytest.mark.parametrize(
    ("output", "expected", "score"),
    [
        (LINES, CALLS, 1.0),
        (json.dumps(CALLS), CALLS, 1.0),
        (CALLS, CALLS, 1.0),
        (json.dumps(CALLS[0]), CALLS[:1], 1.0),
        (CALLS[0], CALLS[:1], 1.0),
        (f"Calls:\n{LINES}\nDone.", CALLS, 1.0),
        (LINES, CALLS[::-1], 1.0),
        (LINES, CALLS[:1], 2 / 3),
        (json.dumps(CALLS[0]), CALLS[0], 1.0),
    ],
)
def test_the_documents_of_an_output(output: object, expected: object, score: float, tmp_path: Path) -> None:
    fields = {"[*].f": "exact", "[*].n": "exact", "$": {"align": "any_order"}}
    if isinstance(expected, dict):
        fields = {"f": "exact", "n": "exact"}
    suite = load({"evaluators": [{"schema_match": {"name": "calls", "fields": fields, "pick": "all"}}]})
    row = {"id": 1, "output": output, "expected": expected}
    assert suite.evaluate(row)["calls"].score == pytest.approx(score)
    (tmp_path / "rows.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert suite.run(tmp_path / "rows.jsonl")["calls"].mean == pytest.approx(score)
