"""What a cluster does with lost workers, whatever cluster it is: what the run is told, and when it gives up."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from evaluators.model.issues import Blame, Problems
from evaluators.model.rows import __version__
from evaluators.runs.engines.engine import Lost, never
from evaluators.runs.engines.remote import Answer, Cluster, ClusterEngine, Shipped
from tests.kit import problem_of
from tests.runs.engine_promises import *  # noqa: F403  # the tests that every engine runs
from tests.runs.engine_promises import doubled

PICKLES: Any = SimpleNamespace(dumps=pickle.dumps, register_pickle_by_value=lambda module: None)


class MadeCluster(Cluster):
    """Workers that are this process. `lost` says of a task whether each worker that takes it is lost."""

    kind = "made"

    def __init__(self, lost: Callable[[Any], bool] = lambda task: False, workers: int = 2, **settings: Any) -> None:
        self.there = workers
        self.lost = lost
        self.begun: list[Any] = []
        self.dropped: list[int] = []
        self.waiting: dict[int, tuple[bytes, Any]] = {}
        super().__init__(ClusterEngine(**settings), PICKLES)

    def workers(self) -> int:
        return self.there

    def submit(self, shared: Shipped, task: Any) -> int:
        self.begun.append(task)
        self.waiting[len(self.begun)] = pickle.dumps(shared), task
        return len(self.begun)

    def finished_calls(self, calls: list[Any], seconds: float) -> list[int]:
        return calls[: self.there]

    def answer(self, call: int) -> Answer | None:
        shared, task = self.waiting.pop(call)
        return None if self.lost(task) else pickle.loads(shared)(task)

    def cancel(self, calls: list[Any]) -> None:
        self.dropped += calls


@pytest.fixture
def crew() -> MadeCluster:
    return MadeCluster()


def results(cluster: MadeCluster, tasks: Iterable[int], stopped: Callable[[], bool] = never) -> list[object]:
    return list(cluster.map(doubled, tasks, stopped))


def test_a_task_that_ends_every_worker_is_the_environments_problem_and_costs_nothing_else() -> None:
    found = results(MadeCluster(lambda task: task == 2), range(5))
    ((task, why),) = [(one.task, one.why) for one in found if isinstance(one, Lost)]
    assert why is not None
    assert (task, why.code, why.blame) == (2, "worker-lost", Blame.ENVIRONMENT)
    assert {one for one in found if isinstance(one, int)} == {0, 2, 6, 8}


def test_a_run_that_is_stopped_does_not_wait_for_the_tasks_under_way() -> None:
    cluster = MadeCluster()
    assert results(cluster, range(50), lambda: len(cluster.begun) > 2) == [0, 2]
    assert cluster.dropped == [3]


def test_when_all_workers_are_gone_the_run_waits_and_then_says_so() -> None:
    cluster = MadeCluster(wait_seconds=1)

    def tasks() -> Iterator[int]:
        yield 0
        cluster.there = 0

    (last,) = results(cluster, tasks())
    assert isinstance(last, Lost)
    assert last.why is not None
    assert (last.why.code, last.why.message) == ("no-worker", "the made cluster had no worker for 1 seconds")


def test_a_cluster_that_has_no_worker_is_said_before_anything_is_begun() -> None:
    with pytest.raises(Problems, match="had no worker for 1 seconds"):
        MadeCluster(workers=0, wait_seconds=1)


def test_tasks_under_way_are_dropped_when_nobody_wants_results_any_more() -> None:
    cluster = MadeCluster(workers=3)
    found = cluster.map(doubled, range(50))
    next(found)
    found.close()  # type: ignore[attr-defined]  # it is a generator
    assert cluster.dropped == [2, 3, 4]


def broken(_number: int, _stopped: object) -> int:
    raise KeyError("nobody foresaw it")


def test_what_goes_wrong_on_a_worker_has_its_trace_as_a_note() -> None:
    with pytest.raises(RuntimeError, match="KeyError: 'nobody foresaw it'") as raised:
        list(MadeCluster().map(broken, range(1)))
    assert "in broken" in "".join(raised.value.__notes__)


def test_a_worker_with_other_versions_is_refused_before_it_unpacks_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere(MadeCluster):
        def answer(self, call: int) -> Answer | None:
            monkeypatch.setattr("evaluators.runs.engines.remote.__version__", "0.0.9")
            return super().answer(call)

    issue = problem_of(lambda: results(Elsewhere(), range(1)))
    assert (issue.code, issue.blame) == ("worker-versions", Blame.ENVIRONMENT)
    assert "with evaluators 0.0.9, and the process that runs the suite has Python" in issue.message
    assert issue.message.endswith(f"with evaluators {__version__}")


def test_a_worker_that_cannot_unpack_what_it_is_sent_is_said() -> None:
    class Unlike(MadeCluster):
        def share(self, shipped: Shipped) -> Any:
            shipped._body = pickle.dumps(doubled).replace(b"engine_promises", b"engine_promised")
            return shipped

    issue = problem_of(lambda: results(Unlike(), range(1)))
    assert (issue.code, issue.blame) == ("worker-unfit", Blame.ENVIRONMENT)
    assert (
        "cannot take part in the run: ModuleNotFoundError: No module named 'tests.runs.engine_promised'" in issue.message
    )
