"""The run folder: claimed before row 1, filled beside its place, and moved there in one step.

Everything is written into a hidden folder next to the final one (`evaluators.run.working_folder`). `finish` renames it, so that
a reader sees a whole run or none; a run that was cut short on purpose is finished too, and its `run.json` says so. Without
`finish` nothing stays, unless `leave` says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, TextIO

from msgspec import structs
from msgspec.structs import replace

from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.run.result import RunResult
from evaluators.run.run_json import environment_json, read_environment, read_run, run_json
from evaluators.run.run_names import RUN_JSON, free_places, is_free
from evaluators.run.write_errors import UNWRITTEN, reason, unwritten
from evaluators.values.file_names import shown, why_no_file_name
from evaluators.values.small_files import NoSmallFile, read_small

if TYPE_CHECKING:
    from evaluators.run.working_folder import UnfinishedRun, WorkingFolder

NOT_MOVED: Final = "not-moved"
"""The code of the problem of a run that is whole, and could not be moved to its place."""
ENVIRONMENT_JSON: Final = "environment.json"
LINKS_JSON: Final = "links.json"
MOST_RUN_BYTES: Final = 1024**3
"""The largest run.json that is read."""


def default_name(started: datetime, fingerprint: str) -> str:
    """The name of a run that was given none: date, time and the first 8 digits of the fingerprint."""
    return f"{started:%Y-%m-%d_%H-%M-%S}_{fingerprint.rpartition(':')[2][:8]}"


class RunFolder:
    """A run folder that is being written. Use it as a context: left without `finish`, it cleans up after itself."""

    def __init__(self, asked: Path, folder: WorkingFolder, force: bool, place: Path | None = None) -> None:
        self.asked = asked
        """Where the run would be, were nothing else there."""
        self.path = place or asked
        """Where the run will be, as far as is known before `finish`."""
        self.folder = folder
        """Where it is until then."""
        self.chosen = False
        """Nobody asked for the name."""
        self.working = folder.run
        """Where its files are until then."""
        self._force = force
        self._open = True

    @classmethod
    def create(cls, results: str | Path, name: str, force: bool = False) -> RunFolder:
        """A new run folder in the folder `results`, which is made when it is not there. It gets the first free one of the names
        `name`, `name`-2, `name`-3 and so on, or replaces the run called `name` when `force` is asked for.

        Raises Problems (config) when the name cannot be a folder's, or when force is asked for and what is there is not a run
        (nothing else is ever removed); Problems (environment) when the folder cannot be written.
        """
        check_name(name)
        asked = Path(results) / name
        if force:
            _check_replaceable(asked)
        final = asked if force else next(free_places(asked))
        from evaluators.run.working_folder import WorkingFolder  # whoever reads runs does without it

        try:
            return cls(asked, WorkingFolder.begin(final.parent, final.name), force, final)
        except OSError as error:
            issue = unwritten(error, str(results), "the folder of the results")
            raise Problems([replace(issue, hint="--results FOLDER names another folder")]) from None

    @classmethod
    def begin(cls, results: str | Path, unfinished: UnfinishedRun, force: bool = False) -> RunFolder:
        """The same for a run that can be gone on with when it is ended. Raises Problems as `create` does."""
        folder = cls.create(results, unfinished.name, force)
        folder.chosen = unfinished.asked is None
        try:
            folder.folder.note(structs.replace(unfinished, name=folder.path.name))
        except OSError as error:
            folder.discard()
            raise Problems([unwritten(error, str(folder.path), "the run folder")]) from None
        return folder

    @classmethod
    def go_on(cls, place: Path, final: Path, force: bool = False) -> RunFolder:
        """The run folder of a run that was ended, whose working folder is at a place. With `force`, it replaces what was kept of it.

        Raises Problems (environment) when the folder cannot be written, or while the run goes on elsewhere.
        """
        from evaluators.run.working_folder import WorkingFolder

        try:
            working = WorkingFolder.reopen(place)
            asked = working.unfinished.asked if working.unfinished is not None else None
            folder = cls(final if asked is None else final.with_name(asked), working, force, final)
            folder.chosen = asked is None
            return folder
        except OSError as error:
            raise Problems([unwritten(error, str(place), "the working folder")]) from None

    @classmethod
    def passing(cls) -> RunFolder:
        """A folder that is never finished: for what is made from a run that keeps nothing."""
        from evaluators.run.working_folder import WorkingFolder

        folder = WorkingFolder.passing()
        return cls(folder.place, folder, force=False)

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()

    def write(self, name: str, text: str) -> None:
        """Put one file into the folder."""
        write_text(self.working / name, text)

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
                self.folder.move(place, replaces)
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
        if first.code != UNWRITTEN or not (first.where or "").startswith(str(self.folder.place)):
            return None
        return replace(first, where=str(self.path), message=first.message.replace("the file", "the run folder", 1))

    def discard(self) -> None:
        """Remove what was written; a finished run stays where it is."""
        if self._open:
            self._open = False
            self.folder.remove()

    def leave(self) -> None:
        """End here. What was written stays for whoever goes on with the run."""
        if self._open:
            self._open = False
            self.folder.leave()


def load_run(place: Path) -> RunResult:
    """The run in a run folder, or in a `run.json`.

    Raises Problems (config) when there is none.
    """
    file, text = run_file(place)
    return with_environment(read_run(text, str(file)), file, place)


def with_environment(result: RunResult, file: Path, place: Path) -> RunResult:
    """The result of a `run.json` with what the file beside it says. Raises Problems (config) where that is damaged."""
    beside = file.with_name(ENVIRONMENT_JSON)
    if file.name != RUN_JSON or not beside.exists():
        return result
    return replace(result, environment=read_environment(_bytes_of(beside, place), str(beside)))


def run_file(place: Path) -> tuple[Path, bytes]:
    """The `run.json` of a run folder, or the file itself, and what it holds. Raises Problems (config) when there is none."""
    file = place / RUN_JSON if place.is_dir() else place
    return file, _bytes_of(file, place)


def note_written(place: Path, result: RunResult, files: Iterable[Path]) -> RunResult:
    """The result with the further files that its run has written, as paths from its folder on; those in the folder are none."""
    outside = [file for file in map(os.path.abspath, files) if not Path(file).is_relative_to(place.absolute())]
    return replace(result, written=tuple(dict.fromkeys([*result.written, *(_from(place, file) for file in outside)])))


def _from(place: Path, file: str) -> str:
    try:
        return Path(os.path.relpath(file, place)).as_posix()
    except ValueError:  # another drive
        return file


def write_text(path: Path, text: str) -> None:
    """Write a whole file, or leave what was there. Folders on the way are made.

    Raises Problems (environment) when the system does not take it.
    """
    with open_text(path) as stream:
        stream.write(text)


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """A UTF-8 stream into a file that appears, whole, when the block ends without an error.

    Line ends are written as they are. Half of a surrogate pair, which UTF-8 cannot hold, is written as `\\ud83d`. Raises
    Problems (environment) that name the file, not the hidden one beside it, when the system does not take it.
    """
    working = path.with_name(f".{path.name}.{_token()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(working, "x", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            yield stream
        os.replace(working, path)
    except OSError as error:
        raise Problems([unwritten(error, str(path))]) from error
    finally:
        with suppress(OSError):
            working.unlink()


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


def _check_replaceable(final: Path) -> None:
    if not _replaceable(final):
        raise problem(
            "not-a-run-folder",
            "this is not a run (it has no run.json), and --force replaces nothing but runs",
            where=str(final),
            hint="--name gives this run another name",
        )


def _bytes_of(file: Path, place: Path) -> bytes:
    try:
        if file.is_symlink():
            raise problem(
                "not-a-run", "this is a link to elsewhere, and a run folder holds its own files", where=str(file)
            )
        return read_small(file, MOST_RUN_BYTES)
    except NoSmallFile as error:
        raise problem("not-a-run", f"this {error}", where=str(file), hint="a run folder holds run.json") from None
    except FileNotFoundError:
        said = f"there is no {file.name} in it, so it is not a run folder" if place.is_dir() else "there is no such run"
        raise problem("not-a-run", said, where=str(place), hint="a run folder holds run.json") from None
    except OSError as error:
        raise problem("not-a-run", f"it cannot be read: {reason(error)}", where=str(file)) from None


_PRIVATE_FOLDER: Final = 0o700
_PRIVATE_FILE: Final = 0o600


def _make_private(folder: Path) -> None:
    """Files and folders for their owner alone, where the system has such modes: rows may hold what others must not read."""
    with suppress(OSError):  # shares of other systems, and buckets that are mounted, refuse it
        for place, folders, files in os.walk(folder):
            for name in folders:
                os.chmod(os.path.join(place, name), _PRIVATE_FOLDER)
            for name in files:
                os.chmod(os.path.join(place, name), _PRIVATE_FILE)


def _token() -> str:
    """A word that nobody else has."""
    return os.urandom(4).hex()
