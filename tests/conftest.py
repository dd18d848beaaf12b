"""What all tests share: no property has a time limit, so that a busy machine fails no test, and what a test registers goes with it."""

from __future__ import annotations

import os
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


def pytest_configure(config: pytest.Config) -> None:
    """What commands print follows COLUMNS. Workers of a test run are given one; readline sets one that `os.environ` does not show."""
    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)
        os.unsetenv(name)


@pytest.fixture(autouse=True)
def nothing_stays_registered() -> Iterator[None]:
    """Plugs that a test adds are known to that test only, in whatever order the tests run."""
    before = [dict(names) for names in REGISTERED]
    yield
    for names, known in zip(REGISTERED, before, strict=True):
        if names != known:
            names.clear()
            names.update(known)


settings.register_profile("without a clock", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=2_000)
settings.load_profile("without a clock")
