"""What the command `check` finds: in the suite alone, and in the rows of a test set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.api.execute import finish
from evaluators.api.suite import Suite
from evaluators.api.trackers import NOWHERE, choose_trackers
from evaluators.guide.field_warnings import field_warnings, label_warnings
from evaluators.model.issues import Blame, Issue, Problems
from evaluators.reports.conclusions import GAPS
from evaluators.reports.data_warnings import NO_JSON
from evaluators.reports.display import visible
from evaluators.reports.doubtful_values import IN_DOUBT, doubts_listed
from evaluators.reports.suite_page import settings_as_written
from evaluators.runs.empty_answers import empty_answer_note
from evaluators.runs.engines.engine import engine_of
from evaluators.runs.exit_code import Facts, exit_code
from evaluators.runs.gates import written_gates
from evaluators.runs.metrics import count_text, full_name, rows_text
from evaluators.runs.places import loc_in_test_set
from evaluators.runs.preparing import Prepared, check_gate_targets, check_results, masked_problems, prepare
from evaluators.runs.result import RunResult
from evaluators.scoring.fields.named_comparators import with_space_after_colon
from evaluators.testsets.byte_store import LocalFiles, scheme_of, store_of
from evaluators.testsets.derived import columns_read
from evaluators.testsets.reader import all_chunks as read_whole
from evaluators.testsets.selection import Selection
from evaluators.testsets.test_set_checks import absent_places, answer_warnings, is_here, unused_columns

LOOKED_AT: Final = 200
"""The rows that are tried unless all are asked for."""
_HERE: Final = "in_process"
"""The engine that every machine has."""


class DataCheck(Struct, frozen=True):
    """The findings in the rows of a test set. `partial` says that there may be more rows."""

    result: RunResult
    partial: bool
    notes: tuple[str, ...]
    oddities: tuple[Issue, ...] = ()
    """What keeps nothing from being measured, such as a key that is given twice."""

    @property
    def problems(self) -> tuple[Issue, ...]:
        """The problems that a run of all rows would count: those of rows that cannot be measured, that there are no rows, and, where all
        rows were looked at, the warnings about fields or evaluators that nothing measures."""
        result = self.result
        if not result.rows:
            none = Issue("no-rows", Blame.TESTSET, "there are no rows, so nothing can be measured", result.test_set)
            return (*result.issues, none)
        gaps = () if self.partial else (warning for warning in result.warnings if warning.code in GAPS)
        return (*result.issues, *gaps)

    @property
    def warnings(self) -> tuple[Issue, ...]:
        """The warnings, which change no exit code: those of the result that are not among `problems`, and the oddities."""
        listed = {IN_DOUBT, *(() if self.partial else GAPS)}
        unlisted = (issue for issue in self.result.warnings if issue.code not in listed)
        return (*unlisted, *self.oddities)

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 3 when the test set is at fault, 70 for a bug, 0 otherwise."""
        return exit_code(Facts(issues=self.problems))


def check_gates(suite: Suite) -> None:
    """Raises Problems (config) for gates about fields, slices or variants that the suite does not have."""
    outputs = suite.test_set.outputs
    check_gate_targets(suite, tuple(outputs) if isinstance(outputs, dict) else None)


def check_destinations(suite: Suite) -> list[Issue]:
    """A warning for each package that the engine or a tracker of the suite needs and that is not installed: the suite is right, and may
    run elsewhere. Raises Problems (config) for anything else in them, and in a store for results, that a run would refuse."""
    with masked_problems(suite):
        absent = _absent_engine(suite)
        for tracker in suite.tracking:
            try:
                choose_trackers([tracker.name], suite.tracking, None)
            except Problems as error:
                absent += _only_absent(error, f"without it: `evaluators run … --track {NOWHERE}`")
        if scheme_of(suite.results.folder) is not None:
            check_results(suite.results.folder)
            store = store_of(suite.results.folder)
            if not isinstance(store, LocalFiles):
                store.files()
    return absent


