"""What a cluster does with lost workers, whatever cluster it is: who scores again, how often, and when a run gives up."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from evaluators.issues import Blame, Issue, Problems
from evaluators.model import __version__
from evaluators.run.engines.cluster import Call, Cluster, ClusterEngine
from evaluators.run.engines.engine import Lost, never
from evaluators.run.engines.on_worker import perform
from evaluators.run.engines.on_worker import stop as stop_run
from tests.kit import problem_of
from tests.run.engine_promises import *  # noqa: F403  # the tests that every engine runs
from tests.run.engine_promises import doubled

PICKLES: Any = SimpleNamespace(dumps=pickle.dumps, register_pickle_by_value=lambda module: None)


class MadeCluster(Cluster):
    """Workers that are this process. `lost` says of a task, and how often it was begun, whether its worker is lost."""

    kind = "made"

    def __init__(
        self, lost: Callable[[Any, int], bool] = lambda task, times: False, workers: int = 2, **settings: Any
    ) -> None:
        self.there = workers
        self.lost = lost
        self.begun: list[Any] = []
        self.dropped: list[int] = []
        self.waiting: dict[int, Call] = {}
        super().__init__(PICKLES, ClusterEngine(**settings))

    def workers(self) -> int:
        return self.there

    def begin(self, call: Call) -> int | None:
        if len(self.waiting) >= self.there:
            return None
        self.begun.append(pickle.loads(call.task))
        self.waiting[len(self.begun)] = call
        return len(self.begun)

    def answers(self, seconds: float) -> Iterable[tuple[int, bytes | None]]:
        found, self.waiting = self.waiting, {}
        for handle, call in found.items():
            task = pickle.loads(call.task)
            times = self.begun[:handle].count(task)
            yield handle, None if self.lost(task, times) else perform(call.versions, call.equipment, call.task)

    def drop(self, calls: Iterable[int]) -> None:
        self.dropped += calls

    def stop(self, call: Call) -> None:
        stop_run(call.run_id)

    def ask(self, call: Call) -> list[tuple[str, bytes | Exception]]:
        return [(f"w{number}", perform(call.versions, call.equipment, call.task)) for number in range(1, self.there + 1)]


@pytest.fixture
def crew() -> MadeCluster:
    return MadeCluster()


def results(cluster: MadeCluster, tasks: Iterable[int], stopped: Callable[[], bool] = never) -> list[object]:
    return list(cluster.map(doubled, tasks, stopped))


def test_a_task_whose_worker_is_lost_is_begun_again_and_costs_nothing_else() -> None:
    cluster = MadeCluster(lambda task, times: task == 2 and times == 1)
    found = results(cluster, range(5))
    assert [one for one in found if isinstance(one, Lost)] == [Lost(2)]
    assert {one for one in found if isinstance(one, int)} == {0, 2, 4, 6, 8}
    assert sorted(cluster.begun) == [0, 1, 2, 2, 3, 4]


@pytest.mark.parametrize("retries", [0, 2])
def test_a_task_that_ends_every_worker_is_given_up_after_its_retries(retries: int) -> None:
    cluster = MadeCluster(lambda task, times: task == 2, retries=retries)
    found = results(cluster, range(5))
    *again, last = (one for one in found if isinstance(one, Lost))
    assert again == [Lost(2)] * retries
    assert isinstance(last.why, Issue)
    assert (last.task, last.why.code, last.why.blame) == (2, "worker-lost", Blame.ENVIRONMENT)
    assert last.why.message.startswith(f"each of {retries + 1} workers that scored these rows ended")
    assert {one for one in found if isinstance(one, int)} == {0, 2, 6, 8}


def test_once_a_run_is_stopped_nobody_scores_lost_tasks_again() -> None:
    cluster = MadeCluster(lambda task, times: True)
    assert results(cluster, range(2), lambda: len(cluster.begun) == 2) == [Lost(0), Lost(1)]
    assert cluster.begun == [0, 1]


def test_when_all_workers_are_gone_the_run_waits_and_then_says_so() -> None:
    cluster = MadeCluster(lambda task, times: True, wait_seconds=1)

    def tasks() -> Iterator[int]:
        yield 0
        cluster.there = 0

    *_, last = results(cluster, tasks())
    assert isinstance(last, Lost)
    assert (last.why.code, last.why.message) == ("no-worker", "the made cluster had no worker for 1 seconds")


def test_a_cluster_that_has_no_worker_is_said_before_anything_is_begun() -> None:
    with pytest.raises(Problems, match="had no worker for 1 seconds"):
        MadeCluster(workers=0, wait_seconds=1)


def test_tasks_under_way_are_dropped_when_nobody_wants_results_any_more() -> None:
    cluster = MadeCluster(workers=3)
    found = cluster.map(doubled, range(50))
    next(found)
    found.close()  # type: ignore[attr-defined]  # it is a generator
    assert set(cluster.dropped) <= set(range(1, 4))
    assert cluster.dropped


def broken(_number: int) -> int:
    raise KeyError("nobody foresaw it")


def test_what_goes_wrong_on_a_worker_has_its_trace_as_a_note() -> None:
    with pytest.raises(RuntimeError, match="KeyError: 'nobody foresaw it'") as raised:
        list(MadeCluster().map(broken, range(1)))
    assert "in broken" in "".join(raised.value.__notes__)


def test_a_worker_with_other_versions_is_refused_before_it_unpacks_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluators.run.engines.cluster.own_versions", lambda: ("2.7", "0.0.9"))
    issue = problem_of(lambda: results(MadeCluster(), range(1)))
    assert (issue.code, issue.blame) == ("worker-versions", Blame.ENVIRONMENT)
    assert f"with evaluators {__version__}, and this process has Python 2.7 with evaluators 0.0.9" in issue.message
