"""The folder of a run: claimed before row 1 and filled in its place. `run.json` comes last: a folder without it is not finished.

    nightly/
        lock          held while the run goes
        run.db        what the run keeps of its rows, split by split
        run.json      the result; one that was cut short on purpose says so
        report.html … what was made from them

A run that does not come to `finish` leaves nothing, unless `leave` says so. With `force`, the run that was there waits beside it as
`.nightly.replaced` until the new one has scored every row, and one of those that was stopped as `.nightly.stopped` while another replaces
it. What people have put into its folder goes over to that of the new one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from evaluators.model.issues import Issue, Problems, problem
from evaluators.runs.folder_lock import FolderLock, lock_state, run_going_issue
from evaluators.runs.foreign_files import MadeNames, foreign_entries, move_foreign, no_names
from evaluators.runs.record_facts import SUITE_FOLDER
from evaluators.runs.result import RunResult
from evaluators.runs.run_db import RUN_DB, RunDb
from evaluators.runs.run_json import environment_json, run_json
from evaluators.runs.store import (
    ENVIRONMENT_JSON,
    LINKS_JSON,
    RUN_JSON,
    UNWRITTEN,
    free_places,
    is_free,
    is_partial,
    write_issue,
    write_text,
)
from evaluators.scoring.values.file_names import clip_name, why_no_file_name
from evaluators.scoring.values.files import is_own_file

_PRIVATE_FOLDER: Final = 0o700
_PRIVATE_FILE: Final = 0o600
_REPLACED, _STOPPED = ".{}.replaced", ".{}.stopped"
Before: TypeAlias = Literal["nothing", "another run", "this run"]
"""What was at the place of a run: with `another run`, which it replaces, that waits beside it; `this run` was taken up again."""


def default_name(started: datetime, fingerprint: str) -> str:
    """The name of a run that was given none: date, time and the first 8 digits of the fingerprint."""
    return f"{started:%Y-%m-%d_%H-%M-%S}_{fingerprint.rpartition(':')[2][:8]}"


class RunFolder:
    """A run folder that is being filled. Left without `finish`, it cleans up after itself. Only one program at a time has it."""

    def __init__(
        self, path: Path, lock: FolderLock | None = None, requested: Path | None = None, before: Before = "nothing"
    ) -> None:
        """Nothing is made here: see `create` and `resume`. `lock` is the lock of the folder, which is held already."""
        self.path = path
        self.requested_path = requested or path
        """Where the run would be, were nothing else there."""
        self.has_chosen_name = False
        """The program chose its name, and nobody asked for it."""
        self.made: MadeNames = no_names
        """Names the files of a run that goes which were made from it, and go with it."""
        self._before = before
        self._lock = lock
        self._open = True
        self._finished = False
        self._complete = False
        self._db: RunDb | None = None

    @classmethod
    def create(cls, results: str | Path, name: str, force: bool = False, made: MadeNames = no_names) -> RunFolder:
        """Makes and claims a run folder in the folder `results`, which is made where it is not there. It gets the first free name of
        `name`, `name`-2, `name`-3 and so on, or replaces the run called `name` when `force` is asked for. A name is not free while a
        run that was to be replaced waits beside it. `made` names the files that are made from a run, which go with it.

        Raises Problems (config) when the name cannot be a folder's, or when force is asked for and what is there is not a run
        (nothing else is ever removed); Problems (environment) when the folder cannot be written, or the run to be replaced goes on.
        """
        check_name(name)
        requested = Path(results) / name
        try:
            requested.parent.mkdir(parents=True, exist_ok=True)
            if force:
                _put_aside(requested, made)
            for path in free_places(requested):
                forced = force and path == requested
                if not forced and os.path.lexists(_replaced_path(path)):
                    continue
                if (lock := _claim(path)) is not None:
                    folder = cls(path, lock, requested, before="another run" if forced else "nothing")
                    folder.made = made
                    return folder
        except OSError as error:
            if force:
                _put_back(requested)
            issue = write_issue(error, str(results), "the folder of the results")
            raise Problems([replace(issue, hint="--results FOLDER names another folder")]) from error
        raise AssertionError  # there is always a next place

    @classmethod
    def unwritable(cls, path: Path, issue: Issue) -> RunFolder:
        """A folder that the system did not let anybody make: the rows stay in memory, and nothing is written. `issue` says why."""
        folder = cls(path)
        folder._db, folder._open = RunDb(), False
        folder._db.refused = issue
        return folder

    @classmethod
    def resume(cls, path: Path) -> RunFolder:
        """Takes the folder of a run that was ended, or stopped before its last row, and its lock, to fill it further.

        Raises Problems (environment) when the folder cannot be written, or while the run goes on elsewhere, (config) where something in
        it leads elsewhere.
        """
        try:
            if any(entry.is_symlink() for entry in path.iterdir()):
                message = "there is a link in this run folder, and nothing is written through links"
                hint = "`evaluators runs --clean` removes the folder"
                raise problem("damaged-run", message, where=str(path), hint=hint)
            lock = FolderLock(path)
            held = lock.take(patiently=True)
        except OSError as error:
            raise Problems([write_issue(error, str(path), "the run folder")]) from None
        if held != "mine":
            lock.release()
            raise Problems([run_going_issue(path, held)])
        return cls(path, lock, before="this run")

    @classmethod
    def temporary(cls) -> RunFolder:
        """A folder among the temporary files of the system that is never finished: for what is made from a run that keeps nothing."""
        from tempfile import mkdtemp

        return cls(Path(mkdtemp(prefix="evaluators-")))

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()

    @property
    def db(self) -> RunDb:
        """The file of its rows, opened. Raises Problems as `RunDb` does."""
        if self._db is None:
            self._db = RunDb(self.path / RUN_DB)
        return self._db

    def take_name(self, name: str) -> None:
        """Takes over the name that the user gave when the run began; an empty one says that the program chose it."""
        self.has_chosen_name = not name
        if name and why_no_file_name(name) is None:
            self.requested_path = self.path.with_name(name)

    def reopen(self, made: Iterable[str]) -> None:
        """Makes a stopped run an unfinished one again: its result, environment and links, its copy of the suite, half-written files, and
        the files `made` from its rows are deleted; foreign files stay.

        Raises Problems (environment) when the system refuses.
        """
        try:
            halves = [path.name for path in self.path.iterdir() if is_partial(path)]
            for path in map(self.path.joinpath, (RUN_JSON, ENVIRONMENT_JSON, LINKS_JSON, *halves, *made)):
                if path.is_file():
                    path.unlink()
        except OSError as error:
            raise Problems([write_issue(error, str(self.path), "the run folder")]) from None
        remove_folder(self.path / SUITE_FOLDER)

    def write(self, name: str, text: str) -> None:
        """Writes one file of the folder, in place of one of that name."""
        write_text(self.path / name, text, renews=True)

    def finish(self, result: RunResult, record: object = None) -> Path:
        """Closes `run.db`, writes `environment.json` and then `run.json`, with the `record` of the rows, lets nobody but the owner read the
        folder's files, and returns the folder. The run is finished from then on.

        Raises Problems (environment) when the system refuses.
        """
        if self._db is not None:
            self._db.close()
        if result.environment is not None:
            self.write(ENVIRONMENT_JSON, environment_json(result.environment))
        _make_private(self.path)
        self.write(RUN_JSON, run_json(self.with_folder_name(result), record))
        with suppress(OSError):
            os.chmod(self.path / RUN_JSON, _PRIVATE_FILE)
        self._finished, self._complete = True, result.complete
        return self.path

    def with_folder_name(self, result: RunResult) -> RunResult:
        """The result, with the name of its folder where the program chose that name."""
        return replace(
            result, folder=self.path.name if self.has_chosen_name or self.path != self.requested_path else None
        )

    def refusal(self, error: OSError | Problems) -> Issue | None:
        """Why the folder could not be written, under the name that people know; None for any other error."""
        if isinstance(error, OSError):
            return write_issue(error, str(self.path), "the run folder")
        first = error.issues[0]
        if first.code != UNWRITTEN or not (first.where or "").startswith(str(self.path)):
            return None
        return replace(first, where=str(self.path), message=first.message.replace("the file", "the run folder", 1))

    def discard(self) -> None:
        """Removes a run that is not finished; a finished one stays, and so does one that was resumed. The run that this one
        replaces is deleted when all rows are scored, and put back where nothing is left of this one."""
        if not self._open:
            return
        if self._finished or self._before == "this run":
            self.leave()
            if self._complete and self._before != "nothing":
                _delete_waiting(_replaced_path(self.path), self.path, self.made)
            return
        self._close()
        remove_folder(self.path)
        if self._before == "another run":
            _put_back(self.path)

    @property
    def waiting_folder(self) -> Path | None:
        """The folder of the run that waits to be replaced by this one; None where there is none."""
        replaced = _replaced_path(self.path)
        return replaced if os.path.lexists(replaced) else None

    def leave(self) -> None:
        """Ends here, and keeps what was written for whoever resumes the run. It takes the place of a stopped run that was to be
        replaced."""
        self._close()
        if self._before == "another run":
            _delete_waiting(_stopped_path(self.path), self.path, self.made)

    def _close(self) -> None:
        """Closes `run.db` and releases the lock. The file of the lock is deleted where the run has ended, which it has when
        there is a `run.json`."""
        self._open = False
        if self._db is not None:
            self._db.close()
        if self._lock is not None:
            self._lock.release(ended=os.path.lexists(self.path / RUN_JSON))


def remove_unfinished_run(folder: Path, made: MadeNames = no_names) -> bool:
    """Removes an unfinished run, and says whether it is gone. The run that it was to replace is put back.

    What somebody else put into its folder stays there. `made` names the files that are made from a run. Nothing is done where the run
    goes on, that cannot be told, or the folder is somebody else's.
    """
    if os.path.lexists(folder / RUN_JSON) or not is_own_file(folder / RUN_DB) or folder.is_symlink():
        return False
    lock = FolderLock(folder)
    try:
        if lock.take() != "mine":
            return False
    except OSError:
        return False
    finally:
        lock.release()
    before = _waiting_run(folder)
    with suppress(OSError):
        if before is not None:
            for entry in foreign_entries(folder, made):
                entry.rename(next(free_places(before / entry.name)))
        foreign = foreign_entries(folder, made)
        for entry in folder.iterdir() if foreign else ():
            if entry not in foreign:
                _remove(entry)
        if not foreign:
            remove_folder(folder)
    gone = not os.path.lexists(folder / RUN_DB)
    _put_back(folder)
    return gone


def check_name(name: str) -> None:
    """Raises Problems (config) for a name that cannot be a run's."""
    if (why := why_no_file_name(name)) is not None:
        raise problem(
            "run-name",
            f'"{clip_name(name)}" cannot be the name of a run, which is the name of one folder: it {why}',
            hint="letters, digits, spaces, - and _ are always fine",
        )


