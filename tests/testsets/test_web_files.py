"""Files of web servers: read in parts or fetched as a whole, with the figures of a file of this machine, or not at all."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet as arrow_parquet

from evaluators import load
from evaluators.model.issues import Blame, Issue, Problems, extra_hint
from evaluators.runs.preparing import prepare
from evaluators.runs.result import RunResult
from evaluators.testsets import delimited, remote_files
from evaluators.testsets.byte_store import store_of
from evaluators.testsets.readers import jsonl, parquet
from tests.testsets.file_server import FileServer, file_server

SUITE: dict[str, Any] = {"evaluators": ["exact_match", "json_diff_match"]}
ROWS = 2_000


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    """A server that nobody waits for between two tries."""
    monkeypatch.setattr(remote_files, "PAUSES_SECONDS", (0, 0, 0))
    with file_server() as running:
        yield running


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Splits and pieces small enough for files of tests to have many."""
    for module in (delimited, jsonl, parquet):
        monkeypatch.setattr(module, "SPLIT_BYTES", 20_000)
    monkeypatch.setattr("evaluators.testsets.row_texts.CUT_BYTES", 5_000)
    monkeypatch.setattr(remote_files, "_PIECE_BYTES", 3_000)


def rows() -> list[dict[str, str]]:
    return [
        {
            "id": f"r{number}",
            "output": json.dumps({"a": number % 7}),
            "expected": json.dumps({"a": number % 5}),
            "more": hashlib.sha256(bytes(number % 256)).hexdigest(),
        }
        for number in range(ROWS)
    ]


def file_of_rows(name: str) -> bytes:
    """The rows in the format that the name says."""
    if name.endswith(".parquet"):
        sink = pyarrow.BufferOutputStream()
        arrow_parquet.write_table(pyarrow.Table.from_pylist(rows()), sink, row_group_size=200)
        return bytes(sink.getvalue())
    if name.endswith(".jsonl"):
        data = "".join(f"{json.dumps(row)}\n" for row in rows()).encode()
    elif name.endswith(".json"):
        data = json.dumps(rows()).encode()
    else:
        cells = ((cell.replace('"', '""') for cell in row.values()) for row in rows())
        data = ("id,output,expected,more\n" + "".join('"{}"\n'.format('","'.join(row)) for row in cells)).encode()
    return gzip.compress(data, mtime=0) if name.endswith(".gz") else data


def run(place: str, **options: Any) -> RunResult:
    return load(SUITE).run(place, **options)


def refused(place: str, **options: Any) -> tuple[Issue, ...]:
    with pytest.raises(Problems) as found:
        run(place, **options)
    return found.value.issues


NAMES = ("rows.csv", "rows.jsonl", "rows.json", "rows.parquet", "rows.csv.gz")


@pytest.mark.slow
@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("given", ["parts", "whole", "whole in chunks"])
def test_a_file_of_a_server_gives_the_run_of_the_same_file_here(
    server: FileServer, tmp_path: Path, name: str, given: str
) -> None:
    data = file_of_rows(name)
    (tmp_path / name).write_bytes(data)
    server.files[f"/data/{name}"] = data
    server.ranges = given == "parts"
    server.length = "chunked" if given == "whole in chunks" else "told"
    place = f"{server.address}/data/{name}"
    here, there = run(str(tmp_path / name)), run(place)
    assert here.n_rows == there.n_rows == ROWS
    assert here.evaluators == there.evaluators
    assert there.issues == ()
    fetched = [note for note in there.notes if "fetched as a whole" in note]
    assert bool(fetched) == (given != "parts")
    table, local = (prepare(load(SUITE), one).test_set for one in (place, str(tmp_path / name)))
    assert len(table.splits()) == len(local.splits()) > (0 if name.endswith((".gz", ".json")) else 3)


