"""Where a run is while it is not finished: a hidden folder beside its place, which stays when the run is ended.

    .nightly.1a2b3c4d.partial/
        unfinished.json   what it holds, for people
        lock              held while the run goes
        parts/            what splits have written; one folder for each variant
        run/              the run folder that is being made

`run/` is moved to the run's place in one step, and then the rest goes away. What is read here is data, whoever wrote it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.run.folder_lock import FolderLock, Holding, holding
from evaluators.run.run_names import RUN_JSON, free_places
from evaluators.run.unchanged import FileMark
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.values.small_files import NoSmallFile, is_own_file, read_small

if TYPE_CHECKING:
    from evaluators.run.kept_splits import KeptSplits

UNFINISHED_JSON: Final = "unfinished.json"
FORMAT: Final = 2
"""The version of what splits leave. What another version left is scored again."""
_RUN: Final = "run"
_REPLACED: Final = "run.old"
_NAME: Final = re.compile(r"\.(.+)\.[0-9a-f]{8}\.partial", re.DOTALL)
_ABOUT: Final = (
    "A run that is not finished. `evaluators run SUITE --name NAME --resume` goes on with it; "
    "`evaluators runs --clean` removes it."
)
_MOST_BYTES: Final = 16 * 1024 * 1024
_PRIVATE_FOLDER: Final = 0o700


class RunIdentity(Struct, frozen=True):
    """What two attempts at a run must have in common, so that the splits of one are those of the other."""

    suite_fingerprint: str
    columns: Mapping[str, str]
    versions: Mapping[str, str]
    options: Mapping[str, str] = field(default_factory=dict)
    """What else decides what is written of a row, by the words that messages have for it."""
    meaning: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The settings of the suite, as checksums: see `evaluators.run.settings_fingerprint`."""

    @property
    def key(self) -> str:
        """A checksum of all of it, which checkpoints carry."""
        text = json.dumps(msgspec.to_builtins(self), sort_keys=True)
        return sha256(text.encode()).hexdigest()[:16]


class SplitCount(Struct, frozen=True):
    """How far a variant is."""

    finished: int
    splits: int


class UnfinishedRun(Struct, frozen=True, kw_only=True):
    """What `unfinished.json` says."""

    about: str = _ABOUT
    format: int = FORMAT
    name: str
    asked: str | None = None
    """The name that was asked for, which may have been taken; None where nobody asked for one."""
    started: str
    suite: str
    test_set: str
    data_fingerprint: str | None = None
    """None until the files have been read to their end."""
    splits: dict[str, SplitCount] = field(default_factory=dict)
    """By variant; "" where there are none. A variant that has not begun is not among them."""
    files: tuple[dict[str, tuple[FileMark, ...]], ...] = ()
    """The states in which the files of each variant were met; all of them the same data."""
    identity: RunIdentity

    @property
    def finished(self) -> int:
        """How many splits are finished."""
        return sum(count.finished for count in self.splits.values())

    @property
    def splits_known(self) -> str:
        """How many there are, as messages say it; of the variants that have begun."""
        every = sum(count.splits for count in self.splits.values())
        return f"{every:,} part{'' if every == 1 else 's'}"


