"""Rows of a real PostgreSQL server: what they hold, what may not be done to it, and what becomes of a connection that is cut."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.model.rows import MISSING
from evaluators.testsets.databases import query_rows
from evaluators.testsets.documents import open_file
from evaluators.testsets.fetched_rows import FetchedRows
from evaluators.testsets.query_settings import DatabaseConnection
from evaluators.testsets.reader import all_chunks
from tests.docs.sessions import ROOT, prepare, run_page
from tests.hosts.servers import free_port
from tests.hosts.sql.conftest import PASSWORD, VARIABLE, Server, cutting, variables
from tests.kit import exported

COUNT = 20_000
PARTS = ("sesame", "carla", "payroll", "127.0.0.1")
"""What stands in connection strings here."""
SUITE = f"""\
test_set:
  sql: select * from answers order by id
  connection: {{env: {VARIABLE}}}
evaluators:
  - json_multi_field_match: {{name: fields, fields: [city]}}
slices: [row.kind]
"""
CONNECTION = DatabaseConnection(env=VARIABLE)


@pytest.fixture(autouse=True)
def place(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a suite, and a table `answers` of three rows."""
    monkeypatch.setenv(VARIABLE, server.address())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    with server.admin() as admin:
        admin.execute("drop table if exists answers")
        admin.execute("create table answers(id text, output text, expected jsonb, kind int)")
        with admin.cursor() as cursor:
            cursor.executemany(
                "insert into answers values (%s, %s, %s, %s)",
                [
                    (f"0{one}", '{"city": "Rome"}', json.dumps({"city": city}), one % 2)
                    for one, city in enumerate(["Rome", "Rome", "Oslo"])
                ],
            )
    yield tmp_path
    with server.admin() as admin:
        assert admin.execute("select count(*) from answers").fetchone() == (3,)


def asked(statement: str) -> FetchedRows:
    return query_rows(statement, CONNECTION, Path())


def cells(found: FetchedRows, column: str) -> list[Any]:
    table = open_file(found.file, Path(), "jsonl")
    return [cell for chunk in all_chunks(table, [column]) for cell in chunk.columns[column]]


def problem_of(statement: str) -> Issue:
    with pytest.raises(Problems) as caught:
        asked(statement)
    (issue,) = caught.value.issues
    assert [part for part in PARTS if part in str(issue)] == []
    return issue


def called(*words: str, **more: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "evaluators", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
        env=variables({VARIABLE: os.environ[VARIABLE], "PYTHONPATH": str(ROOT), **more}), check=False,
    )  # fmt: skip
    return done.returncode, done.stdout


def cut_once_it_flows(count: int = COUNT) -> str:
    """A statement of several megabytes: the server cannot send it all before somebody reads."""
    return (
        f"select n as id, repeat('x', 1000) as output, '{{}}' as expected from generate_series(1, {count}) n order by n"
    )


# what a cell holds


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("'text'::text", "text"),
        ("'00288'::varchar(9)", "00288"),
        ("7::bigint", 7),
        ("123456789012345678901234567890::numeric", 123456789012345678901234567890),
        ("19.90::numeric(8, 2)", "19.90"),
        ("12345678901234567890.123456789::numeric", "12345678901234567890.123456789"),
        ("'NaN'::numeric", "NaN"),
        ("sum(1.0)", "1.0"),
        ("0.1::float8", 0.1),
        ("'infinity'::float8", "inf"),
        ("true", True),
        ("date '2026-03-01'", "2026-03-01"),
        ("timestamp '2026-03-01 14:30'", "2026-03-01T14:30:00"),
        ("timestamptz '2026-03-01 14:30+02'", "2026-03-01T12:30:00+00:00"),
        ("time '03:04:05.5'", "03:04:05.500000"),
        ("""'{"b": 1.10, "a": [1, null, "\\n"]}'::jsonb""", {"a": [1, None, "\n"], "b": 1.1}),
        ("E'{\\n \"a\":\\n 1}'::json", {"a": 1}),
        ("'null'::jsonb", None),
        ("null::jsonb", MISSING),
        ("null::text", MISSING),
        ("array[1.5, null]::numeric[]", ["1.5", None]),
        ("array['a', 'b']", ["a", "b"]),
        ("""array['{"a": 1}'::jsonb]""", [{"a": 1}]),
        ("'\\x74657874'::bytea", "text"),
        ("'00000000-0000-0000-0000-000000000001'::uuid", "00000000-0000-0000-0000-000000000001"),
        ("'100 % of %s :x'", "100 % of %s :x"),
        ("interval '90 minutes'", "1:30:00"),
    ],
)
def test_a_value_is_a_cell(written: str, read: Any) -> None:
    found = asked(f"select {written} as a, 1 as b")
    (cell,) = cells(found, "a")
    assert (cell, type(cell)) == (read, type(read))
    assert found.header == ("a", "b")


