"""A real MLflow server for the tests of this folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.hosts.environments import missing
from tests.hosts.servers import HOST, free_port, server


@pytest.fixture(scope="session")
def mlflow_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with an empty store."""
    try:
        import flask  # noqa: F401  # the server needs it, and mlflow-skinny does not bring it
        import mlflow  # noqa: F401  # only whether it is there
    except ImportError as error:
        missing("mlflow", f"MLflow's server is not installed: {error}")
    folder, port = tmp_path_factory.mktemp("mlflow"), free_port()
    command = [
        sys.executable, "-m", "mlflow", "server", "--host", HOST, "--port", str(port), "--workers", "1",
        "--backend-store-uri", f"sqlite:///{folder / 'store.db'}", "--artifacts-destination", str(folder / "artifacts"),
    ]  # fmt: skip
    variables = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with server(command, f"http://{HOST}:{port}/health", folder, variables):
        yield f"http://{HOST}:{port}"


@pytest.fixture
def mlflow_store(mlflow_address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The server, named as MLflow's users name it."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", mlflow_address)
    for name in ("MLFLOW_EXPERIMENT_NAME", "MLFLOW_EXPERIMENT_ID", "MLFLOW_RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    return mlflow_address
