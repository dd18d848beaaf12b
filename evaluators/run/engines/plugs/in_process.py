"""`in_process`: one split after the other, right here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from evaluators.run.engines.engine import Assignment, Engine, Result, Task


class InProcess(Engine):
    """Scores in the calling process. Nothing is pickled; the first split's results are there first."""

    shares_memory: ClassVar[bool] = True

    def map(self, assignment: Assignment[Task, Result], tasks: Iterable[Task]) -> Iterator[Result]:
        return map(assignment.run, tasks)
