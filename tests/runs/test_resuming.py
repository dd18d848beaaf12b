"""A run that is killed at any moment goes on, and its folder is the same as that of one that was never stopped: every file to the byte,
and every row of its tables."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evaluators.api.loading import load
from evaluators.model.issues import Problems
from evaluators.runs.folder_lock import FolderLock
from evaluators.runs.run_db import RUN_DB
from evaluators.runs.run_tables import FORMAT
from evaluators.testsets.readers import jsonl
from tests.cli.test_run import Ended, environment
from tests.kit import write_rows
from tests.scoring.judges.chat_server import chat_server
from tests.waiting import PATIENCE, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by a signal")

SUITE = """
name: cities
evaluators:
  - json_multi_field_match: {name: header, fields: {city: {compare: exact, confidence: zip}, zip: exact, "tags[*]": exact}}
  - contains_json
  - json_diff_match
  - correctness: {output: label, expected: kind}
slices: [row.group]
measures: {cost: row.cost}
repeats: {by: row.group, k: [1, 5]}
confidence: row.conf
gates: {header: {fail_below: 0.99}, json_diff_match: {metric: f1, fail_below: 0.5}}
results: {formats: [csv, markdown, html, junit, repeats, confidence]}
"""
ROWS = 400
SPLIT_BYTES = 9_000
ENVIRONMENT = "environment.json"


def rows(count: int = ROWS) -> Iterable[dict[str, Any]]:
    for number in range(count):
        random = Random(number)
        expected = {"city": f"c{number % 50}", "zip": str(number), "tags": ["a", "b"][: number % 3]}
        output: Any = dict(expected)
        kind = random.randrange(9)
        if kind == 1:
            output["city"] = "élsewhere"
        elif kind == 2:
            del output["zip"]
        elif kind == 3:
            output["more"] = {"x": [1, None]}
        text = "no idea" if kind == 4 else json.dumps(output, ensure_ascii=False)
        wanted = "not json" if kind == 5 else json.dumps(expected)
        yield {
            "id": f"r{number}", "output": text, "expected": wanted, "group": "abc"[number % 3], "cost": str(number / 7),
            "conf": number * number % 101 / 90,
            "label": "yes", "kind": "yes" if number % 5 else "no",
        }  # fmt: skip


def write_files(folder: Path, suite: str = SUITE, count: int = ROWS) -> Path:
    (folder / "suite.yaml").write_text(suite, encoding="utf-8")
    write_rows(folder / "rows.jsonl", rows(count))
    return folder


def start(folder: Path, *words: str, who: str = "files", last: int = 0, size: int = SPLIT_BYTES, **more: Any) -> Ended:
    """The command, ended at its last-th event; 0 lets it come to its end."""
    program = [sys.executable, "-B", "-m", "tests.runs.ended_run", str(size), who, str(last)]
    return subprocess.run(
        [*program, *words], cwd=folder, env=environment(), capture_output=True, text=True, encoding="utf-8", **more
    )  # fmt: skip


def run_words(name: str, *more: str) -> tuple[str, ...]:
    return "run", "suite.yaml", "rows.jsonl", "--quiet", "--name", name, *more


def counted(ended: Ended) -> int:
    found = re.search(r"counted (\d+)", ended.stderr)
    assert found, ended.stderr
    return int(found[1])


def contents(folder: Path) -> dict[str, Any]:
    """Every file of a run folder, the one apart that says when and where; of the database, the rows of its tables."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ENVIRONMENT]
    found: dict[str, Any] = {str(path.relative_to(folder)): path.read_bytes() for path in files if path.name != RUN_DB}
    return {**found, RUN_DB: tables(folder)}


def tables(folder: Path) -> dict[str, list[Any]]:
    """The rows of each table, but for the name that was asked for."""
    with closing(sqlite3.connect(f"file:{folder / RUN_DB}?mode=ro", uri=True)) as db:
        names = [name for (name,) in db.execute("select name from sqlite_schema where type = 'table'")]
        found = {name: db.execute(f"select * from {name}").fetchall() for name in names if name != "about"}
        about = db.execute("select name, value from about where name <> 'name' order by name").fetchall()
    return {**found, "about": about}


