"""The studio as a web application: who may ask, which request goes where, and what it is answered.

Strategy: a request is decoded to its Struct, answered by one function in a thread of its own, and encoded. Everything that is read while
it is answered is inside of the folder. What goes wrong is `Refused`, with the problems as `check` has them.

Safe: only the names of this machine are answered, unless others are allowed; a page of another origin is refused; every request brings
the token, which no other page can know. The page may load its own script and style and ask its own server, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from inspect import signature
from traceback import format_exc
from typing import Any, Final, TypeAlias, get_type_hints

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evaluators.integrations.harnesses._web import TooLong, body_of, host_in, is_token
from evaluators.model.issues import Problems
from evaluators.scoring.values.files import reading_inside
from evaluators.studio import messages as m
from evaluators.studio.folder import ChangedUnderneath
from evaluators.studio.form import problems_of
from evaluators.studio.runs import Runs
from evaluators.studio.scores import Scores, Superseded
from evaluators.studio.studio import Studio
from evaluators.suites.extends import PRESETS

TOKEN: Final = "X-Studio-Token"
MAX_BYTES: Final = 8 * 1024 * 1024
"""Bytes of a request."""
MAX_UPLOAD: Final = 512 * 1024 * 1024
BODY_SECONDS: Final = 10.0
UPLOAD_SECONDS: Final = 600.0
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
}  # fmt: skip
_OWN: Final = ("evaluators.studio", "page")
_PAGE: Final = (*_OWN, "index.html", "text/html")
_STATIC: Final = {
    "studio.js": (*_OWN, "studio.js", "text/javascript"),
    "codemirror.js": (*_OWN, "codemirror.js", "text/javascript"),
    "codemirror.LICENSES.txt": (*_OWN, "codemirror.LICENSES.txt", "text/plain"),
    "studio.css": (*_OWN, "studio.css", "text/css"),
    "report.css": ("evaluators.reports", "html", "report.css", "text/css"),
}
"""The files that the page loads: package, folder, name and type."""
Answer: TypeAlias = Callable[..., msgspec.Struct]

ROUTES: Final[Mapping[str, Answer]] = {
    "start": Studio.start, "open": Studio.open, "draft": Studio.draft, "read": Studio.read, "edit": Studio.edit, "save": Studio.save,
    "state": Studio.state, "correct": Studio.correct, "score": Studio.score, "score/progress": Scores.progress, "rows": Scores.rows,
    "row": Scores.row, "advice": Scores.advice, "run": Runs.start, "run/state": Runs.state, "run/stop": Runs.stop, "runs": Runs.list,
    "compare": Runs.compare,
}  # fmt: skip
"""The requests of the page, each with the method that answers it."""
_OWNERS: Final[Mapping[str, Callable[[Studio], Any]]] = {
    "Studio": lambda studio: studio, "Scores": lambda studio: studio.scores, "Runs": lambda studio: studio.runs,
}  # fmt: skip


@cache
def _request_type(answer: Answer) -> type[msgspec.Struct]:
    """The type that a request is decoded to: the Struct that its method takes as `request`, or a Struct made of the method's parameters. It
    is kept for further requests."""
    kinds = get_type_hints(answer, include_extras=True)
    parameters = [*signature(answer).parameters.values()][1:]
    if [parameter.name for parameter in parameters] == ["request"]:
        kind: type[msgspec.Struct] = kinds["request"]
        return kind
    fields = [
        (
            parameter.name,
            kinds[parameter.name],
            msgspec.NODEFAULT if parameter.default is parameter.empty else parameter.default,
        )
        for parameter in parameters
    ]
    return msgspec.defstruct(answer.__name__, fields, kw_only=True)


def studio_app(studio: Studio, token: str, hosts: tuple[str, ...]) -> Starlette:
    """The web application of a studio. Requests must bring the `token`; `hosts` are the names that it answers to."""
    routes = [
        Route("/", _studio_page),
        Route("/static/{name}", _static_file),
        Route("/api/upload", _upload, methods=["POST"]),
        Route("/api/{name:path}", _api, methods=["POST"]),
        Route("/runs/{name:path}/report", _report_page),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(_Guard, token=token, hosts=frozenset(hosts))])
    app.state.studio = studio
    return app


class _Guard:
    """Refuses requests that do not come from the page of this studio, and sets in every answer what a browser may do with it."""

    def __init__(self, app: Any, token: str, hosts: frozenset[str]) -> None:
        self._app, self._token, self._hosts = app, token, hosts

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers a request over HTTP, refused or not, with the headers that keep the page safe; anything else goes on to the
        application unchanged."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Any) -> None:
            """Sends a message on; the first of an answer gets the headers that it does not have itself."""
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message["headers"]}
                more = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *(header for header in more if header[0] not in own)]
            await send(message)

        refused = self._refusal(Request(scope))
        await (self._app if refused is None else refused)(scope, receive, send_guarded)

    def _refusal(self, request: Request) -> Response | None:
        """The answer to a request that is not let in: another host, a page of others, no token or a wrong one. None for one that may go
        on; the page and its static files need no token."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if host_in(host) not in self._hosts:
            return _refusal_response(403, "host", "this studio does not answer to that host name")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return _refusal_response(403, "origin", "this studio does not answer to pages of others")
        path: str = request.scope["path"]  # what a URL is made of includes the header `Host`
        if path == "/" or path.startswith("/static/"):
            return None
        token = request.headers.get(TOKEN) if path.startswith("/api/") else request.query_params.get("token")
        if token is None or not is_token(token, self._token):
            return _refusal_response(401, "token", "open the address that the studio printed: it holds a token")
        return None


