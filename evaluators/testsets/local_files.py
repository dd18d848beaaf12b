"""The files of this machine."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from errno import EACCES
from glob import glob
from pathlib import Path
from typing import BinaryIO

from evaluators.testsets.places import Kind
from evaluators.values.small_files import of_the_system

_PREFIX = "file://"


class LocalFiles:
    """Files and folders of this machine: `rows.csv`, `/data/rows.csv`, `file:///data/rows.csv`.

    What each method does, `RemoteFiles` says.
    """

    lists = True

    def open(self, place: str, start: int = 0) -> BinaryIO:
        stream = open(_path(place), "rb")  # noqa: SIM115  # the caller closes it
        if not stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode) and of_the_system(_path(place)):
            stream.close()
            raise OSError(EACCES, "what is in /proc, /sys and /dev is no test set")
        if start:
            stream.seek(start)
        return stream

    def size(self, place: str) -> int:
        return os.path.getsize(_path(place))

    def kind(self, place: str) -> Kind | None:
        try:
            mode = os.stat(_path(place)).st_mode
        except (OSError, ValueError):
            return None
        return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "stream"

    def below(self, folder: str) -> Iterator[str]:
        top = Path(_path(folder))
        for at, folders, files in os.walk(top):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            steps = Path(at).relative_to(top).parts
            yield from ("/".join((*steps, name)) for name in files if not name.startswith("."))

    def write(self, place: str) -> BinaryIO:
        return open(_path(place), "wb")

    def put(self, place: str, data: bytes) -> None:
        path = Path(_path(place))
        beside = path.with_name(f".{path.name}.{os.urandom(4).hex()}.new")
        try:
            beside.write_bytes(data)
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)

    def remove(self, place: str) -> None:
        path = Path(_path(place))
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)

    def fingerprint(self, place: str) -> bytes:
        with open(_path(place), "rb") as stream:
            return hashlib.file_digest(stream, "sha256").digest()

    def path(self, place: str) -> str:
        return _path(place)

    def names(self, folder: str) -> list[str]:
        return sorted(os.listdir(_path(folder)))

    def matching(self, pattern: str, folder: str, *, folders: bool = True) -> list[str]:
        found = list(dict.fromkeys(glob(_path(pattern), root_dir=folder, recursive=True)))
        if folders:
            return found
        return [one for one in found if not Path(one).name.startswith(".") and os.path.isfile(os.path.join(folder, one))]


def _path(place: str) -> str:
    if place[: len(_PREFIX)].lower() != _PREFIX:
        return place
    from urllib.parse import unquote  # few places are written as addresses

    return unquote(place[len(_PREFIX) :])
