"""Before a run: a suite and a test set that fit together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems, problem
from evaluators.model.settings import BadSettings, Loc
from evaluators.runs.confidence_steps import confidence_paths
from evaluators.runs.places import place_column_issue, place_file_issue, place_role_issue
from evaluators.scoring.evaluators._scored_fields import NO_FIELDS
from evaluators.scoring.judges.judge import Judge
from evaluators.scoring.needs import ROLES, Cell
from evaluators.scoring.plan.suite_plan import Plan
from evaluators.scoring.values.addresses import addresses_in, allowed_beginnings, forbidden_addresses, shown_address
from evaluators.scoring.values.files import note_listing
from evaluators.testsets.byte_store import scheme_of
from evaluators.testsets.columns import Columns, no_such_column
from evaluators.testsets.derived import knows, origin
from evaluators.testsets.documents import options_of
from evaluators.testsets.fetched_rows import FetchedRows
from evaluators.testsets.memory_rows import memory_rows
from evaluators.testsets.opening import open_test_set
from evaluators.testsets.reader import OPTIONS
from evaluators.testsets.selection import Selection
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import PLACES, TestSetConfig

if TYPE_CHECKING:
    from evaluators.runs.gates import Gate
    from evaluators.runs.loaded_suite import LoadedSuite


class Prepared(Struct, frozen=True):
    """A suite and a test set that fit together."""

    suite: LoadedSuite
    test_set: TestSet
    roles: dict[str, str]
    folder: Path = Path()
    """What the places of the test set are relative to."""
    selection: Selection = field(default_factory=Selection)
    """The rows of it that are meant."""

    def variants(self) -> list[tuple[str | None, TestSet]]:
        """Each variant with its rows; one without a name when there are none."""
        names = self.test_set.variants
        return [(name, self.test_set.variant(name)) for name in names] if names else [(None, self.test_set)]

    def plan(self) -> Plan:
        """The compiled steps for these columns."""
        return self.suite.plan(self.roles)


def prepared_rows(
    suite: LoadedSuite, name: str, columns: Mapping[str, Sequence[Cell]], roles: dict[str, str], ids: str | None
) -> Prepared:
    """A suite prepared to run over rows in memory; `columns` are their columns, and `roles` the roles of these. `name` is what
    messages call the rows, `ids` the column in which their ids are."""
    return Prepared(suite, TestSet(name, memory_rows(columns), Columns(id=ids), TestSetConfig()), roles)


def prepare(
    suite: LoadedSuite,
    test_set: str | None = None,
    settings: Mapping[str, Any] = MappingProxyType({}),
    selection: Selection | None = None,
    results: str | Path | None = None,
    fetched: FetchedRows | None = None,
) -> Prepared:
    """Opens the test set, finds the columns of roles, and returns both with the suite. Raises Problems with everything that keeps the run
    from starting.

    `test_set` is a file in place of the suite's test set, `settings` replace those of the suite, `results` is where run folders go, which
    are no rows, and `fetched` are rows that a program holds, in place of a file.
    """
    with masked_problems(suite):
        check_judge(suite)
        config, folder = _test_set_config(suite, test_set, dict(settings), fetched)
        if allowed_beginnings() is not None:
            check_addresses(config, (test_set, *settings.values()))
        selection, needed = selection or Selection(), suite.needed_roles()
        here = local_results_folders(suite, results)
        try:
            opened = open_test_set(config, folder, needed=needed, selection=selection, results=here, given=fetched)
        except Problems as error:
            named_columns = set((settings.get("columns") or {}).values())
            issues = [place_role_issue(issue, suite, named_columns) for issue in error.issues]
            named_here = test_set is None and fetched is None
            raise Problems(place_file_issue(issue, suite) if named_here else issue for issue in issues) from error
        note_listing(lambda: (source.local or source.path for source in opened.files))
        return _check_and_pair(suite, opened, folder, selection)


def local_results_folders(suite: LoadedSuite, results: str | Path | None) -> list[Path]:
    """The local folders of a suite's runs: the requested one, and the one that the suite names."""
    return [
        Path(folder) for folder in (results, suite.results_folder) if folder is not None and not scheme_of(str(folder))
    ]


