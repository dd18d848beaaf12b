"""`python -m tests.integrations.harnesses.waiting_service --seconds 1 --workers 2`: a service whose suite waits where a test says so.

The expected value of its comparator is a folder with two named pipes. The process that scores writes its number into `began`, which it
keeps open as long as it lives or scores, and then waits for somebody to open `go`. So a test knows what is under way without a clock.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import evaluators
from evaluators.integrations.harnesses._web import run_server
from evaluators.integrations.harnesses.serve import ScoreApp

BUSY: Final = "busy"
"""An output that keeps the processor, and Python's lock, in place of waiting."""


def waits(expected: Any, actual: Any, params: Mapping[str, Any]) -> bool:
    """A match, as soon as the test says so; other texts than folders match at once, and `end` ends the process."""
    folder = Path(str(expected))
    if str(actual) == "end":
        os._exit(7)
    if not folder.is_dir():
        return True
    with open(folder / "began", "w", encoding="ascii") as began:
        began.write(f"{os.getpid()}\n")
        began.flush()
        if actual == BUSY:
            return re.match("(a|a)*$", "a" * 64 + "b") is None
        with open(folder / "go", encoding="ascii") as go:
            go.read()
    return True


def first_word(value: Any, params: Mapping[str, Any]) -> Any:
    """A transform of the program's own."""
    return str(value).split()[0]


def app(score_seconds: float | None, workers: int = 1) -> ScoreApp:
    """The service."""
    evaluators.register("waits", waits, overwrite=True)
    suite = evaluators.load({"evaluators": [{"json_multi_field_match": {"name": "it", "fields": {"a": "waits"}}}]})
    return ScoreApp({"it": suite}, score_seconds=score_seconds, workers=workers)


def main() -> None:
    """Serves until it is stopped; prints the address first."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    served = app(given.seconds, given.workers)
    run_server(
        served, "127.0.0.1", 0, lambda address: print(f"{address}/score", flush=True), extra="serve", start=served.start,
        close=served.close,
    )  # fmt: skip


if __name__ == "__main__":
    main()
