"""The run that a command is given: a place, or the name of a run."""

from __future__ import annotations

import os
from pathlib import Path

import click

from evaluators.cli._printing import print_err


def newest_runs_of_suite(wanted: int) -> list[Path]:
    """The newest run in `runs`, then the runs of the same suite before it. Which ones these are goes to standard error.

    Raises click.UsageError where there are not so many.
    """
    from evaluators.runs.run_listing import newest_runs

    newest = newest_runs(Path("runs"))
    of_suite = [run for run in newest if run.suite == newest[0].suite][:wanted]
    if len(of_suite) < wanted:
        there = "no run" if not newest else f'only one run of "{newest[0].suite}"'
        raise click.UsageError(f"there is {there} in runs; name the run{'s' if wanted > 1 else ''}")
    print_err(f"the newest: {' and '.join(str(run.place) for run in of_suite)}")
    return [run.place for run in of_suite]


def run_place(written: str | None) -> Path:
    """A run folder on this machine. A bare name is the newest of the runs NAME, NAME-2, NAME-3 and so on, where one stands or in the
    folder `runs`; which one that is goes to standard error. Everything else is the place that is written.

    Without one, it is the newest run in `runs`.

    Raises Problems when it cannot be fetched from its store.
    """
    if written is None:
        return newest_runs_of_suite(1)[0]
    from evaluators.api.remote_files import run_here
    from evaluators.runs.run_listing import newest_run

    bare = written not in ("", os.curdir, os.pardir) and not set(written) & {"/", os.sep, os.altsep}
    if not bare or os.path.isfile(written):
        return run_here(written)
    for folder in (Path(), Path("runs")):
        if (found := newest_run(written, folder)) is not None:
            place, among = found
            if among > 1 or place.name != written:
                alone = "" if place.name == written else f"; {os.path.join(folder, written)} is that folder alone"
                runs = "the only run" if among == 1 else f"the newest of {among:,} runs"
                print_err(f"{written}: {runs} of that name is {place}{alone}")
            return place
    return run_here(written)