@contextmanager
def masked_problems(suite: LoadedSuite) -> Iterator[None]:
    """Raises the Problems of the block anew, with masks in place of the values that the environment filled in to the suite."""
    try:
        yield
    except Problems as error:
        raise Problems(map(suite.config.source.filled.masked_issue, error.issues)) from error


def _check_and_pair(suite: LoadedSuite, opened: TestSet, folder: Path, selection: Selection) -> Prepared:
    """The suite and an open test set as Prepared, with the schemas that evaluators infer from it. Raises Problems where columns that the
    suite names are not there, or outputs and expected answers are one column."""
    columns = next(iter(opened.variant_sets.values())).columns if opened.variants else opened.columns
    roles: dict[str, str] = {role: column for role in ROLES if (column := columns.of(role)) is not None}
    _check_columns(suite, opened)
    for each in opened.variant_sets.values() if opened.variants else (opened,):
        suite.check_columns(roles, partial(origin, each.table))
    if any(line.settings.schema_inference() is not None for line in suite.lines):
        from evaluators.runs.schema_inference import with_inferred_schemas

        suite = with_inferred_schemas(suite, opened, roles)
    return Prepared(suite, opened, roles, folder, selection)


def check_judge(suite: LoadedSuite) -> None:
    """Raises Problems (config), placed where the suite names it, for what keeps any judge of it from answering."""
    with masked_problems(suite):
        issues = [issue for loc, judge in suite.judges.items() for issue in _judge_issues(suite, loc, judge)]
        if issues:
            raise Problems(issues)
        files = [file for judge in suite.judges.values() if (file := judge.price_file()) is not None]
        if not files:
            return
        from evaluators.scoring.judges.prices import read_prices  # a suite without prices starts sooner

        currencies = sorted({read_prices(file).currency for file in files})
        if len(currencies) > 1:
            message = f"the prices of the judges are in different currencies: {', '.join(currencies)}"
            raise problem(
                "several-currencies", message, where=suite.place("judge"), hint="write all prices in one currency"
            )


def _judge_issues(suite: LoadedSuite, loc: Loc, judge: Judge) -> list[Issue]:
    """The issues that keep a judge from answering, placed."""
    try:
        judge.check_addresses()
        judge.ready()
    except Problems as error:
        source = suite.config.source
        place, excerpt = source.place(loc, key=True), source.excerpt(loc, key=True)
        return [
            replace(
                issue,
                where=place,
                excerpt=excerpt,
                message=f"{issue.where}: {issue.message}" if issue.where else issue.message,
            )
            for issue in error.issues
        ]
    return []


_ELSEWHERE: Final = {"expected": "expected", "output": "output", "outputs": "output"}
"""Settings of `test_set` that say where a role's cells stand."""
_OF_JSON_LINES: Final = {
    "format": "jsonl", "encoding": None, "delimiter": None, "sheet": None, "header_row": None, "list": None,
}  # fmt: skip
"""How the file of given rows is read, whatever the suite says of its own."""


