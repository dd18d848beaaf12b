"""A real MLflow server for the tests of this folder."""

from __future__ import annotations

import os
import sys
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


NAMES = ("MLFLOW_EXPERIMENT_NAME", "MLFLOW_EXPERIMENT_ID", "MLFLOW_RUN_ID", "MLFLOW_TRACKING_URI")


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    """MLflow writes what it is told into the variables of the process: a test leaves none of that to the next."""
    for name in NAMES:
        os.environ.pop(name, None)
    yield
    if "mlflow" in sys.modules:
        import mlflow

        mlflow.set_tracking_uri(None)
    for name in NAMES:
        os.environ.pop(name, None)


@pytest.fixture
def mlflow_store(mlflow_address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The server, named as MLflow's users name it."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", mlflow_address)
    return mlflow_address
