"""What became of the rows of a run: what every table, page, tracker and harness reads of them.

A `RowView` is made from the record of a run alone; nothing is scored. What each evaluator says of the row is a `Result` with its
reasons; rows of which nothing was recorded share one for each code. A `FieldView` is one score of a row, in the form in which
platforms take it: that of an evaluator, or of one of its fields.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue
from evaluators.model.rows import FIELD_STATUSES, MISSING, FieldStatus, Outcome, Result, RowStatus
from evaluators.model.words import FIELD_WORDS, ROW_WORDS, VERDICT_WORDS
from evaluators.reports.names import score_name
from evaluators.runs.reader import RecordedRow, Run
from evaluators.runs.record_facts import RecordedEvaluator
from evaluators.runs.record_lines import Recorded
from evaluators.scoring.fields.outcomes import WRONG, ListOutcome
from evaluators.scoring.fields.wording import WEIGHTLESS, right_count_text
from evaluators.scoring.values.differences import reason_in_full
from evaluators.scoring.values.file_names import clip_name

_NOTHING: Final = Recorded()
_UNMEASURED: Final = frozenset({FieldStatus.SKIPPED, FieldStatus.NOT_MEASURED, FieldStatus.NOT_JUDGED})
_MOST_NAMED: Final = 5
_LONGEST_VALUE: Final = 60


class RowView(Struct, frozen=True):
    """One row of a run."""

    number: int
    id: str
    variant: str | None
    cells: Mapping[str, Any] | None
    """Its cells by column; None where they were not kept."""
    evaluators: tuple[Result, ...]
    """What each evaluator says of it, with the reasons that were recorded, in the order of the suite."""
    slices: Sequence[str] = ()
    checksum: str = ""
    """A checksum of what the row gives, the outputs apart."""
    cluster: str | None = None

    @property
    def score(self) -> float | None:
        """The mean over the evaluators that have a score; None where none has."""
        scores = [score for result in self.evaluators if (score := result.score) is not None]
        return sum(scores) / len(scores) if scores else None

    @property
    def why(self) -> str:
        """The reasons why the row has no full score, in plain words, each with its evaluator; empty for a full score."""
        return "; ".join(f"{result.evaluator}: {reason}" for result in self.evaluators if (reason := why_of(result)))

    @property
    def went_wrong(self) -> bool:
        """Whether some evaluator did not pass the row, or could not measure it."""
        return any(result.passed is False or result.status.kept_out for result in self.evaluators)


class FieldView(Struct, frozen=True):
    """The score of one field of a row by one evaluator, or, without a path, of the row as a whole.

    Where there is no score it has none: no number stands for one.
    """

    evaluator: str | None
    """None for the overall score of a row."""
    path: str | None
    """The path of the field, as results spell it."""
    status: FieldStatus | RowStatus
    score: float | None
    """Of a field the share of its values that are right. Partial credit is in the score of the row alone."""
    passed: bool | None
    reason: str | None
    issue: Issue | None = None
    """What kept it from being measured: the test set, the environment, or a fault of the program."""
    outcomes: tuple[Outcome, ...] = ()
    """The recorded outcomes of the field: several where the row has several values of it."""
    metadata: Mapping[str, Any] = {}
    """Further details as JSON, for hosts that take them."""
    array: ListOutcome | None = None
    """The list of which it says how many items are right, in the files that list every value."""
    in_totals: bool = False
    """The totals of its row are over it: it is outside of lists, or a whole outermost list."""

    @property
    def name(self) -> str:
        """The name of the score on platforms: `header`, or `header/field/items.each.price`."""
        return score_name(self.evaluator, self.path)

    @property
    def expected(self) -> object:
        """The expected value, where the row has one of the field."""
        return self.outcomes[0].expected if len(self.outcomes) == 1 else MISSING

    @property
    def actual(self) -> object:
        """The output's value, where the row has one of the field."""
        return self.outcomes[0].actual if len(self.outcomes) == 1 else MISSING

    @property
    def label(self) -> str:
        """How it ended, in a word for programs: passed or failed, or the status where neither says it."""
        ended = self.passed if self.status is RowStatus.SCORED else None
        return self.status.word if ended is None else VERDICT_WORDS[ended].plain

    @property
    def error(self) -> str | None:
        """The reason why it was not measured, in a line; None where it was, and where the output alone is to blame."""
        if self.status is FieldStatus.NOT_JUDGED:
            own = self.reason if self.outcomes else None
            return own or error_text(self.issue) or "the field could not be checked"
        kept_out = isinstance(self.status, RowStatus) and self.status.kept_out
        return (error_text(self.issue) or self.status.plain) if kept_out else None

    @property
    def is_measured(self) -> bool:
        """Whether there is a score, or a problem in its place. Else it was left out: skipped, or nothing to measure."""
        return self.score is not None or self.issue is not None


