"""The advice of a run: from the mismatches that it recorded."""

from __future__ import annotations

import csv
import io
import json
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

import evaluators
from evaluators.api.execute import finish
from evaluators.api.finished_run import write_again
from evaluators.api.loading import load
from evaluators.integrations.compat.struct_extract_eval import annotate_xeval, infer_schema
from evaluators.reports import suggestion_search as advice
from evaluators.reports.document import Listing
from evaluators.reports.suggestion_search import suggestions_for
from evaluators.reports.suggestions import suggestion_section
from evaluators.runs import storing
from evaluators.runs.cells_again import with_cells
from evaluators.runs.reader import Run
from evaluators.runs.recorder import Recording
from tests.kit import write_rows


def rows_csv(pairs: list[tuple[Any, Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["id", "output", "expected"])
    writer.writerows([f"R{n}", json.dumps(output), json.dumps(expected)] for n, (expected, output) in enumerate(pairs))
    return text.getvalue()


def run(
    folder: Path, pairs: list[tuple[Any, Any]], *evaluators: Any, workers: int = 1, name: str = "run"
) -> tuple[Any, Path]:
    (folder / "rows.csv").write_text(rows_csv(pairs), encoding="utf-8")
    suite = load({"test_set": str(folder / "rows.csv"), "evaluators": list(evaluators)})
    finished = finish(suite, results=folder, name=name, workers=workers)
    assert finished.folder is not None
    return suite, finished.folder


def said(suite: Any, folder: Path) -> list[tuple[str, str, int, int, tuple[int, ...]]]:
    found = suggestions_for(suite.lines, Run(folder))
    return [(one.field, one.switch, one.turned, one.of, one.rows) for one in found]


FIELDS = {"type": "json_multi_field_match", "name": "fields", "fields": {"city": "exact", "tags": "exact"}}
ITEMS = {
    "type": "schema_match",
    "name": "items",
    "fields": {"items[*].city": "exact", "tags": {"align": "ordered"}, "tags[*]": "exact"},
}


def test_the_rows_are_named_by_field(tmp_path: Path) -> None:
    pairs = [
        ({"city": "Rome"}, {"city": "ROME"}),
        ({"city": "Oslo"}, {"city": "oslo"}),
        ({"city": "Bari"}, {"city": "Turin"}),
    ]
    assert said(*run(tmp_path, [({"tags": 1}, {"tags": 1}), *pairs], FIELDS)) == [("city", "case: ignore", 2, 3, (3, 4))]


def test_items_of_lists_are_one_field(tmp_path: Path) -> None:
    document = {"items": [{"city": "Rome"}, {"city": "Oslo"}], "tags": ["a", "b"]}
    output = {"items": [{"city": "ROME"}, {"city": "OSLO"}], "tags": ["b", "a"]}
    assert said(*run(tmp_path, [(document, output)], ITEMS)) == [
        ("items[*].city", "case: ignore", 2, 2, (2,)),
        ("tags[*]", "align: any_order", 2, 2, (2,)),
    ]


def test_nothing_is_suggested_for_what_is_missing_or_right(tmp_path: Path) -> None:
    pairs = [({"city": "Rome", "tags": 1}, {"city": "Rome", "tags": 1}), ({"city": "Rome"}, {})]
    assert said(*run(tmp_path, pairs, FIELDS)) == []


def test_several_workers_give_the_same_advice(tmp_path: Path) -> None:
    pairs = [({"city": f"Rome {n % 7}", "tags": [n]}, {"city": f"ROME {n % 5}", "tags": [n]}) for n in range(60)]
    one = run(tmp_path, pairs, FIELDS, name="one")[1]
    two = run(tmp_path, pairs, FIELDS, name="two", workers=2)[1]
    assert (one / "summary.txt").read_bytes() == (two / "summary.txt").read_bytes()
    assert "Would make them right" in (one / "summary.txt").read_text(encoding="utf-8")


def test_advice_from_the_first_mismatches_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "MOST_MISMATCHES", 3)
    monkeypatch.setattr(advice, "MOST_ROWS", 4)  # more rows are not scored again
    pairs = [({"city": "Rome", "tags": 1}, {"city": "ROME", "tags": 1})] * 5
    suite, folder = run(tmp_path, pairs, FIELDS)
    (section,) = suggestion_section(suggestions_for(suite.lines, Run(folder)))
    _, listing = section.blocks
    assert listing.items[0].text == (  # type: ignore[union-attr]  # the second block is the list
        "fields: `case: ignore` on city would turn all of the first 4 of 5 wrong values right; see rows 2, 3, 4, 5"
    )


def test_advice_says_so_too_where_other_faults_take_the_place_of_recorded_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    city = {"city": "Rome", "tags": 1}
    pairs = [(city, {"city": "ROME", "tags": 1} if n % 2 else {"tags": 1}) for n in range(600)]
    suite, folder = run(tmp_path, pairs, FIELDS, name="whole")
    (found,) = suggestions_for(suite.lines, Run(folder))
    assert (found.turned, found.of, found.first) == (300, 300, False)
    monkeypatch.setattr(storing, "Recording", partial(Recording, small=50))
    for rows, of, first in ((600, 100, True), (202, 100, True), (198, 99, False)):
        suite, folder = run(tmp_path, pairs[:rows], FIELDS, name=f"of {rows}")
        (found,) = suggestions_for(suite.lines, Run(folder))
        assert (found.of, found.first) == (of, first)


@pytest.mark.parametrize("of", [FIELDS, {**FIELDS, "type": "schema_match"}], ids=["one field", "items"])
def test_a_list_whose_items_count_once_it_is_aligned_is_said(tmp_path: Path, of: Any) -> None:
    document = {"city": "Rome", "tags": ["a", "b"]}
    suite, folder = run(tmp_path, [(document, {**document, "tags": ["b", "a"]})], of)
    (found,) = suggestions_for(suite.lines, Run(folder))
    items = of["type"] == "schema_match"
    assert (found.switch, found.says) == (
        "align: any_order",
        "its metrics count items then, not whole lists" if items else "",
    )
    (section,) = suggestion_section([found])
    text = section.blocks[1].items[0].text  # type: ignore[union-attr]  # the second block is the list
    assert text.endswith("see row 2 (its metrics count items then, not whole lists)" if items else "see row 2")


LIMITS = {"numeric": {"tolerance": {"abs": 5, "rel": 0.05}}}


@pytest.mark.parametrize("evaluator", [
    {"type": "json_multi_field_match", "fields": {"total": LIMITS}},
    {"type": "schema_match", "fields": {"total": LIMITS}},
    {
        "type": "schema_match",
        "schema": {"type": "object", "properties": {"total": {"type": "number", "x-eval-compare": LIMITS}}},
    },
], ids=["one field", "fields", "x-eval"])  # fmt: skip
def test_one_of_two_limits_is_offered_where_it_can_be_written(tmp_path: Path, evaluator: dict[str, Any]) -> None:
    suite, folder = run(tmp_path, [({"total": 200}, {"total": 209}), ({"total": 1000}, {"total": 1020})], evaluator)
    (found,) = suggestions_for(suite.lines, Run(folder))
    where = "; as a comparator of the suite, which the schema names" if "schema" in evaluator else ""
    worst = "at worst 1020 for 1000, row 3"
    assert (found.turned, found.says) == (2, f"abs and rel must both hold today{where}; {worst}")
    assert found.write == ("" if where else "numeric: {tolerance: {abs: 5.0, rel: 0.05, either: true}}")


def test_without_a_suite_there_is_no_advice(tmp_path: Path) -> None:
    _, folder = run(tmp_path, [({"city": "Rome", "tags": 1}, {"city": "ROME", "tags": 1})], FIELDS)
    assert suggestion_section(suggestions_for((), Run(folder))) == ()


def test_an_item_that_only_the_output_has_is_read_like_any_other(tmp_path: Path) -> None:
    pair = ({"items": [{"name": "a"}]}, {"items": [{"name": "A"}, {"name": "new"}]})
    fields = {"items": {"align": "ordered"}, "items[*].name": "exact"}
    found = said(*run(tmp_path, [pair], {"type": "schema_match", "fields": fields}))
    assert [one[0] for one in found] == ["items[*].name"]


INVOICE = {
    "number": "A1", "vendor": {"name": "Acme", "tax": "DE1"}, "note": None, "total": 8.5,
    "lines": [{"sku": "A", "n": 1}, {"sku": "B", "n": 2}, {"sku": "C", "n": 3}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ({key: value for key, value in INVOICE.items() if key != "note"}, "1 of 1 nulls: absent"),
        ({"invoice": INVOICE}, 'everything under one more key, "invoice"'),
        (
            {**{key: value for key, value in INVOICE.items() if key != "total"}, "amount": 8.5},
            'under another key, "amount"',
        ),
        ({**INVOICE, "lines": [*INVOICE["lines"]][::-1]}, "in another order; `align: hungarian`"),
    ],
    ids=["a null that is left out", "one more key", "a renamed key", "another order"],
)
def test_what_happens_to_many_fields_at_once_is_named(output: Any, said: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    write_rows(rows, [{"expected": INVOICE, "output": output}])
    schema = annotate_xeval(infer_schema([INVOICE]))
    suite = evaluators.load({"evaluators": [{"schema_match": {"name": "fields", "schema": schema}}]})
    suite.run(rows, results=tmp_path / "runs", name="first")
    summary = " ".join((tmp_path / "runs" / "first" / "summary.txt").read_text(encoding="utf-8").split())
    assert said in summary.partition("Would make them right")[2]


def test_the_same_key_of_another_item_is_no_other_key(tmp_path: Path) -> None:
    pair = (
        {"items": [{"sku": "B1", "qty": 5}, {"sku": "B2", "qty": 4}]},
        {"items": [{"sku": "B1", "qty": 5}, {"sku": "B3", "qty": 4}]},
    )
    lines = {"items": {"align": {"key_field": {"key": "sku"}}}, "items[*].sku": "exact", "items[*].qty": "numeric"}
    assert said(*run(tmp_path, [pair], {"type": "schema_match", "fields": lines})) == []


@pytest.mark.parametrize(
    ("settings", "advised"),
    [
        ({}, "nulls: absent"),
        ({"absent_values": [""]}, 'absent_values: ["", null]'),
        ({"nulls": "absent", "absent_values": [""]}, ""),
        ({"absent_values": [None]}, ""),
        ({"post_process": ["reclassify_nulls"]}, ""),
    ],
    ids=str,
)
def test_nulls_are_not_advised_where_the_suite_says_what_they_are(
    settings: dict[str, Any], advised: str, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.jsonl"
    row = {"expected": {"a": None, "b": None, "c": 1}, "output": {"a": None, "c": 2}}
    write_rows(rows, [row])
    fields = {"a": "exact", "b": "exact", "c": "exact"}
    suite = evaluators.load({"evaluators": [{"schema_match": {"name": "fields", "fields": fields, **settings}}]})
    suite.run(rows, results=tmp_path / "runs", name="first")
    summary = (tmp_path / "runs" / "first" / "summary.txt").read_text(encoding="utf-8")
    assert advised in summary
    assert advised or ("nulls: absent" not in summary and "absent_values:" not in summary)


def test_a_run_whose_rows_can_all_be_scored_again_is_told_whole(tmp_path: Path) -> None:
    pairs = [({"city": "Rome", "tags": 1}, {"city": "ROME", "tags": n}) for n in range(2, 1_203)]
    suite, folder = run(tmp_path, pairs, FIELDS)
    (found,) = suggestions_for(suite.lines, with_cells(Run(folder)))
    assert (found.turned, found.of, found.first) == (1_201, 1_201, False)
    (found,) = suggestions_for(suite.lines, Run(folder), wanted=3)
    assert (found.turned, found.of, found.first) == (40, 40, True)


def test_what_is_told_of_kept_rows_names_how_many_there_are(tmp_path: Path) -> None:
    pairs = [({"city": "Rome", "tags": 1}, {"city": "ROME", "tags": n}) for n in range(2, 2_203)]
    suite, folder = run(tmp_path, pairs, FIELDS, "exact_match")
    (section,) = suggestion_section(suggestions_for(suite.lines, with_cells(Run(folder))))
    texts = [item.text for block in section.blocks if isinstance(block, Listing) for item in block.items]
    assert [text.partition(";")[0] for text in texts] == [
        "fields: `case: ignore` on city would turn all of the first 2,000 of 2,201 wrong values right",
    ]


@pytest.mark.parametrize("count", [1_000, 1_001])
def test_a_run_ends_with_at_most_three_suggestions_or_with_the_command(tmp_path: Path, count: int) -> None:
    names = [f"field{n}" for n in range(5)]
    pairs = [(dict.fromkeys(names, "Rome"), dict.fromkeys(names, "ROME"))] * 4
    pairs += [(dict.fromkeys(names, "Rome"), dict.fromkeys(names, "Rome"))] * (count - 4)
    fields = {"type": "json_multi_field_match", "name": "fields", "fields": names}
    _, folder = run(tmp_path, pairs, fields)
    text = (folder / "summary.txt").read_text(encoding="utf-8")
    said = text.partition("Would make them right")[2]
    if count == 1_000:
        assert 1 <= (shown := said.count("4 of 4  field")) <= 3
        assert shown == 3 or f"{3 - shown} more: -v" in said
        assert "(`evaluators advice` looks for more)" in said
    else:
        assert "would turn how many" in " ".join(text.split())
        assert text.count("`evaluators advice RUN`") == 1
        page = tmp_path / "page.md"
        write_again(folder, [page])
        assert page.read_text(encoding="utf-8").count("` on field") == 5


@pytest.mark.parametrize("seed", range(6))
def test_what_a_run_ends_with_is_what_a_whole_search_finds_first(tmp_path: Path, seed: int) -> None:
    pick = Random(seed)
    names = [f"field{n}" for n in range(6)]

    def changed(value: str) -> str:
        return pick.choice([value, value, value.lower(), value.upper(), f" {value}", f"{value}.", "other"])

    pairs = [(dict.fromkeys(names, "São Luís"), {name: changed("São Luís") for name in names}) for _ in range(15)]
    suite, folder = run(
        tmp_path, pairs, {"type": "json_multi_field_match", "name": "fields", "fields": names}, "exact_match",
        {"type": "json_multi_field_match", "name": "again", "fields": names[:2]},
    )  # fmt: skip
    record = Run(folder)
    every = suggestions_for(suite.lines, record)
    assert len(every) > 3
    for wanted in (1, 3, 5):
        assert suggestions_for(suite.lines, record, wanted=wanted) == every[:wanted]


def test_a_run_in_which_nothing_is_wrong_names_no_command(tmp_path: Path) -> None:
    _, folder = run(tmp_path, [({"city": "Rome", "tags": 1}, {"city": "Rome", "tags": 1})] * 1_001, FIELDS)
    assert "advice" not in (folder / "summary.txt").read_text(encoding="utf-8")


EMPTY = {"type": "schema_match", "name": "e", "fields": {"name": "exact", "no": "exact"}}


@pytest.mark.parametrize(
    ("settings", "expected", "output", "offered"),
    [
        ({}, None, "", ['absent_values: [null, ""]']),
        ({"nulls": "absent"}, None, "", ['absent_values: [null, ""]']),
        ({"absent_values": [""]}, None, "", ['absent_values: ["", null]']),
        ({"absent_values": [None, ""]}, None, "", []),
        ({}, [], None, ["absent_values: [[], null]"]),
        ({}, "a", "", []),
    ],
)
def test_values_that_say_that_nothing_is_there_are_named(
    tmp_path: Path, settings: dict[str, Any], expected: Any, output: Any, offered: list[str]
) -> None:
    pairs = [({"name": "Ann", "no": expected}, {"name": "Ann", "no": output})] * 2
    found = [one for one in said(*run(tmp_path, pairs, {**EMPTY, **settings})) if one[0] == ""]
    assert found == [("", switch, 2, 2, (2, 3)) for switch in offered]


def test_misspelt_names_are_nearly_the_same_with_the_worst_pair(tmp_path: Path) -> None:
    pairs = [({"name": a, "no": 1}, {"name": b, "no": 1}) for a, b in [("Greta", "Grea"), ("Hans Müller", "Hns Müller")]]
    suite, folder = run(tmp_path, pairs, EMPTY)
    (found,) = suggestions_for(suite.lines, Run(folder))
    assert (found.write, found.turned, found.says) == ("fuzzy: {at_least: 0.8}", 2, 'at worst "Grea" for "Greta", row 2')


@pytest.mark.parametrize(("expected", "output"), [("AB-12345", "AB-12346"), ("ann@example.org", "anne@example.org")])
def test_codes_and_addresses_are_never_nearly_the_same(tmp_path: Path, expected: str, output: str) -> None:
    assert said(*run(tmp_path, [({"name": expected, "no": 1}, {"name": output, "no": 1})], EMPTY)) == []


def test_a_function_of_a_program_is_not_asked_again(tmp_path: Path) -> None:
    asked: list[tuple[Any, Any]] = []

    def alike(expected: Any, actual: Any, params: Any) -> bool:
        asked.append((expected, actual))
        return bool(expected == actual)

    evaluators.register("alike", alike)
    fields = {"type": "json_multi_field_match", "name": "fields", "fields": {"city": "exact", "tags": "alike"}}
    pairs = [({"city": "Rome", "tags": 1}, {"city": "ROME", "tags": 2})] * 3
    suite, folder = run(tmp_path, pairs, fields)
    before = len(asked)
    found = suggestions_for(suite.lines, Run(folder))
    assert [(one.field, one.turned, one.of) for one in found if one.field == "city"] == [("city", 3, 3)]
    assert len(asked) == before
