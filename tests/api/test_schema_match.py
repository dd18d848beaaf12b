"""`schema_match` in whole runs: slices, variants, workers, gates, schemas that are inferred and schemas in cells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from evaluators.api.loading import load, loads
from evaluators.model.issues import Blame
from evaluators.runs.result import RunResult
from evaluators.testsets.readers import jsonl
from tests.kit import cli, problem_of, write_rows

ORDER = {
    "type": "object",
    "properties": {
        "header": {
            "type": "object",
            "properties": {
                "number": {"type": "string", "x-eval-compare": "exact"},
                "items": {
                    "type": "array",
                    "x-eval-align": {"match_by": "hungarian"},
                    "items": {
                        "type": "object",
                        "properties": {
                            "sku": {"type": "string", "x-eval-compare": "exact"},
                            "qty": {"type": "number", "x-eval-compare": {"numeric": {"tolerance": {"abs": 0.5}}}},
                        },
                    },
                },
            },
        }
    },
}
INVOICE = {
    "type": "object",
    "properties": {
        "total": {"type": "number", "evaluation_config": "number_tolerance"},
        "lines": {"type": "array", "items": {"type": "string", "evaluation_config": "string_exact"}},
    },
}


def document(number: int) -> dict[str, Any]:
    items = [{"sku": f"S{at}", "qty": at + number % 3} for at in range(number % 4)]
    return {"header": {"number": f"N{number % 7}", "items": items}}


def answered(number: int, worse: int = 0) -> str:
    """What a model made of it: mostly right, in another order, with things changed, left out and added."""
    found = document(number)
    header, kind = found["header"], (number + worse) % 6
    header["items"].reverse()
    if kind == 1:
        header["number"] = "wrong"
    elif kind == 2:
        header["items"] = header["items"][1:]
    elif kind == 3:
        header["items"].append({"sku": "extra", "qty": 1, "note": None})
    elif kind == 4:
        found = {"header": None}
    return "I cannot read it." if kind == 5 else json.dumps(found)


def rows_of(count: int = 60) -> list[dict[str, Any]]:
    return [
        {"id": f"r{at}", "group": "abc"[at % 3], "output": answered(at), "expected": json.dumps(document(at))}
        for at in range(count)
    ]


def written(folder: Path, rows: list[dict[str, Any]], name: str = "rows.jsonl") -> Path:
    return write_rows(folder / name, rows)


def suite_of(schema: Any, **more: Any) -> dict[str, Any]:
    return {"evaluators": [{"schema_match": {"name": "order", "schema": schema}}], **more}


def files_of(data: dict[str, Any], file: Path, folder: Path, **options: Any) -> tuple[RunResult, dict[str, bytes]]:
    """A run, and the files of its folder that say nothing of the machine, nor of the parts in which rows were scored."""
    formats = ("rows", "codes", "outcomes", "cells")
    result = load(data).run(file, results=folder, name="it", formats=formats, **options)
    kept = [path for path in (folder / "it").rglob("*") if path.is_file()]
    kept = [path for path in kept if path.name not in ("environment.json", "run.db")]
    return result, {path.name: path.read_bytes() for path in kept}


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small files are cut into many splits."""
    monkeypatch.setattr(jsonl, "SPLIT_BYTES", 900)


@pytest.mark.parametrize("schema", [ORDER, "infer"])
def test_slices_and_workers_give_the_same_files_however_the_rows_are_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, schema: Any
) -> None:
    data, file = suite_of(schema, slices=["row.group"]), written(tmp_path, rows_of())
    result, whole = files_of(data, file, tmp_path / "one")
    monkeypatch.setattr(jsonl, "SPLIT_BYTES", 5_100)  # the first rows, which tell the rules, are in one split
    assert files_of(data, file, tmp_path / "pieces")[1] == whole
    assert files_of(data, file, tmp_path / "two", workers=2)[1] == whole
    assert {stats.slice for stats in result.slices} == {("group", name) for name in "abc"}
    assert {figure.name for stats in result.slices for figure in stats.metrics} >= {"mean_f1", "overall_score"}


