"""What all tests share: no property has a time limit, so that a busy machine fails no test, and what a test registers goes with it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import settings

from evaluators.builtin._evaluator import BUILTIN
from evaluators.comparators._comparator import COMPARATORS
from evaluators.judges.judge import JUDGES
from evaluators.values import transforms

REGISTERED: Final[tuple[dict[str, Any], ...]] = (
    BUILTIN._registered,
    COMPARATORS._registered,
    JUDGES._registered,
    transforms._REGISTERED,
)

KNOWN: Final[list[dict[str, Any]]] = []
"""What is known before the first test."""


def pytest_configure(config: pytest.Config) -> None:
    """What commands print follows COLUMNS. Workers of a test run are given one; readline sets one that `os.environ` does not show.

    A program in the background ignores Ctrl-C, and so does whatever it starts: the tests start programs that have to hear it.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
        os.unsetenv(name)


def pytest_collection_finish(session: pytest.Session) -> None:
    """What modules of tests register themselves is known to all tests."""
    KNOWN[:] = [dict(names) for names in REGISTERED]


@pytest.fixture(autouse=True)
def nothing_stays_registered() -> Iterator[None]:
    """Plugs that a test adds, or a fixture of a module, are known to one test only, in whatever order the tests run."""
    yield
    for names, known in zip(REGISTERED, KNOWN, strict=True):
        if names != known:
            names.clear()
            names.update(known)


settings.register_profile("without a clock", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=2_000)
settings.load_profile("without a clock")
