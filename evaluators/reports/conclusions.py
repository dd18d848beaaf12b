"""From what was measured to the result of a run: metrics, gates, gaps in coverage, warnings, exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from evaluators.model.issues import Issue, shorten_issue
from evaluators.model.rows import __version__
from evaluators.reports.coverage import gaps, schema_gaps
from evaluators.reports.data_warnings import (
    confidence_gaps,
    id_warnings,
    key_warnings,
    measure_gaps,
    measure_notes,
    near_warnings,
    null_warnings,
    repeat_gaps,
    unlisted_labels,
    unreadable_cells,
    unreadable_measures,
    unreadable_outputs,
)
from evaluators.reports.doubtful_values import doubt_warnings
from evaluators.reports.kinds_read import UNUSED, unused_comparators
from evaluators.runs.confidence import confidence_stats
from evaluators.runs.exact_sums import plus
from evaluators.runs.exit_code import Facts, causes, exit_code
from evaluators.runs.figures import Measured
from evaluators.runs.labels import LabelPairs, label_tables
from evaluators.runs.places import line_places
from evaluators.runs.preparing import Prepared
from evaluators.runs.repeats import repeat_stats
from evaluators.runs.result import (
    ConfidenceStats,
    ConfusionMatrix,
    EvaluatorStats,
    GateResult,
    NumericColumnStats,
    RepeatStats,
    RunResult,
)
from evaluators.runs.settings_fingerprint import meaning_of
from evaluators.runs.split_result import SplitResult
from evaluators.runs.stats import all_stats, measure_stats_of, slice_stats
from evaluators.runs.unchanged import CUT_CODES
from evaluators.scoring.judges.answer_lines import JudgeTotals
from evaluators.scoring.needs import Output, column_of
from evaluators.scoring.values.path_text import ANY, display
from evaluators.scoring.values.quoting import flow_text
from evaluators.testsets.selection import issue_of_no_rows, warnings_of_near_cells

if TYPE_CHECKING:
    from evaluators.runs.loaded_suite import LoadedSuite

MOST_SAID: Final = 50
"""Fields of an inferred schema that are printed."""
GAPS: Final = frozenset({
    "evaluator-measured-nothing", "field-measured-nothing", "key-found-nowhere", "path-found-nowhere", UNUSED,
    "measure-measured-nothing", "repeats-measured-nothing", "confidence-measured-nothing",
})  # fmt: skip
"""The codes of what a run of all rows counts as a problem, and a run of some of them as a warning."""
_OF_A_PART: Final = "the run ended before its last row, and a part of the rows is no verdict"


def finish_run(
    prepared: Prepared,
    measured: Sequence[tuple[str | None, Measured]],
    fingerprint: str,
    changed: Sequence[Issue] = (),
) -> RunResult:
    """The result of a run: metrics, gates, gaps in coverage, warnings, exit code and its causes.

    `measured` has the name of each variant, None without variants, and what was measured of it. `changed` are the issues of files that
    changed while the run read them; `fingerprint` is that of the test set.
    """
    suite, test_set, lines = prepared.suite, prepared.test_set, prepared.suite.lines
    every, cluster = [sums for _, (sums, _) in measured], suite.cluster_of(prepared.roles)
    variants = [(each.sums, all_stats(lines, each, name)) for name, each in measured]
    stats = [evaluator for _, of_variant in variants for evaluator in of_variant]
    figures = [(name, each.figures) for name, each in measured]
    slices = [metrics for name, each in figures for metrics in slice_stats(lines, each, name)]
    measures = measure_stats_of(suite.measures, measured)
    tables = [table for name, each in figures for table in label_tables(lines, each.labels, name)]
    repeats = [repeat for name, each in figures for repeat in repeat_stats(lines, each.repeats, suite.repeats, name)]
    confidence = [
        item
        for name, each in figures
        for item in confidence_stats(lines, each.confidence, suite.confidence, name, cluster is not None)
    ]
    finished = all(each.finished for each in every)
    gates = _gate_results(suite, stats, slices, measures, tables, repeats, confidence)
    if not finished:
        gates = tuple(replace(gate, verdict="undecided", message=_OF_A_PART) for gate in gates)
    troubles = (*changed, *dict.fromkeys(each.trouble for each in every if each.trouble is not None))
    missed = [
        *gaps(lines, variants, suite, complete=finished),
        *measure_gaps(measures),
        *repeat_gaps(repeats),
        *confidence_gaps(confidence),
    ]
    unused: list[Issue] = []
    if finished:
        first = every[0].first_rows.expected_documents()
        unused = unused_comparators(lines, prepared.roles, prepared.variants()[0][1], first, suite)
    missed += [issue for issue in unused if issue.code == UNUSED]
    # of a part of the rows, gaps are worth a warning and no more
    warned, held = (missed, []) if prepared.selection or not finished else ([], missed)
    unselected = issue_of_no_rows(test_set.table, test_set.name) if finished and not every[0].rows else None
    nearly = [*warnings_of_near_cells(test_set.table, test_set.name)] if finished and every[0].rows else []
    of_table = [*test_set.issues, *([] if unselected is None else [unselected])]
    issues = [*of_table, *(issue for each in every for _, issue in each.issues)]
    if changed:
        issues = [issue for issue in issues if issue.code not in CUT_CODES]
    counts: Counter[str] = Counter()
    for each in every:
        counts.update(each.issue_counts)
    issues += unreadable_cells(measures, test_set.name, counts)
    unlisted = _unlisted_labels(prepared, [each.labels for _, each in figures], counts)
    facts = Facts(
        tuple(stats),
        gates if finished else (),
        (*(troubles if finished else ()), *of_table, *unreadable_measures(measures), *unlisted, *held),
        () if finished else troubles,
        interrupted=not finished and len(troubles) == len(changed),
    )
    places = line_places(suite)
    warnings = [
        *test_set.warnings,
        *id_warnings(figures[0][1].repeated_ids, test_set.name, suite.repeats),  # variants have the ids of one test set
        *dict.fromkeys(issue for _, of_variant in variants for issue in schema_gaps(lines, of_variant, places)),
        *key_warnings(lines, stats, missed, suite),
        *null_warnings(lines, variants, suite),
        *near_warnings(lines, variants, suite),
        *unreadable_outputs(prepared, stats),
        *nearly,
        *(doubt_warnings(lines, prepared.roles, prepared.variants()[0][1], suite) if finished else ()),
        *warned,
        *(issue for issue in unused if issue.code != UNUSED),
    ]
    judged = (deepcopy(each.judged) for each in every)  # a sum may keep parts of what is added
    return RunResult(
        name=suite.name,
        suite_fingerprint=suite.fingerprint,
        data_fingerprint=fingerprint,
        version=__version__,
        test_set=test_set.name,
        rows=every[0].rows,
        columns=prepared.roles,
        evaluators=tuple(stats),
        slices=tuple(slices),
        gates=gates,
        notes=(*_notes(prepared, every), *measure_notes(suite.measures, measures)),
        warnings=tuple(map(shorten_issue, warnings)),
        issues=tuple(map(shorten_issue, (*troubles, *issues, *unlisted, *held))),
        issue_counts=dict(sorted(counts.items())),
        complete=finished,
        exit_code=exit_code(facts),
        causes=causes(facts),
        variants=test_set.variants,
        without_output={name or "": each.sums.without_output for name, each in measured if each.sums.without_output},
        meaning=meaning_of(suite),
        cluster=cluster,
        judges=reduce(plus, judged, JudgeTotals()).by_model(),
        measures=tuple(measures),
        confusion_matrices=tuple(tables),
        repeats=tuple(repeats),
        confidence=tuple(confidence),
    )


def _gate_results(
    suite: LoadedSuite,
    stats: Sequence[EvaluatorStats],
    slices: Sequence[EvaluatorStats],
    measures: Sequence[NumericColumnStats],
    tables: Sequence[ConfusionMatrix],
    repeats: Sequence[RepeatStats],
    confidence: Sequence[ConfidenceStats],
) -> tuple[GateResult, ...]:
    """The result of each gate of the suite; empty, with nothing imported, where it has none."""
    if not suite.gates:
        return ()
    from evaluators.runs.gate_verdicts import judge_gates

    return judge_gates(suite.gates, stats, slices, measures, tables, repeats, confidence)


def _uncorrected_answers(prepared: Prepared, file: str) -> Iterator[str]:
    """Notes on columns with expected answers that the `file` of corrections does not correct: evaluators read them as they stand."""
    corrected = prepared.roles.get("expected")
    for line in prepared.suite.lines:
        columns = [column for need in line.settings.needs() if (column := column_of(need)) is not None]
        own = {column.name for column in columns if column.literal and column.role == "expected"} - {corrected}
        for name in sorted(own):
            yield f'{file} corrects the column "{corrected}" alone; "{line.name}" reads "{name}", as it stands'


def _notes(prepared: Prepared, measured: Sequence[SplitResult]) -> Iterator[str]:
    """The notes of a run: those of the suite and the test set, inferred schemas, and chosen documents."""
    suite, test_set = prepared.suite, prepared.test_set
    yield from suite.notes
    yield from map(test_set.config.masked, (*test_set.passed_over, *test_set.table.notes))
    if test_set.config.corrections is not None:
        yield from map(test_set.config.masked, _uncorrected_answers(prepared, test_set.config.corrections))
    if suite.inferred_schemas:
        from evaluators.runs.schema_inference import INFERRED_SCHEMA

        for name, schema in suite.inferred_schemas.items():
            yield (
                f'"{name}": its schema was inferred from the expected answers; review it ({INFERRED_SCHEMA.format(name)} in '
                f"the run folder, or `evaluators infer-schema`). It compares {compared_text(schema)}"
            )
    if several := sum(each.several for each in measured):
        readers = [line for line in suite.lines if any(isinstance(need, Output) for need in line.settings.needs())]
        picks = dict.fromkeys(line.pick or suite.reading.pick for line in readers)
        chosen = " and ".join(f"`pick: {pick}`" for pick in picks)
        held = "output holds" if several == 1 else "outputs hold"
        yield f"{several:,} {held} more than one JSON document; which of them counts is said by {chosen}"


def _unlisted_labels(
    prepared: Prepared, pairs: Sequence[Sequence[LabelPairs | None]], counts: dict[str, int]
) -> list[Issue]:
    """Expected answers outside the labels that the suite lists, the same of all variants; their rows are added to `counts`."""
    lines, place, roles = prepared.suite.lines, prepared.test_set.place, prepared.roles
    unlisted = [list(unlisted_labels(lines, each, place, roles)) for each in pairs]
    if rows := max((sum(count for _, count in of_variant) for of_variant in unlisted), default=0):
        counts["unlisted-label"] = rows
    return list(dict.fromkeys(issue for of_variant in unlisted for issue, _ in of_variant))


def compared_text(schema: Mapping[str, Any]) -> str:
    """How an inferred schema compares each field, in one line: `name: exact, items[*].price: numeric`."""
    compared_words = list(_compared_places(schema, ()))
    more = f", and {len(compared_words) - MOST_SAID:,} more" if len(compared_words) > MOST_SAID else ""
    return ", ".join(compared_words[:MOST_SAID]) + more


def _compared_places(schema: Mapping[str, Any], path: tuple[Any, ...]) -> Iterator[str]:
    """A text for each place of an inferred schema that is compared as one value, such as `name: exact`. `path` leads to the schema."""
    properties, items = schema.get("properties"), schema.get("items")
    if "x-eval-compare" in schema:
        yield f"{display(path)}: {flow_text(schema['x-eval-compare'])}"
    elif isinstance(properties, Mapping):
        for key, inner in properties.items():
            yield from _compared_places(inner, (*path, key))
    elif isinstance(items, Mapping):
        yield from _compared_places(items, (*path, ANY))
