"""Output and expected answer from one column: every output would be right, so it is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import load, loads
from evaluators.model.issues import Blame, Problems
from evaluators.runs.preparing import prepare

ROWS = "id,text,answer,gold\n1,yes,no,yes\n2,no,no,yes\n"
EXACT: dict[str, Any] = {"type": "exact_match", "name": "it"}


def refused(folder: Path, suite: dict[str, Any], **request: Any) -> str:
    """What is said when the suite is run over the rows."""
    (folder / "rows.csv").write_text(ROWS, encoding="utf-8")
    (folder / "suite.yaml").write_text(json.dumps({"evaluators": [EXACT], **suite}), encoding="utf-8")
    with pytest.raises(Problems) as raised:
        prepare(load(folder / "suite.yaml"), **request)
    assert {issue.blame for issue in raised.value.issues} == {Blame.CONFIG}
    assert {issue.code for issue in raised.value.issues} == {"one-column"}
    return "\n".join(issue.message for issue in raised.value.issues)


def rows(**settings: Any) -> dict[str, Any]:
    return {"test_set": {"file": "rows.csv", **settings}}


@pytest.mark.parametrize(
    "suite",
    [
        rows(columns={"output": "answer", "expected": "answer"}),
        rows(columns={"output": "answer", "expected": "gold"}) | {"evaluators": [{**EXACT, "expected": "answer"}]},
        rows(columns={"output": "answer", "expected": "gold"}) | {"evaluators": [{**EXACT, "output": "gold"}]},
        rows(columns={"output": "answer"}) | {"evaluators": [{**EXACT, "correct_answer_key": "answer"}]},
        rows() | {"evaluators": [{**EXACT, "output": "gold", "expected": "gold"}]},
        rows(columns={"expected": "gold"}, outputs={"one": {"column": "answer"}, "two": {"column": "gold"}}),
        rows(columns={"expected": "gold"}, output={"file": "rows.csv", "column": "gold"}),
        rows(expected={"file": "rows.csv", "column": "gold"}, output={"file": "./rows.csv", "column": "gold"}),
    ],
    ids=str,
)
def test_one_column_for_both_is_refused(tmp_path: Path, suite: dict[str, Any]) -> None:
    assert "every output would be right" in refused(tmp_path, suite)


@pytest.mark.parametrize("kind", ["json_diff_match", "json_field_match", "similarity", "levenshtein", "correctness"])
def test_every_type_that_compares_refuses_it(tmp_path: Path, kind: str) -> None:
    refused(tmp_path, rows() | {"evaluators": [{"type": kind, "output": "gold", "expected": "gold"}]})


def test_columns_of_the_command_line_are_held_to_it(tmp_path: Path) -> None:
    said = refused(tmp_path, rows(), settings={"columns": {"output": "gold", "expected": "gold"}})
    assert said == 'output and expected answer are one column, "gold", so every output would be right'


def test_one_folder_of_documents_for_both_is_refused(tmp_path: Path) -> None:
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold" / "a.json").write_text('{"x": 1}', encoding="utf-8")
    for output in ("gold", "./gold/", "gold/*.json"):
        refused(tmp_path, {"test_set": {"expected": "gold/", "output": output}})
    refused(tmp_path, {"test_set": {"expected": "gold/a.json", "output": "gold/a.json"}})


def test_one_attached_file_for_both_is_refused(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("x", encoding="utf-8")
    attach = {"one": "{id}.txt", "other": "{id}.txt"}
    refused(tmp_path, rows(attach=attach) | {"evaluators": [{**EXACT, "output": "one", "expected": "other"}]})


def test_the_place_is_where_the_suite_names_the_columns(tmp_path: Path) -> None:
    text = "test_set:\n  columns: {output: a, expected: a}\nevaluators: [exact_match]\n"
    with pytest.raises(Problems) as raised:
        loads(text).evaluate({"a": "x"})
    assert [issue.where for issue in raised.value.issues] == ["suite.yaml:2:13"]


@pytest.mark.parametrize(
    "suite",
    [
        rows(columns={"input": "gold", "output": "answer", "expected": "gold"}),
        rows(columns={"output": "answer", "expected": "gold"})
        | {"evaluators": [{"type": "contains_json", "output": "gold"}]},
        rows(columns={"expected": "gold"}, output={"file": "rows.csv", "column": "answer"}),
        rows(columns={"output": "answer", "expected": "gold"})
        | {"evaluators": [{**EXACT, "output": "gold", "expected": "answer"}]},
    ],
    ids=str,
)
def test_the_input_may_be_the_expected_answer_and_two_columns_are_fine(tmp_path: Path, suite: dict[str, Any]) -> None:
    (tmp_path / "rows.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(json.dumps({"evaluators": [EXACT], **suite}), encoding="utf-8")
    assert prepare(load(tmp_path / "suite.yaml")).test_set.files
