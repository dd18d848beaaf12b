"""A PostgreSQL server of our own: an empty cluster in a temporary folder, on a free port of this machine, stopped by its own process."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from tests.hosts.environments import missing
from tests.hosts.servers import HOST, free_port

NOBODY: Final = 65534
PASSWORD: Final = "open/sesame@7"
VARIABLE: Final = "ROWS_DATABASE"


@dataclass(frozen=True)
class Server:
    """A server, and how it is reached."""

    port: int
    pid: int

    def address(
        self, port: int | None = None, user: str = "carla", password: str = PASSWORD, name: str = "payroll"
    ) -> str:
        """The connection string."""
        quoted = password.replace("/", "%2F").replace("@", "%40")
        return f"postgresql+psycopg://{user}:{quoted}@{HOST}:{port or self.port}/{name}"

    def admin(self) -> psycopg.Connection[Any]:
        """A connection that may do everything."""
        return psycopg.connect(
            host=HOST, port=self.port, user="carla", password=PASSWORD, dbname="payroll", autocommit=True
        )


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with cluster() as found:
        yield found


@contextmanager
def cluster() -> Iterator[Server]:
    """A server for as long as the context lasts. Skips the test where this machine has none."""
    programs = _programs()
    # in a folder of its own: those of pytest can be entered by one user only
    with tempfile.TemporaryDirectory(prefix="cluster-", ignore_cleanup_errors=True) as temporary:
        folder = Path(temporary)
        before = _another_user(folder)
        (folder / "password").write_text(PASSWORD)
        data, port = folder / "data", free_port()
        made = [programs / "initdb", "-D", data, "-U", "carla", "-A", "scram-sha-256", "--pwfile", folder / "password",
                "-E", "UTF8", "--locale", "C", "-N"]  # fmt: skip
        subprocess.run([*before, *map(str, made)], check=True, capture_output=True, timeout=60, cwd=folder)
        run = [programs / "postgres", "-D", data, "-p", port, "-h", HOST, "-k", "", "-F", "-c", "timezone=Asia/Tokyo"]
        with (
            open(folder / "log", "wb") as log,
            subprocess.Popen([*before, *map(str, run)], cwd=folder, stdout=log, stderr=log) as process,
        ):
            try:
                _wait(port, process, folder / "log")
                yield Server(port, process.pid)
            finally:
                process.send_signal(signal.SIGQUIT)
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()


def _programs() -> Path:
    found = shutil.which("postgres") or shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    for place in places:
        if (place / "initdb").is_file() and (place / "postgres").is_file():
            return place
    return missing("sql", "PostgreSQL is not installed: postgres and initdb are not found")


def _another_user(folder: Path) -> list[str]:
    """What a command begins with so that it does not run as root, which PostgreSQL refuses."""
    if os.geteuid() != 0:
        return []
    mapped = ["unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}", "--"]
    with suppress(OSError):
        if subprocess.run([*mapped, "true"], capture_output=True, check=False).returncode == 0:
            return mapped
    os.chown(folder, NOBODY, NOBODY)
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    until, pause = time.monotonic() + 300, threading.Event()
    while True:
        with suppress(psycopg.OperationalError):
            with psycopg.connect(
                host=HOST, port=port, user="carla", password=PASSWORD, dbname="postgres", autocommit=True
            ) as connection:
                connection.execute("create database payroll")
            return
        if process.poll() is not None or time.monotonic() > until:
            raise RuntimeError(f"the server is not up: {log.read_text(errors='replace')[-2000:]}")
        pause.wait(0.1)


class Cutter:
    """A port that passes everything on to a server, and ends a connection once so many bytes came back."""

    def __init__(self, port: int, after: int, times: int = 100) -> None:
        self._target, self._after, self._times = port, after, times
        self.connections = 0
        self._listener = socket.create_server((HOST, 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        """No more connections."""
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            upstream = socket.create_connection((HOST, self._target))
            limit = self._after if self.connections <= self._times else None
            for pair in ((client, upstream, None), (upstream, client, limit)):
                threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, limit: int | None) -> None:
        passed = 0
        with suppress(OSError):
            while data := source.recv(65536):
                passed += len(data)
                if limit is not None and passed > limit:
                    break
                target.sendall(data)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextmanager
def cutting(port: int, after: int, times: int = 100) -> Iterator[Cutter]:
    """A `Cutter` for as long as the context lasts."""
    cutter = Cutter(port, after, times)
    try:
        yield cutter
    finally:
        cutter.close()


def variables(more: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("PG")}, **more}
