"""A studio over a folder, on a real server of this machine, and requests to it as its page makes them."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
import pytest
import uvicorn

from evaluators.integrations.harnesses._web import LOCAL
from evaluators.studio.app import TOKEN, studio_app
from evaluators.studio.studio import Studio
from tests.waiting import PATIENCE

SECRET: Final = "a-token-for-tests"
HOST: Final = "127.0.0.1"


class Page:
    """Somebody who sends requests to a studio."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.address = f"http://{HOST}:{port}"

    def send(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, dict[str, str], bytes]:
        """A request, with the token unless another one is given: the status, the headers and the body of the answer."""
        given = {TOKEN: SECRET, **{name.replace("_", "-"): value for name, value in headers.items()}}
        with closing(http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body, {name: value for name, value in given.items() if value})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    def ask(self, name: str, asked: msgspec.Struct | dict[str, Any], **headers: str) -> tuple[int, Any]:
        """A request of the page: the status, and the answer as JSON."""
        status, _, body = self.send("POST", f"/api/{name}", msgspec.json.encode(asked), **headers)
        return status, json.loads(body)

    def done(self, name: str, asked: msgspec.Struct | dict[str, Any]) -> Any:
        """The answer to a request that is done."""
        status, answer = self.ask(name, asked)
        assert status == 200, answer
        return answer


@contextmanager
def serving(folder: Path, opened: str = "") -> Iterator[Page]:
    """A studio of the folder that the test stands in, for as long as it is asked."""
    with TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", scratch)
        with _serving(Studio(folder, opened, Path(scratch))) as page:
            yield page


@contextmanager
def _serving(studio: Studio) -> Iterator[Page]:
    ready: Queue[int] = Queue()

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            ready.put(self.servers[0].sockets[0].getsockname()[1])

    app = studio_app(studio, SECRET, LOCAL)
    server = Server(uvicorn.Config(app, host=HOST, port=0, log_level="warning", access_log=False, ws="none"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield Page(ready.get(timeout=PATIENCE))
    finally:
        server.should_exit = True
        thread.join()
        studio.close()
