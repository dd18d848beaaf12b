"""Before a run: what is asked for, and a suite and a test set that fit together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict

from evaluators.issues import Blame, Issue, Problems
from evaluators.judges.judge import Judge
from evaluators.judges.session import AskingProgress
from evaluators.needs import ROLES
from evaluators.plan.suite_plan import Plan
from evaluators.run.loaded import LoadedSuite
from evaluators.run.places import placed, placed_role
from evaluators.settings import BadSettings, Loc
from evaluators.testsets.byte_store import scheme_of
from evaluators.testsets.columns import no_such_column
from evaluators.testsets.derived import origin
from evaluators.testsets.reader import knows
from evaluators.testsets.selection import Selection
from evaluators.testsets.test_set import TestSet, open_test_set
from evaluators.testsets.test_set_config import PLACES, TestSetConfig
from evaluators.value_class import dataclass, field, replace
from evaluators.values.addresses import allowed_beginnings

if TYPE_CHECKING:
    from evaluators.testsets.fetched_rows import FetchedRows

Progress = Callable[[int, float | None], None]


@dataclass(frozen=True, slots=True)
class RunRequest:
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


@dataclass(frozen=True, slots=True)
class Prepared:
    """A suite and a test set that fit together."""

    suite: LoadedSuite
    test_set: TestSet
    roles: dict[str, str]
    folder: Path = Path()
    """What the places of the test set are relative to."""

    def variants(self) -> list[tuple[str | None, TestSet]]:
        """Each variant with its rows; one without a name when there are none."""
        names = self.test_set.variants
        return [(name, self.test_set.variant(name)) for name in names] if names else [(None, self.test_set)]

    def plan(self) -> Plan:
        """The compiled steps for these columns."""
        return self.suite.plan(self.roles)


def prepare(suite: LoadedSuite, request: RunRequest) -> Prepared:
    """Opens the test set and settles the columns. Raises Problems with everything that keeps the run from starting."""
    with masked_problems(suite):
        return _prepared(suite, request)


@contextmanager
def masked_problems(suite: LoadedSuite) -> Iterator[None]:
    """Problems that keep a run from starting, without what the environment filled in to the suite."""
    try:
        yield
    except Problems as error:
        raise Problems(map(suite.config.source.filled.masked_issue, error.issues)) from error


def _prepared(suite: LoadedSuite, request: RunRequest) -> Prepared:
    check_judge(suite)
    config, folder = _test_set_config(suite, request)
    if allowed_beginnings() is not None:
        from evaluators.run.suite_addresses import check_addresses  # rarely asked for

        check_addresses(config, (request.test_set, *request.test_set_settings.values()))
    try:
        opened = open_test_set(
            config, folder, needed=suite.needed_roles(), selection=request.selection, results=_results(request),
            given=request.given,
        )  # fmt: skip
    except Problems as error:
        asked = set((request.test_set_settings.get("columns") or {}).values())
        raise Problems(placed_role(issue, suite, asked) for issue in error.issues) from error
    columns = next(iter(opened.variant_sets.values())).columns if opened.variants else opened.columns
    roles: dict[str, str] = {role: column for role in ROLES if (column := columns.of(role)) is not None}
    _check_columns(suite, opened)
    for each in opened.variant_sets.values() if opened.variants else (opened,):
        suite.check_columns(roles, partial(origin, each.table))
    if any(line.settings.learning() is not None for line in suite.lines):
        from evaluators.run.learning import with_inferred_schemas

        suite = with_inferred_schemas(suite, opened, roles)
    return Prepared(suite, opened, roles, folder)


def check_judge(suite: LoadedSuite) -> None:
    """Raises Problems (config), placed where the suite names it, for what keeps any judge of it from answering."""
    issues = [issue for loc, judge in suite.judges.items() for issue in _not_ready(suite, loc, judge)]
    if issues:
        raise Problems(issues)


def _not_ready(suite: LoadedSuite, loc: Loc, judge: Judge) -> list[Issue]:
    """What keeps a judge from answering, placed."""
    try:
        judge.check_addresses()
        judge.ready()
    except Problems as error:
        source = suite.config.source
        place, excerpt = source.place(loc, key=True), source.excerpt(loc, key=True)
        return [
            replace(
                one, where=place, excerpt=excerpt, message=f"{one.where}: {one.message}" if one.where else one.message
            )
            for one in error.issues
        ]
    return []


_ELSEWHERE: Final = {"expected": "expected", "output": "output", "outputs": "output"}
"""Settings of `test_set` that say where a role's cells stand."""
_OF_JSON_LINES: Final = {"format": "jsonl", "encoding": None, "delimiter": None, "sheet": None, "header_row": None}
"""How the file of given rows is read, whatever the suite says of its own."""


def _test_set_config(suite: LoadedSuite, request: RunRequest) -> tuple[TestSetConfig, Path]:
    """The settings of the test set, and the folder that its places are relative to.

    Columns named by the request join those that the suite names; of one role, the request's counts. A file named by the
    request takes the place of the suite's, and of documents that the suite pairs with it. Expected answers
    and outputs that are both named by the request are a test set, and take the place of the suite's file.
    """
    config, changes = suite.test_set, dict(request.test_set_settings)
    elsewhere = {role for name, role in _ELSEWHERE.items() if changes.get(name) is not None}
    if elsewhere == {"expected", "output"} and request.test_set is None:
        changes.setdefault("file", None)
    if changes.get("columns") or elsewhere & config.columns.named().keys():
        kept = {role: name for role, name in config.columns.named().items() if role not in elsewhere}
        changes["columns"] = {**kept, **(changes.get("columns") or {})}
    if request.given is not None:
        changes |= _OF_JSON_LINES
    file = request.given.file if request.given is not None else request.test_set
    if file is not None:
        changes |= {"file": file, "mlflow": None, "phoenix": None, "sql": None, "connection": None}
        for documents in ("output", "outputs", "expected"):
            if isinstance(getattr(config, documents), str) and documents not in changes:
                changes[documents] = None
    if "output" in changes:
        changes.setdefault("outputs", None)
    elif changes.get("outputs") is not None:
        changes["output"] = None
    folder = suite.test_set_folder
    if not changes:
        return config, folder
    moved = any(key in changes for key in PLACES)
    try:
        return (config.moved(folder) if moved else config).but(changes), Path() if moved else folder
    except BadSettings as error:
        raise Problems(Issue(one.code, Blame.CONFIG, one.message, None, one.hint) for one in error.details) from error


def _results(request: RunRequest) -> list[Path]:
    """The folder of the results, where it is on this machine."""
    return [Path(request.results)] if request.results is not None and not scheme_of(str(request.results)) else []


def _check_columns(suite: LoadedSuite, test_set: TestSet) -> None:
    """Every column that the suite names itself must be there."""
    issues = [
        placed(no_such_column(name, test_set.header, test_set.name), name, suite)
        for name in suite.named_columns()
        if not knows(test_set.table, name)
    ]
    if issues:
        raise Problems(issues)
