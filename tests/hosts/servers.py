"""Servers that tests start: on a free port of this machine, in a folder of their own, and stopped by their own process."""

from __future__ import annotations

import itertools
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
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

HOST = "127.0.0.1"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@contextmanager
def server(
    command: Sequence[str], health: str, folder: Path, variables: Mapping[str, str], seconds: float = 300
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


Answer: TypeAlias = tuple[int, str | None] | None


@contextmanager
def refusing(address: str, answers: Mapping[int, Answer]) -> Iterator[str]:
    """The address of a server that passes requests on to another one, except for those with these numbers, from 1 on: they get a
    status with a `Retry-After`, or for None the connection is dropped.
    """
    target, numbers, counting = urlsplit(address), itertools.count(1), threading.Lock()

    class Door(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Prints nothing."""

        def pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with counting:
                number = next(numbers)
            if number in answers:
                self._refuse(answers[number])
                return
            behind = HTTPConnection(target.hostname or HOST, target.port, timeout=60)
            headers = {name: text for name, text in self.headers.items() if name.lower() not in ("host", "connection")}
            behind.request(self.command, self.path, body, headers)
            answer = behind.getresponse()
            text = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "content-length", "connection", "date", "server"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
            behind.close()

        def _refuse(self, answer: Answer) -> None:
            if answer is None:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            status, after = answer
            self.send_response(status)
            if after is not None:
                self.send_header("Retry-After", after)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on  # noqa: N815  # the names that the base class calls

    with ThreadingHTTPServer((HOST, 0), Door) as door:
        door.daemon_threads = True
        threading.Thread(target=door.serve_forever, daemon=True).start()
        yield f"http://{HOST}:{door.server_port}"
        door.shutdown()


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
