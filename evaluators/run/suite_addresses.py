"""Addresses that a suite names, where only those of the command line may be opened."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, Final

from evaluators.issues import Problems, problem
from evaluators.testsets.byte_store import ADDRESSES, LOCAL, scheme_of
from evaluators.testsets.test_set_config import PLACES, Joined, TestSetConfig
from evaluators.values.addresses import shown_address

NAMED: Final = "named"


def check_addresses(config: TestSetConfig, asked: Iterable[object]) -> None:
    """Raises Problems (config) for addresses in the settings of a test set that are not among those that were asked for."""
    if os.environ.get(ADDRESSES) != NAMED:
        return
    own = set(map(str, asked))
    issues = [
        issue
        for name in PLACES
        for place in _places(getattr(config, name))
        if place not in own and scheme_of(place) not in (None, LOCAL)
        for issue in _refused(place, f"evaluators run SUITE {shown_address(place)}").issues
    ]
    if issues:
        raise Problems(issues)


def check_results(place: str) -> None:
    """Raises Problems (config) where a suite names an address for its results, and that is not allowed."""
    if os.environ.get(ADDRESSES) == NAMED and scheme_of(place) not in (None, LOCAL):
        raise _refused(place, f"--results {shown_address(place)}")


def _places(setting: Any) -> Iterator[str]:
    if isinstance(setting, str):
        yield setting
    elif isinstance(setting, Joined):
        yield from _places(setting.file)
    elif isinstance(setting, dict):
        for one in setting.values():
            yield from _places(one)


def _refused(place: str, words: str) -> Problems:
    return problem(
        "suite-address",
        f"the suite names an address, and {ADDRESSES} allows only those of the command line",
        where=shown_address(place),
        hint=f"name it on the command line: {words}",
    )
