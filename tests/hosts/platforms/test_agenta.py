"""Agenta's own webhook evaluator asks our service."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluators.integrations.harnesses.serve import ScoreApp
from tests.hosts.servers import HOST, free_port
from tests.hosts.table import SUITE, Figures, Found, assert_same_rows, figures
from tests.hosts.table.rows import inputs_of, table_rows


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The service, in this process: the judge of the table is known here."""
    import uvicorn

    port = free_port()
    server = uvicorn.Server(uvicorn.Config(ScoreApp({"table": SUITE}), host=HOST, port=port, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    pause = threading.Event()
    while not server.started and thread.is_alive():
        pause.wait(0.05)
    yield f"http://{HOST}:{port}/score"
    server.should_exit = True
    thread.join(30)


@pytest.fixture(scope="module")
def webhook() -> Any:
    """The handler of Agenta's webhook evaluator, which takes an address of this machine only when it is told to."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENTA_INSECURE_EGRESS_ALLOWED", "true")
        from agenta.sdk.engines.running import handlers

        yield handlers.auto_webhook_test_v0.__wrapped__


def test_every_row_is_ours(address: str, webhook: Any, tmp_path: Path) -> None:
    ours: Figures = figures(tmp_path)

    said: dict[str, str] = {}

    async def ask(row: dict[str, str]) -> dict[str, Found]:
        inputs = {**inputs_of(row), "correct_answer": row["expected"]}
        try:
            answer = await webhook(parameters={"webhook_url": address}, inputs=inputs, outputs=row["output"])
        except Exception as error:  # Agenta's errors are of several kinds, and each of them is an error
            said[row["id"]] = str(error)
            return {"overall": Found(None, error=True)}
        assert answer["score"] == answer["overall"]
        return {name: Found(answer[name], name in answer["errors"]) for name in ours.evaluators}

    found = {row["id"]: asyncio.run(ask(row)) for row in table_rows()}
    assert_same_rows(found, ours, ["overall"])
    measured = {id: row for id, row in found.items() if not row["overall"].error}
    assert {"right", "wrong", "lacking", "unreadable", "blocked", "skipped", "fenced"} == {*measured}
    assert all(measured[id]["header"].score == ours.rows[id]["header"].score for id in measured)
    assert "not JSON" in said["invalid"]
    assert "the judge gave no answer" in said["judge failed"]
