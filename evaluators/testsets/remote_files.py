"""Stores elsewhere, through fsspec: what they have in common.

A file is read piece by piece: each piece is asked for when it is needed, and comes whole or not at all. A connection that is refused
or cut, a server that is busy: tried again a few times, with pauses. What is left of it is a `StoreFault`, an OSError whose text is for
people and holds no address.
"""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, BinaryIO, ClassVar, Final, TypeVar, cast

from msgspec import Struct

from evaluators.issues import Problems, extra_hint, problem
from evaluators.testsets.byte_store import ByteStore, Kind, StoreFault
from evaluators.values.addresses import with_shown_addresses

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
_AT_ONCE: Final = 32
"""How many files are looked at at the same time."""


class PassingFault(OSError):
    """A store did not give or take a file just now."""


class Looked(Struct, frozen=True):
    """What a store says of a place."""

    kind: Kind
    size: int | None
    """None where the store does not give parts of it."""
    version: str
    """What is another one when the file is."""
    content: str | None
    """What is equal where the same bytes are there; None where the store says nothing of them."""
    etag: str | None = None
    """The answer's own mark of what it gives, from a web server."""


class RemoteFiles(ByteStore):
    """Files by their addresses, through a file system of fsspec."""

    scheme: ClassVar[str]
    package: ClassVar[str]
    """What pip installs for it."""

    def look(self, place: str) -> Looked:
        """What is at a place. Raises FileNotFoundError where nothing is."""
        raise NotImplementedError  # the contract: each store is asked in its own way

    def part(self, place: str, known: Looked, start: int, end: int) -> bytes:
        """The bytes of a file from one place to before another."""
        raise NotImplementedError  # the contract: each store is asked in its own way

    def whole(self, place: str, start: int = 0) -> BinaryIO:
        """The bytes from `start` on of a file that the store does not give in parts."""
        raise NotImplementedError  # the contract: a store that has such files fetches them in its own way

    def open(self, place: str, start: int = 0) -> BinaryIO:
        known = self._file(place)
        if known.size is None:
            return self.whole(place, start)
        parts = _Parts(lambda first, end: self.part(place, known, first, end), known.size, start)
        return cast(BinaryIO, io.BufferedReader(parts, _PIECE_BYTES))

    def size(self, place: str) -> int:
        known = self._file(place)
        if known.size is None:
            with self.whole(place) as stream:
                return stream.seek(0, 2)
        return known.size

    def kind(self, place: str) -> Kind | None:
        try:
            return self.look(place).kind
        except FileNotFoundError:
            return None

    def _file(self, place: str) -> Looked:
        known = self.look(place)
        if known.kind == "folder":
            raise IsADirectoryError(place)
        return known

    def fingerprint(self, place: str) -> bytes:
        """SHA-256 of what the store says of the file's bytes; of the bytes themselves where it says nothing."""
        found = self.look(place)
        if found.content is None:
            return super().fingerprint(place)
        return hashlib.sha256(f"{found.content} {found.size}".encode()).digest()

    def versions(self, places: Sequence[str]) -> list[str | None]:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            return list(pool.map(self._version, places))

    def _version(self, place: str) -> str | None:
        try:
            return self.look(place).version
        except FileNotFoundError:
            return None

    def files(self) -> Any:
        """The file system of fsspec. Nothing that was listed is remembered: a store is asked each time.

        Raises Problems (config) when a package is missing.
        """
        lacking = "fsspec"
        try:
            import fsspec

            lacking = self.package
            with faults_told():
                return fsspec.filesystem(self.scheme, use_listings_cache=False, **self.settings())
        except ImportError:
            name = lacking.partition(">")[0]
            message = f'addresses that begin with "{self.scheme}://" need the package {name}, which is not installed'
            raise problem("missing-package", message, hint=extra_hint("remote", self.package)) from None

    def settings(self) -> Mapping[str, Any]:
        """How the file system is made."""
        return {}


class _Parts(io.RawIOBase):
    """A file that is asked for part by part."""

    def __init__(self, fetch: Callable[[int, int], bytes], size: int, start: int) -> None:
        self._fetch, self._size, self._at = fetch, size, start

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        end = min(self._at + len(buffer), self._size)
        count = max(0, end - self._at)
        if count:
            buffer[:count] = self._fetch(self._at, end)
            self._at = end
        return count

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(0, place + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence])
        return self._at

    def tell(self) -> int:
        return self._at


def tried(work: Callable[[], Value]) -> Value:
    """What the work gives, which is tried again while its faults pass.

    Raises StoreFault when the last try failed, and at once for a fault that does not pass; FileNotFoundError and
    IsADirectoryError as they are.
    """
    for pause in (*PAUSES_SECONDS, None):
        try:
            with faults_told():
                return work()
        except PassingFault as error:
            if pause is None:
                raise StoreFault(f"{error} (tried {len(PAUSES_SECONDS) + 1} times)") from None
            time.sleep(pause)
    raise AssertionError("the last try returns or raises")


@contextmanager
def faults_told() -> Iterator[None]:
    """Turns what libraries of stores raise, each in its own way, into the faults of this module."""
    try:
        yield
    except (Problems, FileNotFoundError, IsADirectoryError, StoreFault, PassingFault, ImportError):
        raise
    except PermissionError as error:
        raise StoreFault(f"the store does not allow it: {_said(error)}") from None
    except TimeoutError:
        raise PassingFault("the store did not answer in time") from None
    except Exception as error:  # botocore, aiohttp, google and azure have no common kind
        raise (PassingFault if _passes(error) else StoreFault)(_said(error)) from None


def _passes(error: Exception) -> bool:
    """Whether the same request may work a moment later."""
    status = getattr(error, "status", None) or getattr(error, "status_code", None) or getattr(error, "code", None)
    if isinstance(status, int):
        return passing_status(status)
    return isinstance(error, ConnectionError) or any(
        word in kind.__name__ for kind in type(error).__mro__ for word in _PASSING
    )


def passing_status(status: int) -> bool:
    """Whether an answer of a web server says that it is busy or ailing."""
    return status in (408, 425, 429) or status >= 500


def _said(error: Exception) -> str:
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    text = " ".join(with_shown_addresses(text).split()) or type(error).__name__
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
