"""What every engine promises: each task once, lazily drawn, and a lost worker is said."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from evaluators.api.loading import load
from evaluators.model.issues import Problems, extra_hint
from evaluators.runs.engines.engine import ENGINES, Crew, Lost, Stopped, engine_of
from tests.runs.engine_promises import *  # noqa: F403  # the tests that every engine runs
from tests.waiting import PATIENCE

HERE = [name for name in ENGINES.names() if not ENGINES.find(name).packages]
"""The engines that need no other package; the others have environments of their own in `tests/hosts`."""


def dies_at_three(number: int, _stopped: Stopped) -> int:
    if number == 3:
        os._exit(9)
    return number


@pytest.fixture(params=[(name, workers) for name in HERE for workers in (1, 2)], ids=str)
def crew(request: pytest.FixtureRequest) -> Iterator[Crew]:
    name, workers = request.param
    with ENGINES.find(name)(workers=workers).crew() as crew:
        yield crew


def until_asked(_number: int, stopped: Stopped) -> str:
    while not stopped():
        pass
    return "asked"


def test_tasks_are_asked_to_stop_while_they_run(crew: Crew) -> None:
    """Without being asked, these tasks would never end."""
    assert set(crew.map(until_asked, range(2), lambda: True)) == {"asked"}


PROGRAM = '''
import os
import sys
from pathlib import Path
from typing import Any, Literal
import evaluators
from evaluators.scoring.evaluators._evaluator import Needs


@evaluators.evaluator("fatal")
class Fatal(evaluators.Evaluator):
    """Ends its process at the row that says so."""

    type: Literal["fatal"] = "fatal"

    def needs(self) -> Needs:
        return (self.column("output"),)

    def measure(self, output: Any) -> bool:
        seen = Path(sys.argv[1]).with_name("seen")
        if output == "end" or (output == "once" and not seen.exists()):
            seen.touch()
            os._exit(9)
        return True


if __name__ == "__main__":
    suite = evaluators.load({"evaluators": ["fatal"]})
    result = suite.run(sys.argv[1], workers=2, results=Path(sys.argv[2]), name="x")
    print(result.n_rows, result.complete, result.exit_code, result.environment.scored_again)
    for issue in result.issues:
        print(issue.blame, issue.code, issue.hint, issue.where)
'''


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("once", "3 True 0 1"),
        ("end", "0 False 3 1\nenvironment worker-lost try fewer workers: --workers 1 rows.csv rows 2 to 4"),
    ],
)
def test_a_worker_that_is_lost_costs_its_split_only(
    tmp_path_factory: pytest.TempPathFactory, word: str, said: str
) -> None:
    folder = tmp_path_factory.mktemp("lost")
    (folder / "program.py").write_text(PROGRAM)
    (folder / "rows.csv").write_text(f"output\na\n{word}\nb\n")
    done = subprocess.run(
        [sys.executable, folder / "program.py", folder / "rows.csv", folder / "runs"],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
        check=False,
    )
    assert done.stdout.strip().replace(str(folder) + "/", "") == said, done.stderr
    assert [path.name for path in (folder / "runs").iterdir()] == ["x"]


def test_tasks_beside_a_lost_one_have_their_results(tmp_path: Path) -> None:
    found = list(ENGINES.find("processes")(workers=2).map(dies_at_three, range(8)))
    assert sorted(one for one in found if not isinstance(one, Lost)) == [0, 1, 2, 4, 5, 6, 7]
    assert Lost(3) in found


def waits_for_the_file(number: int, _stopped: Stopped) -> int:
    if number == 0:
        while not Path(os.environ["TEST_FIRST_MAY_END"]).exists():
            pass
    return number


def test_no_task_begins_far_ahead_of_the_oldest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes before an earlier result waits in memory: it is not to pile up behind one slow task."""
    monkeypatch.setenv("TEST_FIRST_MAY_END", str(tmp_path / "may_end"))
    drawn: list[int] = []
    results = ENGINES.find("processes")(workers=2).map(waits_for_the_file, (drawn.append(one) or one for one in range(9)))
    assert sorted(next(results) for _ in range(3)) == [1, 2, 3]
    assert drawn == [0, 1, 2, 3]
    (tmp_path / "may_end").touch()
    assert sorted(one for one in results if isinstance(one, int)) == [0, 4, 5, 6, 7, 8]


