"""Waits for what another process does, without keeping a processor busy."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

PATIENCE: Final = 600
"""Seconds after which what another process or a browser should do counts as stuck: many times what it takes on a busy machine."""
_SECONDS: Final = 0.02


def until(done: Callable[[], object], process: subprocess.Popen[Any]) -> None:
    """Returns as soon as something is so, or the process has ended. It looks now and then."""
    while process.poll() is None and not done():
        with suppress(subprocess.TimeoutExpired):
            process.wait(_SECONDS)
