"""What trackers say of single rows: for each evaluator one assessment of the row, and one of each of its fields.

An assessment has a score, a word that says how the row or the field ended, and a reason. Where there is no score it has none: no
number stands for one. What kept a row from being measured is its error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from evaluators.issues import Issue
from evaluators.model import FIELD_STATUSES, FieldStatus, Outcome, Result, RowResult, RowStatus
from evaluators.reports.recorded import results_of
from evaluators.reports.rows_csv import field_numbers, why
from evaluators.run.reader import RecordedRow, Run
from evaluators.run.record_facts import RecordedEvaluator
from evaluators.tracking.metric_names import field_name, segment

_WRONG: Final = frozenset(
    {FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION, FieldStatus.ERROR, FieldStatus.NOT_JUDGED}
)
_LEFT_OUT: Final = frozenset({FieldStatus.SKIPPED, FieldStatus.NOT_MEASURED})


class Assessment(Struct, frozen=True):
    """What one evaluator says of one row, or of one field of it."""

    name: str
    """What platforms call it: `header`, or `header/field/items.each.price`. Two evaluators or paths never share one."""
    evaluator: str
    path: str | None
    """The path of the field, as results spell it; None for the row."""
    score: float | None
    label: str
    """How it ended, in a word: passed, failed, unreadable, blocked, skipped … for a row, match, omission … for a field."""
    passed: bool | None
    reason: str | None
    error: Issue | None = None
    """What kept it from being measured: the test set, the environment, or a fault of the program."""

    @property
    def measured(self) -> bool:
        """There is a score, or an error in its place. Else it was left out: skipped, or nothing to measure."""
        return self.score is not None or self.error is not None


class AssessedRow(Struct, frozen=True):
    """A row with its assessments."""

    variant: str | None
    row: RecordedRow
    assessments: tuple[Assessment, ...]


def assessed_rows(
    record: Run, most: int | None = None, variants: Sequence[str | None] | None = None
) -> Iterator[AssessedRow]:
    """The rows with their assessments: all in order, or of each variant the first `most`, rows with something wrong first.

    `variants` are those that are wanted; all of them without it.
    """
    for variant in record.each_variant if variants is None else variants:
        rows = record.each_row(variant)
        for row in rows if most is None else _failing_first(rows, most):
            yield AssessedRow(variant, row, tuple(assessments_of(record, row)))


def assessments_of(record: Run, row: RecordedRow) -> Iterator[Assessment]:
    """The assessments of a row: each evaluator, then its fields."""
    facts = record.facts.evaluators
    for one, result in zip(facts, results_of(facts, row), strict=True):
        yield _of_row(one, result)
        yield from _of_fields(one, result)


def went_wrong(row: RecordedRow) -> bool:
    """Something in the row did not pass, or could not be measured."""
    return any(verdict.passed is False or verdict.status.kept_out for verdict in row.verdicts)


def label_of(result: Result) -> str:
    """How a row ended for an evaluator, in a word."""
    if result.status is not RowStatus.SCORED or result.passed is None:
        return result.status.word
    return "passed" if result.passed else "failed"


def reason_of(result: Result) -> str | None:
    """What kept an evaluator from a full score, in plain words; else its own words for what it found."""
    named = why(RowResult("", 0, {"": result})).removeprefix(": ")
    return named or result.reason


def _failing_first(rows: Iterator[RecordedRow], most: int) -> Iterator[RecordedRow]:
    """The first rows with something wrong, then the first of the others: `most` in all."""
    wrong: list[RecordedRow] = []
    others: list[RecordedRow] = []
    for row in rows:
        if len(wrong) >= most:
            break
        if went_wrong(row):
            wrong.append(row)
        elif len(others) < most:
            others.append(row)
    yield from islice((*wrong, *others), most)


def _of_row(one: RecordedEvaluator, result: Result) -> Assessment:
    error = result.issue if result.status.kept_out else None
    return Assessment(
        segment(one.name), one.name, None, result.score, label_of(result), result.passed, reason_of(result), error
    )


def _of_fields(one: RecordedEvaluator, result: Result) -> Iterator[Assessment]:
    if not result.statuses:
        return
    for path, code, score in zip(one.fields, result.statuses, field_numbers(result), strict=True):
        status = FIELD_STATUSES[code]
        yield Assessment(
            f"{segment(one.name)}/field/{field_name(path)}", one.name, path, score, status.word,
            None if status in _LEFT_OUT or status is FieldStatus.NOT_JUDGED else status is FieldStatus.MATCH,
            _field_reason(path, result.fields), result.issue if status is FieldStatus.NOT_JUDGED else None,
        )  # fmt: skip


def _field_reason(path: str, recorded: tuple[Outcome, ...]) -> str | None:
    """Why the field is not right; of a field with several values in the row, each that is not."""
    said = [
        f"{one.path}: {one.reason}" if one.path != path else one.reason
        for one in recorded
        if path in (one.path, one.field) and one.status in _WRONG and one.reason
    ]
    return "; ".join(said) or None
