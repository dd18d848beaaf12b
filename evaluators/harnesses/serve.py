"""A small web service that scores: what platforms with webhook evaluators call, Agenta among them.

    evaluators serve suite.yaml

`POST /score` takes `{"inputs": {…}, "output": …}` and gives `{"score": 0.5, "success": false, "header": 0.5, "header.city": 0}` and
more; with several suites it is `POST /score/NAME`. `inputs` are the columns of the row, the expected answer among them. `GET /health`
says which suites there are. It is an ASGI application, so any ASGI server runs it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from evaluators.api.loading import Suite
from evaluators.harnesses._host import needs
from evaluators.harnesses._host_rows import HostRow, Places
from evaluators.harnesses._scorer import SuiteScorer
from evaluators.harnesses._scores import RowScores
from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.model import MISSING
from evaluators.registry import suggestion

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Answer: TypeAlias = tuple[int, Mapping[str, Any]]

MAX_BYTES: Final = 4 * 1024 * 1024
"""Bytes of a request; a longer one is refused."""
_KEYS: Final = frozenset(("score", "success", "status", "reason", "errors"))
LOCAL: Final = ("127.0.0.1", "localhost", "::1")
"""The names by which a service is called that only this machine can reach."""


class ScoreApp:
    """The service, as an ASGI application."""

    def __init__(
        self,
        suites: Mapping[str, str | Path | Suite],
        *,
        columns: Places | None = None,
        hosts: tuple[str, ...] = LOCAL,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        """`suites` are by the names that they are called by. Requests to another host than `hosts` are refused, so that no page of
        somebody else's can reach the service through a browser. Raises Problems with everything that is wrong with the suites."""
        if not suites:
            raise problem("no-suite", "there is no suite to score by")
        self._scorers = {name: SuiteScorer(suite, columns=columns, keep=False) for name, suite in suites.items()}
        self._hosts = frozenset(hosts)
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, and starts and stops when the server says so."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            status, body = await self._answer(scope, receive)
            await _respond(send, status, body)

    async def _answer(self, scope: Scope, receive: Receive) -> Answer:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if _host(headers.get("host", "")) not in self._hosts:
            return _refused(400, "this service does not answer to that host name")
        path, method = scope["path"].rstrip("/"), scope["method"]
        if path == "/health":
            return 200, {"suites": sorted(self._scorers)}
        if path != "/score" and not path.startswith("/score/"):
            return _refused(404, "there is POST /score, POST /score/NAME and GET /health")
        if method != "POST":
            return _refused(405, "a row is scored by POST")
        name = path.removeprefix("/score").removeprefix("/") or next(iter(self._scorers))
        if name not in self._scorers or (path == "/score" and len(self._scorers) > 1):
            hint = suggestion(name, self._scorers) or f"suites: {', '.join(sorted(self._scorers))}"
            return _refused(404, f"name the suite: {hint}")
        raw = await _body(receive, self._max_bytes)
        if raw is None:
            return _refused(413, f"a request may have {self._max_bytes:,} bytes")
        return await _scored(self._scorers[name], raw)


def score_answer(scores: RowScores) -> dict[str, Any]:
    """The scores of a row as a webhook gives them.

    `score` and `success` are the overall score and whether it passed. Each evaluator and each field has its score under its name, as
    results spell it; an evaluator that is called like one of the other keys has a star behind it. What has none is null, with the
    reason under `errors` where something other than the output is to blame.
    """
    overall = scores.overall
    whole: dict[str, Any] = {
        "score": overall.score, "success": overall.passed, "status": overall.label,
        "reason": overall.error or overall.reason, "errors": {},
    }  # fmt: skip
    for one in scores.evaluators:
        name = str(one.evaluator) if one.path is None else f"{one.evaluator}.{one.path}"
        name = f"{name}*" if name in _KEYS else name
        whole[name] = one.score
        if one.error is not None:
            whole["errors"][name] = one.error
    return whole


async def _scored(scorer: SuiteScorer, raw: bytes) -> Answer:
    from asyncio import to_thread

    try:
        asked = json.loads(raw)
    except ValueError:
        return _refused(400, "the request is not JSON")
    if not isinstance(asked, dict) or not isinstance(asked.get("inputs", {}), dict):
        return _refused(400, 'the request must be an object: {"inputs": {…}, "output": …}')
    scores = await to_thread(scorer.score, given_by_webhook(asked))
    if scores.overall.error is not None:
        return 422, score_answer(scores)
    return 200, score_answer(scores)


def given_by_webhook(asked: Mapping[str, Any]) -> HostRow:
    """What a webhook gives of a row: its inputs are columns, the expected answer among them."""
    inputs = asked.get("inputs") or {}
    return HostRow({**asked, "inputs": inputs}, asked.get("output", asked.get("outputs", MISSING)), more=[inputs])


def _host(header: str) -> str:
    """The host of a header `host:port`, or `[::1]:port`."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.rpartition(":")[0] if ":" in header else header


def _refused(status: int, message: str) -> Answer:
    return status, {"error": message}


async def _body(receive: Receive, most: int) -> bytes | None:
    """The body of a request; None when it is longer than allowed."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


async def _respond(send: Send, status: int, body: Mapping[str, Any]) -> None:
    raw = json.dumps(body, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(raw)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": raw})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def run_server(app: ScoreApp, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Answers requests until it is interrupted. `ready` is told the address once the port is open; port 0 is any free one.

    Raises Problems (config) when uvicorn is not installed, and (environment) when the port is taken.
    """
    import socket

    with needs("serve", extra="serve"):
        import uvicorn

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            raise Problems(
                [
                    Issue(
                        "port-taken",
                        Blame.ENVIRONMENT,
                        f"cannot listen on {host}:{port}: {error.strerror}",
                        hint="--port",
                    )
                ]
            ) from None
        listening.listen()
        named = f"[{host}]" if ":" in host else host
        ready(f"http://{named}:{listening.getsockname()[1]}")
        config = uvicorn.Config(app, log_level="warning", access_log=False)
        uvicorn.Server(config).run(sockets=[listening])
