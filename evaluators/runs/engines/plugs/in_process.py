"""`in_process`: one split after the other, right here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from evaluators.runs.engines.engine import Engine, Result, Stopped, Task, never


class InProcess(Engine):
    """Scores in the calling process. Nothing is pickled; the first split's results are there first."""

    def map(
        self, run: Callable[[Task, Stopped], Result], tasks: Iterable[Task], stopped: Stopped = never
    ) -> Iterator[Result]:
        return (run(task, stopped) for task in tasks)
