"""Servers of this machine that speak like the stores, and a bucket in each."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.environments import missing
from tests.hosts.servers import HOST, free_port, server

os.environ |= {
    "AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing", "AWS_DEFAULT_REGION": "us-east-1",
    "FSSPEC_GS": json.dumps({"token": "anon", "project": "tests"}), "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false",
}  # fmt: skip
"""fsspec looks at its variables when it is imported; the emulator of Google has no newer interface than this one."""

_AZURE = (
    "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6"
    "tq/K1SZFPTOtr/KBHBeksoGMGw==;BlobEndpoint=http://{}:{}/devstoreaccount1;"
)
"""The account that every emulator of Azure has; its key is printed in its manual."""


@dataclass(frozen=True)
class Bucket:
    """A bucket of a server, and the file system of fsspec for it."""

    address: str
    files: Any

    def put(self, name: str, data: bytes) -> str:
        """Puts an object into it, and gives its address."""
        self.files.pipe_file(f"{self.address}/{name}", data)
        return f"{self.address}/{name}"


@contextmanager
def _moto(folder: Path) -> Iterator[None]:
    port = free_port()
    command = [str(Path(sys.executable).with_name("moto_server")), "-H", HOST, "-p", str(port)]
    with server(command, f"http://{HOST}:{port}/moto-api/", folder, {}):
        os.environ["AWS_ENDPOINT_URL"] = f"http://{HOST}:{port}"
        yield


@contextmanager
def _google(folder: Path) -> Iterator[None]:
    port = free_port()
    program = str(Path(sys.executable).with_name("gcp-storage-emulator"))
    command = [program, "start", "--host", HOST, "--port", str(port), "--in-memory"]
    with server(command, f"http://{HOST}:{port}/", folder, {}):
        os.environ["STORAGE_EMULATOR_HOST"] = f"http://{HOST}:{port}"
        yield


@contextmanager
def _azurite(folder: Path) -> Iterator[None]:
    program = shutil.which("azurite-blob")
    if program is None:
        pytest.skip("azurite, the emulator of Azure, is a package of npm, and is not installed")
    port = free_port()
    command = [
        program, "--blobHost", HOST, "--blobPort", str(port), "--inMemoryPersistence", "--skipApiVersionCheck",
        "--disableTelemetry",
    ]  # fmt: skip
    with (
        open(folder / "server.log", "wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log, cwd=folder) as process,
    ):
        try:
            _wait(process, port)
            os.environ["AZURE_STORAGE_CONNECTION_STRING"] = _AZURE.format(HOST, port)
            yield
        finally:
            process.terminate()


def _wait(process: subprocess.Popen[bytes], port: int) -> None:
    """Until somebody listens: this server answers nobody whom it does not know."""
    pause = threading.Event()
    while process.poll() is None:
        try:
            socket.create_connection((HOST, port), 1).close()
        except OSError:
            pause.wait(0.2)
        else:
            return
    raise RuntimeError("the server is not up")


_SERVERS: dict[str, Callable[[Path], Any]] = {"s3": _moto, "gs": _google, "abfs": _azurite}


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], None]]:
    """Starts the server of a store, once."""
    started: set[str] = set()
    with ExitStack() as stack:

        def start(scheme: str) -> None:
            if scheme not in started:
                stack.enter_context(_SERVERS[scheme](tmp_path_factory.mktemp(scheme)))
                started.add(scheme)

        yield start


@pytest.fixture(params=["s3", "gs", "abfs"])
def bucket(request: pytest.FixtureRequest, servers: Callable[[str], None]) -> Bucket:
    """An empty bucket of each store."""
    return new_bucket(request.param, servers)


@pytest.fixture
def s3_bucket(servers: Callable[[str], None]) -> Bucket:
    """An empty bucket that speaks like Amazon's."""
    return new_bucket("s3", servers)


def new_bucket(scheme: str, servers: Callable[[str], None]) -> Bucket:
    """A bucket that nobody has used."""
    try:
        import fsspec
        import s3fs  # noqa: F401  # only whether it is there
    except ImportError as error:
        missing("remote", str(error))
    servers(scheme)
    files = fsspec.filesystem(scheme, use_listings_cache=False)
    name = f"bucket-{os.urandom(4).hex()}"
    files.mkdir(name)
    return Bucket(f"{scheme}://{name}", files)