def test_a_number_in_a_document_keeps_its_digits() -> None:
    found = asked("""select '{"a": 12345678901234567890.10}'::jsonb as a""")
    assert Path(found.file).read_bytes() == b'{"a":{"a": 12345678901234567890.10}}\n'


def test_a_run_is_the_same_with_any_number_of_workers(place: Path) -> None:
    for name, words in (("one", ()), ("two", ("--workers", "2"))):
        code, said = called("run", "suite.yaml", "--name", name, *words)
        assert (code, "0.6667" in said) == (0, True), said
    assert exported(place / "runs/one", "rows") == exported(place / "runs/two", "rows")
    for file in ("run.json", "summary.txt"):
        assert (place / "runs/one" / file).read_bytes() == (place / "runs/two" / file).read_bytes()
    written = b"".join(file.read_bytes() for file in (place / "runs").rglob("*") if file.is_file())
    assert [part for part in PARTS if part.encode() in written] == []


def test_many_rows_need_little_memory() -> None:
    program = f"""
import resource
from pathlib import Path
from evaluators.testsets.databases import query_rows
from evaluators.testsets.query_settings import DatabaseConnection
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
statement = "select n, repeat('x', 1000) as a from generate_series(1, 200000) n order by n"
found = query_rows(statement, DatabaseConnection(env="{VARIABLE}"), Path())
print(Path(found.file).stat().st_size, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=variables({"PYTHONPATH": str(ROOT)}), check=True)
    size, grown = map(int, done.stdout.split())
    assert size > 200_000_000
    assert grown * 1024 < size / 4


# nothing is changed


@pytest.mark.parametrize(
    "statement",
    [
        "with gone as (delete from answers returning id) select * from gone",
        "select forget()",
        "select nextval('counting')",
        "select id from answers for update",
        "select id into more from answers",
        "select 1; delete from answers",
        "select 1; commit; delete from answers",
        "select 1) union (select 2; delete from answers",
        "delete from answers",
        "create table more(a int)",
    ],
)
def test_a_statement_that_changes_data_is_refused(server: Server, statement: str) -> None:
    with server.admin() as admin:
        admin.execute("create sequence if not exists counting")
        admin.execute("create or replace function forget() returns int language sql as 'delete from answers; select 1'")
    issue = problem_of(statement)
    assert issue.blame is Blame.CONFIG, issue
    with server.admin() as admin:
        assert admin.execute("select count(*) from answers").fetchone() == (3,)
        assert admin.execute("select is_called from counting").fetchone() == (False,)
        assert admin.execute("select to_regclass('more')").fetchone() == (None,)


def test_what_a_read_only_transaction_lets_through_is_taken_back(server: Server) -> None:
    asked("select lo_create(0) as a order by 1")
    with server.admin() as admin:
        assert admin.execute("select count(*) from pg_largeobject_metadata").fetchone() == (0,)


# what goes wrong


@pytest.mark.parametrize(
    ("statement", "blame", "said"),
    [
        ("select * fro answers", Blame.CONFIG, 'syntax error at or near "fro"'),
        ("select * from answer", Blame.CONFIG, 'relation "answer" does not exist'),
        ("select id, id from answers", Blame.CONFIG, 'columns have the same name: "id"'),
        ("select * from answers where false", Blame.TESTSET, "the statement gives no rows"),
        ("select 1 / (3 - n) from generate_series(1, 9) n", Blame.TESTSET, "division by zero"),
        ("select '\\xff'::bytea as a", Blame.TESTSET, 'the column "a" holds bytes that are no text'),
    ],
)
def test_a_statement_that_cannot_be_used(statement: str, blame: Blame, said: str) -> None:
    issue = problem_of(statement)
    assert (issue.blame, said in issue.message) == (blame, True), issue


@pytest.mark.parametrize(
    "changed",
    [
        {"password": "wrong/sesame"},
        {"user": "carlab", "password": "sesame"},
        {"name": "payrolls"},
        {"port": -1},
    ],
)
def test_a_server_that_lets_nobody_in_is_the_environments_fault(
    server: Server, place: Path, monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any]
) -> None:
    if "port" in changed:
        changed = {"port": free_port()}
    monkeypatch.setenv(VARIABLE, server.address(**changed))
    code, said = called("run", "suite.yaml")
    assert (code, f"the database of {VARIABLE} cannot be reached" in said) == (3, True), said
    assert [part for part in (*PARTS, str(changed.get("port", server.port))) if part in said] == []
    assert not (place / "runs").exists()


def test_a_connection_that_is_cut_is_begun_again_and_no_row_is_lost(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cutting(server.port, 3_000_000, times=1) as cutter:
        monkeypatch.setenv(VARIABLE, server.address(cutter.port))
        found = asked(cut_once_it_flows())
        assert cutter.connections == 2
    assert cells(found, "id") == [*range(1, COUNT + 1)]


def test_a_connection_that_is_cut_twice_is_never_a_shorter_test_set(
    server: Server, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "suite.yaml").write_text(SUITE.replace("select * from answers order by id", f"|\n    {cut_once_it_flows()}"))
    (place / "tmp").mkdir()
    with cutting(server.port, 3_000_000) as cutter:
        monkeypatch.setenv(VARIABLE, server.address(cutter.port))
        code, said = called("run", "suite.yaml", TMPDIR=str(place / "tmp"))
        assert cutter.connections == 2
    assert (code, "ended the connection after" in said) == (3, True), said
    assert [part for part in PARTS if part in said] == []
    assert not (place / "runs").exists()
    assert list((place / "tmp").iterdir()) == []


def test_a_backend_that_ends_itself_in_mid_stream() -> None:
    issue = problem_of(
        "select n, case when n = 5000 then pg_terminate_backend(pg_backend_pid())::text else repeat('x', 1000) end "
        "from generate_series(1, 10000) n order by n"
    )
    assert (issue.blame, issue.code) == (Blame.ENVIRONMENT, "not-fetched")
    assert "ended the connection after" in issue.message


def test_a_statement_that_the_server_gives_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, f"{server.address()}?options=-c%20statement_timeout%3D50")
    issue = problem_of("select count(*) from generate_series(1, 100000000) n order by 1")
    assert (issue.blame, "statement timeout" in issue.message) == (Blame.ENVIRONMENT, True), issue


def test_the_guide_with_a_server(server: Server, place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with server.admin() as admin:
        admin.execute("alter table answers rename to kept")
        try:
            admin.execute("create table answers as select id, output as answer, 'm' || kind as model from kept")
            admin.execute("create table expected as select id, expected as document from kept")
            inner = tmp_path / "guide"
            inner.mkdir()
            run_page(ROOT / "docs/how-to/databases.md", prepare(inner, monkeypatch))
            monkeypatch.chdir(inner / "here")
            code, said = called("run", "server.yaml", DATABASE_URL=server.address())
            assert (code, "3 rows of query" in said) == (0, True), said
            assert PASSWORD not in said
        finally:
            admin.execute("drop table if exists answers, expected")
            admin.execute("alter table kept rename to answers")
