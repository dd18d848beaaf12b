"""A real cluster of Ray on this machine: a head without processors of its own, and two nodes with one each.

Ray takes the address of a network card for its own, and only the machine's own address where there is no card: these tests run in a
network of their own.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.hosts.clusters import RealCluster
from tests.hosts.servers import HOST, free_port
from tests.hosts.started import started

RAY = str(Path(sys.executable).with_name("ray"))
READY = "Ray runtime started"


@pytest.fixture(scope="session", autouse=True)
def token() -> Iterator[str]:
    """All nodes and the driver know one word; nothing reports home, and a node that is gone is missed soon."""
    word = secrets.token_hex(16)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": word, "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_health_check_initial_delay_ms": "0", "RAY_health_check_period_ms": "500",
            "RAY_health_check_failure_threshold": "4",
        }.items():  # fmt: skip
            patch.setenv(name, value)
        yield word


class RayCluster(RealCluster):
    """A head, and nodes with one processor each."""

    engine = "ray"

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address

    @contextmanager
    def worker(self, *prefix: str, **variables: str) -> Iterator[None]:
        command = [
            *prefix,
            RAY,
            "start",
            "--address",
            self.address,
            "--num-cpus",
            "1",
            "--object-store-memory",
            "100000000",
        ]
        with started([*command, "--disable-usage-stats", "--block"], READY, self.folder, **variables):
            yield

    @contextmanager
    def alone(self) -> Iterator[RealCluster]:
        with head(self.folder) as other:
            yield other


@contextmanager
def head(folder: Path) -> Iterator[RayCluster]:
    port = free_port()
    command = [
        RAY, "start", "--head", "--node-ip-address", HOST, "--port", str(port), "--num-cpus", "0",
        "--include-dashboard", "false", "--object-store-memory", "100000000", "--disable-usage-stats", "--block",
    ]  # fmt: skip
    with started(command, READY, folder):
        yield RayCluster(folder, f"{HOST}:{port}")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RayCluster]:
    folder = tmp_path_factory.mktemp("ray")
    with head(folder) as found, ExitStack() as workers:
        for _ in range(2):
            workers.enter_context(found.worker())
        yield found
