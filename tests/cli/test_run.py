"""`evaluators run` as a person starts it: a process of its own, on small files."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.commands import called
from tests.kit import lines_of, read_csv, write, write_rows
from tests.waiting import PATIENCE, until

ROOT = Path(__file__).resolve().parents[2]
HEAD = ("id", "supplier", "output", "expected")
SUITE = """
name: cities
evaluators:
  - type: json_multi_field_match
    name: header
    fields: {city: exact, zip: exact}
"""
GATED = SUITE + "gates: {header: {fail_below: 0.9}}\n"
RIGHT = ("1", "north", '{"city": "Rome", "zip": "1"}', '{"city": "Rome", "zip": "1"}')
WRONG = ("2", "south", '{"city": "Rome", "zip": "2"}', '{"city": "Rome", "zip": "1"}')
PROSE = ("3", "south", "I do not know.", '{"city": "Rome", "zip": "1"}')
SPOILT = ("4", "north", '{"city": "Rome"}', "{city: Rome}")

Ended = subprocess.CompletedProcess[str]
Start = Callable[..., Ended]


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("EVALUATORS_", "_EVALUATORS"))}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}


@pytest.fixture
def run(tmp_path: Path) -> Start:
    """Calls the program in an empty folder and waits for its end."""

    def start(*words: str, stdin: str = "", **more: str) -> Ended:
        return called(*words, cwd=tmp_path, env=environment() | more, stdin=stdin)

    return start


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write(tmp_path / "suite.yaml", SUITE)
    write(tmp_path / "gated.yaml", GATED)
    table(tmp_path / "rows.csv", RIGHT, WRONG)
    return tmp_path


def table(path: Path, *rows: Sequence[str], head: Sequence[str] = HEAD) -> None:
    with open(path, "w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([head, *rows])


def figures(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return found


def figures_of(folder: Path) -> str:
    """The text of `run.json` without what readers of the rows need to know."""
    body = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del body["record"]
    return json.dumps(body, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def test_no_results_leaves_nothing_behind(files: Path, run: Start) -> None:
    before = sorted(files.iterdir())
    assert run("run", "suite.yaml", "rows.csv", "--no-results").returncode == 0
    assert sorted(files.iterdir()) == before


def test_a_run_is_opened_in_the_browser(files: Path, run: Start) -> None:
    browser = files / "browser.sh"
    browser.write_text(f'#!/bin/sh\necho "$1" > {shlex.quote(str(files / "opened"))}\n', encoding="utf-8")
    browser.chmod(0o755)
    assert run("run", "suite.yaml", "rows.csv", "--name", "seen", "--open", BROWSER=str(browser)).returncode == 0
    page = files / "runs" / "seen" / "report.html"
    assert (files / "opened").read_text(encoding="utf-8").strip() == page.as_uri()
    assert "<html" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("without", ["--no-results", "--dry-run", "--watch"])
def test_a_run_that_writes_no_folder_is_not_opened(files: Path, run: Start, without: str) -> None:
    found = run("run", "suite.yaml", "rows.csv", "--open", without)
    assert found.returncode == 2
    assert f"--open shows the page of a run folder, and {without} writes none" in found.stderr


def test_the_suite_says_where_results_go_and_the_command_line_overrules_it(files: Path, run: Start) -> None:
    write(files / "suite.yaml", SUITE + "results: {folder: kept, name: nightly, formats: [json]}\n")
    run("run", "suite.yaml", "rows.csv")
    assert not (files / "kept" / "nightly" / "fields.md").exists()
    run("run", "suite.yaml", "rows.csv", "--results", "other", "--name", "mine", "--formats", "markdown, junit")
    assert (files / "other" / "mine" / "fields.md").exists()
    assert (files / "other" / "mine" / "junit.xml").exists()


def test_a_run_is_never_overwritten_without_force(files: Path, run: Start) -> None:
    assert run("run", "suite.yaml", "rows.csv", "--name", "x").returncode == 0
    before = (files / "runs" / "x" / "run.json").read_bytes()
    table(files / "rows.csv", RIGHT)
    again = run("run", "suite.yaml", "rows.csv", "--name", "x", "-o", "figures.json")
    assert again.returncode == 0
    assert "\n- runs/x-2: the run folder\n" in again.stdout
    assert "runs/x is there already, so this run is in runs/x-2" in again.stderr
    named = [json.loads((files / name).read_text())["folder"] for name in ("runs/x-2/run.json", "figures.json")]
    assert named == ["x-2", "x-2"]
    assert (files / "runs" / "x" / "run.json").read_bytes() == before
    third = run("run", "suite.yaml", "rows.csv", "--name", "x", "--format", "json")
    assert json.loads(third.stdout)["folder"] == "x-3"
    assert run("run", "suite.yaml", "rows.csv", "--name", "x", "--force").returncode == 0
    assert (files / "runs" / "x" / "run.json").read_bytes() != before
    assert sorted(path.name for path in (files / "runs").iterdir()) == ["x", "x-2", "x-3"]


@pytest.mark.slow
def test_a_run_of_a_suite_that_names_it_is_kept_every_night(files: Path, run: Start) -> None:
    write(files / "suite.yaml", SUITE + "results: {name: nightly}\n")
    assert [run("run", "suite.yaml", "rows.csv", "-q").returncode for _ in range(3)] == [0, 0, 0]
    assert sorted(path.name for path in (files / "runs").iterdir()) == ["nightly", "nightly-2", "nightly-3"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["run.json", "environment.json", "suite/suite.txt"])
def test_the_record_of_a_run_is_not_written_over(files: Path, run: Start, name: str) -> None:
    ended = run("run", "suite.yaml", "rows.csv", "--name", "x", "-o", f"runs/x/{name}")
    assert ended.returncode == 2, ended.stderr
    assert "the run folder itself" in ended.stderr
    assert not (files / "runs").exists()
    run("run", "suite.yaml", "rows.csv", "--name", "x")
    assert run("report", "x", "-o", f"runs/x/{name}").returncode == 2


@pytest.mark.slow
def test_a_bare_name_is_the_newest_of_its_runs(files: Path, run: Start) -> None:
    for _ in range(3):
        run("run", "suite.yaml", "rows.csv", "--name", "x")
    for words in (("view", "x", "--no-open"), ("report", "x"), ("advice", "x"), ("compare", "runs/x", "x")):
        ended = run(*words)
        assert ended.returncode == 0, ended.stderr
        assert "x: the newest of 3 runs of that name is runs/x-3; runs/x is that folder alone" in ended.stderr
    assert (files / "runs" / "x-3" / "report.html").is_file()
    assert "runs/x-3" in run("track", "x", "--to", "nowhere").stderr
    assert run("report", "runs/x").stderr == ""
    run("run", "suite.yaml", "rows.csv", "--name", "x", "--force")
    assert "the newest of 3 runs of that name is runs/x\n" in run("report", "x").stderr
    assert run("report", "./x").returncode == 2


def as_anybody() -> None:
    """From here on, modes of files hold, also for the user who may read everything."""
    import ctypes

    for may_all in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        ctypes.CDLL(None).prctl(24, may_all, 0, 0, 0)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="what a user may do is taken away as Linux has it")
def test_folders_of_others_cost_a_run_nothing(files: Path) -> None:
    """On a shared disk: a run, one that nobody else may read, and one that is unfinished, all of somebody else."""
    others = [files / "runs" / name for name in ("theirs", "more", "x")]
    for place in others:
        place.mkdir(parents=True)
        (place / "lock").touch(mode=0o400)
        (place / "run.db").touch(mode=0o400)
        if place.name == "x":
            (place / "run.json").write_text("{}")
        place.chmod(0o500 if place.name == "more" else 0o000)

    def start(*words: str) -> Ended:
        command = [sys.executable, "-m", "evaluators", *words]
        more: dict[str, Any] = {"capture_output": True, "text": True, "preexec_fn": as_anybody}
        return subprocess.run(command, cwd=files, env=environment(), **more)

    try:
        ended = start("run", "suite.yaml", "rows.csv", "--name", "x")
        assert (ended.returncode, "1 problem" in ended.stderr) == (0, False), ended.stderr
        assert "- runs/x-2: the run folder" in ended.stdout
        listed = start("runs", "--format", "json")
        assert {run["name"]: run["state"] for run in json.loads(listed.stdout)} == {
            "x-2": "finished", "more": "going",
        }  # fmt: skip
        assert start("report", "x").returncode == 0
        assert start("run", "suite.yaml", "rows.csv", "--name", "theirs", "--resume").returncode == 0
        assert start("runs", "--clean", "--yes").returncode == 0
    finally:
        for place in others:
            place.chmod(0o700)


def test_a_run_folder_that_takes_no_files_is_shown_all_the_same(files: Path, run: Start) -> None:
    run("run", "suite.yaml", "rows.csv", "--name", "x")
    words = ["mount", "--bind", "-o", "ro", "runs/x", "runs/x"]
    if subprocess.run(words, cwd=files, capture_output=True).returncode:
        pytest.skip("this machine does not let this user mount a folder")
    try:
        ended = run("view", "runs/x", "--no-open")
    finally:
        subprocess.run(["umount", "runs/x"], cwd=files, check=True)
    assert ended.returncode == 0, ended.stderr
    assert "<html" in Path(ended.stdout.strip()).read_text(encoding="utf-8")


def test_the_folder_of_results_is_relative_to_the_suite(files: Path, run: Start) -> None:
    (files / "sub" / "deep").mkdir(parents=True)
    write(files / "sub" / "deep" / "suite.yaml", SUITE + "results: {folder: ../kept}\n")
    ended = run("run", "sub/deep/suite.yaml", "rows.csv", "--name", "x")
    assert (ended.returncode, (files / "sub" / "kept" / "x" / "run.json").is_file()) == (0, True), ended.stderr
    assert "`folder` under `results` is relative to the suite" in ended.stderr
    write(files / "sub" / "deep" / "base.yaml", SUITE + "results: {folder: here}\n")
    write(files / "sub" / "suite.yaml", "extends: deep/base.yaml\n")
    run("run", "sub/suite.yaml", "rows.csv", "--name", "x")
    assert (files / "sub" / "deep" / "here" / "x" / "run.json").is_file()
    write(files / "suite.yaml", SUITE + "results: {folder: kept}\n")
    same = run("run", "suite.yaml", "rows.csv", "--name", "x")
    assert (same.stderr, (files / "kept" / "x" / "run.json").is_file()) == ("", True)
    run("run", "sub/deep/suite.yaml", "rows.csv", "--name", "x", "--results", "mine")
    assert (files / "mine" / "x" / "run.json").is_file()


def test_two_columns_that_could_be_the_output_are_an_error_and_the_command_line_settles_it(
    files: Path, run: Start
) -> None:
    table(files / "rows.csv", (*RIGHT, "x"), head=(*HEAD, "prediction"))
    unclear = run("run", "suite.yaml", "rows.csv")
    assert unclear.returncode == 2
    assert '2 columns could be the output: "output" and "prediction"' in unclear.stderr
    assert "--columns output=output" in unclear.stderr
    assert run("run", "suite.yaml", "rows.csv", "--columns", "output=output").returncode == 0


def test_mistakes_of_a_suite_are_annotations_on_github_at_their_places(files: Path, run: Start) -> None:
    write(files / "suite.yaml", SUITE.replace("exact, zip: exact", "exatc, zip: fuzy"))
    ended = run("run", "suite.yaml", "rows.csv", "--format", "github")
    assert ended.returncode == 2
    lines = ended.stdout.splitlines()
    assert len(lines) == 2
    assert all(re.match(r"::error file=suite\.yaml,line=\d+,col=\d+,title=[a-z-]+::", line) for line in lines)
    assert 'did you mean "exact"' in lines[0]
    assert ended.stderr.endswith("\n2 problems found.\n")


def test_a_test_set_that_is_not_there_is_an_annotation_on_github(files: Path, run: Start) -> None:
    ended = run("run", "suite.yaml", "rows.cvs", "--format", "github")
    assert (ended.returncode, len(ended.stdout.splitlines())) == (2, 1)
    assert ended.stdout.startswith("::error ")


NAMED = "test_set: {file: rows.csv, columns: {output: Model answer}}\nevaluators:\n  - exact_match\n"


def test_of_one_role_the_column_of_the_command_line_counts(files: Path, run: Start) -> None:
    write(files / "named.yaml", NAMED)
    table(files / "rows.csv", ("a", "b", "b"), head=("Model answer", "second", "expected"))
    assert run("run", "named.yaml", "--columns", "output=second", "--no-results").returncode == 0
    wrong = run("run", "named.yaml", "--columns", "expected=third", "--no-results")
    assert (wrong.returncode, "named.yaml" in wrong.stderr) == (3, False)


def test_a_traceback_is_shown_only_when_it_is_asked_for(files: Path, run: Start) -> None:
    assert "Traceback" in run("run", "missing.yaml", "--traceback").stderr
    assert "Traceback" in run("--traceback", "run", "missing.yaml").stderr
    assert "Traceback" in run("run", "missing.yaml", EVALUATORS_TRACEBACK="1").stderr
    assert "Traceback" not in run("run", "missing.yaml").stderr


def test_a_fault_in_the_program_is_one_line_and_code_70(files: Path) -> None:
    program = (
        "import evaluators.api.execute as run\n"
        "def finish(*_, **__): raise RuntimeError('lost the thread')\n"
        "run.finish = finish\n"
        "from evaluators.__main__ import main\n"
        "main()\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, "run", "suite.yaml", "rows.csv"],
        cwd=files, env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert ended.returncode == 70
    assert ended.stderr.startswith("This is a bug in evaluators, not in your files: RuntimeError: lost the thread\n")
    assert "Traceback" not in ended.stderr


def test_a_place_that_takes_no_file_is_nobodys_bug(files: Path, run: Start) -> None:
    ended = run("run", "suite.yaml", "rows.csv", "--no-results", "-o", "rows.csv/report.json")
    assert ended.returncode == 3
    assert "the file cannot be written" in ended.stderr


@pytest.mark.parametrize("suffix", [".json", ".md", ".txt", ".xml", ".csv", ".jsonl"])
def test_a_report_is_written_as_its_extension_says(files: Path, run: Start, suffix: str) -> None:
    path = files / "deep" / f"report{suffix}"
    ended = run("run", "suite.yaml", "rows.csv", "--name", "x", "-o", f"deep/report{suffix}")
    assert ended.returncode == 0
    assert f"- deep/report{suffix}" in ended.stdout
    text = path.read_text(encoding="utf-8-sig")
    match suffix:
        case ".json":
            assert text == figures_of(files / "runs" / "x")
        case ".txt":
            assert text == run("report", "runs/x", "-v").stdout
        case ".md":
            assert text.startswith("# cities: finished")
        case ".xml":
            assert ElementTree.fromstring(text).tag == "testsuites"
        case ".csv":
            assert path.read_bytes() == (files / "runs" / "x" / "rows.csv").read_bytes()
        case _:
            lines = [json.loads(line) for line in text.splitlines()]
            rows = lines_of(files / "runs" / "x", "rows")
            assert [(line["row"], line["checksum"]) for line in lines] == [(row["row"], row["checksum"]) for row in rows]
            assert lines[0]["results"]["header"]["fields"] == {"city": "match", "zip": "match"}
            assert lines[0]["results"]["header"]["field_scores"] == {"city": 1.0, "zip": 1.0}
            assert lines[0]["results"]["header"]["aggregate_score"] == 1.0


def test_each_variant_has_its_own_files(files: Path, run: Start) -> None:
    table(files / "expected.csv", ("1", RIGHT[3]), ("2", WRONG[3]), head=("id", "expected"))
    (files / "outputs").mkdir()
    for name, rows in (("good", [RIGHT]), ("poor", [WRONG])):
        table(files / "outputs" / f"{name}.csv", *[(id_, row[2]) for row in rows for id_ in "12"], head=("id", "output"))
    ended = run("run", "suite.yaml", "expected.csv", "--outputs", "outputs", "--name", "x", "-o", "marked.csv")
    assert ended.returncode == 0, ended.stderr
    assert {row["header.score"] for row in read_csv(files / "marked.good.csv")} == {"1.0"}
    assert {row["header.score"] for row in read_csv(files / "marked.poor.csv")} == {"0.5"}
    assert (files / "runs" / "x" / "rows.good.csv").exists()
    run("report", "runs/x", "-o", "x.rows.jsonl")
    assert (files / "x.rows.poor.jsonl").exists()


def test_a_sample_is_the_same_every_time_and_another_with_another_seed(files: Path, run: Start) -> None:
    table(files / "rows.csv", *[(str(number), "", *RIGHT[2:]) for number in range(50)])

    def ids(seed: str) -> list[str]:
        run("run", "suite.yaml", "rows.csv", "--no-results", "--sample", "5", "--seed", seed, "-o", "some.csv")
        return [row["id"] for row in read_csv(files / "some.csv")]

    assert ids("1") == ids("1")
    assert ids("1") != ids("2")


def test_a_dash_is_standard_input(files: Path, run: Start) -> None:
    ended = run("run", "suite.yaml", "-", "--no-results", stdin=(files / "rows.csv").read_text(encoding="utf-8"))
    assert ended.returncode == 0
    assert "2 rows of standard input" in ended.stdout


def test_json_on_standard_output_is_the_run(files: Path, run: Start) -> None:
    ended = run("run", "suite.yaml", "rows.csv", "--name", "x", "--format", "json")
    assert ended.stdout == figures_of(files / "runs" / "x")


def test_a_reader_who_goes_away_is_no_problem(files: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    words = [sys.executable, "-m", "evaluators", "run", "gated.yaml", "rows.csv", "--no-results"]
    ended = subprocess.run(words, cwd=files, env=environment(), stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (1, "")


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_that_lacks_a_letter_shows_its_number(files: Path, run: Start, encoding: str) -> None:
    write(files / "suite.yaml", SUITE.replace("name: cities", 'name: "地 cities"'))
    words = [sys.executable, "-m", "evaluators", "run", "suite.yaml", "rows.csv", "--no-results"]
    settings = environment() | {"PYTHONIOENCODING": encoding}
    ended = subprocess.run(words, cwd=files, env=settings, capture_output=True)
    assert ended.returncode == 0
    assert ended.stdout.startswith(b"\\u5730 cities: finished")


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "environment.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.slow
def test_a_run_is_the_same_for_any_number_of_workers(files: Path, run: Start) -> None:
    write(files / "suite.yaml", GATED + "slices: [row.supplier]\n")
    filling = "x" * 100_000
    kinds = (RIGHT, WRONG, PROSE, SPOILT)
    table(files / "rows.csv", *[(*kinds[n % 4], filling + str(n)) for n in range(360)], head=(*HEAD, "notes"))
    folders = []
    for workers in ("1", "2", "3"):
        words = ("--results", f"by-{workers}", "--name", "x", "--workers", workers, "--hardest", "3")
        words += ("--formats", "rows,parquet,codes,outcomes,cells")
        ended = run("run", "suite.yaml", "rows.csv", *words)
        assert ended.returncode == 1, ended.stderr
        folders.append(contents(files / f"by-{workers}" / "x"))
    assert {"run.db", "rows.jsonl", "rows.parquet", "codes.jsonl", "outcomes.jsonl"} <= folders[0].keys()
    assert folders[0] == folders[1] == folders[2]


def only(file: Path, query: str) -> int:
    """The one number that a query finds in a file that is still written."""
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as db:
        found: int = db.execute(query).fetchone()[0]
        return found


def splits_in(file: Path) -> int:
    """How many splits are stored."""
    try:
        return only(file, "select count(*) from splits where finished")
    except sqlite3.Error:  # no table yet, or a transaction that ends just now
        return 0


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "number"), [("1", signal.SIGINT), ("2", signal.SIGINT), ("2", signal.SIGTERM)])
def test_an_interrupt_leaves_a_valid_run_that_says_it_is_partial(
    files: Path, workers: str, number: signal.Signals
) -> None:
    total, notes = 120_000, "x" * 1000
    with open(files / "rows.csv", "w", encoding="utf-8", newline="") as stream:
        stream.write("id,output,expected,notes\n")
        stream.writelines(
            f'{n},"{{""city"": ""a{n}"", ""zip"": ""1""}}","{{""city"": ""b{n}"", ""zip"": ""1""}}",{notes}\n'
            for n in range(total)
        )
    process = subprocess.Popen(
        [sys.executable, "-m", "evaluators", "run", "suite.yaml", "rows.csv", "--name", "x", "--workers", workers],
        cwd=files, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    file = files / "runs" / "x" / "run.db"
    until(lambda: file.is_file() and splits_in(file) > 0, process)
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert "Stopping after the rows that are under way" in err
    assert out.startswith("cities: interrupted after ")
    found = figures(files / "runs" / "x")
    assert (found["complete"], found["exit_code"]) == (False, 130)
    assert only(file, "select count(*) from rows0") == found["rows"]
    assert 0 < int(str(found["rows"])) < total
    assert [path.name for path in (files / "runs").iterdir()] == ["x"]
    assert "runs/x: " in err
    assert '--name "x" --resume goes on with the rest' in err


HEAVY = ("deepdiff", "numpy", "pyarrow", "scipy", "rich", "asyncio", "multiprocessing", "pandas")


def loaded_by(files: Path, *words: str) -> set[str]:
    program = (
        "import sys\n"
        "from evaluators.__main__ import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=files, env=environment(), capture_output=True, text=True
    )
    return set(ended.stderr.split())


@pytest.mark.parametrize("words", [("--help",), ("run", "--help")])
def test_help_loads_click_and_nothing_heavier(files: Path, words: tuple[str, ...]) -> None:
    loaded = loaded_by(files, *words)
    assert "click" in loaded
    assert not loaded & {"pydantic", "yaml", "msgspec", "jsonpath_ng", *HEAVY}
    ours = {name for name in loaded if name.startswith("evaluators")}
    apart = {"evaluators", "evaluators.__main__", "evaluators.model", "evaluators.model.exit_words"}
    assert not {name for name in ours if not name.startswith("evaluators.cli")} - apart


def test_a_small_run_loads_nothing_that_its_suite_does_not_use(files: Path) -> None:
    table(files / "rows.csv", *[(str(number), *RIGHT[1:]) for number in range(100)])
    loaded = loaded_by(files, "run", "suite.yaml", "rows.csv", "--name", "x")
    assert (files / "runs" / "x" / "run.json").exists()
    spared = {"jsonpath_ng", "jsonschema", "unidecode", "rapidfuzz", "xml.etree.ElementTree", "difflib", *HEAVY}
    spared |= {"pickle"}
    assert sorted(loaded & spared) == []
    types = {name for name in loaded if name.startswith("evaluators.scoring.evaluators.") and "._" not in name}
    assert types == {"evaluators.scoring.evaluators.json_multi_field_match"}
    assert not {name for name in loaded if name.startswith("evaluators.testsets.readers.")} - {
        "evaluators.testsets.readers.csv"
    }


MOST_MODULES = 235
"""Modules of the package that a small run with one evaluator may load: each takes as long as scoring some rows."""
UNUSED = (
    "evaluators.runs.compare", "evaluators.scoring.fields.schema_check", "evaluators.runs.gate",
    "evaluators.reports.summary", "evaluators.reports.sections.fields", "evaluators.api.finished_run",
    "evaluators.reports.tracking.tracker", "evaluators.guide", "traceback",
)  # fmt: skip


def test_a_quiet_run_that_keeps_nothing_loads_no_room_that_it_does_not_enter(files: Path) -> None:
    """No gates, no comparison, no schema, no page: what is cut from the way of a small run stays cut."""
    table(files / "rows.csv", RIGHT, WRONG)
    loaded = loaded_by(files, "run", "suite.yaml", "rows.csv", "--no-results", "--quiet")
    assert "evaluators.runs.driver" in loaded
    assert sorted(name for name in loaded if name.startswith(UNUSED)) == []
    assert len([name for name in loaded if name.startswith("evaluators")]) <= MOST_MODULES


NO_ANSWERS = (None, "", "  ")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("type_", ["exact_match", "correctness", "similarity", "levenshtein"])
def test_a_row_without_an_answer_is_invalid_in_every_kind_of_file(files: Path, run: Start, kind: str, type_: str) -> None:
    import pyarrow
    import pyarrow.parquet

    rows = [{"id": str(number), "output": "", "expected": cell} for number, cell in enumerate((*NO_ANSWERS, "a"))]
    file = files / f"some.{kind}"
    if kind == "parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), file)
    elif kind == "jsonl":
        write_rows(file, rows)
    else:
        table(file, *[(row["id"], "", row["expected"] or "") for row in rows], head=("id", "output", "expected"))
    write(files / "texts.yaml", f"evaluators: [{type_}]\n")
    ended = run("run", "texts.yaml", file.name, "--name", kind, "-q")
    assert ended.returncode == 3
    (stats,) = json.loads((files / "runs" / kind / "run.json").read_text(encoding="utf-8"))["evaluators"]
    assert (stats["scored"], stats["invalid"], stats["passed"]) == (1, 3, 0)
    write(files / "values.yaml", f"test_set: {{empty_expected: value}}\nevaluators: [{type_}]\n")
    run("run", "values.yaml", file.name, "--name", f"{kind} values", "-q")
    (stats,) = json.loads((files / "runs" / f"{kind} values" / "run.json").read_text(encoding="utf-8"))["evaluators"]
    assert (stats["scored"], stats["invalid"]) == (4, 0)
