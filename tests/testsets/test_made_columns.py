"""Columns that are made of others: a document of a column per field, a path into a column, cells keyed by id, one of several lists."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.model.issues import CellError, Problems
from evaluators.model.rows import MISSING
from evaluators.model.settings import BadSettings
from evaluators.testsets.reader import all_chunks
from tests.kit import cli, read_yaml, write_files, write_rows
from tests.testsets.kit import open_set

CASES: Final = read_yaml(Path(__file__).with_name("made_columns.yaml"))


def plain(cell: Any) -> Any:
    """A cell as the table writes it: nothing there is null."""
    return {"fault": cell.issue.message} if isinstance(cell, CellError) else None if cell is MISSING else cell


def fits(wanted: Any, cell: Any) -> bool:
    if isinstance(wanted, dict) and "fault" in wanted:
        return isinstance(cell, dict) and wanted["fault"] in cell.get("fault", "")
    return bool(wanted == cell)


@pytest.mark.parametrize("case", CASES, ids=[case["it"] for case in CASES])
def test_columns_are_made_of_others(case: dict[str, Any], tmp_path: Path) -> None:
    write_files(tmp_path, case.get("files", {}))
    if "says" in case:
        with pytest.raises((Problems, BadSettings)) as caught:
            open_set(tmp_path, case["test_set"])
        error = caught.value
        found = error.issues if isinstance(error, Problems) else error.details if isinstance(error, BadSettings) else []
        said = "\n".join(f"{one.message}\n{one.hint}" for one in found)
        assert case["says"] in said
        assert case.get("hint", "") in said
        return
    test_set = open_set(tmp_path, case["test_set"])
    test_set = test_set.variant(case["variant"]) if "variant" in case else test_set
    names = (test_set.columns.expected or "", test_set.columns.output or "")
    rows = [
        [plain(cell) for cell in row]
        for chunk in all_chunks(test_set.table, names)
        for row in zip(*(chunk.columns[name] for name in names), strict=True)
    ]
    assert len(rows) == len(case["rows"])
    for row, wanted in zip(rows, case["rows"], strict=True):
        assert all(map(fits, wanted, row)), rows


def test_a_mistake_in_the_fields_is_placed_where_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = "test_set:\n  file: rows.csv\n  expected:\n    columns:\n      vendor: v\n      a..b: w\nevaluators: [exact_match]\n"
    write_files(tmp_path, {"suite.yaml": suite})
    assert 'suite.yaml:6:7: "a..b" is no path of a field' in cli("check", "suite.yaml").output


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "columns: {vendor: vendr}",
            'suite.yaml:3:32: rows.csv: there is no column "vendr"; the columns are "id", "output", "vendor"',
        ),
        ("columns: {all_but: [vendr]}", 'suite.yaml:3:34: rows.csv: there is no column "vendr"'),
        ("file: gold.csv, column: vendr", 'suite.yaml:3:38: gold.csv: there is no column "vendr"'),
    ],
)
def test_a_column_that_is_not_there_is_placed_where_it_is_named(
    written: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    suite = f"test_set:\n  file: rows.csv\n  expected: {{{written}}}\nevaluators: [exact_match]\n"
    write_files(tmp_path, {"suite.yaml": suite, "rows.csv": "id,output,vendor\n1,x,y\n", "gold.csv": "id,vendor\n1,y\n"})
    assert said in cli("run", "suite.yaml", "--no-results").output


def test_rows_of_a_database_have_a_column_for_each_field(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "rows.db")) as database:
        database.execute("create table answers (id integer, output text, vendor text, total real)")
        database.execute("insert into answers values (1, 'x', 'Acme', 7.5), (2, 'y', null, 3)")
        database.commit()
    settings = {
        "sql": "select * from answers order by id",
        "connection": {"sqlite": "rows.db"},
        "expected": {"columns": {"vendor": "vendor", "total": "total"}},
    }
    (chunk,) = all_chunks(open_set(tmp_path, settings).table, ("expected",))
    assert chunk.columns["expected"] == [{"vendor": "Acme", "total": 7.5}, {"total": 3.0}]


FIELDS: Final = {
    "name": "exact",
    "total": {"numeric": {"parse": True}},
    "paid": {"boolean": {"words": {"true": ["true"], "false": ["false"]}}},
    "day": "date",
    "address.city": "normalized",
}
DOCUMENTS: Final = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["Acme", "Bo", 'a "quoted", name', "two\nlines"]),
        "total": st.sampled_from([10, 7.5, -3]),
        "paid": st.booleans(),
        "day": st.sampled_from(["2024-05-31", "2024-06-01"]),
        "address": st.fixed_dictionaries({"city": st.sampled_from(["Oslo", "oslo", "Rome"])}),
    },
)
COLUMNS: Final = {"name": "name", "total": "total gold", "paid": "paid", "day": "day", "address.city": "city"}


def cells_of(document: Mapping[str, Any]) -> list[str]:
    """A document as a row of a spreadsheet."""
    flat = {**document, "address.city": document.get("address", {}).get("city", "")}
    return [text if isinstance(text := flat.get(field, ""), str) else json.dumps(text) for field in COLUMNS]


@given(rows=st.lists(st.tuples(DOCUMENTS.filter(bool), DOCUMENTS), min_size=1, max_size=5))
def test_documents_in_json_and_in_columns_score_alike(
    rows: list[tuple[dict[str, Any], dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    ids = [f"E{number}" for number in range(len(rows))]
    write_rows(
        folder / "json.jsonl",
        ({"id": id, "expected": wanted, "output": given} for id, (wanted, given) in zip(ids, rows, strict=True)),
    )
    for name, side in (("gold.csv", 0), ("out.csv", 1)):
        written = io.StringIO()
        table = csv.writer(written)
        table.writerow(["id", *COLUMNS.values()])
        table.writerows([id, *cells_of(row[side])] for id, row in zip(ids, rows, strict=True))
        (folder / name).write_text(written.getvalue(), encoding="utf-8", newline="")
    write_rows(folder / "out.jsonl", ({"id": id, "output": given} for id, (_, given) in zip(ids, rows, strict=True)))
    by_columns = {"file": str(folder / "gold.csv"), "columns": COLUMNS}
    suite = evaluators.load({"evaluators": [{"schema_match": {"name": "fields", "fields": FIELDS}}]})
    means = [
        suite.run(test_set).result.evaluators[0].mean
        for test_set in (
            {"file": str(folder / "json.jsonl")},
            {"expected": by_columns, "output": str(folder / "out.jsonl")},
            {"file": str(folder / "out.jsonl"), "expected": by_columns},
        )
    ]
    assert means[0] == means[1] == means[2]
    given = [row for row in rows if row[1]]
    if len(given) == len(rows):  # an output in columns that are all empty is no output
        both = suite.run({"expected": by_columns, "output": {**by_columns, "file": str(folder / "out.csv")}})
        assert both.result.evaluators[0].mean == means[0]


SUITE: Final = {
    "test_set": {"expected": {"columns": {"vendor": "vendor", "total": "total_gold"}}, "columns": {"output": "o.text"}},
    "evaluators": [{"schema_match": {"name": "fields", "fields": {"vendor": "exact", "total": "numeric"}}}],
}
ROWS: Final[list[dict[str, Any]]] = [
    {"o": {"text": '{"vendor": "Acme", "total": 10}'}, "vendor": "Acme", "total_gold": 10},
    {"o": '{"text": {"vendor": "Acme"}}', "vendor": "Bo", "total_gold": None},
]


def test_rows_in_memory_are_read_like_those_of_a_file() -> None:
    run = evaluators.evaluate(ROWS, SUITE)
    (stats,) = run.result.evaluators
    assert (stats.mean, stats.passed, stats.scored) == (0.5, 1, 2)


def test_one_row_is_read_like_many() -> None:
    suite = evaluators.load(SUITE)
    assert [suite.evaluate(row)["fields"].score for row in ROWS] == [1.0, 0.0]
    assert suite.evaluate({"expected": {"vendor": "Acme"}, "output": {"vendor": "Acme"}})["fields"].score == 1.0


def test_a_first_suite_and_a_run_read_the_list_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = {"samples": [{"output": "x", "expected": "x"}], "reductions": [{"z": 1}], "errors": [{}]}
    write_files(tmp_path, {"log.json": json.dumps(log), "suite.yaml": "evaluators: [exact_match]\n"})
    assert "say which one: `list: samples` under test_set, or --list samples" in cli("init", "log.json").output
    assert cli("init", "log.json", "--list", "samples").exit_code == 0
    assert "list: samples" in Path("log.yaml").read_text(encoding="utf-8")
    for words in (["log.yaml"], ["suite.yaml", "log.json", "--list", "samples"]):
        assert "1 row of log.json" in cli("run", *words, "--no-results").output


def test_check_says_by_which_columns_a_test_set_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    suite = (
        "test_set: {file: rows.csv, expected: {columns: {a: a}}}\n"
        "evaluators: [{schema_match: {name: f, fields: {a: exact}}}]\n"
    )
    write_files(tmp_path, {"suite.yaml": suite, "rows.csv": 'output,a,note\n"{""a"": ""1""}",1,x\n'})
    said = cli("check", "suite.yaml").output
    assert 'note: expected has a column for each field: "a"' in said
    assert 'never used: the column "note"' in said
    assert "The suite fits the test set." in said


def test_check_and_run_say_of_documents_that_their_places_pair_them_and_a_key_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "g.jsonl", [{"name": "A", "x": "a"}, {"name": "B", "x": "b"}, {"name": "D", "x": "d"}])
    write_rows(tmp_path / "p.jsonl", [{"name": "B", "x": "b"}, {"name": "A", "x": "a"}, {"name": "C", "x": "e"}])
    write_files(
        tmp_path, {"suite.yaml": "test_set: {expected: g.jsonl, output: p.jsonl}\nevaluators: [json_diff_match]\n"}
    )
    checked, done = cli("check", "suite.yaml"), cli("run", "suite.yaml", "--no-results")
    assert 'warning: g.jsonl and p.jsonl: the documents are paired by their places, and "name"' in checked.output
    assert "`columns: {id: name}` pairs by it" in checked.output
    assert "The suite fits the test set." in checked.output
    assert "paired by their places" in done.output
    assert (checked.exit_code, done.exit_code) == (0, 0)
