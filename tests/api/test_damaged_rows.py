"""A row that cannot be read is invalid, whatever a condition says of it; one that a readable condition leaves out is skipped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import load, loads
from evaluators.runs.result import EvaluatorStats, RunResult

WHEN_A = {"when": {"row.kind": "a"}}
EXACT: dict[str, Any] = {"type": "exact_match", "name": "it"}
FIELD: dict[str, Any] = {"type": "json_multi_field_match", "name": "it", "fields": ["x"]}

GOOD = "1,a,yes,yes\n"
OTHER = "2,b,no,yes\n"
HEAD = "id,kind,output,expected\n"
DAMAGED = {
    "a cell too many": "3,a,yes,yes,yes\n",
    "a cell too few": "3,a,yes\n",
    "bytes that are no text": "3,a,y\udcffs,yes\n",
    "such bytes in the very cell": "3,\udcff,yes,yes\n",
    "such bytes where nobody reads": "\udcff,a,yes,yes\n",
}


def written(file: Path, text: str) -> Path:
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    return file


def scored(folder: Path, *lines: dict[str, Any], rows: str | Path, **sections: Any) -> RunResult:
    """A run of a suite over a CSV file, or over another place."""
    place = written(folder / "rows.csv", rows) if isinstance(rows, str) else rows
    return loads(json.dumps({"evaluators": lines, **sections})).run(place).result


def counts(stats: EvaluatorStats) -> dict[str, int]:
    """How the rows of an evaluator are counted, without what there is none of."""
    every = {name: getattr(stats, name) for name in ("scored", "skipped", "not_measured", "invalid", "unjudged", "bugs")}
    return {name: count for name, count in every.items() if count}


@pytest.mark.parametrize("row", DAMAGED.values(), ids=DAMAGED)
@pytest.mark.parametrize(
    "when",
    [{"row.kind": "a"}, {"row.kind": ["b", "c"]}, {"row.kind": {"present": True}}, {"row.kind": {"present": False}}],
    ids=str,
)
def test_a_damaged_row_is_invalid_whatever_a_condition_reads(tmp_path: Path, row: str, when: dict[str, Any]) -> None:
    result = scored(tmp_path, {**EXACT, "when": when}, rows=HEAD + GOOD + row, test_set={"encoding": "utf-8"})
    assert result["it"].invalid == 1
    assert result["it"].rows == 2
    assert result.exit_code == 3
    assert [issue.where for issue in result.issues if "row 3" in str(issue.where)] == [f"{tmp_path / 'rows.csv'} row 3"]


@pytest.mark.parametrize("cell", ["n/a", "{'x': 1}", '{"x":', "", " "], ids=repr)
@pytest.mark.parametrize("wanted", [1, [1, 2], {"present": True}, {"present": False}], ids=str)
@pytest.mark.parametrize(
    "kind", [EXACT, FIELD, {"type": "contains_json", "name": "it"}], ids=lambda line: str(line["type"])
)
def test_a_row_whose_condition_reads_an_expected_cell_that_is_no_json_is_invalid(
    tmp_path: Path, kind: dict[str, Any], wanted: Any, cell: str
) -> None:
    rows = written(tmp_path / "rows.jsonl", json.dumps({"id": 1, "output": '{"x": 1}', "expected": cell}))
    result = scored(tmp_path, {**kind, "when": {"expected.x": wanted}}, rows=rows)
    assert counts(result["it"]) == {"invalid": 1}
    assert [issue.where for issue in result.issues][:1] == [f'{rows} row 1, column "expected"']
    assert result.exit_code == 3


@pytest.mark.parametrize("cell", ["", "n/a"], ids=repr)
def test_a_row_that_a_readable_condition_leaves_out_stays_skipped(tmp_path: Path, cell: str) -> None:
    rows = 'id,kind,output,expected\n1,a,"{""x"": 1}","{""x"": 1}"\n' + f"2,b,no,{cell}\n"
    result = scored(tmp_path, {**FIELD, **WHEN_A}, rows=rows)
    assert counts(result["it"]) == {"scored": 1, "skipped": 1}
    assert result.issues == ()
    assert result.exit_code == 0


@pytest.mark.parametrize("when", [["row.kind", "expected.x"], ["expected.x", "row.kind"]], ids=str)
def test_the_order_of_conditions_makes_no_difference_to_a_row_that_one_of_them_leaves_out(
    tmp_path: Path, when: list[str]
) -> None:
    rows = 'id,kind,output,expected\n1,a,"{""x"": 1}","{""x"": 1}"\n2,b,no,n/a\n3,a,no,n/a\n'
    wanted = {"row.kind": "a", "expected.x": 1}
    result = scored(tmp_path, {**FIELD, "when": {name: wanted[name] for name in when}}, rows=rows)
    assert counts(result["it"]) == {"scored": 1, "skipped": 1, "invalid": 1}


def test_an_unreadable_output_still_leaves_a_row_out_of_a_condition_on_the_output(tmp_path: Path) -> None:
    rows = 'id,output,expected\n1,"{""x"": 1}","{""x"": 1}"\n2,prose,"{""x"": 1}"\n'
    result = scored(tmp_path, {**FIELD, "when": {"output.x": {"present": True}}}, rows=rows)
    assert counts(result["it"]) == {"scored": 1, "skipped": 1}


@pytest.mark.parametrize("text", ["[1, 2]", '"text"', "not JSON {", '{"id": 3, "kind": "a"'], ids=repr)
def test_a_line_that_is_no_object_is_invalid_whatever_a_condition_reads(tmp_path: Path, text: str) -> None:
    good = json.dumps({"id": 1, "kind": "a", "output": "yes", "expected": "yes"})
    rows = written(tmp_path / "rows.jsonl", f"{good}\n{text}\n{good}\n")
    result = scored(tmp_path, {**EXACT, **WHEN_A}, rows=rows)
    assert counts(result["it"]) == {"scored": 2, "invalid": 1}
    assert result.exit_code == 3


def test_a_damaged_row_of_a_folder_of_files_is_invalid(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    written(tmp_path / "parts" / "a.csv", HEAD + GOOD)
    written(tmp_path / "parts" / "b.csv", HEAD + DAMAGED["a cell too many"])
    result = scored(tmp_path, {**EXACT, **WHEN_A}, rows=tmp_path / "parts")
    assert counts(result["it"]) == {"scored": 1, "invalid": 1}


def test_a_damaged_row_is_invalid_in_every_variant_and_wherever_the_outputs_come_from(tmp_path: Path) -> None:
    written(tmp_path / "gold.csv", "id,kind,expected\n1,a,yes\n2,a,yes,yes\n3,b,yes\n")
    for name in ("one", "two"):
        written(tmp_path / f"{name}.csv", "id,output\n1,yes\n2,yes\n3,no\n")
    suite = {
        "test_set": {"file": "gold.csv", "outputs": {"one": "one.csv", "two": "two.csv"}},
        "evaluators": [{**EXACT, **WHEN_A}],
    }
    written(tmp_path / "suite.yaml", json.dumps(suite))
    result = load(tmp_path / "suite.yaml").run()
    assert [counts(stats) for stats in result.evaluators] == [{"scored": 1, "skipped": 1, "invalid": 1}] * 2
    assert result.exit_code == 3


def test_a_damaged_row_is_invalid_for_what_waits_for_an_evaluator_with_a_condition(tmp_path: Path) -> None:
    lines = [
        {**EXACT, **WHEN_A},
        {"type": "contains_json", "name": "after", "needs": ["it"]},
        {"type": "all_of", "name": "both", "of": ["it", "after"]},
        {"type": "any_of", "name": "part", "of": ["it"], "when": {"row.kind": "a"}},
    ]
    result = scored(tmp_path, *lines, rows=HEAD + GOOD + OTHER + DAMAGED["a cell too few"])
    assert [stats.invalid for stats in result.evaluators] == [1, 1, 1, 1]


def test_a_damaged_row_is_invalid_whatever_the_condition_of_a_field_reads(tmp_path: Path) -> None:
    fields = {"x": {"compare": "exact", "when": {"row.kind": "b"}}, "y": "exact"}
    right = '"{""x"": 1, ""y"": 1}"'
    rows = HEAD + f"1,b,{right},{right}\n2,b,{right},{right},3\n"
    result = scored(tmp_path, {**FIELD, "fields": fields}, rows=rows)
    assert counts(result["it"]) == {"scored": 1, "invalid": 1}


def test_whether_an_answer_of_another_file_is_given_can_be_asked(tmp_path: Path) -> None:
    """A row without an answer there is no damage: the condition says what to do with it."""
    written(tmp_path / "rows.csv", "id,output\n1,yes\n2,yes\n")
    written(tmp_path / "gold.csv", "id,expected\n1,yes\n")
    suite = {
        "test_set": {"file": "rows.csv", "expected": {"file": "gold.csv"}},
        "evaluators": [{**EXACT, "when": {"row.expected": {"present": True}}}],
    }
    written(tmp_path / "suite.yaml", json.dumps(suite))
    assert counts(load(tmp_path / "suite.yaml").run()["it"]) == {"scored": 1, "skipped": 1}
