"""A real cluster of Dask on this machine: a scheduler and two workers, each a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.hosts.clusters import RealCluster
from tests.hosts.servers import HOST, free_port
from tests.hosts.started import started


class DaskCluster(RealCluster):
    """A scheduler, and workers that stay dead when they are killed."""

    engine = "dask"

    def __init__(self, folder: Path, address: str) -> None:
        self.folder = folder
        self.address = address

    @contextmanager
    def worker(self, *prefix: str, **variables: str) -> Iterator[None]:
        command = [
            *prefix, sys.executable, "-m", "distributed.cli.dask_worker", self.address, "--no-nanny", "--no-dashboard",
            "--nthreads", "1", "--host", HOST, "--memory-limit", "0", "--local-directory", str(self.folder),
        ]  # fmt: skip
        with started(command, "Registered to", self.folder, **variables):
            yield

    @contextmanager
    def alone(self) -> Iterator[RealCluster]:
        with scheduler(self.folder) as other:
            yield other


@contextmanager
def scheduler(folder: Path) -> Iterator[DaskCluster]:
    port = free_port()
    command = [
        sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", HOST, "--port", str(port), "--no-dashboard",
        "--no-jupyter",
    ]  # fmt: skip
    with started(command, "Scheduler at:", folder):
        yield DaskCluster(folder, f"tcp://{HOST}:{port}")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    folder = tmp_path_factory.mktemp("dask")
    with scheduler(folder) as found, ExitStack() as workers:
        for _ in range(2):
            workers.enter_context(found.worker())
        yield found
