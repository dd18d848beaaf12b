"""A real MLflow server for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.hosts.environments import missing
from tests.hosts.servers import mlflow_server


@pytest.fixture(scope="session")
def mlflow_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with an empty store."""
    try:
        import flask  # noqa: F401  # the server needs it, and mlflow-skinny does not bring it
        import mlflow  # noqa: F401  # only whether it is there
    except ImportError as error:
        missing("mlflow", f"MLflow's server is not installed: {error}")
    with mlflow_server(tmp_path_factory.mktemp("mlflow")) as address:
        yield address


@pytest.fixture
def mlflow_store(mlflow_address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The server, named as MLflow's users name it."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", mlflow_address)
    for name in ("MLFLOW_EXPERIMENT_NAME", "MLFLOW_EXPERIMENT_ID", "MLFLOW_RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    return mlflow_address
