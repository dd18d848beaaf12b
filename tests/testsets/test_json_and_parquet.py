"""JSON lists and Parquet: values come as they are; a bad element spoils nothing but itself."""

from __future__ import annotations

import datetime
import gzip
import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace
from pyarrow import parquet as arrow_parquet

from evaluators.api.loading import load
from evaluators.model.issues import Blame, CellError, Issue, Problems, extra_hint
from evaluators.model.rows import MISSING
from evaluators.testsets.byte_source import locate
from evaluators.testsets.documents import open_file
from evaluators.testsets.reader import all_chunks
from evaluators.testsets.readers import parquet
from evaluators.testsets.readers.parquet import Parquet
from tests.kit import write_rows


def cells(folder: Path, name: str, column: str) -> list[Any]:
    return [cell for chunk in all_chunks(open_file(name, folder), [column]) for cell in chunk.columns[column]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@pytest.mark.parametrize(
    "shape", ['[{"a": 1}, {"b": [2]}, {"a": null}]', '{"n": 3, "rows": [{"a": 1}, {"b": [2]}, {"a": null}]}']
)
def test_json_is_a_list_of_objects_or_an_object_with_one(folder: Path, shape: str) -> None:
    (folder / "rows.json").write_text(shape)
    assert open_file("rows.json", folder).header == ("a", "b")
    assert cells(folder, "rows.json", "a") == [1, MISSING, None]


def test_an_element_that_is_no_object_is_a_fault(folder: Path) -> None:
    (folder / "rows.json").write_text('[{"a": 1}, 2, {"a": 3}]')
    first, second, third = cells(folder, "rows.json", "a")
    assert (first, third) == (1, 3)
    assert second.issue.message == "an object in braces was expected, the list holds a number here"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("3", "the file holds a number"),
        ('{"a": 1}', "with 0 lists"),
        ('{"a": 1} {"a": 2}', "text goes on"),
        ('{"a": [{}], "b": [{}]}', "with 2 lists"),
    ],
)
def test_json_of_another_shape_is_a_problem(folder: Path, text: str, message: str) -> None:
    (folder / "rows.json").write_text(text)
    with pytest.raises(Problems, match=message):
        open_file("rows.json", folder)


@given(content=st.binary(max_size=60) | st.text(alphabet='{}[]":,a1\n ', max_size=50).map(str.encode))
@example(content=b"%PDF-1.4")
@example(content=b"PK\x03\x04")
def test_any_bytes_are_rows_faults_or_problems(folder: Path, content: bytes) -> None:
    (folder / "any.json").write_bytes(content)
    (folder / "any").write_bytes(content)
    for name in ("any.json", "any"):
        issues: tuple[Issue, ...] = ()
        try:
            cells(folder, name, "a")
        except Problems as problems:
            issues = problems.issues
        assert all(issue.blame is Blame.TESTSET for issue in issues)


def written(folder: Path, columns: dict[str, Any], name: str = "rows.parquet", **options: Any) -> Path:
    arrow_parquet.write_table(pyarrow.table(columns), folder / name, **options)
    return folder


def test_parquet_values_become_json_values(folder: Path) -> None:
    columns = {
        "text": ["1", None, "NA"],
        "number": [1, 2**60, 3],
        "flag": [True, None, False],
        "nested": [{"a": [1, None]}, {"a": []}, None],
        "day": [datetime.date(2024, 1, 2)] * 3,
        "time": pyarrow.array([1, 2, 3], pyarrow.timestamp("ns")),
        "price": [Decimal("1.50"), Decimal("2.00"), Decimal("12345678901234567890.12")],
        "bytes": [b"caf\xc3\xa9", b"\xff", b""],
        "map": pyarrow.array([[("k", 1)], [], None], pyarrow.map_(pyarrow.string(), pyarrow.int64())),
    }
    written(folder, columns)
    found = {name: cells(folder, "rows.parquet", name) for name in columns}
    assert found["text"] == ["1", MISSING, "NA"]
    assert found["number"] == [1, 2**60, 3]
    assert found["flag"] == [True, MISSING, False]
    assert found["nested"] == [{"a": [1, None]}, {"a": []}, MISSING]
    assert found["day"] == ["2024-01-02"] * 3
    assert found["time"][0] == "1970-01-01T00:00:00"
    assert found["price"] == [1.5, 2, "12345678901234567890.12"]
    assert found["bytes"][0] == "café"
    assert isinstance(found["bytes"][1], CellError)
    assert found["map"][0] == {"k": 1}


def test_parquet_is_cut_between_row_groups(folder: Path) -> None:
    written(folder, {"id": list(range(1000)), "output": [str(number) for number in range(1000)]}, row_group_size=90)
    with patch.object(parquet, "SPLIT_BYTES", 2000):
        table = open_file("rows.parquet", folder)
        assert len(table.splits()) > 2
        found = [cell for chunk in all_chunks(table, ["output"]) for cell in chunk.columns["output"]]
        offsets = [offset for chunk in all_chunks(table, ["output"]) for offset in chunk.offsets]
    assert found == [str(number) for number in range(1000)]
    assert offsets == list(range(1000))


