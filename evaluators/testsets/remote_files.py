"""Stores elsewhere, through fsspec: what they have in common.

A file is read piece by piece: each piece is asked for when it is needed, and comes whole or not at all. A connection that is refused
or cut, a server that is busy: tried again a few times, with pauses. What is left of it is a `StoreFault`, an OSError whose text is for
people and holds no address.
"""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Callable, Iterator, Sequence
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
_FIRST_BYTES: Final = 256 * 1024
"""How much is asked for at a new place: a header or a footer mostly fits in."""
_MOST_BYTES: Final = 8 * 1024 * 1024
"""How much is asked for at once where a file is read on and on."""
_BUFFER: Final = 128 * 1024


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

    def open(self, place: str, start: int = 0) -> BinaryIO:
        known = self.look(place)
        if known.kind == "folder":
            raise IsADirectoryError(place)
        if known.size is None:
            return self.whole(place, start)
        reader = _RangeReader(lambda first, end: self.part(place, known, first, end), known.size, start)
        return cast(BinaryIO, io.BufferedReader(reader, _BUFFER))

    def whole(self, place: str, start: int = 0) -> BinaryIO:
        """The bytes from `start` on of a file that the store does not give in parts."""
        raise NotImplementedError  # the contract: a store that has such files fetches them in its own way

    def size(self, place: str) -> int:
        known = self.look(place)
        if known.kind == "folder":
            raise IsADirectoryError(place)
        if known.size is None:
            with self.whole(place) as stream:
                return stream.seek(0, 2)
        return known.size

    def kind(self, place: str) -> Kind | None:
        try:
            return self.look(place).kind
        except FileNotFoundError:
            return None

    def fingerprint(self, place: str) -> bytes:
        """SHA-256 of what the store says of the file's bytes; of the bytes themselves where it says nothing."""
        found = self.look(place)
        if found.content is None:
            return super().fingerprint(place)
        return hashlib.sha256(f"{found.content} {found.size}".encode()).digest()

    def versions(self, places: Sequence[str]) -> list[str | None]:
        found: list[str | None] = []
        for place in places:
            try:
                found.append(self.look(place).version)
            except FileNotFoundError:
                found.append(None)
        return found

    def files(self, **settings: Any) -> Any:
        """The file system of fsspec. Nothing that was listed is remembered: a store is asked each time.

        Raises Problems (config) when a package is missing.
        """
        lacking = "fsspec"
        try:
            import fsspec

            lacking = self.package
            with faults_told():
                return fsspec.filesystem(self.scheme, use_listings_cache=False, **settings)
        except ImportError:
            name = lacking.partition(">")[0]
            message = f'addresses that begin with "{self.scheme}://" need the package {name}, which is not installed'
            raise problem("missing-package", message, hint=extra_hint("remote", self.package)) from None


class _RangeReader(io.RawIOBase):
    """The bytes of a file in pieces, which grow while the file is read on."""

    def __init__(self, fetch: Callable[[int, int], bytes], size: int, start: int) -> None:
        self._fetch = fetch
        self._size = size
        self._at = start
        self._block = b""
        self._block_start = start
        self._next_bytes = _FIRST_BYTES

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._at >= self._size:
            return 0
        inside = self._at - self._block_start
        if not 0 <= inside < len(self._block):
            self._fill(len(buffer))
            inside = 0
        data = self._block[inside : inside + len(buffer)]
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(0, place + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence])
        return self._at

    def tell(self) -> int:
        return self._at

    def _fill(self, least: int) -> None:
        """The next piece, from where the reader is."""
        reads_on = self._block and self._at == self._block_start + len(self._block)
        self._next_bytes = min(2 * self._next_bytes, _MOST_BYTES) if reads_on else _FIRST_BYTES
        end = min(self._at + max(least, self._next_bytes), self._size)
        self._block = b""  # the old piece goes before the new one comes
        self._block, self._block_start = self._fetch(self._at, end), self._at


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
