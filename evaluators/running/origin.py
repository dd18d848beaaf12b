"""Where a run came from, as its environment.json keeps it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evaluators.running.suite import Suite
from evaluators.runs.result import Origin

if TYPE_CHECKING:
    from evaluators.running.preparing import RunRequest


def origin_of(suite: Suite, request: RunRequest) -> Origin | None:
    """The files of a run; None for a suite that is not a file."""
    written = Path(suite.config.source.name)
    if suite.given is not None or not written.is_file():
        return None
    chosen = request.selection
    return Origin(
        suite=os.path.abspath(written),
        folder=os.getcwd(),
        test_set=request.test_set,
        settings=request.test_set_settings,
        limit=chosen.limit,
        sample=chosen.sample,
        seed=chosen.seed,
        where=chosen.where,
    )
