"""Freezes what the scoring answers, and compares today's answers with frozen ones.

    python -m tests.tools.freeze make FOLDER [--kind schema] [--rows 1000] [--seed 1] [--commit NAME]
    python -m tests.tools.freeze compare FOLDER [--kind schema] [--first 5] [--suite schema_config/0012] [--because RULE]

`make` writes the answers of the package that is imported. To freeze those of another commit, have it in a folder of its own and put
that folder first: `PYTHONPATH=FOLDER:. python -m tests.tools.freeze make ...`, started elsewhere. `compare` prints a count for each
kind and the first answers that differ, and ends with 1 where there is one. With `--because` it writes them down as changed, for a
reason that the table of rules gives.
"""

from __future__ import annotations

import argparse
import subprocess
from collections import Counter
from pathlib import Path

import evaluators
from tests.tools.freeze.answers import long_numbers
from tests.tools.freeze.frozen_files import Difference, add_changes, kinds_in, unexplained, write
from tests.tools.freeze.kinds import DRAWN, FOUND, suites_of
from tests.tools.freeze.showing import shown


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.freeze", description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("make", "compare"):
        command = commands.add_parser(name)
        command.add_argument("folder", type=Path)
        command.add_argument("--kind", default="", help="kinds whose names begin so")
        if name == "make":
            command.add_argument("--rows", type=int, default=1_000, help="rows of each kind that is drawn")
            command.add_argument("--seed", type=int, default=1)
            command.add_argument("--commit", help="which code is imported; that of the package's folder without it")
        else:
            command.add_argument("--first", type=int, default=5, help="how many differing rows are shown in full")
            command.add_argument("--suite", help="one suite, by its name or its number")
            command.add_argument("--because", help="the rule that is the reason of all that differs: it is written down")
    asked = parser.parse_args()
    with long_numbers():
        return make(asked) if asked.command == "make" else compare(asked)


def make(asked: argparse.Namespace) -> int:
    commit = asked.commit or commit_of(Path(evaluators.__file__).parent)
    for kind in [kind for kind in (*DRAWN, *FOUND) if kind.startswith(asked.kind)]:
        header = {"commit": commit, "seed": asked.seed}
        rows = write(asked.folder, kind, header, suites_of(kind, asked.seed), asked.rows if kind in DRAWN else 10**6)
        print(f"{kind}: {rows:,} rows")
    return 0


def commit_of(folder: Path) -> str:
    return subprocess.run(
        ["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    ).stdout.strip()


def compare(asked: argparse.Namespace) -> int:
    found: list[Difference] = []
    stale: list[str] = []
    for kind in [kind for kind in kinds_in(asked.folder) if kind.startswith(asked.kind)]:
        more, old, rows = unexplained(asked.folder, kind, asked.suite)
        differing = Counter(place(one) for one in more)
        said = ", ".join(f"{place} {count:,}" for place, count in differing.most_common()) or "as it was"
        print(f"{kind}: {rows:,} rows: {said}", flush=True)
        found, stale = found + more, stale + old
    print(*(f"\nno change any more: {name}" for name in stale), sep="", end="\n" if stale else "")
    print(shown(found, asked.first))
    if asked.because:
        add_changes(asked.folder, found, asked.because)
    return 1 if found or stale else 0


def place(one: Difference) -> str:
    """What differs: an explanation, a record, outcome lines, or a figure of the run."""
    words = one.name.split(" ")[1:]
    return (words[2] if words[0] == "row" else " ".join(words)).split(".")[0]


if __name__ == "__main__":
    raise SystemExit(main())
