"""Rows of a database. SQLite is tested here; PostgreSQL and DuckDB in `tests/hosts/sql`."""

from __future__ import annotations

import json
import sqlite3
import sys
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import evaluators
from evaluators.model.issues import Blame, Problems, extra_hint
from evaluators.model.rows import MISSING
from evaluators.testsets.databases import UNORDERED, json_text, line_of, query_rows, without_parts
from evaluators.testsets.documents import open_file
from evaluators.testsets.fetched_rows import FetchedRows
from evaluators.testsets.query_settings import DatabaseConnection, says_an_order, why_not_a_query
from evaluators.testsets.reader import all_chunks
from tests.kit import cli, problem_of, write_rows
from tests.runs.test_resuming import contents, counted, splits, start

CITY = '{"city": "Rome"}'
SUITE = """\
test_set:
  sql: {sql}
  connection: {{sqlite: rows.db}}
evaluators:
  - json_multi_field_match: {{name: fields, fields: [city]}}
slices: [row.kind]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with `rows.db`: a table of four answers, the last one wrong."""
    monkeypatch.chdir(tmp_path)
    database = sqlite3.connect(tmp_path / "rows.db")
    database.execute("create table answers(id text, output text, expected text, kind integer, price real, note text)")
    rows = [(f"00{number}", CITY, CITY, number % 2, number / 4, None) for number in range(3)]
    database.executemany("insert into answers values(?, ?, ?, ?, ?, ?)", [*rows, ("003", "Oslo", CITY, 1, 0.1, "wrong")])
    database.commit()
    database.close()
    return tmp_path


def asked(folder: Path, statement: str) -> FetchedRows:
    return query_rows(statement, DatabaseConnection(sqlite="rows.db"), folder)


def cells(found: FetchedRows, column: str) -> list[Any]:
    table = open_file(found.file, Path(), "jsonl")
    return [cell for chunk in all_chunks(table, [column]) for cell in chunk.columns[column]]


def called(*words: str) -> tuple[int, str]:
    ended = cli(*words)
    return ended.exit_code, ended.output


# rows


def test_rows_are_read_with_their_columns_by_name(folder: Path) -> None:
    found = asked(folder, "select id, kind, price as cost, note from answers order by id;")
    assert found.header == ("id", "kind", "cost", "note")
    assert cells(found, "id") == ["000", "001", "002", "003"]
    assert cells(found, "kind") == [0, 1, 0, 1]
    assert cells(found, "cost") == [0.0, 0.25, 0.5, 0.1]
    assert cells(found, "note") == [MISSING, MISSING, MISSING, "wrong"]
    assert (found.notes, found.unrepeatable) == ((), None)


def test_names_of_columns_stay_as_the_statement_has_them(folder: Path) -> None:
    assert asked(folder, 'select id as "a.b", 1 as "Größe %" from answers').header == ("a.b", "Größe %")
    assert cells(asked(folder, "select ':x %s %(y)s ?' as a"), "a") == [":x %s %(y)s ?"]


def test_the_file_of_the_rows_is_gone_where_they_could_not_all_be_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = folder / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with pytest.raises(Problems):
        asked(folder, "select id from answers union all select x'ff' order by 1")
    assert list(temporary.iterdir()) == []
    asked(folder, "select 1 as a")
    assert len(list(temporary.iterdir())) == 1


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ("text", "text"),
        (7, 7),
        (2**70, 2**70),
        (True, True),
        (0.1, 0.1),
        (float("nan"), "nan"),
        (Decimal("19.90"), "19.90"),
        (Decimal("1E+3"), "1000"),
        (Decimal("12345678901234567890.12"), "12345678901234567890.12"),
        (Decimal(42), 42),
        (Decimal("NaN"), "NaN"),
        (date(2026, 3, 1), "2026-03-01"),
        (datetime(2026, 3, 1, 14, 30), "2026-03-01T14:30:00"),
        (datetime(2026, 3, 1, 1, tzinfo=timezone(timedelta(hours=2))), "2026-02-28T23:00:00+00:00"),
        (time(3, 4), "03:04:00"),
        (json_text('{"a": 1.10,\n "b": null}'), {"a": 1.1, "b": None}),
        (json_text(b"null"), None),
        ([Decimal("1.5"), None, {"a": date(2026, 3, 1)}], ["1.5", None, {"a": "2026-03-01"}]),
        (b"text", "text"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ("half \ud800 a pair", "half \ud800 a pair"),
    ],
)
def test_a_value_is_a_cell(value: Any, read: Any) -> None:
    line = line_of(["a", "null"], [value, None])
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"a": read}


