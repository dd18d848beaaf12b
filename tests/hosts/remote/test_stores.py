"""Test sets in buckets, and runs that are written there: with servers that speak like the real ones."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlsplit

import pyarrow
import pytest
from pyarrow import parquet as arrow_parquet

from evaluators import load
from evaluators.model.issues import Blame, Problems
from evaluators.runs.result import RunResult
from evaluators.testsets import delimited, remote_files
from evaluators.testsets.byte_store import store_of
from evaluators.testsets.readers import jsonl, parquet
from tests.hosts.remote.conftest import Bucket
from tests.hosts.remote.cutting import Relay, relay

SUITE: dict[str, Any] = {"evaluators": ["exact_match", "json_diff_match"]}
ROWS = 2_000
NAMES = ("rows.csv", "rows.jsonl", "rows.json", "rows.parquet", "rows.csv.gz")


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Splits and pieces small enough for files of tests to have many; nobody waits between two tries."""
    for module in (delimited, jsonl, parquet):
        monkeypatch.setattr(module, "SPLIT_BYTES", 20_000)
    monkeypatch.setattr("evaluators.testsets.row_texts.CUT_BYTES", 5_000)
    monkeypatch.setattr(remote_files, "_PIECE_BYTES", 10_000)
    monkeypatch.setattr(remote_files, "_FETCHED", {})
    monkeypatch.setattr(remote_files, "PAUSES_SECONDS", (0, 0, 0))


def rows(first: int = 0, count: int = ROWS) -> list[dict[str, str]]:
    return [
        {"id": f"r{number}", "output": json.dumps({"a": number % 7}), "expected": json.dumps({"a": number % 5})}
        for number in range(first, first + count)
    ]


def file_of(name: str, some: list[dict[str, str]] | None = None) -> bytes:
    """Rows in the format that the name says."""
    some = rows() if some is None else some
    if name.endswith(".parquet"):
        sink = pyarrow.BufferOutputStream()
        arrow_parquet.write_table(pyarrow.Table.from_pylist(some), sink, row_group_size=200)
        return bytes(sink.getvalue())
    if name.endswith(".jsonl"):
        data = "".join(f"{json.dumps(row)}\n" for row in some).encode()
    elif name.endswith(".json"):
        data = json.dumps(some).encode()
    else:
        cells = ((cell.replace('"', '""') for cell in row.values()) for row in some)
        data = ("id,output,expected\n" + "".join('"{}"\n'.format('","'.join(row)) for row in cells)).encode()
    return gzip.compress(data, mtime=0) if name.endswith(".gz") else data


def run(place: str, **options: Any) -> RunResult:
    return load(SUITE).run(place, **options)


