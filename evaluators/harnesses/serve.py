"""A small web service that scores: what platforms with webhook evaluators call, Agenta among them.

    evaluators serve suite.yaml

`POST /score` takes `{"inputs": {…}, "output": …}` and gives `{"score": 0.5, "success": false, "header": 0.5, "header.city": 0}` and
more; with several suites it is `POST /score/NAME`. `inputs` are the columns of the row, the expected answer among them.
`{"rows": [{"inputs": …, "output": …}, …]}` gives `{"rows": […]}`, an answer for each. promptfoo's webhook,
`{"output": …, "context": {"vars": {…}}}`, gets `pass`, too. `GET /health` says which suites there are. It is
an ASGI application, so any ASGI server runs it.

Strategy. What is sent is `application/json`, which no page of somebody else's can send without asking first. A request has little time
for its body, few requests are held at once, and fewer are scored at once; those that are too many are told to come back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from hmac import compare_digest
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeAlias, TypeGuard

from evaluators.api.suite import Suite
from evaluators.harnesses._host_rows import HostRow, Places, needs
from evaluators.harnesses._row_scores import RowScores, promptfoo_result
from evaluators.harnesses._scorer import SuiteScorer
from evaluators.issues import Blame, Issue, Problems, problem
from evaluators.model import MISSING
from evaluators.registry import suggestion
from evaluators.values.json_text import NotJSON, parse, to_text

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Answer: TypeAlias = tuple[int, Mapping[str, Any]]

MAX_BYTES: Final = 4 * 1024 * 1024
"""Bytes of a request; a longer one is refused."""
BODY_SECONDS: Final = 10.0
"""How long a request may take to arrive."""
MAX_REQUESTS: Final = 32
"""Requests that are held at once; what comes beyond them is told to come back."""
MAX_CONNECTIONS: Final = 128
WORKERS: Final = 4
"""Requests that are scored at once."""
MAX_ROWS: Final = 1_000
"""Rows of one request."""
_KEYS: Final = frozenset(("score", "success", "pass", "status", "reason", "errors"))
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
        token: str | None = None,
        body_seconds: float = BODY_SECONDS,
        max_requests: int = MAX_REQUESTS,
    ) -> None:
        """`suites` are by the names that they are called by. Requests to another host than `hosts` are refused, and so is what is not
        sent as JSON, so that no page of somebody else's can reach the service through a browser. With a `token`, requests to score
        must bring it: `Authorization: Bearer TOKEN`. Raises Problems with everything that is wrong with the suites."""
        if not suites:
            raise problem("no-suite", "there is no suite to score by")
        self._scorers = {name: SuiteScorer(suite, columns=columns, keep=False) for name, suite in suites.items()}
        self._hosts = frozenset(hosts)
        self._max_bytes = max_bytes
        self._token = token
        self._body_seconds = body_seconds
        self._max_requests = max_requests
        self._held = 0
        self._working: asyncio.Semaphore | None = None

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
        if self._token is not None and not compare_digest(
            headers.get("authorization", "").encode(), f"Bearer {self._token}".encode()
        ):
            return _refused(401, "this service wants its token: Authorization: Bearer TOKEN")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return _refused(415, "a request is JSON, and says so: Content-Type: application/json")
        if self._held >= self._max_requests:
            return _refused(503, "too many requests are under way; ask again in a moment")
        self._held += 1
        try:
            return await self._read_and_scored(self._scorers[name], receive)
        finally:
            self._held -= 1

    async def _read_and_scored(self, scorer: SuiteScorer, receive: Receive) -> Answer:
        try:
            raw = await asyncio.wait_for(_body(receive, self._max_bytes), self._body_seconds)
        except TimeoutError:
            return _refused(408, f"a request must be here within {self._body_seconds:g} s")
        if raw is None:
            return _refused(413, f"a request may have {self._max_bytes:,} bytes")
        if self._held == 1 or self._working is None:  # nobody else waits: the loop may be another one than before
            self._working = asyncio.Semaphore(WORKERS)
        async with self._working:
            return await asyncio.to_thread(_scored, scorer, raw)


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


def _scored(scorer: SuiteScorer, raw: bytes) -> Answer:
    try:
        asked = parse(raw)
    except NotJSON as error:
        return _refused(400, f"the request is not JSON that is read: {error}")
    rows = asked.get("rows") if isinstance(asked, dict) and "output" not in asked and "inputs" not in asked else None
    if isinstance(rows, list):
        if len(rows) > MAX_ROWS:
            return _refused(413, f"a request may have {MAX_ROWS:,} rows; found {len(rows):,}")
        given = [row for row in rows if _is_row(row)]
        if len(given) < len(rows):
            wrong = next(number for number, row in enumerate(rows, start=1) if not _is_row(row))
            return _refused(400, f"row {wrong} of the request {_ROW_SHAPE}")
        return 200, {"rows": [score_answer(scorer.score(given_by_webhook(row))) for row in given]}
    if not _is_row(asked):
        return _refused(400, f"the request {_ROW_SHAPE}")
    if (
        "inputs" not in asked
        and isinstance(context := asked.get("context"), dict)
        and isinstance(context.get("vars"), dict)
    ):
        scores = scorer.score(given_by_webhook({**asked, "inputs": context["vars"]}))
        return 200, {**score_answer(scores), **promptfoo_result(scores.overall)}
    scores = scorer.score(given_by_webhook(asked))
    return 200 if scores.overall.error is None else 422, score_answer(scores)


_ROW_SHAPE: Final = 'must be an object: {"inputs": {…}, "output": …}'


def _is_row(asked: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(asked, dict) and isinstance(asked.get("inputs", {}), dict)


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
    raw = to_text(dict(body)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(raw)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == 503:
        headers.append((b"retry-after", b"1"))
    if status in (408, 413):  # what is left of the body is not read
        headers.append((b"connection", b"close"))
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
        config = uvicorn.Config(app, log_level="warning", access_log=False, limit_concurrency=MAX_CONNECTIONS)
        _server(uvicorn, config).run(sockets=[listening])


def _server(uvicorn: Any, config: Any) -> Any:
    """A server that closes connections on which no request has come for a while: the library waits for it without end."""

    class Server(uvicorn.Server):
        async def on_tick(self, counter: int) -> bool:
            now, seen = monotonic(), self.__dict__.setdefault("silent_since", {})
            silent = {one for one in self.server_state.connections if getattr(one, "cycle", None) is None}
            for one in [one for one in seen if one not in silent]:
                del seen[one]
            for one in silent:
                if now - seen.setdefault(one, now) > BODY_SECONDS and one.transport is not None:
                    one.transport.close()
            return bool(await super().on_tick(counter))

    return Server(config)