def _claim(path: Path) -> FolderLock | None:
    """Claims a folder: makes it, takes its lock and puts an empty `run.db` into it. Returns the lock; None where another
    process was quicker.

    Raises OSError; nothing is left then.
    """
    with suppress(FileExistsError):  # an empty folder may be there: it is as good as none
        path.mkdir(mode=_PRIVATE_FOLDER)
    lock = FolderLock(path)
    try:
        if lock.take() != "others":
            (path / RUN_DB).touch(_PRIVATE_FILE, exist_ok=False)
            return lock
    except FileExistsError:
        lock.release()
    except OSError:
        lock.release(ended=True)
        with suppress(OSError):
            path.rmdir()
        raise
    return None


def _put_aside(place: Path, made: MadeNames) -> None:
    """Makes room for a run that replaces the one at a place, which is moved beside it. `made` names the files that are made from a run.
    Raises Problems where something else than a run is there, or a run that still goes on; and OSError."""
    if is_free(place):
        return
    if place.is_symlink() or not any(is_own_file(place / name) for name in (RUN_JSON, RUN_DB)):
        message = f"this is not a run (it has no {RUN_JSON}), and --force replaces nothing but runs"
        raise problem("not-a-run-folder", message, where=str(place), hint="--name gives this run another name")
    if (held := lock_state(place)) == "others":
        raise Problems([run_going_issue(place, held)])
    aside = _replaced_path(place)
    if aside.exists() and not _is_complete(place):  # a run that was to replace it, and was ended
        aside = _stopped_path(place)
    _delete_waiting(aside, place, made)
    os.rename(place, aside)


