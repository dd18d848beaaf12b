"""`python -m tests.tools.benchmarks [GOAL …] [--rows N] [--repeats N]`: how fast the command is, beside its bar.

Every figure is a ratio of two commands that run in turns in the same invocation, or a size. Nothing here is a test: a
figure that misses its bar is printed as missed.
"""

from __future__ import annotations

import argparse
import platform
import tempfile
from importlib.metadata import version
from pathlib import Path

from tests.tools.benchmarks.goals import GOALS, Bench


def main() -> None:
    """Measures the goals that are named, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.tools.benchmarks", description="Measures the goals.")
    parser.add_argument("goals", nargs="*", metavar="GOAL", help=", ".join(GOALS))
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where rows and runs are kept; a temporary folder without it")
    parser.add_argument("--agenta", help="a Python that has the package agenta, for P8")
    parser.add_argument("--promptfoo", help="the program promptfoo, for P10")
    given = parser.parse_args()
    unknown = [name for name in given.goals if name not in GOALS]
    if unknown:
        parser.error(f"there is no goal {', '.join(unknown)}; the goals are {', '.join(GOALS)}")
    print(f"CPython {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in LIBRARIES))
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(folder.resolve(), given.rows, given.repeats, given.agenta, given.promptfoo)
        for name in given.goals or GOALS:
            for finding in GOALS[name](bench):
                print(f"{name:<4} {finding}", flush=True)


LIBRARIES = ("msgspec", "pydantic", "pyarrow")

if __name__ == "__main__":
    main()
