"""The tests of an environment are collected where that environment is running: `python -m tests.hosts NAME` sees to it."""

from __future__ import annotations

import os

from tests.hosts.environments import RUNNING, environments

collect_ignore = [name for name in environments() if name != os.environ.get(RUNNING)]
