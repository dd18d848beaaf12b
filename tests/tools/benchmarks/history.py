"""`python -m tests.tools.benchmarks.history`: what a row costs in this version, as a further line of `docs/contributing/benchmarks.csv`.

Calls for each row are counted, as `calls` says; the processor time of 20,000 rows is a ratio to the floor. `--tree FOLDER` measures
another working tree, such as one that `git worktree add` has made of an earlier commit, with the rows and suites of this one. `--dry-run`
prints the line and writes nothing.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.tools.benchmarks import rows, suites
from tests.tools.benchmarks.calls import COMMANDS, ROWS
from tests.tools.benchmarks.measure import ROOT, Command, Took, environment, one_core, run

FILE: Final = ROOT / "docs" / "contributing" / "benchmarks.csv"
CALLS: Final = Path(__file__).with_name("calls.py")
COLUMNS: Final = ("date", "commit", "python", *COMMANDS, "five_floor")


def prepared(folder: Path) -> Path:
    """A folder with the suites and the rows whose calls are counted."""
    suites.write(folder)
    for count in (ROWS, 2 * ROWS):
        rows.write(folder, count, ("jsonl",))
    return folder


def counted(folder: Path, tree: Path = ROOT) -> dict[str, float]:
    """Calls for each row in the version that is in a working tree, by what is done. A process of its own counts them."""
    command = [sys.executable, str(CALLS), str(prepared(folder))]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=tree, env=_environment(tree))
    found: dict[str, float] = json.loads(done.stdout)
    return found


def over_floor(folder: Path, tree: Path, count: int, repeats: int) -> float:
    """The least processor time of five evaluators, of which nothing is stored, over that of the floor."""
    file = str(rows.write(folder, count, ("jsonl",))["jsonl"])
    suite = str(suites.write(folder)["five"])
    product = [sys.executable, "-m", "evaluators", "run", suite, file, "--no-results", "-q", "--workers", "1"]
    floor = [sys.executable, "-m", "tests.tools.benchmarks.floor", file]
    best: dict[str, Took] = {}
    with one_core():
        for _ in range(repeats):
            for name, command, where in (("floor", floor, ROOT), ("product", product, tree)):
                took = _took(command, where)
                best[name] = took.least(best.get(name, took))
    return round(best["product"].processor / best["floor"].processor, 2)


def _took(command: Command, tree: Path) -> Took:
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = _environment(tree)["PYTHONPATH"]
    try:
        return run(command)
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def _environment(tree: Path) -> dict[str, str]:
    """The environment in which the package of a working tree is imported before any that is installed."""
    more = [one for one in [os.environ.get("PYTHONPATH")] if one]
    return {**environment(), "PYTHONPATH": os.pathsep.join([str(tree), *more])}


def line_of(folder: Path, tree: Path, count: int, repeats: int) -> dict[str, object]:
    """The line of a version, by the names of the columns."""
    show = ["git", "-C", str(tree), "show", "--no-patch", "--format=%cs %h", "HEAD"]
    date, commit = subprocess.run(show, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    python = ".".join(platform.python_version_tuple()[:2])
    floor = over_floor(folder, tree, count, repeats)
    return {"date": date, "commit": commit, "python": python, **counted(folder, tree), "five_floor": floor}


def main() -> None:
    """Appends a line, and prints it."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.benchmarks.history")
    parser.add_argument("--tree", type=Path, default=ROOT, help="another working tree, whose package is measured")
    parser.add_argument("--rows", type=int, default=20_000, help="rows of which the processor time is taken")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dry-run", action="store_true", help="print the line, and write nothing")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        line = line_of(Path(folder).resolve(), given.tree.resolve(), given.rows, given.repeats)
    if not given.dry_run:
        with FILE.open("a", newline="", encoding="utf-8") as stream:
            csv.DictWriter(stream, COLUMNS, lineterminator="\n").writerow(line)
    print(",".join(str(line[name]) for name in COLUMNS))


if __name__ == "__main__":
    main()
