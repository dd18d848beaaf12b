"""`python -m tests.tools.benchmarks.clusters`: Dask and Ray beside the processes of this machine, on the same splits.

Each turn is a program of its own, which starts its engine, warms it up on a small test set, and then measures one run: splits
drawn, scored and merged. Engines take turns in one invocation, and the least of each counts. Needs a Python with
`structured-evaluators[dask,ray]`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

from evaluators.api.loading import loads
from evaluators.reports.conclusions import finish_run
from evaluators.runs.driver import jobs_of, score, variants_of
from evaluators.runs.engines.engine import ENGINES, Crew
from evaluators.runs.observer import Observer
from evaluators.runs.preparing import Prepared, prepare
from evaluators.runs.run_folder import RunFolder
from evaluators.runs.storing import recording_of
from tests.tools.benchmarks import suites
from tests.tools.benchmarks.goals import Finding
from tests.tools.benchmarks.rows import write

BAR: Final = 1.3
BUILT_IN: Final = "processes"
SMALL: Final = 2_000


def main() -> None:
    """Prints the ratio of each engine to the built-in processes."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.benchmarks.clusters")
    parser.add_argument("engines", nargs="*", metavar="ENGINE", help="dask, ray; both without one")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--suite", default="five")
    parser.add_argument("--folder", type=Path, help="where rows are kept; a temporary folder without it")
    parser.add_argument("--one", metavar="ENGINE", help="one turn of this engine, in this process")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.folder or Path(temporary)).resolve()
        if given.one:
            print(turn(folder, given.suite, given.rows, given.workers, given.one))
            return
        engines = given.engines or ["dask", "ray"]
        for finding in compared(folder, given.suite, given.rows, given.repeats, given.workers, engines):
            print(finding, flush=True)


def compared(
    folder: Path, suite: str, rows: int, repeats: int, workers: int, engines: Sequence[str]
) -> Iterator[Finding]:
    """The least time of each engine over that of the built-in processes."""
    splits = len(_prepared(folder, suite, rows).test_set.splits())
    _prepared(folder, suite, SMALL)
    found: dict[str, float] = {}
    for _ in range(repeats):
        for name in (BUILT_IN, *engines):
            found[name] = min(found.get(name, float("inf")), _alone(folder, suite, rows, workers, name))
    for name in engines:
        told = f"{found[name]:.2f} s, {found[BUILT_IN]:.2f} s, {splits} splits, {workers} workers"
        ratio = found[name] / found[BUILT_IN]
        yield Finding(f"{suite}: {name} against the built-in processes", ratio, "×", BAR, "at most", told)


def turn(folder: Path, suite: str, rows: int, workers: int, name: str) -> float:
    """The seconds of one run on an engine that has scored something already, on each of its workers."""
    large, small = _prepared(folder, suite, rows), _prepared(folder, suite, SMALL)
    with ENGINES.find(name)(workers=workers).crew() as crew:
        for _ in range(2 * workers):
            _seconds(small, crew)
        return _seconds(large, crew)


def _alone(folder: Path, suite: str, rows: int, workers: int, name: str) -> float:
    """The same in a process of its own: the threads of one engine change how another one starts its workers."""
    command = [
        sys.executable,
        "-m",
        "tests.tools.benchmarks.clusters",
        "--one",
        name,
        "--suite",
        suite,
        "--folder",
        str(folder),
    ]
    command += ["--rows", str(rows), "--workers", str(workers)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout.splitlines()[-1])


def _prepared(folder: Path, suite: str, rows: int) -> Prepared:
    file = folder / f"rows_{rows}.jsonl"
    if not file.exists():
        write(folder, rows, ("jsonl",))
    return prepare(loads(suites.text(suite)), str(file))


def _seconds(prepared: Prepared, crew: Crew) -> float:
    """How long the scoring takes, with its columns written into a run folder that goes away."""
    folder = RunFolder.temporary()
    try:
        recordings = [recording_of(prepared, table) for _, table in prepared.variants()]
        variants = variants_of(prepared, jobs_of(prepared, recordings), folder.db)
        begun = perf_counter()
        run = score(prepared, variants, crew, Observer())
        finish_run(prepared, run.results, prepared.test_set.fingerprint())
        return perf_counter() - begun
    finally:
        folder.discard()


if __name__ == "__main__":
    main()
