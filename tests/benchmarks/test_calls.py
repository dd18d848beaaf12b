"""What a row costs, in calls of functions: counts, so that a busy machine changes nothing. See `tests.tools.benchmarks.history`."""

from __future__ import annotations

import csv
from typing import Final

import pytest

from tests.tools.benchmarks.calls import COMMANDS
from tests.tools.benchmarks.history import COLUMNS, FILE, counted

MOST: Final = {
    "five": 307,
    "five_stored": 1_495,
    "listed": 110,
    "ordered": 404,
    "key": 415,
    "hungarian": 499,
    "five_check": 337,
}
"""The most calls for each row. Whoever raises a number says in the commit what users get for it; whoever lowers a count, lowers it."""
MARGIN: Final = 1.05
"""Versions of Python and of libraries count a little differently; two runs of one version count the same."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    return counted(tmp_path_factory.mktemp("calls"))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_row_costs_no_more_calls_than_before(name: str, found: dict[str, float]) -> None:
    assert 1 < found[name] <= MOST[name] * MARGIN


def test_a_check_of_all_rows_costs_about_one_run(found: dict[str, float]) -> None:
    assert found["five_check"] <= 1.3 * found["five"]


def test_every_line_of_the_history_has_every_figure() -> None:
    with FILE.open(newline="", encoding="utf-8") as stream:
        lines = list(csv.DictReader(stream))
    assert len(lines) >= 2
    assert [line["date"] for line in lines] == sorted(line["date"] for line in lines)
    for line in lines:
        assert tuple(line) == COLUMNS
        assert all(float(line[name]) > 0 for name in (*COMMANDS, "five_floor"))
