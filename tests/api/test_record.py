"""The record of a run: each row is read and scored once, and everything that is shown later comes from the folder."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.execute import finish
from evaluators.api.extending import register
from evaluators.api.loading import load
from evaluators.api.run_options import RunOptions
from evaluators.model.issues import Problems
from evaluators.model.rows import Comparison as FieldAnswer
from evaluators.runs.reader import Run
from evaluators.runs.run_json import run_json
from evaluators.scoring.comparators._comparator import COMPARATORS
from tests.gallery import GALLERY
from tests.kit import change_table, cli, lines_of, write_rows

FORMATS = ("csv", "field_sums", "markdown", "html", "junit")
"""Every word of `formats:` that any suite may ask for."""
FILES = ("a.html", "a.csv", "a.jsonl", "a.md", "a.xml", "a.txt", "a.json")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of the gallery's two models, made with a page, whose suite and test set are gone."""
    place = tmp_path_factory.mktemp("record")
    shutil.copytree(GALLERY / "comparing_models", place / "models")
    runs = place / "runs"
    words = ["run", str(place / "models" / "suite.yaml"), "--results", str(runs), "--name", "x", "-q"]
    cli(*words, "-o", str(place / "first.html"))
    shutil.rmtree(place / "models")
    (runs / "x" / "environment.json").unlink()
    return runs / "x"


def invoke(*words: str) -> tuple[int, str]:
    ended = cli(*words)
    return ended.exit_code, ended.output


def test_a_page_written_from_a_folder_alone_is_the_page_of_the_run(run: Path, tmp_path: Path) -> None:
    moved = shutil.copytree(run, tmp_path / "elsewhere")
    later = tmp_path / "later.html"
    assert invoke("report", str(moved), "-o", str(later)) == (0, f"{later}\n")
    assert later.read_bytes() == (run.parent.parent / "first.html").read_bytes()


def test_rows_are_written_from_a_folder_alone_in_every_format(run: Path, tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("a.csv", "a.jsonl", "a.md", "a.xml", "a.txt")]
    code, said = invoke("report", str(run / "run.json"), *(word for file in files for word in ("-o", file)))
    assert code == 0
    assert [Path(line).name for line in said.splitlines()] == [
        "a.careful.csv", "a.fast.csv", "a.careful.jsonl", "a.fast.jsonl", "a.md", "a.xml", "a.txt",
    ]  # fmt: skip
    assert (tmp_path / "a.fast.csv").read_bytes() == (run / "rows.fast.csv").read_bytes()
    assert "\nEvaluators\n" in (tmp_path / "a.txt").read_text(encoding="utf-8")


def test_the_summary_view_and_advice_need_the_folder_alone(run: Path) -> None:
    assert invoke("report", str(run))[1].startswith("comparing models: FAILED")
    assert invoke("view", str(run), "--no-open") == (0, f"{run / 'report.html'}\n")
    code, said = invoke("advice", str(run))
    assert (code, said.splitlines()[0]) == (0, "comparing models: advice")


def test_a_file_that_cannot_be_is_said_before_anything_is_written(run: Path, tmp_path: Path) -> None:
    assert invoke("report", str(run), "-o", str(tmp_path / "a.html"), "-o", str(tmp_path / "a.pdf"))[0] == 2
    assert not (tmp_path / "a.html").exists()


# Read once, scored once


def rows_file(folder: Path, count: int) -> Path:
    rows = []
    for number in range(count):
        expected = {"a": number, "items": [{"n": 1}, {"n": number}]}
        output = {"a": number + number % 2, "items": [{"n": number}, {"n": 1}]}
        rows.append({"id": f"r{number}", "kind": "ab"[number % 2], "expected": expected, "output": output})
    return write_rows(folder / "rows.jsonl", rows)