def test_a_document_is_the_databases_own_text() -> None:
    assert line_of(["a"], [json_text('{"a": 1.10,\r\n"b":[]}')]) == b'{"a":{"a": 1.10,  "b":[]}}\n'


def test_bytes_that_are_no_text_are_refused(folder: Path) -> None:
    with pytest.raises(Problems, match="holds bytes that are no text"):
        line_of(["a"], [memoryview(b"\xff")])
    issue = problem_of(lambda: asked(folder, "select 1 as a union all select x'ff' order by 1"))
    assert (issue.blame, issue.where) == (Blame.TESTSET, "query row 2")
    assert issue.message == 'the column "a" holds bytes that are no text'


# statements


@pytest.mark.parametrize(
    ("statement", "ordered"),
    [
        ("select * from a order by id", True),
        ("SELECT * FROM a ORDER /* by what */ BY id -- ;", True),
        ("with x as (select 1 order by 1) select * from x", False),
        ("select row_number() over (order by id) from a", False),
        ("select 'order by' from a -- order by id", False),
        ('select "order by" from a', False),
        ("select $a$ order by ' $a$ from a", False),
        ("select $$ ' $$, 'it''s' from a order by 1;", True),
        ("(select 1) union (select 2) order by 1", True),
        ("select 'never closed order by 1", False),
        ("select E'it\\'s; \\'' order by 1", True),
    ],
)
def test_whether_a_statement_says_an_order(statement: str, ordered: bool) -> None:
    assert says_an_order(statement) is ordered
    assert why_not_a_query(statement) is None


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("select 1; delete from a", "several statements"),
        ("select ';' from a;;", None),
        ("/* only */ -- this", "no statement"),
        ("-- first\n(select 1)", None),
        ("values (1)", None),
        ("delete from a", 'begins with "delete"'),
        ("explain analyze delete from a", 'begins with "explain"'),
        ("select 1 /* ; */", None),
        ("select * into more from a", 'it has "into"'),
        ("with x as (select 1) insert into a select 1", 'it has "into"'),
        ("select 'into', (select 1) from a", None),
    ],
)
def test_what_is_no_query(statement: str, said: str | None) -> None:
    found = why_not_a_query(statement)
    assert found is None if said is None else said in str(found)


@pytest.mark.parametrize(
    "statement",
    [
        "with gone as (select 1) delete from answers",
        "insert into answers(id) values ('x')",
        "select 1; delete from answers",
        "create table more(a)",
        "pragma query_only = off",
        "vacuum into 'copy.db'",
    ],
)
def test_nothing_is_changed_even_by_a_statement_that_is_not_looked_at(folder: Path, statement: str) -> None:
    before = (folder / "rows.db").read_bytes()
    issue = problem_of(lambda: asked(folder, statement))
    assert issue.blame in (Blame.CONFIG, Blame.ENVIRONMENT)
    assert (folder / "rows.db").read_bytes() == before
    assert [file.name for file in folder.iterdir() if file.name != "copy.db"] == ["rows.db"]


def test_a_statement_that_changes_data_is_refused(folder: Path) -> None:
    issue = problem_of(lambda: asked(folder, "with gone as (select 1) delete from answers returning id"))
    assert (issue.code, issue.blame) == ("changes-data", Blame.CONFIG)
    assert "it is run so that it can only read" in issue.message


