"""Files of run folders: texts that appear whole or not at all, the places that runs of one name get, and what is said when the system
does not take a file."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final, TextIO

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.runs.folder_lock import LOCK
from evaluators.scoring.values.files import is_read
from evaluators.testsets.byte_store import local_path
from evaluators.testsets.run_files import is_recorded

UNWRITTEN: Final = "unwritten"

_NO_ROOM: Final = frozenset([errno.ENOSPC, errno.EDQUOT])


def write_issue(error: OSError, named: str, what: str = "the file") -> Issue:
    """The issue (environment) of a file, or of `what` else could not be written. `named` is the place that the user gave, whatever its
    working file is called."""
    return Issue(UNWRITTEN, Blame.ENVIRONMENT, f"{what} cannot be written: {system_message(error)}", named, _hint(error))


def system_message(error: OSError) -> str:
    """The message of the system, in lower case: `no space left on device`."""
    return (error.strerror or str(error)).lower()


def _hint(error: OSError) -> str:
    """A hint about a file that the system does not take."""
    if error.errno in _NO_ROOM:
        return "make room there, or name another place"
    if error.errno == errno.EFBIG:
        return "the system limits the size of files here; `ulimit -f` shows the limit"
    return "name another place, or let this user write there"


RUN_JSON: Final = "run.json"
ENVIRONMENT_JSON: Final = "environment.json"
LINKS_JSON: Final = "links.json"
_PARTIAL: Final = ".partial"


def write_text(path: Path, text: str, *, renews: bool = False) -> None:
    """Write a whole file, or leave what was there. Folders on the way are made.

    Raises Problems as `open_text` does.
    """
    with open_text(path, renews=renews) as stream:
        stream.write(text)


@contextmanager
def open_text(path: Path, *, renews: bool = False) -> Iterator[TextIO]:
    """Yields a UTF-8 stream into a hidden file, which takes its place at `path` when the block ends without an error, and is deleted else.

    Line ends are written as they are. Half of a surrogate pair, which UTF-8 cannot hold, is written as `\\ud83d`. Raises
    Problems (environment) that name the file, not the hidden one beside it, when the system does not take it; (config) for a
    file that the job reads or that a run folder is made of, unless the file `renews` what the program itself keeps.
    """
    if not renews and (issue := refused_place(path)) is not None:
        raise Problems([issue])
    working = path.with_name(f".{path.name}.{os.urandom(4).hex()}{_PARTIAL}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(working, "x", encoding="utf-8", errors="backslashreplace", newline="") as stream:
            yield stream
        os.replace(working, path)
    except OSError as error:
        raise Problems([write_issue(error, str(path))]) from error
    finally:
        with suppress(OSError):
            working.unlink()


def is_partial(path: Path) -> bool:
    """Whether a file was about to be written when a program was ended."""
    return path.name.startswith(".") and path.name.endswith(_PARTIAL)


def refused_place(place: str | Path) -> Issue | None:
    """The problem (config) of a place where a user's file, or the record of a run, would be written over; None for any other."""
    local = local_path(str(place))
    if is_read(str(place) if local is None else local):
        message = "this file is read, or named by what is read, so it is not written over"
        return Issue("overwrites-input", Blame.CONFIG, message, str(place), "give what is written another name")
    if local is not None and is_recorded(Path(local)):
        message = "the run folder itself has a file of that name, and what it records is not written over"
        return Issue("overwrites-run", Blame.CONFIG, message, str(place), "give what is written another name")
    return None


def check_written(places: Iterable[str]) -> None:
    """Raises Problems (config) with every place where what a job reads, or the record of a run, would be written over: before the first
    file is written."""
    if issues := [issue for place in places if (issue := refused_place(place)) is not None]:
        raise Problems(issues)


def numbered_names(name: str) -> Iterator[str]:
    """The names that runs of one name get, one after the other: NAME, NAME-2, NAME-3 and so on."""
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def is_free(path: Path) -> bool:
    """Whether a run can be put at a place: nothing is there, or a folder that holds no more than the lock of a program that was killed
    when it had claimed it. Whoever claims the folder sees whether the lock is held."""
    if not os.path.lexists(path):
        return True
    try:
        return not path.is_symlink() and path.is_dir() and all(_is_empty_lock(entry) for entry in path.iterdir())
    except OSError:  # somebody else's folder
        return False


def _is_empty_lock(entry: Path) -> bool:
    """Whether a file is the lock of a run folder, which holds nothing."""
    return entry.name == LOCK and not entry.is_symlink() and entry.is_file() and entry.stat().st_size == 0


def free_places(place: Path) -> Iterator[Path]:
    """Yields the free places for runs of one name, without end: `place` itself, and those beside it with -2, -3 and so on at their ends."""
    return filter(is_free, map(place.with_name, numbered_names(place.name)))
