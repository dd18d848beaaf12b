"""Runs with corrected expected answers: what is corrected, what the score is without, and what a comparison sets aside."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import evaluators
from evaluators.api.execute import finish
from evaluators.api.loading import load
from evaluators.model.issues import Problems
from evaluators.model.rows import MISSING
from evaluators.runs.result import RunResult
from evaluators.testsets.corrections import append_correction
from evaluators.testsets.selection import Selection
from tests.kit import cli

SUITE = """
name: cities
test_set: {file: rows.csv, corrections: corrections.jsonl}
evaluators:
  - json_multi_field_match: {name: header, fields: {city: exact, n: numeric}}
gates:
  header: {fail_below: 0.8}
  header.city: {fail_below: 0.9}
"""
ROWS = """id,output,expected
1,"{""city"": ""Oslo"", ""n"": 1}","{""city"": ""Oslo"", ""n"": 2}"
2,"{""city"": ""Rome"", ""n"": 2}","{""city"": ""Roma"", ""n"": 2}"
3,"{""city"": ""Bern"", ""n"": 3}","{""city"": ""Bern"", ""n"": 3}"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "corrections.jsonl").write_text("", encoding="utf-8")
    return tmp_path


def correct(*corrections: tuple[str, str | None, Any, Any]) -> None:
    for id, path, old, new in corrections:
        append_correction(Path("corrections.jsonl"), id, path, old, new, "checked on paper")


ROMA = ("2", "city", "Roma", "Rome")
MISREAD = ("1", "n", 2, 1)


def result(**options: Any) -> RunResult:
    return finish(load("suite.yaml"), **options).result


def test_a_run_says_what_is_corrected_and_what_it_scores_without(here: Path) -> None:
    before = (here / "rows.csv").read_bytes()
    plain = result()
    correct(ROMA, MISREAD)
    found = result()
    assert (here / "rows.csv").read_bytes() == before
    assert found.corrections is not None
    assert [(one.id, one.row, one.path, one.old, one.new, one.void) for one in found.corrections.values] == [
        ("2", 3, "city", '"Roma"', '"Rome"', None), ("1", 2, "n", "2", "1", None),
    ]  # fmt: skip
    (stats,) = found.evaluators
    without = found.corrections.without_of(stats)
    assert without is not None
    assert (stats.mean, without.mean, without.pass_rate) == (1, plain.evaluators[0].mean, plain.evaluators[0].pass_rate)
    assert {gate.target: gate.message for gate in found.gates} == {
        "header": "mean 1.0000; 0.6667 without 2 corrected values",
        "header.city": "accuracy 1.0000; 0.6667 without 2 corrected values",
    }
    assert found.data_fingerprint != plain.data_fingerprint


def test_pages_list_old_and_new_values(here: Path) -> None:
    correct(ROMA, ("1", "n", 7, 1))
    ended = cli("run", "suite.yaml", "-v", "--name", "x", "-o", "page.md")
    assert 'city   "Roma"  "Rome"  checked on paper' in ended.output
    assert "the value is now 2" in ended.output
    assert "header: mean 0.8333, without the corrections 0.6667" in ended.output
    summary = " ".join(Path("runs/x/summary.txt").read_text(encoding="utf-8").split())
    assert "1 expected value is corrected: mean 0.8333, without that 0.6667" in summary
    assert "without the corrections 0.6667" in Path("page.md").read_text(encoding="utf-8")
    again = cli("report", "runs/x", "-v")
    assert "checked on paper" in again.output


def test_where_nothing_was_measured_no_mean_is_told(here: Path) -> None:
    suite = (here / "suite.yaml").read_text(encoding="utf-8")
    (here / "suite.yaml").write_text(suite.replace("header", "header, when: {row.id: none}", 1), encoding="utf-8")
    correct(ROMA)
    said = cli("run", "suite.yaml", "--name", "x").output
    assert "1 expected value is corrected" in said
    assert "without that" not in said


def test_a_correction_whose_value_has_changed_is_void_and_said(here: Path) -> None:
    correct(("1", "n", 7, 1), ("9", "n", 1, 2))
    found = result()
    assert found.corrections is not None
    assert [one.void for one in found.corrections.values] == ["the value is now 2", "no row has the id"]
    assert [issue.message for issue in found.warnings if issue.code == "void-correction"] == [
        'correction "1", n: 7 → 1 (checked on paper); not made, because the value is now 2',
        'correction "9", n: 1 → 2 (checked on paper); not made, because no row has the id',
    ]
    assert [gate.message for gate in found.gates] == ["mean 0.6667 is below 0.8", "accuracy 0.6667 is below 0.9"]


