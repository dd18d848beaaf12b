"""Addresses that the test set and the results of a suite name, where not every address may be opened."""

from __future__ import annotations

from collections.abc import Iterable

from evaluators.issues import Problems
from evaluators.testsets.test_set_config import PLACES, TestSetConfig
from evaluators.values.addresses import addresses_in, refused_addresses, shown_address


def check_addresses(config: TestSetConfig, asked: Iterable[object]) -> None:
    """Raises Problems (config) for addresses in the settings of a test set that a suite may not name.

    `asked` are the places of the command line.
    """
    said, asked, words = config.model_dump(), set(map(str, asked)), "name it on the command line: evaluators run SUITE"
    issues = [
        issue
        for name in (*PLACES, "mlflow", "phoenix", "connection")
        for issue in refused_addresses(addresses_in(said[name]), asked, f"{words} {_said(said[name])}")
    ]
    if issues:
        raise Problems(issues)


def check_results(place: str) -> None:
    """Raises Problems (config) where a suite names an address for its results, and that is not allowed."""
    hint = f"name it on the command line: --results {shown_address(place)}"
    if issues := refused_addresses(addresses_in(place), hint=hint):
        raise Problems(issues)


def _said(place: object) -> str:
    return shown_address(place) if isinstance(place, str) else "ADDRESS"
