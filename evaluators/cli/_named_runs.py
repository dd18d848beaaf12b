"""The run that a command is given: a place, or the name of a run."""

from __future__ import annotations

import os
from pathlib import Path


def run_place(written: str) -> Path:
    """A run folder on this machine. A bare name is the newest of the runs NAME, NAME-2, NAME-3 and so on, where one stands or in the
    folder `runs`; which one that is goes to standard error. Everything else is the place that is written.

    Raises Problems when it cannot be fetched from its store.
    """
    from evaluators.api.remote_runs import run_here
    from evaluators.cli._printing import tell
    from evaluators.reports.display import visible
    from evaluators.run.run_listing import newest_run

    bare = written not in ("", os.curdir, os.pardir) and not set(written) & {"/", os.sep, os.altsep}
    if not bare or os.path.isfile(written):
        return run_here(written)
    for folder in (Path(), Path("runs")):
        if (found := newest_run(written, folder)) is not None:
            place, among = found
            if among > 1 or place.name != written:
                alone = "" if place.name == written else f"; {os.path.join(folder, written)} is that folder alone"
                runs = "the only run" if among == 1 else f"the newest of {among:,} runs"
                tell(visible(f"{written}: {runs} of that name is {place}{alone}"))
            return place
    return run_here(written)
