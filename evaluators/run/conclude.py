"""From what was measured to the result of a run: figures, gates, gaps in coverage, warnings, exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import reduce
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from evaluators.builtin._evaluator import Evaluator
from evaluators.issues import Issue, Problems, shortened
from evaluators.judges.answer_lines import JudgedBy, JudgeTotals
from evaluators.model import __version__
from evaluators.needs import Output
from evaluators.run.coverage import gaps, schema_gaps
from evaluators.run.exact_sums import plus
from evaluators.run.ids import id_warnings
from evaluators.run.key_warnings import key_warnings, null_warnings
from evaluators.run.kinds_read import UNUSED, unused_comparators
from evaluators.run.label_tables import label_tables, unlisted_labels
from evaluators.run.measured import measure_gaps, measure_notes, measures_of, unreadable_cells, unreadable_measures
from evaluators.run.places import line_places
from evaluators.run.preparing import Prepared
from evaluators.run.result import ConfusionMatrix, EvaluatorStats, GateResult, MeasureStats, RunResult
from evaluators.run.settings_fingerprint import meaning_of
from evaluators.run.split_result import SplitResult
from evaluators.run.stats import figures, slice_figures
from evaluators.run.unchanged import CUT_CODES
from evaluators.run.verdict import Facts, causes, exit_code
from evaluators.testsets.selection import nothing_selected
from evaluators.testsets.test_set import TestSet

if TYPE_CHECKING:
    from evaluators.api.suite import Suite

_OF_A_PART: Final = "the run ended before its last row, and a part of the rows is no verdict"


def check_gate_targets(suite: Suite, variants: Sequence[str] | None = None) -> None:
    """Every gate must be about something that the suite has. Raises Problems with those that are not.

    `variants` are those of the test set; None where it has not been looked at, and then any name will do.
    """
    if not suite.gates:
        return
    from evaluators.run.gate_targets import check_gates  # a suite without gates starts sooner

    known = [gate.config.variant or "" for gate in suite.gates] if variants is None else variants
    fields = {line.name: line.settings.scored_fields().names or _open_or_none(line.settings) for line in suite.lines}
    source = suite.config.source
    issues = []
    for gate in suite.gates:
        loc = ("gates", gate.written)
        placed = replace(gate, where=source.place(loc, key=True))
        made = {line.name: line.settings.scored_fields().figures for line in suite.lines}
        rules = {line.name: rule for line in suite.lines if (rule := line.settings.label_rule()) is not None}
        labels = {name: rule.labels for name, rule in rules.items()}
        found = check_gates([placed], fields, suite.config.slices, known, made, labels)
        issues += [replace(issue, excerpt=source.excerpt(loc, key=True)) for issue in found]
    if issues:
        raise Problems(issues)


def _judged(
    suite: Suite,
    stats: Sequence[EvaluatorStats],
    slices: Sequence[EvaluatorStats],
    measures: Sequence[MeasureStats],
    tables: Sequence[ConfusionMatrix],
) -> tuple[GateResult, ...]:
    if not suite.gates:
        return ()
    from evaluators.run.gate_verdicts import judge_gates

    return judge_gates(suite.gates, stats, slices, measures, tables)


def conclude(
    prepared: Prepared,
    measured: Sequence[tuple[str | None, SplitResult]],
    fingerprint: str,
    changed: Sequence[Issue] = (),
) -> RunResult:
    """The figures, the gates, the gaps in coverage and the exit code of what was measured.

    `changed` says of files that they changed meanwhile.
    """
    suite, test_set = prepared.suite, prepared.test_set
    clustered = suite.cluster is not None
    stats = [one for name, each in measured for one in figures(suite.lines, each, name, clustered)]
    slices = [one for name, each in measured for one in slice_figures(suite.lines, each, name, clustered)]
    measures = measures_of(suite.measures, [(name, each.measures) for name, each in measured], clustered)
    tables = [one for name, each in measured for one in label_tables(suite.lines, each.labels, name)]
    gates = _judged(suite, stats, slices, measures, tables)
    finished = all(each.finished for _, each in measured)
    if not finished:
        gates = tuple(replace(gate, verdict="undecided", message=_OF_A_PART) for gate in gates)
    troubles = (*changed, *dict.fromkeys(each.trouble for _, each in measured if each.trouble is not None))
    found = [*gaps(suite.lines, [each for _, each in measured], stats, suite, complete=finished), *measure_gaps(measures)]
    unused = unused_comparators(prepared, measured[0][1].glimpse.expected_documents()) if finished else []
    found += [one for one in unused if one.code == UNUSED]
    # of a part of the rows, gaps are worth a warning and no more
    warned, held = (found, []) if prepared.selection or not finished else ([], found)
    of_lists = [
        *key_warnings(suite.lines, stats, found, suite),
        *null_warnings(suite.lines, [each for _, each in measured], stats, suite),
    ]
    unselected = nothing_selected(test_set.table, test_set.name) if finished and not measured[0][1].rows else None
    of_table = [*test_set.issues, *([] if unselected is None else [unselected])]
    issues = [*of_table, *(one.issue for _, each in measured for one in each.issues)]
    if changed:
        issues = [issue for issue in issues if issue.code not in CUT_CODES]
    counts = _issue_counts(measured)
    issues += unreadable_cells(measures, test_set.name, counts)
    unlisted = _unlisted_labels(prepared, measured, counts)
    ending = (*(troubles if finished else ()), *of_table, *unreadable_measures(measures), *unlisted, *held)
    facts = Facts(
        tuple(stats),
        gates if finished else (),
        ending,
        () if finished else troubles,
        interrupted=not finished and len(troubles) == len(changed),
    )
    return RunResult(
        name=suite.name,
        suite_fingerprint=suite.fingerprint,
        data_fingerprint=fingerprint,
        version=__version__,
        test_set=test_set.name,
        rows=measured[0][1].rows,
        columns=prepared.roles,
        evaluators=tuple(stats),
        slices=tuple(slices),
        gates=gates,
        notes=(*_notes(prepared, measured), *measure_notes(suite.measures, measures)),
        warnings=tuple(
            map(
                shortened,
                (
                    *_warnings(prepared, measured, stats),
                    *of_lists,
                    *warned,
                    *_spare(unused),
                ),
            )
        ),
        issues=tuple(map(shortened, (*troubles, *issues, *unlisted, *held))),
        issue_counts=dict(sorted(counts.items())),
        complete=finished,
        exit_code=exit_code(facts),
        causes=causes(facts),
        variants=test_set.variants,
        without_output={name or "": each.without_output for name, each in measured if each.without_output},
        meaning=meaning_of(suite),
        cluster=suite.cluster,
        judges=_judges(measured),
        measures=tuple(measures),
        confusion_matrices=tuple(tables),
    )


def _notes(prepared: Prepared, measured: Sequence[tuple[str | None, SplitResult]]) -> list[str]:
    """What the suite and its data have to say, and what was inferred and chosen."""
    suite = prepared.suite
    said = [*suite.notes, *_data_notes(prepared.test_set)]
    return [*said, *_inferred_notes(suite), *_several_notes(suite, measured)]


def _data_notes(test_set: TestSet) -> Iterator[str]:
    return map(test_set.config.masked, (*test_set.passed_over, *test_set.table.notes))


def _warnings(
    prepared: Prepared, measured: Sequence[tuple[str | None, SplitResult]], stats: Sequence[EvaluatorStats]
) -> list[Issue]:
    """What is wrong with the data, and costs no row its score."""
    of_ids, of_schemas = _id_warnings(prepared, measured), _schema_warnings(prepared.suite, stats)
    return [*prepared.test_set.warnings, *of_ids, *of_schemas]


def _issue_counts(measured: Sequence[tuple[str | None, SplitResult]]) -> dict[str, int]:
    """How many rows have each kind of problem."""
    counts: Counter[str] = Counter()
    for _, each in measured:
        counts.update(each.issue_counts)
    return counts


def _spare(unused: Sequence[Issue]) -> list[Issue]:
    """Those that are worth a warning and no more."""
    return [one for one in unused if one.code != UNUSED]


def _unlisted_labels(
    prepared: Prepared, measured: Sequence[tuple[str | None, SplitResult]], counts: dict[str, int]
) -> list[Issue]:
    """Expected answers outside the labels that the suite lists, the same of all variants; their rows are added to `counts`."""
    lines, place, roles = prepared.suite.lines, prepared.test_set.place, prepared.roles
    found = [list(unlisted_labels(lines, each.labels, place, roles)) for _, each in measured]
    rows = max((sum(count for _, count in of_variant) for of_variant in found), default=0)
    if rows:
        counts["unlisted-label"] = rows
    return list(dict.fromkeys(issue for of_variant in found for issue, _ in of_variant))


def _judges(measured: Sequence[tuple[str | None, SplitResult]]) -> tuple[JudgedBy, ...]:
    every = (deepcopy(each.judged) for _, each in measured)  # a sum may keep parts of what is added
    return reduce(plus, every, JudgeTotals()).judged_by()


def _schema_warnings(suite: Suite, stats: Sequence[EvaluatorStats]) -> list[Issue]:
    """What schemas and documents do not have in common, each once whatever the variant."""
    places = line_places(suite)
    every = [
        schema_gaps(suite.lines, stats[start : start + len(suite.lines)], places)
        for start in range(0, len(stats), len(suite.lines))
    ]
    return list(dict.fromkeys(issue for part in every for issue in part))


def _inferred_notes(suite: Suite) -> list[str]:
    if not suite.inferred_schemas:
        return []
    from evaluators.run.learning import INFERRED_SCHEMA, compared_text

    return [
        f'"{name}": its schema was inferred from the expected answers; review it ({INFERRED_SCHEMA.format(name)} in the '
        f"run folder, or `evaluators infer-schema`). It compares {compared_text(schema)}"
        for name, schema in suite.inferred_schemas.items()
    ]


def _several_notes(suite: Suite, measured: Sequence[tuple[str | None, SplitResult]]) -> list[str]:
    """How many outputs hold several JSON documents, and how one of them was chosen."""
    several = sum(each.several for _, each in measured)
    if not several:
        return []
    readers = [line for line in suite.lines if any(isinstance(need, Output) for need in line.settings.needs())]
    picks = dict.fromkeys(line.pick or suite.reading.pick for line in readers)
    chosen = " and ".join(f"`pick: {pick}`" for pick in picks)
    held = "output holds" if several == 1 else "outputs hold"
    return [f"{several:,} {held} more than one JSON document; which of them counts is said by {chosen}"]


def _id_warnings(prepared: Prepared, measured: Sequence[tuple[str | None, SplitResult]]) -> list[Issue]:
    """Ids that are missing or stand in several rows. Variants have the ids of one test set."""
    return id_warnings(measured[0][1].ids, prepared.test_set.name)


def _open_or_none(settings: Evaluator) -> tuple[str, ...] | None:
    """None for an open tree and for a schema, whose fields are known only after the run; no fields otherwise."""
    fields = settings.scored_fields()
    return None if fields.figures or fields.tree is not None else ()
