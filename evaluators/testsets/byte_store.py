"""The one door for bytes: what is read of a test set, and the files of a run that go to a store.

A *place* is a text. With a word and `://` in front, as in `s3://bucket/rows.csv`, it belongs to the store of that word;
every other place is a path of this machine. A store knows nothing of rows: whoever reads or writes asks `store_of(place)`, and
never opens, measures or lists by itself.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES
from functools import lru_cache
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, TypeAlias

from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.model.registry import nearest
from evaluators.scoring.values.addresses import PACKAGES, Kind, has_password, shown_address
from evaluators.scoring.values.files import is_outside, is_system_file, note_read

if TYPE_CHECKING:
    from evaluators.testsets.remote_files import RemoteFiles

ByteStore: TypeAlias = "LocalFiles | RemoteFiles"
LOCAL: Final = "file"
_WEB: Final = ("http", "https")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_PREFIX: Final = "file://"


class LocalFiles:
    """Files and folders of this machine: `rows.csv`, `/data/rows.csv`, `file:///data/rows.csv`.

    What each method does, `RemoteFiles` says.
    """

    lists = True

    def open(self, path: str, start: int = 0) -> BinaryIO:
        """A file that is open for reading from the byte `start` on; the caller closes it. It is noted as one that was read. Raises OSError
        for one outside of the folder that may be read, and in /proc, /sys and /dev; a pipe is allowed there."""
        if is_outside(Path(_path(path))):
            raise OSError(EACCES, "it is outside of the folder that may be read")
        stream = open(_path(path), "rb")  # noqa: SIM115  # the caller closes it
        note_read(_path(path))
        if not stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode) and is_system_file(_path(path)):
            stream.close()
            raise OSError(EACCES, "what is in /proc, /sys and /dev is no test set")
        if start:
            stream.seek(start)
        return stream

    def kind(self, path: str) -> Kind | None:
        """Whether a file, a folder or a stream is at a path; None where nothing is."""
        try:
            mode = os.stat(_path(path)).st_mode
        except (OSError, ValueError):
            return None
        return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "stream"

    def below(self, folder: str) -> Iterator[str]:
        """The files in a folder and in the folders in it, as paths from it; hidden ones are left out."""
        top = Path(_path(folder))
        for at, folders, files in os.walk(top):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            steps = Path(at).relative_to(top).parts
            yield from ("/".join((*steps, name)) for name in files if not name.startswith("."))

    def write(self, path: str) -> BinaryIO:
        """A new file for writing; one that is there is overwritten."""
        return open(_path(path), "wb")

    def put(self, place: str, data: bytes) -> None:
        """Writes a file, which appears whole or not at all."""
        path = Path(_path(place))
        beside = path.with_name(f".{path.name}.{os.urandom(4).hex()}.new")
        try:
            beside.write_bytes(data)
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)

    def remove(self, place: str) -> None:
        """Removes a file, or an empty folder."""
        path = Path(_path(place))
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)

    def fingerprint(self, path: str) -> bytes:
        """The SHA-256 digest of a file. It is kept in memory for as long as the file does not change."""
        own = os.path.abspath(_path(path))
        return _digest(own, local_mark(own))

    def names(self, folder: str) -> list[str]:
        """The names of the files and folders in a folder, sorted."""
        return sorted(os.listdir(_path(folder)))

    def matching(self, pattern: str, folder: str, *, folders: bool = True) -> list[str]:
        """The paths that fit a pattern from a folder on; without `folders`, only files that are not hidden."""
        paths = list(dict.fromkeys(glob(_path(pattern), root_dir=folder, recursive=True)))
        if folders:
            return paths
        return [
            path for path in paths if not Path(path).name.startswith(".") and os.path.isfile(os.path.join(folder, path))
        ]


def local_mark(path: str) -> str | None:
    """A text that differs for each state of a file of this machine; None where there is no file."""
    with suppress(OSError, ValueError):
        status = os.stat(path)
        return f"{status.st_size:,} bytes, written at {status.st_mtime_ns}"
    return None


@lru_cache(maxsize=64)
def _digest(path: str, mark: str | None) -> bytes:
    """The digest of a file in one state. Who scores the rows of a large file again and again reads it once for this."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()


