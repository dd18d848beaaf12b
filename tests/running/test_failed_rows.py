"""Rows that failed stay in every figure: in means, in gates, in the exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluators.running.suite import loads
from evaluators.runs.result import EvaluatorStats, RunResult

RIGHT: dict[str, Any] = {"name": "Ann", "age": 30}
CONFIG: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string", "evaluation_config": "string_exact"}, "age": {"type": "integer"}},
}


def run(folder: Path, suite: dict[str, Any], rows: list[tuple[Any, Any]]) -> RunResult:
    """A run over rows of (output, expected); a text is an output as it stands, None is none at all."""
    lines = []
    for number, (output, expected) in enumerate(rows):
        line: dict[str, Any] = {"id": number, "expected": expected}
        if output is not None:
            line["output"] = output
        lines.append(json.dumps(line))
    (folder / "rows.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return loads(json.dumps(suite)).run(folder / "rows.jsonl")


def schema_match(**options: Any) -> dict[str, Any]:
    return {"schema_match": {"name": "it", **options}}


FIELDS = {"fields": ["name", "age"]}


def of(stats: EvaluatorStats, name: str) -> tuple[float | None, int]:
    found = stats.figure(name)
    assert found is not None
    return found.mean, found.rows


@pytest.mark.parametrize("failed", [{}, {"name": "Bob", "age": 3}, "I cannot read it.", []], ids=repr)
@pytest.mark.parametrize("score", ["precision", "recall", "f1", "mean_score", "overall_score", "field_score"])
def test_rows_that_failed_count_0_whatever_figure_was_chosen(tmp_path: Path, score: str, failed: Any) -> None:
    rows = [(RIGHT, RIGHT)] * 2 + [(failed, RIGHT)] * 8
    suite = {"evaluators": [schema_match(score=score, **FIELDS)], "gates": {"it": {"fail_below": 0.9}}}
    result = run(tmp_path, suite, rows)
    it = result["it"]
    assert (it.scored, it.mean, it.pass_rate) == (10, 0.2, 0.2)
    assert it.recall == 0.2
    for name in ("mean_precision", "mean_recall", "mean_f1", "mean_score", "overall_score", "field_score"):
        assert of(it, name) == (0.2, 10)
    assert result.exit_code == 1


def test_the_overall_score_of_made_up_keys_where_nothing_is_expected_is_0(tmp_path: Path) -> None:
    rows = [(RIGHT, RIGHT)] * 2 + [({"colour": "red"}, {})] * 8
    it = run(tmp_path, {"evaluators": [schema_match(schema=CONFIG)]}, rows)["it"]
    assert (it.scored, it.not_measured, it.mean) == (10, 0, 0.2)
    assert of(it, "overall_score") == (0.2, 10)
    assert it.precision == 4 / 12


@pytest.mark.parametrize("kind", ["schema_match", "json_multi_field_match"])
def test_two_empty_documents_are_not_measured(tmp_path: Path, kind: str) -> None:
    rows = [(RIGHT, RIGHT)] * 2 + [({}, {})] * 3
    it = run(tmp_path, {"evaluators": [{kind: {"name": "it", **FIELDS}}]}, rows)["it"]
    assert (it.scored, it.not_measured, it.mean) == (2, 3, 1.0)
    assert all(figure.rows == 2 for figure in it.figures)


@pytest.mark.parametrize("kind", ["schema_match", "json_multi_field_match"])
def test_a_row_of_fields_that_weigh_nothing_is_measured(tmp_path: Path, kind: str) -> None:
    """The weighted mean would be 0 / 0: it is 1 where every field is right, and 0 where one is not."""
    options: dict[str, Any] = {"fields": {"name": {"weight": 0}, "age": {"weight": 1}}}
    if kind == "schema_match":
        options["score"] = "mean_score"
    rows = [({"name": "Ann"}, {"name": "Ann"})] * 3 + [({"name": "Bob"}, {"name": "Ann"})]
    it = run(tmp_path, {"evaluators": [{kind: {"name": "it", **options}}]}, rows)["it"]
    assert (it.scored, it.not_measured, it.mean) == (4, 0, 0.75)
    assert (it.precision, it.recall) == (0.75, 0.75)
