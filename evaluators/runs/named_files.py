"""The files that a suite and a run name, so that no command writes over them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from evaluators.model.issues import Problems
from evaluators.model.settings import Loc
from evaluators.runs.record_facts import RecordFacts
from evaluators.runs.result import RunResult
from evaluators.scoring.values.addresses import has_wildcards
from evaluators.scoring.values.files import reading_inside
from evaluators.suites import source as suite_source
from evaluators.suites.extends import PRESETS
from evaluators.suites.source import SuiteSource
from evaluators.testsets.byte_store import local_path, resolve_place, scheme_of
from evaluators.testsets.derived import as_pattern
from evaluators.testsets.run_files import files_without_runs, fits, is_run_folder, recorded_files
from evaluators.testsets.test_set_config import PLACES


class RecordedRun(Protocol):
    """A run that has been read: where it is, and what it says of itself."""

    @property
    def place(self) -> Path:
        """The run folder, or the `run.json`."""

    @property
    def result(self) -> RunResult:
        """Its metrics, and the machine and files that it was made with."""

    @property
    def facts(self) -> RecordFacts:
        """The record of its rows. Raises Problems where nothing was recorded."""


def named_by_suite(source: SuiteSource) -> Iterator[str]:
    """The files that a suite is made of, and all that its texts name: test sets, schemas, prices, recorded answers, its baseline.

    Any text that is the place of a file counts, so a setting that is new is no gap.
    """
    for document in source.documents:
        if document.locs is None and not document.name.startswith("preset:"):
            yield str(document.file or Path(document.folder or Path(), os.path.basename(document.name)))
    for loc, text in _texts(source.data):
        yield from _files_of(text, source.folder_of(loc) or Path(), of_rows=loc[:1] == ("test_set",))


def named_by_run(run: RecordedRun) -> Iterator[str]:
    """The files that a run folder holds of its run, and those that the run read where it was scored: its suite, and what that names,
    and the test set of the command."""
    if run.place.is_dir():
        yield from recorded_files(str(run.place))
    else:
        yield str(run.place)
    environment = run.result.environment
    if environment is None:
        return
    for text, folder in _places_of_rows(run):
        yield from _files_of(text, folder, of_rows=True)
    if environment.suite:
        yield environment.suite
        yield from _named_by_copy(run, Path(environment.suite).parent)


def is_among_rows(run: RecordedRun, file: Path) -> bool:
    """Whether the test set of a run would have a file among its rows the next time: its folder has it, or it fits its pattern."""
    return any(fits(file, as_pattern(text), folder) for text, folder in _places_of_rows(run))


def _places_of_rows(run: RecordedRun) -> list[tuple[str, Path]]:
    """The places of a run's rows, each with the folder that it is relative to; empty where the run does not name them."""
    environment = run.result.environment
    if environment is None or not environment.test_set:
        return []
    try:
        settings = json.loads(environment.test_set)
        folder = Path(settings["folder"])
        return [(text, folder) for _, text in _texts({name: settings["settings"].get(name) for name in PLACES})]
    except (ValueError, TypeError, KeyError, AttributeError):  # somebody else's file
        return []


def _named_by_copy(run: RecordedRun, folder: Path) -> Iterator[str]:
    """The files named by the suite in a run folder, relative to the folder in which the suite stood. Nothing outside of the run
    folder is read."""
    try:
        with reading_inside(run.place, PRESETS):
            copy = suite_source.load(run.place / run.facts.suite)
    except Problems:  # a variable is not set here, or nothing was recorded
        return
    for document in copy.documents:
        if not document.name.startswith("preset:"):
            yield str(folder / os.path.relpath(document.file or document.name, copy.folder or Path()))
    for loc, text in _texts(copy.data):
        own = os.path.relpath(copy.folder_of(loc) or Path(), copy.folder or Path())
        yield from _files_of(text, folder / own, of_rows=loc[:1] == ("test_set",))


def _texts(value: Any, loc: Loc = ()) -> Iterator[tuple[Loc, str]]:
    """Every text in plain data, with its place."""
    if isinstance(value, str):
        yield loc, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _texts(inner, (*loc, key))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from _texts(inner, (*loc, index))


def _files_of(text: str, folder: Path, *, of_rows: bool) -> Iterator[str]:
    """Yields the file that a text names, an address as it is; of a run folder the files of its run; nothing where it names none. With
    `of_rows`, the text is a place of rows, which may also be a folder of files or a pattern. What cannot be read is passed over."""
    place = resolve_place(folder, text)
    local = local_path(place)
    if local is None:
        yield place
        return
    with suppress(OSError, ValueError, Problems):
        if os.path.isfile(local):
            yield local
        elif os.path.isdir(local) and is_run_folder(local):
            yield from recorded_files(local)
        elif of_rows and (os.path.isdir(local) or has_wildcards(text) or "{" in text):
            for file in files_without_runs(as_pattern(text), folder):
                if not scheme_of(file):
                    yield str(folder / file)
