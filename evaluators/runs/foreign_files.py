"""What people put into the folder of a run: it stays when another run takes the place of that one."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TypeAlias

from evaluators.model.issues import Problems
from evaluators.runs.reader import Run
from evaluators.runs.schema_inference import INFERRED_SCHEMA
from evaluators.runs.store import is_partial
from evaluators.testsets.run_files import is_recorded_in

MadeNames: TypeAlias = Callable[[Iterable[str | None], Iterable[str]], Collection[str]]
"""From variants and evaluators to the names of files that reports put into the folder of their run."""


def no_names(variants: Iterable[str | None], evaluators: Iterable[str]) -> Collection[str]:
    """No names at all: what a run without reports has in place of a function that names its reports."""
    return ()


def foreign_entries(folder: Path, made: MadeNames) -> list[Path]:
    """The files and folders in the folder of a run that no run has written. `made` names the files that are made from a run.

    Raises OSError.
    """
    entries = [  # without the files of the run, and without the folders of such files
        entry for entry in sorted(folder.iterdir())
        if not (is_partial(entry) or is_recorded_in(folder, entry) or is_recorded_in(folder, entry / "file"))
    ]  # fmt: skip
    ours = _made_names(folder, made) if entries else ()  # to name all formats takes as long as a short run
    return [entry for entry in entries if entry.name not in ours]


def move_foreign(before: Path, place: Path, made: MadeNames) -> None:
    """Moves what no run has written from the folder `before` of a run to the folder `place`; what has the name of a file there stays.

    `made` names the files that are made from a run. Raises OSError.
    """
    for entry in foreign_entries(before, made):
        if not os.path.lexists(place / entry.name):
            entry.rename(place / entry.name)


def _made_names(folder: Path, made: MadeNames) -> set[str]:
    """The names of the files that reports have made from the run in the folder: formats, and a schema for each evaluator.
    `made` gives the names of formats by variants and evaluators. Of a run that was not finished, only those that need no
    evaluator."""
    try:
        run = Run(folder)
    except Problems:  # it was never finished
        return {*made((), ())}
    evaluators = [evaluator.name for evaluator in run.result.evaluators]
    return {*made(run.result.variants or (None,), evaluators), *map(INFERRED_SCHEMA.format, evaluators)}
