"""What a run on a cluster promises, for every cluster: the tests, and the test set they run on.

Whoever has a `cluster` imports these tests: a `RealCluster` of two workers on this machine, started by the test and stopped after it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Thread
from typing import Any, Final

import pytest

import evaluators
from evaluators.model.issues import Blame, Problems
from evaluators.runs.engines.engine import Crew, engine_of
from evaluators.testsets.readers import jsonl
from tests.hosts.environments import ROOT, RUNNING, missing
from tests.kit import problem_of, tables_of
from tests.runs import test_resuming
from tests.runs.engine_promises import *  # noqa: F403  # the tests that every engine runs
from tests.runs.test_resuming import Whole, killed_anywhere, run_words, start

SPLITS: Final = 12
ROWS: Final = 600
MISSING_ROW: Final = 250
KILLS: Final = 4
"""As often as a cluster takes it before it gives up."""


class RealCluster:
    """A cluster that a test has started: how to reach it, and more workers for it."""

    engine: str
    address: str

    def worker(self, *prefix: str, **variables: str) -> AbstractContextManager[object]:
        """One more worker, for as long as the context: its command begins with `prefix`."""
        raise NotImplementedError

    def alone(self) -> AbstractContextManager[RealCluster]:
        """Another cluster, without any worker."""
        raise NotImplementedError


@pytest.fixture
def crew(cluster: RealCluster) -> Iterator[Crew]:
    suite = evaluators.load({"evaluators": ["exact_match"], "engine": {cluster.engine: {"address": cluster.address}}})
    with engine_of(suite.engine, None, None).crew() as crew:
        yield crew


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a test set that is cut into a dozen splits."""
    rows = []
    for number in range(ROWS):
        expected = {"a": number % 5, "b": {"c": f"é{number % 7}"}}
        output = expected if number % 3 else {**expected, "a": -1}
        text = json.dumps(output, ensure_ascii=False) if number % 11 else "there is none"
        rows.append({"id": f"r{number}", "output": text, "expected": expected, "group": "abc"[number % 3]})
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "rows.jsonl").write_text(text, encoding="utf-8")
    monkeypatch.setattr(jsonl, "SPLIT_BYTES", -(-len(text.encode()) // SPLITS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


SUITE: Final[dict[str, Any]] = {
    "evaluators": [
        "contains_json",
        {"json_multi_field_match": {"name": "header", "fields": {"a": "numeric", "b.c": "exact"}}},
        {"type": "json_diff_match", "needs": ["contains_json"]},
    ],
    "slices": ["row.group"],
}


def scored(name: str, engine: dict[str, Any] | None = None, suite: dict[str, Any] = SUITE, **options: Any) -> Any:
    """A run of the test set, kept in `runs/NAME`."""
    loaded = evaluators.load({**suite, **({} if engine is None else {"engine": engine})})
    return loaded.run("rows.jsonl", results="runs", name=name, **options)


def files_of(name: str) -> dict[str, object]:
    """The files of a run, tables as what they hold; without what may differ, and without the suite, which may name the engine."""
    folder = Path("runs", name)
    files = [file for file in folder.rglob("*") if file.is_file() and "suite" not in file.relative_to(folder).parts]
    found = {str(file.relative_to(folder)): file.read_bytes() for file in files if file.name != "environment.json"}
    return {name: tables_of(folder / name) if name == "run.db" else text for name, text in found.items()}


def environment_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path("runs", name, "environment.json").read_text())
    return found


def at(cluster: RealCluster, **settings: Any) -> dict[str, Any]:
    return {cluster.engine: {"address": cluster.address, **settings}}


def test_figures_and_files_are_those_of_one_process(cluster: RealCluster, place: Path) -> None:
    scored("one")
    result = scored("cluster", at(cluster))
    assert files_of("cluster") == files_of("one")
    assert result.n_rows == ROWS
    assert environment_of("cluster")["workers"] == 2


def test_without_an_address_a_cluster_is_started_and_stopped(cluster: RealCluster, place: Path) -> None:
    scored("one")
    before = _processes()
    scored("cluster", {cluster.engine: {"workers": 2}})
    assert files_of("cluster") == files_of("one")
    assert environment_of("cluster")["workers"] == 2
    left = [words for words in _children(_processes() - before) if "resource_tracker" not in words]
    assert not left, "a process of the cluster is left"


def _processes() -> set[int]:
    return {int(one) for one in os.listdir("/proc") if one.isdigit()}


def _children(processes: set[int]) -> list[str]:
    """What those of them are that come from this process."""
    found = []
    for one in processes:
        try:
            status = Path("/proc", str(one), "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if status[0] != "Z" and int(status[1]) == os.getpid():
            found.append(Path("/proc", str(one), "cmdline").read_text().replace("\0", " "))
    return found


def test_a_run_that_is_stopped_keeps_the_rows_that_are_finished(cluster: RealCluster, place: Path) -> None:
    scored("one")
    finished: list[int] = []
    enough = ROWS // SPLITS * 4  # no split begins four ahead of the oldest one, so that this one is finished by then
    result = scored(
        "cluster",
        at(cluster),
        stopped=lambda: sum(finished) >= enough,
        progress=lambda rows, share: finished.append(rows),
    )
    assert result.exit_code == 130
    assert not result.complete
    assert 0 < result.n_rows < ROWS
    kept = [line for line in tables_of(Path("runs/cluster/run.db")) if 'INTO "rows0"' in line]
    assert len(kept) == result.n_rows
    assert [line for line in tables_of(Path("runs/one/run.db")) if 'INTO "rows0"' in line][: len(kept)] == kept
    assert sum(finished) >= result.n_rows


KILLED = '''
"""The evaluator `killed`: its process is somebody's to kill at the row that says so."""
import os
from pathlib import Path
from typing import Literal

import evaluators

HERE = Path({folder!r})


class Killed(evaluators.Evaluator):
    """Passes. At one row it says which process it is, and waits for its end, the first {times} times."""

    type: Literal["killed"] = "killed"

    def needs(self):
        return (evaluators.Column("id", literal=True),)

    def measure(self, name):
        if name == "r{row}":
            seen = len(list(HERE.glob("seen-*")))
            if seen < {times}:
                (HERE / f"seen-{{os.getpid()}}-{{seen}}").touch()
                with open(HERE / "who", "w") as who:
                    who.write(str(os.getpid()))
                with open(HERE / "wait") as wait:
                    wait.read()
        return True
'''


@pytest.fixture
def killing(place: Path) -> Iterator[Callable[[int], dict[str, Any]]]:
    """A suite at one row of which a worker waits to be killed by its id, so many times; and somebody who does it."""
    from evaluators.scoring.evaluators._evaluator import BUILTIN

    for name in ("who", "wait"):
        os.mkfifo(place / name)
    threads: list[Thread] = []

    def suite(times: int) -> dict[str, Any]:
        (place / "killed.py").write_text(KILLED.format(folder=str(place), times=times, row=MISSING_ROW))
        evaluators.register_file(place / "killed.py", overwrite=True)
        threads.append(Thread(target=kill, args=(times,), daemon=True))
        threads[-1].start()
        return {**SUITE, "evaluators": [*SUITE["evaluators"], "killed"]}

    def kill(times: int) -> None:
        for _ in range(times):
            with open(place / "who") as who:
                os.kill(int(who.read()), signal.SIGKILL)

    yield suite
    BUILTIN._registered.pop("killed", None)


def test_a_worker_that_is_killed_costs_its_split_again_and_nothing_else(
    cluster: RealCluster, place: Path, killing: Callable[[int], dict[str, Any]]
) -> None:
    suite = killing(1)
    with cluster.alone() as own, own.worker(), own.worker():
        result = scored("cluster", at(own), suite)
    assert result.n_rows == ROWS
    assert result.complete
    assert len(list(place.glob("seen-*"))) == 1
    scored("one", suite=suite)
    assert files_of("cluster") == files_of("one")


def test_a_run_whose_workers_are_all_killed_keeps_its_rows_and_goes_on_elsewhere(
    cluster: RealCluster, place: Path, killing: Callable[[int], dict[str, Any]]
) -> None:
    suite = killing(KILLS)
    with cluster.alone() as own, own.worker(), own.worker():
        result = scored("cluster", at(own, wait_seconds=2), suite)
    for number in range(KILLS):
        (place / f"seen-{number}").touch()
    (issue,) = result.issues
    assert issue.code in ("no-worker", "worker-lost")  # Ray begins other processes for those that are gone
    assert (issue.blame, result.exit_code) == (Blame.ENVIRONMENT, 3)
    assert 0 < result.n_rows < MISSING_ROW
    assert not result.complete
    assert scored("cluster", suite=suite, resume=True).n_rows == ROWS
    scored("one", suite=suite)
    assert files_of("cluster") == files_of("one")


def test_a_worker_with_another_version_is_refused_before_the_first_row(
    cluster: RealCluster, place: Path, tmp_path: Path
) -> None:
    other = place / "other"
    shutil.copytree(ROOT / "evaluators", other / "evaluators", ignore=shutil.ignore_patterns("__pycache__"))
    model = other / "evaluators" / "model" / "rows.py"
    assert '"0.1.0"' in model.read_text()
    model.write_text(model.read_text().replace('"0.1.0"', '"0.0.9"'))
    with cluster.alone() as mixed, mixed.worker(PYTHONPATH=str(other)), pytest.raises(Problems) as raised:
        scored("cluster", {mixed.engine: {"address": mixed.address}})
    (issue,) = raised.value.issues
    assert "with evaluators 0.0.9, and the process that runs the suite has Python" in issue.message
    assert issue.hint == "install the same versions on all workers"
    assert not list(Path("runs").glob("*"))


def hidden(folder: Path) -> list[str]:
    """What makes a command see an empty folder in place of this one; the test is skipped where this machine has no such thing."""
    command = ["unshare", "-rm", "sh", "-c", f'mount -t tmpfs tmpfs "{folder}" && exec "$0" "$@"']
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError) as error:
        missing(os.environ[RUNNING], f"folders cannot be hidden from a process here: {error}")
    return command


def test_parts_travel_back_from_a_worker_that_does_not_see_the_folder(cluster: RealCluster, place: Path) -> None:
    scored("one")
    scored("again")
    with cluster.alone() as far, far.worker(*hidden(place / "runs")), far.worker():
        result = scored("cluster", {far.engine: {"address": far.address}})
    assert result.complete
    assert files_of("cluster") == files_of("one")


def test_a_test_set_that_a_worker_does_not_see_is_said_before_the_first_row(cluster: RealCluster, place: Path) -> None:
    with cluster.alone() as far, far.worker(*hidden(place)), pytest.raises(Problems) as raised:
        scored("cluster", {far.engine: {"address": far.address}})
    (issue,) = raised.value.issues
    assert (issue.code, issue.blame, issue.where) == ("unseen-file", Blame.ENVIRONMENT, "rows.jsonl")


PROGRAM = '''
import sys
from typing import Literal

import evaluators


def close(expected, actual, params):
    return abs(expected - actual) <= params["by"]


async def near(expected, actual, params):
    return abs(expected - actual) <= 5


@evaluators.evaluator("short")
class Short(evaluators.Evaluator):
    """Passes when the output is short."""

    type: Literal["short"] = "short"
    most: int = 20

    def needs(self):
        return (evaluators.Text(self.column("output")),)

    def measure(self, text):
        return len(text) <= self.most


if __name__ == "__main__":
    evaluators.register("close", close)
    evaluators.register("near", near)
    evaluators.register_transform("double", lambda value, params: value * 2)
    evaluators.register_file("tiny.py")
    fields = {"a": {"compare": {"close": {"by": 2}}, "transforms": ["double"]}, "b.c": "tiny"}
    asked = {"json_multi_field_match": {"name": "asked", "fields": {"a": "near"}}}
    suite = {"evaluators": ["short", {"json_multi_field_match": {"name": "header", "fields": fields}}, asked]}
    for name, engine in (("one", "in_process"), ("cluster", {sys.argv[1]: {"address": sys.argv[2]}})):
        result = evaluators.load({**suite, "engine": engine}).run("rows.jsonl", results="runs", name=name)
        print([(one.name, one.scored, one.passed) for one in result.evaluators])
'''
TINY = '''
from evaluators.scoring.comparators._comparator import Comparator


class Tiny(Comparator):
    """Match when both texts have the same length."""

    def compare(self, expected, actual):
        return len(expected) == len(actual)
'''


def test_functions_of_the_program_reach_the_workers(cluster: RealCluster, place: Path) -> None:
    (place / "program.py").write_text(PROGRAM)
    (place / "tiny.py").write_text(TINY)
    done = subprocess.run(
        [sys.executable, "program.py", cluster.engine, cluster.address], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    one, two = done.stdout.splitlines()
    assert one == two
    assert "('short', 600, 0)" not in one
    assert "('asked', 600, 0)" not in one
    assert files_of("cluster") == files_of("one")


def test_an_evaluator_in_a_module_that_the_workers_lack_is_said_before_the_first_row(
    cluster: RealCluster, place: Path
) -> None:
    program = PROGRAM.partition("if __name__")[0]
    (place / "program.py").write_text(
        "import sys, types\nimport evaluators\nif __name__ == '__main__':\n"
        "    sys.modules['only_here'] = only_here = types.ModuleType('only_here')\n"
        f"    exec({program!r}, vars(only_here))\n"
        "    suite = {'evaluators': ['short'], 'engine': {sys.argv[1]: {'address': sys.argv[2]}}}\n"
        "    evaluators.load(suite).run('rows.jsonl')\n"
    )
    done = subprocess.run(
        [sys.executable, "program.py", cluster.engine, cluster.address], capture_output=True, text=True, check=False
    )
    assert "cannot take part in the run: ModuleNotFoundError: No module named 'only_here'" in done.stderr


STOPPED = '''
"""The command, with an evaluator that at one row says so, and waits until it may go on."""
import os
import sys
from typing import Literal

import evaluators
from evaluators.__main__ import main


@evaluators.evaluator("waits")
class Waits(evaluators.Evaluator):
    """Passes, after it has waited."""

    type: Literal["waits"] = "waits"

    def needs(self):
        return (evaluators.Column("id", literal=True),)

    def measure(self, name):
        if name == "r{row}" and not os.path.exists({folder!r} + "/seen"):
            with open({folder!r} + "/who", "w") as who:
                who.write("here")
            with open({folder!r} + "/wait") as wait:
                wait.read()
        return True


if __name__ == "__main__":
    from evaluators.testsets.readers import jsonl

    jsonl.SPLIT_BYTES = {split}
    main()
'''


def test_an_interrupt_reaches_the_command_alone_and_what_is_finished_is_kept(cluster: RealCluster, place: Path) -> None:
    """A terminal sends Ctrl-C to every process that the command has started: workers of its own cluster among them."""
    for name in ("who", "wait"):
        os.mkfifo(place / name)
    program = STOPPED.format(folder=str(place), row=MISSING_ROW, split=jsonl.SPLIT_BYTES)
    (place / "program.py").write_text(program)
    (place / "suite.yaml").write_text("evaluators: [contains_json, waits]\n")
    command = [sys.executable, "program.py", "run", "suite.yaml", "rows.jsonl", "--name", "cut", "--quiet"]
    with subprocess.Popen(
        [*command, "--engine", cluster.engine, "--workers", "2"], start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        with open("who") as who:
            assert who.read() == "here"
        os.killpg(process.pid, signal.SIGINT)
        said, errors = process.communicate()
    assert process.returncode == 130, errors
    assert said.startswith("suite: interrupted after"), (said, errors)
    kept = json.loads(Path("runs", "cut", "run.json").read_text())
    assert not kept["complete"]
    assert kept["rows"] < ROWS


def test_a_run_that_is_killed_goes_on_without_the_cluster(cluster: RealCluster, place: Path) -> None:
    """The worker outlives the command, and nobody takes its split."""
    for name in ("who", "wait"):
        os.mkfifo(place / name)
    program = STOPPED.format(folder=str(place), row=MISSING_ROW, split=jsonl.SPLIT_BYTES)
    (place / "program.py").write_text(program)
    (place / "suite.yaml").write_text(
        f"evaluators: [contains_json, waits]\nengine: {{{cluster.engine}: {{address: '{cluster.address}'}}}}\n"
    )
    command = [sys.executable, "program.py", "run", "suite.yaml", "rows.jsonl", "--quiet", "--name"]
    with subprocess.Popen([*command, "cut"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        with open("who") as who:
            assert who.read() == "here"
        process.kill()
        process.communicate()
    (place / "seen").touch()
    with subprocess.Popen(["sh", "-c", ": > wait"]) as lets_go:  # of a worker that the cluster has ended nobody reads it
        try:
            for words in (["cut", "--resume"], ["one"]):
                done = subprocess.run(
                    [*command, *words, "--engine", "in_process"], capture_output=True, text=True, check=False
                )
                assert done.returncode == 0, done.stderr
        finally:
            lets_go.kill()
    assert files_of("cut") == files_of("one")


@pytest.fixture(scope="module")
def whole(cluster: RealCluster, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """A run of the command line on the cluster, which was never stopped."""
    engine = f"engine: {{{cluster.engine}: {{address: '{cluster.address}'}}}}\n"
    return Whole(tmp_path_factory.mktemp("whole"), test_resuming.SUITE + engine)


def test_a_run_of_the_command_line_is_that_of_one_process(whole: Whole) -> None:
    ended = start(whole.folder, *run_words("one", "--engine", "in_process"))
    whole.check(whole.folder, "one", ended)


@pytest.mark.parametrize("seed", range(20))
def test_a_run_that_is_killed_at_any_moment_goes_on_on_the_cluster(whole: Whole, tmp_path: Path, seed: int) -> None:
    for name in ("suite.yaml", "rows.jsonl"):
        shutil.copy2(whole.folder / name, tmp_path / name)
    killed_anywhere(whole, tmp_path, seed, "--workers", "2")


def test_an_address_where_no_cluster_is(cluster: RealCluster, place: Path) -> None:
    issue = problem_of(lambda: scored("cluster", {cluster.engine: {"address": _nowhere(cluster)}}))
    assert (issue.code, issue.blame) == ("no-cluster", Blame.ENVIRONMENT)


def _nowhere(cluster: RealCluster) -> str:
    """An address like that of the cluster at which nobody listens."""
    from tests.hosts.servers import free_port

    head, _, _ = cluster.address.rpartition(":")
    return f"{head}:{free_port()}"