def _is_complete(place: Path) -> bool:
    """Whether all rows of the run at a place are scored."""
    from evaluators.runs.reader import Run  # a run that replaces none does without it

    try:
        return Run(place).result.complete
    except Problems:
        return False


def _replaced_path(place: Path) -> Path:
    """The path to which a run is moved while another replaces it."""
    return place.with_name(_REPLACED.format(place.name))


def _stopped_path(place: Path) -> Path:
    """The path of a stopped run that was to replace the one at a place."""
    return place.with_name(_STOPPED.format(place.name))


def _waiting_run(place: Path) -> Path | None:
    """The run that was at a place last and waits to be replaced; None where there is none."""
    return next((aside for aside in (_stopped_path(place), _replaced_path(place)) if os.path.lexists(aside)), None)


def _put_back(place: Path) -> None:
    """Puts the run back that was moved from a place, where it was not replaced after all. One that cannot be moved stays where
    it waits."""
    if (aside := _waiting_run(place)) is not None:
        with suppress(OSError):
            os.rename(aside, place)


def _delete_waiting(aside: Path, place: Path, made: MadeNames) -> None:
    """Deletes the run `aside` that waited to be replaced, and moves files that no run has written to the folder at `place`. It
    stays where one of them cannot be moved. `made` names the files that are made from a run."""
    if os.path.lexists(aside):
        with suppress(OSError):
            move_foreign(aside, place, made)
            remove_folder(aside)


def remove_folder(folder: Path) -> None:
    """Deletes a folder with all that is in it, as far as the system lets it. Raises nothing."""
    from shutil import rmtree  # brings every kind of archive along

    rmtree(folder, ignore_errors=True)


def _remove(entry: Path) -> None:
    """Removes a file, a folder with all in it, or a link without what it leads to."""
    if entry.is_dir() and not entry.is_symlink():
        remove_folder(entry)
    else:
        entry.unlink()


def _make_private(folder: Path) -> None:
    """Lets nobody but their owner read the files and folders below a folder, where the system has such modes: rows may hold what others
    must not read."""
    with suppress(OSError):  # shares of other systems, and buckets that are mounted, refuse it
        for place, folders, files in os.walk(folder):
            for name in folders:
                os.chmod(os.path.join(place, name), _PRIVATE_FOLDER)
            for name in files:
                os.chmod(os.path.join(place, name), _PRIVATE_FILE)