class WorkingFolder:
    """The working folder of a run that goes on here. Only one program at a time has it."""

    def __init__(self, place: Path, lock: FolderLock) -> None:
        self.place = place
        self.run = place / _RUN
        """The run folder that is being made."""
        self._lock = lock
        self.unfinished: UnfinishedRun | None = None

    @classmethod
    def begin(cls, results: Path, name: str) -> WorkingFolder:
        """A new one. Raises OSError."""
        results.mkdir(parents=True, exist_ok=True)
        while True:
            place = results / f".{name}.{os.urandom(4).hex()}.partial"
            place.mkdir(mode=_PRIVATE_FOLDER)
            lock = FolderLock(place)
            with suppress(FileNotFoundError):  # somebody who cleans up may see it before it is locked
                if lock.take() != "others":
                    folder = cls(place, lock)
                    folder.run.mkdir(mode=_PRIVATE_FOLDER)
                    return folder

    @classmethod
    def passing(cls) -> WorkingFolder:
        """One that nobody goes on with, among the temporary files of the system."""
        from tempfile import mkdtemp

        place = Path(mkdtemp(prefix="evaluators-"))
        folder = cls(place, FolderLock(place))
        folder.run.mkdir()
        return folder

    @classmethod
    def reopen(cls, place: Path) -> WorkingFolder:
        """The one that an ended run left. Raises Problems (environment) while the run goes on elsewhere, (config) where something in
        it leads elsewhere."""
        if any(entry.is_symlink() for entry in place.iterdir()):
            message = "there is a link in this working folder, and nothing is written through links"
            raise problem("damaged-parts", message, where=str(place), hint="`evaluators runs --clean` removes the folder")
        lock = FolderLock(place)
        held = lock.take(patiently=True)
        if held != "mine":
            lock.release()
            raise Problems([_taken(place, held)])
        folder = cls(place, lock)
        folder.unfinished = read_unfinished(place)
        _remove(folder.run)
        folder.run.mkdir(mode=_PRIVATE_FOLDER)
        return folder

    def parts(self, variant: str | None) -> Path:
        """The folder for what the splits of a variant write; made when it is not there."""
        folder = self.place / f"parts{'' if variant is None else '-' + variant}"
        folder.mkdir(exist_ok=True)
        return folder

    def note(self, unfinished: UnfinishedRun) -> None:
        """Says what the folder holds from now on. Raises OSError."""
        from evaluators.testsets.byte_store import store_of

        self.unfinished = unfinished
        text = json.dumps(msgspec.to_builtins(unfinished), indent=2) + "\n"
        store_of(str(self.place)).put(str(self.place / UNFINISHED_JSON), text.encode())

    def count(self, variant: str | None, finished: int, splits: int, data: str | None) -> None:
        """Notes how far a variant is, and the fingerprint of the data where it is known. That it cannot be noted ends no run."""
        if self.unfinished is not None:
            counts = {**self.unfinished.splits, variant or "": SplitCount(finished, splits)}
            known = data or self.unfinished.data_fingerprint
            with suppress(OSError):
                self.note(replace(self.unfinished, splits=counts, data_fingerprint=known))

    def kept(self, job: str, variant: str | None, lines: Sequence[EvaluatorLine]) -> KeptSplits:
        """The finished splits of a variant, by the key of their job."""
        from evaluators.run.kept_splits import KeptSplits  # a run of one split has no use for it

        states = self.unfinished.files if self.unfinished is not None else ()
        return KeptSplits(
            str(self.parts(variant)), job, tuple(state.get(variant or "", ()) for state in states), tuple(lines)
        )

    def move(self, final: Path, replaces: bool = False) -> None:
        """Puts the run folder at its place, which is free, or which it `replaces`. Raises OSError, above all where something else is
        there by now."""
        if not (replaces and final.exists()):
            with suppress(OSError):
                os.rmdir(final)  # an empty folder, which not every system replaces
            os.rename(self.run, final)
            return
        old = self.place / _REPLACED
        os.rename(final, old)
        try:
            os.rename(self.run, final)
        except OSError:
            os.rename(old, final)
            raise

    def leave(self) -> None:
        """Ends here, and leaves the folder for whoever goes on."""
        self._lock.release()

    def remove(self) -> None:
        """Takes the folder away."""
        self._lock.release()
        _remove(self.place)


class LeftFolder(NamedTuple):
    """A working folder that was found."""

    place: Path
    name: str
    """The name of its run."""
    holding: Holding
    """`others` while the run goes, `unknown` where that cannot be told."""
    unfinished: UnfinishedRun | None
    """None where it does not say what it holds: nobody can go on with it."""

    @property
    def whole(self) -> bool:
        """The run has been scored to its end, and did not come to its place."""
        return self.holding == "mine" and _is_run(self.place / _RUN)

    @property
    def finished(self) -> int:
        """How many splits say that they are finished; none in a folder that cannot be read."""
        from evaluators.run.kept_splits import kept_indexes

        if not os.access(self.place, os.R_OK | os.X_OK):
            return 0
        places = [one for one in self.place.iterdir() if one.name.partition("-")[0] == "parts" and not one.is_symlink()]
        return sum(len(kept_indexes(str(one))) for one in places if one.is_dir())


