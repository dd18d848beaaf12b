"""Bytes come through one door: a store of another kind, found by its scheme, gives the same run as files of this machine."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from msgspec.structs import replace
from pyarrow import parquet as arrow_parquet

from evaluators.api.loading import load
from evaluators.model.issues import Blame, CellError
from evaluators.runs.preparing import prepare
from evaluators.runs.result import RunResult
from evaluators.testsets import byte_store, delimited
from evaluators.testsets.reader import all_chunks
from evaluators.testsets.readers import jsonl, parquet
from tests.kit import problem_of, tables_of, write_rows
from tests.testsets.memory_store import InMemory, memory_store

SUITE: dict[str, Any] = {
    "evaluators": ["exact_match", "json_diff_match", {"json_multi_field_match": {"fields": ["a", "b.c"]}}]
}


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> type[InMemory]:
    """A store for `mem://`, known for one test."""
    return memory_store(monkeypatch)


def run(suite: dict[str, Any], test_set: str | Path | None = None, **options: Any) -> RunResult:
    return load(suite).run(test_set, **options).result


def rows() -> list[dict[str, str]]:
    """Some right, some wrong, some that cannot be read; with line breaks and quotes inside cells."""
    outputs = ['{{"a": "x", "b": {{"c": {0}}}}}', '{{"a": "y",\n "b": {{"c": {0}}}}}', "no JSON in {0}", '{{"a": "x"}}']
    return [
        {"id": f"r{number}", "output": outputs[number % 4].format(number), "expected": outputs[0].format(number)}
        for number in range(300)
    ]


def written(folder: Path, name: str) -> Path:
    """The rows in a file of this machine, in the format that its name says."""
    file = folder / name
    if file.suffix == ".jsonl":
        write_rows(file, rows())
    elif file.suffix == ".parquet":
        arrow_parquet.write_table(pyarrow.Table.from_pylist(rows()), file, row_group_size=50)
    else:
        quoted = ('","'.join(cell.replace('"', '""') for cell in row.values()) for row in rows())
        text = "".join(f'"{row}"\n' for row in ('id","output","expected', *quoted))
        data = text.encode()
        file.write_bytes(gzip.compress(data, mtime=0) if file.suffix == ".gz" else data)
    return file


def cut_small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (delimited, jsonl, parquet):
        monkeypatch.setattr(module, "SPLIT_BYTES", 4_000)
    monkeypatch.setattr("evaluators.testsets.row_texts.CUT_BYTES", 1_000)


@pytest.mark.parametrize("cut", [False, True], ids=["one split", "several splits"])
@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "rows.parquet", "rows.csv.gz"])
def test_another_store_gives_the_same_run(
    store: type[InMemory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, cut: bool
) -> None:
    if cut:
        cut_small(monkeypatch)
    file = written(tmp_path, name)
    store.held[f"mem://bucket/{name}"] = file.read_bytes()
    splits = prepare(load(SUITE), str(file)).test_set.splits()
    assert (len(splits) > 2) == (cut and not name.endswith(".gz"))
    assert [replace(one, file="") for one in prepare(load(SUITE), f"mem://bucket/{name}").test_set.splits()] == [
        replace(one, file="") for one in splits
    ]
    monkeypatch.chdir(tmp_path)
    local = run(SUITE, name, results=tmp_path / "results", name="local")
    stored = run(SUITE, f"mem://bucket/{name}", results=tmp_path / "results", name="stored")
    assert store.asked
    assert local.evaluators == stored.evaluators
    assert local.data_fingerprint == stored.data_fingerprint
    assert tables_of(tmp_path / "results/local/run.db") == tables_of(tmp_path / "results/stored/run.db")


def test_documents_and_variants_of_another_store_are_found_as_in_folders(
    store: type[InMemory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        for folder, value in (("gold", 1), ("out/a", 1), ("out/b", number % 2)):
            file = tmp_path / folder / "sub" / f"{number}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps({"x": value}), encoding="utf-8")
            store.held[f"mem://docs/{file.relative_to(tmp_path).as_posix()}"] = file.read_bytes()
    monkeypatch.chdir(tmp_path)
    for expected, outputs in (("gold", "out"), ("gold", "out/*"), ("gold/**/*.json", "out")):
        suite = {"evaluators": ["json_diff_match"]}
        local = run({**suite, "test_set": {"expected": expected, "outputs": outputs}})
        stored = run({**suite, "test_set": {"expected": f"mem://docs/{expected}", "outputs": f"mem://docs/{outputs}"}})
        assert {one.variant for one in local.evaluators} == {"a", "b"}
        assert local.evaluators == stored.evaluators


def test_a_file_that_another_store_lacks_is_named_with_one_that_is_like_it(store: type[InMemory]) -> None:
    store.held["mem://bucket/rows.csv"] = b"id,output,expected\n"
    issue = problem_of(lambda: run(SUITE, "mem://bucket/row.csv"))
    assert (issue.code, issue.hint) == ("no-such-file", 'did you mean "mem://bucket/rows.csv"?')


def test_an_unknown_scheme_is_a_problem_that_names_it() -> None:
    issue = problem_of(lambda: run(SUITE, "nowhere://bucket/rows.csv"))
    assert (issue.code, issue.blame, issue.where) == ("unknown-store", Blame.CONFIG, "nowhere://bucket/rows.csv")
    assert "nowhere://" in issue.message


def test_an_address_of_a_file_of_this_machine_is_its_path(tmp_path: Path) -> None:
    file = written(tmp_path, "my rows.csv")
    assert run(SUITE, file.as_uri()).evaluators == run(SUITE, file).evaluators
    assert byte_store.scheme_of(str(file)) is None


@pytest.mark.parametrize("cell", ["file:///etc/hostname", "mem://bucket/secret"])
def test_a_cell_does_not_lead_to_another_store(store: type[InMemory], tmp_path: Path, cell: str) -> None:
    store.held["mem://bucket/secret"] = b"{}"
    file = tmp_path / "rows.jsonl"
    write_rows(file, [{"output": "{}", "expected": "{}", "at": cell}])
    test_set = {"file": str(file), "attach": {"schema": "{at}"}}
    opened = prepare(load({**SUITE, "test_set": test_set})).test_set
    (chunk,) = all_chunks(opened.table, ["schema"])
    (found,) = chunk.columns["schema"]
    assert isinstance(found, CellError)
    assert found.issue.code == "leads-out"
