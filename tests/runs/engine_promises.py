"""What every engine promises: each task once, and lazily drawn. Whoever has a `crew` runs these tests on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from evaluators.model.issues import Problems, problem
from evaluators.runs.engines.engine import Crew, Stopped


def doubled(number: int, _stopped: Stopped) -> int:
    return 2 * number


def refused(number: int, _stopped: Stopped) -> int:
    if number == 3:
        raise problem("test", "three is refused")
    return number


def test_each_task_has_its_result(crew: Crew) -> None:
    assert set(crew.map(doubled, range(20))) == {2 * number for number in range(20)}


def test_no_tasks_have_no_results(crew: Crew) -> None:
    assert list(crew.map(doubled, [])) == []


def test_tasks_are_drawn_when_they_can_start_soon(crew: Crew) -> None:
    drawn: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(50):
            drawn.append(number)
            yield number

    results = crew.map(doubled, tasks())
    next(results)
    assert len(drawn) <= 2 * crew.parallel + 1
    assert len(list(results)) == 49


def test_tasks_that_end_early_end_the_work(crew: Crew) -> None:
    results: list[object] = []

    def tasks() -> Iterator[int]:
        number = 0
        while len(results) < 3:
            yield number
            number += 1

    for result in crew.map(doubled, tasks()):
        results.append(result)
    assert len(results) >= 3
    assert len(results) < 20


def test_a_problem_in_a_task_reaches_the_caller(crew: Crew) -> None:
    with pytest.raises(Problems, match="three is refused"):
        list(crew.map(refused, range(10)))
