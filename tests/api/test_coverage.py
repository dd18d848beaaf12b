"""Law 11: what measured nothing is named, at its place in the suite, with what the rows have in its stead."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import loads
from evaluators.runs.result import RunResult
from evaluators.testsets.selection import Selection
from tests.kit import problem_of, write_rows

ITEMS = {"vendor": {"name": "a"}, "line_items": [{"sku": 1, "qty": 2}], "orders": [{"lines": [{"sku": 1, "qty": 2}]}]}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Three rows of two kinds with the same document on both sides."""
    written = [
        {"id": number, "kind": kind, "output": json.dumps(ITEMS), "expected": json.dumps(ITEMS)}
        for number, kind in enumerate(["invoice", "invoice", "credit_note"])
    ]
    return write_rows(tmp_path / "rows.jsonl", written)


def run(text: str, rows: Path, **options: Any) -> RunResult:
    return loads(text).run(rows, **options).result


def gaps(text: str, rows: Path) -> list[tuple[str | None, str, str | None]]:
    result = run(text, rows)
    assert result.exit_code == (3 if result.issues else 0)
    return [(issue.where, issue.message, issue.hint) for issue in result.issues]


def fields(*lines: str) -> str:
    """A suite whose fields start in line 3."""
    return "evaluators:\n  - json_multi_field_match: {name: header, fields: {\n" + ",\n".join(lines) + "\n  }}\n"


@pytest.mark.parametrize("spelled", ["vendor.nam", "$.vendor.nam", "/vendor/nam", "'[\"vendor\"].nam'"])
def test_a_field_that_no_row_has_is_placed_at_its_own_line(rows: Path, spelled: str) -> None:
    found = gaps(fields("vendor.name: exact", f"   {spelled}: exact"), rows)
    message = '"header": the field "vendor.nam" was found in no row, so it measured nothing'
    assert found == [("suite.yaml:4:4", message, 'did you mean "vendor.name"?')]


def test_a_field_of_a_plain_list_is_placed_at_its_item(rows: Path) -> None:
    text = "evaluators:\n  - json_multi_field_match:\n      fields:\n        - vendor.name\n        - vendor.nam\n"
    assert [where for where, _, _ in gaps(text, rows)] == ["suite.yaml:5:11"]


@pytest.mark.parametrize(
    "lists",
    [
        ("line_items: {align: {key_field: {key: %s}}}", "'line_items[*].qty': numeric"),
        ("line_items: {compare: exact, align: {key_field: {key: %s}}}",),
        ("'orders[*].lines': {align: {key_field: {key: %s}}}", "'orders[*].lines[*].qty': numeric"),
    ],
)
def test_a_key_that_no_item_has_is_named_with_the_nearest_one(rows: Path, lists: tuple[str, ...]) -> None:
    name = lists[0].partition(":")[0].strip("'")
    found = gaps(fields(*(line.replace("%s", "skuu") for line in lists)), rows)
    message = f'"header": no item of "{name}" has the key "skuu", so nothing was aligned by it'
    assert found == [(f"suite.yaml:3:{lists[0].index('%s') + 1}", message, 'did you mean "sku"?')]
    assert gaps(fields(*(line.replace("%s", "sku") for line in lists)), rows) == []


SCHEMA = """
evaluators:
  - schema_match:
      name: header
      schema:
        type: object
        properties:
          line_items:
            type: array
            x-eval-align: {match_by: key_field, key: %s}
            items: {type: object, properties: {sku: {type: string}}}
"""


def test_a_key_like_no_other_is_answered_with_the_keys_there_are(rows: Path) -> None:
    ((_, _, hint),) = gaps(fields("line_items: {align: {key_field: {key: barcode}}}"), rows)
    assert hint == 'the items have "sku", "qty"'


def test_a_key_that_one_late_item_has_is_found(tmp_path: Path) -> None:
    plain, keyed = '{"l": [{"b": 1}]}', '{"l": [{"k": 1}]}'
    lines = [json.dumps({"output": text, "expected": text}) for text in [plain] * 900 + [keyed]]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    text = fields("l: {align: {key_field: {key: k}}}")
    assert gaps(text, path) == []
    path.write_text("\n".join(lines[:-1]), encoding="utf-8")
    assert len(gaps(text, path)) == 1


def test_lists_without_items_say_nothing_about_a_key(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"output": '{"l": []}', "expected": '{"l": []}'}), encoding="utf-8")
    assert gaps(fields("l: {align: {key_field: {key: k}}}"), path) == []


def test_a_gap_in_a_part_of_the_rows_is_a_warning(rows: Path) -> None:
    text = fields("vendor.name: exact", "line_items: {align: {key_field: {key: skuu}}}")
    result = run(text, rows, selection=Selection(limit=2))
    assert [issue.code for issue in result.warnings] == ["key-found-nowhere"]
    assert (result.issues, result.exit_code) == ((), 0)


