"""`s3`, `gs`, `abfs`: buckets and containers, through fsspec.

Who may read is settled by the variables and files that the libraries of these stores know; nothing is taken from an address. An
object is written whole: it is there when its stream is closed without an error, and not before.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO, ClassVar, Final

from evaluators.testsets.byte_store import Kind
from evaluators.testsets.remote_files import Looked, RemoteFiles, tried

_BUFFER: Final = 1024 * 1024


class ObjectStore(RemoteFiles):
    """Objects by their addresses."""

    version_keys: ClassVar[tuple[str, ...]] = ("ETag", "etag")
    """Where the description of an object says which version it is; the first one that is there counts."""
    content_keys: ClassVar[tuple[str, ...]] = ("ETag", "etag")
    """The same for what it holds: equal where the same bytes were written in the same way."""

    def look(self, place: str) -> Looked:
        found: Mapping[str, Any] = self._asked("info", place)
        kind: Kind = "folder" if found["type"] == "directory" else "file"
        version = f"{_first(found, self.version_keys)} {found['size']}"
        return Looked(kind, int(found["size"] or 0), version, _first(found, self.content_keys))

    def part(self, place: str, known: Looked, start: int, end: int) -> bytes:
        files = self.files()
        return tried(lambda: _whole(files.cat_file(place, start=start, end=end), end - start))

    def below(self, folder: str) -> Iterator[str]:
        top = f"{self.files()._strip_protocol(folder).rstrip('/')}/"
        for found in self._asked("find", folder):
            name = found[len(top) :] if found.startswith(top) else ""
            if name and not name.endswith("/") and not any(step.startswith(".") for step in name.split("/")):
                yield name

    def write(self, place: str) -> BinaryIO:
        return _Upload(lambda path: self._asked("put_file", path, place))

    def remove(self, place: str) -> None:
        with suppress(FileNotFoundError):
            self._asked("rm_file", place)

    def _asked(self, name: str, *given: str) -> Any:
        """What a function of the file system gives."""
        work = getattr(self.files(), name)
        return tried(lambda: work(*given))


class S3(ObjectStore):
    """`s3://bucket/rows.csv`: Amazon S3, and whatever speaks like it."""

    scheme = "s3"
    package = "s3fs>=2026"


class Gs(ObjectStore):
    """`gs://bucket/rows.csv`: Google Cloud Storage."""

    scheme = "gs"
    package = "gcsfs>=2026"
    version_keys = ("generation", "etag")
    content_keys = ("md5Hash", "crc32c", "etag")


class Abfs(ObjectStore):
    """`abfs://container/rows.csv`: Azure Blob Storage."""

    scheme = "abfs"
    package = "adlfs>=2026"


class _Upload(io.BufferedWriter):
    """What is written, in a temporary file; it becomes the object when this is closed.

    Where the block around it ends with an error, or nobody closes it, there is no object.
    """

    def __init__(self, send: Callable[[str], object]) -> None:
        self._send, self._given_up = send, False
        descriptor, self._path = tempfile.mkstemp(prefix="evaluators-")
        super().__init__(io.FileIO(descriptor, "wb"), _BUFFER)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._given_up = kind is not None
        self.close()

    def __del__(self) -> None:
        self._given_up = True
        self.close()

    def close(self) -> None:
        if self.closed:
            return
        try:
            super().close()
            if not self._given_up:
                self._send(self._path)
        finally:
            os.unlink(self._path)


def _whole(data: bytes, size: int) -> bytes:
    if len(data) != size:
        raise ConnectionError(f"{len(data):,} bytes came in place of {size:,}")
    return data


def _first(found: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    return next((str(found[key]) for key in keys if found.get(key)), None)