def _refusal_response(status: int, code: str, message: str, problems: list[m.Problem] | None = None) -> Response:
    """The response that refuses a request, with a status of HTTP, a code for the page and the problems of a suite."""
    return _json_response(m.Refused(code, message, problems or []), status)


def _json_response(answer: msgspec.Struct, status: int = 200) -> Response:
    """A response with the message as JSON."""
    return Response(msgspec.json.encode(answer), status, media_type="application/json")


async def _run_in_thread(request: Request, call: Callable[[Studio], Response]) -> Response:
    """The response of a function run in a thread of its own; its problems as `Refused`."""
    studio: Studio = request.app.state.studio

    def answer() -> Response:
        """The answer of `call`, with every problem that it raises as a status and `Refused`. It reads nothing outside of the folder."""
        try:
            with reading_inside(studio.folder.root, PRESETS, studio.scratch):
                return call(studio)
        except Problems as error:
            first = error.issues[0]
            status = 403 if first.code == "outside" else 422
            return _refusal_response(status, first.code, str(error), problems_of(error, ""))
        except ChangedUnderneath as error:
            message = f"{error.path} is another file than the one that was read: nothing was written"
            now = error.now
            return _json_response(m.Changed("changed", message, now.text if now else "", now.hash if now else ""), 409)
        except Superseded:
            return _refusal_response(409, "superseded", "a newer request came")
        except Exception:  # a fault of the program, which the page shows and survives
            return _refusal_response(500, "bug", format_exc())

    return await run_in_threadpool(answer)


async def _body(request: Request, most: int, seconds: float) -> bytes | Response:
    """The body of a request; or the answer that refuses it, for more than `most` bytes or when it takes longer than so many seconds."""
    try:
        return await body_of(request.stream(), most, seconds)
    except TooLong:
        return _refusal_response(413, "too-long", f"a request may have {most:,} bytes")
    except TimeoutError:
        return _refusal_response(408, "too-slow", f"a request must be here within {seconds:g} s")


async def _api(request: Request) -> Response:
    """Answers a request by the method of that name in ROUTES. Of most requests the keys are its arguments; a Score and a Correct are
    handed over whole."""
    if (answer := ROUTES.get(request.path_params["name"])) is None:
        return _refusal_response(404, "no-route", "there is no such request")
    raw = await _body(request, MAX_BYTES, BODY_SECONDS)
    if isinstance(raw, Response):
        return raw
    try:
        body = msgspec.json.decode(raw, type=_request_type(answer))
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        return _refusal_response(400, "bad-request", str(error))
    arguments = {"request": body} if isinstance(body, m.Score | m.Correct) else msgspec.structs.asdict(body)
    owner = _OWNERS[answer.__qualname__.partition(".")[0]]
    return await _run_in_thread(request, lambda studio: _json_response(answer(owner(studio), **arguments)))


async def _upload(request: Request) -> Response:
    """Saves the body as a file in the folder, under the name that the query says or a free one like it."""
    raw = await _body(request, MAX_UPLOAD, UPLOAD_SECONDS)
    if isinstance(raw, Response):
        return raw
    name = request.query_params.get("name", "")
    return await _run_in_thread(request, lambda studio: _json_response(m.Uploaded(studio.folder.add(name, raw))))


async def _report_page(request: Request) -> Response:
    """Answers with the report of a run."""
    name = request.path_params["name"]
    return await _run_in_thread(request, lambda studio: _html_response(studio.runs.report(name)))


def _html_response(text: str) -> Response:
    """A response with a page of a report, which says itself what it may load."""
    return Response(text, media_type="text/html")


async def _studio_page(request: Request) -> Response:
    """Answers with the page of the studio."""
    return _file_response(*_PAGE)


async def _static_file(request: Request) -> Response:
    """Answers with one of the files that the page loads."""
    if (static := _STATIC.get(request.path_params["name"])) is None:
        return _refusal_response(404, "no-file", "there is no such file")
    return _file_response(*static)


def _file_response(package: str, folder: str, name: str, type_: str) -> Response:
    """A response with a file of a package."""
    data = (files(package) / folder / name).read_bytes()
    return Response(data, media_type=type_, headers={"Content-Security-Policy": _POLICY})