def test_rows_without_ids_are_refused(here: Path) -> None:
    (here / "rows.csv").write_text(ROWS.replace("id,", "no,"), encoding="utf-8")
    with pytest.raises(Problems, match="the rows have no ids, so no answer of them can be corrected"):
        result()


def test_an_id_of_several_rows_says_not_which_is_meant(here: Path) -> None:
    correct(ROMA)
    (here / "rows.csv").write_text(ROWS.replace("3,", "2,", 1), encoding="utf-8")
    found = result()
    assert found.corrections is not None
    assert [one.void for one in found.corrections.values] == ["2 rows have the id"]


def test_each_variant_is_corrected_and_counted_without(here: Path) -> None:
    lines = ROWS.replace("output,", "first,").splitlines()
    second = ["second", *['"{""city"": ""Roma"", ""n"": 2}"'] * 3]
    rows = "\n".join(f"{line},{more}" for line, more in zip(lines, second, strict=True))
    (here / "rows.csv").write_text(rows + "\n", encoding="utf-8")
    outputs = "outputs: {a: {column: first}, b: {column: second}}, corrections"
    (here / "suite.yaml").write_text(SUITE.replace("corrections", outputs, 1), encoding="utf-8")
    correct(ROMA)
    found = result()
    assert found.corrections is not None
    assert len(found.corrections.values) == 1
    said = {one.variant: without.mean for one in found.evaluators if (without := found.corrections.without_of(one))}
    assert said == {"a": 4 / 6, "b": 3 / 6}
    assert {one.variant: one.mean for one in found.evaluators} == {"a": 5 / 6, "b": 2 / 6}


def test_documents_and_columns_of_fields_are_corrected(here: Path) -> None:
    (here / "gold").mkdir()
    (here / "out").mkdir()
    (here / "gold" / "a.json").write_text('{"city": "Roma", "n": 1}', encoding="utf-8")
    (here / "out" / "a.json").write_text('{"city": "Rome", "n": 1}', encoding="utf-8")
    places = "test_set: {expected: gold/, output: out/, corrections: corrections.jsonl}"
    (here / "suite.yaml").write_text(SUITE.replace(SUITE.splitlines()[2], places), encoding="utf-8")
    correct(("a", "city", "Roma", "Rome"))
    assert result().evaluators[0].mean == 1
    (here / "rows.csv").write_text('id,output,city,n\na,"{""city"": ""Rome"", ""n"": 1}",Roma,1\n', "utf-8")
    columns = "test_set: {file: rows.csv, expected: {columns: {city: city, n: n}}, corrections: corrections.jsonl}"
    text = SUITE.replace(SUITE.splitlines()[2], columns).replace("n: numeric", "n: {numeric: {parse: true}}")
    (here / "suite.yaml").write_text(text, encoding="utf-8")
    assert result().evaluators[0].mean == 1


def test_rows_given_by_a_program_are_corrected(here: Path) -> None:
    correct(("2", None, "Roma", "Rome"), ("3", "city", MISSING, "Bern"))
    (here / "suite.yaml").write_text("test_set: {corrections: corrections.jsonl}\nevaluators: [exact_match]\n", "utf-8")
    rows = [{"id": "2", "output": "Rome", "expected": "Roma"}, {"id": "3", "output": "x", "expected": "x"}]
    found = load("suite.yaml").run(rows).result
    assert (found.evaluators[0].mean, found.corrections and found.corrections.without[0].mean) == (1, 1 / 2)


