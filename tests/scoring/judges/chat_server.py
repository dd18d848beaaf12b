"""A small server that speaks chat completions on 127.0.0.1, and misbehaves on request.

It reads the questions out of the request as a model would, answers them by a rule, and does to the answer what the test says.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Rule = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass
class Reply:
    """What the server sends."""

    content: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    ended: str = "stop"
    body: bytes | None = None
    """The whole body, in place of a chat completion."""
    usage: dict[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    )
    hang: bool = False
    """Nothing is sent until the server stops."""
    endless: bool = False
    """The body begins, and never ends."""
    drop: bytes = b" " * 65536
    """What an endless body is made of; a single byte comes slowly."""


def questions_in(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The questions of a request: the lines between the marks."""
    lines = request["messages"][-1]["content"].splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("=== data "))
    last = max(at for at, line in enumerate(lines) if line == lines[first])
    return [json.loads(line) for line in lines[first + 1 : last]]


def first_letters(question: dict[str, Any]) -> dict[str, Any]:
    """A judge that looks at the first letters alone."""
    match = str(question["expected"])[:1] == str(question["found"])[:1]
    return {"id": question["id"], "reason": "by the first letter", "match": match, "score": float(match)}


def verdicts(request: dict[str, Any], rule: Rule = first_letters) -> str:
    """The content of a well-behaved reply."""
    return json.dumps({"verdicts": [rule(one) for one in questions_in(request)]})


class ChatServer:
    """What was asked, and how it is answered."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.respond: Callable[[dict[str, Any], int], Reply] = lambda request, number: Reply(verdicts(request))
        self.url = ""
        self.stopping = threading.Event()
        self._lock = threading.Lock()

    @property
    def questions(self) -> list[dict[str, Any]]:
        """Every question of every request, without its id."""
        return [
            {name: value for name, value in one.items() if name != "id"}
            for request in self.requests
            for one in questions_in(request)
        ]

    def take(self, request: dict[str, Any], headers: dict[str, str]) -> Reply:
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            number = len(self.requests)
        return self.respond(request, number)


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65536  # one packet, so that nobody waits for the other side

        def do_POST(self) -> None:
            assert self.path == "/v1/chat/completions", self.path
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = server.take(request, {name.lower(): value for name, value in self.headers.items()})
            if reply.hang:
                server.stopping.wait(30)
                self.close_connection = True
                return
            if reply.endless:
                self._send_endlessly(reply)
                return
            body = reply.body if reply.body is not None else json.dumps(_body(request, reply)).encode()
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _send_endlessly(self, reply: Reply) -> None:
            self.close_connection = True
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            with suppress(OSError):  # nobody reads any further
                while not server.stopping.wait(0.01 if len(reply.drop) == 1 else 0):
                    self.wfile.write(reply.drop)
                    self.wfile.flush()

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def _body(request: dict[str, Any], reply: Reply) -> dict[str, Any]:
    if reply.status != 200:
        return {"error": {"message": reply.content or "no"}}
    message = {"role": "assistant", "content": reply.content}
    return {
        "id": "1", "object": "chat.completion", "created": 0, "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reply.ended}],
        "usage": reply.usage,
    }  # fmt: skip


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """A server on a free port; it is gone afterwards."""
    server = ChatServer()
    http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(server))
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        http.shutdown()
        http.server_close()
        thread.join()
