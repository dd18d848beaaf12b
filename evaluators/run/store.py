"""Files of run folders: texts that appear whole or not at all, and the places that runs of one name get."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final, TextIO

from msgspec.structs import replace

from evaluators.issues import Problems
from evaluators.run.result import RunResult
from evaluators.run.write_errors import unwritten

RUN_JSON: Final = "run.json"
ENVIRONMENT_JSON: Final = "environment.json"
LINKS_JSON: Final = "links.json"


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
    working = path.with_name(f".{path.name}.{os.urandom(4).hex()}.partial")
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


def numbered(name: str) -> Iterator[str]:
    """The names that runs of one name get, one after the other: NAME, NAME-2, NAME-3 and so on."""
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def is_free(place: Path) -> bool:
    """Whether a run can be put at a place: nothing is there, or an empty folder."""
    if not os.path.lexists(place):
        return True
    try:
        return not place.is_symlink() and place.is_dir() and not any(place.iterdir())
    except OSError:  # somebody else's folder
        return False


def free_places(asked: Path) -> Iterator[Path]:
    """The free places for runs of a name, one after the other."""
    return filter(is_free, map(asked.with_name, numbered(asked.name)))