def test_check_expected_shows_corrections(here: Path) -> None:
    correct(ROMA, ("1", "n", 7, 1))
    schema = {"type": "object", "properties": {"city": {"type": "string"}, "n": {"type": "number"}}}
    (here / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    said = cli("check-expected", "suite.yaml", "--schema", "schema.json").output
    assert 'correction "2", city: "Roma" → "Rome" (checked on paper)' in said
    assert 'warning: correction "1", n: 7 → 1 (checked on paper); not made, because the value is now 2' in said


def test_rows_whose_corrections_differ_are_set_aside_by_a_comparison(here: Path) -> None:
    correct(ROMA)
    cli("run", "suite.yaml", "--name", "a", "-q")
    correct(MISREAD)
    cli("run", "suite.yaml", "--name", "b", "-q")
    ended = cli("compare", "runs/a", "runs/b")
    assert ended.exit_code == 0, ended.output
    said = " ".join(ended.output.split())
    assert "set aside: 1 row whose expected answer is corrected otherwise, or in one run alone: 1" in said
    assert "2 rows in both runs" in said
    (here / "a.json").write_bytes((here / "runs" / "a" / "run.json").read_bytes())
    said = " ".join(cli("compare", "a.json", "runs/b").output.split())
    assert "of 1 row are corrected otherwise, or in one run alone, and are part of the metrics: 1" in said


def test_a_suite_that_asks_somebody_is_not_scored_twice(here: Path) -> None:
    async def judge(expected: Any, actual: Any, params: Any) -> Any:
        return evaluators.Comparison(1.0, True, "fine")

    evaluators.register("asked_once", judge)
    (here / "suite.yaml").write_text(SUITE.replace("city: exact", "city: asked_once"), encoding="utf-8")
    correct(ROMA)
    found = result()
    assert found.corrections is not None
    assert (found.corrections.count, found.corrections.without) == (1, ())
    assert found.corrections.why_not == "a judge would be asked a second time"


def test_only_corrections_of_selected_rows_are_counted(here: Path) -> None:
    correct(ROMA, MISREAD, ("3", "n", 7, 1), ("9", "n", 1, 2))
    found = result(selection=Selection(limit=1))
    assert found.corrections is not None
    assert [(one.id, one.void) for one in found.corrections.values] == [("1", None), ("9", "no row has the id")]
    assert {gate.message for gate in found.gates if gate.target == "header"} == {
        "mean 1.0000; 0.5000 without 1 corrected value"
    }
    of_no_row = result(selection=Selection(where=(("id", "3"),)))
    assert (of_no_row.corrections and of_no_row.corrections.count, of_no_row.gates[0].message) == (0, "mean 1.0000")


def test_rows_that_are_selected_by_a_corrected_answer_are_the_same_without(here: Path) -> None:
    (here / "suite.yaml").write_text(
        "test_set: {file: rows.csv, corrections: corrections.jsonl}\nevaluators: [exact_match]\n", encoding="utf-8"
    )
    (here / "rows.csv").write_text("id,output,expected\n1,Rome,Roma\n2,Rome,Rome\n3,Rome,Oslo\n", encoding="utf-8")
    correct(("1", None, "Roma", "Rome"))
    found = result(selection=Selection(where=(("expected", "Rome"),)))
    assert (found.rows, found.evaluators[0].mean) == (2, 1)
    assert found.corrections is not None
    assert [one.mean for one in found.corrections.without] == [1 / 2]


def test_an_evaluator_with_expected_answers_of_its_own_is_said_not_to_be_corrected(here: Path) -> None:
    lines = zip(ROWS.splitlines(), ("gold", "a", "b", "c"), strict=True)
    (here / "rows.csv").write_text("".join(f"{line},{more}\n" for line, more in lines), encoding="utf-8")
    own = "  - exact_match: {name: own, expected: gold}\ngates:"
    roles = "columns: {id: id, output: output, expected: expected}, corrections"
    (here / "suite.yaml").write_text(SUITE.replace("gates:", own).replace("corrections", roles, 1), encoding="utf-8")
    correct(ROMA)
    said = 'corrections.jsonl corrects the column "expected" alone; "own" reads "gold", as it stands'
    assert said in result().notes
    assert f"note: {said}" in cli("check", "suite.yaml").output


def test_a_gate_on_a_numeric_column_has_nothing_to_say_of_corrections(here: Path) -> None:
    (here / "suite.yaml").write_text(f"{SUITE}  ids: {{fail_above: 1}}\nmeasures: {{ids: row.id}}\n", encoding="utf-8")
    correct(ROMA)
    assert [gate.message for gate in result().gates if gate.target == "ids"] == ["mean 2 is above 1"]


def test_each_of_several_gates_on_one_metric_says_its_own_number_without(here: Path) -> None:
    gates = "  header:\n    - {fail_below: 0.8}\n    - {fail_below: 0.8, using: lower_bound}\n"
    (here / "suite.yaml").write_text(SUITE.partition("  header: {fail")[0] + gates, encoding="utf-8")
    plain = [gate.value for gate in result().gates]
    assert plain[0] != plain[1]
    correct(ROMA)
    said = [gate.message.partition("; ")[2] for gate in result().gates]
    assert said == [f"{value:.4f} without 1 corrected value" for value in plain]


def test_rows_that_come_once_are_scored_without_corrections_too(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(ROWS.encode())))
    correct(ROMA)
    found = result(test_set="-").corrections
    assert found is not None
    assert [one.mean for one in found.without] == [4 / 6]