def test_an_outcome_is_a_line_at_its_place_in_the_document(tmp_path: Path) -> None:
    rows = [{"id": "1", "output": '{"header": {"number": "N2", "items": [{"sku": "S0", "qty": 9}, {"sku": "x"}]}}'}]
    rows[0]["expected"] = '{"header": {"number": "N1", "items": [{"sku": "S0", "qty": 1}]}}'
    _, files = files_of(suite_of(ORDER), written(tmp_path, rows), tmp_path / "runs")
    lines = [json.loads(line) for line in files["outcomes.jsonl"].splitlines()]
    found = [line for line in lines if line.get("status") not in (None, "match")]
    assert [line["path"] for line in lines if line.get("status") == "match"] == ["header.items[0].sku"]
    assert [(line["path"], line["status"], line.get("expected"), line.get("actual")) for line in found] == [
        ("header.number", "mismatch", "N1", "N2"),
        ("header.items[0].qty", "mismatch", 1, 9),
        ("header.items[+1].sku", "hallucination", None, "x"),
    ]
    assert [line.get("field") for line in found] == [None, "header.items[*].qty", "header.items[*].sku"]


# Gates


def gated(folder: Path, target: str, **gate: Any) -> RunResult:
    file = written(folder, rows_of())
    return load(suite_of(ORDER, gates={target: gate})).run(file)


@pytest.mark.parametrize(
    "figure", ["mean_f1", "mean_field_score", "overall_score", "field_score", "overall_pass_rate", "micro_recall"]
)
def test_a_gate_holds_a_figure_of_the_schema_to_its_limits(tmp_path: Path, figure: str) -> None:
    passed, failed = (gated(tmp_path, "order", metric=figure, fail_below=limit) for limit in (0.1, 0.99))
    assert [passed.gates[0].verdict, passed.exit_code] == ["passed", 0]
    assert [failed.gates[0].verdict, failed.exit_code] == ["failed", 1]
    assert passed.gates[0].value == failed.gates[0].value


@pytest.mark.parametrize("field", ["header.items[*].sku", "$.header.items[*].sku", "header.number"])
@pytest.mark.parametrize("figure", [None, "accuracy", "recall", "mean_score"])
def test_a_gate_holds_a_field_of_the_schema_to_its_limits(tmp_path: Path, field: str, figure: str | None) -> None:
    named = {} if figure is None else {"metric": figure}
    result = gated(tmp_path, f"order.{field}", **named, fail_below=0.99)
    (gate,) = result.gates
    (measured,) = (one for one in result.evaluators[0].fields if one.path == field.removeprefix("$."))
    rows, items = len(rows_of()), measured.counts.n
    assert gate.verdict == "failed"
    assert gate.n <= rows
    assert (gate.n == items) == ("[*]" not in field)
    assert (f"{items} items in {gate.n} rows" in (gate.message or "")) == ("[*]" in field)


def test_a_misspelled_figure_of_a_gate_is_refused_with_the_nearest_one(tmp_path: Path) -> None:
    issue = problem_of(lambda: gated(tmp_path, "order", metric="overal_score", fail_below=0.5))
    assert issue.blame is Blame.CONFIG
    assert issue.hint == 'did you mean "overall_score"?'


# A schema that is inferred


def test_an_inferred_schema_passes_over_expected_cells_that_cannot_be_read(tmp_path: Path) -> None:
    rows = rows_of(12)
    rows[3]["expected"] = "not json"
    rows[5]["expected"] = ""
    result = load(suite_of("infer")).run(written(tmp_path, rows))
    (stats,) = result.evaluators
    assert (stats.rows, stats.invalid, stats.bugs) == (12, 2, 0)
    assert {field.path for field in stats.fields} >= {"header.number", "header.items[*].sku"}
    assert any("inferred" in note for note in result.notes)


