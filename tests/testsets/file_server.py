"""A web server for tests, on a free port of this machine: it gives parts of its files or does not, and breaks off when it is told to."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

_RANGE: Final = re.compile(r"bytes=(\d+)-(\d+)")


class FileServer(ThreadingHTTPServer):
    """Files by their paths, and how they are given. `asked` has the (path, range) of every request, in order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes] = {}
        self.ranges = True
        """Parts of files are given."""
        self.etags = True
        self.length = "told"
        """`told` in a header, `chunked`, or `untold`: the connection ends with the file."""
        self.headers: dict[str, str] = {}
        """Further headers of every answer."""
        self.redirects: dict[str, str] = {}
        self.cuts = 0
        """How many of the next answers are broken off in their middle."""
        self.cut_from = 2
        """Answers of fewer bytes are not broken off."""
        self.busy = 0
        """How many of the next requests are answered with 503."""
        self.status: dict[str, int] = {}
        self.asked: list[tuple[str, str | None]] = []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked went away, which is no error of the server."""

    @property
    def address(self) -> str:
        """Where the files are."""
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def file_server() -> Iterator[FileServer]:
    """A server that is up as long as the context lasts."""
    with FileServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: FileServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        server, (path, _, _) = self.server, self.path.partition("?")
        server.asked.append((self.path, self.headers.get("Range")))
        if path in server.redirects:
            self._answer(302, b"", {"Location": server.redirects[path]})
        elif server.busy > 0:
            server.busy -= 1
            self._answer(503, b"")
        elif path in server.status:
            self._answer(server.status[path], b"")
        elif path not in server.files:
            self._answer(404, b"")
        else:
            self._give(server.files[path])

    def _give(self, data: bytes) -> None:
        asked = _RANGE.fullmatch(self.headers.get("Range") or "") if self.server.ranges else None
        told = {"ETag": f'"{hashlib.sha256(data).hexdigest()}"'} if self.server.etags else {}
        if asked is None:
            self._answer(200, data, told)
        elif int(asked[1]) >= len(data):
            self._answer(416, b"", {**told, "Content-Range": f"bytes */{len(data)}"})
        else:
            first, last = int(asked[1]), min(int(asked[2]), len(data) - 1)
            told["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
            self._answer(206, data[first : last + 1], told)

    def _answer(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
        how = self.server.length if status in (200, 206) else "told"
        self.send_response(status)
        for name, value in {**self.server.headers, **(headers or {})}.items():
            self.send_header(name, value)
        if how == "told":
            self.send_header("Content-Length", str(len(data)))
        elif how == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
        if how == "untold":
            self.close_connection = True
        self.end_headers()
        cut = self.server.cuts > 0 and len(data) >= self.server.cut_from
        if cut:
            self.server.cuts -= 1
            self.close_connection = True
        sent = data[: len(data) // 2] if cut else data
        try:
            self.wfile.write(b"%x\r\n%b\r\n" % (len(sent), sent) if how == "chunked" and sent else sent)
            if how == "chunked" and not cut:
                self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True  # whoever asked has seen enough

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""
