"""What became of every field: `fields.csv`, `report.json`, `fields.md` and the failed fields of a summary."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.execute import finish
from evaluators.api.finished_run import write_again
from evaluators.api.loading import load
from evaluators.api.written_run import Finished
from evaluators.model.issues import Problems
from evaluators.reports.run_page import run_page
from evaluators.reports.text import page_text
from tests.kit import write_rows, written

FIELDS = {
    "name": {"transforms": ["lowercase"]}, "items": {"align": "hungarian"}, "items[*].sku": "exact",
    "items[*].qty": "numeric", "tags": {"align": "any_order"}, "tags[*]": "exact",
}  # fmt: skip
EXPECTED = {"name": "X", "items": [{"sku": "A", "qty": 1}, {"sku": "B", "qty": 2}], "tags": []}
OUTPUT = {"name": "x", "items": [{"sku": "B", "qty": 2}, {"sku": "A", "qty": 3}], "tags": ["q"], "more": 1}
ROWS: list[dict[str, Any]] = [
    {"id": "one", "expected": EXPECTED, "output": OUTPUT},
    {"id": "two", "expected": "no JSON", "output": "{}"},
]
PAGE = [
    "path", "normalized_path", "metric_id", "score", "passed", "gold_value", "extracted_value", "reasoning", "matched",
    "missed_gold", "spurious_pred", "precision", "recall", "f1",
]  # fmt: skip


def run(tmp_path: Path, rows: list[dict[str, Any]] = ROWS, *, evaluators: Any = None, **request: Any) -> Finished:
    file = tmp_path / "rows.jsonl"
    write_rows(file, rows)
    suite = load({"name": "docs", "evaluators": evaluators or [{"schema_match": {"fields": FIELDS}}]})
    given = {"test_set": str(file), "results": tmp_path / "runs", "name": "x", **request}
    return finish(suite, **given)


def cells(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_fields_csv_has_the_columns_of_the_page_behind_the_row(tmp_path: Path) -> None:
    lines = cells((run(tmp_path, formats=("fields",)).folder or tmp_path) / "fields.csv")
    assert list(lines[0]) == ["row", *PAGE]
    by_path = {line["normalized_path"]: line for line in lines}
    name, items, missed = by_path["name"], by_path["items"], by_path["items[0].qty"]
    assert (name["path"], name["score"], name["gold_value"], name["extracted_value"]) == ("$.name", "1.0", "X", "x")
    assert [items[each] for each in ("matched", "missed_gold", "spurious_pred", "recall", "score", "passed")] == [
        "1", "1", "1", "0.5", "0.5", "false",
    ]  # fmt: skip
    assert (missed["metric_id"], missed["matched"]) == ("numeric", "")
    assert by_path["tags[+0]"]["gold_value"] == ""


def test_a_list_stands_before_what_is_in_it(tmp_path: Path) -> None:
    folder = run(tmp_path, formats=("fields",)).folder or tmp_path
    places = [line["normalized_path"] for line in cells(folder / "fields.csv")]
    assert places == [
        "name", "items", "items[0].sku", "items[0].qty", "items[1].sku", "items[1].qty", "tags", "tags[+0]", "more",
    ]  # fmt: skip


def test_outcomes_are_listed_only_when_asked_for(tmp_path: Path) -> None:
    folder = run(tmp_path).folder or tmp_path
    assert not any((folder / name).exists() for name in ("fields.csv", "fields.md", "field_summary.csv"))
    asked = run(tmp_path, name="y", formats=("fields",))
    assert ((asked.folder or tmp_path) / "fields.csv").exists()


def test_report_json_of_one_row_has_the_keys_of_the_page(tmp_path: Path) -> None:
    folder = run(tmp_path, ROWS[:1], formats=("report",)).folder or tmp_path
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report.keys() >= {
        "output_name", "timestamp", "schema_hash", "gold_hash", "extracted_hash", "schema_stats", "gold_stats",
        "extracted_stats", "coverage", "outcomes", "field_outcomes", "overall_score", "field_score", "overall_pass_rate",
    }  # fmt: skip
    assert report["outcomes"].keys() == {
        "total_evaluated", "total_passed", "total_failed", "pass_rate", "pass_by_metric", "pass_by_type",
        "pass_by_required", "confusion", "llm_stats", "error_breakdown",
    }  # fmt: skip
    (items,) = [one for one in report["field_outcomes"] if one["normalized_path"] == "items"]
    assert items["array_breakdown"]["matched_items"] == [{"sku": "B", "qty": 2}]
    assert items["array_breakdown"]["missed_gold_items"] == [{"sku": "A", "qty": 1}]
    assert items["array_breakdown"]["spurious_pred_items"] == [{"sku": "A", "qty": 3}]


def test_the_figures_of_a_report_agree_with_each_other(tmp_path: Path) -> None:
    finished = run(tmp_path, ROWS[:1], formats=("report",))
    report = json.loads(((finished.folder or tmp_path) / "report.json").read_text(encoding="utf-8"))
    (stats,) = finished.result.evaluators
    confusion, coverage, outcomes = report["outcomes"]["confusion"], report["coverage"], report["outcomes"]
    assert (confusion["precision"], confusion["recall"], confusion["f1"]) == (
        stats.micro_precision,
        stats.micro_recall,
        stats.micro_f1,
    )
    assert (report["precision"], report["f1"]) == (stats.micro_precision, stats.micro_f1)
    assert outcomes["pass_rate"] == report["overall_pass_rate"] == 1 / 3
    assert sum(one["in_totals"] for one in report["field_outcomes"]) == outcomes["total_evaluated"] == 3
    assert (coverage["present_in_both"], coverage["spurious_in_extracted"]) == (5, 2)
    assert coverage["spurious_paths"] == ["tags[+0]", "more"]
    assert outcomes["error_breakdown"]["by_reason"] == {"gold_empty_array": 1, "mismatch": 1}
    assert report["gold_stats"]["array_stats"]["total_items"] == 2


def test_raw_values_stand_beside_the_compared_ones(tmp_path: Path) -> None:
    folder = run(tmp_path, ROWS[:1], formats=("report",)).folder or tmp_path
    (name,) = [
        one
        for one in json.loads((folder / "report.json").read_text(encoding="utf-8"))["field_outcomes"]
        if one["normalized_path"] == "name"
    ]
    assert (name["gold_value"], name["extracted_value"], name["compared_expected"]) == ("X", "x", "x")
    assert "compared_actual" not in name


def test_report_json_of_several_rows_has_one_report_for_each_and_totals(tmp_path: Path) -> None:
    finished = run(tmp_path, formats=("report",))
    report = json.loads(((finished.folder or tmp_path) / "report.json").read_text(encoding="utf-8"))
    good, bad = report["rows"]
    assert (report["format"], good["id"], bad["status"]) == (1, "one", "invalid")
    assert (bad["overall_score"], bad["field_outcomes"]) == (None, [])
    (stats,) = finished.result.evaluators
    assert {one.name: report["totals"][one.name] for one in stats.metrics} == {
        one.name: one.mean for one in stats.metrics
    }
    assert report["totals"]["arrays"]["items"]["matched"] == 1


def test_fields_md_of_a_small_run_lists_the_outcomes(tmp_path: Path) -> None:
    folder = run(tmp_path, formats=("markdown",)).folder or tmp_path
    text = (folder / "fields.md").read_text(encoding="utf-8")
    assert "## schema_match: arrays" in text
    assert "| one | items | hungarian | 0.5000 | no | wrong | 1 | 1 | 0 | 0 | 0.5000 | 0.5000 | 0.5000 |" in text


def test_each_evaluator_has_a_file_of_its_own(tmp_path: Path) -> None:
    both = [{"schema_match": {"name": name, "fields": FIELDS}} for name in ("strict", "loose")]
    folder = run(tmp_path, evaluators=both, formats=("fields",)).folder or tmp_path
    assert (folder / "fields.strict.csv").exists()
    assert (folder / "fields.loose.csv").exists()


def test_a_double_ending_asks_for_outcomes(tmp_path: Path) -> None:
    files = (tmp_path / "a.fields.csv", tmp_path / "a.report.json", tmp_path / "rows.csv")
    finished = run(tmp_path, ROWS[:1], results=None, files=files)
    assert finished.files == tuple(map(str, files))
    assert next(iter(cells(files[0])[0])) == "row"
    assert "field_outcomes" in json.loads(files[1].read_text(encoding="utf-8"))
    assert next(iter(cells(files[2])[0])) == "id"


@pytest.mark.parametrize(
    "request_", [{"formats": ("report", "csv")}, {"files": (Path("a.fields.csv"),)}], ids=["word", "file"]
)
def test_a_suite_without_a_schema_has_nothing_to_list(tmp_path: Path, request_: dict[str, Any]) -> None:
    with pytest.raises(Problems) as caught:
        run(tmp_path, evaluators=["exact_match"], **request_)
    assert [issue.code for issue in caught.value.issues] == ["no-outcomes"]
    assert not (tmp_path / "a.fields.csv").exists()


def test_a_page_names_what_failed_with_comparator_score_and_reason(tmp_path: Path) -> None:
    finished = run(tmp_path)
    text = page_text(run_page(finished.result, finished.options))
    assert "- row 1 (one): items[0].qty\n  wrong, numeric, score 0.0000: 3 differs from 1 by 2; allowed: 0" in text
    assert "- row 1 (one): tags\n  extra, any_order, score 0.0000: no items are expected" in text
    assert "evaluator     array  right  wrong  missing  extra  precision  recall      F1" in text
    assert "schema_match  items      1      1        0      0     0.5000  0.5000  0.5000" in text


def test_a_text_file_keeps_the_words_and_lines_of_extract_bench(tmp_path: Path) -> None:
    finished = run(tmp_path, files=(tmp_path / "a.txt",))
    text = written("text", finished.result, finished.options)
    assert (
        "  Overall Score: 0.500 (item-weighted)\n"
        "  Field Score: 0.500 (flat average)\n"
        "  Pass Rate: 33.3%\n"
        "  Evaluated: 3 fields (1 passed, 2 failed)\n"
    ) in text
    assert (
        "  items [FAIL] score=0.500\n    Items: 1 matched, 1 missed, 1 spurious\n    P=0.500 R=0.500 F1=0.500\n"
        "  tags [FAIL] score=0.000\n    Items: 0 matched, 0 missed, 1 spurious\n    P=0.000 R=0.000 F1=0.000\n"
    ) in text
    assert "  row 1 (one): items[0].qty\n    Metric: numeric, Score: 0.000\n    Reason: mismatch\n" in text
    assert "  row 1 (one): tags\n    Metric: any_order, Score: 0.000\n    Reason: gold_empty_array\n" in text
    assert "OVERALL RESULTS" in (tmp_path / "a.txt").read_text(encoding="utf-8")


def test_a_list_that_is_right_passes_in_a_text_file(tmp_path: Path) -> None:
    rows = [{"id": str(number), "expected": {"items": [1]}, "output": {"items": [1]}} for number in range(2)]
    fields = {"items": {"align": "any_order"}, "items[*]": "exact"}
    finished = run(tmp_path, rows, evaluators=[{"schema_match": {"name": name, "fields": fields}} for name in "ab"])
    text = written("text", finished.result, finished.options)
    assert "OVERALL RESULTS of b\n" in text
    assert "  Overall Score: 1.000 (item-weighted, mean of 2 rows)\n" in text
    assert "  Evaluated: 2 fields (2 passed, 0 failed)\n" in text
    assert "  a: items [PASS] score=1.000\n    Items: 2 matched, 0 missed, 0 spurious\n" in text


INVENTED = [
    {"id": str(number), "expected": {"tags": ["a"]}, "output": {"tags": ["a"] + ["x"] * number}} for number in range(3)
]
LISTED = {"fields": {"tags": {"align": "ordered"}, "tags[*]": "exact"}, "score": "overall_score"}


@pytest.mark.parametrize(
    ("evaluator", "mean", "sentence"),
    [
        (
            {"json_diff_match": {}},
            1.0,
            (
                "- json_diff_match: extra list items: 3 (3 values) in 2 rows; they cost nothing in the score, and "
                "`extra_items: penalize` counts them\n"
            ),
        ),
        (
            {"json_diff_match": {"extra_items": "penalize"}},
            (1 + 1 / 2 + 1 / 3) / 3,
            "- json_diff_match: extra list items: 3 (3 values) in 2 rows; they lower the score\n",
        ),
        (
            {"schema_match": LISTED},
            1.0,
            (
                "\nExtra list items: 3 in 2 rows; they cost nothing in the overall score, the field score and the overall pass rate, "
                "and `extra_items: penalize` counts them.\n"
            ),
        ),
        (
            {"schema_match": {**LISTED, "extra_items": "penalize"}},
            (1 + 1 / 2 + 1 / 3) / 3,
            "\nExtra list items: 3 in 2 rows; they lower the overall score, the field score and the overall pass rate.\n",
        ),
    ],
)
def test_a_summary_says_when_list_items_were_invented(
    tmp_path: Path, evaluator: dict[str, Any], mean: float, sentence: str
) -> None:
    finished = run(tmp_path, INVENTED, evaluators=[evaluator])
    assert finished.result.evaluators[0].mean == pytest.approx(mean, abs=1e-15)
    assert sentence in page_text(run_page(finished.result, finished.options))
    summary = ((finished.folder or tmp_path) / "summary.txt").read_text(encoding="utf-8")
    assert sentence.strip("\n-. E").casefold()[5:] in " ".join(summary.split()).casefold()


def test_ten_failed_fields_are_named(tmp_path: Path) -> None:
    rows = [{"id": str(number), "expected": {"name": "a"}, "output": {"name": "b"}} for number in range(30)]
    finished = run(tmp_path, rows)
    page = page_text(run_page(finished.result, finished.options))
    assert "Failed fields (first 10)" in page
    assert page.count("exact, score 0.0000") == 10
    text = written("text", finished.result, finished.options)
    assert "FAILED FIELDS (first 10)" in text
    assert text.count("Metric: exact, Score: 0.000") == 10


def test_failed_fields_spend_one_line_on_rows_that_cannot_be_read(tmp_path: Path) -> None:
    refused = [{"id": f"r{number}", "expected": {"a": 1, "b": 2}, "output": "Sorry."} for number in range(8)]
    rows: list[dict[str, Any]] = [*refused, {"id": "last", "expected": {"a": 1, "b": 2}, "output": {"a": 1, "b": 3}}]
    finished = run(tmp_path, rows, evaluators=[{"schema_match": {"fields": {"a": "exact", "b": "exact"}}}])
    said = "8 rows not listed: the output could not be read, so every field is missing."
    page = page_text(run_page(finished.result, finished.options))
    failed = page[page.index("Failed fields\n") :].splitlines()[2:]
    assert [failed[0], failed[2]] == ["- row 9 (last): b", said]
    text = written("text", finished.result, finished.options).splitlines()
    start = text.index("FAILED FIELDS (first 1)")
    assert [text[start + 2], text[start + 5]] == ["  row 9 (last): b", said]


@pytest.mark.parametrize(
    ("expected", "output", "said"),
    [
        ({"items": [{"sku": "A"}]}, {}, "missing, hungarian, score 0.0000: the output does not have the list"),
        ({"items": [{"sku": "A"}]}, {"items": []}, "missing, hungarian, score 0.0000: 0 of 1 expected item right"),
        ({"items": [{"sku": "A"}]}, {"items": None}, "missing, hungarian, score 0.0000: 0 of 1 expected item right"),
        ({}, {"items": [{"sku": "A"}]}, "extra, hungarian, score 0.0000: no items are expected"),
        ({"items": []}, {"items": [{"sku": "A"}]}, "extra, hungarian, score 0.0000: no items are expected"),
    ],
)
def test_a_list_that_one_side_lacks_is_missing_or_extra_as_its_items_are(
    tmp_path: Path, expected: dict[str, Any], output: dict[str, Any], said: str
) -> None:
    fields = {"name": "exact", "items": {"align": "hungarian"}, "items[*].sku": "exact"}
    row = {"expected": {"name": "X", **expected}, "output": {"name": "X", **output}}
    finished = run(tmp_path, [row], evaluators=[{"schema_match": {"fields": fields}}], formats=("report",))
    page = page_text(run_page(finished.result, finished.options))
    assert f"- row 1: items\n  {said}\n" in page
    report = json.loads(((finished.folder or tmp_path) / "report.json").read_text(encoding="utf-8"))
    of_items = {one["status"] for one in report["field_outcomes"] if one["normalized_path"] != "name"}
    assert of_items == {"omission" if said.startswith("missing") else "hallucination"}


def test_where_no_output_can_be_read_one_line_says_it_for_each_evaluator(tmp_path: Path) -> None:
    found: list[dict[str, Any]] = [{"schema_match": {"name": name, "fields": {"a": "exact"}}} for name in ("one", "two")]
    finished = run(tmp_path, [{"expected": {"a": 1}, "output": "Sorry."}], evaluators=found)
    page = page_text(run_page(finished.result, finished.options))
    assert [f"{name}: 1 row not listed: the output could not be read" in page for name in ("one", "two")] == [True, True]


def test_a_run_in_which_all_is_right_names_no_failed_field(tmp_path: Path) -> None:
    rows = [{"id": "a", "expected": EXPECTED, "output": EXPECTED}]
    finished = run(tmp_path, rows)
    text = written("text", finished.result, finished.options)
    assert "FAILED FIELDS" not in text
    assert re.search(r"mean F1 +1\.0000", text)


def test_each_variant_has_a_file_of_its_own(tmp_path: Path) -> None:
    rows = [{"id": "one", "expected": EXPECTED, "gpt": OUTPUT, "small": {}}]
    settings = {"outputs": {"gpt": {"column": "gpt"}, "small": {"column": "small"}}}
    finished = run(tmp_path, rows, test_set_settings=settings, files=(tmp_path / "a.report.json",), formats=["fields"])
    folder = finished.folder or tmp_path
    assert [line["passed"] for line in cells(folder / "fields.gpt.csv")][:2] == ["true", "false"]
    assert {line["extracted_value"] for line in cells(folder / "fields.small.csv")} == {""}
    assert [Path(file).name for file in finished.files] == ["a.report.gpt.json", "a.report.small.json"]
    text = written("text", finished.result, finished.options)
    assert "Metrics of schema_match (gpt)" in text
    assert "\n  schema_match (small), name\n" in text


def test_a_run_that_has_ended_can_still_be_listed(tmp_path: Path) -> None:
    write_rows(tmp_path / "rows.jsonl", [ROWS[0]])
    suite = {"evaluators": [{"schema_match": {"fields": FIELDS}}], "test_set": {"file": "rows.jsonl"}}
    (tmp_path / "suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    folder = finish(load(tmp_path / "suite.yaml"), results=tmp_path / "runs", name="x", formats=("fields",)).folder
    listed = tmp_path / "again.fields.csv"
    assert write_again(folder or tmp_path, [listed]) == [listed]
    assert listed.read_bytes() == ((folder or tmp_path) / "fields.csv").read_bytes()


def test_a_schema_in_a_cell_lists_its_fields(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}}
    rows = [{"id": "one", "expected": {"a": "x", "b": 1}, "output": {"a": "y"}, "shape": schema}]
    by_cell = [{"schema_match": {"schema": {"column": "shape"}}}]
    folder = run(tmp_path, rows, evaluators=by_cell, formats=("report",)).folder or tmp_path
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["outcomes"]["pass_by_type"] == {
        "number": {"passed": 0, "failed": 1}, "string": {"passed": 0, "failed": 1},
    }  # fmt: skip
