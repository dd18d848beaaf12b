"""Stores elsewhere, through fsspec: what they have in common.

A file is read piece by piece: each piece is asked for when it is needed, and comes whole or not at all. Where the store says which bytes
a file holds, a process asks for a piece once, however often the file is looked at, cut and read. A connection that is refused or cut, a
server that is busy: tried again a few times, with pauses. What is left of it is a `StoreFault`, an OSError whose text is for people and
holds no address.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from errno import ENOSPC
from threading import Lock
from types import SimpleNamespace
from typing import Any, BinaryIO, Final, TypeVar, cast
from weakref import finalize

from msgspec import Struct

from evaluators.model.issues import Problems, extra_hint, problem
from evaluators.scoring.values.addresses import (
    PACKAGES,
    Kind,
    StoreFault,
    has_wildcards,
    wildcard_steps,
    with_shown_addresses,
)
from evaluators.scoring.values.file_names import clip_name

Value = TypeVar("Value")

PAUSES_SECONDS: Final = (0.5, 2.0, 4.0)
"""How long to wait before each further try."""
_PASSING: Final = (
    "ClientConnection", "ClientPayload", "ServerDisconnected", "ClientOSError", "EndpointConnection", "ConnectionClosed",
    "HTTPClientError", "IncompleteRead", "ResponseStreaming", "ServiceRequestError", "ServiceResponseError", "Timeout",
)  # fmt: skip
"""Parts of the names of errors that say that a connection was not made, or was cut."""
_LONGEST: Final = 300
_PIECE_BYTES: Final = 2 * 1024 * 1024
"""How much is asked for at least."""
_FETCHED: Final[dict[tuple[str, str, str], FetchedPieces]] = {}
"""The files that were opened last, by scheme, path and version."""
_MOST_FETCHED: Final = 8
_MOST_FETCHED_BYTES: Final = 16 * 1024**3
"""The largest file whose pieces are held on disk. Those of a larger one are asked for in each pass."""
_BUFFER: Final = 1024 * 1024
_VERSION: Final = ("generation", "ETag", "etag")
"""Where the description of an object says which version it is; the first one that is there counts."""
_CONTENT: Final = ("md5Hash", "crc32c", "ETag", "etag")
"""Where it says what the object holds: equal where the same bytes were written in the same way."""
_AT_ONCE: Final = 32
"""How many files are looked at at the same time."""


class PlaceState(Struct, frozen=True):
    """The state of a place in a store."""

    kind: Kind
    size: int | None
    """None where the store does not give parts of it."""
    version: str
    """What is another one when the file is."""
    content: str | None
    """What is equal where the same bytes are there; None where the store says nothing of them."""
    etag: str | None = None
    """The answer's own mark of what it gives, from a web server."""