EVERY_FAMILY: list[Any] = [
    "exact_match",
    "contains_json",
    {"json_multi_field_match": {"fields": {"a": "exact", "items[*].n": "numeric"}}},
    "json_diff_match",
    "json_field_match_normalized",
    {"schema_match": {"fields": {"a": "exact", "items": {"align": "hungarian"}, "items[*].n": "numeric"}}},
    {"weighted_mean": {"name": "overall", "of": ["exact_match", "json_diff_match"]}},
]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How often each file was opened to be read from its rows."""
    from evaluators.testsets.readers import jsonl

    seen: Counter[str] = Counter()
    read = jsonl.Jsonl.read

    def counted(self: Any, split: Any, columns: Any) -> Any:
        seen[f"{Path(self.source.path).name} {split.index}"] += 1
        return read(self, split, columns)

    monkeypatch.setattr(jsonl.Jsonl, "read", counted)
    return seen


def test_whatever_is_written_the_rows_are_read_once(tmp_path: Path, opened: Counter[str]) -> None:
    suite = load({"evaluators": EVERY_FAMILY, "slices": ["row.kind"]})
    files = tuple(tmp_path / name for name in (*FILES, "b.fields.csv", "b.report.json"))
    request = RunOptions(
        results=tmp_path / "runs", name="x", formats=(*FORMATS, "fields", "report"),
        files=files, hardest=5, summary=True,
    )  # fmt: skip
    finished = finish(suite, str(rows_file(tmp_path, 40)), **request)
    assert all(file.exists() for file in files)
    assert dict(opened) == {"rows.jsonl 0": 1}
    assert finished.folder is not None
    invoke("report", str(finished.folder), "-o", str(tmp_path / "again.html"), "-o", str(tmp_path / "again.csv"))
    invoke("advice", str(finished.folder))
    invoke("compare", str(finished.folder), str(finished.folder))
    assert dict(opened) == {"rows.jsonl 0": 1}


def test_what_the_rows_have_in_place_of_what_is_asked_for_is_found_by_the_same_reading(
    tmp_path: Path, opened: Counter[str]
) -> None:
    evaluators: list[Any] = [
        {"json_multi_field_match": {"fields": {"a": "exact", "aa": "exact"}}},
        {"schema_match": {"fields": {"a": "exact", "items": {"align": {"key_field": {"key": "sku"}}}, "items[*].n": "numeric"}}},
        {"exact_match": {"when": {"row.kind": "c"}}},
    ]  # fmt: skip
    result = load({"evaluators": evaluators}).run(rows_file(tmp_path, 40))
    assert [issue.hint for issue in result.issues] == [
        'did you mean "a"?', 'the column "kind" has "a", "b"', 'the items have "n"',
    ]  # fmt: skip
    assert dict(opened) == {"rows.jsonl 0": 1}


# What is kept


def test_cells_are_kept_as_the_suite_says(tmp_path: Path) -> None:
    rows = str(rows_file(tmp_path, 30))
    for documents, many in (("all", 30), ("auto", 30), ("none", 0)):
        suite = load({"evaluators": EVERY_FAMILY, "results": {"documents": documents}})
        folder = finish(suite, test_set=rows, results=tmp_path / "runs", name=documents).folder
        assert folder is not None
        record = Run(folder)
        assert sum(row.cells is not None for row in record.each_row()) == many
        assert (folder / "rows.csv").exists() is (many > 0)


def test_a_file_that_needs_more_than_was_kept_is_refused_with_the_way_to_it(tmp_path: Path) -> None:
    suite = load({"evaluators": EVERY_FAMILY, "results": {"documents": "none"}})
    request = RunOptions(results=tmp_path / "runs", name="x")
    folder = finish(suite, str(rows_file(tmp_path, 5)), **request).folder
    (tmp_path / "rows.jsonl").unlink()
    code, said = invoke("report", str(folder), "-o", str(tmp_path / "again.csv"))
    assert code == 2
    assert "the run did not keep the cells of all its rows" in said
    assert "evaluators run SUITE -o again.csv" in said
    assert not (tmp_path / "again.csv").exists()


def test_the_suite_is_kept_as_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_WORD", "hunter2")
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "base.yaml").write_text("evaluators:\n  - contains: {substring: '${SECRET_WORD}'}\n")
    (tmp_path / "base" / "shape.json").write_text('{"type": "object", "properties": {"a": {"type": "integer"}}}')
    (tmp_path / "mine").mkdir()
    text = "extends: ../base/base.yaml\nevaluators:\n  - schema_match: {schema: ../base/shape.json}\n"
    (tmp_path / "mine" / "suite.yaml").write_text(text)
    suite = load(tmp_path / "mine" / "suite.yaml")
    request = RunOptions(results=tmp_path / "runs", name="x")
    folder = finish(suite, str(rows_file(tmp_path, 5)), **request).folder
    assert (folder / "suite" / "mine" / "suite.yaml").read_text() == text
    assert "${SECRET_WORD}" in (folder / "suite" / "base" / "base.yaml").read_text()
    again = load(folder / Run(folder).facts.suite)
    assert again.fingerprint == suite.fingerprint
    for file in folder.rglob("*"):
        if file.is_file() and file.name != "environment.json":
            assert str(tmp_path).encode() not in file.read_bytes(), file.name


def test_what_a_comparator_says_beside_its_score_is_in_python_in_the_folder_and_in_report_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(COMPARATORS, "_registered", dict(COMPARATORS._registered))
    said = {"distance": 3, "steps": ["one", {"two": None}]}
    register("telling", lambda expected, actual, params: FieldAnswer(0.5, False, "far", said))
    families: list[Any] = [
        {"json_multi_field_match": {"name": "listed", "fields": {"a": "telling"}}},
        {"schema_match": {"name": "tree", "fields": {"a": "telling"}}},
    ]
    suite = load({"evaluators": families})
    results = suite.evaluate({"expected": {"a": 1}, "output": {"a": 2}})
    for name in ("listed", "tree"):
        assert said.items() <= results[name].fields[0].details.items()
    report = tmp_path / "a.report.json"
    rows = str(rows_file(tmp_path, 4))
    folder = finish(suite, test_set=rows, results=tmp_path / "runs", name="x", files=(report,)).folder
    assert folder is not None
    lines = lines_of(folder, "outcomes")
    wrong = [line for line in lines if line.get("status") == "mismatch"]
    assert {line["evaluator"] for line in wrong} == {"listed", "tree"}
    assert all(said.items() <= line["details"].items() for line in wrong)
    fields = [field for row in json.loads(report.read_text())["rows"] for field in row["field_outcomes"]]
    assert [field["details"] for field in fields if field["path"] == "$.a" and not field["passed"]] == [said, said]


# Damage


def test_a_row_that_gives_nothing_to_look_for_says_so_however_late_it_comes(tmp_path: Path) -> None:
    rows = [
        {"id": str(at), "mail": "Bob", "output": json.dumps({"name": None if at > 30 else "Bob"})} for at in range(40)
    ]
    write_rows(tmp_path / "rows.jsonl", rows)
    (tmp_path / "suite.yaml").write_text(
        "evaluators:\n  - grounded: {name: listed, source: mail, fields: [name]}\n  - grounded: {name: all, source: mail}\n",
        encoding="utf-8",
    )
    rows_csv = tmp_path / "rows.csv"
    cli("run", str(tmp_path / "suite.yaml"), str(tmp_path / "rows.jsonl"), "--no-results", "-o", str(rows_csv))
    last = rows_csv.read_text(encoding="utf-8").splitlines()[-1]
    assert last.endswith(',"listed: the output gives nothing to look for; all: the output gives nothing to look for"')


FIRST = "rowid = (select min(rowid) from {0} where variant = 1)"
"""The first line of a table that the second variant has."""


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "update rows1 set code0 = 99",
            "run.db, rows: this run folder is damaged, or was not written by a run: row 2: the table",
        ),
        ("update rows1 set code0 = -1 where row = 3", "row 3: the table of codes has no -1 for it"),
        ("delete from rows1 where row = 5", "the run has 12 rows; found 11"),
        ("update rows1 set row = 10000 where row = 5", "row 5 is not among the rows of the run, or not in their order"),
        ("drop table rows1", "run.db"),
        (
            "update verdicts set verdict = replace(verdict, 'scored', 'scared')",
            "run.db, verdicts: this run folder is damaged",
        ),
        ("update verdicts set code = 700 where variant = 1 and evaluator = 0 and code = 0", '"code" should be 0; found '),
        ("update verdicts set evaluator = 70 where variant = 1 and evaluator = 0", "the run has no evaluator 70"),
        ('update verdicts set verdict = replace(verdict, \'"score":[\', \'"score":["",\')', "run.db, verdicts"),
        (
            'update verdicts set verdict = replace(verdict, \'"fields":"\', \'"fields":"=\')',
            "should have a letter for each of",
        ),
        (
            "update outcomes set line = '{' || line where " + FIRST.format("outcomes"),
            "run.db, line 1 of outcomes: this run folder is damaged",
        ),
        (
            "update outcomes set row = 0 where " + FIRST.format("outcomes"),
            "line 1: row 0 is not among the rows of the run",
        ),
        ("update outcomes set row = row + 90", "run.db, outcomes"),
        ("update outcomes set evaluator = 70 where " + FIRST.format("outcomes"), "the run has no evaluator 70"),
        ("update outcomes set evaluator = -1 where " + FIRST.format("outcomes"), "the run has no evaluator -1"),
        (
            """update outcomes set line = replace(line, '"status":"', '"status":"x')""",
            "Invalid enum value 'xmatch' - at `$.status`",
        ),
        (
            """update outcomes set line = replace(line, '"path":"', '"path":[],"was":"')""",
            "Expected `str`, got `array` - at `$.path`",
        ),
        (
            """update outcomes set line = replace(line, '"path":"', '"was":"')""",
            "Object missing required field `path`",
        ),
        ("delete from outcomes where " + FIRST.format("outcomes"), "run.db, outcomes: this run folder is damaged"),
        ("delete from outcomes", "lines; found 0"),
        ("drop table outcomes", "run.db"),
        ("delete from cells where " + FIRST.format("cells"), "the run wrote 12 lines; found 11"),
        ("update cells set line = '[]'", "run.db, line 1 of cells"),
        ("update cells set row = row + 90", "run.db, cells"),
    ],
)
def test_a_damaged_table_is_refused_with_its_line(run: Path, tmp_path: Path, statement: str, said: str) -> None:
    folder = shutil.copytree(run, tmp_path / "damaged")
    change_table(folder, statement)
    refused(folder, tmp_path, said)


def refused(folder: Path, tmp_path: Path, said: str) -> None:
    code, output = invoke("report", str(folder), "-o", str(tmp_path / "later.html"))
    assert code == 2
    assert said in output
    assert not (tmp_path / "later.html").exists()


def test_a_folder_without_its_rows_is_refused(run: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(run, tmp_path / "damaged")
    (folder / "run.db").unlink()
    refused(folder, tmp_path, "there is no run.db")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"format": 1', '"farmat": 1', "no format number"),
        ('"variant": "fast"\n      }', '"variant": "slow"\n      }', "other variants than its metrics"),
        ('"every_cell"', '"every_call"', "missing required field `every_cell` - at `$.record.variants[0]`"),
        ('"format": 1', '"format": 99', "written in format 99, and this version reads format 1"),
        ('"pick": "fitting"', '"pick": "guess"', "Invalid enum value 'guess' - at `$.record.evaluators[0]."),
    ],
)
def test_a_damaged_result_is_refused(run: Path, tmp_path: Path, old: str, new: str, said: str) -> None:
    folder = shutil.copytree(run, tmp_path / "damaged")
    file = folder / "run.json"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    refused(folder, tmp_path, said)


def test_columns_of_other_evaluators_are_refused(run: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(run, tmp_path / "damaged")
    body = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    body["record"]["layout"]["evaluators"].reverse()
    body["record"]["layout"]["evaluators"].append("another")
    (folder / "run.json").write_text(json.dumps(body), encoding="utf-8")
    refused(folder, tmp_path, "its columns are those of other evaluators")


def test_figures_without_a_record_of_the_rows_say_what_to_do(run: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(run, tmp_path / "old")
    (folder / "run.json").write_text(run_json(Run(folder).result), encoding="utf-8")
    with pytest.raises(Problems, match="score the test set again"):
        list(Run(folder).each_row())
