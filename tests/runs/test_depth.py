"""`limits: {depth}`: a deeper output is unreadable, a deeper expected document invalid, wherever they come from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import load
from evaluators.model.limits import DEPTH
from evaluators.model.rows import Result, RowStatus
from tests.kit import write_rows


def nested(depth: int, lists: bool = False) -> Any:
    """So many objects and lists inside each other."""
    value: Any = {"a": "b"}
    for level in range(depth - 1):
        value = [value] if lists and (depth - level) % 2 else {"a": value}
    return value


def status(found: Result) -> RowStatus:
    if found.issue is not None:
        assert "nested deeper than" in found.issue.message
    return found.status


HELD: dict[str, Callable[[Any], Any]] = {
    "a value": lambda value: value,
    "its text": json.dumps,
    "in prose": lambda value: f"Here it is: {json.dumps(value)} I hope.",
    "in a fence": lambda value: f"```json\n{json.dumps(value)}\n```",
}
TYPES: dict[str, Any] = {
    "json_diff_match": {},
    "json_multi_field_match": {"fields": ["a", "$..a"]},
    "schema_match": {"fields": ["a"]},
    "json_field_match": {},
}


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("lists", [False, True])
def test_documents_of_the_depth_are_scored_and_deeper_ones_are_not(name: str, held: str, lists: bool) -> None:
    suite = load({"evaluators": [{name: TYPES[name]}]})
    for depth, expected in ((DEPTH - 1, RowStatus.SCORED), (DEPTH, RowStatus.SCORED), (DEPTH + 1, RowStatus.UNREADABLE)):
        output = HELD[held](nested(depth, lists))
        assert status(suite.evaluate({"output": output, "expected": {"a": "c"}})[name]) is expected


@pytest.mark.parametrize("held", ["a value", "its text"])
@pytest.mark.parametrize("name", TYPES)
def test_an_expected_document_that_is_deeper_is_invalid(name: str, held: str) -> None:
    suite = load({"evaluators": [{name: TYPES[name]}]})
    for depth, wanted in ((DEPTH - 1, RowStatus.SCORED), (DEPTH, RowStatus.SCORED), (DEPTH + 1, RowStatus.INVALID)):
        same = HELD[held](nested(depth))
        assert status(suite.evaluate({"output": same, "expected": same})[name]) is wanted


@pytest.mark.parametrize("held", HELD)
def test_a_suite_may_allow_less(held: str) -> None:
    suite = load({"limits": {"depth": 3}, "evaluators": ["json_diff_match"]})
    found = [
        status(suite.evaluate({"output": HELD[held](nested(depth)), "expected": {"a": "b"}})["json_diff_match"])
        for depth in (2, 3, 4)
    ]
    assert found == [RowStatus.SCORED, RowStatus.SCORED, RowStatus.UNREADABLE]


@pytest.mark.parametrize("form", ["texts", "values"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_has_the_same_limit(tmp_path: Path, form: str, workers: int) -> None:
    held = HELD["its text" if form == "texts" else "a value"]
    rows = [
        {"id": f"{side} {depth}", "output": {"a": 1}, "expected": {"a": 1}} | {side: held(nested(depth))}
        for side in ("output", "expected")
        for depth in (DEPTH - 1, DEPTH, DEPTH + 1)
    ]
    file = tmp_path / "rows.jsonl"
    write_rows(file, rows)
    suite = load({"evaluators": ["json_diff_match"]})
    (stats,) = suite.run(file, results=tmp_path / "runs", workers=workers).evaluators
    assert (stats.rows, stats.scored, stats.unreadable, stats.invalid, stats.bugs) == (6, 5, 1, 1, 0)
