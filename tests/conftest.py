"""What all tests share: how often properties draw, and what a test registers goes with it.

A property has no time limit, so that a busy machine fails no test. It draws 20 inputs; `pytest -m slow` runs every
property with 200, beside the tests that are marked.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.evaluators._evaluator import BUILTIN
from evaluators.scoring.judges.judge import JUDGES
from evaluators.scoring.values import transforms
from tests.hosts.table import Figures, figures

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
    if config.getoption("markexpr") == "slow" and not config.getoption("--hypothesis-profile"):
        settings.load_profile("slow tier")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every property is one of the slow tests as well, where these alone are asked for."""
    if config.getoption("markexpr") == "slow":
        for item in items:
            if is_hypothesis_test(getattr(item, "obj", None)):
                item.add_marker("slow")


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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, in which the test is."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    """What `evaluators run` says of the table that every host is given."""
    return figures(tmp_path_factory.mktemp("table"))


settings.register_profile(  # what a checkout draws is always the same: a check of it says the same twice
    "default tier", deadline=None, max_examples=20, suppress_health_check=list(HealthCheck), derandomize=True
)
settings.register_profile("slow tier", settings.get_profile("default tier"), max_examples=200)
settings.register_profile("thorough", settings.get_profile("default tier"), max_examples=2_000, derandomize=False)
settings.load_profile("default tier")
