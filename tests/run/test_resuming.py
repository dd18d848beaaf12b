"""A run that is killed at any moment goes on, and its folder is the same to the byte as one that was never stopped."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from evaluators.api.loading import load
from evaluators.issues import Problems
from evaluators.run.split_files import ANSWERS, CHECKPOINT, read_part
from evaluators.run.working_folder import FORMAT
from evaluators.testsets.readers import jsonl
from tests.cli.test_run import Ended, environment
from tests.judges.chat_server import chat_server
from tests.kit import write_rows
from tests.waiting import until

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
    program = [sys.executable, "-B", "-m", "tests.run.ended_run", str(size), who, str(last)]
    return subprocess.run(
        [*program, *words], cwd=folder, env=environment(), capture_output=True, text=True, encoding="utf-8", **more
    )  # fmt: skip


def run_words(name: str, *more: str) -> tuple[str, ...]:
    return "run", "suite.yaml", "rows.jsonl", "--quiet", "--name", name, *more


def counted(ended: Ended) -> int:
    found = re.search(r"counted (\d+)", ended.stderr)
    assert found, ended.stderr
    return int(found[1])


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a run folder, the one apart that says when and where."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ENVIRONMENT)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def left(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "runs").iterdir() if path.name.startswith("."))


def finished_files(place: Path) -> list[Path]:
    """The files of splits in a working folder that end in a checkpoint."""
    files = sorted(place.glob("parts/*.part"))
    return [path for path in files if [kind for kind, _ in read_part(str(path))][-1:] == [CHECKPOINT]]


def resume_until_the_end(folder: Path, name: str, lasts: Iterable[int], *words: str, who: str = "files") -> Ended:
    """Begins a run and goes on with it each time it is killed."""
    for last in lasts:
        ended = start(folder, *run_words(name, "--resume", *words), who=who, last=last)
        if ended.returncode != -9:
            return ended
    return start(folder, *run_words(name, "--resume", *words), who=who)


class Whole:
    """A run that was never stopped, and how many events it had."""

    def __init__(self, folder: Path) -> None:
        self.folder = write_files(folder)
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


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    return Whole(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def folder(whole: Whole, tmp_path: Path) -> Path:
    for name in ("suite.yaml", "rows.jsonl"):
        shutil.copy2(whole.folder / name, tmp_path / name)
    return tmp_path


def killed_anywhere(whole: Whole, folder: Path, seed: int) -> None:
    """Kills a run at random moments, goes on until the end, and compares."""
    random = Random(seed)
    who = random.choice(("files", "calls"))
    workers = str(random.choice((1, 1, 2)))
    lasts = [random.randint(1, whole.events[who]) for _ in range(random.randint(1, 3))]
    ended = resume_until_the_end(folder, "x", lasts, "--workers", workers, who=who)
    whole.check(folder, "x", ended)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_run_that_is_killed_at_any_moment_goes_on(whole: Whole, folder: Path, seed: int) -> None:
    killed_anywhere(whole, folder, seed)
    assert all((place / "run").exists() is False for place in left(folder))


def test_a_run_that_is_killed_goes_on_with_its_finished_splits(whole: Whole, folder: Path) -> None:
    """The splits that were finished are not scored again: they keep their files."""
    ended = start(folder, *run_words("x"), last=whole.events["files"] // 4)
    assert ended.returncode == -9
    (place,) = left(folder)
    finished = {path: path.stat().st_mtime_ns for path in finished_files(place)}
    assert len(finished) > 2
    said = json.loads((place / "unfinished.json").read_text())
    assert (said["name"], said["suite"], said["test_set"]) == ("x", "suite.yaml", "rows.jsonl")
    assert said["data_fingerprint"].startswith("sha256:")
    assert said["splits"][""]["splits"] > len(finished) >= said["splits"][""]["finished"] > 1
    again = start(folder, *run_words("x", "--resume"), last=whole.events["files"] // 6)
    assert again.returncode == -9
    assert finished.items() <= {path: path.stat().st_mtime_ns for path in finished_files(place)}.items()
    whole.check(folder, "x", start(folder, *run_words("x", "--resume", "--workers", "2")))
    assert left(folder) == []
    assert "environment.json" in os.listdir(folder / "runs" / "x")


@pytest.mark.slow
def test_the_end_says_how_much_was_scored_before(whole: Whole, folder: Path) -> None:
    start(folder, *run_words("x"), last=whole.events["files"] // 4)
    ended = start(folder, "run", "suite.yaml", "rows.jsonl", "--name", "x", "--resume")
    assert re.search(r"[0-9]+ of [0-9]+ parts were scored before", ended.stderr), ended.stderr
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
    assert left(folder) == []


@pytest.mark.slow
def test_workers_that_are_always_killed_leave_a_shorter_run_that_goes_on(whole: Whole, folder: Path) -> None:
    ended = start(folder, *run_words("x", "--workers", "2"), who="000005", last=1)
    assert ended.returncode == 3, ended.stderr
    assert "a worker process ended twice without a result" in ended.stdout
    found = json.loads((folder / "runs" / "x" / "run.json").read_text())
    assert not found["complete"]
    assert {gate["verdict"] for gate in found["gates"]} == {"undecided"}
    assert len(left(folder)) == 1
    whole.check(folder, "x", start(folder, *run_words("x", "--resume")))
    assert left(folder) == []


def limit(most: int) -> Callable[[], None]:
    import resource

    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_whose_disk_was_full_goes_on(whole: Whole, folder: Path, workers: str) -> None:
    random = Random(workers)
    largest = max(map(len, whole.files.values()))
    for most in sorted(random.randint(2_000, largest - 1) for _ in range(3)):
        words = run_words("x", "--resume", "--workers", workers)
        ended = start(folder, *words, preexec_fn=limit(most))
        assert ended.returncode in (1, 2, 3), ended.stderr
        assert "Traceback" not in ended.stderr
        assert "bug" not in ended.stderr
    whole.check(folder, "x", start(folder, *run_words("x", "--resume")))


@pytest.mark.slow
def test_ctrl_c_leaves_a_shorter_run_that_goes_on(whole: Whole, folder: Path) -> None:
    words = [sys.executable, "-B", "-m", "tests.run.ended_run", str(SPLIT_BYTES), "files", "0", *run_words("x")]
    process = subprocess.Popen(
        words, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until(lambda: [file for place in folder.glob("runs/.x.*") for file in finished_files(place)], process)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    if process.returncode == 130:
        found = json.loads((folder / "runs" / "x" / "run.json").read_text())
        assert not found["complete"]
        assert 0 < found["rows"] < ROWS
        assert len(left(folder)) == 1, err
    whole.check(folder, "x", start(folder, *run_words("x", "--resume")))
    assert left(folder) == []


@pytest.fixture
def killed(whole: Whole, folder: Path) -> Path:
    """A folder with a run x that was killed in the middle."""
    assert start(folder, *run_words("x"), last=whole.events["files"] // 4).returncode == -9
    return folder


CHANGES: dict[str, tuple[Callable[[Path], object], tuple[str, ...], str]] = {
    "a setting": (
        lambda folder: edit(folder / "suite.yaml", "{compare: exact", "{compare: normalized"),
        (), 'the evaluator "header" has other settings: fields → city',
    ),
    "a slice": (
        lambda folder: edit(folder / "suite.yaml", "slices: [row.group]", "slices: [row.kind]"),
        (), "the suite is not the same: its text, or a variable that it names, was changed",
    ),
    "a measure": (
        lambda folder: edit(folder / "suite.yaml", "measures: {cost: row.cost}", "measures: {price: row.cost}"),
        (), "the suite is not the same",
    ),
    "the data": (
        lambda folder: edit(folder / "rows.jsonl", "c7", "c8"), (), "the data is not the same: it has another fingerprint",
    ),
    "a column": (
        lambda folder: None, ("--columns", "output=expected"), 'the column of the role output was "output", and is "expected" now',
    ),
    "the rows": (
        lambda folder: None, ("--limit", "30"),
        "the rows that are scored: was all of them, and is selected: at most 30 rows now",
    ),
    "what is kept": (lambda folder: None, ("--evidence", "3"), "the rows that are recorded for each field: was 200, and is 3 now"),
    "a version": (
        lambda folder: edit(left(folder)[0] / "unfinished.json", '"python": "', '"python": "0.'), (), "python was 0.",
    ),
}  # fmt: skip


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("what", CHANGES)
def test_another_run_is_refused_and_what_differs_is_said(killed: Path, what: str) -> None:
    change, words, said = CHANGES[what]
    before = contents(left(killed)[0])
    change(killed)
    ended = start(killed, *run_words("x", "--resume", *words))
    assert ended.returncode == 4, ended.stderr
    assert said in ended.stderr
    if what != "a version":
        assert contents(left(killed)[0]) == before


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
    "gates: {": "gates: {contains_json: {fail_below: 0.1}, header.city: {metric: recall, fail_below: 0.2}, ",
    "results: {": "results: {lowest_fields: 2, ",
    "junit, repeats": "json, repeats",
    "slices:": "# a word\nslices:",
}


@pytest.mark.slow
def test_a_run_goes_on_after_changes_that_decide_no_answer(killed: Path) -> None:
    python = f'"python": "{sys.version_info[0]}.{sys.version_info[1]}'
    edit(left(killed)[0] / "unfinished.json", python, f"{python}.99")
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
    assert len(left(folder)) == 1
    file.write_text(PROGRAM.replace(old, new))
    again = subprocess.run([*words, "go on"], cwd=folder, env=environment(), capture_output=True, text=True)
    assert ("the code of near was changed" in again.stderr, again.returncode != 0) == (refused, refused), again.stderr


@pytest.mark.slow
def test_data_that_was_only_touched_is_the_same(whole: Whole, killed: Path) -> None:
    (killed / "rows.jsonl").rename(killed / "moved.jsonl")
    shutil.copy(killed / "moved.jsonl", killed / "rows.jsonl")
    os.utime(killed / "rows.jsonl", ns=(1, 1))
    assert start(killed, *run_words("x", "--resume"), last=whole.events["files"] // 3).returncode == -9
    whole.check(killed, "x", start(killed, *run_words("x", "--resume")))


@pytest.mark.slow
def test_data_whose_fingerprint_was_not_known_must_not_even_be_touched(whole: Whole, killed: Path) -> None:
    file = left(killed)[0] / "unfinished.json"
    body = json.loads(file.read_text())
    file.write_text(json.dumps(body | {"data_fingerprint": None}))
    os.utime(killed / "rows.jsonl", ns=(1, 1))
    ended = start(killed, *run_words("x", "--resume"))
    assert ended.returncode == 4
    assert "the run was ended before their fingerprint was known" in ended.stderr


@pytest.mark.slow
def test_a_run_that_goes_on_elsewhere_is_left_alone(killed: Path) -> None:
    import fcntl

    with open(left(killed)[0] / "lock", "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ended = start(killed, *run_words("x", "--resume"))
        assert ended.returncode == 3
        assert "this run is still going: another process works in its folder" in ended.stderr
        listed = start(killed, "runs", "--format", "json")
        assert [run["state"] for run in json.loads(listed.stdout)] == ["going"]
        cleaned = start(killed, "runs", "--clean", "--yes")
        assert cleaned.stdout == "Every run is finished or still going. Nothing is removed.\n"
        assert len(left(killed)) == 1


@pytest.mark.slow
def test_runs_are_listed_and_only_unfinished_ones_removed(whole: Whole, killed: Path) -> None:
    shutil.copytree(whole.folder / "runs" / "whole", killed / "runs" / "done")
    (killed / "runs" / ".someones.folder").mkdir()
    (killed / "runs" / "notes.partial").write_text("mine")
    listed = {run["name"]: run for run in json.loads(start(killed, "runs", "--format", "json").stdout)}
    assert {name: run["state"] for name, run in listed.items()} == {"done": "finished", "x": "unfinished"}
    assert 0 < listed["x"]["parts"]["finished"] < listed["x"]["parts"]["all"]
    shown = start(killed, "runs").stdout
    assert f"unfinished: {listed['x']['parts']['finished']} of {listed['x']['parts']['all']} parts are scored" in shown
    asked = start(killed, "runs", "--clean", stdin=subprocess.DEVNULL)
    assert asked.returncode == 2
    assert "nobody is there to say yes, so nothing is removed" in asked.stderr
    assert len(left(killed)) == 2
    cleaned = start(killed, "runs", "--clean", "--yes")
    assert (cleaned.returncode, cleaned.stdout) == (0, f"removed {listed['x']['place']}\n")
    assert sorted(os.listdir(killed / "runs")) == [".someones.folder", "done", "notes.partial"]


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
@pytest.mark.parametrize("named", ["name", "path", "working folder"])
def test_a_run_is_named_in_three_ways(whole: Whole, killed: Path, named: str) -> None:
    given = {"name": "x", "path": "runs/x", "working folder": str(left(killed)[0].relative_to(killed))}
    words = ("run", "suite.yaml", "rows.jsonl", "--quiet", "--resume", given[named])
    whole.check(killed, "x", start(killed, *words))


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["", "{}", "[" * 10_000])
def test_a_folder_that_does_not_say_what_it_holds_is_not_gone_on_with(whole: Whole, killed: Path, damage: str) -> None:
    (left(killed)[0] / "unfinished.json").write_text(damage)
    listed = json.loads(start(killed, "runs", "--format", "json").stdout)
    assert [run["state"] for run in listed] == ["left behind"]
    whole.check(killed, "x", start(killed, *run_words("x", "--resume")))
    assert len(left(killed)) == 1


@pytest.mark.slow
def test_parts_that_a_stranger_wrote_are_a_problem_and_no_bug(killed: Path) -> None:
    """Their sizes and checksums are right, and what they hold is not."""
    from zlib import crc32

    file = finished_files(left(killed)[0])[0]
    key, _, blob = file.read_bytes().splitlines()[-1].split(b" ", 2)
    data = b'R[[0],["a"],[1],[],[],[[9999],[9999],[9999],[9999]],[[],[],[],[]]]\n'
    file.write_bytes(b"%b%b %08x %b\n" % (data, key, crc32(data), blob))
    ended = start(killed, *run_words("x", "--resume"))
    assert ended.returncode == 2, ended.stderr
    assert "the working folder is damaged" in ended.stderr


def test_what_another_version_left_is_refused_with_the_command_that_makes_it_again(killed: Path) -> None:
    file = left(killed)[0] / "unfinished.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "format": 1}))
    ended = start(killed, *run_words("x", "--resume"))
    assert ended.returncode == 2, ended.stderr
    assert f"what is kept of this run was written in format 1, and this version reads format {FORMAT}" in ended.stderr
    assert "score it again: `evaluators run suite.yaml --name x`" in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["parts", "run", "lock", "unfinished.json"])
def test_nothing_is_written_through_a_link_of_a_stranger(killed: Path, name: str) -> None:
    place, elsewhere = left(killed)[0], killed / "elsewhere"
    elsewhere.mkdir()
    moved = (place / name).rename(elsewhere / name)
    (place / name).symlink_to(moved)
    before = contents(elsewhere)
    ended = start(killed, *run_words("x", "--resume"))
    if name == "unfinished.json":  # it is not read, so there is no run to go on with
        assert ended.returncode == 1
    else:
        assert ended.returncode in (2, 3), ended.stderr
        assert not (killed / "runs" / "x").exists()
    assert contents(elsewhere) == before
    start(killed, "runs", "--clean", "--yes")
    assert contents(elsewhere) == before


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
        assert start(folder, *run_words("x", "--workers", "1"), last=counted(whole) // 5).returncode == -9
        (place,) = left(folder)
        known = sum(kind == ANSWERS for part in finished_files(place) for kind, _ in read_part(str(part)))
        assert 0 < known < 60
        server.requests.clear()
        ended = start(folder, *run_words("x", "--resume"))
        assert ended.returncode == whole.returncode, ended.stderr
        found, wanted = contents(folder / "runs" / "x"), contents(folder / "runs" / "whole")
        assert [file for file in wanted if file != "summary.txt" and found[file] != wanted[file]] == []
        assert len(server.questions) == asked - known