def _test_set_config(
    suite: LoadedSuite, test_set: str | None, changes: dict[str, Any], fetched: FetchedRows | None
) -> tuple[TestSetConfig, Path]:
    """The settings of the test set, and the folder that its places are relative to.

    Columns that `changes` name join those that the suite names; of one role, theirs count. A file `test_set` takes the
    place of the suite's, and of documents that the suite pairs with it; how the suite's is read counts where it can be read so.
    Expected answers and outputs that `changes` both name are a test set, and take the place of the suite's file.
    """
    config = suite.test_set
    elsewhere = {role for name, role in _ELSEWHERE.items() if changes.get(name) is not None}
    if elsewhere == {"expected", "output"} and test_set is None:
        changes.setdefault("file", None)
    if test_set is not None and fetched is None:
        options = [option for option in OPTIONS if getattr(config, option) is not None]
        known = options_of(test_set, changes.get("format") or config.format) if options else ()
        changes = {**{option: None for option in options if option not in known}, **changes}
    if changes.get("columns") or elsewhere & config.columns.named().keys():
        own_roles = {role: name for role, name in config.columns.named().items() if role not in elsewhere}
        changes["columns"] = {**own_roles, **(changes.get("columns") or {})}
    if fetched is not None:
        changes |= _OF_JSON_LINES
    file = fetched.file if fetched is not None else test_set
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
        return (config.resolved_from(folder) if moved else config).but(changes), Path() if moved else folder
    except BadSettings as error:
        raise Problems(
            Issue(detail.code, Blame.CONFIG, detail.message, None, detail.hint) for detail in error.details
        ) from error


def _check_columns(suite: LoadedSuite, test_set: TestSet) -> None:
    """Raises Problems, placed in the suite, for columns that it names itself and the test set does not have."""
    issues = [
        place_column_issue(no_such_column(name, test_set.header, test_set.name), name, suite)
        for name in suite.named_columns()
        if not knows(test_set.table, name)
    ]
    if issues:
        raise Problems(issues)


def check_addresses(config: TestSetConfig, allowed: Iterable[object]) -> None:
    """Raises Problems (config) for addresses in the settings of a test set that a suite may not name.

    `allowed` are the places of the command line.
    """
    settings, allowed = config.model_dump(), set(map(str, allowed))
    words = "name it on the command line: evaluators run SUITE"
    issues = [
        issue
        for name in (*PLACES, "mlflow", "phoenix", "connection")
        for issue in forbidden_addresses(addresses_in(settings[name]), allowed, f"{words} {_place_text(settings[name])}")
    ]
    if issues:
        raise Problems(issues)


def check_results(path: str) -> None:
    """Raises Problems (config) where a suite names an address for its results, and that is not allowed."""
    hint = f"name it on the command line: --results {shown_address(path)}"
    if issues := forbidden_addresses(addresses_in(path), hint=hint):
        raise Problems(issues)


def _place_text(place: object) -> str:
    return shown_address(place) if isinstance(place, str) else "ADDRESS"


def _has_confidence(suite: LoadedSuite, gate: Gate) -> bool:
    """Whether the suite says how sure the model was of what a gate is about."""
    if gate.target.field is None:
        return suite.confidence.column is not None
    line = next((line for line in suite.lines if line.name == gate.target.evaluator), None)
    return line is not None and gate.target.field in confidence_paths(line)


def check_gate_targets(suite: LoadedSuite, variants: Sequence[str] | None = None) -> None:
    """Raises Problems with every gate that is about something that the suite does not have.

    `variants` are those of the test set; None where it has not been looked at, and then any name will do.
    """
    if not suite.gates:
        return
    from evaluators.runs.gate_targets import check_gate  # a suite without gates starts sooner

    known = [gate.config.variant or "" for gate in suite.gates] if variants is None else variants
    scored = {line.name: line.settings.scored_fields() for line in suite.lines}
    labels = {line.name: rule.labels for line in suite.lines if (rule := line.settings.label_rule()) is not None}
    source, issues = suite.config.source, []
    for gate in {(gate.key, gate.target.evaluator, id(gate.config)): gate for gate in suite.gates}.values():
        loc = ("gates", gate.key)
        at = replace(gate, written=gate.key, where=source.place(loc, key=True))
        fields = scored.get(gate.target.evaluator, NO_FIELDS)
        gate_issues = check_gate(
            at, fields, suite.config.slices, known, labels, suite.repeats is not None, _has_confidence(suite, gate)
        )
        issues += [replace(issue, excerpt=source.excerpt(loc, key=True)) for issue in gate_issues]
    if issues:
        raise Problems(issues)