def row_views(record: Run, variants: Sequence[str | None] | None = None) -> Iterator[RowView]:
    """The rows in order, those of one variant after those of another; those of `variants` alone where some are named."""
    listed = record.facts.evaluators
    for variant in record.each_variant if variants is None else variants:
        known: list[dict[int, tuple[Result, Result]]] = [{} for _ in listed]  # equal rows share a verdict
        for row in record.each_row(variant):
            results = []
            for evaluator, verdict, shared in zip(listed, row.verdicts, known, strict=True):
                if (recorded := row.recorded.get(evaluator.name)) is not None:
                    results.append(_with_reasons(evaluator, verdict, recorded))
                    continue
                if id(verdict) not in shared:
                    shared[id(verdict)] = verdict, _with_reasons(evaluator, verdict, _NOTHING)
                results.append(shared[id(verdict)][1])
            yield RowView(
                row.number, row.id, variant, row.cells, tuple(results), row.slices, row.given, row.cluster
            )  # fmt: skip


def results_of(evaluators: Sequence[RecordedEvaluator], row: RecordedRow) -> list[Result]:
    """The result of each evaluator for a recorded row, with reasons, in their order."""
    return [
        _with_reasons(evaluator, verdict, row.recorded.get(evaluator.name, _NOTHING))
        for evaluator, verdict in zip(evaluators, row.verdicts, strict=True)
    ]


def wrong_rows_first(rows: Iterable[RowView], most: int) -> Iterator[RowView]:
    """The first rows with something wrong, then the first of the others: `most` in all. Reads no further than to enough wrong ones."""
    wrong: list[RowView] = []
    others: list[RowView] = []
    for row in rows:
        if len(wrong) >= most:
            break
        if row.went_wrong:
            wrong.append(row)
        elif len(others) < most:
            others.append(row)
    yield from islice((*wrong, *others), most)


def scores_of(record: Run, row: RowView) -> Iterator[FieldView]:
    """The scores of a row: each evaluator's, followed by those of the fields that it lists."""
    for evaluator, result in zip(record.facts.evaluators, row.evaluators, strict=True):
        yield whole_view(result)
        yield from field_views(result, evaluator.fields)


def whole_view(result: Result) -> FieldView:
    """The score of a row as a whole by one evaluator, with its reason, and its issue where it could not be measured."""
    name, issue = result.evaluator or None, result.issue if result.status.kept_out else None
    return FieldView(name, None, result.status, result.score, result.passed, reason_of(result), issue)


def field_views(result: Result, listed: Sequence[str], *, right_ones: bool = False) -> Iterator[FieldView]:
    """The score of each field that an evaluator lists, which are `listed` in its order; nothing where the result has no scores of fields.

    With `right_ones`, a field that is right has a reason as well: how it was found to be.
    """
    if not result.statuses:
        return
    instances: dict[str, list[Outcome]] = {}
    for field in result.fields:
        for place in dict.fromkeys((field.path, field.place)):
            instances.setdefault(place, []).append(field)
    for path, code, score in zip(listed, result.statuses, field_numbers(result), strict=True):
        own = tuple(instances.get(path, ()))
        yield field_view(result, path, FIELD_STATUSES[code], score, own, right_ones=right_ones)


def field_view(
    result: Result,
    path: str,
    status: FieldStatus,
    score: float | None,
    outcomes: tuple[Outcome, ...],
    *,
    right_ones: bool = False,
) -> FieldView:
    """The score of one field of a row, of which `outcomes` were recorded, with the reasons of those that are wrong.

    With `right_ones`, a field without anything wrong has the reason of its first outcome.
    """
    reasons = [
        f"{outcome.path}: {outcome.reason}" if outcome.path != path else outcome.reason
        for outcome in outcomes
        if outcome.status in WRONG and outcome.reason
    ]
    reason = "; ".join(reasons) or (next((outcome.reason for outcome in outcomes), None) if right_ones else None)
    passed = None if status in _UNMEASURED else status is FieldStatus.MATCH
    issue = result.issue if status is FieldStatus.NOT_JUDGED else None
    return FieldView(result.evaluator or None, path, status, score, passed, reason, issue, outcomes)


def field_numbers(result: Result) -> tuple[float | None, ...]:
    """The score of each listed field in a row: the share of its values that are right; None where none was measured.

    A field of one value scores 1 or 0. Partial credit is in the score of the row alone.
    """
    numbers = [_NUMBERS[status] for status in result.statuses]
    for place, right, measured in result.several():
        numbers[place] = right / measured
    return tuple(numbers)


