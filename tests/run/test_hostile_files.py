"""Files that are no files, files of somebody else, and run folders that were made by hand."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from evaluators import load
from evaluators.issues import Blame, Problems
from evaluators.run.reader import Run
from evaluators.values.files import MOST_BYTES
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


@pytest.mark.parametrize("place", ["/dev/zero", "../../passwd", "suite/../../../passwd", "suite\\..\\x", "rows.jsonl"])
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


@pytest.mark.parametrize("file", ["run.json", "rows.jsonl", "codes.jsonl", "outcomes.jsonl", "cells.jsonl"])
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
    assert "is outside of the run folder, so it is not opened" in done.stderr
    assert "secret" not in done.output


@pytest.mark.parametrize("seed", range(40))
def test_a_run_folder_that_was_spoilt_is_refused_in_words(run: Path, seed: int) -> None:
    """Seeded damage to one file: the page is made, or the folder is refused; never an exception."""
    chance = random.Random(seed)
    file = chance.choice(sorted(path for path in run.rglob("*.json*") if path.is_file()))
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


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("outcomes.jsonl", {"path": "a", "status": "match", "score": 7}, "Expected `float` <= 1.0 - at `$.score`"),
        ("outcomes.jsonl", {"path": "a", "status": "match", "weight": -1}, "Expected `float` >= 0.0 - at `$.weight`"),
        ("codes.jsonl", {"score": [3, 2]}, "a score is a fraction from 0 to 1"),
        ("codes.jsonl", {"counts": [1, 1, 1, -1]}, "Expected `int` >= 0 - at `$.counts[3]`"),
    ],
)
def test_a_value_that_no_run_writes_is_damage(run: Path, file: str, change: dict[str, Any], said: str) -> None:
    lines = (run / file).read_text(encoding="utf-8").splitlines()
    spoilt_line = json.dumps({**json.loads(lines[0]), **change})
    (run / file).write_text("\n".join([spoilt_line, *lines[1:]]) + "\n", encoding="utf-8")
    with pytest.raises(Problems) as found:
        list(Run(run).each_row())
    assert said in str(found.value)
    assert f"{file}:1: " in str(found.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"places": [[99, "x", "a"]]}, "the run has no row 99"),
        ({"places": [[-1, "x", "a"]]}, "a place is a row, an evaluator and a path"),
        ({"places": [[2, "nobody", "a"]]}, 'the run has no evaluator "nobody"'),
        ({"answer": {"score": 1.5}}, "the score of an answer is a number from 0 to 1"),
        ({"answer": {"score": 1, "ratio": [3, 2]}}, '"ratio" of an answer is a fraction from 0 to 1'),
        ({"answer": {"error": {"code": "x", "blame": "nobody", "message": "y"}}}, "an error has a code, a blame"),
    ],
)
def test_an_answer_of_a_run_folder_is_checked(run: Path, line: dict[str, Any], said: str) -> None:
    usual = {"places": [], "question": {"expected": "a", "actual": "b"}, "answer": {"score": 1.0}}
    text = "".join(f"{json.dumps(one)}\n" for one in (usual, {**usual, **line}))
    (run / "answers.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(Problems) as found:
        list(Run(run).answers())
    assert said in str(found.value)
    assert "answers.jsonl:2" in str(found.value)


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
