"""The contract of an engine: where splits are scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar, TypeVar

from evaluators.issues import Blame, Issue, Problems
from evaluators.registry import Socket
from evaluators.value_class import dataclass

Task = TypeVar("Task")
Result = TypeVar("Result")


def worker_lost(_task: object = None) -> Issue:
    """What is said of a task whose worker ended without a result, twice."""
    return Issue(
        "worker-lost",
        Blame.ENVIRONMENT,
        "a worker process ended twice without a result; it may have run out of memory",
        hint="try fewer workers: --workers 1",
    )


def never() -> bool:
    """Nobody asks to stop."""
    return False


@dataclass(frozen=True)
class Engine:
    """Runs one function over many tasks. A plug says where."""

    workers: int = 1

    shares_memory: ClassVar[bool] = False
    """Tasks run in the calling process: functions need not be pickled."""

    def map(
        self,
        run: Callable[[Task], Result],
        tasks: Iterable[Task],
        stopped: Callable[[], bool] = never,
        lost: Callable[[Task], Result] | None = None,
    ) -> Iterator[Result]:
        """The result of each task, in any order.

        Tasks are drawn only when they can start soon, so that a later task may depend on earlier results. When `tasks`
        ends early, so does the work. `stopped` is asked now and then; from a yes on, `asked_to_stop` says so wherever tasks
        run. A task whose worker was lost is done again, alone. Lost again, its result is what `lost` makes of it; without
        `lost`, Problems (environment) are raised.
        """
        raise NotImplementedError


def given_up(task: Task, lost: Callable[[Task], Result] | None) -> Result:
    """What stands for a task that was lost twice."""
    if lost is None:
        raise Problems([worker_lost()])
    return lost(task)


class _StopRequest:
    """Whether the tasks of this process are asked to stop. A worker is given somewhere to look."""

    look: ClassVar[Callable[[], bool]] = never


def asked_to_stop() -> bool:
    """Whether the task that runs here should end where it can end well."""
    return _StopRequest.look()


def look_there(look: Callable[[], bool]) -> None:
    """From now on, `asked_to_stop` asks this function."""
    _StopRequest.look = staticmethod(look)


ENGINES: Socket[Engine] = Socket("evaluators.run.engines.plugs", Engine, "engine")
