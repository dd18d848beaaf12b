"""The web server of the package: what `serve` and the studio share.

Only hosts that are named are answered, so that no page of somebody else's reaches a service by a name of its own that leads to this
machine. A body has little time to arrive and a longest size.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import closing
from errno import EACCES, EADDRINUSE
from hmac import compare_digest
from time import monotonic
from typing import Any, Final, TypeAlias

from evaluators.integrations.harnesses._host_rows import needs
from evaluators.model.issues import Blame, Issue, Problems

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

LOCAL: Final = ("127.0.0.1", "localhost", "::1")
"""The names by which a service is called that only this machine can reach."""
_HOST: Final = re.compile(r"(?:\[(?P<numbered>[^\]]*)\]|(?P<named>[^:/?#@\[\]]+))(?::[0-9]*)?")
MAX_CONNECTIONS: Final = 128
_SILENT_SECONDS: Final = 10.0
"""How long a connection may be open on which no request comes."""
_SHUTDOWN_SECONDS: Final = 5
"""How long requests that are under way are waited for when the service is stopped."""


class TooLong(Exception):
    """A body has more bytes than are read."""


def host_in(header: str) -> str:
    """The host of a header `host:port`, or `[::1]:port`; empty for anything else."""
    match = _HOST.fullmatch(header)
    return match["named"] or match["numbered"] if match is not None else ""


def is_token(given: str, token: str) -> bool:
    """Whether a token is the expected one; the comparison takes the same time for any token."""
    return compare_digest(given.encode(), token.encode())


async def body_of(chunks: Any, most: int, seconds: float) -> bytes:
    """The body of a request, which comes in chunks. Raises TooLong where it has more than `most` bytes, and TimeoutError where it takes
    longer than so many seconds."""
    parts: list[bytes] = []
    size = 0
    async with asyncio.timeout(seconds):
        async for part in chunks:
            parts.append(part)
            size += len(part)
            if size > most:
                raise TooLong
    return b"".join(parts)


def run_server(
    app: Any,
    host: str,
    port: int,
    ready: Callable[[str], None],
    *,
    extra: str,
    start: Callable[[], None],
    close: Callable[[], None],
) -> None:
    """Answers requests until it is interrupted. `ready` is told the address once the port is open; port 0 is any free one.
    `start` is called before the first request, and `close` at the end.

    Raises Problems (config) when the packages of the `extra` are not installed, (environment) when the port is taken, and what `start`
    raises.
    """
    with needs(extra, extra=extra):
        import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(_Closing(close)), socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            message = f"cannot listen on {host}:{port}: {error.strerror}"
            code, hint = ("port-taken", "--port") if error.errno in (EADDRINUSE, EACCES) else ("no-host", "--host")
            raise Problems([Issue(code, Blame.ENVIRONMENT, message, hint=hint)]) from None
        start()
        listening.listen()
        named = f"[{host}]" if ":" in host else host
        ready(f"http://{named}:{listening.getsockname()[1]}")
        config = uvicorn.Config(app, log_level="warning", access_log=False, limit_concurrency=MAX_CONNECTIONS, ws="none")
        _server(uvicorn, config, close).run(sockets=[listening])


class _Closing:
    """An object whose `close` is the function, as `contextlib.closing` needs it."""

    def __init__(self, close: Callable[[], None]) -> None:
        self.close = close


def _server(uvicorn: Any, config: Any, close: Callable[[], None]) -> Any:
    """A server that closes connections on which no request has come for a while, and when it is stopped, gives requests that are scored
    a little time: the library waits for both without end. `uvicorn` is that library, `config` what its server is made of; `close` ends
    what is still under way."""

    class Server(uvicorn.Server):
        async def on_tick(self, counter: int) -> bool:
            """Closes connections on which no request has come for a while. The library calls it again and again, and stops when it gives
            True."""
            now, seen = monotonic(), self.__dict__.setdefault("silent_since", {})
            silent = {
                connection for connection in self.server_state.connections if getattr(connection, "cycle", None) is None
            }
            for connection in [connection for connection in seen if connection not in silent]:
                del seen[connection]
            for connection in silent:
                if now - seen.setdefault(connection, now) > _SILENT_SECONDS and connection.transport is not None:
                    connection.transport.close()
            return bool(await super().on_tick(counter))

        async def shutdown(self, sockets: Any = None) -> None:
            """Stops the server. What is still under way a little later is ended by `close`."""
            ending = asyncio.get_running_loop().call_later(_SHUTDOWN_SECONDS, close)
            await super().shutdown(sockets)
            ending.cancel()

    return Server(config)