@pytest.mark.slow
def test_a_task_that_is_lost_twice_is_the_environments_problem() -> None:
    found = ENGINES.find("processes")(workers=2).map(dies_at_three, range(8))
    ((task, why),) = [(one.task, one.why) for one in found if isinstance(one, Lost) and one.why is not None]
    assert task == 3
    assert "ended without a result" in why.message


@pytest.mark.parametrize(
    ("name", "workers", "taken"),
    [
        (None, None, "Processes workers=2"),
        (None, 3, "Processes workers=3"),
        ("processes", None, "Processes workers=2"),
        ("in_process", None, "InProcess workers=None"),
        ("in_process", 4, "InProcess workers=4"),
    ],
)
def test_what_the_run_asks_for_takes_the_place_of_what_the_suite_says(
    name: str | None, workers: int | None, taken: str
) -> None:
    suite = load({"evaluators": ["exact_match"], "engine": {"processes": {"workers": 2}}})
    engine = engine_of(suite.engine, name, workers)
    assert f"{type(engine).__name__} {engine}" == taken


@pytest.mark.parametrize(("workers", "taken"), [(None, "InProcess"), (1, "InProcess"), (2, "Processes")])
def test_without_a_word_the_number_of_workers_decides(workers: int | None, taken: str) -> None:
    assert type(engine_of(None, None, workers)).__name__ == taken


def test_where_rows_are_scored_is_no_part_of_what_a_suite_means() -> None:
    plain = load({"evaluators": ["exact_match"]})
    assert load({"evaluators": ["exact_match"], "engine": "processes"}).fingerprint == plain.fingerprint


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("proceses", 'unknown engine "proceses"'),
        ({"processes": {"worker": 2}}, 'unknown setting "worker" for the engine "processes"'),
        ([], "expected the name of an engine"),
    ],
)
def test_a_mistake_in_the_section_is_found_before_the_first_row(said: object, message: str) -> None:
    with pytest.raises(Problems, match=message):
        load({"evaluators": ["exact_match"], "engine": said})


@pytest.mark.parametrize("name", [name for name in ENGINES.names() if ENGINES.find(name).packages])
def test_an_engine_whose_package_is_missing_says_what_to_install(name: str) -> None:
    if all(map(find_spec, ENGINES.find(name).packages)):
        engine_of(None, name, None)
        return
    with pytest.raises(Problems, match=f'the engine "{name}" needs a package that is not installed') as raised:
        engine_of(None, name, None)
    assert raised.value.issues[0].hint == extra_hint(name)


ORPHANS = """
import os, threading
from evaluators.runs.engines.engine import ENGINES

def wait_for_ever(number, _stopped):
    print("begun", number, flush=True)
    threading.Event().wait()

if __name__ == "__main__":
    list(ENGINES.find("processes")(workers=2).map(wait_for_ever, range(2)))
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_workers_end_when_their_parent_is_gone(tmp_path: Path, way: str) -> None:
    """Workers hold the other end of this pipe: reading it ends when the last of them has."""
    extra = "    threading.Thread(target=threading.Event().wait, daemon=True).start()\n"
    (tmp_path / "program.py").write_text(ORPHANS.replace("    list(", (extra if way == "spawn" else "") + "    list("))
    with subprocess.Popen(
        [sys.executable, tmp_path / "program.py"], stdout=subprocess.PIPE, env={"PYTHONPATH": ":".join(sys.path)}
    ) as process:
        assert process.stdout.readline().startswith(b"begun")
        process.kill()
        process.communicate(timeout=PATIENCE)


ENDLESS = """
import sys, threading
from evaluators.runs.engines.engine import ENGINES

def wait_for_ever(number, _stopped):
    if number:
        threading.Event().wait()

if __name__ == "__main__":
    results = ENGINES.find("processes")(workers=2).map(wait_for_ever, range(5))
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
        timeout=PATIENCE,
    )
    assert (done.stdout.strip(), done.returncode) == ("ended", 0), done.stderr
