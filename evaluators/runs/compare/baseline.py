"""The baseline of a suite: a copy of a run folder, which later runs are compared with."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from evaluators.model.issues import Problems, problem
from evaluators.runs.foreign_files import MadeNames, move_foreign, no_names
from evaluators.runs.reader import Run
from evaluators.runs.run_db import RUN_DB
from evaluators.runs.store import ENVIRONMENT_JSON, LINKS_JSON, RUN_JSON, is_free, write_issue
from evaluators.scoring.values.files import is_own_file
from evaluators.testsets.run_files import recorded_files

_OF_ONE_RUN: Final = (ENVIRONMENT_JSON, LINKS_JSON)
"""Files that two runs of the same rows do not share: times, host, command line, where it was sent."""


def write_baseline(place: Path, run: Run, made: MadeNames = no_names) -> None:
    """Copies what a run folder records of its rows to `place`, in place of the run folder that is there. What people have put there stays,
    and the files that reports have made from the old run are deleted; `made` gives their names.

    Raises Problems (config) where something else than a run folder is there, or the run is the one in `place`; (environment) where the
    copy cannot be written: what was there stays.
    """
    if place.resolve() == run.place.resolve():
        raise problem("is-baseline", "this run is the baseline already", where=str(place), hint="name another run")
    if place.resolve() in run.place.resolve().parents:
        message = "the run is in this folder, which it would replace"
        raise problem("is-baseline", message, where=str(place), hint="compare: {baseline: FOLDER} names another place")
    if not is_free(place) and (place.is_symlink() or not is_own_file(place / RUN_JSON)):
        message = "there is no run folder in this place, so it is not replaced"
        raise problem("not-a-baseline", message, where=str(place), hint="compare: {baseline: FOLDER} names another place")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        working = Path(mkdtemp(prefix=f".{place.name}.", dir=place.parent))
        try:
            for name in _kept_files(run.place):
                (working / "new" / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(run.place / name, working / "new" / name)
            if os.path.lexists(place):
                place.rename(working / "before")
                move_foreign(working / "before", working / "new", made)
            (working / "new").rename(place)
        finally:
            if not os.path.lexists(place) and os.path.lexists(working / "before"):
                move_foreign(working / "new", working / "before", no_names)
                (working / "before").rename(place)
            shutil.rmtree(working, ignore_errors=True)
    except OSError as error:
        raise Problems([write_issue(error, str(place), "the baseline")]) from None


def _kept_files(folder: Path) -> Iterator[Path]:
    """The files of a run folder that its baseline has, as paths from it on. Links lead elsewhere and are left out."""
    for file in sorted(map(Path, recorded_files(str(folder)))):
        name = file.relative_to(folder)
        if (name.parent.parts or name.name in (RUN_JSON, RUN_DB)) and name.name not in _OF_ONE_RUN and is_own_file(file):
            yield name
