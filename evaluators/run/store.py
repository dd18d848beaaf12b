"""Files of run folders: a run read back, texts that appear whole or not at all, and the places that runs of one name get."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final, TextIO

from msgspec.structs import replace

from evaluators.issues import Problems, problem
from evaluators.run.result import RunResult
from evaluators.run.run_json import read_environment, read_run
from evaluators.run.write_errors import reason, unwritten
from evaluators.values.small_files import NoSmallFile, read_small

RUN_JSON: Final = "run.json"
ENVIRONMENT_JSON: Final = "environment.json"
LINKS_JSON: Final = "links.json"
MOST_RUN_BYTES: Final = 1024**3
"""The largest run.json that is read."""


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
