"""Rows that failed stay in every figure: in means, in gates, in the exit code."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import loads
from evaluators.reports.run_page import run_page
from evaluators.reports.text import page_text
from evaluators.runs.result import EvaluatorStats, RunResult
from tests import kit
from tests.kit import cli, write_rows

RIGHT: dict[str, Any] = {"name": "Ann", "age": 30}
CONFIG: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string", "evaluation_config": "string_exact"}, "age": {"type": "integer"}},
}


def run(folder: Path, suite: dict[str, Any], rows: list[tuple[Any, Any]]) -> RunResult:
    """A run over rows of (output, expected); a text is an output as it stands, None is none at all."""
    lines = [
        {"id": number, "expected": expected} | ({} if output is None else {"output": output})
        for number, (output, expected) in enumerate(rows)
    ]
    return kit.run(folder, suite, lines)


def schema_match(**options: Any) -> dict[str, Any]:
    return {"schema_match": {"name": "it", **options}}


FIELDS = {"fields": ["name", "age"]}


@pytest.mark.parametrize("name", ["Ann", "Bo"])
@pytest.mark.parametrize("evaluator", ["schema_match", "json_multi_field_match"])
def test_the_rows_of_a_report_say_that_what_was_measured_has_no_weight(tmp_path: Path, evaluator: str, name: str) -> None:
    line = {"name": "it", "fields": {"name": {"compare": "exact", "weight": 0}, "age": "exact"}}
    documents = {"expected": {"name": "Ann"}, "output": {"name": name}}
    full = {"expected": {"name": "Ann", "age": 3}, "output": {"name": "Ann", "age": 3}}
    write_rows(tmp_path / "rows.jsonl", [{"id": at, **row} for at, row in enumerate([documents, full])])
    loads(json.dumps({"evaluators": [{evaluator: line}]})).run(
        tmp_path / "rows.jsonl", results=tmp_path / "runs", name="a"
    )
    assert cli("report", str(tmp_path / "runs" / "a"), "-o", str(tmp_path / "rows.csv")).exit_code == 0
    with (tmp_path / "rows.csv").open(encoding="utf-8-sig", newline="") as file:
        first = next(csv.DictReader(file))
    assert (first["it.score"], first["why"]) == (
        "",
        "it: no field that counts was measured: the others have weight 0",
    )


def of(stats: EvaluatorStats, name: str) -> tuple[float | None, int]:
    found = stats.metric(name)
    return found.mean, found.n


@pytest.mark.parametrize("failed", [{}, {"name": "Bob", "age": 3}, "I cannot read it.", []], ids=repr)
@pytest.mark.parametrize("score", ["precision", "recall", "f1", "mean_score", "overall_score", "field_score"])
def test_rows_that_failed_count_0_whatever_figure_was_chosen(tmp_path: Path, score: str, failed: Any) -> None:
    rows = [(RIGHT, RIGHT)] * 2 + [(failed, RIGHT)] * 8
    suite = {"evaluators": [schema_match(score=score, **FIELDS)], "gates": {"it": {"fail_below": 0.9}}}
    result = run(tmp_path, suite, rows)
    it = result["it"]
    assert (it.scored, it.mean, it.pass_rate) == (10, 0.2, 0.2)
    assert it.micro_recall == 0.2
    for name in ("mean_precision", "mean_recall", "mean_f1", "mean_field_score", "overall_score", "field_score"):
        assert of(it, name) == (0.2, 10)
    assert result.exit_code == 1


def test_the_overall_score_of_made_up_keys_where_nothing_is_expected_is_0(tmp_path: Path) -> None:
    rows = [(RIGHT, RIGHT)] * 2 + [({"colour": "red"}, {})] * 8
    it = run(tmp_path, {"evaluators": [schema_match(schema=CONFIG)]}, rows)["it"]
    assert (it.scored, it.not_measured, it.mean) == (10, 0, 0.2)
    assert of(it, "overall_score") == (0.2, 10)
    assert it.micro_precision == 4 / 12


@pytest.mark.parametrize("kind", ["schema_match", "json_multi_field_match"])
def test_two_empty_documents_are_not_measured(tmp_path: Path, kind: str) -> None:
    rows = [(RIGHT, RIGHT)] * 2 + [({}, {})] * 3
    it = run(tmp_path, {"evaluators": [{kind: {"name": "it", **FIELDS}}]}, rows)["it"]
    assert (it.scored, it.not_measured, it.mean) == (2, 3, 1.0)
    assert all(figure.n == 2 for figure in it.metrics)


def judged(result: RunResult) -> list[str]:
    return [gate.verdict for gate in result.gates]


@pytest.mark.parametrize("kind", ["schema_match", "json_multi_field_match"])
def test_pooled_precision_does_not_see_rows_that_gave_nothing_and_its_gate_says_so(tmp_path: Path, kind: str) -> None:
    rows = [(RIGHT, RIGHT), ("I cannot read it.", RIGHT)]
    suite = {
        "evaluators": [{kind: {"name": "it", **FIELDS}}],
        "gates": {"it": {"metric": "precision", "fail_below": 0.9}},
    }
    result = run(tmp_path, suite, rows)
    (gate,) = result.gates
    assert (gate.value, gate.verdict, result.exit_code) == (1.0, "undecided", 3)
    assert (
        gate.message == "micro precision 1.0000; 1 row of 2 has an output that gave nothing, which precision does not see"
    )
    suite["gates"]["it"]["coverage"] = "any"
    result = run(tmp_path, suite, rows)
    assert (judged(result), result.exit_code, result.gates[0].message) == (["passed"], 0, gate.message)


@pytest.mark.parametrize(
    ("figure", "limits", "invalid", "verdict"),
    [
        ("mean", {"fail_below": 0.5}, 5, "passed"),
        ("mean", {"fail_below": 0.5}, 6, "undecided"),
        ("recall", {"fail_below": 0.5}, 6, "undecided"),
        ("mean", {"fail_below": 0.5, "coverage": 0.94}, 6, "passed"),
        ("mean", {"fail_below": 0.5, "coverage": "any"}, 60, "passed"),
        ("mean", {"fail_below": 0.95, "coverage": 1}, 1, "failed"),
        ("mean", {"fail_below": 0.91, "coverage": 1}, 1, "failed"),
        ("mean", {"fail_below": 0.905}, 10, "undecided"),
        ("mean_f1", {"fail_below": 0.95}, 20, "failed"),
        ("recall", {"fail_below": 0.95}, 20, "undecided"),
        ("pass_rate", {"fail_above": 0.1}, 20, "failed"),
        ("pass_rate", {"fail_above": 0.89}, 20, "undecided"),
        ("pass_rate", {"warn_above": 0.1}, 20, "undecided"),
    ],
)
def test_a_gate_whose_figure_speaks_of_too_few_rows_is_undecided(
    tmp_path: Path, figure: str, limits: dict[str, Any], invalid: int, verdict: str
) -> None:
    """Nine rows in ten of those that were measured are right. A gate fails where no row that was kept out could save it."""
    measured = 100 - invalid
    rows: list[tuple[Any, Any]] = [(RIGHT, "not JSON")] * invalid
    rows += [({} if number * 10 < measured else RIGHT, RIGHT) for number in range(measured)]
    gates = {"it": {"metric": figure, **limits}}
    assert judged(run(tmp_path, {"evaluators": [schema_match(**FIELDS)], "gates": gates}, rows)) == [verdict]


def test_rows_that_the_outputs_file_lacks_are_said_first_and_leave_gates_undecided(tmp_path: Path) -> None:
    suite = joined(tmp_path, answered=5, of=40)
    result = loads(json.dumps(suite), folder=tmp_path).run().result
    assert (judged(result), result.exit_code, result.without_output) == (["undecided"], 3, {"": 35})
    page = page_text(run_page(result))
    assert page.splitlines()[3] == "5 of 40 rows have an output"
    assert "1.0000 (5 rows)" in page
    assert "only 5 of 40 rows were measured" in page


def test_rows_that_the_outputs_file_lacks_can_count_0(tmp_path: Path) -> None:
    suite = joined(tmp_path, answered=5, of=40)
    suite["test_set"]["no_output"] = "fail"
    result = loads(json.dumps(suite), folder=tmp_path).run().result
    assert (judged(result), result.exit_code, result["it"].mean) == (["failed"], 1, 0.125)
    assert page_text(run_page(result)).splitlines()[3] == "5 of 40 rows have an output"


def joined(folder: Path, answered: int, of: int) -> dict[str, Any]:
    """A suite over a file of expected answers, and a file with the outputs of the first of them."""
    for name, count in (("expected", of), ("output", answered)):
        write_rows(folder / f"{name}.jsonl", ({"id": number, name: RIGHT} for number in range(count)))
    return {
        "test_set": {"file": "expected.jsonl", "output": {"file": "output.jsonl", "key": "id"}},
        "evaluators": [{"json_multi_field_match": {"name": "it", **FIELDS}}],
        "gates": {"it": {"fail_below": 0.9}},
    }


@pytest.mark.parametrize("kind", ["schema_match", "json_multi_field_match"])
def test_a_row_of_fields_that_weigh_nothing_is_not_measured(tmp_path: Path, kind: str) -> None:
    """The weighted mean would be 0 / 0. The fields have metrics of their own all the same."""
    options: dict[str, Any] = {"fields": {"name": {"weight": 0}, "age": {"weight": 1}}}
    if kind == "schema_match":
        options["score"] = "mean_score"
    rows = [({"name": "Ann"}, {"name": "Ann"})] * 3 + [({"name": "Bob"}, {"name": "Ann"})]
    rows += [({"name": "Ann", "age": 3}, {"name": "Ann", "age": 4})]
    it = run(tmp_path, {"evaluators": [{kind: {"name": "it", **options}}]}, rows)["it"]
    assert (it.scored, it.not_measured, it.mean) == (1, 4, 0.0)
    assert {field.path: (field.counts.n, field.accuracy) for field in it.fields} == {"name": (5, 0.8), "age": (1, 0.0)}
