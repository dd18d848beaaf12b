"""Files that are no files, files of somebody else, and run folders that were made by hand."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from evaluators import load
from evaluators.model.issues import Blame, Problems
from evaluators.runs.reader import Run
from evaluators.runs.run_db import RUN_DB
from evaluators.scoring.values.files import MOST_BYTES
from tests.kit import cli, problem_of

SUITE = """
test_set: rows.csv
evaluators:
  - schema_match: {schema: schema.json}
"""
SCHEMA = '{"type": "object", "properties": {"city": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}}}'
SECRET = "root:x:0:0:secret of this machine\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "schema.json").write_text(SCHEMA, encoding="utf-8")
    (tmp_path / "passwd").write_text(SECRET * 3, encoding="utf-8")
    cell = '"{""city"": ""%s"", ""tags"": [""a"", ""%s""]}"'
    rows = "".join(f"{n},{cell % (n % 3, n % 2)},{cell % (n % 2, 'b')}\n" for n in range(12))
    (tmp_path / "rows.csv").write_text(f"id,output,expected\n{rows}", encoding="utf-8")
    return tmp_path


def pipe(place: Path) -> None:
    os.mkfifo(place)


def device(place: Path) -> None:
    place.symlink_to("/dev/zero")


def directory(place: Path) -> None:
    place.mkdir()


def huge(place: Path) -> None:
    with open(place, "wb") as file:
        file.truncate(100 * 1024 * 1024)


NO_FILES = {
    "is a pipe, and only a file can be read": pipe,
    "is a device, and only a file can be read": device,
    "a folder": directory,
    f"is larger than {MOST_BYTES // 1024**2} MiB, which is the most that is read": huge,
}


def refusal(text: str, folder: Path) -> str:
    (folder / "suite.yaml").write_text(text, encoding="utf-8")
    issue = problem_of(lambda: load(folder / "suite.yaml"))
    assert issue.blame is Blame.CONFIG
    return str(issue)


@pytest.mark.parametrize(("said", "make"), NO_FILES.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_no_file_is_no_suite_no_schema_and_nothing_to_extend(
    folder: Path, said: str, make: Callable[[Path], None]
) -> None:
    make(folder / "odd.yaml")
    assert said in refusal("extends: odd.yaml\nevaluators: [exact_match]\n", folder)
    assert said in refusal("evaluators: [{schema_match: {schema: odd.yaml}}]\n", folder)
    with pytest.raises(Problems, match=said):
        load(folder / "odd.yaml")


@pytest.mark.parametrize("text", [SECRET, "name: [secret of this machine\n", "secret of this machine: 1\n", "- secret\n"])
def test_lines_of_somebody_elses_file_are_not_shown(folder: Path, text: str) -> None:
    (folder / "passwd").write_text(text * 2, encoding="utf-8")
    for suite in ("extends: passwd\nevaluators: [exact_match]\n", "evaluators: [{schema_match: {schema: passwd}}]\n"):
        assert text.strip() not in refusal(suite, folder)


def test_a_file_of_users_is_no_suite(folder: Path) -> None:
    (folder / "shadow").write_text("root:*:20228:0:99999:7::\n", encoding="utf-8")
    (folder / "secrets").write_text("password: hush\n", encoding="utf-8")
    for name, secret in (("shadow", "20228"), ("secrets", "password")):
        said = refusal(f"extends: {name}\nevaluators: [exact_match]\n", folder)
        assert "nothing of it is shown" in said
        assert secret not in said


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="this system shows no variables in files")
@pytest.mark.parametrize(
    "settings",
    [
        "/proc/self/environ",
        "linked.csv",
        "{file: rows.csv, attach: {x: /proc/self/environ}}",
        "{expected: /proc/self/environ, output: rows.csv}",
        "{file: rows.csv, expected: {file: /proc/self/environ, format: csv}}",
        "/proc/self/envir*",
        "/dev/zero",
        "/sys/kernel/*.csv",
    ],
)
def test_what_the_system_tells_of_itself_is_no_test_set(
    folder: Path, settings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TOLD", "by no means")
    (folder / "linked.csv").symlink_to("/proc/self/environ")
    (folder / "suite.yaml").write_text(f"test_set: {settings}\nevaluators: [contains_json]\n", encoding="utf-8")
    done = cli("run", "suite.yaml", "--name", "x")
    assert done.exit_code in (2, 3), done.output
    written = "".join(path.read_text("utf-8", "replace") for path in Path("runs").rglob("*") if path.is_file())
    for secret in ("by no means", os.environ["PATH"][:20]):
        assert secret not in done.output + written


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="this system shows no variables in files")
def test_what_the_system_tells_of_itself_is_no_schema(folder: Path) -> None:
    said = refusal("evaluators: [{schema_match: {schema: /proc/self/environ}}]\n", folder)
    assert "tells of the system" in said


def report(run: Path) -> Result:
    return cli("report", str(run), "-o", str(run.parent / "page.html"))


@pytest.fixture
def run(folder: Path) -> Path:
    load(folder / "suite.yaml").run(results=folder / "runs", name="x")
    assert report(folder / "runs" / "x").exit_code == 0
    return folder / "runs" / "x"


@pytest.mark.parametrize("place", ["/dev/zero", "../../passwd", "suite/../../../passwd", "suite\\..\\x", "run.db"])
def test_a_run_folder_does_not_say_where_its_suite_is(run: Path, place: str) -> None:
    body = json.loads((run / "run.json").read_text())
    body["record"]["suite"] = place
    (run / "run.json").write_text(json.dumps(body))
    done = report(run)
    assert done.exit_code == 2
    assert "run.json: this run folder is damaged" in done.stderr


@pytest.mark.parametrize("name", ["../../up", "a/b", "x" * 300])
def test_a_variant_of_a_run_folder_leads_nowhere(run: Path, name: str) -> None:
    body = json.loads((run / "run.json").read_text())
    body["record"]["variants"][0]["variant"] = name
    (run / "run.json").write_text(json.dumps({**body, "variants": [name]}))
    assert report(run).exit_code == 2


@pytest.mark.parametrize("file", ["run.json", "run.db"])
def test_a_link_in_a_run_folder_is_not_followed(run: Path, file: str) -> None:
    shutil.move(run / file, run.parent / "elsewhere")
    (run / file).symlink_to(run.parent / "elsewhere")
    done = report(run)
    assert done.exit_code == 2
    assert "link" in done.stderr
    assert file in done.stderr


@pytest.mark.parametrize("text", ["extends: /etc/hostname\nevaluators: [exact_match]\n", "extends: ../../../passwd\n"])
def test_the_suite_of_a_run_folder_opens_nothing_outside_of_it(run: Path, text: str) -> None:
    (run / "suite" / "suite.yaml").write_text(text)
    done = cli("advice", str(run))
    assert done.exit_code == 2
    assert "is outside of the folder that may be read, so it is not opened" in done.stderr
    assert "secret" not in done.output


@pytest.mark.parametrize("seed", range(40))
def test_a_run_folder_that_was_spoilt_is_refused_in_words(run: Path, seed: int) -> None:
    """Seeded damage to one file: the page is made, or the folder is refused; never an exception."""
    chance = random.Random(seed)
    file = chance.choice(sorted(path for path in run.rglob("*.json*") if path.is_file()) + [run / RUN_DB] * 3)
    if file.name == RUN_DB and chance.randrange(2):
        spoil_a_cell(file, chance)
    else:
        file.write_bytes(spoilt(file.read_bytes(), chance))
    for words in (["report", str(run)], ["report", str(run), "-o", str(run.parent / "p.html")], ["advice", str(run)]):
        done = cli(*words)
        assert done.exit_code in (0, 2, 3), (file.name, done.output, done.exception)
        assert "bug in evaluators" not in done.output


WORDS = (b"null", b"-1", b"1e999", b"[]", b"{}", b'"x"', b"true", b"9" * 40, b"[" * 5000, b"\xff", b'"\\ud800"', b"NaN")


def spoilt(data: bytes, chance: random.Random) -> bytes:
    """The bytes with one value replaced, one stretch taken away, or the end cut off."""
    kind = chance.randrange(3)
    if kind == 0:
        return data[: chance.randrange(len(data) + 1)]
    at = chance.randrange(len(data) + 1)
    if kind == 1:
        return data[:at] + data[at + chance.randrange(1, 20) :]
    starts = [place + 1 for place, byte in enumerate(data) if byte in b":[,"] or [0]
    start = chance.choice(starts)
    end = next((place for place in range(start, len(data)) if data[place] in b",]}\n"), len(data))
    return data[:start] + chance.choice(WORDS) + data[end:]


def spoil_a_cell(file: Path, chance: random.Random) -> None:
    """Another value in one cell of one table, of the type that the table takes."""
    with closing(sqlite3.connect(file)) as db, db:
        table, column, kind = chance.choice(
            [
                (table, name, kind)
                for (table,) in db.execute("select name from sqlite_schema where type = 'table'").fetchall()
                for _, name, kind, *_ in db.execute(f"pragma table_info({table})").fetchall()
            ]
        )
        others = {
            "integer": [-1, 0, 7, 2**62],
            "text": ["", "x", "[]", "{}", "null", '{"row": 1}', "[" * 3000],
            "blob": [b""],
        }
        with suppress(sqlite3.IntegrityError):  # two rows of one key
            db.execute(f"update {table} set {column} = ?", (chance.choice(others[kind.lower()]),))


def change(file: Path, text: str, *values: object) -> None:
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(text, values)


def one_line(run: Path, table: str) -> dict[str, Any]:
    column = "verdict" if table == "verdicts" else "line"
    with closing(sqlite3.connect(run / RUN_DB)) as db:
        found: dict[str, Any] = json.loads(db.execute(f"select {column} from {table} limit 1").fetchone()[0])
    return found


@pytest.mark.parametrize(
    ("table", "other", "said"),
    [
        ("outcomes", {"path": "a", "status": "match", "score": 7}, "Expected `float` <= 1.0 - at `$.score`"),
        ("outcomes", {"path": "a", "status": "match", "weight": -1}, "Expected `float` >= 0.0 - at `$.weight`"),
        ("verdicts", {"score": [3, 2]}, "a score is a fraction from 0 to 1"),
        ("verdicts", {"counts": [1, 1, 1, -1]}, "Expected `int` >= 0 - at `$.counts[3]`"),
    ],
)
def test_a_value_that_no_run_writes_is_damage(run: Path, table: str, other: dict[str, Any], said: str) -> None:
    text = json.dumps({**one_line(run, table), **other})
    key = "evaluator = 0 and code = 0" if table == "verdicts" else "rowid = 1"
    change(run / RUN_DB, f"update {table} set {'verdict' if table == 'verdicts' else 'line'} = ? where {key}", text)
    with pytest.raises(Problems) as found:
        list(Run(run).each_row())
    assert said in str(found.value)
    assert f"run.db, {'line 1 of ' if table == 'outcomes' else ''}{table}" in str(found.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"places": [[99, "schema_match", "a"]]}, "the run has no row 99"),
        ({"places": [[-1, "schema_match", "a"]]}, "a place is a row, an evaluator and a path"),
        ({"places": [[2**70, "schema_match", "a"]]}, "Python int too large to convert to SQLite INTEGER"),
        ({"places": [[2, "nobody", "a"]]}, 'the run has no evaluator "nobody"'),
        ({"answer": {"score": 1.5}}, "the score of an answer is a number from 0 to 1"),
        ({"answer": {"score": 1, "ratio": [3, 2]}}, '"ratio" of an answer is a fraction from 0 to 1'),
        ({"answer": {"error": {"code": "x", "blame": "nobody", "message": "y"}}}, "an error has a code, a blame"),
    ],
)
def test_an_answer_of_a_run_folder_is_checked(run: Path, line: dict[str, Any], said: str) -> None:
    usual = {"places": [], "question": {"expected": "a", "actual": "b"}, "answer": {"score": 1.0}}
    for one in (usual, {**usual, **line}):
        change(run / RUN_DB, "insert into answers values (0, 0, ?)", json.dumps(one))
    with pytest.raises(Problems) as found:
        list(Run(run).answers())
    assert said in str(found.value)
    assert "run.db" in str(found.value)


def no_sqlite(file: Path) -> None:
    file.write_text("id,output\n" * 50)


def no_run(file: Path) -> None:
    file.unlink()
    change(file, "create table rows0 (row integer primary key)")


def in_wal(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute("pragma journal_mode = wal")


def with_mistyped_cells(file: Path) -> None:
    """A text where the table, which says that it is strict, takes numbers only."""
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        ((text,),) = db.execute("select sql from sqlite_schema where name = 'rows0'").fetchall()
        for said in (text.removesuffix(" strict"), text):
            db.execute("pragma writable_schema = on")
            db.execute("update sqlite_schema set sql = ? where name = 'rows0'", (said,))
            db.execute("pragma writable_schema = reset")
            if said != text:
                db.execute("update rows0 set given = 'x' where row = 3")


HOSTILE: dict[str, tuple[Callable[[Path], Any], str]] = {
    "nothing": (lambda file: file.unlink(), "there is no run.db"),
    "an empty file": (lambda file: file.write_bytes(b""), "it is empty"),
    "a text": (no_sqlite, "it is no SQLite file"),
    "cut off in its header": (lambda file: file.write_bytes(file.read_bytes()[:50]), "it is no SQLite file"),
    "cut off": (lambda file: os.truncate(file, file.stat().st_size // 2), "this run folder is damaged"),
    "another program's": (no_run, "it is an SQLite file of another program"),
    "a write-ahead log": (in_wal, "it is an SQLite file of another program"),
    "a view": (partial(change, text="create view cells2 as select * from cells"), "it has a view cells2, which no run makes"),
    "a trigger": (
        partial(change, text="create trigger t after insert on cells begin delete from cells; end"), "it has a trigger t",
    ),
    "an index": (partial(change, text="create index i on cells (row)"), "it has a index i"),
    "another table": (partial(change, text="create table more (a text) strict"), "it has a table more, which no run makes"),
    "another column": (partial(change, text="alter table rows0 add column more text"), "its table rows0 has other columns"),
    "a column less": (partial(change, text="alter table outcomes drop column kept"), "its table outcomes has other columns"),
    "a table less": (partial(change, text="drop table pairs"), "it has no table pairs"),
    "a name of a table": (partial(change, text='create table "a b; c" (a text) strict'), "a name that no run gives"),
    "cells of another type": (with_mistyped_cells, "SQLite finds it damaged: non-INTEGER value in rows0.given"),
    "an older version": (partial(change, text="pragma user_version = 0"), "written in format 0, and this version reads format 1"),
    "a newer version": (partial(change, text="pragma user_version = 9"), "written in format 9, and this version reads format 1"),
    "a code without a verdict": (partial(change, text="update rows0 set code0 = 99 where row = 3"), "has no 99 for it"),
    "a code below zero": (partial(change, text="update rows0 set code0 = -1 where row = 3"), "has no -1 for it"),
    "a row less": (partial(change, text="delete from rows0 where row = 3"), "the run has 12 rows; found 11"),
    "a verdict less": (partial(change, text="delete from verdicts where code = 0"), '"code" should be 0; found 1'),
    "an outcome less": (partial(change, text="delete from outcomes where rowid = 1"), "lines; found"),
    "an outcome of nobody": (
        partial(change, text="update outcomes set evaluator = 7 where rowid = 1"), "the run has no evaluator 7",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_rows_that_no_run_has_written_are_refused_in_a_sentence(run: Path, what: str) -> None:
    spoil, said = HOSTILE[what]
    spoil(run / RUN_DB)
    done = cli("report", str(run), "-o", str(run.parent / "rows.jsonl"))
    assert done.exit_code == 2, done.output
    assert said in done.stderr
    assert "hint: " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_view_is_no_table_of_answers(run: Path) -> None:
    endless = (
        "with recursive n (line) as (select '' union all select line || 'x' from n) select 0 as variant, line from n"
    )
    change(run / RUN_DB, "drop table answers")
    change(run / RUN_DB, f"create view answers as {endless}")
    suite = {
        "judge": {"recorded": {"run": str(run)}},
        "evaluators": [{"json_multi_field_match": {"fields": {"city": "semantic"}}}],
    }
    issue = problem_of(lambda: load(suite).run(run.parent.parent / "rows.csv"))
    assert "the answers cannot be read: there is no table of them" in str(issue)


@pytest.mark.parametrize("what", ["a pipe", "a folder", "a device"])
def test_what_is_no_file_is_no_run_db(run: Path, what: str) -> None:
    (run / RUN_DB).unlink()
    {"a pipe": pipe, "a folder": directory, "a device": device}[what](run / RUN_DB)
    done = report(run)
    assert done.exit_code == 2
    assert "it is a link, or no file at all" in done.stderr


def test_a_suite_that_extends_an_absolute_path_is_copied_with_it_and_tells_no_folder(tmp_path: Path) -> None:
    shared, here = tmp_path / "shared-by-all", tmp_path / "mine"
    (shared / "more").mkdir(parents=True)
    here.mkdir()
    (shared / "base.yaml").write_text("extends: more/far.yaml\n", encoding="utf-8")
    (shared / "more" / "far.yaml").write_text("results: {lowest_fields: 2}\n", encoding="utf-8")
    (shared / "schema.json").write_text('{"properties": {"a": {"type": "string"}}}', encoding="utf-8")
    (here / "suite.yaml").write_text(
        f"extends: {shared}/base.yaml\nevaluators: [{{schema_match: {{schema: {shared}/schema.json}}}}]\n",
        encoding="utf-8",
    )
    (here / "rows.csv").write_text('output,expected\n"{""a"": ""x""}","{""a"": ""y""}"\n', encoding="utf-8")
    load(here / "suite.yaml").run(here / "rows.csv", results=here / "runs", name="x")
    run = here / "runs" / "x"
    names = [path.relative_to(run).as_posix() for path in run.rglob("*")]
    assert not any("shared-by-all" in name for name in names)
    shutil.rmtree(shared)
    done = cli("advice", str(run))
    assert done.exit_code == 0, done.output
