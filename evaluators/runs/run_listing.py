"""The runs in a folder of results: finished ones, those that are going, and those that were ended."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from evaluators.model.issues import Problems, problem
from evaluators.runs.folder_lock import LOCK, lock_state
from evaluators.runs.reader import Run
from evaluators.runs.run_db import RUN_DB, RunDb
from evaluators.runs.run_json import read_environment
from evaluators.runs.store import ENVIRONMENT_JSON, RUN_JSON
from evaluators.scoring.values.files import is_own_file, read_small

State: TypeAlias = Literal["finished", "stopped", "unreadable", "going", "unfinished", "left behind"]
"""`stopped` is finished, but not with all rows; `left behind` does not say what it holds."""


class ListedRun(Struct, frozen=True):
    """One run."""

    name: str
    place: Path
    state: State
    started: str | None = None
    suite: str | None = None
    test_set: str | None = None
    rows: int | None = None
    exit_code: int | None = None
    evaluator: str | None = None
    """The first evaluator."""
    score: float | None = None
    """Its mean score."""
    splits: tuple[int, int | None] | None = None
    """How many splits of an unfinished run are finished, and of how many, where that is known."""


def list_runs(results: Path) -> list[ListedRun]:
    """The runs, by name. Raises Problems (config) where there is no such folder."""
    try:
        places = sorted(place for place in results.iterdir() if _has_result(place))
    except OSError:
        hint = "runs are written to the folder `runs`, unless the suite or --results says otherwise"
        raise problem("no-results", "there is no such folder", where=str(results), hint=hint) from None
    runs = [*map(_list_finished, places), *map(_list_unfinished, unfinished_runs(results))]
    return sorted(runs, key=lambda run: (run.name, run.place))


def _has_result(path: Path) -> bool:
    """Whether there is a finished run at a place: not one that waits to be replaced."""
    return not path.name.startswith(".") and os.path.isfile(path / RUN_JSON)


def newest_run(name: str, folder: Path) -> tuple[Path, int] | None:
    """The newest of the runs NAME, NAME-2, NAME-3 and so on in a folder, and how many of them there are; None where there is none,
    or the folder cannot be read."""
    numbers = re.compile(re.escape(name) + r"(?:-([2-9]|[1-9][0-9]+))?")
    try:
        run_folders = [
            place for place in folder.iterdir() if numbers.fullmatch(place.name) and os.path.isfile(place / RUN_JSON)
        ]
        if not run_folders:
            return None
        newest = max(run_folders, key=lambda place: (*_begin_and_write_time(place), len(place.name), place.name))
        return newest, len(run_folders)
    except OSError:
        return None


def newest_runs(results: Path) -> list[ListedRun]:
    """The runs that can be read, the newest first; none where there is no such folder."""
    try:
        runs = [run for run in list_runs(results) if run.state in ("finished", "stopped")]
    except Problems:
        return []
    return sorted(runs, key=lambda run: (*_begin_and_write_time(run.place), len(run.name), run.name), reverse=True)


def _begin_and_write_time(path: Path) -> tuple[datetime, int]:
    """When a run began, to the second, and when its result was written, in nanoseconds. Sorted by these, the newest run is last."""
    written = os.stat(path / RUN_JSON).st_mtime_ns
    try:
        environment = read_environment(read_small(path / ENVIRONMENT_JSON), ENVIRONMENT_JSON)
        return datetime.fromisoformat(environment.started).astimezone(), written
    except (OSError, ValueError, Problems):
        return datetime.fromtimestamp(written // 1_000_000_000).astimezone(), written


def _list_finished(path: Path) -> ListedRun:
    """A run with a `run.json` as lists show it: finished, stopped early, or unreadable. The score is the mean of its first
    evaluator."""
    try:
        result = Run(path).result
    except Problems:
        return ListedRun(path.name, path, "unreadable")
    started = result.environment.started if result.environment is not None else None
    state: State = "finished" if result.complete else "stopped"
    first = result.evaluators[0] if result.evaluators else None
    return ListedRun(
        path.name, path, state, started, suite=result.name, test_set=result.test_set, rows=result.rows,
        exit_code=result.exit_code, evaluator=first.name if first else None, score=first.mean if first else None,
    )  # fmt: skip


def _list_unfinished(path: Path) -> ListedRun:
    """A run without a result as lists show it: one that goes on, or one that was ended."""
    held = lock_state(path)
    going = held != "mine"
    try:
        if (path / RUN_DB).stat().st_size == 0:  # claimed, and not begun
            return ListedRun(path.name, path, "going" if going else "unfinished", _begin_time(path), splits=(0, None))
        # what was being written when the program ended is rolled back, which a reader cannot do
        with closing(RunDb(path / RUN_DB, readonly=going or not _has_journal(path))) as db:
            about, splits = db.about(), (db.splits(), db.expected_splits())
    except (OSError, ValueError, sqlite3.Error, Problems):
        return ListedRun(path.name, path, "going" if going else "left behind")
    return ListedRun(
        path.name, path, "going" if going else "unfinished", _begin_time(path), about.get("suite"), about.get("test set"), splits=splits
    )  # fmt: skip


def _has_journal(path: Path) -> bool:
    """Whether SQLite's journal is beside `run.db`: a transaction was not finished."""
    return os.path.lexists(path / f"{RUN_DB}-journal")


def _begin_time(path: Path) -> str | None:
    """When an unfinished run began, as the time of its lock in ISO format; None without a lock."""
    try:
        started_at = datetime.fromtimestamp(os.lstat(path / LOCK).st_mtime)
    except OSError:
        return None
    return started_at.astimezone().isoformat(timespec="seconds")


def unfinished_runs(results: Path) -> list[Path]:
    """The folders of runs that are not finished, sorted by name."""
    try:
        return [folder for folder in sorted(results.iterdir()) if _is_unfinished(folder)]
    except OSError:
        return []


def _is_unfinished(path: Path) -> bool:
    """Whether a folder holds a run that has a `run.db` and no `run.json` yet; hidden folders and links do not count."""
    return (
        not path.name.startswith(".")
        and not path.is_symlink()
        and is_own_file(path / RUN_DB)
        and not os.path.lexists(path / RUN_JSON)
    )
