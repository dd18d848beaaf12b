"""What the system does not take: whose move it is, which file it was, and what of the run is kept."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from evaluators.runs.reader import Run
from tests.cli.test_run import SUITE, Ended, environment
from tests.commands import called
from tests.kit import write_rows

pytestmark = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")

ROWS = 300


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    answer = '"{""city"": ""a"", ""zip"": ""1""}"'
    rows = "".join(f"{number},{answer},{answer}\n" for number in range(ROWS))
    (tmp_path / "rows.csv").write_text("id,output,expected\n" + rows, encoding="utf-8")
    (tmp_path / "taken").write_text("a file, and no folder\n", encoding="utf-8")
    return tmp_path


def started(folder: Path, *words: str, most: int | None = None, stdout: str | None = None, shell: str = "") -> Ended:
    """The command, with a limit for the size of files, or its output into a file."""

    def limit() -> None:
        if most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    if most is None and stdout is None and not shell:
        return called(*words, cwd=folder, env=environment())
    command = [sys.executable, "-B", "-m", "evaluators", *words]  # -B: byte code is files, too
    if shell:
        command = ["sh", "-c", f'"$@" {shell}', "sh", *command]
    if stdout is not None:
        command = ["sh", "-c", f'"$@" > {stdout}', "sh", *command]
    return subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, preexec_fn=limit)


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_folder_that_is_too_large_is_the_environments(files: Path, workers: str) -> None:
    ended = started(files, "run", "suite.yaml", "rows.csv", "--name", "x", "--workers", workers, most=6_000)
    assert ended.returncode == 3, ended.stderr
    assert "runs/x: the run folder cannot be written: file too large" in ended.stderr + ended.stdout
    assert "partial" not in ended.stderr + ended.stdout
    assert "bug" not in ended.stderr
    assert "the test set has no rows" not in ended.stderr + ended.stdout
    assert f"{ROWS} rows" in ended.stdout
    assert "the metrics are complete, and nothing else of the run is kept" in ended.stderr
    assert list((files / "runs").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_disk_that_fills_later_keeps_the_splits_before(files: Path, workers: str) -> None:
    write_rows(files / "rows.jsonl", ({"output": "x" * 3000 + str(n), "expected": "x"} for n in range(4000)))
    (files / "suite.yaml").write_text("evaluators: [exact_match]\nresults: {documents: all}\n", encoding="utf-8")
    words = ("run", "suite.yaml", "rows.jsonl", "--name", "x", "--workers", workers)
    ended = started(files, *words, most=8_000_000)
    assert ended.returncode == 3, ended.stderr
    assert "runs/x: the run folder cannot be written: file too large" in ended.stdout
    found = json.loads((files / "runs" / "x" / "run.json").read_text())
    assert 0 < found["rows"] < 4000
    assert len(list(Run(files / "runs" / "x").each_row())) == found["rows"]
    assert started(files, *words, "--resume").returncode == 0
    assert Run(files / "runs" / "x").result.rows == 4000


def test_the_figures_are_kept_where_the_folder_is_not(files: Path) -> None:
    (files / "suite.yaml").write_text(SUITE + "results: {documents: none}\n", encoding="utf-8")
    ended = started(files, "run", "suite.yaml", "rows.csv", "--name", "x", "-o", "rows.jsonl", most=13_000)
    assert ended.returncode == 3, ended.stderr
    assert f"{ROWS} rows" in ended.stdout
    assert "the metrics are complete, and nothing else of the run is kept" in ended.stderr


@pytest.mark.parametrize("more", [(), ("--force",), ("-o", "rows.jsonl")])
def test_the_figures_are_printed_where_no_folder_can_be_made(files: Path, more: Sequence[str]) -> None:
    before = sorted(path.name for path in files.iterdir())
    ended = started(files, "run", "suite.yaml", "rows.csv", "--name", "x", "--results", "/proc/no-such-place", *more)
    assert ended.returncode == 3, ended.stderr
    assert f"{ROWS} rows" in ended.stdout
    said = "/proc/no-such-place: the folder of the results cannot be written: no such file or directory; the metrics are complete"
    assert said in ended.stderr
    assert sorted(path.name for path in files.iterdir()) == before


@pytest.mark.parametrize("file", ["taken/rows.csv", "taken/out.html", "/proc/no-such-place/out.json", "/dev/full/x.md"])
def test_a_further_file_that_is_refused_leaves_the_run(files: Path, file: str) -> None:
    ended = started(files, "run", "suite.yaml", "rows.csv", "--name", "x", "-o", file, "-o", "fine.json")
    assert ended.returncode == 3, ended.stderr
    assert f"{file}: the file cannot be written: " in ended.stderr
    assert ".partial" not in ended.stderr
    assert json.loads((files / "runs" / "x" / "run.json").read_text())["rows"] == ROWS
    assert (files / "fine.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("init", "rows.csv", "-o", "taken/suite.yaml"),
        ("schema", "-o", "taken/schema.json"),
        ("new", "suite", "mine", "--folder", "taken"),
        ("infer-schema", "rows.csv", "-o", "taken/schema.json"),
        ("report", "runs/x", "-o", "taken/page.html"),
        ("compare", "runs/x", "runs/x", "-o", "taken/page.html"),
        ("run", "suite.yaml", "rows.csv", "--no-results", "-o", "taken/page.html"),
        ("run", "suite.yaml", "rows.csv", "--results", "taken"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_says_the_same_of_a_file_that_is_refused(files: Path, words: tuple[str, ...]) -> None:
    if "runs/x" in words:
        assert started(files, "run", "suite.yaml", "rows.csv", "--name", "x").returncode == 0
    ended = started(files, *words)
    assert ended.returncode == 3, ended.stderr
    assert "cannot be written: not a directory" in ended.stderr or "cannot be written: file exists" in ended.stderr
    assert ended.stderr.splitlines()[0].startswith("taken")
    assert "hint: " in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("run", "suite.yaml", "rows.csv", "--no-results"),
        ("run", "suite.yaml", "rows.csv", "--no-results", "--format", "json"),
        ("schema",),
        ("list",),
        ("explain", "exact_match"),
        ("check", "suite.yaml"),
    ],
    ids=" ".join,
)
def test_standard_output_that_is_full_or_closed_is_said(files: Path, words: tuple[str, ...]) -> None:
    full = started(files, *words, stdout="/dev/full")
    assert full.returncode == 3, full.stderr
    assert "standard output: what is printed cannot be written: no space left on device" in full.stderr
    assert "Exception ignored" not in full.stderr
    closed = started(files, *words, shell=">&-")
    assert closed.returncode == 3, closed.stderr
    assert "standard output: it is closed, so nothing can be printed" in closed.stderr


def test_a_run_that_cannot_be_printed_is_in_its_folder(files: Path) -> None:
    ended = started(files, "run", "suite.yaml", "rows.csv", "--name", "x", stdout="/dev/full")
    assert ended.returncode == 3
    assert json.loads((files / "runs" / "x" / "run.json").read_text())["exit_code"] == 0


@pytest.mark.slow
def test_a_reader_who_has_gone_away_is_no_problem(files: Path) -> None:
    ended = started(files, "schema", shell="| true; test ${PIPESTATUS:-0} = 0")
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.slow
def test_nobody_to_tell_changes_no_exit_code(files: Path) -> None:
    assert started(files, "run", "missing.yaml", shell="2>/dev/full").returncode == 2
    assert started(files, "run", "missing.yaml", shell="2>&-").returncode == 2
    assert started(files, "run", "missing.yaml", shell=">&- 2>&- <&-").returncode == 2


def test_the_descriptors_of_closed_streams_are_no_files(files: Path) -> None:
    """A file that took the place of standard output would get what is printed."""
    ended = started(files, "run", "suite.yaml", "rows.csv", "--name", "x", shell=">&- <&-")
    assert ended.returncode == 3
    assert len(list(Run(files / "runs" / "x").each_row())) == ROWS
    assert os.listdir(files / "runs") == ["x"]


def test_what_a_killed_run_left_behind_is_named(files: Path) -> None:
    from evaluators.runs.run_folder import RunFolder

    left = files / "runs" / "dead"
    RunFolder.create(files / "runs", "dead").leave()
    busy = RunFolder.create(files / "runs", "busy")
    ended = started(files, "run", "suite.yaml", "rows.csv", "--name", "x")
    assert ended.returncode == 0
    assert 'runs/dead: left by the run "dead", which was ended before its end' in ended.stderr
    assert "busy" not in ended.stderr
    assert left.is_dir()
    busy.discard()