@pytest.mark.usefixtures("small_pieces")
def test_only_the_parts_that_are_read_are_asked_for(server: FileServer) -> None:
    long = [{**row, "more": hashlib.shake_256(row["id"].encode()).hexdigest(500)} for row in rows()]
    sink = pyarrow.BufferOutputStream()
    arrow_parquet.write_table(pyarrow.Table.from_pylist(long), sink, row_group_size=200)
    data = server.files["/rows.parquet"] = bytes(sink.getvalue())
    table = prepare(load(SUITE), f"{server.address}/rows.parquet").test_set.table
    server.asked.clear()
    first = table.splits()[0]
    assert sum(chunk.count for chunk in table.read(first, ["id"])) < ROWS
    asked = [tuple(map(int, (part or "").removeprefix("bytes=").split("-"))) for _, part in server.asked]
    assert sum(last - first + 1 for first, last in asked) < len(data) / 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ranges", [True, False], ids=["parts", "whole"])
def test_a_small_file_is_fetched_once(server: FileServer, name: str, ranges: bool) -> None:
    server.ranges, server.files[f"/{name}"] = ranges, (data := file_of_rows(name))
    run(f"{server.address}/{name}")
    looks = [part for _, part in server.asked if part == "bytes=0-0"]
    assert [part for _, part in server.asked if part not in looks] == [f"bytes=0-{len(data) - 1}" if ranges else None]


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", NAMES)
def test_a_piece_of_a_large_file_is_fetched_once(server: FileServer, name: str) -> None:
    data = server.files[f"/{name}"] = file_of_rows(name)
    run(f"{server.address}/{name}")
    asked = sorted(
        tuple(map(int, part.removeprefix("bytes=").split("-")))
        for _, part in server.asked
        if part not in (None, "bytes=0-0")
    )
    assert asked == [(first, min(first + 3_000, len(data)) - 1) for first in range(0, len(data), 3_000)]


@pytest.mark.slow
@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "rows.parquet"])
def test_workers_read_the_pieces_that_are_there(server: FileServer, name: str) -> None:
    server.files[f"/{name}"] = file_of_rows(name)
    alone = run(f"{server.address}/{name}")
    remote_files._FETCHED.clear()
    assert run(f"{server.address}/{name}", workers=2).evaluators == alone.evaluators


