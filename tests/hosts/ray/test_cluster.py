"""Everything that a run on a cluster promises, on a real one of Ray."""

from __future__ import annotations

from tests.hosts.clusters import *  # noqa: F403  # the tests that every cluster runs
