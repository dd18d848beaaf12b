"""The contract of an engine: where splits are scored.

An engine is one file in `plugs/`, or a class behind the entry point group `evaluators.runs.engines.plugs`. Its settings are its
attributes, so that a mistake in them is found before row 1, and so is a package that is missing. For most of them `map` is all
there is to write. One that has something to start first, such as a cluster, hands out its workers in `crew`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import Any, ClassVar, Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from msgspec import Struct
from pydantic import Field

from evaluators.model.issues import Blame, Issue, Problems, extra_hint, problem
from evaluators.model.registry import Socket
from evaluators.model.settings import BadSettings, Detail, Settings, build, word_or_map
from evaluators.scoring.values.addresses import addresses_in, forbidden_addresses

Task = TypeVar("Task")
Result = TypeVar("Result")
Stopped: TypeAlias = Callable[[], bool]
"""Whether somebody has asked the run to stop."""


def never() -> bool:
    """False: a run that cannot be stopped."""
    return False


class Lost(Struct, Generic[Task], frozen=True):
    """The result of `map` for a task whose worker ended without one."""

    task: Task
    why: Issue | None = None
    """Why nobody tries it again; None where it is begun once more."""


class UnderWay(Generic[Task]):
    """The tasks of a `map` that have begun, and what begins next: one task waits, so that no worker does, and none is so far ahead of the
    oldest one that results pile up, which are used in the order of tasks."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks, self._drawn = iter(tasks), 0
        self.calls: dict[Any, tuple[int, Task]] = {}
        """What is waited for, in the order of tasks: with the number of the task."""

    def begin(self, submit: Callable[[Task], Any], parallel: int) -> None:
        """Submits tasks while there is room, where `parallel` tasks run at the same time."""
        while self._has_room(parallel) and (task := next(self._tasks, None)) is not None:
            self.calls[submit(task)] = self._drawn, task
            self._drawn += 1

    def _has_room(self, parallel: int) -> bool:
        """Whether one more task may begin: no more than one waits for a worker, and none is far ahead of the oldest one under
        way."""
        oldest = next(iter(self.calls.values()))[0] if self.calls else self._drawn
        return len(self.calls) <= parallel and self._drawn - oldest < 2 * parallel

    def end(self, call: Any) -> Task:
        """Forgets a call that has ended, and returns its task."""
        return self.calls.pop(call)[1]


def worker_lost_issue(hint: str) -> Issue:
    """The issue of a task that is given up, because each worker that took it ended without a result. `hint` says what to try."""
    message = "each worker that scored these rows ended without a result; it may have run out of memory"
    return Issue("worker-lost", Blame.ENVIRONMENT, message, None, hint)


class Crew(Protocol):
    """Workers that are ready."""

    @property
    def parallel(self) -> int:
        """How many tasks run at the same time."""

    def map(
        self, run: Callable[[Task, Stopped], Result], tasks: Iterable[Task], stopped: Stopped = never
    ) -> Iterator[Result | Lost[Task]]:
        """The result of each task, in any order, or that the task was lost with its worker.

        `run` and tasks are pickled where they leave this process. Tasks are drawn only when they can start soon, so that a later task
        may depend on earlier results (see `UnderWay`). When `tasks` ends early, so does the work. A task whose worker was lost is done
        again, and costs nothing else. `run` gets each task with a function that says whether it should end where it can end well:
        `stopped`, or `never` where tasks run on other machines.
        """


class Engine(Settings):
    """Runs one function over many tasks. A plug says where."""

    packages: ClassVar[tuple[str, ...]] = ()
    """What it imports from elsewhere, by the names of the modules."""

    workers: int | None = Field(None, ge=1, strict=True)
    """How many splits are scored at the same time."""

    def check(self, name: str) -> None:
        """Looks, before the first row, whether the engine can be used here: whether its packages are installed.

        `name` is what the suite calls it. Raises Problems (config).
        """
        if not all(find_spec(module) is not None for module in self.packages):
            raise problem(
                "missing-extra",
                f'the engine "{name}" needs a package that is not installed',
                hint=extra_hint(name),
            )

    def addresses(self) -> tuple[str, ...]:
        """Every address in its settings."""
        return tuple(addresses_in(self.model_dump()))

    @property
    def parallel(self) -> int:
        """How many tasks run at the same time."""
        return self.workers or 1

    def crew(self) -> AbstractContextManager[Crew]:
        """The workers, started where they have to be, and stopped in the end."""
        return nullcontext(self)

    def map(
        self, run: Callable[[Task, Stopped], Result], tasks: Iterable[Task], stopped: Stopped = never
    ) -> Iterator[Result | Lost[Task]]:
        """The result of each task, as `Crew` promises it. Every engine implements it, or hands out a crew that does."""
        raise NotImplementedError  # the contract: each engine, or its crew, runs tasks in its own way


ENGINES: Final[Socket[Engine]] = Socket("evaluators.runs.engines.plugs", Engine, "engine")


class NamedEngine(NamedTuple):
    """An engine with its settings, and the name it is known by."""

    name: str
    engine: Engine


def engine_of(named: NamedEngine | None, name: str | None, workers: int | None) -> Engine:
    """The engine that scores splits: the one requested for the run, else the suite's, else this process or as many as requested.

    Settings of the suite count where the run asks for the same engine, or for none. Raises Problems (config) for an engine that
    nobody knows, and for one whose package is not installed.
    """
    if named is not None and name in (None, named.name):
        name, engine = named
        if issues := forbidden_addresses(engine.addresses()):
            raise Problems(map(engine.masked_issue, issues))
    else:
        name = name or ("processes" if workers is not None and workers > 1 else "in_process")
        engine = ENGINES.find(name)()
    if workers is not None:
        engine = engine.model_copy(update={"workers": workers})
    engine.check(name)
    return engine


def read_engine(data: Any, context: Mapping[str, Any]) -> NamedEngine:
    """Reads the section `engine` of a suite: a name, or a name with settings. Raises BadSettings, with the place of each mistake."""
    name, options = word_or_map(data, ENGINES.noun)
    prefix = () if isinstance(data, str) else (name,)
    try:
        return NamedEngine(name, build(ENGINES.find(name), options, noun=f'the engine "{name}"'))
    except BadSettings as error:
        raise BadSettings(detail.under(*prefix) for detail in error.details) from error
    except Problems as error:
        raise BadSettings(
            Detail(prefix, issue.message, issue.hint, bool(prefix), issue.code) for issue in error.issues
        ) from error
