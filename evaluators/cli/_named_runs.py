"""The run that a command is given: a place, or the name of a run."""

from __future__ import annotations

import os
from pathlib import Path

import click

from evaluators.cli._printing import print_err


def newest_runs_of_suite(count: int) -> list[Path]:
    """The newest run in the folder `runs`, then the runs of the same suite before it: `count` in all. Prints to standard error which these
    are.

    Raises click.UsageError where there are not so many.
    """
    from evaluators.runs.run_listing import newest_runs

    newest = newest_runs(Path("runs"))
    of_suite = [run for run in newest if run.suite == newest[0].suite][:count]
    if len(of_suite) < count:
        there = "no run" if not newest else f'only one run of "{newest[0].suite}"'
        raise click.UsageError(f"there is {there} in runs; name the run{'s' if count > 1 else ''}")
    print_err(f"the newest: {' and '.join(str(run.place) for run in of_suite)}")
    return [run.place for run in of_suite]


def run_place(written: str | None) -> Path:
    """The place on this machine of the run that a user has `written`; one in a store is fetched. Without anything, it is the newest run in
    `runs`.

    A bare name is the newest of the runs NAME, NAME-2, NAME-3 and so on, in the current folder or else in `runs`; where that is another
    folder than NAME, it is printed to standard error. Everything else is a path or an address.

    Raises Problems when the run cannot be fetched from its store.
    """
    if written is None:
        return newest_runs_of_suite(1)[0]
    from evaluators.api.remote_files import run_here
    from evaluators.runs.run_listing import newest_run

    bare = written not in ("", os.curdir, os.pardir) and not set(written) & {"/", os.sep, os.altsep}
    if not bare or os.path.isfile(written):
        return run_here(written)
    for folder in (Path(), Path("runs")):
        if (newest := newest_run(written, folder)) is not None:
            place, count = newest
            if count > 1 or place.name != written:
                alone = "" if place.name == written else f"; {os.path.join(folder, written)} is that folder alone"
                runs = "the only run" if count == 1 else f"the newest of {count:,} runs"
                print_err(f"{written}: {runs} of that name is {place}{alone}")
            return place
    return run_here(written)
