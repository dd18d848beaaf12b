"""What became of every field of a row, as fields.csv, report.json and the tables of outcomes list it: one outcome per unit and
metric, and one per array, for each evaluator with a schema and variant.

An array's outcome stands before those of its items. Its score is the share of expected items that match; precision and F1
stand beside it. *Entries* are the outcomes that the overall score, the field score and the overall pass rate are over: what stands
outside of arrays, and each outermost array as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from evaluators.model.rows import MISSING, FieldStatus, Outcome, Result, RowStatus
from evaluators.reports.headline import Options
from evaluators.reports.rows import FieldView
from evaluators.runs.metrics import count_text
from evaluators.runs.reader import RecordedRow, Run
from evaluators.runs.record_lines import Recorded
from evaluators.runs.result import EvaluatorStats
from evaluators.scoring.fields.instance_paths import places_above
from evaluators.scoring.fields.outcomes import MEASURED, ListOutcome, Scored

LISTED: Final = MEASURED | {FieldStatus.NOT_JUDGED}
COMPARED: Final = ("compared_expected", "compared_actual")


def outcomes_of(scored: Scored) -> Iterator[FieldView]:
    """A view of each outcome of one row, in the order of the document: a list before its items, and alone where it says all of them."""
    arrays = {array.path: array for array in scored.arrays}
    shown: set[str] = set()
    for result in scored.fields:
        if result.status not in LISTED:
            continue
        inside = False
        for place in places_above(result.path):
            array = arrays.get(place)
            if array is None or not array.covers(result):
                continue
            if array.comparator is not None:
                status = result.status if result.passed is array.passed else _array_status(array)
                yield _view(replace(result, status=status, score=float(array.score)), not inside, array)
            elif place not in shown:
                shown.add(place)
                yield _view(_array_outcome(array), not inside, array)
            inside = True
        own = arrays.get(result.path)
        if own is not None and own.covers(result) and (own.alike or own.comparator is not None):
            continue  # the array says it
        yield _view(result, not inside and not result.details.get("outside"))


def _view(outcome: Outcome, in_totals: bool, array: ListOutcome | None = None) -> FieldView:
    """An outcome as the view of one field; a list has its counts of items beside it."""
    return FieldView(
        None, outcome.path, outcome.status, outcome.score, outcome.passed, outcome.reason, outcomes=(outcome,), array=array,
        in_totals=in_totals,
    )  # fmt: skip


def failed_outcomes(scored: Scored) -> Iterator[Outcome]:
    """The failed outcomes of one row, each once.

    An array that one side lacks is one outcome, without those of its items; any other array has the outcomes of its items alone.
    """
    whole: set[str] = set()
    for view in outcomes_of(scored):
        (outcome,), array = view.outcomes, view.array
        if outcome.passed or any(place in whole for place in places_above(outcome.path)):
            continue
        if array is None or array.comparator is not None:
            yield outcome
        elif outcome.code not in ("match", "mismatch"):
            whole.add(outcome.path)
            yield outcome


def entries_of(views: Iterable[FieldView]) -> list[Outcome]:
    """The outcomes that the totals of a row are over, of the views of all its outcomes."""
    return [view.outcomes[0] for view in views if view.in_totals and view.status is not FieldStatus.NOT_JUDGED]


def full_path(path: str) -> str:
    """The path as JSONPath spells it. An item that only the output has is `[+2]`, which JSONPath cannot say."""
    return path if path == "$" else f"${'' if path.startswith('[') else '.'}{path}"


def array_items(array: ListOutcome) -> tuple[list[object], list[object], list[object]]:
    """The items of an array: the expected ones that match, the expected ones that do not, and the output's that do not.

    Items in which nothing was measured are none of them."""
    expected = array.expected if isinstance(array.expected, list) else []
    output = array.actual if isinstance(array.actual, list) else []
    matched_rows, used = {row for row, _ in array.pairs}, {column for _, column in array.pairs}
    rows, columns = (range(len(side)) for side in (expected, output))
    unmeasured_rows, unmeasured_columns = array.unmeasured or ((), ())
    missing = [row for row in rows if row not in matched_rows and row not in unmeasured_rows]
    extra = [column for column in columns if column not in used and column not in unmeasured_columns]
    return (
        [item for row, item in enumerate(expected) if row in matched_rows],
        [expected[row] for row in missing],
        [output[column] for column in extra],
    )


def _array_outcome(array: ListOutcome) -> Outcome:
    """The outcome of a list whose items are compared."""
    whole = array.matched + array.missing
    text = f"{array.matched} of {count_text(whole, 'expected item')} right" if whole else "no items are expected"
    if array.actual is MISSING:
        text = "the output does not have the list"
    return Outcome(
        array.path, _array_status(array), float(array.score), field=array.field, reason="; ".join((text, *array.notes)),
        expected=array.expected, actual=array.actual, details={"metric": array.align, "code": array.code},
    )  # fmt: skip


def _array_status(array: ListOutcome) -> FieldStatus:
    """The status of a list: missing where the output has nothing of it, extra where only the output has it, else right or wrong."""
    if array.passed:
        return FieldStatus.MATCH
    if array.missing and array.code.startswith("extracted_"):
        return FieldStatus.OMISSION
    return FieldStatus.HALLUCINATION if array.extra and array.code.startswith("gold_") else FieldStatus.MISMATCH


def evaluators_by_schema(record: Run) -> list[EvaluatorStats]:
    """The metrics of the evaluators that score by a schema, those of one variant after those of another."""
    names = [evaluator.name for evaluator in record.facts.evaluators if evaluator.by_schema]
    stats = {(each.name, each.variant): each for each in record.result.evaluators}
    return [stats[name, variant] for variant in record.each_variant for name in names]


def evaluator_of(record: Run, options: Options) -> EvaluatorStats:
    """The metrics of the evaluator and variant that the options name."""
    wanted = options.evaluator, options.variant
    return next(stats for stats in evaluators_by_schema(record) if (stats.name, stats.variant) == wanted)


def rows_by_schema(record: Run, stats: EvaluatorStats) -> Iterator[tuple[RecordedRow, Result, Recorded | None]]:
    """The rows of an evaluator and variant, each with its result and its record; None for the record where nothing was compared: a
    bad expected answer, a row that was left out."""
    place = [evaluator.name for evaluator in record.facts.evaluators].index(stats.name)
    for row in record.each_row(stats.variant):
        recorded, result = row.recorded.get(stats.name), row.verdicts[place]
        compared = recorded is not None and result.status not in _LEFT_OUT and (recorded.fields or recorded.schema)
        yield row, result, recorded if compared else None


_LEFT_OUT: Final = (RowStatus.BLOCKED, RowStatus.SKIPPED)