def test_keys_of_another_branch_are_told_apart_from_those_that_the_schema_lacks(tmp_path: Path) -> None:
    text = {"type": "string", "x-eval-compare": "exact"}
    branches = [{"type": "object", "properties": {name: text, "owner": text}} for name in ("card", "iban")]
    schema = {"type": "object", "properties": {"pay": {"anyOf": branches}, "a": text}}
    document = {"pay": {"card": "1", "iban": "2", "owner": "A"}, "a": "x", "b": "y"}
    result = load(suite_of(schema)).run(written(tmp_path, [{"id": 1, "output": document, "expected": document}]))
    said = [(issue.code, issue.message, issue.hint) for issue in result.warnings]
    branch = 'some expected answers have keys of several branches of the schema; the branch that fits best is scored, without "pay.iban"'
    lacks = 'the schema lacks "b", which the expected answers have; not scored'
    assert said[:2] == [
        ("several-branches", f'"order": {branch}', "declare them in that branch, too, or skip them there"),
        ("schema-lacks", f'"order": {lacks}', "add them to the schema, or skip them there"),
    ]


def test_nothing_can_be_inferred_from_an_empty_column(tmp_path: Path) -> None:
    rows = [{**row, "expected": ""} for row in rows_of(3)]
    issue = problem_of(lambda: load(suite_of("infer")).run(written(tmp_path, rows)))
    assert issue.blame is Blame.TESTSET
    assert issue.where == f'column "expected" of {tmp_path / "rows.jsonl"}'
    assert issue.message == '"order": there is no expected answer to infer a schema from'
    assert issue.hint == "fill in the expected answers, or name their column"


def test_a_row_on_its_own_says_what_an_inferred_schema_lacks() -> None:
    result = load(suite_of("infer")).evaluate({"output": "{}", "expected": "{}"}).results["order"]
    assert result.score is None
    assert result.issue.message == "the schema is inferred from a test set, and there is none here"
    assert result.issue.blame is Blame.CONFIG


# Schemas in cells


def in_cells(folder: Path, bad: Any = None, **options: Any) -> RunResult:
    """A run in which every other row has a schema of its own."""
    rows: list[dict[str, Any]] = []
    for at in range(20):
        invoice = {"total": at, "lines": ["a", "b"]}
        expected = invoice if at % 2 else document(at)
        rows.append({"id": at, "schema": INVOICE if at % 2 else ORDER, "expected": expected, "output": expected})
    rows[4]["output"] = {"header": {"number": "wrong"}}
    rows[5]["output"] = {"total": 5, "lines": ["b"]}
    if bad is not None:
        rows[7]["schema"] = bad
    return load(suite_of({"column": "schema"})).run(written(folder, rows), **options)


def test_rows_with_schemas_of_their_own_are_scored_by_them(tmp_path: Path, in_pieces: None) -> None:
    result = in_cells(tmp_path)
    (stats,) = result.evaluators
    assert (stats.scored, stats.passed) == (20, 18)
    fields = {field.path: field.counts.n for field in stats.fields}
    assert (fields["header.number"], fields["total"], fields["lines[*]"]) == (10, 10, 20)
    assert replace(in_cells(tmp_path, workers=2).result, environment=None) == replace(result.result, environment=None)


@pytest.mark.parametrize("bad", ["{", '{"type": "strin"}', "", 7, '{"type": "object", "x-eval-compar": "exact"}'])
def test_a_cell_with_a_bad_schema_is_a_fault_of_the_test_set(tmp_path: Path, bad: Any) -> None:
    result = in_cells(tmp_path, bad)
    (stats,) = result.evaluators
    assert (stats.scored, stats.invalid, stats.bugs, result.exit_code) == (19, 1, 0, 3)
    (issue,) = result.issues
    assert issue.blame is Blame.TESTSET
    assert "row 8" in (issue.where or "")
    assert 'column "schema"' in f"{issue.where} {issue.message}"


def test_the_place_and_the_remedy_of_a_bad_schema_in_a_cell_are_named(tmp_path: Path) -> None:
    bad = {"type": "object", "properties": {"a": {"type": "strin", "x-eval-compare": "exact"}}}
    (issue,) = in_cells(tmp_path, bad).issues
    assert issue.message == 'unknown type "strin" (at #/properties/a/type of the schema)'
    assert issue.hint == 'did you mean "string"?'


# Suites on a terminal


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, rows_of(4))
    (tmp_path / "suite.yaml").write_text("evaluators:\n  - schema_match: {schema: infer}\n", encoding="utf-8")
    return tmp_path


