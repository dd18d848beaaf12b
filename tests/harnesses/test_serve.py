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
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import load
from evaluators.harnesses.agenta import suite_handler
from evaluators.harnesses.serve import ScoreApp
from evaluators.issues import Problems
from tests.hosts.table import SUITE, Figures, Found, assert_same_rows, figures, register
from tests.hosts.table.rows import inputs_of, table_rows

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    return figures(tmp_path_factory.mktemp("table"))


def ask(
    app: ScoreApp, body: bytes, path: str = "/score", method: str = "POST", host: str = "127.0.0.1:8000", pieces: int = 1
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

    scope = {"type": "http", "method": method, "path": path, "headers": [(b"Host", host.encode())]}
    asyncio.run(app(scope, receive, send))
    assert dict(sent[0]["headers"])[b"content-length"] == str(len(sent[1]["body"])).encode()
    return sent[0]["status"], json.loads(sent[1]["body"])


def asked(row: dict[str, str]) -> bytes:
    inputs = {**inputs_of(row), "correct_answer": row["expected"]}
    return json.dumps({"inputs": inputs, "output": row["output"]}).encode()


def test_every_row_is_ours(ours: Figures) -> None:
    register()
    app = ScoreApp({"table": SUITE})
    found = {}
    for row in table_rows():
        status, answer = ask(app, asked(row), pieces=3)
        assert status == (422 if ours.rows[row["id"]]["overall"].error else 200)
        found[row["id"]] = {name: Found(answer[name], name in answer["errors"]) for name in ours.evaluators}
        assert answer["score"] == answer["overall"]
    assert_same_rows(found, ours)
    wrong = next(row for row in table_rows() if row["id"] == "wrong")
    assert ask(app, asked(wrong))[1]["header.number"] == 0


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
        ({"body": b"{}", "path": "/score/citis"}, 404, 'did you mean "cities"?'),
        ({"body": b"", "method": "GET"}, 405, "by POST"),
        ({"body": b'{"output": "' + b"x" * 200 + b'"}'}, 413, "100 bytes"),
        ({"body": b'{"output": "' + b"x" * 200 + b'"}', "pieces": 9}, 413, "100 bytes"),
        ({"body": b"{}", "host": "evil.example"}, 400, "host name"),
        ({"body": b"{}", "host": "127.0.0.1.evil.example:8000"}, 400, "host name"),
    ],
)
def test_what_is_refused(request_: dict[str, Any], status: int, said: str) -> None:
    app = ScoreApp({"cities": load({"evaluators": ["contains_json"]})}, max_bytes=100)
    answered, answer = ask(app, **request_)
    assert answered == status
    assert said in answer["error"]


@pytest.mark.parametrize("pieces", [1, 2, 7])
def test_a_request_may_have_as_many_bytes_as_allowed_and_not_one_more(pieces: int) -> None:
    app = ScoreApp({"cities": load({"evaluators": ["contains_json"]})}, max_bytes=100)
    body = json.dumps({"output": "{}"}).encode().ljust(100)
    assert ask(app, body, pieces=pieces)[0] == 200
    assert ask(app, body + b" ", pieces=pieces)[0] == 413


def test_several_suites_are_asked_by_name() -> None:
    app = ScoreApp({"one": load({"evaluators": ["contains_json"]}), "two": load({"evaluators": ["exact_match"]})})
    body = json.dumps({"inputs": {"expected": "{}"}, "output": "{ }"}).encode()
    assert ask(app, body, "/score/one")[1]["score"] == 1
    assert ask(app, body, "/score/two")[1]["score"] == 0
    assert ask(app, body)[0] == 404
    assert ask(app, b"", "/health", "GET", host="[::1]:80")[1] == {"suites": ["one", "two"]}


def test_an_evaluator_called_like_a_key_of_the_answer_keeps_its_score() -> None:
    suite = load({"evaluators": [{"contains_json": {"name": "score"}}, {"exact_match": {}}]})
    answer = ask(ScoreApp({"s": suite}), b'{"inputs": {"expected": "a"}, "output": "a"}')[1]
    assert (answer["score"], answer["score*"], answer["exact_match"]) == (0.5, 0, 1)


def test_no_suite_is_refused() -> None:
    with pytest.raises(Problems, match="no suite"):
        ScoreApp({})


def test_the_command_answers_requests_until_it_is_stopped(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    (tmp_path / "suite.yaml").write_text("name: cities\nevaluators: [exact_match]\n")
    command = [sys.executable, "-m", "evaluators", "serve", "suite.yaml", "--port", "0"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=tmp_path, env=variables, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:")
            body = json.dumps({"inputs": {"correct_answer": "Oslo"}, "output": "Oslo"}).encode()
            with urllib.request.urlopen(address, data=body, timeout=30) as answer:
                assert json.load(answer)["score"] == 1
            foreign = urllib.request.Request(address, data=body, headers={"Host": "evil.example"})
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(foreign, timeout=30)
            assert refused.value.code == 400
            refused.value.close()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)
