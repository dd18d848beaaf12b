"""Reading a file that a suite names, and nothing else that may be at its place.

A pipe would never end, a device holds what it likes, and a file of a gigabyte is no suite. What is read on behalf of somebody
else, such as the suite in a run folder, can be kept inside a folder.

Names that people give and that become names of files: which of them can be, on every system.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from pathlib import Path
from typing import Final

from evaluators.scoring.values.read_files import note_read

MOST_BYTES: Final = 32 * 1024 * 1024
"""The largest suite, and the largest schema."""

_OF_THE_SYSTEM: Final = ("/proc/", "/sys/", "/dev/")
_IN_MEMORY: Final = "/dev/shm/"
"""An ordinary folder for files, in memory."""

_inside: ContextVar[tuple[Path, ...]] = ContextVar("inside", default=())
_once: ContextVar[dict[str, bytes] | None] = ContextVar("once", default=None)


class NoSmallFile(ValueError):
    """What is at a place is not read. The text is the end of a sentence about it: `is a folder`."""


def read_small(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a regular file. Raises OSError where there is none, and NoSmallFile for anything else."""
    _note_inside(path)
    files = _once.get()
    if files is not None and str(path) in files:
        return files[str(path)]
    _check_regular(path)
    with open(path, "rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise NoSmallFile(f"is larger than {most // 1024**2} MiB, which is the most that is read")
    if files is not None:
        files[str(path)] = data
    return data


def check_openable(path: Path) -> None:
    """Notes a file that something else is about to open. Raises OSError where there is none, and NoSmallFile for what is not read."""
    _note_inside(path)
    _check_regular(path)


def is_outside(path: Path) -> bool:
    """Whether a file may not be read here: see `reading_inside`."""
    allowed = _inside.get()
    return bool(allowed) and not any(path.resolve().is_relative_to(folder) for folder in allowed)


def _note_inside(path: Path) -> None:
    if is_outside(path):
        raise NoSmallFile("is outside of the folder that may be read, so it is not opened")
    note_read(path)


def _check_regular(path: Path) -> None:
    if not stat.S_ISREG(mode := os.stat(path).st_mode):
        raise NoSmallFile(_why_no_file(mode))
    if of_the_system(path):
        raise NoSmallFile("tells of the system, and only a file of yours is read")


@contextmanager
def reading_once(files: dict[str, bytes]) -> Iterator[None]:
    """Inside, each file is read once, and put into `files` by its path; those that are there already are not looked at on the disk."""
    token = _once.set(files)
    try:
        yield
    finally:
        _once.reset(token)


def of_the_system(path: str | Path) -> bool:
    """Whether a file is made by the system, as the variables and the memory of programs are, and kept on no disk."""
    real = os.path.realpath(path)
    return real.startswith(_OF_THE_SYSTEM) and not real.startswith(_IN_MEMORY)


def kept_place(folder: Path, name: str) -> Path:
    """Where the copy of a suite has a file that is named by an absolute path: beside the file that names it, and by no folder's name."""
    return folder / "elsewhere" / sha256(name.encode("utf-8", "replace")).hexdigest()[:12] / Path(name).name


def is_own_file(path: Path) -> bool:
    """Whether a regular file itself is at a place, and no link that leads elsewhere."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


@contextmanager
def reading_inside(*folders: Path) -> Iterator[None]:
    """Inside, no file outside of these folders is read, whatever the files in them name."""
    token = _inside.set(tuple(folder.resolve() for folder in folders))
    try:
        yield
    finally:
        _inside.reset(token)


def _why_no_file(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "is a folder"
    if stat.S_ISFIFO(mode):
        return "is a pipe, and only a file can be read"
    return "is a device, and only a file can be read"


MOST_NAME_BYTES: Final = 150
"""What a name may take in UTF-8. Systems allow 255 for a whole file name, and ours add words before and after."""

_UNUSABLE: Final = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\ud800-\udfff]')


def why_no_file_name(name: str) -> str | None:
    """What keeps a name from being part of a file's name, as the end of a sentence about it; None where nothing does."""
    if not name.strip():
        return "is empty"
    if found := _UNUSABLE.search(name):
        return f"has {_said(found[0])} in it"
    if name.startswith("."):
        return "starts with a dot"
    if name.endswith((".", " ")):
        return f"ends with a {'dot' if name.endswith('.') else 'space'}"
    size = len(name.encode())
    return f"is longer than {MOST_NAME_BYTES} bytes ({size:,})" if size > MOST_NAME_BYTES else None


def as_file_name(name: str) -> str:
    """A name like this one that can be a file's: what cannot be in it is `_`."""
    spelled = _UNUSABLE.sub("_", name).strip(" .")
    return spelled.encode()[:MOST_NAME_BYTES].decode(errors="ignore").strip(" .") or "_"


def shown(text: str, most: int = 60) -> str:
    """The text in at most so many characters, as messages quote names; one that is longer ends in `…`."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _said(character: str) -> str:
    if character.isprintable() and not character.isspace():
        return f"the character {character}"
    return f"the character U+{ord(character):04X}"
