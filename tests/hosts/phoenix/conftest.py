"""A real Phoenix server for the tests of this folder, in a network that has nothing in it but this machine."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.environments import missing
from tests.hosts.servers import phoenix_server


@pytest.fixture(scope="session")
def phoenix_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with an empty store."""
    if not Path(sys.executable).with_name("phoenix").is_file():
        missing("phoenix", "Phoenix's server is not installed")
    if [name for _, name in socket.if_nameindex()] != ["lo"]:
        missing(
            "phoenix",
            "the server would listen on all addresses of the machine; `python -m tests.hosts` gives it a network",
        )
    with phoenix_server(tmp_path_factory.mktemp("phoenix")) as address:
        yield address


@pytest.fixture
def phoenix_store(phoenix_address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The server, named as Phoenix's users name it."""
    monkeypatch.setenv("PHOENIX_COLLECTOR_ENDPOINT", phoenix_address)
    monkeypatch.setenv("PHOENIX_DISCOVER_CONFIG", "false")
    return phoenix_address
