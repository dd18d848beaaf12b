"""What is asked of a run: its options by name, and its rows, whatever a program gives as rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from evaluators.model.registry import suggestion
from evaluators.runs.observer import Observer, Progress
from evaluators.runs.preparing import Prepared, prepare
from evaluators.scoring.judges.session import AskingProgress
from evaluators.testsets.selection import Selection
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import TestSetConfig

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite
    from evaluators.testsets.fetched_rows import FetchedRows

RowsAsked: TypeAlias = "str | Mapping[str, Any] | FetchedRows | None"
"""A file with rows, relative to the working folder; settings of a test set; rows that a program holds; or the suite's own test set."""


class RunOptions(TypedDict, total=False):
    """What may be asked of a run beside its test set. What is left out, or is None, is as the suite says."""

    test_set_settings: dict[str, Any]
    """Settings of `test_set` that replace the suite's. Places among them are relative to the working folder."""
    workers: int | None
    """How many splits are scored at the same time; what the suite's engine says without it, and then one."""
    engine: str | None
    """The name of an engine, such as `processes`; the suite's without it, and then one that goes by `workers`."""
    selection: Selection
    results: str | Path | None
    """The folder for run folders, or the address of one in a store. None writes nothing."""
    name: str | None
    force: bool
    resume: bool | str
    """Go on with the run of that name, or with the one that `name` names: finished splits are taken as they are. With `name`, a run
    that is finished is given back, and one that was never begun is begun."""
    formats: tuple[str, ...] | None
    evidence: Literal["first", "all"] | int | None
    documents: Literal["auto", "all", "none"] | None
    stopped: Callable[[], bool]
    progress: Progress
    """Told of rows that were finished since the last time and, where it is known, which share of the input is finished."""
    repeat_judge: int
    """How often a judge is asked each question: the first answer counts, and the others say how far it can be relied on."""
    command: tuple[str, ...]
    lowest_fields: int | None
    """How many of the lowest-scoring fields the summary lists."""
    files: tuple[str | Path, ...]
    """Further files, or addresses of such in a store, each written as its extension says."""
    hardest: int
    """How many of the lowest-scoring rows the summary lists."""
    track: tuple[str, ...] | None
    """The trackers that the finished run is sent to, by name, in place of the suite's; `none` is none of them."""
    trace_rows: int | None
    """How many rows trackers send one by one, in place of what they are set to."""
    before_asking: Callable[[Prepared], None] | None
    """Called before the first question of a run that may ask somebody."""
    asked: Callable[[AskingProgress], None] | None
    """Told now and then how far the asking of judges is."""
    before_sending: Callable[[Any], None] | None
    """Called with the finished run before it is sent to its trackers."""
    sending: Callable[[str, int, int], None] | None
    """Told how far the sending has come: to which tracker, and how many of how many rows are there."""
    summary: bool
    """A summary will be shown, so what only it needs is found out, even where nothing is written."""


def observer_of(options: RunOptions) -> Observer:
    """The observer of the run, made of the callbacks among the options."""
    option_values: Mapping[str, Any] = options
    return Observer(
        **{name: asked for name in Observer.__struct_fields__ if (asked := option_values.get(name)) is not None}
    )


def refuse_unknown(options: Mapping[str, Any], function: str, further: tuple[str, ...] = ()) -> None:
    """Raises TypeError for an unknown option, with the nearest known one."""
    known = (*further, *RunOptions.__annotations__)
    for name in options:
        if name not in known:
            hint = suggestion(name, known) or f"known: {', '.join(known)}"
            raise TypeError(f'{function}() has no argument "{name}"; {hint}')


def rows_asked(rows: Any) -> RowsAsked:
    """The rows that a program gives, in a form that a run takes: the name of a file, settings of a test set, rows in memory, or None.

    Raises Problems for what is none of these.
    """
    if rows is None or isinstance(rows, str | Path):
        return None if rows is None else str(rows)
    if isinstance(rows, TestSet):
        rows = rows.config.model_dump(exclude_unset=True)
    if isinstance(rows, Mapping) and is_test_set(rows):
        return rows
    from evaluators.testsets.given_rows import write_given_rows  # a run over a file starts sooner

    return write_given_rows(rows)


def is_test_set(rows: Mapping[Any, Any]) -> bool:
    """Whether a map says where rows are, as `test_set` of a suite does. Otherwise it is columns: lists of cells."""
    places = any(isinstance(rows.get(name), str | Mapping) for name in ("file", "expected", "mlflow", "phoenix", "sql"))
    return places and rows.keys() <= TestSetConfig.model_fields.keys()


def prepare_rows(suite: LoadedSuite, rows: RowsAsked, options: RunOptions) -> Prepared:
    """The suite and the rows that are asked for, ready to run. `rows` are a file, settings of a test set, or rows of a program;
    None takes the suite's own. Raises Problems with everything that keeps the run from starting."""
    settings = options.get("test_set_settings") or {}
    file = rows_in_memory = None
    if isinstance(rows, Mapping):
        settings = {**rows, **settings}
    elif isinstance(rows, str):
        file = rows
    else:
        rows_in_memory = rows
    return prepare(suite, file, settings, options.get("selection"), options.get("results"), rows_in_memory)
