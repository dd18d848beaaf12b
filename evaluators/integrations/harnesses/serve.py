"""A small web service that scores: what platforms with webhook evaluators call, Agenta among them.

    evaluators serve suite.yaml

`POST /score` takes `{"inputs": {…}, "output": …}` and gives `{"score": 0.5, "success": false, "header": 0.5, "header.city": 0}` and
more; with several suites it is `POST /score/NAME`. `inputs` are the columns of the row, the expected answer among them.
`{"rows": [{"inputs": …, "output": …}, …]}` gives `{"rows": […]}`, an answer for each. promptfoo's webhook,
`{"output": …, "context": {"vars": {…}}}`, gets `pass`, too. `GET /health` says which suites there are. It is
an ASGI application of starlette, so any ASGI server runs it.

Strategy. What is sent is `application/json`, which no page of somebody else's can send without asking first. A request has little time
for its body, few requests are held at once, and fewer are scored at once; those that are too many are told to come back. Requests are
scored by processes, each of which is ended when its request takes too long, so that none holds up another: this one only waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evaluators.api.suite import Suite
from evaluators.integrations.harnesses._host_rows import Places, needs
from evaluators.integrations.harnesses._scorer import SuiteScorer
from evaluators.integrations.harnesses._scoring_processes import ProcessLost, Reply, ScoringProcesses
from evaluators.integrations.harnesses._web import LOCAL, Receive, Scope, Send, TooLong, body_of, host_in, is_token
from evaluators.integrations.harnesses._webhook import refusal
from evaluators.model.issues import Problems, problem
from evaluators.model.registry import suggestion
from evaluators.scoring.values.json_text import to_text

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

MAX_BYTES: Final = 4 * 1024 * 1024
"""Bytes of a request; a longer one is refused."""
BODY_SECONDS: Final = 10.0
"""How long a request may take to arrive."""
MAX_REQUESTS: Final = 32
"""Requests that are held at once; what comes beyond them is told to come back."""
WORKERS: Final = 4
"""Requests that are scored at once, each in a process of its own."""
SCORE_SECONDS: Final = 30.0
"""How long a request may be scored, and wait for its turn before that."""
JUDGE_SECONDS: Final = 300.0
"""The same where a suite asks a judge, whose answers take their time."""


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
        score_seconds: float | None = None,
        workers: int = WORKERS,
    ) -> None:
        """`suites` are by the names that they are called by. Requests to another host than `hosts` are refused, and so is what is not sent
        as JSON, so that no page of somebody else's can reach the service through a browser. With a `token`, requests to score must bring
        it: `Authorization: Bearer TOKEN`. A body may have `max_bytes` and must be there within `body_seconds`; of more than `max_requests`
        at a time, the others are refused. `columns` says where in a request a column of a suite is. `workers` requests are scored at once;
        each may take `score_seconds`: 30 without a number, and 300 where its suite asks a judge. Processes start with the service, or with
        the first request, and end with `close`. Raises Problems with everything that is wrong with the suites, and where something that the
        program has registered cannot be sent to another process."""
        if not suites:
            raise problem("no-suite", "there is no suite to score by")
        read = {name: SuiteScorer(suite, columns=columns, keep=False).suite for name, suite in suites.items()}
        self._seconds = {
            name: score_seconds or (JUDGE_SECONDS if suite.judges else SCORE_SECONDS) for name, suite in read.items()
        }
        self._processes = ScoringProcesses(read, columns or {})
        self._workers = workers
        self._threads = ThreadPoolExecutor(workers, "evaluators-serve")
        self._hosts = frozenset(hosts)
        self._max_bytes = max_bytes
        self._token = token
        self._body_seconds = body_seconds
        self._max_requests = max_requests
        self._held = 0
        self._working: asyncio.Semaphore | None = None
        with needs("serve", extra="serve"):
            from starlette.applications import Starlette
            from starlette.routing import Route
        every = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
        self._app = Starlette(routes=[Route("/{path:path}", self._endpoint, methods=every)], lifespan=self._lifespan)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, and starts and stops when the server says so."""
        await self._app(scope, receive, send)

    def start(self) -> None:
        """Starts the first process, so that no request waits for it; also after `close`. Raises Problems where it cannot score."""
        self._processes.start()

    def close(self) -> None:
        """Ends all processes. What is under way is not answered."""
        self._processes.close()

    @asynccontextmanager
    async def _lifespan(self, _: object) -> AsyncIterator[None]:
        """Starts the first process before the service answers, and closes the service after it."""
        await asyncio.get_running_loop().run_in_executor(self._threads, self.start)
        try:
            yield
        finally:
            self.close()

    async def _endpoint(self, request: Request) -> Response:
        """Answers a request with JSON."""
        from starlette.responses import Response

        status, body = await self._answer(request)
        return Response(body, status, headers=_HEADERS.get(status), media_type="application/json")

    async def _answer(self, request: Request) -> Reply:
        """The answer to a request, checked from its host to its content type. `/health` needs no token, and a request above the limit of
        those under way is refused. While a request is read and scored, it counts in `_held`."""
        headers = request.headers
        if host_in(headers.get("host", "")) not in self._hosts:
            return _refusal(400, "this service does not answer to that host name")
        path, method = request.scope["path"].rstrip("/"), request.method
        if path == "/health":
            return 200, to_text({"suites": [*sorted(self._seconds)]}).encode()
        if path != "/score" and not path.startswith("/score/"):
            return _refusal(404, "there is POST /score, POST /score/NAME and GET /health")
        if method != "POST":
            return _refusal(405, "a row is scored by POST")
        name = path.removeprefix("/score").removeprefix("/") or next(iter(self._seconds))
        if name not in self._seconds or (path == "/score" and len(self._seconds) > 1):
            hint = suggestion(name, self._seconds) or f"suites: {', '.join(sorted(self._seconds))}"
            return _refusal(404, f"name the suite: {hint}")
        if self._token is not None and not is_token(headers.get("authorization", ""), f"Bearer {self._token}"):
            return _refusal(401, "this service wants its token: Authorization: Bearer TOKEN")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return _refusal(415, "a request is JSON, and says so: Content-Type: application/json")
        if self._held >= self._max_requests:
            return _refusal(503, "too many requests are under way; ask again in a moment")
        self._held += 1
        try:
            return await self._read_and_score(name, request)
        finally:
            self._held -= 1

    async def _read_and_score(self, name: str, request: Request) -> Reply:
        """The answer to a request for the suite called `name`: reads its body, waits for a free process no longer than scoring may take,
        and scores it in a thread. Refuses a body that is late or too long, and a request for which no process becomes free."""
        try:
            raw = await body_of(request.stream(), self._max_bytes, self._body_seconds)
        except TimeoutError:
            return _refusal(408, f"a request must be here within {self._body_seconds:g} s")
        except TooLong:
            return _refusal(413, f"a request may have {self._max_bytes:,} bytes")
        if self._held == 1 or self._working is None:  # nobody else waits: the loop may be another one than before
            self._working = asyncio.Semaphore(self._workers)
        working = self._working
        try:
            await asyncio.wait_for(working.acquire(), self._seconds[name])
        except TimeoutError:
            return _refusal(503, "all processes that score are busy with other requests; ask again in a moment")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._score_in_process, name, raw)
        finally:
            working.release()

    def _score_in_process(self, name: str, raw: bytes) -> Reply:
        """The answer of a process to the body `raw`, scored by the suite called `name`; or a refusal that says why there is none: too slow,
        no answer, or a service that is being stopped. It waits, so it runs in a thread."""
        seconds = self._seconds[name]
        try:
            return self._processes.answer(name, raw, seconds)
        except TimeoutError:
            return _refusal(
                504,
                f"scoring took more than {seconds:g} s, so it was stopped, and the request has no score; shorter texts and lists, or "
                "fewer rows in a request, take less time; --score-seconds sets another limit",
            )
        except (ProcessLost, Problems) as error:
            if self._processes.closed:
                return _refusal(503, "the service is being stopped")
            if isinstance(error, Problems):
                return _refusal(500, str(error))
            return _refusal(
                500,
                f"the process that scored ended without an answer (exit code {error}); it may have run out of memory, and what "
                "went wrong otherwise was printed where the service runs",
            )


def _refusal(status: int, message: str) -> Reply:
    """The reply, with that status of HTTP, to a request that is not scored."""
    code, body = refusal(status, message)
    return code, to_text(dict(body)).encode()


_HEADERS: Final[Mapping[int, Mapping[str, str]]] = {
    401: {"www-authenticate": "Bearer"},
    408: {"connection": "close"},  # what is left of the body is not read
    413: {"connection": "close"},
    503: {"retry-after": "1"},
}
