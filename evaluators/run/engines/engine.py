"""The contract of an engine: where splits are scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar, TypeVar

from evaluators.registry import Socket
from evaluators.value_class import dataclass

Task = TypeVar("Task")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Engine:
    """Runs one function over many tasks. A plug says where."""

    workers: int = 1

    shares_memory: ClassVar[bool] = False
    """Tasks run in the calling process: functions need not be pickled, and can be asked to stop half-way."""

    def map(self, run: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """The result of each task, in any order.

        Tasks are drawn only when they can start soon, so that a later task may depend on earlier results. When `tasks`
        ends early, so does the work. Raises Problems (environment) when a worker is lost.
        """
        raise NotImplementedError


ENGINES: Socket[Engine] = Socket("evaluators.run.engines.plugs", Engine, "engine")