def test_without_a_folder_for_temporary_files_pieces_are_fetched_each_time(
    server: FileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_folder(*_: object, **__: object) -> None:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.TemporaryFile", no_folder)
    server.files["/rows.csv"] = file_of_rows("rows.csv")
    assert run(f"{server.address}/rows.csv").n_rows == ROWS


def test_a_full_disk_keeps_no_pieces_and_loses_nothing(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(remote_files, "_write_at", full)
    server.files["/rows.csv"] = file_of_rows("rows.csv")
    assert run(f"{server.address}/rows.csv").n_rows == ROWS


@pytest.mark.slow
@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ranges", [True, False], ids=["parts", "whole"])
def test_a_connection_that_is_cut_is_tried_again(server: FileServer, name: str, ranges: bool) -> None:
    server.files[f"/{name}"] = file_of_rows(name)
    server.ranges = ranges
    whole = run(f"{server.address}/{name}")
    remote_files._FETCHED.clear()
    server.cuts, server.cut_from = 3, 500
    again = run(f"{server.address}/{name}")
    assert server.cuts == 0
    assert (again.n_rows, again.evaluators, again.exit_code) == (ROWS, whole.evaluators, whole.exit_code)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("length", ["told", "chunked"])
@pytest.mark.parametrize("ranges", [True, False], ids=["parts", "whole"])
def test_a_connection_that_is_always_cut_is_no_shorter_test_set(
    server: FileServer, name: str, length: str, ranges: bool
) -> None:
    server.files[f"/{name}"] = file_of_rows(name)
    server.length, server.ranges = length, ranges
    server.cuts, server.cut_from = 10**9, 500
    (issue,) = refused(f"{server.address}/{name}")
    assert issue.blame is Blame.ENVIRONMENT
    assert issue.where == f"{server.address}/{name}"
    assert "tried 4 times" in issue.message


@pytest.mark.slow
@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize(
    ("name", "workers"), [("rows.csv", 1), ("rows.jsonl", 1), ("rows.parquet", 1), ("rows.csv.gz", 1), ("rows.jsonl", 2)]
)
def test_a_server_that_goes_away_in_mid_run_ends_it_with_the_environment_to_blame(
    server: FileServer, name: str, workers: int
) -> None:
    server.files[f"/{name}"] = file_of_rows(name)

    def progress(rows: int, share: float | None) -> None:
        server.status[f"/{name}"] = 500

    place = f"{server.address}/{name}"
    try:
        result = run(place, progress=progress, workers=workers)
    except Problems as error:
        issues, code = error.issues, 3
    else:
        issues, code = result.issues, result.exit_code
        assert result.n_rows == ROWS  # the last rows were there already, and whether the file changed is not known
    assert code == 3
    assert {issue.blame for issue in issues} == {Blame.ENVIRONMENT}
    assert "500" in issues[0].message


def test_a_busy_server_is_asked_again(server: FileServer) -> None:
    server.files["/rows.csv"] = file_of_rows("rows.csv")
    server.busy = 3
    assert run(f"{server.address}/rows.csv").n_rows == ROWS
    server.busy = 4
    (issue,) = refused(f"{server.address}/rows.csv")
    assert (issue.blame, issue.code) == (Blame.ENVIRONMENT, "unreadable-file")


def test_a_file_whose_length_nobody_says_is_not_read(server: FileServer) -> None:
    server.files["/rows.csv"] = file_of_rows("rows.csv")
    server.length, server.ranges = "untold", False
    (issue,) = refused(f"{server.address}/rows.csv")
    assert issue.blame is Blame.ENVIRONMENT
    assert "does not say how long the file is" in issue.message


@pytest.mark.parametrize("status", [401, 403, 451])
def test_an_answer_that_refuses_is_not_asked_for_again(server: FileServer, status: int) -> None:
    server.status["/rows.csv"] = status
    (issue,) = refused(f"{server.address}/rows.csv")
    assert (issue.blame, issue.where) == (Blame.ENVIRONMENT, f"{server.address}/rows.csv")
    assert str(status) in issue.message
    assert len(server.asked) == 1


def test_a_file_that_is_not_there_is_the_mistake_of_whoever_named_it(server: FileServer) -> None:
    (issue,) = refused(f"{server.address}/rows.csv")
    assert (issue.code, issue.blame, issue.where) == ("no-such-file", Blame.CONFIG, f"{server.address}/rows.csv")
    (issue,) = refused(f"{server.address}/rows/*.csv")
    assert "no list of its files" in issue.hint


def test_a_server_that_is_not_there_is_the_environment(server: FileServer) -> None:
    place = f"{server.address}/rows.csv"
    server.server_close()
    (issue,) = refused(place.replace(server.address, "http://127.0.0.1:1"))
    assert issue.blame is Blame.ENVIRONMENT


@pytest.mark.slow
@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("etags", [True, False], ids=["etags", "sizes"])
@pytest.mark.parametrize(("name", "workers"), [("rows.csv", 1), ("rows.jsonl", 1), ("rows.parquet", 1), ("rows.csv", 2)])
def test_a_file_that_changes_while_it_is_read_is_said(server: FileServer, name: str, workers: int, etags: bool) -> None:
    data = server.files[f"/{name}"] = file_of_rows(name)
    server.etags = etags

    def progress(rows: int, share: float | None) -> None:
        server.files[f"/{name}"] = data + data[:100]

    try:
        result = run(f"{server.address}/{name}", progress=progress, workers=workers)
        issues, code = result.issues, result.exit_code
    except Problems as error:
        issues, code = error.issues, 3
    assert code == 3
    (changed,) = (issue for issue in issues if issue.code == "test-set-changed")
    assert changed.blame is Blame.ENVIRONMENT


@pytest.mark.slow
@pytest.mark.parametrize("etags", [True, False], ids=["etags", "no etags"])
def test_the_fingerprint_is_another_one_when_the_file_is(server: FileServer, etags: bool) -> None:
    server.etags = etags
    data = server.files["/rows.csv"] = file_of_rows("rows.csv")
    place = f"{server.address}/rows.csv"
    first, second = run(place).data_fingerprint, run(place).data_fingerprint
    server.files["/rows.csv"] = data.replace(b"r7", b"x7")
    assert first == second != run(place).data_fingerprint
    if not etags:
        assert first == "sha256:" + store_of("rows.csv").fingerprint(str(_written(data))).hex()


def _written(data: bytes) -> Path:
    import tempfile

    with tempfile.NamedTemporaryFile(delete=False) as file:
        file.write(data)
    return Path(file.name)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["elsewhere.csv", "/moved/elsewhere.csv", "{}/moved/elsewhere.csv"])
def test_an_answer_that_leads_elsewhere_on_the_web_is_followed(server: FileServer, where: str) -> None:
    server.files["/elsewhere.csv"] = server.files["/moved/elsewhere.csv"] = file_of_rows("rows.csv")
    server.redirects["/rows.csv"] = where.format(server.address)
    assert run(f"{server.address}/rows.csv").n_rows == ROWS


@pytest.mark.parametrize("where", ["file:///etc/hostname", "ftp://127.0.0.1/rows.csv", "s3://bucket/rows.csv"])
def test_an_answer_that_leads_to_another_kind_of_place_is_not_followed(server: FileServer, where: str) -> None:
    server.redirects["/rows.csv"] = where
    (issue,) = refused(f"{server.address}/rows.csv")
    assert issue.blame is Blame.ENVIRONMENT
    assert "not opened" in issue.message
    assert len(server.asked) == 1


def test_answers_that_lead_in_a_circle_are_given_up(server: FileServer) -> None:
    server.redirects |= {"/a.csv": "/b.csv", "/b.csv": "/a.csv"}
    (issue,) = refused(f"{server.address}/a.csv")
    assert issue.blame is Blame.ENVIRONMENT
    assert len(server.asked) == 11


@pytest.mark.parametrize("ranges", [True, False], ids=["parts", "whole"])
def test_what_unpacks_without_end_stops_at_the_limit(server: FileServer, ranges: bool) -> None:
    server.files["/rows.csv.gz"] = gzip.compress(b"id,output,expected\n" + b"a,b,c\n" * 40_000)
    server.ranges = ranges
    suite = load({**SUITE, "test_set": {"file": f"{server.address}/rows.csv.gz", "most_unpacked_gib": 0.0001}})
    with pytest.raises(Problems) as found:
        suite.run()
    assert [(issue.code, issue.blame) for issue in found.value.issues] == [("too-large", Blame.TESTSET)]


def test_an_answer_that_is_packed_on_the_way_is_unpacked_by_the_same_rules(server: FileServer) -> None:
    server.files["/rows.csv"] = gzip.compress(file_of_rows("rows.csv"))
    server.headers["Content-Encoding"] = "gzip"
    assert run(f"{server.address}/rows.csv").n_rows == ROWS


def test_what_proves_who_asks_is_nowhere_in_what_a_run_says(server: FileServer, tmp_path: Path) -> None:
    data = file_of_rows("rows.csv")
    server.files["/rows.csv"] = data + b"torn\n"
    place = f"{server.address}/rows.csv?X-Amz-Signature=SECRET&sig=SECRET"
    result = load({**SUITE, "test_set": place}).run(
        results=tmp_path, name="first", command=("run", "suite.yaml", place), stopped=lambda: False
    )
    assert any("SECRET" in path for path, _ in server.asked)
    assert result.test_set == f"{server.address}/rows.csv"
    assert "SECRET" not in repr(result)
    for file in (tmp_path / "first").rglob("*"):
        assert file.is_dir() or b"SECRET" not in file.read_bytes(), file
    server.files.clear()
    assert "SECRET" not in str(refused(place))
    server.busy = 100
    assert "SECRET" not in str(refused(place))


@pytest.mark.parametrize("who", ["somebody:SECRET@", "SECRET@"])
def test_an_address_with_a_password_is_not_opened(server: FileServer, who: str) -> None:
    (issue,) = refused(server.address.replace("//", f"//{who}") + "/rows.csv")
    assert (issue.code, issue.blame) == ("password-in-address", Blame.CONFIG)
    assert "SECRET" not in str(issue)
    assert server.asked == []


def test_a_missing_package_is_named_with_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "gcsfs", None)
    (issue,) = refused("gs://bucket/rows.csv")
    assert (issue.code, issue.blame) == ("missing-package", Blame.CONFIG)
    assert "gcsfs" in issue.message
    assert issue.hint == extra_hint("remote", "gcsfs>=2026")