def _path(path: str) -> str:
    """The path of a place on this machine: that of a `file://` address, or the place as it is."""
    if path[: len(_PREFIX)].lower() != _PREFIX:
        return path
    from urllib.parse import unquote  # few places are written as addresses

    return unquote(path[len(_PREFIX) :])


def scheme_of(path: str) -> str | None:
    """The word before `://`, in lower case; None for a path of this machine."""
    match = _SCHEME.match(path)
    return match[1].lower() if match else None


def local_path(path: str) -> str | None:
    """The path of a place on this machine; None where it is elsewhere."""
    return _path(path) if scheme_of(path) in (None, LOCAL) else None


def store_of(path: str) -> ByteStore:
    """The store that a place belongs to, by the word before `://` in its address; without one it is this machine. Raises Problems (config)
    when no store has that word, or when the address holds a user or a password."""
    scheme = scheme_of(path) or LOCAL
    if scheme == LOCAL:
        return LocalFiles()
    if scheme not in PACKAGES:
        known = ", ".join(f"{name}://" for name in sorted((LOCAL, *PACKAGES)))
        hint = f"save the file on this machine and name that; known: {known}"
        raise problem("unknown-store", f'no store is known for "{scheme}://"', where=shown_address(path), hint=hint)
    if has_password(path):
        message = "an address with a user or a password in it is not opened: it would be in histories and logs"
        hint = "a store finds them in variables and files of its own; for the web, ~/.netrc holds them"
        raise problem("password-in-address", message, where=shown_address(path), hint=hint)
    if scheme in _WEB:
        from evaluators.testsets.web_server import WebServer  # most files are of this machine

        return WebServer(scheme)
    from evaluators.testsets.remote_files import RemoteFiles

    return RemoteFiles(scheme)


def resolve_place(folder: Path, path: str) -> str:
    """The place itself where it is an address, else its path from `folder`."""
    return path if scheme_of(path) else str(folder / path)


def parent(path: str) -> str:
    """The folder that a place is in."""
    return path.rpartition("/")[0] if scheme_of(path) else str(Path(path).parent)


def inside(folder: str, name: str) -> str:
    """The place of a name in a folder."""
    return f"{folder.rstrip('/')}/{name}" if scheme_of(folder) else str(Path(folder, name))


def kind_at(folder: Path, place: str) -> Kind | None:
    """The kind of what is at a place that may be relative to `folder`; None where nothing is."""
    place = resolve_place(folder, place)
    with reaching(place):
        return store_of(place).kind(place)


def matching(pattern: str, folder: Path) -> list[str]:
    """The files and folders that fit a pattern, which may be relative to `folder`; each once, named as the pattern is."""
    with reaching(pattern):
        return store_of(pattern).matching(pattern, str(folder))


def files_at(path: str, folder: Path) -> list[str]:
    """The files of a folder and of the folders in it, or those that fit a pattern; named as the place is, in no order."""
    whole = resolve_place(folder, path)
    with reaching(whole):
        store = store_of(whole)
        if store.kind(whole) == "folder":
            return [inside(path, file) for file in store.below(whole)]
        return store.matching(path, str(folder), folders=False)


def near_file(path: str, called: str) -> str | None:
    """The name of a file beside a place that is like the place's own, written as `called` is; None where there is none."""
    folder = parent(path)
    with reaching(path):
        store = store_of(folder)
        names = store.names(folder) if store.kind(folder) == "folder" else []
        near = nearest(Path(path).name, [name for name in names if store.kind(inside(folder, name)) == "file"])
    return inside(parent(called), near) if near else None


@contextmanager
def reaching(path: str) -> Iterator[None]:
    """A context for asking a store about a place: errors of the store are raised as Problems (environment) that name the place."""
    try:
        yield
    except OSError as error:
        raise unreadable_file(error, shown_address(path)) from None


def unreadable_file(error: OSError, name: str) -> Problems:
    """The Problems to raise for a file that a disk or a store does not give, from its error."""
    message = f"the file cannot be read: {error.strerror or error}"
    return Problems([Issue("unreadable-file", Blame.ENVIRONMENT, message, name)])
