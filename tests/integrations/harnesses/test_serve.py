"""The web service: the table goes through it as requests, and what it refuses."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import load
from evaluators.integrations.harnesses.agenta import suite_handler
from evaluators.integrations.harnesses.serve import ScoreApp
from evaluators.model.issues import Problems
from tests.hosts.table import SUITE, Figures, Found, assert_same_rows, register
from tests.hosts.table.rows import inputs_of, table_rows
from tests.kit import cli
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def serving() -> Iterator[Callable[..., ScoreApp]]:
    """A service for a suite. Equal ones share a process, which ends with the module."""
    found: dict[str, ScoreApp] = {}

    def made(suite: dict[str, Any], **options: Any) -> ScoreApp:
        return found.setdefault(repr((suite, options)), ScoreApp({"it": load(suite)}, **options))

    yield made
    for app in found.values():
        app.close()


JSON_SUITE = {"evaluators": ["contains_json"]}


def ask(
    app: ScoreApp,
    body: bytes,
    path: str = "/score",
    method: str = "POST",
    host: str = "127.0.0.1:8000",
    pieces: int = 1,
    **headers: str,
) -> tuple[int, dict[str, Any]]:
    """A request to the application as a server makes it."""
    size = max(1, -(-len(body) // pieces))
    parts = [body[start : start + size] for start in range(0, max(1, len(body)), size)]
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    async def send(message: Any) -> None:
        sent.append(message)

    given = {"Host": host, "Content_Type": "application/json", **headers}
    named = [(name.lower().replace("_", "-").encode(), value.encode()) for name, value in given.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": named}
    asyncio.run(app(scope, receive, send))
    assert dict(sent[0]["headers"])[b"content-length"] == str(len(sent[1]["body"])).encode()
    return sent[0]["status"], json.loads(sent[1]["body"])


def asked(row: dict[str, str]) -> bytes:
    inputs = {**inputs_of(row), "correct_answer": row["expected"]}
    return json.dumps({"inputs": inputs, "output": row["output"]}).encode()


def test_every_row_is_ours(ours: Figures) -> None:
    register()
    found = {}
    with closing(ScoreApp({"table": SUITE})) as app:
        for row in table_rows():
            status, answer = ask(app, asked(row), pieces=3)
            assert status == (422 if ours.rows[row["id"]]["overall"].error else 200)
            found[row["id"]] = {name: Found(answer[name], name in answer["errors"]) for name in ours.evaluators}
            assert answer["score"] == answer["overall"]
        wrong = next(row for row in table_rows() if row["id"] == "wrong")
        assert ask(app, asked(wrong))[1]["header.number"] == 0
    assert_same_rows(found, ours)


def test_the_handler_for_agenta_gives_the_same(ours: Figures) -> None:
    register()
    handler = suite_handler(SUITE)
    wrong = next(row for row in table_rows() if row["id"] == "wrong")
    answer = handler({**inputs_of(wrong), "correct_answer": wrong["expected"]}, wrong["output"])
    assert (answer["score"], answer["success"], answer["header.number"]) == (0.625, False, 0)


@pytest.mark.parametrize(
    ("request_", "status", "said"),
    [
        ({"body": b"{"}, 400, "not JSON"),
        ({"body": b"[]"}, 400, "must be an object"),
        ({"body": b'{"inputs": 3}'}, 400, "must be an object"),
        ({"body": b"{}", "path": "/"}, 404, "POST /score"),
        ({"body": b"{}", "path": "/score/itt"}, 404, 'did you mean "it"?'),
        ({"body": b"", "method": "GET"}, 405, "by POST"),
        ({"body": b'{"output": "' + b"x" * 200 + b'"}'}, 413, "100 bytes"),
        ({"body": b'{"output": "' + b"x" * 200 + b'"}', "pieces": 9}, 413, "100 bytes"),
        ({"body": b"{}", "host": "evil.example"}, 400, "host name"),
        ({"body": b"{}", "host": "127.0.0.1.evil.example:8000"}, 400, "host name"),
    ],
)
def test_what_is_refused(request_: dict[str, Any], status: int, said: str, serving: Callable[..., ScoreApp]) -> None:
    app = serving(JSON_SUITE, max_bytes=100)
    answered, answer = ask(app, **request_)
    assert answered == status
    assert said in answer["error"]


@pytest.mark.parametrize("pieces", [1, 2, 7])
def test_a_request_may_have_as_many_bytes_as_allowed_and_not_one_more(
    pieces: int, serving: Callable[..., ScoreApp]
) -> None:
    app = serving(JSON_SUITE, max_bytes=100)
    body = json.dumps({"output": "{}"}).encode().ljust(100)
    assert ask(app, body, pieces=pieces)[0] == 200
    assert ask(app, body + b" ", pieces=pieces)[0] == 413


def test_several_suites_are_asked_by_name() -> None:
    body = json.dumps({"inputs": {"expected": "{}"}, "output": "{ }"}).encode()
    with closing(ScoreApp({"one": load(JSON_SUITE), "two": load({"evaluators": ["exact_match"]})})) as app:
        assert ask(app, body, "/score/one")[1]["score"] == 1
        assert ask(app, body, "/score/two")[1]["score"] == 0
        assert ask(app, body)[0] == 404
        assert ask(app, b"", "/health", "GET", host="[::1]:80")[1] == {"suites": ["one", "two"]}


def test_an_evaluator_called_like_a_key_of_the_answer_keeps_its_score(serving: Callable[..., ScoreApp]) -> None:
    app = serving({"evaluators": [{"contains_json": {"name": "score"}}, {"exact_match": {}}]})
    answer = ask(app, b'{"inputs": {"expected": "a"}, "output": "a"}')[1]
    assert (answer["score"], answer["score*"], answer["exact_match"]) == (0.5, 0, 1)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "text/plain; application/json"])
def test_what_any_page_may_send_is_not_scored(kind: str, serving: Callable[..., ScoreApp]) -> None:
    app = serving(JSON_SUITE)
    assert ask(app, b'{"output": "{}"}', Content_Type=kind, Origin="http://evil.example")[0] == 415
    assert ask(app, b'{"output": "{}"}', Content_Type="Application/JSON; charset=utf-8")[0] == 200


def test_with_a_token_only_who_has_it_is_answered(serving: Callable[..., ScoreApp]) -> None:
    app = serving(JSON_SUITE, token="open-sesame")
    body = b'{"output": "{}"}'
    assert ask(app, body)[0] == 401
    assert ask(app, body, Authorization="Bearer open-sesam")[0] == 401
    assert ask(app, body, Authorization="Bearer open-sesame")[0] == 200
    assert ask(app, b"", "/health", "GET")[0] == 200


@pytest.mark.slow
@pytest.mark.parametrize("body", [b"[" * 10_000, b'{"output": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"])
def test_a_body_that_is_too_deep_is_refused(body: bytes, serving: Callable[..., ScoreApp]) -> None:
    answered, answer = ask(serving(JSON_SUITE), body)
    assert answered == 400
    assert "not JSON" in answer["error"]


def test_half_a_character_is_scored_like_any_other(serving: Callable[..., ScoreApp]) -> None:
    app = serving({"evaluators": ["exact_match", {"json_multi_field_match": {"fields": ["a"]}}]})
    body = rb'{"inputs": {"expected": "{\"a\": 1}"}, "output": "\ud800"}'
    assert ask(app, body)[0] == 200
    body = rb'{"inputs": {"expected": "{\"a\": 1}"}, "output": "{\"a\": \"\\ud800\"}"}'
    assert ask(app, body)[0] == 200


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    app = ScoreApp({"s": load({"evaluators": ["contains_json"]})}, body_seconds=0.01)
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    asyncio.run(app({"type": "http", "method": "POST", "path": "/score", "headers": headers}, receive, send))
    assert sent[0]["status"] == 408


def test_requests_that_are_too_many_are_told_to_come_back(serving: Callable[..., ScoreApp]) -> None:
    app = serving(JSON_SUITE, max_requests=3)
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/score", "headers": headers}

    async def all_at_once() -> list[int]:
        go, statuses = asyncio.Event(), list[int]()

        async def receive() -> dict[str, Any]:
            await go.wait()
            return {"type": "http.request", "body": b'{"output": "{}"}', "more_body": False}

        async def send(message: Any) -> None:
            if "status" in message:
                statuses.append(message["status"])
                go.set()

        await asyncio.gather(*(app(dict(scope), receive, send) for _ in range(5)))
        return sorted(statuses)

    assert asyncio.run(all_at_once()) == [200, 200, 200, 503, 503]
    assert asyncio.run(all_at_once()) == [200, 200, 200, 503, 503]


PROMPTFOO = {"evaluators": [{"type": "json_multi_field_match", "name": "it", "fields": ["a", "b"], "pass_at": 0.5}]}


@pytest.mark.parametrize(
    ("output", "expected", "score", "passed"),
    [
        ('{"a": 1, "b": 2}', '{"a": 1, "b": 2}', 1.0, True),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, 0.5, True),
        ("no JSON", '{"a": 1, "b": 2}', 0.0, False),
    ],
)
def test_a_webhook_of_promptfoo_is_answered_in_its_words(
    output: object, expected: object, score: float, passed: bool, serving: Callable[..., ScoreApp]
) -> None:
    body = {"output": output, "context": {"prompt": "…", "vars": {"expected": expected}}}
    status, answer = ask(serving(PROMPTFOO), json.dumps(body).encode())
    assert (status, answer["pass"], answer["score"]) == (200, passed, score)
    assert isinstance(answer["reason"], str)


def test_what_promptfoo_asks_and_cannot_be_measured_does_not_pass_and_says_why(serving: Callable[..., ScoreApp]) -> None:
    body = {"output": "{}", "context": {"vars": {"expected": "no JSON"}}}
    status, answer = ask(serving(PROMPTFOO), json.dumps(body).encode())
    assert (status, answer["pass"], answer["score"]) == (200, False, 0.0)
    assert answer["reason"].startswith("error: ")


def test_many_rows_in_one_request_are_scored_one_by_one(serving: Callable[..., ScoreApp]) -> None:
    app = serving({"evaluators": ["exact_match"]})
    rows = [{"inputs": {"expected": "a"}, "output": output} for output in ("a", "b")] + [{"output": "a"}]
    answered, answer = ask(app, json.dumps({"rows": rows}).encode())
    assert answered == 200
    assert [one["score"] for one in answer["rows"]] == [1, 0, None]
    assert answer["rows"][2]["errors"]
    assert ask(app, b'{"rows": [{"output": "a"}, 3]}') == (
        400, {"error": 'row 2 of the request must be an object: {"inputs": {…}, "output": …}'},
    )  # fmt: skip
    assert ask(app, json.dumps({"rows": [{}] * 1001}).encode())[0] == 413
    assert ask(app, b'{"rows": []}') == (200, {"rows": []})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "0.0.0.0"], "token: "),
        (["--token", "open-sesame"], "token: open-sesame"),
    ],
)
def test_the_command_says_who_is_answered_and_where_questions_go(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "evaluators.integrations.harnesses._web.run_server", lambda app, host, port, ready, **_: ready("http://here")
    )
    monkeypatch.setenv("JUDGE_KEY", "hush")
    asked = "base_url: 'http://127.0.0.1:9/v1', model: m, api_key_env: JUDGE_KEY, cache: false"
    judge = f"{{openai_compatible: {{{asked}, budget: {{max_questions: 5}}}}}}"
    fields = "evaluators: [{json_multi_field_match: {fields: {a: semantic}}}]"
    (tmp_path / "suite.yaml").write_text(f"name: cities\n{fields}\njudge: {judge}\n", encoding="utf-8")
    done = cli("serve", str(tmp_path / "suite.yaml"), *words)
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"http://here/score\n{said}")
    assert "cities: Questions go to http://127.0.0.1:9/v1, model m." in done.output
    assert "The budget is for the life of the service" in done.output
    assert "hush" not in done.output


def test_no_suite_is_refused() -> None:
    with pytest.raises(Problems, match="no suite"):
        ScoreApp({})


@pytest.mark.slow
def test_the_command_answers_requests_until_it_is_stopped(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    (tmp_path / "suite.yaml").write_text("name: cities\nevaluators: [exact_match]\n")
    body = json.dumps({"inputs": {"correct_answer": "Oslo"}, "output": "Oslo"}).encode()
    many = json.dumps({"rows": [{"output": "Oslo"}] * 1_000}).encode()
    as_json = {"Content-Type": "application/json"}
    with started(tmp_path) as address:
        with urllib.request.urlopen(urllib.request.Request(address, body, as_json), timeout=PATIENCE) as answer:
            assert json.load(answer)["score"] == 1
        for headers, code in (({**as_json, "Host": "evil.example"}, 400), ({"Content-Type": "text/plain"}, 415)):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(urllib.request.Request(address, body, headers), timeout=PATIENCE)
            assert refused.value.code == code
            refused.value.close()
    with started(tmp_path, "--score-seconds", "0.0001") as address:
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(address, many, as_json), timeout=PATIENCE)
        assert refused.value.code == 504
        refused.value.close()


@contextmanager
def started(folder: Path, *words: str) -> Iterator[str]:
    """The address of the service that the command starts for a suite in a folder."""
    command = [sys.executable, "-m", "evaluators", "serve", "suite.yaml", "--port", "0", *words]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:")
            yield address
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
