"""Servers that tests start: on a free port of this machine, in a folder of their own, and stopped by their own process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

HOST = "127.0.0.1"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@contextmanager
def server(
    command: Sequence[str], health: str, folder: Path, variables: Mapping[str, str], seconds: float = 120
) -> Iterator[None]:
    """A server that is up once `health` answers, for as long as the context lasts. What it prints is in `server.log`.

    Raises RuntimeError when it ends by itself, or is not up in time.
    """
    log = folder / "server.log"
    with (
        open(log, "wb") as out,
        subprocess.Popen(
            command, cwd=folder, env={**os.environ, **variables}, stdout=out, stderr=out, start_new_session=True
        ) as process,
    ):  # fmt: skip
        try:
            _wait(process, health, time.monotonic() + seconds, log)
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def _wait(process: subprocess.Popen[bytes], health: str, until: float, log: Path) -> None:
    pause = threading.Event()
    while True:
        try:
            with urllib.request.urlopen(health, timeout=5):
                return
        except (OSError, urllib.error.URLError):
            pass
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"the server is not up: {log.read_text(encoding='utf-8', errors='replace')[-2000:]}")
        pause.wait(0.2)
