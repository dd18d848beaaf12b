"""The tests of an environment are collected where that environment is running: `python -m tests.hosts NAME` sees to it."""

from __future__ import annotations

import os

import pytest

from tests.hosts.environments import RUNNING, environments

collect_ignore = [name for name in environments() if name != os.environ.get(RUNNING)]

if RUNNING in os.environ:
    from tests.hosts.table import register

    register()  # the comparator that the suite of the table names, whichever test comes first


@pytest.fixture(autouse=True)
def nothing_stays_registered() -> None:
    """The comparator of the table stays: an environment has a process of its own, and its servers are asked by many tests."""