@pytest.mark.parametrize(
    ("statement", "blame", "said"),
    [
        ("select * fro answers", Blame.CONFIG, 'near "fro": syntax error'),
        ("select * from answer", Blame.CONFIG, "no such table: answer"),
        ("select id, output as id from answers", Blame.CONFIG, 'columns have the same name: "id"'),
        ("select * from answers where id = 'x'", Blame.TESTSET, "the statement gives no rows"),
    ],
)
def test_a_statement_that_gives_nothing_to_score(folder: Path, statement: str, blame: Blame, said: str) -> None:
    issue = problem_of(lambda: asked(folder, statement))
    assert (issue.blame, said in issue.message) == (blame, True), issue


def test_a_statement_without_an_order_is_noted_and_cannot_be_repeated(folder: Path) -> None:
    sets = {}
    for name, sql in (("ordered", "select * from answers order by id"), ("not", "select * from answers")):
        (folder / f"{name}.yaml").write_text(SUITE.format(sql=sql), encoding="utf-8")
        result = evaluators.load(folder / f"{name}.yaml").run()
        sets[name] = result.notes
    assert f"query: {UNORDERED}; a run of it cannot be resumed" in sets["not"]
    assert not any("ORDER BY" in note for note in sets["ordered"])
    assert asked(folder, "select 1 as a").unrepeatable == UNORDERED


# connections


def test_a_file_that_is_no_database_or_is_not_there(folder: Path) -> None:
    issue = problem_of(lambda: query_rows("select 1", DatabaseConnection(sqlite="row.db"), folder))
    assert (issue.blame, issue.message) == (Blame.CONFIG, "there is no such database: row.db")
    (folder / "rows.db").write_text("id,output\n" * 200)
    issue = problem_of(lambda: asked(folder, "select * from answers"))
    assert (issue.blame, issue.message) == (Blame.TESTSET, "rows.db cannot be read: file is not a database")
    assert not (folder / "row.db").exists()


def test_the_connection_comes_from_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = DatabaseConnection(env="ROWS_DATABASE")
    issue = problem_of(lambda: query_rows("select 1", connection, folder))
    assert issue.message == 'the environment variable "ROWS_DATABASE" is not set'
    monkeypatch.setenv("ROWS_DATABASE", f" sqlite:///{folder}/rows.db\n")
    assert query_rows("select id from answers order by id", connection, Path("/")).header == ("id",)


PARTS = ("opensesame", "carla", "dbhost.example", "payroll", "5433", "198.51.100.7")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql+psycopg://carla:opensesame%2F%21@dbhost.example:5433/payroll",
        "mysql+pymysql://carla:opensesame@198.51.100.7:5433/payroll?ssl_ca=opensesame",
        "nosuch://carla:opensesame@dbhost.example/payroll",
        "carla:opensesame@dbhost.example:5433/payroll",
        "postgresql://carla:opensesame@dbhost.example:payroll",
        "sqlite:////payroll/opensesame.db",
    ],
)
def test_nothing_of_a_connection_string_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("ROWS_DATABASE", address)
    (folder / "suite.yaml").write_text(SUITE.format(sql="select 1").replace("sqlite: rows.db", "env: ROWS_DATABASE"))
    for words in (["run", "suite.yaml"], ["check", "suite.yaml", "--all"], ["run", "suite.yaml", "--traceback"]):
        code, said = called(*words)
        assert code in (2, 3)
        assert "ROWS_DATABASE" in said
        assert [part for part in PARTS if part in said] == []


def test_what_a_driver_says_is_said_without_the_connection_string() -> None:
    address = "postgresql+psycopg://al:p%40ss@db.example:5432/sales?sslcert=/keys/al.pem"
    said = (
        'connection to server at "db.example" (10.0.0.7), port 5432 failed: password "p@ss" (p%40ss) of user "al" '
        f"for database sales is wrong, /keys/al.pem, also of general use; {address}; at ::1"
    )
    assert without_parts(said, address) == (
        'connection to server at "…" (…), port … failed: password "…" (…) of user "…" '
        "for database … is wrong, …, also of general use; …; at …"
    )


