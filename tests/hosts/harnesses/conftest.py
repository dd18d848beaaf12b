"""The run that every host is compared with."""

from __future__ import annotations

import pytest

from tests.hosts.table import Figures, figures


@pytest.fixture(scope="session")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    """What `evaluators run` says of the table."""
    return figures(tmp_path_factory.mktemp("table"))
