"""What a run is asked to do, and the same as options of a program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from msgspec import Struct, field

from evaluators.judges.session import AskingProgress
from evaluators.run.preparing import Prepared, prepare
from evaluators.run.runner import Progress
from evaluators.testsets.selection import Selection

if TYPE_CHECKING:
    from evaluators.api.suite import Suite
    from evaluators.testsets.fetched_rows import FetchedRows


class RunRequest(Struct, frozen=True):
    """What a run is asked to do, beside what the suite says."""

    test_set: str | None = None
    """A file with rows, relative to the working folder; the suite's own test set without it."""
    test_set_settings: dict[str, Any] = field(default_factory=dict)
    """Settings of `test_set` that replace the suite's. Places among them are relative to the working folder."""
    workers: int | None = None
    """How many splits are scored at the same time; what the suite's engine says without it, and then one."""
    engine: str | None = None
    """The name of an engine, such as `processes`; the suite's without it, and then one that goes by `workers`."""
    selection: Selection = field(default_factory=Selection)
    results: str | Path | None = None
    """The folder for run folders, or the address of one in a store. None writes nothing."""
    name: str | None = None
    force: bool = False
    resume: bool | str = False
    """Go on with the run of that name, or with the one that `name` names: finished splits are taken as they are. With `name`, a run
    that is finished is given back, and one that was never begun is begun."""
    formats: tuple[str, ...] | None = None
    rows: Literal["auto", "jsonl", "parquet"] | None = None
    evidence: Literal["first", "all"] | int | None = None
    documents: Literal["auto", "all", "none"] | None = None
    stopped: Callable[[], bool] = lambda: False
    progress: Progress = lambda rows, share: None
    """Told of rows that were finished since the last time and, where it is known, which share of the input is finished."""
    repeat_judge: int = 1
    """How often a judge is asked each question: the first answer counts, and the others say how far it can be relied on."""
    command: tuple[str, ...] = ()
    lowest_fields: int | None = None
    """How many of the lowest-scoring fields the summary lists; what the suite says without it."""
    files: tuple[Path, ...] = ()
    """Further files, each written as its extension says."""
    stored_files: tuple[str, ...] = ()
    """The same for files that go to a store: their addresses."""
    parts: str | None = None
    """Where workers on other machines leave what they have scored, when `results` is a store; the run folder without it."""
    hardest: int = 0
    """How many of the lowest-scoring rows the summary lists."""
    track: tuple[str, ...] | None = None
    """The trackers that the finished run is sent to, by name, in place of the suite's; `none` is none of them."""
    trace_rows: int | None = None
    """How many rows trackers send one by one, in place of what they are set to."""
    before_asking: Callable[[Prepared], None] | None = None
    """Called before the first question of a run that may ask somebody."""
    asked: Callable[[AskingProgress], None] | None = None
    """Told now and then how far the asking of judges is."""
    before_sending: Callable[[Any], None] | None = None
    """Called with the finished run before it is sent to its trackers."""
    sending: Callable[[str, int, int], None] = lambda tracker, done, total: None
    """Told how far the sending has come: to which tracker, and how many of how many rows are there."""
    summary: bool = False
    """A summary will be shown, so what only it needs is found out, even where nothing is written."""
    given: FetchedRows | None = None
    """Rows that a program holds, in place of a file."""
    looked_at: bool = False
    """A program will look at rows and reasons: where no run folder is asked for, one stays until the program lets the run go."""


class RunOptions(TypedDict, total=False):
    """What a program may ask of a run beside its test set, by name: the fields of `RunRequest`."""

    test_set_settings: dict[str, Any]
    workers: int | None
    engine: str | None
    selection: Selection
    results: str | Path | None
    name: str | None
    force: bool
    resume: bool | str
    formats: tuple[str, ...] | None
    rows: Literal["auto", "jsonl", "parquet"] | None
    evidence: Literal["first", "all"] | int | None
    documents: Literal["all", "wrong", "none"] | None
    stopped: Callable[[], bool]
    progress: Progress
    repeat_judge: int
    command: tuple[str, ...]
    lowest_fields: int | None
    files: tuple[Path, ...]
    stored_files: tuple[str, ...]
    parts: str | None
    hardest: int
    track: tuple[str, ...] | None
    trace_rows: int | None
    before_asking: Callable[[Prepared], None] | None
    asked: Callable[[AskingProgress], None] | None
    before_sending: Callable[[Any], None] | None
    sending: Callable[[str, int, int], None]
    summary: bool


def prepared_for(suite: Suite, request: RunRequest) -> Prepared:
    """The suite and the test set that are asked for. Raises Problems with everything that keeps the run from starting."""
    return prepare(suite, request.test_set, request.test_set_settings, request.selection, request.results, request.given)
