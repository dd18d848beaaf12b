"""`python -m tests.benchmarks.clusters`: Dask and Ray beside the processes of this machine, on the same splits.

Each engine is started before its turn and warmed up on a small test set, so that a turn is splits alone: drawn, scored, merged.
Engines take turns in one invocation, and the least of each counts. Needs a Python with `evaluators[dask,ray]`.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Final

from evaluators.api.loading import loads
from evaluators.run.engines.engine import ENGINES, Crew
from evaluators.run.preparing import Prepared, RunRequest, prepare
from evaluators.run.recording import Needed
from evaluators.run.scoring import scored
from evaluators.run.store import RunFolder
from tests.benchmarks import suites
from tests.benchmarks.goals import Finding
from tests.benchmarks.rows import write

BAR: Final = 1.3
BUILT_IN: Final = "processes"
SMALL: Final = 2_000


def main() -> None:
    """Prints the ratio of each engine to the built-in processes."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.clusters")
    parser.add_argument("engines", nargs="*", default=["dask", "ray"], metavar="ENGINE")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--suite", default="five")
    parser.add_argument("--folder", type=Path, help="where rows are kept; a temporary folder without it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.folder or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        for finding in compared(folder, given.suite, given.rows, given.repeats, given.workers, given.engines):
            print(finding, flush=True)


def compared(
    folder: Path, suite: str, rows: int, repeats: int, workers: int, engines: Sequence[str]
) -> Iterator[Finding]:
    """The least time of each engine over that of the built-in processes."""
    large, small = _prepared(folder, suite, rows), _prepared(folder, suite, SMALL)
    found: dict[str, float] = {}
    with ExitStack() as stack:
        crews = {name: stack.enter_context(_started(name, workers, small)) for name in (BUILT_IN, *engines)}
        for _ in range(repeats):
            for name, crew in crews.items():
                found[name] = min(found.get(name, float("inf")), _seconds(large, crew))
    splits = len(large.test_set.splits())
    for name in engines:
        told = f"{found[name]:.2f} s, {found[BUILT_IN]:.2f} s, {splits} splits, {workers} workers"
        yield Finding(
            f"{suite}: {name} against the built-in processes", found[name] / found[BUILT_IN], "×", BAR, "at most", told
        )


@contextmanager
def _started(name: str, workers: int, small: Prepared) -> Iterator[Crew]:
    """An engine that has scored something already, on each of its workers."""
    with ENGINES.find(name)(workers=workers).crew() as crew:
        for _ in range(2 * workers):
            _seconds(small, crew)
        yield crew


def _prepared(folder: Path, suite: str, rows: int) -> Prepared:
    file = folder / f"rows_{rows}.jsonl"
    if not file.exists():
        write(folder, rows, ("jsonl",))
    return prepare(loads(suites.text(suite)), RunRequest(test_set=str(file)))


def _seconds(prepared: Prepared, crew: Crew) -> float:
    """How long the scoring takes, with its parts written into a run folder that goes away."""
    with RunFolder.passing() as folder:
        begun = perf_counter()
        scored(prepared, RunRequest(results=folder.working), crew, folder, Needed(), datetime.now().astimezone())
        return perf_counter() - begun


if __name__ == "__main__":
    main()