def test_check_infers_the_schema_and_says_so(folder: Path) -> None:
    found = cli("check", "suite.yaml", "rows.jsonl")
    assert found.exit_code == 0
    said = " ".join(found.stdout.split())
    assert '"schema_match": its schema was inferred from the expected answers' in said
    assert all(field in said for field in ("header.items[*].qty: numeric", "header.items[*].sku: ", "header.number: "))


def test_try_scores_a_row_by_the_schema_that_is_inferred(folder: Path) -> None:
    found = cli("try", "suite.yaml", "rows.jsonl", "--row", "2")
    assert "wrong: header.number" in found.stdout


def test_the_share_of_rows_is_no_figure_of_a_row_and_the_right_name_is_said() -> None:
    issue = problem_of(lambda: loads('{"evaluators": [{"schema_match": {"fields": ["a"], "score": "pass_rate"}}]}'))
    assert (issue.blame, issue.hint) == (Blame.CONFIG, "write score: overall_pass_rate")


def test_a_schema_that_refers_to_itself_through_a_list_in_any_order_is_scored() -> None:
    node = {
        "type": "object",
        "properties": {
            "v": {"type": "string"},
            "kids": {"type": "array", "items": {"$ref": "#/$defs/n"}, "x-eval-align": {"match_by": "hungarian"}},
        },
    }
    suite = load({"evaluators": [{"schema_match": {"schema": {"$ref": "#/$defs/n", "$defs": {"n": node}}}}]})
    kids = [{"v": "b", "kids": []}, {"v": "c", "kids": [{"v": "x"}, {"v": "y"}]}]
    turned = [{"v": "c", "kids": [{"v": "y"}, {"v": "z"}]}, {"v": "b", "kids": []}]
    run = suite.run([{"expected": {"v": "a", "kids": kids}, "output": {"v": "a", "kids": turned}}])
    counts = run["schema_match"].counts
    assert (counts.match, counts.mismatch, counts.omission, counts.hallucination) == (5, 0, 1, 1)


def nested(levels: int, last: str) -> dict[str, Any]:
    document: dict[str, Any] = {"a": last}
    for _ in range(levels):
        document = {"n": document}
    return document


def test_rows_beside_one_that_is_nested_too_deeply_are_counted_once() -> None:
    plain = {"type": "object", "properties": {"x": {"type": "string"}}}
    branch = {"type": "object", "properties": {"n": {"$ref": "#/$defs/c"}, "a": {"type": "string"}}}
    other = {
        "type": "object",
        "properties": {"n": {"$ref": "#/$defs/c"}, "a": {"type": "string"}, "b": {"type": "string"}},
    }
    deep = {"$ref": "#/$defs/c", "$defs": {"c": {"anyOf": [branch, other]}}}
    suite = load({"evaluators": [{"schema_match": {"schema": {"column": "schema"}}}]})
    rows = [
        {"schema": plain, "expected": {"x": "a"}, "output": {"x": "b"}},
        {"schema": deep, "expected": nested(250, "a"), "output": nested(250, "b")},
        {"schema": deep, "expected": nested(1, "a"), "output": nested(1, "b")},
    ]
    fields = {field.path: field.counts for field in suite.run(rows)["schema_match"].fields}
    assert (fields["x"].mismatch, fields["n.a"].mismatch) == (1, 1)


def test_lists_of_a_row_that_cannot_be_measured_are_counted_with_their_items() -> None:
    lists = {
        "type": "array",
        "items": {"type": "object", "properties": {"t": {"type": "array", "items": {"type": "string"}}}},
    }
    schema = {"type": "object", "properties": {"q": {"type": "string", "x-eval-compare": "date"}, "l": lists}}
    items = [{"t": ["a", "b"]}, {"t": ["a", "c"]}]
    suite = load({"evaluators": [{"schema_match": {"schema": schema}}]})
    run = suite.run([{"expected": {"q": "abc", "l": items}, "output": {"q": 3, "l": items[:1]}}])["schema_match"]
    inner = next(field.array for field in run.fields if field.path == "l[*].t")
    assert run.invalid == 1
    assert (inner.matched, inner.missing) == (2, 2)
