"""A run that is killed at any moment goes on, and its folder is the same to the byte as one that was never stopped."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.cli.test_run import Ended, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by a signal")

SUITE = """
name: cities
evaluators:
  - json_multi_field_match: {name: header, fields: {city: exact, zip: exact, "tags[*]": exact}}
  - contains_json
  - json_diff_match
  - correctness: {output: label, expected: kind}
slices: [row.group]
measures: {cost: row.cost}
statistics: {cluster: row.group}
gates: {header: {fail_below: 0.99}, json_diff_match: {figure: f1, fail_below: 0.5}}
results: {formats: [csv, markdown, html, junit]}
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
            "label": "yes", "kind": "yes" if number % 5 else "no",
        }  # fmt: skip


def write_files(folder: Path, suite: str = SUITE, count: int = ROWS) -> Path:
    (folder / "suite.yaml").write_text(suite, encoding="utf-8")
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(count)), encoding="utf-8")
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


@pytest.mark.parametrize("seed", range(8))
def test_a_run_that_is_killed_at_any_moment_goes_on(whole: Whole, folder: Path, seed: int) -> None:
    killed_anywhere(whole, folder, seed)
    assert all((place / "run").exists() is False for place in left(folder))
