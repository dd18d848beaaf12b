"""`evaluators run --watch`: the run, and the run again after every change, until Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from evaluators.api.execute import finish
from evaluators.api.loading import load
from evaluators.api.rescoring import files_of, watch
from evaluators.api.run_request import RunRequest
from evaluators.cli._endings import print_problems
from evaluators.cli._printing import print_page, say
from evaluators.issues import Problems
from evaluators.reports.headline import one_line
from evaluators.reports.summary import summary
from evaluators.run.result import RunResult

_PAUSE_SECONDS: Final = 0.5


def watch_run(suite: str, request: RunRequest) -> None:
    """Prints the summary of the run, and after every change of its files what moved. Ends with KeyboardInterrupt."""
    known: list[Path] = [Path(suite)]
    first = True

    def score() -> RunResult | None:
        nonlocal first
        try:
            finished = finish(load(suite), request)
        except Problems as error:
            print_problems(error.issues)
            return None
        if first:
            print_page(summary(finished.result, finished.options))
            first = False
        return finished.result

    def files() -> list[Path]:
        nonlocal known
        with suppress(Problems):  # what was watched before still is, until it can be read again
            known = files_of(load(suite), request)
        return known

    for result, lines in watch(score, files, _ticks()):
        if result is not None and lines:
            say("".join(f"{line}\n" for line in ("", one_line(result), *(f"- {line}" for line in lines))))
        say(f"Watching {len(known):,} files. Ctrl-C ends it.\n")


def _ticks() -> Iterator[None]:
    while True:
        time.sleep(_PAUSE_SECONDS)
        yield
