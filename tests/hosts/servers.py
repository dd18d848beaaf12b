"""Servers that tests start: on a free port of this machine, in a folder of their own, and stopped by their own process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
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


@contextmanager
def mlflow_server(folder: Path) -> Iterator[str]:
    """A server of MLflow with an empty store in `folder`: its address."""
    port = free_port()
    command = [
        sys.executable, "-m", "mlflow", "server", "--host", HOST, "--port", str(port), "--workers", "1",
        "--backend-store-uri", f"sqlite:///{folder / 'store.db'}", "--artifacts-destination", str(folder / "artifacts"),
    ]  # fmt: skip
    variables = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with server(command, f"http://{HOST}:{port}/health", folder, variables):
        yield f"http://{HOST}:{port}"


@contextmanager
def phoenix_server(folder: Path) -> Iterator[str]:
    """A server of Phoenix with an empty store in `folder`: its address. It also listens on every address of the machine."""
    port = free_port()
    variables = {
        "PHOENIX_WORKING_DIR": str(folder), "PHOENIX_HOST": HOST, "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(free_port()), "PHOENIX_AGENTS_DISABLE_BASH": "true",
        "PHOENIX_TELEMETRY_ENABLED": "false", "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
    }  # fmt: skip
    command = [str(Path(sys.executable).with_name("phoenix")), "serve"]
    with server(command, f"http://{HOST}:{port}/healthz", folder, variables):
        yield f"http://{HOST}:{port}"


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