def left_folders(results: Path) -> list[LeftFolder]:
    """The working folders of a folder of results, sorted by name."""
    try:
        places = [place for place in sorted(results.iterdir()) if _NAME.fullmatch(place.name)]
    except OSError:
        return []
    return [found for place in places if (found := left_folder(place)) is not None]


def left_folder(place: Path) -> LeftFolder | None:
    """The working folder at a place; None where none is."""
    named = _NAME.fullmatch(place.name)
    if named is None or place.is_symlink() or not place.is_dir():
        return None
    return LeftFolder(place, named[1], holding(place), read_unfinished(place))


class Cleaned(NamedTuple):
    """What became of what a run left."""

    removed: bool
    kept: Path | None = None
    """Where the run is that was whole, and had not come to its place."""


def clean(left: LeftFolder) -> Cleaned:
    """Removes what a run left; a run that is whole goes to its place first. Nothing is done where the run goes on, that cannot be told,
    or the folder is somebody else's."""
    lock = FolderLock(left.place)
    try:
        if lock.take() != "mine":
            return Cleaned(False)
        kept = put_back(left)
    except OSError:
        return Cleaned(False)
    finally:
        lock.release()
    _remove(left.place)
    return Cleaned(not left.place.exists(), kept)


def put_back(left: LeftFolder) -> Path | None:
    """Puts a run that is whole to its place, and gives that: one that could not be moved, or the one that was about to be replaced when
    its program ended. None where there is none. Raises OSError."""
    new, old = left.place / _RUN, left.place / _REPLACED
    if left.whole:
        place = _moved(new, left.place.parent / left.name)
        _remove(old)
        return place
    return _moved(old, left.place.parent / left.name) if new.is_dir() and _is_run(old) else None


def _moved(folder: Path, asked: Path) -> Path:
    """Puts a folder to the first free place of its name."""
    for place in free_places(asked):
        try:
            os.rename(folder, place)
        except OSError:
            if not os.path.lexists(place):
                raise
        else:
            return place
    raise AssertionError  # there is always a next place


def _is_run(folder: Path) -> bool:
    return not folder.is_symlink() and is_own_file(folder / RUN_JSON)


def read_unfinished(place: Path) -> UnfinishedRun | None:
    """What a working folder says of itself; None where it says nothing that can be read."""
    file = place / UNFINISHED_JSON
    if not is_own_file(file):
        return None
    try:
        found = msgspec.convert(json.loads(read_small(file, _MOST_BYTES)), UnfinishedRun)
    except (OSError, NoSmallFile, ValueError, RecursionError):
        return None
    return found if found.format == FORMAT else None


def other_format(place: Path) -> int | None:
    """The version of what a working folder holds, where it is not the one of this program; None where it says none."""
    try:
        found = json.loads(read_small(place / UNFINISHED_JSON, _MOST_BYTES))
    except (OSError, ValueError, RecursionError, NoSmallFile):
        return None
    known = found.get("format") if isinstance(found, dict) else None
    return known if isinstance(known, int) and known != FORMAT else None


def _taken(place: Path, held: Holding) -> Issue:
    if held == "others":
        message = "this run is still going: another process works in its folder"
        return Issue("run-going", Blame.ENVIRONMENT, message, str(place), "wait for its end, or stop that process")
    message = "it cannot be told whether this run is still going: the file system has no locks"
    return Issue("run-going", Blame.ENVIRONMENT, message, str(place), "copy the folder to a local disk")


def _remove(folder: Path) -> None:
    from shutil import rmtree  # brings every kind of archive along

    rmtree(folder, ignore_errors=True)
