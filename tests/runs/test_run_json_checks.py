"""A `run.json` from a stranger: what no run can have come to is refused, with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evaluators
from evaluators.model.issues import Blame, Problems
from evaluators.runs.result import RunResult
from evaluators.runs.run_json import read_as, run_body, run_json
from tests.kit import problem_of, write_rows

SUITE = {"evaluators": ["exact_match", {"json_multi_field_match": {"name": "fields", "fields": ["a"]}}]}


@pytest.fixture(scope="module")
def body(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    file = tmp_path_factory.mktemp("run") / "rows.jsonl"
    rows = [{"output": {"a": number % 2}, "expected": {"a": 1}} for number in range(4)]
    write_rows(file, rows)
    found: dict[str, Any] = json.loads(run_json(evaluators.load(SUITE).run(file).result))
    return found


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        ("evaluators.0.mean", 5, "Expected `float` <= 1.0 - at `$.evaluators[0].mean`"),
        ("evaluators.1.micro_f1", -0.1, "Expected `float` >= 0.0 - at `$.evaluators[1].micro_f1`"),
        ("evaluators.0.scored", -3, "Expected `int` >= 0 - at `$.evaluators[0].scored`"),
        ("evaluators.0.invalid", 7, "4 rows, and the rows of each kind come to 11 - at `$.evaluators[0]`"),
        ("evaluators.0.passed", 4, "4 passed and 2 failed, of 4 scored rows - at `$.evaluators[0]`"),
        ("evaluators.1.blocked", 5, "blocked: 5 of 4 scored rows - at `$.evaluators[1]`"),
        (
            "evaluators.0.pass_rate_ci",
            {"low": 0.9, "high": 0.1},
            "pass_rate_ci: from 0.9 to 0.1 is no interval between 0 and 1 - at `$.evaluators[0]`",
        ),
        ("evaluators.1.fields.0.accuracy", 2, "Expected `float` <= 1.0 - at `$.evaluators[1].fields[0].accuracy`"),
        ("evaluators.1.fields.0.counts.match", -1, "Expected `int` >= 0 - at `$.evaluators[1].fields[0].counts.match`"),
        ("rows", -1, "Expected `int` >= 0 - at `$.rows`"),
        ("exit_code", 99, "exit_code: 99 is none of 0, 1, 2, 3, 4, 70, 130"),
    ],
)
def test_what_no_run_can_have_come_to_is_refused(body: dict[str, Any], place: str, value: Any, says: str) -> None:
    changed = json.loads(json.dumps(body))
    *path, last = [int(step) if step.isdigit() else step for step in place.split(".")]
    inner = changed
    for step in path:
        inner = inner[step]
    inner[last] = value
    issue = problem_of(lambda: read_as(run_body(json.dumps(changed).encode(), "x/run.json"), RunResult, "x/run.json"))
    assert (issue.code, issue.blame, issue.where) == ("damaged-run", Blame.CONFIG, "x/run.json")
    assert says in issue.message


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_of_json_is_refused(body: dict[str, Any], word: str, tmp_path: Path) -> None:
    text = json.dumps({**body, "rows": 0}).replace('"rows": 0', f'"rows": {word}')
    with pytest.raises(Problems, match="not a run: it is not JSON"):
        read_as(run_body(text.encode(), "run.json"), RunResult, "run.json")