@pytest.mark.parametrize(
    ("connection", "said"),
    [
        ('"postgresql://carla:opensesame@dbhost.example/payroll"', "put it into an environment variable"),
        ("[postgresql://carla:opensesame@dbhost.example/payroll]", "put it into an environment variable"),
        ("{env: 'postgresql://carla:opensesame@dbhost.example/payroll'}", "write `env: DATABASE_URL`"),
        ("{url: 'postgresql://carla:opensesame@dbhost.example/payroll'}", "url"),
        ("{}", "{env: DATABASE_URL}"),
        ("{env: A, sqlite: b}", "{env: DATABASE_URL}"),
    ],
)
def test_a_connection_string_in_a_suite_is_refused_and_not_repeated(folder: Path, connection: str, said: str) -> None:
    (folder / "suite.yaml").write_text(SUITE.format(sql="select 1").replace("{sqlite: rows.db}", connection))
    code, words = called("run", "suite.yaml")
    assert (code, said in words) == (2, True), words
    assert [part for part in PARTS if part in words] == []


@pytest.mark.parametrize(
    ("test_set", "said"),
    [
        ("{sql: select 1}", '"sql" needs a "connection"'),
        ("{file: rows.csv, connection: {env: X}}", '"connection" belongs to "sql"'),
        ("{sql: select 1, connection: {env: X}, file: rows.csv}", 'the rows are named twice: "file" and "sql"'),
        ("{sql: drop table x, connection: {env: X}}", 'it begins with "drop"'),
    ],
)
def test_settings_that_do_not_go_together(test_set: str, said: str) -> None:
    issue = problem_of(lambda: evaluators.loads(f"evaluators: [exact_match]\ntest_set: {test_set}\n"))
    assert (said in issue.message, issue.blame) == (True, Blame.CONFIG), issue


def test_packages_that_are_missing_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROWS_DATABASE", "postgresql+psycopg2://carla@dbhost.example/payroll")
    monkeypatch.setitem(sys.modules, "psycopg2", None)
    connection = DatabaseConnection(env="ROWS_DATABASE")
    assert problem_of(lambda: query_rows("select 1", connection, folder)).hint == 'pip install "psycopg2-binary"'
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    assert problem_of(lambda: query_rows("select 1", connection, folder)).hint == extra_hint("sql")


def test_whatever_a_driver_raises_is_said_without_the_connection_string(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*words: object, **settings: object) -> None:
        raise ValueError("bad value in /payroll/opensesame.db")

    monkeypatch.setenv("ROWS_DATABASE", "sqlite:////payroll/opensesame.db")
    monkeypatch.setattr("sqlite3.connect", refused)
    monkeypatch.setattr(Path, "is_file", lambda path: True)
    issue = problem_of(lambda: query_rows("select 1", DatabaseConnection(env="ROWS_DATABASE"), folder))
    assert (issue.blame, issue.message) == (
        Blame.ENVIRONMENT,
        "the database of ROWS_DATABASE cannot be read: bad value in …",
    )


# runs


def figures(result: Any) -> list[tuple[Any, ...]]:
    return [(one.name, one.mean, one.scored) for one in [*result.evaluators, *result.slices]]


def test_a_database_scores_like_a_file_with_the_same_rows(folder: Path) -> None:
    (folder / "suite.yaml").write_text(SUITE.format(sql="select * from answers order by id"), encoding="utf-8")
    lines = [
        {"id": f"00{number}", "output": CITY if number < 3 else "Oslo", "expected": CITY, "kind": number % 2}
        for number in range(4)
    ]
    write_rows(folder / "rows.jsonl", lines)
    suite = evaluators.load(folder / "suite.yaml")
    from_file = suite.run(test_set="rows.jsonl")
    assert figures(from_file)[0] == ("fields", 0.75, 4)
    found = [suite.run(), suite.run(workers=2)]
    assert [figures(one) for one in found] == [figures(from_file)] * 2
    assert found[0].data_fingerprint == found[1].data_fingerprint
    assert (found[0].test_set, found[0].exit_code) == ("query", 0)