def test_a_compressed_parquet_file_is_read(folder: Path) -> None:
    written(folder, {"a": ["x"]})
    (folder / "packed.parquet.gz").write_bytes(gzip.compress((folder / "rows.parquet").read_bytes()))
    assert cells(folder, "packed.parquet.gz", "a") == ["x"]


def test_a_damaged_parquet_file_is_a_problem(folder: Path) -> None:
    (folder / "bad.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(Problems, match="cannot be read as Parquet"):
        open_file("bad.parquet", folder)


def test_parquet_without_pyarrow_says_what_to_install(folder: Path) -> None:
    (folder / "bad.parquet").write_bytes(b"PAR1")
    with patch.dict(sys.modules, {"pyarrow": None}), pytest.raises(Problems) as caught:
        open_file("bad.parquet", folder)
    assert caught.value.issues[0].hint == extra_hint("parquet")


def test_the_same_rows_read_the_same_in_every_format(folder: Path) -> None:
    rows = [{"id": f"r{number}", "output": json.dumps({"n": number, "t": 'é"\n,'})} for number in range(300)]
    write_rows(folder / "same.jsonl", rows)
    (folder / "same.json").write_text(json.dumps(rows))
    (folder / "same.csv").write_text(
        "id,output\n" + "".join('{},"{}"\n'.format(row["id"], row["output"].replace('"', '""')) for row in rows)
    )
    written(folder, {name: [row[name] for row in rows] for name in ("id", "output")}, "same.parquet")
    wanted = [row["output"] for row in rows]
    for ending in ("jsonl", "json", "csv", "parquet"):
        assert cells(folder, f"same.{ending}", "output") == wanted


def _bounded(place: Path, gib: float) -> Parquet:
    return Parquet.open(replace(locate(place.name, place.parent), most_unpacked_gib=gib))


def test_a_parquet_file_that_says_it_unpacks_without_end_is_not_read(folder: Path) -> None:
    place = folder / "bomb.parquet"
    written(folder, {"output": ["x" * 1_000_000 + str(n) for n in range(20)]}, "bomb.parquet", compression="zstd")
    assert place.stat().st_size < 200_000
    with pytest.raises(Problems, match=r"it unpacks to more than 0\.01 GiB") as error:
        _bounded(place, 0.01)
    issue = error.value.issues[0]
    assert (issue.code, issue.blame, issue.where) == ("too-large", Blame.TESTSET, "bomb.parquet")
    assert "most_unpacked_gib" in str(issue.hint)
    allowed = _bounded(place, 0.1)
    assert sum(chunk.count for chunk in allowed.read(allowed.splits()[0], ["output"])) == 20


@pytest.mark.slow
def test_a_value_that_is_kept_once_and_stands_for_many_cells_is_counted_as_often_as_it_is_read(folder: Path) -> None:
    place = folder / "repeated.parquet"
    written(folder, {"output": ["x" * 1_000_000] * 200}, "repeated.parquet", compression="zstd", use_dictionary=True)
    table = _bounded(place, 0.01)  # 200 MB in cells, of which the file says 1 MB
    chunks: list[int] = []
    with pytest.raises(Problems, match=r"it unpacks to more than 0\.01 GiB"):
        chunks.extend(chunk.count for chunk in table.read(table.splits()[0], ["output"]))
    assert set(chunks) == {1}  # never many such cells at a time
    assert len(chunks) < 20


def test_rows_of_nothing_are_counted(folder: Path) -> None:
    place = folder / "nothing.parquet"
    written(folder, {"output": pyarrow.nulls(3_000_000, pyarrow.string())}, "nothing.parquet")
    with pytest.raises(Problems, match="unpacks to more"):
        _bounded(place, 0.01)


@pytest.mark.slow
def test_files_that_are_joined_stop_at_the_size_that_is_stated(folder: Path) -> None:
    big = ["x" * 1_000_000 + str(n) for n in range(20)]
    written(folder, {"id": [str(n) for n in range(20)], "output": big}, "outputs.parquet", compression="zstd")
    with gzip.open(folder / "outputs.csv.gz", "wt", encoding="utf-8") as stream:
        stream.write("id,output\n" + "".join(f"{n},{text}\n" for n, text in enumerate(big)))
    (folder / "rows.csv").write_text("id,expected\n1,a\n", encoding="utf-8")
    for name in ("outputs.parquet", "outputs.csv.gz"):
        for outputs in ({"output": name}, {"outputs": {"one": name}}, {"output": {"file": name, "column": "output"}}):
            test_set = {"file": str(folder / "rows.csv"), "most_unpacked_gib": 0.01}
            places = {key: _in(folder, place) for key, place in outputs.items()}
            with pytest.raises(Problems, match=r"it unpacks to more than 0\.01 GiB"):
                load({"evaluators": ["exact_match"], "test_set": {**test_set, **places}}).run()


def _in(folder: Path, place: Any) -> Any:
    if isinstance(place, dict):
        return {key: _in(folder, one) if key in ("file", "one") else one for key, one in place.items()}
    return str(folder / place)
