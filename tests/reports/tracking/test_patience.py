"""Requests that are tried again, and several that are under way at once."""

from __future__ import annotations

import threading

import pytest

from evaluators.reports.tracking.patience import in_parallel, pause_seconds
from tests.waiting import PATIENCE


def test_a_server_says_how_long_to_wait() -> None:
    assert pause_seconds(0, "7") == 7
    assert pause_seconds(5, "0") == 0
    assert pause_seconds(0, "Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert 0.25 <= pause_seconds(0, "soon") <= 0.5


def test_pauses_grow_up_to_a_bound() -> None:
    assert [pause_seconds(tried) <= 0.5 * 2**tried for tried in range(5)] == [True] * 5
    assert all(8 <= pause_seconds(tried) <= 16 for tried in (5, 10, 50))


def test_work_is_done_at_once_and_every_entry_comes_back_once() -> None:
    together = threading.Barrier(4, timeout=PATIENCE)
    found = in_parallel(lambda _: together.wait(), range(8), 4)
    assert sorted(found) == [*range(8)]


def test_what_the_work_raises_ends_it() -> None:
    begun = []

    def work(number: int) -> None:
        begun.append(number)
        if number == 2:
            raise ConnectionError("nobody answers")

    with pytest.raises(ConnectionError, match="nobody answers"):
        list(in_parallel(work, range(1000), 2))
    assert len(begun) < 10
