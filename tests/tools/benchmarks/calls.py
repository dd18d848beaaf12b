"""`python tests/tools/benchmarks/calls.py FOLDER`: how many functions are called for each row, by what is done.

Counts need no clock, so they are the same on a busy machine. Each command is run in this process over a file of rows and over one of
twice as many, and the difference counts: what a run does once is not in it. The program imports nothing of the tests, so that it can
be run with another version of the package. Lists and maps that are made in one expression are functions of their own up to Python
3.11, so they are left out. Needs the files that `history.prepared` writes.
"""

from __future__ import annotations

import cProfile
import json
import runpy
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import CodeType
from typing import Final

ROWS: Final = 256
"""The rows of the small file; the large one has twice as many."""
COMMANDS: Final = {
    "five": ("run", "five", "--no-results", "-q"),
    "five_stored": ("run", "five", "--results", "runs", "--name", "calls", "--force", "-q"),
    "listed": ("run", "dots", "--no-results", "-q"),
    "ordered": ("run", "schema_ordered", "--no-results", "-q"),
    "key": ("run", "schema_key", "--no-results", "-q"),
    "hungarian": ("run", "schema_hungarian", "--no-results", "-q"),
    "five_check": ("check", "five", "--all"),
}
"""What is counted: the command, the suite and its options, by the name of its column in the history."""
UNBROKEN: Final = (0, 1, 3)
"""A gate that fails and a row that cannot be measured are no reason to stop."""
_UNCOUNTED: Final = ("<listcomp>", "<dictcomp>", "<setcomp>")


def calls(words: Sequence[str]) -> int:
    """How many functions the command line calls. Raises RuntimeError where it cannot do what it is told."""
    profile, before, said = cProfile.Profile(), sys.argv, StringIO()
    sys.argv = ["evaluators", *words]
    try:
        with redirect_stdout(said), redirect_stderr(said):
            profile.runcall(runpy.run_module, "evaluators", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if ended.code not in (None, *UNBROKEN):
            raise RuntimeError(f"{' '.join(words)}\n{said.getvalue()}") from None
    finally:
        sys.argv = before
    found = 0
    for entry in profile.getstats():
        if not (isinstance(entry.code, CodeType) and entry.code.co_name in _UNCOUNTED):
            found += entry.callcount
    return found


def per_row(folder: Path) -> dict[str, float]:
    """Calls for each row, by the names of `COMMANDS`."""
    found: dict[str, float] = {}
    for name, (command, suite, *options) in COMMANDS.items():
        options = [str(folder / one) if one == "runs" else one for one in options]
        few, many = (
            [command, str(folder / f"{suite}.yaml"), str(folder / f"rows_{count}.jsonl"), *options]
            for count in (ROWS, 2 * ROWS)
        )
        for _ in range(2):
            calls(few)  # what is done for the first time is done now, also where a run takes the place of another one
        found[name] = round((calls(many) - calls(few)) / ROWS, 1)
    return found


if __name__ == "__main__":
    print(json.dumps(per_row(Path(sys.argv[1]).resolve())))