class RemoteFiles:
    """Files by their addresses, through a file system of fsspec.

    Who may read is settled by the variables and files that the libraries of these stores know; nothing is taken from an address. What
    goes wrong is an OSError, as with files: FileNotFoundError, IsADirectoryError, …
    """

    lists = True
    """Whether the store has lists of its files: without one, a place is a file, and no pattern finds anything."""

    def __init__(self, scheme: str) -> None:
        self.scheme = scheme

    def open(self, path: str, start: int = 0) -> BinaryIO:
        """The bytes of a file from `start` on, in a stream that can `seek` and tells places from the file's beginning. They are fetched in
        parts as they are read; a file whose size the store does not tell is fetched as a whole."""
        known = self.look(path)
        if known.kind == "folder":
            raise IsADirectoryError(path)
        size = known.size
        if size is None:
            return self.whole(path, start)
        from fsspec.spec import AbstractBufferedFile

        part = self._part_of(path, known, size)
        ranged = SimpleNamespace(cat_file=lambda _, start, end: part(start, min(end, size)))
        parts = AbstractBufferedFile(ranged, path, cache_type="none", size=size)
        parts.seek(start)
        return cast(BinaryIO, io.BufferedReader(parts, _PIECE_BYTES))

    def _part_of(self, path: str, known: PlaceState, size: int) -> Callable[[int, int], bytes]:
        """A function that gives the bytes of a file from one place to before another. Where the store says which bytes the file holds, it
        keeps the pieces that it has fetched on disk, for all who open the same version of the file."""

        def fetch(start: int, end: int) -> bytes:
            """The bytes from the store itself."""
            return self.part(path, known, start, end)

        if not known.content or size > _MOST_FETCHED_BYTES:
            return fetch
        key = self.scheme, path, f"{known.version} {known.content}"
        if (pieces := _FETCHED.get(key)) is None:
            while len(_FETCHED) >= _MOST_FETCHED:
                del _FETCHED[next(iter(_FETCHED))]
            try:
                pieces = _FETCHED[key] = FetchedPieces(size)
            except OSError:  # there is no folder for temporary files
                return fetch
        return lambda start, end: pieces.read(start, end, fetch)

    def kind(self, path: str) -> Kind | None:
        """The kind of what is at a place; None where nothing is."""
        with suppress(FileNotFoundError):
            return self.look(path).kind
        return None

    def below(self, folder: str) -> Iterator[str]:
        """The files of a folder and of the folders in it, as paths from the folder on, with `/` between the steps.

        Files and folders whose names begin with a dot are left out.
        """
        top = f"{self.files()._strip_protocol(folder).rstrip('/')}/"
        for file in self._call("find", folder):
            name = file[len(top) :] if file.startswith(top) else ""
            if name and not name.endswith("/") and not any(step.startswith(".") for step in name.split("/")):
                yield name

    def names(self, folder: str) -> list[str]:
        """The names of the files and folders in a folder, sorted."""
        return sorted({file.partition("/")[0] for file in self.below(folder)})

    def matching(self, pattern: str, folder: str, *, folders: bool = True) -> list[str]:
        """The files and folders that fit a pattern, each once, named as it is.

        Without `folders` the files alone, without those whose names begin with a dot.
        """
        steps = pattern.split("/")
        fixed = next((count for count, step in enumerate(steps) if has_wildcards(step)), len(steps) - 1)
        top, rest = "/".join(steps[:fixed]), steps[fixed:]
        files = [file.split("/") for file in self.below(top)]
        paths = dict.fromkeys(
            tuple(file[:length]) for file in files for length in range(1 if folders else len(file), len(file) + 1)
        )
        return ["/".join((top, *path)) for path in paths if wildcard_steps(rest, path) is not None]

    def write(self, place: str) -> BinaryIO:
        """A stream for writing a file, which replaces one that is there. The file is there when the stream is closed without an error, and
        not before."""
        return _Upload(lambda path: self._call("put_file", path, place))

    def put(self, path: str, data: bytes) -> None:
        """Writes a small file, which replaces one that is there."""
        with self.write(path) as stream:
            stream.write(data)

    def remove(self, path: str) -> None:
        """Removes a file. Nothing happens where nothing is."""
        with suppress(FileNotFoundError):
            self._call("rm_file", path)

    def fingerprint(self, path: str) -> bytes:
        """The SHA-256 of the store's checksum of a file; of the bytes themselves where the store has none."""
        info = self.look(path)
        if info.content is not None:
            return hashlib.sha256(f"{info.content} {info.size}".encode()).digest()
        with self.open(path) as stream:
            return hashlib.file_digest(cast(Any, stream), "sha256").digest()

    def versions(self, places: Sequence[str]) -> list[str | None]:
        """For each file a text that is another one when the file is, as far as the store tells; None for one that is gone."""

        def version(path: str) -> str | None:
            """The version of a file; None where there is none."""
            with suppress(FileNotFoundError):
                return self.look(path).version
            return None

        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return list(pool.map(version, places))

    def look(self, path: str) -> PlaceState:
        """The state of a place. Raises FileNotFoundError where nothing is."""
        info: Mapping[str, Any] = self._call("info", path)
        kind: Kind = "folder" if info["type"] == "directory" else "file"
        version = f"{_first_value(info, _VERSION)} {info['size']}"
        return PlaceState(kind, int(info["size"] or 0), version, _first_value(info, _CONTENT))

    def part(self, path: str, known: PlaceState, start: int, end: int) -> bytes:
        """The bytes of a file from `start` to before `end`, fetched from the store. Raises StoreFault where they cannot be had."""
        files = self.files()
        return with_retries(lambda: _checked_length(files.cat_file(path, start=start, end=end), end - start))

    def whole(self, path: str, start: int = 0) -> BinaryIO:
        """The bytes from `start` on of a file that the store gives only as a whole. Raises StoreFault: such files are read from web servers
        alone."""
        raise StoreFault("the store does not say how long the file is")

    def files(self) -> Any:
        """The file system of fsspec. Nothing that was listed is remembered: a store is asked each time.

        Raises Problems (config) when a package is missing.
        """
        lacking = "fsspec"
        try:
            import fsspec

            lacking = PACKAGES[self.scheme]
            return with_retries(lambda: fsspec.filesystem(self.scheme, use_listings_cache=False, **self.settings()))
        except ImportError:
            name = lacking.partition(">")[0]
            message = f'addresses that begin with "{self.scheme}://" need the package {name}, which is not installed'
            raise problem("missing-package", message, hint=extra_hint("remote", PACKAGES[self.scheme])) from None

    def settings(self) -> Mapping[str, Any]:
        """The arguments with which the file system of fsspec is made."""
        return {}

    def _call(self, name: str, *arguments: str) -> Any:
        """The result of the method `name` of the file system, which is called again after passing faults."""
        method = getattr(self.files(), name)
        return with_retries(lambda: method(*arguments))