def edit_about(folder: Path, name: str, value: str) -> None:
    with closing(sqlite3.connect(folder / RUN_DB)) as db, db:
        assert db.execute("update about set value = ? where name = ?", (value, name)).rowcount == 1


def left(folder: Path) -> list[str]:
    """The runs in a folder that have no result."""
    return sorted(path.name for path in (folder / "runs").iterdir() if not (path / "run.json").exists())


def splits(folder: Path) -> int:
    """How many splits a run has; none before its tables are there."""
    try:
        with closing(sqlite3.connect(f"file:{folder / RUN_DB}?mode=ro", uri=True)) as db:
            return int(db.execute("select count(*) from splits where finished").fetchone()[0])
    except sqlite3.Error:
        return 0


def resume_until_the_end(folder: Path, name: str, lasts: Iterable[int], *words: str, who: str = "files") -> Ended:
    """Begins a run and goes on with it each time it is killed."""
    for last in lasts:
        ended = start(folder, *run_words(name, "--resume", *words), who=who, last=last)
        if ended.returncode != -9:
            return ended
    return start(folder, *run_words(name, "--resume", *words), who=who)


class Whole:
    """A run that was never stopped, and how many events it had."""

    def __init__(self, folder: Path, suite: str = SUITE) -> None:
        self.folder = write_files(folder, suite)
        ended = start(self.folder, *run_words("whole"))
        assert ended.returncode == 1, ended.stderr
        self.events = {"files": counted(ended)}
        self.ended = ended
        self.files = contents(self.folder / "runs" / "whole")
        assert len(self.files) > 10
        start(self.folder, *run_words("calls"), who="calls")
        self.events["calls"] = counted(start(self.folder, *run_words("more"), who="calls"))

    def check(self, folder: Path, name: str, ended: Ended) -> None:
        assert ended.returncode == 1, ended.stderr
        assert ended.stdout == self.ended.stdout
        found = contents(folder / "runs" / name)
        assert sorted(found) == sorted(self.files)
        assert [file for file in found if found[file] != self.files[file]] == []
        assert left(folder) == []


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    return Whole(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def folder(whole: Whole, tmp_path: Path) -> Path:
    for name in ("suite.yaml", "rows.jsonl"):
        shutil.copy2(whole.folder / name, tmp_path / name)
    return tmp_path


def killed_anywhere(whole: Whole, folder: Path, seed: int, *words: str) -> None:
    """Kills a run at random moments, goes on until the end, and compares. Without further words it is scored by one process or two."""
    random = Random(seed)
    who = random.choice(("files", "calls"))
    words = words or ("--workers", str(random.choice((1, 1, 2))))
    lasts = [random.randint(1, whole.events[who]) for _ in range(random.randint(1, 3))]
    ended = resume_until_the_end(folder, "x", lasts, *words, who=who)
    whole.check(folder, "x", ended)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_run_that_is_killed_at_any_moment_goes_on(whole: Whole, folder: Path, seed: int) -> None:
    killed_anywhere(whole, folder, seed)


def test_a_run_that_is_killed_goes_on_with_its_finished_splits(whole: Whole, folder: Path) -> None:
    """The splits that were finished are not scored again: their rows stay as they are."""
    place = folder / "runs" / "x"
    assert start(folder, *run_words("x"), last=4, who="splits").returncode == -9
    assert (left(folder), splits(place)) == (["x"], 4)
    assert start(folder, *run_words("x", "--resume"), last=3, who="splits").returncode == -9
    assert splits(place) == 7
    whole.check(folder, "x", start(folder, *run_words("x", "--resume", "--workers", "2")))
    assert ENVIRONMENT in os.listdir(place)
    assert "lock" not in os.listdir(place)


def test_a_run_that_is_killed_after_its_last_file_has_no_lock_once_it_is_gone_on_with(whole: Whole, folder: Path) -> None:
    start(folder, *run_words("x"))
    (folder / "runs" / "x" / "lock").touch()
    whole.check(folder, "x", start(folder, *run_words("x", "--resume")))


@pytest.mark.slow
def test_the_end_says_how_much_was_scored_before(whole: Whole, folder: Path) -> None:
    start(folder, *run_words("x"), last=4, who="splits")
    ended = start(folder, "run", "suite.yaml", "rows.jsonl", "--name", "x", "--resume")
    assert re.search(r"[0-9]+ of [0-9]+ splits were scored before", ended.stderr), ended.stderr
    again = start(folder, "run", "suite.yaml", "rows.jsonl", "--name", "x", "--resume", "-o", "page.html")
    assert "runs/x: this run was finished before, and nothing was scored" in again.stderr
    assert (folder / "page.html").exists()
    assert (again.returncode, again.stdout.splitlines()[:8]) == (ended.returncode, ended.stdout.splitlines()[:8])


@pytest.mark.slow
@pytest.mark.parametrize("last", [2, 5])
def test_a_worker_that_is_killed_costs_its_split_again(whole: Whole, folder: Path, last: int) -> None:
    ended = start(folder, *run_words("x", "--workers", "2"), who="one-worker", last=last)
    assert (folder / "a worker was ended").exists()
    whole.check(folder, "x", ended)


@pytest.mark.slow
def test_workers_that_are_always_killed_leave_a_shorter_run_that_goes_on(whole: Whole, folder: Path) -> None:
    ended = start(folder, *run_words("x", "--workers", "2"), who="workers", last=1)
    assert ended.returncode == 3, ended.stderr
    assert "ended without a result" in ended.stdout
    found = json.loads((folder / "runs" / "x" / "run.json").read_text())
    assert not found["complete"]
    assert {gate["verdict"] for gate in found["gates"]} == {"undecided"}
    whole.check(folder, "x", start(folder, *run_words("x", "--resume")))


def limit(most: int) -> Callable[[], None]:
    import resource

    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_whose_disk_was_full_goes_on(whole: Whole, folder: Path, workers: str) -> None:
    random = Random(workers)
    largest = (whole.folder / "runs" / "whole" / RUN_DB).stat().st_size
    for most in sorted(random.randint(2_000, largest - 1) for _ in range(3)):
        words = run_words("x", "--resume", "--workers", workers)
        ended = start(folder, *words, preexec_fn=limit(most))
        assert ended.returncode in (1, 2, 3), ended.stderr
        assert "Traceback" not in ended.stderr
        assert "bug" not in ended.stderr
    whole.check(folder, "x", start(folder, *run_words("x", "--resume")))


@pytest.mark.parametrize("stored", ["one", "all"])
def test_a_disk_that_takes_nothing_costs_no_split_of_a_run_that_goes_on(whole: Whole, folder: Path, stored: str) -> None:
    last = 1 if stored == "one" else splits(whole.folder / "runs" / "whole")
    assert start(folder, *run_words("x"), last=last, who="splits").returncode == -9
    ended = start(folder, *run_words("x", "--resume"), preexec_fn=limit(0))
    assert ended.returncode == (3 if stored == "one" else 1), ended.stderr  # all rows are scored, and a gate fails
    assert "runs/x: the run folder cannot be written: file too large" in ended.stderr + ended.stdout
    assert "no rows" not in ended.stdout
    assert "nothing else of the run is kept" not in ended.stderr + ended.stdout
    assert splits(folder / "runs" / "x") == last
    whole.check(folder, "x", start(folder, *run_words("x", "--resume")))


@pytest.mark.slow
def test_ctrl_c_leaves_a_shorter_run_that_goes_on(whole: Whole, folder: Path) -> None:
    words = [sys.executable, "-B", "-m", "tests.runs.ended_run", str(SPLIT_BYTES), "files", "0", *run_words("x")]
    process = subprocess.Popen(
        words, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until(lambda: splits(folder / "runs" / "x") > 1, process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    if process.returncode == 130:
        found = json.loads((folder / "runs" / "x" / "run.json").read_text())
        assert not found["complete"]
        assert 0 < found["rows"] < ROWS
        assert "Stopping after the rows that are under way" in err
    whole.check(folder, "x", start(folder, *run_words("x", "--resume")))


@pytest.fixture
def killed(whole: Whole, folder: Path) -> Path:
    """A folder with a run x that was killed in the middle."""
    assert start(folder, *run_words("x"), last=4, who="splits").returncode == -9
    return folder


CHANGES: dict[str, tuple[Callable[[Path], object], tuple[str, ...], str]] = {
    "a setting": (lambda folder: edit(folder / "suite.yaml", "{compare: exact", "{compare: normalized"), (), "the suite"),
    "a slice": (
        lambda folder: edit(folder / "suite.yaml", "slices: [row.group]", "slices: [row.kind]"), (), "the suite",
    ),
    "a measure": (
        lambda folder: edit(folder / "suite.yaml", "measures: {cost: row.cost}", "measures: {price: row.cost}"), (), "the suite",
    ),
    "what a gate asks for": (
        lambda folder: edit(folder / "suite.yaml", "gates: {", "gates: {header.city: {metric: recall, fail_below: 0.2}, "),
        (), "the suite",
    ),
    "the data": (lambda folder: edit(folder / "rows.jsonl", "c7", "c8"), (), "the data"),
    "a column": (lambda folder: None, ("--columns", "output=expected"), "the options"),
    "the rows": (lambda folder: None, ("--limit", "30"), "the options"),
    "what is kept": (lambda folder: None, ("--evidence", "3"), "the options"),
    "a version": (lambda folder: edit_about(folder / "runs" / "x", "the program", "an older one"), (), "the program"),
}  # fmt: skip


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("what", CHANGES)
def test_another_run_is_refused_and_what_differs_is_said(killed: Path, what: str) -> None:
    change, words, said = CHANGES[what]
    change(killed)
    before = contents(killed / "runs" / "x")
    ended = start(killed, *run_words("x", "--resume", *words))
    assert ended.returncode == 4, ended.stderr
    assert re.findall("not the same as when it began: (.*)", ended.stderr) == [said]
    assert contents(killed / "runs" / "x") == before


@pytest.mark.slow
@pytest.mark.parametrize("what", ["a setting", "the data", "a column", "the rows"])
def test_a_finished_run_of_other_settings_is_not_given_back(whole: Whole, folder: Path, what: str) -> None:
    shutil.copytree(whole.folder / "runs" / "whole", folder / "runs" / "x")
    change, words, _ = CHANGES[what]
    change(folder)
    ended = start(folder, *run_words("x", "--resume", *words))
    assert ended.returncode == 4, ended.stderr
    assert contents(folder / "runs" / "x") == whole.files


HARMLESS = {
    "name: cities": "name: cities\ndescription: of the world",
    "fail_below: 0.99": "fail_below: 0.98",
    "gates: {": "gates: {contains_json: {fail_below: 0.1}, ",
    "results: {": "results: {lowest_fields: 2, ",
    "junit, repeats": "json, repeats",
    "slices:": "# a word\nslices:",
}


@pytest.mark.slow
def test_a_run_goes_on_after_changes_that_decide_no_answer(killed: Path) -> None:
    for old, new in HARMLESS.items():
        edit(killed / "suite.yaml", old, new)
    ended = start(killed, *run_words("x", "--resume"))
    assert ended.returncode == 1, ended.stderr
    fresh = start(killed, *run_words("fresh"))
    assert fresh.stdout == ended.stdout
    assert contents(killed / "runs" / "x") == contents(killed / "runs" / "fresh")


PROGRAM = """
import os, sys, evaluators
from evaluators.testsets.readers import jsonl
jsonl.SPLIT_BYTES = 3000

# a word
def near(expected, actual, params):
    return str(expected).lower() == str(actual).lower()

evaluators.register("near", near)
done = 0
def progress(rows, share):
    global done
    done += rows
    if done > 200 and not sys.argv[1:]:
        os._exit(0)
suite = evaluators.load({"evaluators": [{"json_multi_field_match": {"name": "h", "fields": {"city": "near"}}}]})
try:
    suite.run("rows.jsonl", results="runs", name="x", resume=bool(sys.argv[1:]), progress=progress)
except evaluators.Problems as error:
    sys.exit(str(error))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new", "refused"), [("# a word", "# another\n", False), (".lower()", ".upper()", True)])
def test_the_body_of_a_comparator_of_a_program_decides(folder: Path, old: str, new: str, refused: bool) -> None:
    file = folder / "program.py"
    file.write_text(PROGRAM)
    words = [sys.executable, str(file)]
    first = subprocess.run(words, cwd=folder, env=environment(), capture_output=True, text=True)
    assert first.returncode == 0, first.stderr
    assert left(folder) == ["x"]
    file.write_text(PROGRAM.replace(old, new))
    again = subprocess.run([*words, "go on"], cwd=folder, env=environment(), capture_output=True, text=True)
    assert ("not the same as when it began: the program" in again.stderr, again.returncode != 0) == (refused, refused), (
        again.stderr
    )


@pytest.mark.slow
def test_data_that_was_only_touched_is_the_same(whole: Whole, killed: Path) -> None:
    (killed / "rows.jsonl").rename(killed / "moved.jsonl")
    shutil.copy(killed / "moved.jsonl", killed / "rows.jsonl")
    os.utime(killed / "rows.jsonl", ns=(1, 1))
    assert start(killed, *run_words("x", "--resume"), last=2, who="splits").returncode == -9
    whole.check(killed, "x", start(killed, *run_words("x", "--resume")))


@pytest.mark.slow
def test_a_run_that_goes_on_elsewhere_is_left_alone(killed: Path) -> None:
    import fcntl

    with open(killed / "runs" / "x" / "lock", "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ended = start(killed, *run_words("x", "--resume"))
        assert ended.returncode == 3
        assert "this run is still going: another process works in its folder" in ended.stderr
        listed = start(killed, "runs", "--format", "json")
        assert [run["state"] for run in json.loads(listed.stdout)] == ["going"]
        cleaned = start(killed, "runs", "--clean", "--yes")
        assert cleaned.stdout == "Every run is finished or still going. Nothing is removed.\n"
        assert left(killed) == ["x"]


@pytest.mark.slow
def test_runs_are_listed_and_only_unfinished_ones_removed(whole: Whole, killed: Path) -> None:
    shutil.copytree(whole.folder / "runs" / "whole", killed / "runs" / "done")
    (killed / "runs" / "someones").mkdir()
    (killed / "runs" / "notes").write_text("mine")
    listed = {run["name"]: run for run in json.loads(start(killed, "runs", "--format", "json").stdout)}
    assert {name: run["state"] for name, run in listed.items()} == {"done": "finished", "x": "unfinished"}
    assert 0 < listed["x"]["parts"]["finished"] < listed["x"]["parts"]["all"]
    assert (listed["x"]["suite"], listed["x"]["test_set"], listed["x"]["started"][:2]) == (
        "suite.yaml",
        "rows.jsonl",
        "20",
    )
    shown = start(killed, "runs").stdout
    assert f"unfinished: {listed['x']['parts']['finished']} of {listed['x']['parts']['all']} parts are scored" in shown
    asked = start(killed, "runs", "--clean", stdin=subprocess.DEVNULL)
    assert asked.returncode == 2
    assert "nobody is there to say yes, so nothing is removed" in asked.stderr
    (killed / "runs" / "x" / "notes.txt").write_text("mine")
    cleaned = start(killed, "runs", "--clean", "--yes")
    stays = "what else was in the folder stays: notes.txt"
    assert (cleaned.returncode, cleaned.stdout) == (0, f"removed {listed['x']['place']}; {stays}\n")
    assert os.listdir(killed / "runs" / "x") == ["notes.txt"]
    assert sorted(os.listdir(killed / "runs")) == ["done", "notes", "someones", "x"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--resume", "whole"), 2, 'did you mean "x"?'),
        (("--name", "y", "--resume", "x"), 2, 'the run to go on with is called "x", and keeps its name'),
        (("--resume",), 2, "--resume needs a run"),
        (("--name", "x", "--force", "--resume"), 2, "a run is either gone on with or replaced"),
        (("--no-results", "--name", "x", "--resume"), 2, "only a run that is kept in a folder can be gone on with"),
        (("--results", "s3://bucket/runs", "--name", "x", "--resume"), 2, "results go to a store cannot be gone on with"),
        (("--resume=suite.yaml",), 2, "write it at the end of the command, or --resume=RUN"),
        (("--name", "../x", "--resume"), 2, "cannot be the name of a run"),
    ],
)
def test_a_run_that_is_not_there_or_not_clear_is_said(killed: Path, words: tuple[str, ...], code: int, said: str) -> None:
    if said.startswith("did you"):
        words = ("--resume", "xx")
    ended = start(killed, "run", "suite.yaml", "rows.jsonl", *words)
    assert ended.returncode == code, ended.stderr
    assert said in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("named", ["x", "runs/x"])
def test_a_run_is_named_in_two_ways(whole: Whole, killed: Path, named: str) -> None:
    whole.check(killed, "x", start(killed, "run", "suite.yaml", "rows.jsonl", "--quiet", "--resume", named))


@pytest.mark.slow
def test_a_run_that_was_claimed_and_not_begun_begins(whole: Whole, folder: Path) -> None:
    (folder / "runs" / "x").mkdir(parents=True)
    (folder / "runs" / "x" / RUN_DB).touch()
    assert "unfinished: 0 parts are scored" in start(folder, "runs").stdout
    whole.check(folder, "x", start(folder, *run_words("x", "--resume")))


def files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def overwrite(file: Path, at: int, data: bytes) -> None:
    with open(file, "r+b") as stream:
        stream.seek(at)
        stream.write(data)


@pytest.fixture
def finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a finished run x of three rows."""
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "rows.jsonl", ({"output": "x", "expected": "x"} for _ in range(3)))
    load(SMALL).run("rows.jsonl", results="runs", name="x")
    return tmp_path / "runs" / "x"


SMALL: dict[str, Any] = {"evaluators": ["exact_match"]}


def test_a_run_that_another_process_comes_to_the_end_of_stays_finished(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files(finished)
    (finished / "run.json").rename(finished / "later")
    lock = FolderLock(finished)
    assert lock.take() == "mine"

    def ends(_: float) -> None:
        (finished / "later").rename(finished / "run.json")
        lock.release(ended=True)

    monkeypatch.setattr(time, "sleep", ends)
    assert load(SMALL).run("rows.jsonl", results="runs", resume="x").result.rows == 3
    assert files(finished) == before


@pytest.mark.slow
def test_a_stopped_run_that_goes_on_has_no_file_of_the_time_before(whole: Whole, folder: Path) -> None:
    """The first settings ask for more files, and rows.csv is one of a run with few rows alone."""
    place, mine = folder / "runs" / "x", ("notes.txt", "rows.mine.csv", "fields.csv.old")
    more = "html, rows, codes, outcomes, cells,"
    edit(folder / "suite.yaml", "html,", more)
    write_rows(folder / "rows.jsonl", rows(1_500))
    words = run_words("x", "--workers", "2")
    assert start(folder, *words, who="workers", last=1, size=100_000).returncode == 3
    before = {path.name for path in place.iterdir()}
    assert {"rows.csv", "rows.jsonl", "outcomes.jsonl", "report.html"} <= before
    for name in mine:
        (place / name).write_text("mine")
    edit(folder / "suite.yaml", more, "html,")
    edit(folder / "suite.yaml", "formats: [csv, ", "formats: [")
    assert start(folder, *run_words("x", "--resume"), size=100_000).returncode == 1
    start(folder, *run_words("fresh"), size=100_000)
    fresh = contents(folder / "runs" / "fresh")
    assert "rows.csv" not in fresh
    assert sorted(contents(place)) == sorted([*fresh, *mine])


@pytest.mark.slow
def test_a_stopped_run_says_where_the_one_is_that_it_replaces(whole: Whole, folder: Path) -> None:
    shutil.copytree(whole.folder / "runs" / "whole", folder / "runs" / "x")
    words = ("run", "suite.yaml", "rows.jsonl", "--name", "x", "--workers", "2")
    ended = start(folder, *words, "--force", who="workers", last=1)
    assert ended.returncode == 3, ended.stderr
    assert "the run before is runs/.x.replaced until every row of this one is scored" in ended.stderr
    assert contents(folder / "runs" / ".x.replaced") == whole.files
    whole.check(folder, "x", start(folder, *run_words("x", "--resume")))
    assert not (folder / "runs" / ".x.replaced").exists()


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a text": (lambda file: file.write_text("rows\n" * 100), "it is no SQLite file"),
    "another program's": (lambda file: overwrite(file, 68, b"\0\0\0\0"), "it is an SQLite file of another program"),
    "a page": (lambda file: overwrite(file, 4096 * 12, b"\7" * 4096), "this run folder is damaged"),
    "cut off": (lambda file: os.truncate(file, file.stat().st_size // 2), "this run folder is damaged"),
    "a view": (lambda file: execute(file, "create view v as select 1"), "it has a view v, which no run makes"),
    "another version": (
        lambda file: execute(file, "pragma user_version = 0"), f"written in format 0, and this version reads format {FORMAT}",
    ),
    "a newer version": (
        lambda file: execute(file, "pragma user_version = 99"), f"written in format 99, and this version reads format {FORMAT}",
    ),
    "a split": (lambda file: execute(file, "delete from splits where split = 1"), "its split 2 does not follow the one before it"),
    "sums": (lambda file: execute(file, "update splits set sums = x'00'"), "the sums of a split cannot be read"),
    "cut sums": (
        lambda file: execute(file, "update splits set sums = substr(sums, 1, 50)"), "the sums of a split cannot be read",
    ),
    "rows": (lambda file: execute(file, "delete from rows0 where row > 100"), "this run folder is damaged"),
    "no rows": (lambda file: execute(file, "drop table rows0"), "this run folder is damaged"),
    "a code of a verdict": (
        lambda file: execute(file, "insert into verdicts values (0, 0, 999, '{}', '')"), "has the code 999, which is not the next",
    ),
    "a verdict": (lambda file: execute(file, "update verdicts set verdict = 'nojson' where code = 0"), "JSON is malformed"),
    "a code": (lambda file: execute(file, "update rows0 set code0 = 7000 where row = 5"), "in the column code0 of rows0"),
    "a row": (lambda file: execute(file, "delete from rows0 where row = 5"), " rows; found "),
}  # fmt: skip
WITHIN = {
    "a page",
    "a split",
    "sums",
    "cut sums",
    "rows",
    "no rows",
    "a code of a verdict",
    "a verdict",
    "a code",
    "a row",
}
"""Those that whoever lists runs does not look for."""


def execute(file: Path, text: str) -> None:
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(text)


@pytest.mark.parametrize(
    "damage", [damage if damage == "a verdict" else pytest.param(damage, marks=pytest.mark.slow) for damage in DAMAGES]
)
def test_what_is_damaged_is_said_and_not_gone_on_with(killed: Path, damage: str) -> None:
    spoil, said = DAMAGES[damage]
    file = killed / "runs" / "x" / RUN_DB
    (file.parent / f"{RUN_DB}-journal").unlink(missing_ok=True)
    spoil(file)
    before = file.read_bytes()
    ended = start(killed, *run_words("x", "--resume"))
    assert ended.returncode == 2, ended.stderr
    assert said in ended.stderr
    assert "hint: " in ended.stderr
    if damage != "no rows":  # the table is made, and then found to be empty
        assert file.read_bytes() == before
    listed = json.loads(start(killed, "runs", "--format", "json").stdout)
    assert [run["state"] for run in listed] == ["unfinished" if damage in WITHIN else "left behind"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [RUN_DB, f"{RUN_DB}-journal", "lock", "suite"])
def test_nothing_is_written_through_a_link_of_a_stranger(killed: Path, name: str) -> None:
    place, elsewhere = killed / "runs" / "x", killed / "elsewhere"
    elsewhere.mkdir()
    if (place / name).exists():
        (place / name).rename(elsewhere / name)
    else:
        (elsewhere / name).write_text("mine")
    (place / name).symlink_to(elsewhere / name)
    before = files(elsewhere)
    ended = start(killed, *run_words("x", "--resume"))
    assert ended.returncode in (2, 3), ended.stderr
    assert "nothing is written through links" in ended.stderr
    assert not (place / "run.json").exists()
    start(killed, "runs", "--clean", "--yes")
    assert files(elsewhere) == before


@pytest.mark.slow
def test_a_journal_that_names_another_file_is_refused(killed: Path) -> None:
    """SQLite removes the file that a journal names as the one that holds several of them together."""
    place, named = killed / "runs" / "x", killed / "precious"
    named.write_text("mine")
    text = str(named).encode()
    magic = bytes.fromhex("d9d505f920a163d7")
    end = len(text).to_bytes(4, "big") + sum(text).to_bytes(4, "big") + magic
    header = magic + bytes(4) + bytes(8) + (512).to_bytes(4, "big") + (4096).to_bytes(4, "big")
    (place / f"{RUN_DB}-journal").write_bytes(header.ljust(512, b"\0") + bytes(4) + text + end)
    ended = start(killed, *run_words("x", "--resume"))
    assert ended.returncode == 2, ended.stderr
    assert "it names another file" in ended.stderr
    assert named.exists()


VARIANTS = """
evaluators:
  - json_multi_field_match: {fields: {city: exact, zip: exact}}
test_set: {outputs: {one: {column: output}, two: {column: label}}}
"""


@pytest.mark.slow
def test_variants_go_on_where_they_were(folder: Path) -> None:
    (folder / "suite.yaml").write_text(VARIANTS)
    whole = start(folder, *run_words("whole"))
    assert whole.returncode in (0, 3), whole.stderr
    events = counted(whole)
    for number, share in enumerate((0.3, 0.6, 0.8)):
        ended = resume_until_the_end(folder, f"x{number}", [int(events * share)])
        assert ended.returncode == whole.returncode
        assert contents(folder / "runs" / f"x{number}") == contents(folder / "runs" / "whole")


@pytest.mark.slow
def test_a_program_goes_on_with_a_run(whole: Whole, killed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "SPLIT_BYTES", SPLIT_BYTES)
    monkeypatch.chdir(killed)
    suite = load("suite.yaml")
    result = suite.run("rows.jsonl", results="runs", name="x", resume=True)
    assert contents(killed / "runs" / "x") == whole.files
    assert suite.run("rows.jsonl", results="runs", resume="x") == result
    with pytest.raises(Problems, match="there is no such run"):
        suite.run("rows.jsonl", results="runs", resume="y")
    suite.run("rows.jsonl", results="runs", name="y", resume=True)
    assert contents(killed / "runs" / "y") == whole.files


JUDGED = """
judge: {openai_compatible: {model: test, base_url: "URL", cache: false}}
evaluators:
  - json_multi_field_match: {fields: {a: semantic}}
"""


@pytest.mark.slow
def test_answers_of_finished_splits_are_not_paid_for_again(folder: Path) -> None:
    pytest.importorskip("openai")
    with chat_server() as server:
        (folder / "suite.yaml").write_text(JUDGED.replace("URL", server.url))
        lines = ({"output": {"a": f"car {n}"}, "expected": {"a": f"coupe {n}"}, "more": "x" * 400} for n in range(60))
        write_rows(folder / "rows.jsonl", lines)
        whole = start(folder, *run_words("whole"))
        asked = len(server.questions)
        assert asked == 60, whole.stderr
        server.requests.clear()
        assert start(folder, *run_words("x", "--workers", "1"), who="splits", last=1).returncode == -9
        known = len(tables(folder / "runs" / "x")["answers"])
        assert 0 < known < 60
        server.requests.clear()
        ended = start(folder, *run_words("x", "--resume"))
        assert ended.returncode == whole.returncode, ended.stderr
        found, wanted = contents(folder / "runs" / "x"), contents(folder / "runs" / "whole")
        for one in (found, wanted):
            one[RUN_DB] = {
                name: rows for name, rows in one[RUN_DB].items() if name != "splits"
            }  # which say how long it took
        assert [file for file in wanted if file != "summary.txt" and found[file] != wanted[file]] == []
        assert len(server.questions) == asked - known