def test_the_fingerprint_is_of_what_the_rows_hold(folder: Path) -> None:
    def fingerprint(sql: str) -> str:
        (folder / "suite.yaml").write_text(SUITE.format(sql=sql), encoding="utf-8")
        return evaluators.load(folder / "suite.yaml").run().data_fingerprint

    before = fingerprint("select * from answers order by id")
    assert fingerprint("select * from answers where 1 order by id") == before
    assert fingerprint("select * from answers order by id desc") != before
    with sqlite3.connect(folder / "rows.db") as database:
        database.execute("update answers set note = 'seen' where id = '000'")
    database.close()
    assert fingerprint("select * from answers order by id") != before


def test_outputs_may_come_from_a_file_and_the_suite_from_elsewhere(folder: Path) -> None:
    (folder / "answers.jsonl").write_text('{"id": "000", "output": "{}"}\n{"id": "001", "output": {"city": "Rome"}}\n')
    test_set = """test_set:
  sql: select id, expected, kind from answers where id < '002' order by id
  output: answers.jsonl"""
    (folder / "suite.yaml").write_text(SUITE.replace("test_set:\n  sql: {sql}", test_set).format())
    assert figures(evaluators.load(folder / "suite.yaml").run())[0] == ("fields", 0.5, 2)
    inner = folder / "inner"
    inner.mkdir()
    (inner / "suite.yaml").write_text("extends: ../suite.yaml\n")
    code, words = called("run", "inner/suite.yaml", "--no-results", "--outputs-from", "answers.jsonl")
    assert (code, "2 rows of query" in words) == (0, True), words


def test_commands_read_a_database(folder: Path) -> None:
    (folder / "suite.yaml").write_text(SUITE.format(sql="select * from answers"), encoding="utf-8")
    code, words = called("check", "suite.yaml", "--all")
    assert f"note: query: {UNORDERED}" in words
    code, words = called("try", "suite.yaml", "--id", "003")
    assert (code, "row 4 of query, 003" in words) == (0, True), words
    code, words = called("infer-schema", "suite.yaml")
    assert (code, '"city"' in words) == (0, True), words
    code, words = called("run", "suite.yaml", "--name", "kept")
    assert code == 0
    written = b"".join(file.read_bytes() for file in (folder / "runs" / "kept").rglob("*") if file.is_file())
    assert b"evaluators-" not in written, "the place of the temporary file"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by a signal")
@pytest.mark.parametrize("order", ["order by id", ""])
def test_a_run_that_is_killed_goes_on_where_its_rows_have_an_order(folder: Path, order: str) -> None:
    with sqlite3.connect(folder / "rows.db") as database:
        rows = [(f"{number:04}", CITY, CITY if number % 3 else "{}", number % 2) for number in range(400)]
        database.executemany("insert into answers(id, output, expected, kind) values (?, ?, ?, ?)", rows)
    database.close()
    (folder / "suite.yaml").write_text(SUITE.format(sql=f"select * from answers {order}"), encoding="utf-8")
    words = ("run", "suite.yaml", "--quiet", "--name")
    whole_run = start(folder, *words, "whole", size=4000)
    assert whole_run.returncode == 0, whole_run.stderr
    killed = start(folder, *words, "ended", size=4000, last=counted(whole_run) * 3 // 4)
    assert killed.returncode == -9
    assert splits(folder / "runs" / "ended") > 0
    resumed = start(folder, *words, "ended", "--resume", size=4000)
    if order:
        assert resumed.returncode == 0, resumed.stderr
        assert contents(folder / "runs" / "ended") == contents(folder / "runs" / "whole")
        with sqlite3.connect(folder / "rows.db") as database:
            database.execute("delete from answers where id = '0007'")
        database.close()
        assert "not the same as when it began: the data" in start(folder, *words, "ended", "--resume", size=4000).stderr
    else:
        assert resumed.returncode == 4
        assert UNORDERED in resumed.stderr
