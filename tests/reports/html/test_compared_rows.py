"""The rows on the page of a comparison: the values of both runs, by what each of them recorded."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluators.api.comparisons import compare, compare_variants, compared_sides, open_side, update_baseline
from evaluators.api.execute import finish
from evaluators.api.loading import load
from evaluators.reports.comparison_page import comparison_page
from evaluators.reports.html.compared_rows import ComparedRuns, compared_rows
from evaluators.reports.html.comparison import comparison_payload
from evaluators.reports.text import page_text
from evaluators.runs.compare.comparison import RunComparison
from tests.kit import write_rows

Row = dict[str, Any]


def run_of(folder: Path, name: str, outputs: list[Any], expected: list[Any], *evaluators: Any, **settings: Any) -> Path:
    """The folder of a run."""
    rows = [{"id": f"r{n}", "output": a, "expected": e} for n, (a, e) in enumerate(zip(outputs, expected, strict=True))]
    write_rows(folder / f"{name}.jsonl", rows)
    (folder / "suite.yaml").write_text(json.dumps({"name": "s", "evaluators": [*evaluators], **settings}))
    done = finish(load(folder / "suite.yaml"), test_set=str(folder / f"{name}.jsonl"), results=folder, name=name)
    assert done.folder is not None
    return done.folder


def compared(base: Path, new: Path, folder: Path | None = None) -> tuple[list[Row], Mapping[str, Any]]:
    runs = ComparedRuns(open_side(base), open_side(new), folder)
    return _read(compare(runs.base, runs.new), runs)


def _read(comparison: RunComparison, runs: ComparedRuns) -> tuple[list[Row], Mapping[str, Any]]:
    found = compared_rows(comparison, runs)
    return [json.loads(line) for line in zlib.decompress(found.elements["compared"]).splitlines()], found.index


def values(row: Row) -> list[tuple[Any, ...]]:
    return [
        (one["path"], one["change"], *(one.get(side, "?") for side in ("expected", "base", "new")))
        for one in row["fields"]
    ]


RIGHT = {"name": "Ann", "no": "A-1", "items": [{"sku": "x"}, {"sku": "y"}]}
FIELDS = {"json_multi_field_match": {"name": "f", "fields": {"name": "normalized", "no": "exact"}}}


def test_a_field_has_the_expected_value_and_that_of_both_runs(tmp_path: Path) -> None:
    base = run_of(tmp_path, "a", [{**RIGHT, "no": "1"}, RIGHT, RIGHT], [RIGHT] * 3, FIELDS)
    new = run_of(
        tmp_path, "b", [{**RIGHT, "name": "ann"}, {**RIGHT, "no": "2", "name": "ANN"}, RIGHT], [RIGHT] * 3, FIELDS
    )
    rows, _ = compared(base, new)
    assert [(row["change"], row["base"], row["new"], row["verdicts"]) for row in rows] == [
        ("fixed", "1", "1", {"fixed": ["f"]}),
        ("broken", "2", "2", {"broken": ["f"]}),
    ]
    assert values(rows[0]) == [("name", "unchanged", "Ann", "Ann", "ann"), ("no", "fixed", "A-1", "1", "A-1")]
    assert values(rows[1]) == [("name", "unchanged", "Ann", "Ann", "ANN"), ("no", "broken", "A-1", "A-1", "2")]
    assert rows[1]["fields"][1]["why"] == '"2" differs from "A-1"'


def test_fields_that_changed_most_have_a_row_with_its_values(tmp_path: Path) -> None:
    outputs = {
        "a": [RIGHT, {**RIGHT, "no": "1"}, {**RIGHT, "no": "2"}, RIGHT, RIGHT],
        "b": [RIGHT, RIGHT, RIGHT, "no JSON", {"no": "A-1", "name": "Bob"}],
    }
    sides = [open_side(run_of(tmp_path, name, made, [RIGHT] * 5, FIELDS)) for name, made in outputs.items()]
    found = [(one.field, one.row, one.id, one.values) for one in compare(*sides).examples]
    assert found == [("name", 5, "r4", '"Ann" → "Bob" (expected "Ann")'), ("no", 2, "r1", '"1" → "A-1" (expected "A-1")')]
    assert f"- name, row 5 (r4): {found[0][3]}" in page_text(comparison_page(compare(*sides)))


def test_an_example_in_a_list_has_its_place_and_nothing_where_nothing_is(tmp_path: Path) -> None:
    items = {"schema_match": {"name": "s", "fields": {"items[*].sku": "exact"}}}
    right, wrong = {"items": RIGHT["items"]}, {"items": [{"sku": "x"}, {"sku": None}]}
    sides = [run_of(tmp_path, name, [made], [right], items) for name, made in (("a", right), ("b", wrong))]
    found = compare(*sides).examples
    assert [(one.field, one.path, one.values) for one in found] == [
        ("items[*].sku", "items[1].sku", '"y" → null (expected "y")')
    ]


def test_the_example_of_a_field_of_two_evaluators_is_of_the_one_that_changed_more(tmp_path: Path) -> None:
    strict = {"schema_match": {"name": "strict", "fields": {"total": "numeric"}}}
    loose = {"schema_match": {"name": "loose", "fields": {"total": {"numeric": {"tolerance": {"abs": 5}}}}}}
    expected = [{"total": 10}] * 3
    near = [{"total": 11}, {"total": 12}, {"total": 90}]
    for order in ((strict, loose), (loose, strict)):
        sides = [run_of(tmp_path, name, outputs, expected, *order) for name, outputs in (("a", expected), ("b", near))]
        comparison = compare(*map(open_side, sides))
        assert [example.evaluator for example in comparison.examples] == ["strict"]
        assert "- strict: total, row 1 (r0): 10 → 11 (expected 10)" in page_text(comparison_page(comparison))


def test_what_is_extra_in_one_run_has_nothing_in_the_other(tmp_path: Path) -> None:
    schema = {"schema_match": {"name": "s", "fields": {"name": "exact"}}}
    base = run_of(tmp_path, "a", [{"name": "Ann", "tel": 1}, {"name": "Ann"}], [{"name": "Ann"}] * 2, schema)
    new = run_of(tmp_path, "b", [{"name": "Ann"}, {"name": None}], [{"name": "Ann"}] * 2, schema)
    rows, _ = compared(base, new)
    assert values(rows[0]) == [("tel", "fixed", "?", 1, "?")]
    assert values(rows[1]) == [("name", "broken", "Ann", "Ann", None)]


def test_an_item_of_a_list_is_named_by_its_place(tmp_path: Path) -> None:
    items = {"schema_match": {"name": "s", "fields": {"items[*].sku": "exact"}}}
    right, wrong = {"items": RIGHT["items"]}, {"items": [{"sku": "x"}, {"sku": "z"}]}
    rows, _ = compared(run_of(tmp_path, "a", [wrong], [right], items), run_of(tmp_path, "b", [right], [right], items))
    assert values(rows[0]) == [("items[1].sku", "fixed", "y", "z", "y")]
    assert rows[0]["fields"][0]["field"] == "items[*].sku"


def test_an_evaluator_without_fields_has_both_texts(tmp_path: Path) -> None:
    base = run_of(tmp_path, "a", ["no", "yes"], ["yes", "yes"], "exact_match")
    rows, _ = compared(base, run_of(tmp_path, "b", ["yes", "no"], ["yes", "yes"], "exact_match"))
    assert [values(row) for row in rows] == [[("", "fixed", "yes", "no", "yes")], [("", "broken", "yes", "yes", "no")]]


def test_an_evaluator_without_fields_that_is_wrong_again_has_both_texts(tmp_path: Path) -> None:
    was, now = (
        run_of(tmp_path, name, [output, "c"], ["b", "d"], "exact_match") for name, output in (("base", "a"), ("new", "e"))
    )
    rows, _ = compared(was, now)
    assert [(row["change"], values(row)) for row in rows] == [("unchanged", [("", "unchanged", "b", "a", "e")])]


def test_a_baseline_has_the_values_of_its_run(tmp_path: Path) -> None:
    base = run_of(tmp_path, "a", [RIGHT], [RIGHT], FIELDS)
    new = run_of(tmp_path, "b", [{**RIGHT, "no": "2"}], [RIGHT], FIELDS)
    update_baseline(base, tmp_path / "main")
    rows, _ = compared(tmp_path / "main", new, tmp_path)
    assert rows == compared(base, new, tmp_path)[0]
    assert rows[0]["change"] == "broken"


def test_two_variants_of_one_run_lead_to_the_rows_of_its_page(tmp_path: Path) -> None:
    for name, outputs in (("good", [RIGHT]), ("bad", [{**RIGHT, "no": 2}])):
        write_rows(tmp_path / f"{name}.jsonl", [{"id": "r", "output": one} for one in outputs])
    write_rows(tmp_path / "rows.jsonl", [{"id": "r", "expected": RIGHT}])
    test_set = {"file": "rows.jsonl", "outputs": {"good": "good.jsonl", "bad": "bad.jsonl"}}
    (tmp_path / "suite.yaml").write_text(json.dumps({"test_set": test_set, "evaluators": [FIELDS]}))
    done = finish(load(tmp_path / "suite.yaml"), results=tmp_path / "runs #1", name="x", formats=("html",))
    assert done.folder is not None
    sides = compared_sides([done.folder], ("good", "bad"), None)
    rows, index = _read(compare_variants(done.folder, ("good", "bad"), suite=None), ComparedRuns(*sides, tmp_path))
    assert [(row["base"], row["new"]) for row in rows] == [("1:good", "1:bad")]
    assert values(rows[0]) == [("no", "broken", "A-1", "A-1", 2)]
    assert {index[side]["link"] for side in ("base", "new")} == {"runs%20%231/x/report.html"}


def test_a_run_without_a_page_is_named_with_the_command_that_writes_one(tmp_path: Path) -> None:
    base = run_of(tmp_path, "a", ["no"], ["yes"], "exact_match")
    new = run_of(tmp_path, "b", ["yes"], ["yes"], "exact_match")
    _, index = compared(base, new, tmp_path)
    assert index["notes"] == [
        f"`evaluators view {run}` writes the page of that run; with it, the rows of a comparison lead there."
        for run in (base, new)
    ]


def test_the_lists_of_rows_stand_on_a_page_without_values_alone(tmp_path: Path) -> None:
    runs = ComparedRuns(
        *(open_side(run_of(tmp_path, name, [name], ["a"], "exact_match")) for name in ("b", "a")), tmp_path
    )
    found = compare(runs.base, runs.new)
    plain = comparison_payload(found)
    assert [one["title"] for one in plain["sections"] if "rows" in str(one["title"])] == ["Fixed rows"]
    assert plain["compared"] is None
    with_values = comparison_payload(found, compared_rows(found, runs))
    assert not [one for one in with_values["sections"] if "rows" in str(one["title"])]


def test_what_only_one_run_has_is_set_aside_or_told_apart(tmp_path: Path) -> None:
    base = run_of(tmp_path, "a", [RIGHT, RIGHT, RIGHT], [RIGHT] * 3, FIELDS, "exact_match")
    new = run_of(tmp_path, "b", [{**RIGHT, "no": "2"}, RIGHT], [RIGHT] * 2, FIELDS, "contains_json")
    runs = ComparedRuns(open_side(base), open_side(new), tmp_path)
    rows, _ = _read(compare(runs.base, runs.new, common=True), runs)
    assert [(row["change"], row["base"], row["new"]) for row in rows] == [("broken", "1", "1"), ("lost", "3", None)]
    assert {one["evaluator"] for row in rows for one in row["fields"]} == {"f"}
    assert values(rows[1]) == [("name", "lost", "Ann", "Ann", "?"), ("no", "lost", "A-1", "A-1", "?")]


def test_a_page_is_bounded_and_says_what_it_leaves_out(tmp_path: Path) -> None:
    wrong = [f"{n}{'x' * 30_000}" for n in range(3)]
    runs = ComparedRuns(
        open_side(run_of(tmp_path, "a", wrong, ["yes"] * 3, "exact_match")),
        open_side(run_of(tmp_path, "b", ["yes"] * 3, ["yes"] * 3, "exact_match")),
        None,
    )
    found = compared_rows(compare(runs.base, runs.new), runs, most_rows=2, most_bytes=25_000)
    rows = [json.loads(line) for line in zlib.decompress(found.elements["compared"]).splitlines()]
    assert [(row["id"], len(row["fields"])) for row in rows] == [("r0", 1), ("r1", 0)]
    assert rows[0]["fields"][0]["base"].endswith("x…")
    assert "The values of 1 row are left out: they would make the page too large." in found.index["notes"]
    assert "1 more changed row is in the JSON file." in found.index["notes"]


def test_the_same_runs_are_the_same_bytes(tmp_path: Path) -> None:
    runs = ComparedRuns(*(open_side(run_of(tmp_path, one, [one], ["a"], "exact_match")) for one in ("b", "a")), tmp_path)
    found = compare(runs.base, runs.new)
    assert compared_rows(found, runs) == compared_rows(found, runs)