def _absent_engine(suite: Suite) -> list[Issue]:
    """The problem that the package of the suite's engine is not installed; empty where it is. Raises any other problem of the engine."""
    try:
        engine_of(suite.engine, None, None)
    except Problems as error:
        return _only_absent(error, f"without it: `evaluators run … --engine {_HERE}`")
    return []


def _only_absent(error: Problems, without: str) -> list[Issue]:
    """The issues of an error that are all about packages that are not installed, each with the hint `without`, which says how a run does
    without the package. Raises the error where it has any other issue."""
    if any(issue.code != "missing-extra" for issue in error.issues):
        raise error
    return [replace(issue, hint=f"{issue.hint}; {without}") for issue in error.issues]


def check_columns(suite: Suite) -> None:
    """Raises Problems where the suite itself names one column as the output and as the expected answer."""
    config = suite.test_set
    elsewhere = {"output": config.output or config.outputs, "expected": config.expected}
    suite.check_columns({role: name for role, name in config.columns.named().items() if not elsewhere.get(role)})


def suite_words(suite: Suite, alone: bool, warnings: Iterable[Issue] = ()) -> str:
    """The text of `check` about the suite itself: that it has no problems, how many evaluators and gates it has, its notes and its
    warnings. `alone` says that no rows are looked at."""
    well = "no problems" if alone else "the suite itself has no problems"
    parts = f"{count_text(len(suite.lines), 'evaluator')}, {count_text(len(written_gates(suite.gates)), 'gate')}"
    head = f"{suite.config.source.name}: {well}; {parts}"
    warning_lines = (f"warning: {warning}" for warning in (*warnings, *_uncompared_fields(suite)))
    return _visible_lines([head, *(f"note: {note}" for note in suite.notes), *warning_lines])


def _uncompared_fields(suite: Suite) -> Iterator[Issue]:
    """A warning for each field with nothing written behind it: it is compared exactly, and perhaps something was forgotten."""
    source = suite.config.source
    for line in suite.lines:
        written = settings_as_written(suite.config, line).get("fields")
        for path, body in written.items() if isinstance(written, Mapping) else ():
            if body is None:
                message = f'how is "{path}" compared? nothing is written behind it, so it is compared exactly'
                spaced = with_space_after_colon(str(path))
                hint = spaced and f"a space is missing after the colon: write {spaced}"
                hint = hint or f"write {path}: exact, or how else it is compared; {path}: skip leaves it out"
                where = source.place((*line.loc, "fields", path), key=True)
                yield Issue("nothing-behind", Blame.CONFIG, message, where, hint)


def check_data(suite: Suite, test_set: str | None, whole: bool, settings: Mapping[str, Any]) -> DataCheck:
    """The problems that show when the first rows are scored, or all rows where `whole` is set. Nothing is written.

    `test_set` is a file in place of the suite's; `settings` are those of `test_set` that replace the suite's.

    Raises Problems when the test set cannot be opened or lacks a column.
    """
    selection = Selection() if whole else Selection(limit=LOOKED_AT)
    engine = _HERE if _absent_engine(suite) else None
    result = finish(suite, test_set, selection=selection, test_set_settings=dict(settings), engine=engine).result
    sentences = (*suite.notes, selection.sentence())
    prepared = prepare(suite, test_set, settings, selection)
    notes = [note for note in result.notes if note not in sentences]
    looked_at = suite, prepared.test_set, prepared.roles, None if whole else LOOKED_AT
    unused = unused_columns(prepared.test_set.own_header, _used_columns(prepared))
    return DataCheck(
        result,
        not whole and result.rows >= LOOKED_AT,
        (
            *notes,
            *filter(None, (unused, empty_answer_note(suite.lines, prepared.roles, _rows(prepared)))),
        ),
        (
            *_answer_warnings(prepared),
            *_doubtful_values(prepared),
            *label_warnings(*looked_at),
            *field_warnings(*looked_at),
        ),
    )


def _rows(prepared: Prepared) -> Iterator[Mapping[str, Any]]:
    """The cells of each row of the first variant that was looked at."""
    table, header = prepared.variants()[0][1], prepared.plan().columns
    for chunk in read_whole(table, header):
        for row in zip(*(chunk.columns[name] for name in header), strict=True):
            yield dict(zip(header, row, strict=True))


