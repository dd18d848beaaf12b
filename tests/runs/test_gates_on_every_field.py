"""`mail.*` under `gates` is one gate for each field, and `fields.*` one for each field of every evaluator."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from evaluators import load, loads
from evaluators.model.issues import Problems
from evaluators.model.rows import FieldStatus, Result, RowStatus
from evaluators.runs.watch import Watch
from tests.kit import cli, write_rows

FIELDS = {"name": "exact", "total": "numeric", "note": {"compare": "exact", "optional": True}}
ALL_RIGHT = {"name": "a", "total": 1}


def suite(folder: Path, gates: dict[str, Any], *evaluators: Any, **others: Any) -> Path:
    mail = {"json_multi_field_match": {"name": "mail", "fields": FIELDS}}
    path = folder / "suite.yaml"
    path.write_text(json.dumps({"evaluators": [mail, *evaluators], "gates": gates, **others}), encoding="utf-8")
    return path


def rows(folder: Path, *outputs: dict[str, Any], **columns: list[str]) -> Path:
    table = [
        {
            "id": str(number),
            "output": json.dumps(output),
            "expected": json.dumps(ALL_RIGHT),
            **{name: cells[number] for name, cells in columns.items()},
        }
        for number, output in enumerate(outputs)
    ]
    return write_rows(folder / "rows.jsonl", table)


def gates_of(path: Path, test_set: Path) -> list[tuple[str, str, str]]:
    return [(one.target, one.metric, one.verdict) for one in load(path).run(test_set).result.gates]


def test_each_field_is_held_to_the_limit_and_told_by_its_name(tmp_path: Path) -> None:
    path = suite(tmp_path, {"mail.*": {"fail_below": 0.9}, "mail": {"warn_below": 1}})
    found = gates_of(path, rows(tmp_path, ALL_RIGHT, {"name": "a", "total": 2}))
    assert found == [
        ("mail.name", "accuracy", "passed"), ("mail.total", "accuracy", "failed"), ("mail", "mean", "warned"),
    ]  # fmt: skip


def test_every_field_of_every_evaluator_has_a_gate(tmp_path: Path) -> None:
    other = {"json_multi_field_match": {"name": "lines", "fields": ["total"]}}
    path = suite(tmp_path, {"fields.*": {"fail_below": 0.9, "metric": "f1"}}, other, "contains_json")
    found = gates_of(path, rows(tmp_path, {"name": "b", "total": 1}))
    assert found == [
        ("mail.name", "f1", "failed"), ("mail.total", "f1", "passed"), ("lines.total", "f1", "passed"),
    ]  # fmt: skip


def test_a_suite_with_as_many_fields_as_it_likes_has_as_many_gates(tmp_path: Path) -> None:
    names = [f"field{number}" for number in range(80)]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    wide = {"schema_match": {"name": "wide", "schema": schema}}
    path = tmp_path / "suite.yaml"
    path.write_text(json.dumps({"evaluators": [wide], "gates": {"wide.*": {"fail_below": 1}}}), encoding="utf-8")
    right = dict.fromkeys(names, "x")
    table = [{"output": json.dumps({**right, "field7": "y"}), "expected": json.dumps(right)}]
    result = load(path).run(write_rows(tmp_path / "rows.jsonl", table)).result
    assert [one.target for one in result.gates if one.verdict == "failed"] == ["wide.field7"]
    assert len(result.gates) == 80
    assert all(one.n == 1 for one in result.gates)


def test_when_no_row_has_any_field_every_gate_is_undecided(tmp_path: Path) -> None:
    path = suite(tmp_path, {"mail.*": {"fail_below": 0.9}})
    table = [{"output": "{}", "expected": ""}]
    result = load(path).run(write_rows(tmp_path / "rows.jsonl", table)).result
    assert {one.verdict for one in result.gates} == {"undecided"}
    assert [one.target for one in result.gates] == ["mail.name", "mail.total", "mail.note"]
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "evaluators: [{json_diff_match: {name: diff}}]\ngates: {diff.*: {fail_below: 0.9}}",
            'the gate "diff.*" is about fields, and "diff" lists none', "name each: diff.FIELD",
        ),
        (
            "evaluators: [exact_match]\ngates: {fields.*: {fail_below: 0.9}}",
            'the gate "fields.*" is about fields, and no evaluator lists any', None,
        ),
        (
            "evaluators: [{json_multi_field_match: {name: mail, fields: [a, b]}}]\ngates: {mial.*: {fail_below: 0.9}}",
            'the gate "mial.*" names the evaluator "mial", and the suite has none of that name', 'did you mean "mail"?',
        ),
    ],
)  # fmt: skip
def test_without_fields_it_is_refused(text: str, message: str, hint: str | None) -> None:
    with pytest.raises(Problems) as caught:
        loads(text)
    assert [(issue.message, issue.hint) for issue in caught.value.issues] == [(message, hint)]


def test_a_metric_that_fields_lack_is_told_once(tmp_path: Path) -> None:
    path = suite(tmp_path, {"mail.*": {"fail_below": 0.9, "metric": "pass_rate"}})
    with pytest.raises(Problems) as caught:
        load(path).run(rows(tmp_path, ALL_RIGHT))
    (issue,) = caught.value.issues
    assert issue.message == 'the gate "mail.*" asks for the metric pass_rate, and a field of "mail" has none'
    assert issue.where is not None
    assert issue.where.startswith(f"{path}:1:")


def test_the_lower_end_of_an_interval_is_that_of_each_field(tmp_path: Path) -> None:
    table = rows(tmp_path, *[ALL_RIGHT] * 20, *[{"name": "a", "total": 2}] * 4)
    every = load(suite(tmp_path, {"mail.*": {"fail_below": 0.8, "using": "lower_bound"}})).run(table).result.gates
    alone = {f"mail.{name}": {"fail_below": 0.8, "using": "lower_bound"} for name in ("name", "total")}
    assert list(every) == list(load(suite(tmp_path, alone)).run(table).result.gates)
    assert [one.verdict for one in every] == ["passed", "failed"]


def test_only_fields_with_a_confidence_are_held_to_one(tmp_path: Path) -> None:
    fields = {"name": {"compare": "exact", "confidence": "sure"}, "total": "numeric"}
    text = {
        "evaluators": [{"json_multi_field_match": {"name": "mail", "fields": fields}}],
        "gates": {"mail.*": {"fail_above": 0.5, "metric": "brier"}},
    }
    path = tmp_path / "suite.yaml"
    path.write_text(json.dumps(text), encoding="utf-8")
    assert gates_of(path, rows(tmp_path, {**ALL_RIGHT, "sure": 0.9})) == [("mail.name", "brier", "passed")]


def test_each_slice_has_a_gate_for_each_field(tmp_path: Path) -> None:
    path = suite(tmp_path, {"mail.*": {"fail_below": 0.9, "each_slice": "row.kind"}}, slices=["row.kind"])
    table = rows(tmp_path, ALL_RIGHT, {"name": "a", "total": 2}, kind=["old", "new"])
    found = [(one.target, one.slice and one.slice[1], one.verdict) for one in load(path).run(table).result.gates]
    assert sorted(found, key=str) == [
        ("mail.name", "new", "passed"), ("mail.name", "old", "passed"),
        ("mail.total", "new", "failed"), ("mail.total", "old", "passed"),
    ]  # fmt: skip


def test_reports_name_each_gate_and_the_suite_says_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite(Path(), {"mail.*": {"fail_below": 0.9}})
    rows(Path(), ALL_RIGHT, {"name": "a", "total": 2})
    words = ["run", "suite.yaml", "rows.jsonl", "--name", "one", "-o", "gates.xml", "--format", "github"]
    done = cli(*words)
    assert done.exit_code == 1
    assert next(line for line in done.output.splitlines() if "title=gate mail.total" in line).startswith(
        "::error file=suite.yaml,line=1"
    )
    cases = ElementTree.parse("gates.xml").iterfind(".//testcase[@classname='gates']")
    assert [case.get("name") for case in cases] == ["mail.name", "mail.total"]
    kept = json.loads(Path("runs/one/run.json").read_text(encoding="utf-8"))
    assert [gate["target"] for gate in kept["gates"]] == ["mail.name", "mail.total"]
    assert "1 evaluator, 1 gate" in cli("check", "suite.yaml").output
    assert "- mail.*: fail below 0.9" in cli("explain", "suite.yaml").output


def test_what_a_row_adds_is_looked_up_once_for_all_fields() -> None:
    names = tuple(f"f{number}" for number in range(300))
    watch = Watch(tuple((name, "accuracy") for name in (*names, "other")), names)
    looked_up = {
        target[0]: (part, whole)
        for target, part, whole in watch.parts(Result(RowStatus.SCORED, True, 1, 1, bytes([FieldStatus.MATCH] * 300)))
    }
    assert looked_up == dict.fromkeys(names, (1, 1))