class FetchedPieces:
    """The pieces of one file that were asked for, in a temporary file that has no name and goes with the process.

    Forked workers share the file and what is in it until then; bytes are read and written at their place, since they share its position
    as well.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._file = tempfile.TemporaryFile(prefix="evaluators-", buffering=0)  # noqa: SIM115  # the finalizer closes it
        self._present = set[int]()
        self._full = False
        self._lock = Lock()
        finalize(self, self._file.close)

    def read(self, start: int, end: int, fetch: Callable[[int, int], bytes]) -> bytes:
        """The bytes from one place to before another. `fetch` is asked for the pieces that are not there, each whole.

        Once the disk takes no more, nothing is held there, and `fetch` is asked for just these bytes.
        """
        with self._lock:
            if self._full:
                return fetch(start, end)
            for number in range(start // _PIECE_BYTES, -(-end // _PIECE_BYTES)):
                if number not in self._present:
                    first = number * _PIECE_BYTES
                    data = fetch(first, min(first + _PIECE_BYTES, self._size))
                    try:
                        _write_at(self._file, first, data)
                    except OSError:
                        self._free_disk()
                        return fetch(start, end)
                    self._present.add(number)
            return _read_at(self._file, start, end - start)

    def _free_disk(self) -> None:
        """Gives the disk back: others, such as the run's own files, need what room there is."""
        self._full = True
        self._present.clear()
        with suppress(OSError):
            self._file.truncate(0)


def _read_at(file: Any, start: int, size: int) -> bytes:
    """Bytes of an open file from a place on, without moving its position where the system can do that."""
    if hasattr(os, "pread"):
        return os.pread(file.fileno(), size, start)
    file.seek(start)  # there are no forked processes on such a system
    return cast(bytes, file.read(size))


def _write_at(file: Any, start: int, data: bytes) -> None:
    """Writes bytes at a place of an open file. Raises OSError where not all of them could be written."""
    if hasattr(os, "pwrite"):
        written = os.pwrite(file.fileno(), data, start)
    else:
        file.seek(start)
        written = file.write(data)
    if written != len(data):
        raise OSError(ENOSPC, "the disk is full")


class _Upload(io.BufferedWriter):
    """A temporary file that becomes the object of a store when it is closed.

    Where the block around it ends with an error, or nobody closes it, there is no object.
    """

    def __init__(self, send: Callable[[str], object]) -> None:
        self._send: Callable[[str], object] | None = send
        descriptor, self._path = tempfile.mkstemp(prefix="evaluators-")
        super().__init__(io.FileIO(descriptor, "wb"), _BUFFER)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._send = None
        self.close()

    def __del__(self) -> None:
        self._send = None
        self.close()

    def close(self) -> None:
        """Closes the file and sends it on, unless it was given up; the temporary file is removed either way. A second call does nothing."""
        if self.closed:
            return
        try:
            super().close()
            if self._send is not None:
                self._send(self._path)
        finally:
            os.unlink(self._path)


def with_retries(work: Callable[[], Value]) -> Value:
    """The result of a function, which is called again after faults that may pass, with pauses in between.

    Libraries of stores raise errors each in its own way. Raises StoreFault when the last try failed, and at once for a fault that does
    not pass; FileNotFoundError and IsADirectoryError as they are.
    """
    for pause in (*PAUSES_SECONDS, None):
        try:
            return work()
        except (Problems, FileNotFoundError, IsADirectoryError, StoreFault, ImportError):
            raise
        except PermissionError as error:
            raise StoreFault(f"the store does not allow it: {_error_text(error)}") from None
        except Exception as error:  # botocore, aiohttp, google and azure have no common kind
            late = isinstance(error, TimeoutError)
            text = "the store did not answer in time" if late else _error_text(error)
            if not late and not _is_passing(error):
                raise StoreFault(text) from None
            if pause is None:
                raise StoreFault(f"{text} (tried {len(PAUSES_SECONDS) + 1} times)") from None
            time.sleep(pause)
    raise AssertionError("the last try returns or raises")


def _is_passing(error: Exception) -> bool:
    """Whether an error may pass, so that the same request may work a moment later."""
    status = getattr(error, "status", None) or getattr(error, "status_code", None) or getattr(error, "code", None)
    if isinstance(status, int):
        return is_passing_status(status)
    return isinstance(error, ConnectionError) or any(
        word in kind.__name__ for kind in type(error).__mro__ for word in _PASSING
    )


def is_passing_status(status: int) -> bool:
    """Whether an answer of a web server says that it is busy or ailing."""
    return status in (408, 425, 429) or status >= 500


def _error_text(error: Exception) -> str:
    """The text of an error on one line, without passwords in addresses."""
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    text = " ".join(with_shown_addresses(text).split()) or type(error).__name__
    return clip_name(text, _LONGEST)


def _checked_length(data: bytes, size: int) -> bytes:
    """The bytes, unchanged. Raises ConnectionError where they are not `size` many."""
    if len(data) != size:
        raise ConnectionError(f"{len(data):,} bytes came in place of {size:,}")
    return data


def _first_value(info: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    """The value of the first of the keys that has one, as text; None where none has."""
    return next((str(info[key]) for key in keys if info.get(key)), None)
