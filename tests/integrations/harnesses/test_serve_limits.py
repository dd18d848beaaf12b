"""The web service when requests take long: each is scored in a process that can be ended, and none holds up another."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import evaluators
from evaluators.integrations.harnesses.serve import ScoreApp
from evaluators.model.issues import Problems
from tests.integrations.harnesses.test_serve import ask
from tests.integrations.harnesses.waiting_service import BUSY, app, first_word
from tests.scoring.judges.chat_server import ChatServer, Reply, chat_server, verdicts

ROOT = Path(__file__).parents[3]
FOREVER = 600.0
"""Seconds that no request here takes."""
QUICK = {"output": '{"a": "x"}', "inputs": {"expected": '{"a": "no folder"}'}}

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")


class Held(NamedTuple):
    """A request that is scored until the test says so, and the process that scores it."""

    folder: Path
    process: int
    began: Any
    answer: Future[tuple[int, dict[str, Any]]]

    def go_on(self) -> None:
        (self.folder / "go").open("w").close()

    def wait_for_end(self) -> None:
        """Returns once the process does nothing for the request any more: it has finished, or it has ended."""
        assert self.began.read() == ""


def waiting_row(folder: Path, output: str = "y") -> dict[str, Any]:
    """A row that is scored until the test says so."""
    folder.mkdir()
    os.mkfifo(folder / "began")
    os.mkfifo(folder / "go")
    return {"output": json.dumps({"a": output}), "inputs": {"expected": json.dumps({"a": str(folder)})}}


class Service(NamedTuple):
    """A service in a process of its own, on a free port of 127.0.0.1."""

    address: str
    process: subprocess.Popen[str]
    asking: ThreadPoolExecutor
    files: ExitStack

    def ask(self, row: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        headers = {"Content-Type": "application/json"}
        try:
            with urllib.request.urlopen(urllib.request.Request(self.address, json.dumps(row).encode(), headers)) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as refused:
            with closing(refused):
                return refused.code, json.load(refused)

    def hold(self, folder: Path, output: str = "y") -> Held:
        """Sends a request, and returns as soon as it is being scored."""
        row = waiting_row(folder, output)

        def answered() -> tuple[int, dict[str, Any]]:
            try:
                return self.ask(row)
            finally:
                (folder / "began").open(
                    "w"
                ).close()  # whoever waits for a beginning that there was not sees an empty line

        answer = self.asking.submit(answered)
        began = self.files.enter_context((folder / "began").open(encoding="ascii"))
        return Held(folder, int(began.readline()), began, answer)


@contextmanager
def service(seconds: float, workers: int = 1) -> Iterator[Service]:
    pytest.importorskip("uvicorn")
    words = [
        sys.executable,
        "-m",
        "tests.integrations.harnesses.waiting_service",
        "--seconds",
        str(seconds),
        "--workers",
        str(workers),
    ]
    with (
        subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process,
        ThreadPoolExecutor(8) as asking,
        ExitStack() as files,
    ):
        try:
            assert process.stdout is not None
            yield Service(process.stdout.readline().strip(), process, asking, files)
        finally:
            process.kill()


def test_one_request_never_holds_up_another(tmp_path: Path) -> None:
    with service(FOREVER, workers=2) as served:
        held = served.hold(tmp_path / "held")
        status, answer = served.ask(QUICK)
        assert (status, answer["score"]) == (200, 1)
        assert not held.answer.done()
        held.go_on()
        status, answer = held.answer.result()
        assert (status, answer["score"]) == (200, 1)


@pytest.mark.parametrize("output", ["y", BUSY])
def test_a_request_that_takes_too_long_is_stopped_and_says_so(output: str, tmp_path: Path) -> None:
    with service(1.0) as served:
        held = served.hold(tmp_path / "held", output)
        status, answer = held.answer.result()
        assert status == 504
        assert answer["error"].startswith("scoring took more than 1 s, so it was stopped, and the request has no score")
        assert "--score-seconds" in answer["error"]
        held.wait_for_end()
        with pytest.raises(ProcessLookupError):
            os.kill(held.process, 0)
        status, answer = served.ask(QUICK)
        assert (status, answer["score"]) == (200, 1)


def test_a_request_that_finds_no_process_in_time_is_told_to_come_back(tmp_path: Path) -> None:
    with service(1.0) as served:
        held = served.hold(tmp_path / "held")
        more = [served.asking.submit(served.ask, waiting_row(tmp_path / name)) for name in ("second", "third")]
        assert held.answer.result()[0] == 504
        answers = [each.result() for each in more]  # one of them may have come next, and has held up the other one
        busy = [answer["error"] for status, answer in answers if status == 503]
        assert busy
        assert busy[0].startswith("all processes that score are busy")
        assert {status for status, _ in answers} <= {503, 504}


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_service_that_is_stopped_ends_its_processes_and_answers(ending: signal.Signals, tmp_path: Path) -> None:
    with service(FOREVER) as served:
        held, waiting = served.hold(tmp_path / "held"), served.asking.submit(served.ask, QUICK)
        served.process.send_signal(ending)
        held.wait_for_end()
        assert held.answer.result() == (503, {"error": "the service is being stopped"})
        with suppress(OSError):  # it may have come before the end or after it
            assert waiting.result()[0] == 503
        served.process.wait()


def test_no_process_outlives_a_service_that_is_killed(tmp_path: Path) -> None:
    with service(FOREVER) as served:
        held = served.hold(tmp_path / "held")
        served.process.kill()
        held.wait_for_end()
        assert isinstance(held.answer.exception(), OSError)


def test_a_process_that_ends_is_said_and_replaced() -> None:
    with closing(app(FOREVER)) as served:
        status, answer = ask(served, json.dumps({**QUICK, "output": '{"a": "end"}'}).encode())
        assert status == 500
        assert "ended without an answer (exit code 7)" in answer["error"]
        assert ask(served, json.dumps(QUICK).encode())[0] == 200


def test_what_the_program_has_registered_goes_along() -> None:
    evaluators.register_transform("first_word", first_word, overwrite=True)
    field = {"compare": "exact", "transforms": ["first_word"]}
    suite = evaluators.load({"evaluators": [{"json_multi_field_match": {"name": "it", "fields": {"a": field}}}]})
    with closing(ScoreApp({"it": suite})) as served:
        row = {"output": '{"a": "x y"}', "inputs": {"expected": '{"a": "x z"}'}}
        assert ask(served, json.dumps(row).encode())[1]["score"] == 1


def test_what_another_process_cannot_import_is_refused_at_the_start() -> None:
    evaluators.register("ends_alike", lambda expected, actual, params: True, overwrite=True)
    suite = evaluators.load({"evaluators": [{"json_multi_field_match": {"fields": {"a": "ends_alike"}}}]})
    with pytest.raises(Problems, match="cannot be sent to the process that scores"):
        ScoreApp({"it": suite})


def judged(server: ChatServer, score_seconds: float | None = None, **options: Any) -> ScoreApp:
    judge = {"openai_compatible": {"base_url": server.url, "model": "m", "cache": False, **options}}
    fields = {"json_multi_field_match": {"name": "it", "fields": {"a": "semantic"}}}
    return ScoreApp({"it": evaluators.load({"judge": judge, "evaluators": [fields]})}, score_seconds=score_seconds)


def question(text: str) -> bytes:
    return json.dumps({"output": json.dumps({"a": text}), "inputs": {"expected": f'{{"a": "not {text}"}}'}}).encode()


def test_a_budget_is_for_the_life_of_the_service_whichever_process_asks() -> None:
    pytest.importorskip("openai")
    with chat_server() as server, closing(judged(server, budget={"max_questions": 1})) as served:
        assert ask(served, question("one"))[0] == 200
        served.close()
        served.start()
        status, answer = ask(served, question("two"))
        assert status == 422
        assert "the budget of the judge is spent" in answer["errors"]["it"]
        assert len(server.requests) == 1


def test_nobody_waits_for_what_an_ended_process_was_asking() -> None:
    pytest.importorskip("openai")
    with chat_server() as server, closing(judged(server, score_seconds=5)) as served:
        server.respond = lambda request, number: Reply(hang=True) if number == 1 else Reply(verdicts(request))
        assert ask(served, question("one"))[0] == 504
        tries = next(
            tries for tries in range(1, 20) if ask(served, question("one"))[0] == 200
        )  # one, unless the machine is busy
        assert 2 <= len(server.requests) <= 1 + tries