def _used_columns(prepared: Prepared) -> set[str]:
    """The columns that something reads: they play a role, the suite names them, or others are made of them."""
    read = {column for _, table in prepared.variants() for column in columns_read(table.table)}
    return {*prepared.roles.values(), *prepared.plan().columns, *prepared.suite.named_columns(), *read}


def _answer_warnings(prepared: Prepared) -> tuple[Issue, ...]:
    """Keys that are given twice in expected cells, and answers that contradict each other."""
    column, input_column = prepared.roles.get("expected"), prepared.roles.get("input")
    if column is None or "expected" not in prepared.suite.needed_roles():
        return ()
    return tuple(answer_warnings(prepared.test_set, column, input_column))


def _doubtful_values(prepared: Prepared) -> list[Issue]:
    """The warnings about expected values that may be read in two ways."""
    return doubts_listed(prepared.suite.lines, prepared.roles, prepared.variants()[0][1])


def has_data(suite: Suite) -> bool:
    """Whether the test set that the suite names can be looked at unasked: it is on this machine, and no judge is asked."""
    return not suite.judges and is_here(suite.test_set, suite.test_set_folder)


def absence_words(suite: Suite) -> str:
    """Warnings about files of the test set that do not exist: the command line may name others."""
    lines = []
    for loc, issue in absent_places(suite.test_set, suite.test_set_folder):
        placed = replace(issue, where=suite.place(*loc_in_test_set(suite, loc)))
        lines += [f"warning: {placed}", "  `evaluators run` needs it, unless the command line names another test set"]
    return _visible_lines([*lines, "Not looked at: rows, columns, and whether the fields are in them."] if lines else [])


def data_words(check: DataCheck, suite: Suite) -> str:
    """The text of a data check: which rows were looked at, the columns, notes, unreadable outputs, warnings, and how many more problems of
    a kind there are."""
    result = check.result
    rows = rows_text(result.rows)
    looked_at = f"the first {rows}; --all looks at every row" if check.partial else f"all {rows}"
    return _visible_lines(
        [
            f"{result.test_set}: looked at {looked_at}",
            f"columns: {', '.join(f'{role} = {column}' for role, column in result.columns.items())}",
            *(f"note: {note}" for note in check.notes),
            *_unreadable_notes(result, suite),
            *(f"warning: {issue}" for issue in check.warnings),
            *_hidden_problem_counts(result),
            *([] if check.problems or _without_json(result) else ["The suite fits the test set."]),
        ]
    )


def _unreadable_notes(result: RunResult, suite: Suite) -> Iterable[str]:
    """A note for each evaluator that scores rows 0 because their outputs hold no usable JSON. Evaluators about which there is a problem
    of this already are left out."""
    places = {line.name: line.settings.output_at or line.settings.at for line in suite.lines}
    columns = [issue.message.split('"')[1] for issue in _without_json(result)]
    for stats in result.evaluators:
        if stats.unreadable and full_name(stats) not in columns:
            has, it_scores = ("has", "it scores") if stats.unreadable == 1 else ("have", "they score")
            place = f', or nothing at "{at}"' if (at := places[stats.name]) else ""
            lost = f"{has} an output that holds no usable JSON{place}"
            yield f"note: {full_name(stats)}: {rows_text(stats.unreadable)} {lost}: {it_scores} 0"


def _without_json(result: RunResult) -> list[Issue]:
    """The warnings about evaluators for which no output holds JSON."""
    return [issue for issue in result.warnings if issue.code == NO_JSON]


def _hidden_problem_counts(result: RunResult) -> Iterable[str]:
    """A line for each kind of problem of which there are more than are shown, with how many there are."""
    for code, count in result.issue_counts.items():
        shown = [issue for issue in result.issues if issue.code == code]
        if count > len(shown) > 0:
            yield f"warning: {count:,} problems of this kind, {len(shown)} of them are shown below, such as: {shown[0].message}"


def _visible_lines(lines: Iterable[str]) -> str:
    """The lines as one text, each with a line break, and with control characters made visible."""
    return "".join(f"{visible(part)}\n" for line in lines for part in line.splitlines())
