"""`in_process`: one split after the other, right here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from evaluators.runs.engines.engine import Engine, Result, Task, look_there, never


class InProcess(Engine):
    """Scores in the calling process. Nothing is pickled; the first split's results are there first."""

    def map(
        self, run: Callable[[Task], Result], tasks: Iterable[Task], stopped: Callable[[], bool] = never
    ) -> Iterator[Result]:
        look_there(stopped)
        try:
            yield from map(run, tasks)
        finally:
            look_there(never)