def test_a_condition_that_never_holds_is_answered_with_the_values_there_are(rows: Path) -> None:
    ((where, _, hint),) = gaps("evaluators:\n  - exact_match: {when: {row.kind: receipt}}\n  - contains_json\n", rows)
    assert where == "suite.yaml:2:5"
    assert hint == 'the column "kind" has "invoice", "credit_note"'


def test_five_values_of_a_column_are_listed_at_most(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("output,expected,kind\n" + "".join(f"a,a,k{number}\n" for number in range(9)), encoding="utf-8")
    ((_, _, hint),) = gaps("evaluators: [exact_match: {when: {row.kind: [x, y]}}]", path)
    assert hint == 'the column "kind" has "k0", "k1", "k2", "k3", "k4", …'


def test_a_field_whose_condition_never_holds_says_so(rows: Path) -> None:
    ((_, message, hint),) = gaps(
        fields("vendor.name: exact", "line_items: {compare: exact, when: {row.kind: receipt}}"), rows
    )
    assert message == '"header": the field "line_items" measured nothing: its `when` held in no row'
    assert hint == "look at its `when`"


@pytest.mark.parametrize(
    ("text", "where", "column"),
    [
        ("evaluators:\n  - exact_match: {expected: expectd}\n", "suite.yaml:2:29", "expectd"),
        ("evaluators:\n  - exact_match: {correct_answer_key: expectd}\n", "suite.yaml:2:39", "expectd"),
        ("evaluators:\n  - contains_json: {output: outpt}\n", "suite.yaml:2:29", "outpt"),
        ("evaluators:\n  - contains: {substring: {column: knd}}\n", "suite.yaml:2:36", "knd"),
        ("evaluators:\n  - exact_match: {when: {row.knd: x}}\n", "suite.yaml:2:26", "knd"),
        ("evaluators: [exact_match]\nslices: [row.knd]\n", "suite.yaml:2:10", "knd"),
        ("evaluators: [exact_match]\nslices: row.knd\n", "suite.yaml:2:9", "knd"),
        ("test_set: {columns: {output: outpt}}\nevaluators: [exact_match]\n", "suite.yaml:1:30", "outpt"),
        (fields("vendor: {when: {row.knd: x}}"), "suite.yaml:3:17", "knd"),
    ],
)
def test_a_wrong_column_is_placed_in_the_suite_and_names_the_file(rows: Path, text: str, where: str, column: str) -> None:
    (rows.parent / "rows.csv").write_text("id,kind,output,expected\n1,a,b,c\n", encoding="utf-8")
    issue = problem_of(lambda: run(text, rows.parent / "rows.csv"))
    assert issue.where == where
    assert f'rows.csv: there is no column "{column}"; the columns are ' in issue.message
    assert column in (issue.excerpt or "")


def test_what_measured_nothing_says_why_without_zeros(rows: Path) -> None:
    text = "evaluators:\n  - length: {max: 9, when: {row.kind: [letter]}}\n"
    ((_, message, _),) = gaps(text, rows)
    assert message == '"length" measured nothing: 3 rows were skipped'
    result = run(text, rows, selection=Selection(limit=1))
    assert [issue.message for issue in result.warnings] == ['"length" measured nothing: 1 row was skipped']


def test_a_field_without_weight_that_is_there_is_not_said_to_be_nowhere(rows: Path) -> None:
    text = fields("vendor.name: {compare: exact, weight: 0}", "vendor.nam: exact")
    ((_, message, hint),) = gaps(text, rows)
    assert message == '"header" measured nothing: 3 rows had nothing to measure'
    assert hint == '"vendor.nam" was found in no row: did you mean "vendor.name"?'


def test_a_variant_is_named_where_it_has_a_gap_or_a_broken_row(tmp_path: Path) -> None:
    (tmp_path / "expected.csv").write_text('id,expected\n1,"{""a"": 1}"\n2,no JSON\n')
    for name, output in (("good", '{"a": 1}'), ("odd", '{"b": 1}')):
        outputs = [json.dumps({"id": str(number), "output": output}) + "\n" for number in (1, 2)]
        (tmp_path / f"{name}.jsonl").write_text("".join(outputs))
    text = (
        "test_set: {file: expected.csv, outputs: {good: good.jsonl, odd: odd.jsonl}}\n"
        "evaluators:\n  - json_multi_field_match: {fields: [a]}\n  - length: {max: 9, when: {output.a: {present: true}}}\n"
    )
    result = loads(text, folder=tmp_path).run()
    places = [issue.where for issue in result.issues if issue.code == "expected-not-json"]
    assert places == [f'expected.csv variant "{name}" row 3, column "expected"' for name in ("good", "odd")]
    gap = next(issue for issue in result.issues if issue.code == "evaluator-measured-nothing")
    assert gap.message == 'variant "odd": "length" measured nothing: 2 rows were skipped'


def test_a_ragged_row_is_one_issue_of_the_whole_row(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("output,expected\na,a\nb,b,b\n")
    result = loads("evaluators: [exact_match]").run(tmp_path / "rows.csv")
    (issue,) = result.issues
    assert issue.where is not None
    assert issue.where.endswith("rows.csv row 3")
    assert issue.message == "this row has 3 cells, the header has 2"
