"""`in_process`: one split after the other, right here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from evaluators.run.engines.engine import Engine, Result, Task, never


class InProcess(Engine):
    """Scores in the calling process. Nothing is pickled; the first split's results are there first."""

    shares_memory: ClassVar[bool] = True

    def map(
        self, run: Callable[[Task], Result], tasks: Iterable[Task], stopped: Callable[[], bool] = never
    ) -> Iterator[Result]:
        return map(run, tasks)
