"""Files of web servers, through the file system and the sessions of fsspec.

A server that gives parts of a file is read in parts. From any other the file is fetched once, into a temporary file. A server
has no list of its files, and nothing is written to it. An answer that leads elsewhere is followed from https to https, and from
http to either; never to another kind of address.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, BinaryIO, Final

from evaluators.model.issues import problem
from evaluators.scoring.values.addresses import StoreFault, shown_address
from evaluators.testsets.remote_files import PlaceState, RemoteFiles, is_passing_status, with_retries

MOST_FETCHED_GIB: Final = 16.0
"""How much is fetched of a file that a server gives only as a whole."""
_BLOCK: Final = 1024 * 1024
_MOST_REDIRECTS: Final = 10
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_ABSENT: Final = (404, 410)
_AFTER: Final = {"https": ("https",), "http": ("http", "https")}
"""Where an answer may lead."""
_CONNECT_SECONDS: Final = 30
_SILENT_SECONDS: Final = 60


class WebServer(RemoteFiles):
    """Files by their addresses."""

    lists = False

    def look(self, path: str) -> PlaceState:
        """The state of a file, which the server is asked for. Raises FileNotFoundError where nothing is."""
        state: PlaceState = self._call(self._request_state, path)
        return state

    def part(self, path: str, known: PlaceState, start: int, end: int) -> bytes:
        """The bytes of a file from `start` to before `end`, as `_request_part` gets them."""
        data: bytes = self._call(self._request_part, path, known, start, end)
        return data

    def whole(self, path: str, start: int = 0) -> BinaryIO:
        """Fetches the whole file into a temporary one, and gives that as a stream from the byte `start` on; the caller closes it."""
        stream = tempfile.TemporaryFile(prefix="evaluators-")  # noqa: SIM115  # the caller closes it
        try:
            self._call(self._request_whole, path, stream)
        except BaseException:
            stream.close()
            raise
        stream.seek(start)
        return stream

    def matching(self, pattern: str, folder: str, *, folders: bool = True) -> list[str]:
        """The place itself, where something is there: a web server has no lists, so wildcards find nothing."""
        return [pattern] if self.kind(pattern) is not None else []

    def write(self, path: str) -> BinaryIO:
        """Raises Problems: nothing is written to a web server."""
        raise problem(
            "read-only-store", "nothing is written to a web server", where=shown_address(path), hint="name a folder"
        )

    async def _request_state(self, path: str) -> PlaceState:
        """Asks for one byte of the file at `path` and gives its state: its size and version, and whether it can be read in parts or, where
        the server does not tell the size of the whole, only as a stream."""
        async with self._answer(path, {"Range": "bytes=0-0"}, also=(416,)) as answer:
            # of a part a server says `bytes 0-0/1234`, or `bytes */0`
            total = answer.headers.get("Content-Range", "").rpartition("/")[2] if answer.status in (206, 416) else ""
            size = int(total) if total.isdigit() else None
            etag = answer.headers.get("ETag")
            version = f"{etag} {answer.headers.get('Last-Modified')} {size}"
            if size is None:
                return PlaceState("stream", None, version, None, etag)
            # an ETag that is weak does not stand for the very bytes
            return PlaceState("file", size, version, None if etag is None or etag.startswith("W/") else etag, etag)

    async def _request_part(self, path: str, known: PlaceState, first: int, end: int) -> bytes:
        """The bytes of a file from `first` to before `end`, of a server that gives parts. `known` is the file as it was when it was opened.
        Raises StoreFault where it has changed or another part came, and ConnectionError where the part was cut."""
        async with self._answer(path, {"Range": f"bytes={first}-{end - 1}"}) as answer:
            if answer.headers.get("ETag") != known.etag:
                raise StoreFault("the file is another one than when it was opened")
            if answer.status != 206 or answer.headers.get("Content-Range") != f"bytes {first}-{end - 1}/{known.size}":
                raise StoreFault("the server gave another part of the file than it was asked for")
            try:
                data: bytes = await answer.content.readexactly(end - first)
            except EOFError:
                raise ConnectionError("the connection was cut") from None
        return data

    async def _request_whole(self, path: str, stream: BinaryIO) -> None:
        """Writes the whole file into a stream, which is emptied first. Raises StoreFault for one that is too long, or whose end is not
        known."""
        stream.seek(0)
        stream.truncate()
        async with self._answer(path, {}) as answer:
            if "Content-Length" not in answer.headers and answer.headers.get("Transfer-Encoding") != "chunked":
                text = "the server does not say how long the file is, so a cut connection would not be noticed"
                raise StoreFault(f"{text}; save the file on this machine, and name that")
            async for block in answer.content.iter_chunked(_BLOCK):
                stream.write(block)
                if stream.tell() > MOST_FETCHED_GIB * 1024**3:
                    raise StoreFault(f"it is longer than {MOST_FETCHED_GIB:g} GiB, which is the most that is fetched")

    @asynccontextmanager
    async def _answer(self, path: str, headers: Mapping[str, str], also: Sequence[int] = ()) -> Any:
        """A context with the answer of the server at the end of a chain of redirects. `also` are statuses that are taken beside 200 and
        206. Raises FileNotFoundError where there is no such file, ConnectionError for a status that may pass, StoreFault for any other and
        for a redirect that is not followed."""
        import yarl

        session = await self.files().set_session()
        address = yarl.URL(path, encoded=path.isascii() and " " not in path)
        for _ in range(_MOST_REDIRECTS + 1):
            async with session.get(
                address, headers={"Accept-Encoding": "identity", **headers}, allow_redirects=False
            ) as answer:
                target = answer.headers.get("Location") if answer.status in _REDIRECTS else None
                if target is None:
                    if answer.status in _ABSENT:
                        raise FileNotFoundError(shown_address(path))
                    if answer.status not in (200, 206, *also):
                        text = f"the server answers {answer.status}" + (f" ({answer.reason})" if answer.reason else "")
                        raise (ConnectionError if is_passing_status(answer.status) else StoreFault)(text)
                    yield answer
                    return
                onward = address.join(yarl.URL(target, encoded=True))
            if onward.scheme not in _AFTER[address.scheme] or not onward.host:
                raise StoreFault(
                    f"the server leads to an address of another kind ({onward.scheme}://), which is not opened"
                )
            address = onward
        raise StoreFault(f"the server leads from address to address, more than {_MOST_REDIRECTS} times")

    def _call(self, work: Any, *arguments: Any) -> Any:
        """The result of an async function, which is called again after passing faults."""
        files = self.files()
        from fsspec.asyn import sync

        return with_retries(lambda: sync(files.loop, work, *arguments))

    def settings(self) -> Mapping[str, Any]:
        """The settings of the client: proxies and ~/.netrc count, packed answers stay packed, and waiting ends."""
        from aiohttp import ClientTimeout

        waiting = ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS, sock_read=_SILENT_SECONDS)
        return {"client_kwargs": {"trust_env": True, "auto_decompress": False, "timeout": waiting}}