def called(*words: str, folder: Path, code: int = 0) -> str:
    """What a command prints, which must end with that exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "evaluators", *words], cwd=folder, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == code, done.stdout
    return done.stdout


def test_a_store_keeps_what_is_put_into_it(bucket: Bucket) -> None:
    top, store = bucket.address, store_of(bucket.address)
    for name in ("a/one.txt", "a/two words.txt", "a/b/three.txt", "a/.hidden", ".b/x.txt", "ä.txt"):
        store.put(f"{top}/{name}", name.encode())
    assert sorted(store.below(top)) == ["a/b/three.txt", "a/one.txt", "a/two words.txt", "ä.txt"]
    assert sorted(store.below(f"{top}/a/")) == ["b/three.txt", "one.txt", "two words.txt"]
    assert store.names(f"{top}/a") == ["b", "one.txt", "two words.txt"]
    assert sorted(store.matching(f"{top}/a/*.txt", "", folders=False)) == [f"{top}/a/one.txt", f"{top}/a/two words.txt"]
    assert [store.kind(f"{top}{rest}") for rest in ("", "/a", "/a/", "/a/one.txt", "/none")] == [
        "folder", "folder", "folder", "file", None,
    ]  # fmt: skip
    assert store.open(f"{top}/ä.txt").read() == "ä.txt".encode()
    assert store.open(f"{top}/a/one.txt", 4).read() == b"e.txt"
    assert store.open(f"{top}/a/one.txt").seek(0, 2) == 9
    with pytest.raises(FileNotFoundError):
        store.open(f"{top}/none")
    store.remove(f"{top}/a/one.txt")
    store.remove(f"{top}/a/one.txt")
    assert store.kind(f"{top}/a/one.txt") is None


def test_an_object_is_whole_or_not_there(bucket: Bucket) -> None:
    store, place = store_of(bucket.address), f"{bucket.address}/large.bin"
    data = os.urandom(12 * 1024 * 1024)
    with pytest.raises(ZeroDivisionError):
        _broken_off(store.write(place), data)
    stream = store.write(place)
    stream.write(data)
    del stream
    assert store.kind(place) is None
    with store.write(place) as stream:
        stream.write(data)
        stream.flush()
        assert store.kind(place) is None
    with store.open(place) as stream:
        assert stream.read() == data


def _broken_off(stream: BinaryIO, data: bytes) -> None:
    with stream:
        stream.write(data)
        raise ZeroDivisionError


def test_what_changes_says_so(bucket: Bucket) -> None:
    store = store_of(bucket.address)
    places = [bucket.put("a.txt", b"1"), bucket.put("b.txt", b"1"), f"{bucket.address}/none.txt"]
    before = store.versions(places)
    bucket.put("b.txt", b"2")
    after = store.versions(places)
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False, True]
    assert before[2] is None
    assert store.fingerprint(places[0]) != store.fingerprint(places[1])


@pytest.mark.parametrize("name", NAMES)
def test_an_object_gives_the_run_of_the_same_file_here(bucket: Bucket, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(file_of(name))
    place = bucket.put(name, file_of(name))
    here, there = run(str(tmp_path / name)), run(place)
    assert (here.n_rows, here.evaluators) == (there.n_rows, there.evaluators)
    assert (there.n_rows, there.issues, there.exit_code) == (ROWS, (), 0)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_folder_and_a_pattern_are_one_test_set(bucket: Bucket, ending: str) -> None:
    for number in range(4):
        data = file_of(f".{ending}", rows(100 * number, 100))
        bucket.put(f"rows/day=2026-01-0{number // 2 + 1}/part-{number}.{ending}", data)
    whole = run(bucket.put("whole.csv", file_of(".csv", rows(0, 400))))
    suite = load({**SUITE, "slices": ["row.day"]})
    for place in ("rows", "rows/", f"rows/**/*.{ending}", f"rows/day=*/*.{ending}"):
        result = suite.run(f"{bucket.address}/{place}")
        assert (result.n_rows, result.evaluators) == (400, whole.evaluators), place
        assert {one.slice[1] for one in result.slices if one.slice} == {"2026-01-01", "2026-01-02"}


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_an_object_that_changes_while_it_is_read_is_said(bucket: Bucket, name: str) -> None:
    place = bucket.put(name, file_of(name))

    def progress(rows_: int, share: float | None) -> None:
        bucket.put(name, file_of(name, rows(1)))

    try:
        result = run(place, progress=progress)
        issues, code = result.issues, result.exit_code
    except Problems as error:
        issues, code = error.issues, 3
    assert code == 3
    assert [issue.blame for issue in issues if issue.code == "test-set-changed"] == [Blame.ENVIRONMENT]


def test_what_is_not_there_is_the_mistake_of_whoever_named_it(bucket: Bucket) -> None:
    bucket.put("rows.csv", b"id,output,expected\n")
    scheme = bucket.address.partition("://")[0]
    for place, hint in (
        (f"{bucket.address}/row.csv", f'did you mean "{bucket.address}/rows.csv"?'),
        (f"{scheme}://no-such-bucket-of-tests/rows.csv", "does not exist"),
        (f"{bucket.address}/none/*.csv", "stands for a part"),
    ):
        with pytest.raises(Problems) as found:
            run(place)
        (issue,) = found.value.issues
        assert (issue.code, issue.blame) == ("no-such-file", Blame.CONFIG), place
        assert hint in (issue.hint or "")


def test_runs_and_files_are_written_to_a_store_and_read_from_it(bucket: Bucket, tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(json.dumps(SUITE), encoding="utf-8")
    (tmp_path / "rows.csv").write_bytes(file_of("rows.csv"))
    place = bucket.put("rows.csv", file_of("rows.csv"))
    called("run", "suite.yaml", "rows.csv", "--name", "first", folder=tmp_path)
    words = ("run", "suite.yaml", place, "--results", f"{bucket.address}/runs", "--name", "first")
    said = called(*words, "-o", f"{bucket.address}/out/rows.jsonl", folder=tmp_path)
    assert f"{bucket.address}/runs/first: the run folder" in said
    there = set(store_of(bucket.address).below(f"{bucket.address}/runs/first"))
    here = {file.relative_to(tmp_path / "runs/first").as_posix() for file in (tmp_path / "runs/first").rglob("*.*")}
    assert there == here
    lines = store_of(bucket.address).open(f"{bucket.address}/out/rows.jsonl").read().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [row["id"] for row in rows()]
    assert f"{bucket.address}/runs/first-2: the run folder" in called(*words, folder=tmp_path)
    called(*words, "--force", folder=tmp_path)
    assert "2,000 rows" in called("report", f"{bucket.address}/runs/first", folder=tmp_path)
    called("compare", "runs/first", f"{bucket.address}/runs/first", "-o", f"{bucket.address}/c.json", folder=tmp_path)
    assert store_of(bucket.address).kind(f"{bucket.address}/c.json") == "file"
    left = [name for name in bucket.files.find(bucket.address) if "/." in name]
    assert left == []


@pytest.fixture
def cut(s3_bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> Iterator[Relay]:
    """A relay in front of the server."""
    import s3fs

    with relay(urlsplit(os.environ["AWS_ENDPOINT_URL"]).port or 0) as running:
        s3fs.S3FileSystem.clear_instance_cache()
        monkeypatch.setenv("AWS_ENDPOINT_URL", running.address)
        yield running
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "rows.parquet"])
def test_a_connection_that_is_cut_is_tried_again(s3_bucket: Bucket, cut: Relay, name: str) -> None:
    place = s3_bucket.put(name, file_of(name))
    whole = run(place)
    remote_files._FETCHED.clear()
    cut.cuts = 3
    again = run(place)
    assert cut.cuts == 0
    assert (again.n_rows, again.evaluators, again.exit_code) == (ROWS, whole.evaluators, 0)


def test_nobody_to_say_who_asks_is_the_environment(
    s3_bucket: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = s3_bucket.put("rows.csv", file_of("rows.csv"))
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "suite.yaml").write_text(json.dumps(SUITE), encoding="utf-8")
    assert "credentials" in called("run", "suite.yaml", place, folder=tmp_path, code=3).lower()
