"""A folder or a pattern of files of rows is one test set, in the order of names."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet as arrow_parquet

from evaluators import load
from evaluators.model.issues import Blame, Issue, Problems
from evaluators.runs.preparing import prepare
from evaluators.runs.reader import Run
from evaluators.runs.result import RunResult
from evaluators.testsets import delimited, many_files
from evaluators.testsets.readers import jsonl, parquet
from evaluators.testsets.test_set import TestSet
from tests.kit import cli, write_rows

SUITE: dict[str, Any] = {"evaluators": ["exact_match"]}


def rows(first: int, count: int, **more: str) -> list[dict[str, str]]:
    return [
        {"id": f"r{number}", "output": f"o{number % 3}", "expected": f"o{number % 2}", **more}
        for number in range(first, first + count)
    ]


def write(file: Path, some: Sequence[Mapping[str, Any]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".parquet":
        arrow_parquet.write_table(pyarrow.Table.from_pylist(list(some)), file, row_group_size=20)
    elif file.suffix == ".jsonl":
        write_rows(file, some)
    elif file.suffix == ".json":
        file.write_text(json.dumps(some), encoding="utf-8")
    else:
        text = "".join(f"{','.join(line)}\n" for line in ([*some[0]], *(map(str, row.values()) for row in some)))
        file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())


def opened(place: Path | str, **settings: Any) -> TestSet:
    return prepare(load({**SUITE, "test_set": {"file": str(place), **settings}})).test_set


def cells(test_set: TestSet, *columns: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for split in test_set.splits():
        for chunk in test_set.read(split, columns):
            found += zip(*(chunk.columns[name] for name in columns), strict=True)
    return found


def run(place: Path | str, **options: Any) -> RunResult:
    return load(SUITE).run(str(place), **options)


def refused(place: Path | str, **options: Any) -> tuple[Issue, ...]:
    with pytest.raises(Problems) as found:
        run(place, **options)
    return found.value.issues


@pytest.fixture(params=["csv", "csv.gz", "jsonl", "json", "parquet"])
def ending(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("named", ["rows", "rows/", "rows/*.{}", "rows/**/*.{}"])
def test_files_are_read_in_the_order_of_their_names(tmp_path: Path, ending: str, named: str) -> None:
    for number, name in enumerate(["a", "b", "c"]):
        write(tmp_path / "rows" / f"{name}.{ending}", rows(100 * number, 100))
    found = opened(tmp_path / named.format(ending))
    assert cells(found, "id", "file") == [(f"r{number}", f"{'abc'[number // 100]}.{ending}") for number in range(300)]
    result = run(tmp_path / named.format(ending))
    write(tmp_path / "whole.csv", rows(0, 300))
    assert result.evaluators == run(tmp_path / "whole.csv").evaluators
    assert result.exit_code == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_large_files_are_cut_and_small_ones_read_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    for module in (delimited, jsonl, parquet, many_files):
        monkeypatch.setattr(module, "SPLIT_BYTES", 2_000)
    monkeypatch.setattr("evaluators.testsets.row_texts.CUT_BYTES", 500)
    first = 0
    for number, size in enumerate([10, 10, 500, 10, 200, 10, 300, 10, 10]):
        write(tmp_path / "rows" / f"{number}.csv", rows(first, size))
        first += size
    found = opened(tmp_path / "rows")
    splits = found.splits()
    assert [split.index for split in splits] == list(range(len(splits)))
    assert 9 < len(splits) < 30
    assert cells(found, "id") == [(f"r{number}",) for number in range(first)]
    write(tmp_path / "whole.csv", rows(0, first))
    one = run(tmp_path / "rows", workers=workers, results=tmp_path / "runs", name="many")
    other = run(tmp_path / "whole.csv", results=tmp_path / "runs", name="one")
    assert (one.n_rows, one.evaluators) == (other.n_rows, other.evaluators)
    ids = [[row.id for row in Run(tmp_path / "runs" / name).each_row()] for name in ("many", "one")]
    assert ids[0] == ids[1]


def test_folders_called_key_and_value_are_columns(tmp_path: Path, ending: str) -> None:
    for day, country in (("2026-01-01", "DE"), ("2026-01-01", "F%20R"), ("2026-01-02", "__HIVE_DEFAULT_PARTITION__")):
        write(tmp_path / "rows" / f"day={day}" / f"country={country}" / f"part-0.{ending}", rows(0, 2))
    found = cells(opened(tmp_path / "rows"), "day", "country", "file")
    assert [row[0] for row in found] == ["2026-01-01"] * 4 + ["2026-01-02"] * 2
    assert [str(row[1]) for row in found[:4:2]] == ["DE", "F R"]
    assert not isinstance(found[4][1], str)
    narrowed = opened(tmp_path / "rows" / "day=2026-01-01" / "*" / f"*.{ending}")
    assert {row[0] for row in cells(narrowed, "day")} == {"2026-01-01"}
    suite = load({**SUITE, "slices": ["row.day"], "test_set": {"file": str(tmp_path / "rows")}})
    assert {one.slice[1] for one in suite.run().slices if one.slice} == {"2026-01-01", "2026-01-02"}


def test_a_column_of_the_files_is_no_folder(tmp_path: Path) -> None:
    write(tmp_path / "rows" / "day=monday" / "a.jsonl", rows(0, 2, day="friday", file="mine"))
    found = opened(tmp_path / "rows")
    assert cells(found, "day", "file") == [("friday", "mine")] * 2
    assert any('"day" is a column of the files' in note for note in found.notes)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_that_some_files_lack_are_named_and_left_out(tmp_path: Path, ending: str) -> None:
    write(tmp_path / "rows" / f"a.{ending}", rows(0, 3, speed="1"))
    write(tmp_path / "rows" / f"b.{ending}", rows(3, 3))
    found = opened(tmp_path / "rows")
    assert "speed" not in found.header
    (note,) = (note for note in found.notes if '"speed"' in note)
    assert "is not in every file" in note
    assert "a." in note
    assert len(cells(found, "id")) == 6


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_role_whose_column_some_file_lacks_is_a_problem_that_names_the_file(tmp_path: Path, ending: str) -> None:
    write(tmp_path / "rows" / f"a.{ending}", rows(0, 3))
    misspelt = [{"id": row["id"], "output": row["output"], "expeced": row["expected"]} for row in rows(3, 3)]
    write(tmp_path / "rows" / f"b.{ending}", misspelt)
    issues = refused(tmp_path / "rows")
    assert {issue.blame for issue in issues} == {Blame.TESTSET}
    said = "\n".join(issue.message for issue in issues)
    assert 'the column "expected" is not in every file' in said
    assert f"b.{ending}" in said
    assert 'the column "expeced" is not in every file' in said


def test_columns_of_different_kinds_are_named(tmp_path: Path) -> None:
    write(tmp_path / "rows" / "a.parquet", [{"output": "1", "expected": "1"}])
    write(tmp_path / "rows" / "b.parquet", [{"output": "1", "expected": 1}])
    assert any('"expected" is string in' in note and "int64 in" in note for note in opened(tmp_path / "rows").notes)


def test_a_torn_row_says_its_file(tmp_path: Path) -> None:
    for name in "abc":
        write(tmp_path / "rows" / f"{name}.csv", rows(0, 10))
    with open(tmp_path / "rows" / "b.csv", "a", encoding="utf-8") as stream:
        stream.write("torn\n")
    (issue,) = run(tmp_path / "rows").issues
    assert issue.where.endswith(f"row 21, file {tmp_path / 'rows' / 'b.csv'}")


def test_other_files_are_left_out_and_said(tmp_path: Path) -> None:
    write(tmp_path / "rows" / "a.csv", rows(0, 3))
    for name in ("README.md", "_SUCCESS", ".hidden.csv", "_delta.csv"):
        (tmp_path / "rows" / name).write_text("x", encoding="utf-8")
    found = opened(tmp_path / "rows")
    assert len(cells(found, "id")) == 3
    assert any("1 file is left out" in note for note in found.notes)


def test_files_of_several_formats_are_refused_with_a_way_to_choose(tmp_path: Path) -> None:
    write(tmp_path / "rows" / "a.csv", rows(0, 3))
    write(tmp_path / "rows" / "b.jsonl", rows(0, 3))
    (issue,) = refused(tmp_path / "rows")
    assert (issue.code, issue.blame) == ("several-formats", Blame.CONFIG)
    assert run(tmp_path / "rows" / "*.csv").n_rows == 3


@pytest.mark.parametrize(
    ("place", "code"), [("none", "no-such-file"), ("empty", "empty-folder"), ("x/*.csv", "no-such-file")]
)
def test_nothing_to_read_is_a_mistake_of_whoever_named_it(tmp_path: Path, place: str, code: str) -> None:
    (tmp_path / "empty").mkdir()
    (issue,) = refused(tmp_path / place)
    assert (issue.code, issue.blame) == (code, Blame.CONFIG)


def test_a_folder_without_rows_says_what_rows_are(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("x", encoding="utf-8")
    (issue,) = refused(tmp_path / "docs")
    assert issue.code == "no-rows"


def test_outputs_in_several_files_are_joined_by_id(tmp_path: Path) -> None:
    write(tmp_path / "rows.csv", [{"id": row["id"], "expected": row["expected"]} for row in rows(0, 20)])
    for number in range(2):
        some = [{"id": row["id"], "output": row["output"]} for row in rows(10 * number, 10)]
        write(tmp_path / "answers" / f"{number}.jsonl", some)
    outputs = {"file": str(tmp_path / "answers" / "*.jsonl")}
    suite = load({**SUITE, "test_set": {"file": str(tmp_path / "rows.csv"), "output": outputs}})
    write(tmp_path / "whole.csv", rows(0, 20))
    assert suite.run().evaluators == run(tmp_path / "whole.csv").evaluators


def test_a_first_suite_for_a_folder_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(2):
        write(tmp_path / "rows" / f"{number}.csv", rows(10 * number, 10))
    for data, suite in (("rows", "rows.yaml"), ("rows/*.csv", "other.yaml")):
        begun = cli("init", data, "-o", suite)
        assert begun.exit_code == 0, begun.output
        done = cli("check", suite, "--all")
        assert done.exit_code == 0, done.output
        assert load(suite).run().n_rows == 20


def test_a_schema_is_made_from_all_files_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(2):
        write(tmp_path / "rows" / f"{number}.jsonl", [{"output": "{}", "expected": json.dumps({f"key{number}": 1})}])
    done = cli("infer-schema", "rows", "-o", "schema.json")
    assert done.exit_code == 0, done.output
    assert list(json.loads((tmp_path / "schema.json").read_text("utf-8"))["properties"]) == ["key0", "key1"]


def in_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a", "b"):
        (folder / "g").mkdir(exist_ok=True)
        (folder / "g" / f"{name}.csv").write_text(f"id,output,expected\n{name}1,x,x\n{name}2,x,y\n")
    (folder / "suite.yaml").write_text("evaluators: [exact_match]\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("place", ["g", "g/**/*.csv"])
def test_a_run_folder_inside_of_a_test_set_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    suite = load(in_folder(tmp_path, monkeypatch) / "suite.yaml")
    first = suite.run(place, results="g/runs", name="x")
    second = suite.run(place, results="g/runs", name="y")
    assert (first.n_rows, second.n_rows) == (4, 4)
    assert second.data_fingerprint == first.data_fingerprint
    assert [note for note in second.notes if "passed over" in note] == [
        f"{place}: the run folder x is passed over; what a run has written is no test set"
    ]


@pytest.mark.parametrize("place", ["g", "g/*.csv"])
@pytest.mark.parametrize("results", ["runs", "kept"])
def test_a_file_that_a_run_has_written_is_no_part_of_the_test_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, results: str
) -> None:
    suite = load(in_folder(tmp_path, monkeypatch) / "suite.yaml")
    for _ in range(2):
        found = suite.run(place, results=results, files=(Path("g/out.csv"),))
        assert found.n_rows == 4
    found = suite.run(place, results=results)
    assert (found.n_rows, Path("g/out.csv").exists()) == (4, True)
    assert f"{place}: the file out.csv is left out, because a run has written it with -o" in found.notes


def test_a_file_of_every_variant_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_folder(tmp_path, monkeypatch)
    suite = load({
        "evaluators": ["exact_match"], "test_set": {"outputs": {"one": {"column": "output"}, "two": {"column": "id"}}},
    })  # fmt: skip
    suite.run("g", results="runs", files=(Path("g/out.jsonl"), Path("g/out.csv")))
    assert sorted(path.name for path in Path("g").iterdir()) == [
        "a.csv", "b.csv", "out.one.csv", "out.one.jsonl", "out.two.csv", "out.two.jsonl",
    ]  # fmt: skip
    assert suite.run("g", results="runs").n_rows == 4


def test_documents_of_runs_are_no_documents_of_the_test_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for side in ("gold", "out"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "one.json").write_text('{"a": 1}')
    monkeypatch.chdir(tmp_path)
    suite = load({"evaluators": ["json_diff_match"], "test_set": {"expected": "gold", "output": "out"}})
    for results in ("gold/runs", "out"):
        assert suite.run(results=results, files=(Path("gold/figures.json"),)).n_rows == 1
    again = suite.run(results="out")
    assert (again.n_rows, again.exit_code, again.warnings) == (1, 0, ())
    assert len([note for note in again.notes if "passed over" in note or "left out" in note]) >= 2


@pytest.mark.parametrize("place", ["g", "g/*.csv"])
def test_a_file_that_nothing_tells_from_rows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    suite = load(in_folder(tmp_path, monkeypatch) / "suite.yaml")
    with pytest.raises(Problems, match=r"this file would be one of the test set's the next time"):
        suite.run(place, files=(Path("g/out.csv"),))
    assert suite.run(place, files=(Path("out.csv"),)).n_rows == 4
    assert not Path("g/out.csv").exists()


def test_a_column_called_output_is_not_lost_without_a_word(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id,output,one,two,expected\n1,a,b,c,b\n")
    outputs = {"one": {"column": "one"}, "two": {"column": "two"}}
    found = load({"evaluators": ["exact_match"], "test_set": {"outputs": outputs}}).run(tmp_path / "rows.csv")
    assert [note for note in found.notes if 'the column "output" is not read' in note]
    outputs["one"] = {"column": "output"}
    found = load({"evaluators": ["exact_match"], "test_set": {"outputs": outputs}}).run(tmp_path / "rows.csv")
    assert not [note for note in found.notes if 'the column "output"' in note]
