"""A cell that is too long costs what it is: an output is unreadable, an expected answer invalid, and other rows count."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluators import load
from evaluators.model.issues import Blame, CellError
from evaluators.testsets import delimited_rows
from evaluators.testsets.byte_source import locate
from evaluators.testsets.reader import all_chunks
from evaluators.testsets.readers.csv import Csv

MOST = 1000
GOOD = '{"a": 1}'
LONG = json.dumps({"a": "x" * (MOST + 1)})
ROWS = [
    {"id": "good", "output": GOOD, "expected": GOOD},
    {"id": "long output", "output": LONG, "expected": GOOD},
    {"id": "long expected", "output": GOOD, "expected": LONG},
    {"id": "good again", "output": GOOD, "expected": GOOD},
]


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    for module in FORMATS_LIMITED:
        monkeypatch.setattr(f"evaluators.testsets.{module}.LONGEST", MOST)
    return tmp_path


FORMATS_LIMITED = ("delimited_rows", "documents", "readers.json", "readers.parquet")


def as_table(delimiter: str) -> str:
    out = io.StringIO()
    table = csv.DictWriter(out, list(ROWS[0]), delimiter=delimiter)
    table.writeheader()
    table.writerows(ROWS)
    return out.getvalue()


def write_csv() -> str:
    Path("rows.csv").write_text(as_table(","), encoding="utf-8")
    return "rows.csv"


def write_utf16() -> dict[str, str]:
    Path("rows.csv").write_text(as_table(","), encoding="utf-16")
    return {"file": "rows.csv", "encoding": "utf-16"}


def write_tsv() -> str:
    Path("rows.tsv").write_text(as_table("\t"), encoding="utf-8")
    return "rows.tsv"


def write_gzip() -> str:
    Path("rows.csv.gz").write_bytes(gzip.compress(as_table(",").encode()))
    return "rows.csv.gz"


def write_json() -> str:
    Path("rows.json").write_text(json.dumps(ROWS), encoding="utf-8")
    return "rows.json"


def write_parquet() -> str:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(ROWS), "rows.parquet")
    return "rows.parquet"


def write_documents() -> dict[str, str]:
    for role in ("output", "expected"):
        Path(role).mkdir()
        for number, row in enumerate(ROWS):
            Path(role, f"{number}.json").write_text(row[role], encoding="utf-8")
    return {"output": "output", "expected": "expected"}


def write_joined() -> dict[str, Any]:
    write_csv()
    Path("ids.csv").write_text("id\n" + "".join(f"{row['id']}\n" for row in ROWS), encoding="utf-8")
    both = {role: {"file": "rows.csv", "key": "id", "column": role} for role in ("output", "expected")}
    return {"file": "ids.csv", **both}


@pytest.mark.parametrize(
    "write",
    [write_csv, write_tsv, write_gzip, write_utf16, write_json, write_parquet, write_documents, write_joined],
)
@pytest.mark.parametrize(
    "kind", ["json_multi_field_match", "exact_match", "schema_match", "json_diff_match", "contains_json"]
)
def test_the_culprit_pays_and_the_other_rows_count(limited: Path, write: Callable[[], Any], kind: str) -> None:
    settings = {
        "json_multi_field_match": {"fields": ["a"]},
        "schema_match": {"schema": {"type": "object", "properties": {"a": {"type": "integer"}}}},
    }
    result = load({"test_set": write(), "evaluators": [{kind: settings.get(kind, {})}]}).run()
    (stats,) = result.evaluators
    passed, failed, invalid = (3, 1, 0) if kind == "contains_json" else (2, 1, 1)
    assert (stats.passed, stats.failed, stats.invalid) == (passed, failed, invalid)
    assert result.exit_code in (0, 3)


def cells(table: Csv) -> list[list[Any]]:
    found = []
    for chunk in all_chunks(table, table.header):
        columns = [chunk.columns[name] for name in table.header]
        found += [
            [cell.issue.code if isinstance(cell, CellError) else cell for cell in row]
            for row in zip(*columns, strict=True)
        ]
    return found


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_the_same_however_they_are_read(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(seed)
    letters = ["a", '"', '""', ",", "\n", "\r\n", "\r", " ", "é", "x" * 30]
    text = "a,b\n" + "".join(draw.choice(letters) for _ in range(draw.randint(0, 60)))
    (tmp_path / "rows.csv").write_text(text, encoding="utf-8", newline="")
    table = Csv.open(locate(str(tmp_path / "rows.csv"), Path()))
    usual = cells(table)
    monkeypatch.setattr(delimited_rows, "LONGEST", 500)
    monkeypatch.setattr(delimited_rows, "_PIECE_BYTES", draw.choice([1, 2, 7, 1000]))
    assert cells(table) == usual


def test_a_cell_may_be_as_long_as_allowed_and_not_one_character_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delimited_rows, "LONGEST", 100)
    quoted = '"' * 200
    rows = [
        "x" * 100,
        "x" * 101,
        f'"{quoted}"',
        f'"{quoted}x"',
        '"' + "x\n" * 50 + '"',
        '"' + "x\n" * 50 + 'x"',
        "y" * 5000,
        "z",
    ]
    (tmp_path / "rows.csv").write_text("a,b\n" + "".join(f"{row},1\n" for row in rows), encoding="utf-8")
    table = Csv.open(locate(str(tmp_path / "rows.csv"), Path()))
    found = cells(table)
    assert [row[1] for row in found] == ["1"] * len(rows)
    assert [row[0] == "cell-too-long" for row in found] == [False, True, False, True, False, True, True, False]
    long = next(cell for chunk in all_chunks(table, ["a"]) for cell in chunk.columns["a"] if isinstance(cell, CellError))
    assert (long.issue.blame, "101 characters; up to 100 are read" in long.issue.message) == (Blame.TESTSET, True)


def test_a_row_that_is_one_cell_and_too_long_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited_rows, "LONGEST", 10)
    (tmp_path / "rows.csv").write_text(f"a\nx\n{'y' * 100}\n\nz\n", encoding="utf-8")
    table = Csv.open(locate(str(tmp_path / "rows.csv"), Path()))
    assert cells(table) == [["x"], ["cell-too-long"], ["z"]]


@pytest.mark.slow
def test_what_is_too_long_is_never_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(b"id,output,expected\n1,")
        for _ in range(200):
            stream.write(b"x" * 1024 * 1024)
        stream.write(b",1\n2,1,1\n")
    tracemalloc.start()
    result = load({"test_set": str(path), "evaluators": ["exact_match"]}).run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (result.n_rows, result.evaluators[0].passed, result.evaluators[0].failed) == (2, 1, 1)
    assert most < 320 * 1024 * 1024


@pytest.mark.parametrize("kind", ["contains_json", "exact_match", "contains"])
def test_a_column_that_an_evaluator_names_as_its_output_pays_as_an_output(limited: Path, kind: str) -> None:
    settings = {"exact_match": {"expected": "id"}, "contains": {"substring": "a"}}.get(kind, {})
    suite = {
        "test_set": {"file": write_csv(), "columns": {"output": "id"}},
        "evaluators": [{kind: {"output": "output", **settings}}],
    }
    (stats,) = load(suite).run().evaluators
    assert (stats.scored, stats.invalid) == (4, 0)
