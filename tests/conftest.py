"""What all tests share: no property has a time limit, so that a busy machine fails no test."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings


def pytest_configure(config: pytest.Config) -> None:
    """What commands print follows COLUMNS, and workers of a test run are given one."""
    os.environ.pop("COLUMNS", None)


settings.register_profile("without a clock", deadline=None)
settings.load_profile("without a clock")
