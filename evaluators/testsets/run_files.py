"""What runs have written among the files of a test set: their folders, and the files that they were asked for. None of it is read.

A run folder is known by what it holds, another file of a run by its place, which is in the `run.json` of that run.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path, PurePath
from typing import Final, TypeAlias

from evaluators.scoring.values.addresses import has_wildcards, shown_address, wildcard_steps
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.testsets.byte_source import OPEN_WORKBOOK
from evaluators.testsets.byte_store import files_at, inside, parent, resolve_place, scheme_of, store_of

RUN_FILE: Final = "run.json"
_ROWS_FILE: Final = "run.db"
"""What a run folder has, finished or not."""
WRITTEN: Final = "written"
"""The key of `run.json` for the files that the run was asked for, from its folder on."""
_DEFAULT: Final = Path("runs")


_Looking: TypeAlias = tuple[tuple[Path, ...], dict[str, None] | None]
"""Where runs are kept, and what was left out of a test set, in sentences; None where nobody asks for them."""
# ambient: functions that list what a suite names (see `note_listing`) look for files long after they were made
_looking: ContextVar[_Looking] = ContextVar("looking", default=((_DEFAULT,), None))


@contextmanager
def without_files_of_runs(results: Iterable[Path]) -> Iterator[dict[str, None]]:
    """A context in which files that runs in these folders of results have written are left out of test sets. It gives the notes on what was
    left out, which are added while places are opened."""
    notes: dict[str, None] = {}
    token = _looking.set(((*results, _DEFAULT), notes))
    try:
        yield notes
    finally:
        _looking.reset(token)


def files_without_runs(path: str, folder: Path) -> list[str]:
    """The files as `files_at` gives them, without those of runs."""
    return without_runs(path, folder, files_at(path, folder))


def without_runs(path: str, folder: Path, paths: Sequence[str]) -> list[str]:
    """The files and folders at a place, without run folders, what is in them, and other files that runs have written; notes on these are
    added for `without_files_of_runs`. What Excel keeps beside an open workbook, `~$rows.xlsx`, is left out, too.
    """
    paths = [path for path in paths if not PurePath(path).name.startswith(OPEN_WORKBOOK)]
    whole = {path: _absolute(resolve_place(folder, path)) for path in paths}
    top = _top_folder(_absolute(resolve_place(folder, path)))
    runs = _run_folders(whole.values(), top) | {
        path for path in whole.values() if not scheme_of(path) and is_run_folder(path)
    }
    results, _ = _looking.get()
    written = _written_files([*runs, *_run_folders_in(results)]) if not scheme_of(top) else set()
    of_runs = {
        path for path in paths if whole[path] in runs or any(step in runs for step in _folders_above(whole[path], top))
    }
    written_by_runs = {path for path in paths if path not in of_runs and whole[path] in written}
    _note_left_out(path, sorted(runs), sorted(written_by_runs))
    return [path for path in paths if path not in of_runs and path not in written_by_runs]


def fits(file: Path, place: str, folder: Path) -> bool:
    """Whether a file of this machine would be among those of a place, which is a folder or a pattern."""
    whole, path = _absolute(resolve_place(folder, place)), _absolute(str(file))
    if scheme_of(whole) or os.path.isfile(whole):
        return False
    if not has_wildcards(place):
        return os.path.isdir(whole) and Path(path).is_relative_to(whole)
    return wildcard_steps(PurePath(whole).parts, PurePath(path).parts) is not None


def _note_left_out(path: str, runs: Sequence[str], written: Sequence[str]) -> None:
    """Adds to the notes of `without_files_of_runs` that run folders and files which runs have `written` were left out of the place `path`,
    in a sentence for each kind. Outside of that context, nothing is noted."""
    (_, notes), shown = _looking.get(), shown_address(path)
    if notes is None:
        return
    if runs:
        subject = _subject(runs, "the run folder {} is", "{:,} run folders are")
        notes[f"{shown}: {subject} passed over; what a run has written is no test set"] = None
    if written:
        subject = _subject(written, "the file {} is", "{:,} files are")
        notes[f"{shown}: {subject} left out, because a run has written it with -o"] = None


def _subject(places: Sequence[str], singular: str, more: str) -> str:
    """The subject of a sentence about places: `singular` with the name of the only one, or `more` with how many they are."""
    return singular.format(os.path.basename(places[0])) if len(places) == 1 else more.format(len(places))


def _absolute(path: str) -> str:
    """A path of this machine from the root on; an address as it is."""
    return path if scheme_of(path) else os.path.abspath(path.removeprefix("file://"))


def _top_folder(place: str) -> str:
    """The folder at a place, or the last one before the wildcards of a pattern."""
    while has_wildcards(place) and store_of(place).kind(place) is None:
        place = parent(place)
    return place


def _folders_above(file: str, top: str) -> Iterator[str]:
    """The folders between a file and the top, the file's own first."""
    inner = parent(file)
    while len(inner) > len(top):
        yield inner
        inner = parent(inner)


def _run_folders(files: Iterable[str], top: str) -> set[str]:
    """The run folders below the top that hold some of the files."""
    files = list(files)
    names = set(files)

    @cache
    def is_run(place: str) -> bool:
        """Whether a folder is a run folder, by the files that are listed already where it is in a store."""
        if scheme_of(place):  # asking a store costs; a folder lists what it has
            return inside(place, _ROWS_FILE) in names
        return is_run_folder(place)

    return {place for file in files for place in _folders_above(file, top) if is_run(place)}


def is_run_folder(path: str) -> bool:
    """Whether a folder of this machine is a run folder, finished or not: it holds the file of the run's rows."""
    with suppress(OSError):
        names = os.listdir(path)
        return _ROWS_FILE in names
    return False


_RECORDED: Final = late_pattern(r"(run|environment|links)\.json|run\.db(-journal)?|lock|suite/.*", re.DOTALL)
"""The files of a run folder that hold the run: what else is there is made of them."""


def is_recorded(file: Path) -> bool:
    """Whether a file is in a run folder and, by its name, one of those that hold the run itself; it need not be there."""
    file = file.resolve()
    for folder in file.parents:
        if is_run_folder(str(folder)):
            return bool(_RECORDED.fullmatch(file.relative_to(folder).as_posix()))
    return False


def is_recorded_in(folder: Path, file: Path) -> bool:
    """Whether a file below the run folder `folder`, which need not be there yet, is by its name one of those that hold the run itself."""
    return file.is_relative_to(folder) and bool(_RECORDED.fullmatch(file.relative_to(folder).as_posix()))


def recorded_files(folder: str) -> Iterator[str]:
    """The files of a run folder that hold the run itself, without those that are made of them."""
    for at_, _, names in os.walk(folder):
        for name in names:
            file = os.path.join(at_, name)
            if _RECORDED.fullmatch(Path(file).relative_to(folder).as_posix()):
                yield file


def _run_folders_in(results: Iterable[Path]) -> Iterator[str]:
    """The entries of folders of results, which may be run folders; hidden ones are left out."""
    for folder in dict.fromkeys(map(str, results)):
        with suppress(OSError):
            yield from (entry.path for entry in os.scandir(folder) if not entry.name.startswith("."))


def _written_files(runs: Iterable[str]) -> set[str]:
    """The files that runs have written with -o, by their `run.json`."""
    written: set[str] = set()
    for run in runs:
        with suppress(OSError, ValueError, TypeError, AttributeError):
            data = Path(run, RUN_FILE).read_bytes()
            if f'"{WRITTEN}"'.encode() in data:
                written |= {os.path.abspath(os.path.join(run, file)) for file in json.loads(data).get(WRITTEN, ())}
    return written
