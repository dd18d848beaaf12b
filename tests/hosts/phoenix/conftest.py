"""A real Phoenix server for the tests of this folder, in a network that has nothing in it but this machine."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.environments import missing
from tests.hosts.servers import HOST, free_port, server


@pytest.fixture(scope="session")
def phoenix_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with an empty store."""
    command = Path(sys.executable).with_name("phoenix")
    if not command.is_file():
        missing("phoenix", "Phoenix's server is not installed")
    if [name for _, name in socket.if_nameindex()] != ["lo"]:
        missing(
            "phoenix",
            "the server would listen on all addresses of the machine; `python -m tests.hosts` gives it a network",
        )
    folder, port = tmp_path_factory.mktemp("phoenix"), free_port()
    variables = {
        "PHOENIX_WORKING_DIR": str(folder), "PHOENIX_HOST": HOST, "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(free_port()), "PHOENIX_AGENTS_DISABLE_BASH": "true",
        "PHOENIX_TELEMETRY_ENABLED": "false", "PHOENIX_ALLOW_EXTERNAL_RESOURCES": "false",
    }  # fmt: skip
    with server([str(command), "serve"], f"http://{HOST}:{port}/healthz", folder, variables):
        yield f"http://{HOST}:{port}"


@pytest.fixture
def phoenix_store(phoenix_address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The server, named as Phoenix's users name it."""
    monkeypatch.setenv("PHOENIX_COLLECTOR_ENDPOINT", phoenix_address)
    monkeypatch.setenv("PHOENIX_DISCOVER_CONFIG", "false")
    return phoenix_address
