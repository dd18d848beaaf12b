"""The run folder that is being made: claimed before row 1, filled beside its place, and moved there in one step.

Everything is written into a hidden folder next to the final one. `finish` renames what it holds, so that a reader sees a whole run or
none; a run that was cut short on purpose is finished too, and its `run.json` says so. Without `finish` nothing stays, unless `leave`
says so.

    .nightly.1a2b3c4d.partial/
        unfinished.json   what it holds, for people
        lock              held while the run goes
        parts/            what splits have written; one folder for each variant
        run/              the run folder that is being made
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Final

import msgspec
from msgspec.structs import replace

from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.run.result import RunResult
from evaluators.run.run_json import environment_json, run_json
from evaluators.run.store import (
    ENVIRONMENT_JSON,
    RUN_JSON,
    UNWRITTEN,
    free_places,
    is_free,
    reason,
    unwritten,
    write_text,
)
from evaluators.run.working_folder import (
    IN_WORK,
    REPLACED,
    UNFINISHED_JSON,
    FolderLock,
    SplitCount,
    UnfinishedRun,
    read_unfinished,
    remove_folder,
    run_going,
)
from evaluators.testsets.byte_store import store_of
from evaluators.values.files import shown, why_no_file_name

NOT_MOVED: Final = "not-moved"
"""The code of the problem of a run that is whole, and could not be moved to its place."""
_PRIVATE_FOLDER: Final = 0o700
_PRIVATE_FILE: Final = 0o600


def default_name(started: datetime, fingerprint: str) -> str:
    """The name of a run that was given none: date, time and the first 8 digits of the fingerprint."""
    return f"{started:%Y-%m-%d_%H-%M-%S}_{fingerprint.rpartition(':')[2][:8]}"


class RunFolder:
    """A run folder that is being made. Use it as a context: left without `finish`, it cleans up after itself.

    Only one program at a time has it.
    """

    def __init__(self, asked: Path, path: Path, hidden: Path, lock: FolderLock, force: bool = False) -> None:
        self.asked = asked
        """Where the run would be, were nothing else there."""
        self.path = path
        """Where the run will be, as far as is known before `finish`."""
        self.hidden = hidden
        """The hidden folder that holds everything until then."""
        self.working = hidden / IN_WORK
        """Where the files of the run are until then."""
        self.unfinished = read_unfinished(hidden)
        """What the hidden folder says of itself; None where nobody can go on with the run."""
        self._lock = lock
        self._force = force
        self._open = True
        remove_folder(self.working)
        self.working.mkdir(mode=_PRIVATE_FOLDER)

    @classmethod
    def create(cls, results: str | Path, name: str, force: bool = False) -> RunFolder:
        """A new run folder in the folder `results`, which is made when it is not there. It gets the first free one of the names
        `name`, `name`-2, `name`-3 and so on, or replaces the run called `name` when `force` is asked for.

        Raises Problems (config) when the name cannot be a folder's, or when force is asked for and what is there is not a run
        (nothing else is ever removed); Problems (environment) when the folder cannot be written.
        """
        check_name(name)
        asked = Path(results) / name
        if force and not _replaceable(asked):
            message = "this is not a run (it has no run.json), and --force replaces nothing but runs"
            hint = "--name gives this run another name"
            raise problem("not-a-run-folder", message, where=str(asked), hint=hint)
        final = asked if force else next(free_places(asked))
        try:
            final.parent.mkdir(parents=True, exist_ok=True)
            while True:
                hidden = final.with_name(f".{final.name}.{os.urandom(4).hex()}.partial")
                hidden.mkdir(mode=_PRIVATE_FOLDER)
                lock = FolderLock(hidden)
                with suppress(FileNotFoundError):  # somebody who cleans up may see it before it is locked
                    if lock.take() != "others":
                        return cls(asked, final, hidden, lock, force)
        except OSError as error:
            issue = unwritten(error, str(results), "the folder of the results")
            raise Problems([replace(issue, hint="--results FOLDER names another folder")]) from None

    @classmethod
    def begin(cls, results: str | Path, unfinished: UnfinishedRun, force: bool = False) -> RunFolder:
        """A new folder for a run that can be continued after it was stopped. Raises Problems as `create` does."""
        folder = cls.create(results, unfinished.name, force)
        try:
            folder.note(replace(unfinished, name=folder.path.name))
        except OSError as error:
            folder.discard()
            raise Problems([unwritten(error, str(folder.path), "the run folder")]) from None
        return folder

    @classmethod
    def go_on(cls, hidden: Path, final: Path, force: bool) -> RunFolder:
        """The run folder of a run that was ended, from the hidden folder that it left. With `force`, it replaces what was kept of it.

        Raises Problems (environment) when the folder cannot be written, or while the run goes on elsewhere, (config) where something in
        it leads elsewhere.
        """
        try:
            if any(entry.is_symlink() for entry in hidden.iterdir()):
                message = "there is a link in this working folder, and nothing is written through links"
                hint = "`evaluators runs --clean` removes the folder"
                raise problem("damaged-parts", message, where=str(hidden), hint=hint)
            lock = FolderLock(hidden)
            held = lock.take(patiently=True)
            if held != "mine":
                lock.release()
                raise Problems([run_going(hidden, held)])
            folder = cls(final, final, hidden, lock, force)
        except OSError as error:
            raise Problems([unwritten(error, str(hidden), "the working folder")]) from None
        if folder.unfinished is not None and folder.unfinished.asked is not None:
            folder.asked = final.with_name(folder.unfinished.asked)
        return folder

    @classmethod
    def passing(cls) -> RunFolder:
        """A folder among the temporary files of the system that is never finished: for what is made from a run that keeps nothing."""
        from tempfile import mkdtemp

        hidden = Path(mkdtemp(prefix="evaluators-"))
        return cls(hidden, hidden, hidden, FolderLock(hidden))

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()

    @property
    def chosen(self) -> bool:
        """Nobody asked for the name."""
        return self.unfinished is not None and self.unfinished.asked is None

    def write(self, name: str, text: str) -> None:
        """Put one file into the folder."""
        write_text(self.working / name, text, renews=True)

    def parts(self, variant: str | None) -> Path:
        """The folder for what the splits of a variant write; made when it is not there."""
        folder = self.hidden / f"parts{'' if variant is None else '-' + variant}"
        folder.mkdir(exist_ok=True)
        return folder

    def note(self, unfinished: UnfinishedRun) -> None:
        """Says what the folder holds from now on. Raises OSError."""
        self.unfinished = unfinished
        text = json.dumps(msgspec.to_builtins(unfinished), indent=2) + "\n"
        store_of(str(self.hidden)).put(str(self.hidden / UNFINISHED_JSON), text.encode())

    def count(self, variant: str | None, finished: int, splits: int, data: str | None) -> None:
        """Notes how far a variant is, and the fingerprint of the data where it is known. That it cannot be noted ends no run."""
        if self.unfinished is not None:
            counts = {**self.unfinished.splits, variant or "": SplitCount(finished, splits)}
            known = data or self.unfinished.data_fingerprint
            with suppress(OSError):
                self.note(replace(self.unfinished, splits=counts, data_fingerprint=known))

    def finish(self, result: RunResult, record: object = None) -> Path:
        """Write `run.json`, with the `record` of the rows, and `environment.json`, and move the folder to its place, which is given back.
        Where the place was taken meanwhile, that is the next free one.

        Raises Problems (environment) when the system refuses; a whole run is then kept where the message says.
        """
        if result.environment is not None:
            self.write(ENVIRONMENT_JSON, environment_json(result.environment))
        for place, replaces in self._places():
            self.path = place
            self.write(RUN_JSON, run_json(self.named(result), record))
            _make_private(self.working)
            try:
                self._move(place, replaces)
            except OSError as error:
                if os.path.lexists(place):
                    continue  # somebody else was quicker
                self.leave()
                message = f"the run could not be moved to its place: {reason(error)}"
                hint = f"nothing is lost: the run is in {self.working}"
                raise Problems([Issue(NOT_MOVED, Blame.ENVIRONMENT, message, str(place), hint)]) from None
            return place
        raise AssertionError  # there is always a next place

    def _places(self) -> Iterator[tuple[Path, bool]]:
        """Where the run may go, the best place first, and whether it replaces what is there."""
        if is_free(self.path) or (self._force and _replaceable(self.path)):
            yield self.path, self._force
        yield from ((place, False) for place in free_places(self.asked))

    def _move(self, final: Path, replaces: bool) -> None:
        """Puts the run folder at its place, which is free, or which it `replaces`. Raises OSError, above all where something else is
        there by now."""
        if not (replaces and final.exists()):
            with suppress(OSError):
                os.rmdir(final)  # an empty folder, which not every system replaces
            os.rename(self.working, final)
            return
        old = self.hidden / REPLACED
        os.rename(final, old)
        try:
            os.rename(self.working, final)
        except OSError:
            os.rename(old, final)
            raise

    def named(self, result: RunResult) -> RunResult:
        """The result, with the name of its folder where nobody asked for that."""
        return replace(result, folder=self.path.name if self.chosen or self.path != self.asked else None)

    def refusal(self, error: OSError | Problems) -> Issue | None:
        """Why the folder could not be written, under the name that people know; None for any other error."""
        if isinstance(error, OSError):
            return unwritten(error, str(self.path), "the run folder")
        first = error.issues[0]
        if first.code == NOT_MOVED:
            return first
        if first.code != UNWRITTEN or not (first.where or "").startswith(str(self.hidden)):
            return None
        return replace(first, where=str(self.path), message=first.message.replace("the file", "the run folder", 1))

    def discard(self) -> None:
        """Remove what was written; a finished run stays where it is."""
        if self._open:
            self.leave()
            remove_folder(self.hidden)

    def leave(self) -> None:
        """End here. What was written stays for whoever goes on with the run."""
        self._open = False
        self._lock.release()


def check_name(name: str) -> None:
    """Raises Problems (config) for a name that cannot be a run's."""
    if (why := why_no_file_name(name)) is not None:
        raise problem(
            "run-name",
            f'"{shown(name)}" cannot be the name of a run, which is the name of one folder: it {why}',
            hint="letters, digits, spaces, - and _ are always fine",
        )


def _replaceable(final: Path) -> bool:
    """Whether there is a run at a place, or nothing that anybody would miss."""
    return is_free(final) or (not final.is_symlink() and os.path.isfile(final / RUN_JSON))


def _make_private(folder: Path) -> None:
    """Files and folders for their owner alone, where the system has such modes: rows may hold what others must not read."""
    with suppress(OSError):  # shares of other systems, and buckets that are mounted, refuse it
        for place, folders, files in os.walk(folder):
            for name in folders:
                os.chmod(os.path.join(place, name), _PRIVATE_FOLDER)
            for name in files:
                os.chmod(os.path.join(place, name), _PRIVATE_FILE)
