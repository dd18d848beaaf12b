"""What is said of environments, and, where none is running, that their tests are not run here."""

from __future__ import annotations

import os

import pytest

from evaluators.reports.tracking.tracker import TRACKERS
from tests.hosts.environments import REQUIRED, RUNNING, environments, missing

EVERY = environments()


@pytest.mark.parametrize("name", EVERY)
def test_an_environment_says_what_it_needs(name: str) -> None:
    environment = EVERY[name]
    assert 0 < environment.seconds <= 900
    assert list(environment.folder.rglob("test_*.py"))
    assert environment.pinned, "the packages of the host are pinned as they were tested"


@pytest.mark.parametrize("name", EVERY)
def test_the_tests_of_an_environment(name: str) -> None:
    if os.environ.get(RUNNING) != name:
        missing(name, f"its own environment is needed: python -m tests.hosts {name}")


def test_every_tracker_that_needs_a_package_has_an_environment() -> None:
    without = {"files"}
    assert {*TRACKERS.shipped_names()} - without <= {
        platform["tracker"] for each in EVERY.values() for platform in each.platforms if "tracker" in platform
    }


def test_what_is_required_is_an_environment() -> None:
    from tests.hosts.environments import required

    assert required() <= {*EVERY}, f"{REQUIRED} names what is no environment"
