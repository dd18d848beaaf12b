"""What every engine promises: each task once, lazily drawn, and a lost worker is said."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from evaluators.issues import Problems, problem
from evaluators.run.engines.engine import ENGINES, Engine


def doubled(number: int) -> int:
    return 2 * number


def refused(number: int) -> int:
    if number == 3:
        raise problem("test", "three is refused")
    return number


@pytest.fixture(params=[(name, workers) for name in ENGINES.names() for workers in (1, 2)], ids=str)
def engine(request: pytest.FixtureRequest) -> Engine:
    name, workers = request.param
    return ENGINES.find(name)(workers)


def test_each_task_has_its_result(engine: Engine) -> None:
    assert sorted(engine.map(doubled, range(20))) == [2 * number for number in range(20)]


def test_no_tasks_have_no_results(engine: Engine) -> None:
    assert list(engine.map(doubled, [])) == []


def test_tasks_are_drawn_when_they_can_start_soon(engine: Engine) -> None:
    drawn: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(50):
            drawn.append(number)
            yield number

    results = engine.map(doubled, tasks())
    next(results)
    assert len(drawn) <= 2 * engine.workers + 1
    assert len(list(results)) == 49


def test_tasks_that_end_early_end_the_work(engine: Engine) -> None:
    results: list[int] = []

    def tasks() -> Iterator[int]:
        number = 0
        while len(results) < 3:
            yield number
            number += 1

    for result in engine.map(doubled, tasks()):
        results.append(result)
    assert len(results) >= 3
    assert len(results) < 20


def test_a_problem_in_a_task_reaches_the_caller(engine: Engine) -> None:
    with pytest.raises(Problems, match="three is refused"):
        list(engine.map(refused, range(10)))


PROGRAM = '''
import os
import sys
from pathlib import Path
from typing import Any, Literal
import evaluators
from evaluators.builtin._evaluator import Check, Needs
from evaluators.model import Score


@evaluators.evaluator("fatal")
class Fatal(evaluators.Evaluator):
    """Ends its process at the row that says so."""

    type: Literal["fatal"] = "fatal"

    def needs(self) -> Needs:
        return (self.column("output"),)

    def explain(self, output: Any) -> Score:
        if output == "end":
            os._exit(9)
        return Score.of(True)


if __name__ == "__main__":
    suite = evaluators.load({"evaluators": ["fatal"]})
    try:
        suite.run(sys.argv[1], workers=2, results=Path(sys.argv[2]))
    except evaluators.Problems as problems:
        (issue,) = problems.issues
        print(issue.blame, issue.code, issue.hint)
'''


def test_a_worker_that_dies_is_the_environments_problem(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("lost")
    (folder / "program.py").write_text(PROGRAM)
    (folder / "rows.csv").write_text("output\na\nend\nb\n")
    done = subprocess.run(
        [sys.executable, folder / "program.py", folder / "rows.csv", folder / "runs"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
        check=False,
    )
    assert done.stdout.strip() == "environment worker-lost try fewer workers: --workers 1", done.stderr
    assert list((folder / "runs").iterdir()) == []


ENDLESS = """
import sys, threading
from evaluators.run.engines.engine import ENGINES

def wait_for_ever(number):
    if number:
        threading.Event().wait()

if __name__ == "__main__":
    results = ENGINES.find("processes")(2).map(wait_for_ever, range(5))
    next(results)
    try:
        results.throw(KeyboardInterrupt)
    except KeyboardInterrupt:
        print("ended")
"""


def test_an_interrupt_ends_tasks_that_are_under_way(tmp_path_factory: pytest.TempPathFactory) -> None:
    program = tmp_path_factory.mktemp("endless") / "program.py"
    program.write_text(ENDLESS)
    done = subprocess.run(
        [sys.executable, program],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
        check=False,
        timeout=60,
    )
    assert (done.stdout.strip(), done.returncode) == ("ended", 0), done.stderr