_NUMBERS: Final = [None if status in _UNMEASURED else float(status is FieldStatus.MATCH) for status in FieldStatus]


def with_full_reason(field: Outcome) -> Outcome:
    """The result of a field with what differs inside two whole values said in full."""
    reason = reason_in_full(field.reason, field.expected, field.actual) if field.reason else None
    return field if reason == field.reason else replace(field, reason=reason)


def error_text(issue: Issue | None) -> str | None:
    """A problem in a line, with its place and its hint. The traceback of a bug is left out."""
    if issue is None:
        return None
    text = f"{issue.where}: {issue.message}" if issue.where else issue.message
    return f"{text} ({issue.hint})" if issue.hint and issue.blame is not Blame.BUG else text


def reason_of(result: Result) -> str | None:
    """The reason why a row has no full score, in plain words; else the evaluator's own words for its result."""
    return why_of(result) or result.reason


def why_of(result: Result) -> str:
    """The reason why a row has no full score from one evaluator, in plain words; empty for a full score."""
    if result.issue is not None and (result.score is None or result.status is not RowStatus.SCORED):
        return f"{ROW_WORDS[result.status.word].of_reason}{result.issue.message}"
    if result.score is None:
        return result.reason or result.status.plain
    if result.score == 1 and result.passed is not False:
        return ""
    wrong = [field for field in result.fields if field.status in WRONG]
    if not wrong:
        return result.reason or ("did not pass" if result.passed is False else "")
    named = ", ".join(map(_why_of_field, wrong[:_MOST_NAMED]))
    rest = len(wrong) - _MOST_NAMED
    return f"{named} and {rest:,} more" if rest > 0 else named


def _why_of_field(field: Outcome) -> str:
    """The status of a field in words, with the reason in brackets where there is one to tell, and otherwise with its values."""
    text = f"{field.path} {FIELD_WORDS[field.status.word].of_reason}"
    in_both = field.expected is not MISSING and field.actual is not MISSING
    one_sided = field.status is FieldStatus.OMISSION or field.status is FieldStatus.HALLUCINATION
    lacks = field.status is FieldStatus.OMISSION and field.actual is not MISSING  # a rule: its reason says what
    # a reason takes the place of the values, but not where only one side has a value: then the value says more
    if field.status is FieldStatus.NOT_JUDGED or (field.reason and (in_both or lacks or not one_sided)):
        return f"{text} ({field.reason})" if field.reason else text
    if one_sided:
        before, value = ("expected ", field.expected) if field.status is FieldStatus.OMISSION else ("", field.actual)
        return text if value is MISSING else f"{text} ({before}{_short(value)})"
    return f"{text} (expected {_short(field.expected)}, found {_short(field.actual)})" if in_both else text


def _short(value: object) -> str:
    return clip_name(_JSON(value), _LONGEST_VALUE)


_JSON: Final = json.JSONEncoder(ensure_ascii=False, default=str).encode


def _with_reasons(evaluator: RecordedEvaluator, verdict: Result, recorded: Recorded) -> Result:
    """The result of a row: its verdict, with the recorded reasons and values. A blocked row has as its reason the evaluators that it waits
    for, and no values; a scored one without a recorded reason has how many values are right."""
    if verdict.status is RowStatus.BLOCKED:
        reason: str | None = f"{ROW_WORDS['blocked'].of_reason}{', '.join(evaluator.needs)} did not pass"
        return replace(verdict, reason=reason, evaluator=evaluator.name)
    fields = _fields(evaluator, verdict, recorded)
    reason = recorded.reason
    if reason is None and (fields or verdict.den) and verdict.counts is not None and any(verdict.counts):
        noun: Literal["field", "value"] = "field" if evaluator.by_schema else "value"
        reason = right_count_text(verdict.counts[0], sum(verdict.counts), fields, noun)
        reason = WEIGHTLESS if verdict.status is RowStatus.NOT_MEASURED else reason
    return replace(
        verdict, fields=tuple(fields), reason=reason, details=recorded.details, evaluator=evaluator.name
    )  # fmt: skip


def _fields(evaluator: RecordedEvaluator, verdict: Result, recorded: Recorded) -> Sequence[Outcome]:
    """The outcomes of the fields of a row: those that were recorded. An evaluator that lists its fields has one for each of them, with the
    status alone where nothing else was recorded."""
    if evaluator.by_schema or not evaluator.fields or not verdict.statuses:
        return recorded.fields
    known = {result.path: result for result in recorded.fields}
    listed = zip(evaluator.fields, verdict.statuses, strict=True)
    return [known.get(path) or Outcome(path, FIELD_STATUSES[status]) for path, status in listed]
