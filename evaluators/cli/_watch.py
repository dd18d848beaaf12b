"""`evaluators run --watch`: the run, and the run again after every change, until Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from evaluators.api.comparisons import compare
from evaluators.api.execute import finish
from evaluators.api.loading import load
from evaluators.api.run_object import Run
from evaluators.api.run_options import RunOptions, prepare_rows
from evaluators.cli._printing import print_out, print_page, print_problems, print_run
from evaluators.model.issues import Problems
from evaluators.reports.comparison_page import comparison_page
from evaluators.runs.places import suite_places

_PAUSE_SECONDS: Final = 0.5


def watch_run(suite: str, test_set: str | None, options: RunOptions) -> None:
    """Runs a suite and prints the summary, and again after every change of the files that it reads, then with a comparison with the run
    before, also where settings changed. Goes on until KeyboardInterrupt.

    Files in stores are not watched. While the suite cannot be read, the files from before are.
    """
    files, last = [Path(suite)], None
    while True:
        seen = _file_states(files)
        try:
            loaded = load(suite)
            data = prepare_rows(loaded, test_set, options).test_set.files
            files = [*suite_places(loaded), *(Path(source.local) for source in data if source.local is not None)]
            seen = {**_file_states(files), **seen}  # a change while it is scored is seen by the next look
            finished = finish(loaded, test_set, looked_at=True, **options)
            run = Run.from_result(finished.result, finished.record, finished.lines, None, finished.let_go)
            print_run(run.result, replace(finished.options, run=""))  # nothing of it is kept
            if last is not None:
                print_out("\n")
                print_page(comparison_page(compare(last, run, fail_on=(), common=True, across_settings=True)))
            last = run
        except Problems as error:
            print_problems(error.issues)
        print_out(f"Watching {len(seen):,} files. Ctrl-C ends it.\n")
        while _file_states(seen) == seen:
            time.sleep(_PAUSE_SECONDS)


def _file_states(files: Iterable[Path]) -> dict[Path, tuple[int, int] | None]:
    """When each file was last written, in nanoseconds, and how long it is; None for one that is not there."""
    states: dict[Path, tuple[int, int] | None] = {}
    for file in files:
        try:
            about = file.stat()
        except OSError:
            states[file] = None
        else:
            states[file] = about.st_mtime_ns, about.st_size
    return states
