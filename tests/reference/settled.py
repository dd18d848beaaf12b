"""What a run keeps of a row, worked out from the results of its fields: the other way round than the package goes."""

from __future__ import annotations

from evaluators.model.rows import FieldStatus, Outcome, Result
from evaluators.scoring.evaluators._evaluator import Evaluator
from evaluators.scoring.fields.events import events_of
from evaluators.scoring.fields.outcomes import Scored
from evaluators.scoring.fields.row_checks import places_of
from evaluators.scoring.fields.row_metrics import row_fields, row_metrics


def settle(settings: Evaluator, explained: Result) -> Result:
    """The result of a row without reasons and values, its statuses and counts taken from those of its fields."""
    fields = settings.scored_fields()
    statuses = bytes(field.status for field in explained.fields) if fields.names else b""
    num, den, passed = explained.num, explained.den, explained.passed
    if den and passed is not False:
        passed = num / den >= settings.pass_at
    counts, values = None if statuses else counts_of(explained.fields), ()
    if fields.by_schema:
        events, places = events_of(Scored(explained.fields)), places_of(fields.places)
        statuses, values = row_fields(events, places)
        counts = row_metrics(events).counts
    issue = None if den else explained.issue
    return Result(explained.status, passed, num, den, statuses, counts, issue, explained.metrics, values)


def counts_of(fields: tuple[Outcome, ...]) -> tuple[int, int, int, int] | None:
    """(match, mismatch, omission, hallucination); None without fields."""
    if not fields:
        return None
    found = [field.status for field in fields]
    return (
        found.count(FieldStatus.MATCH),
        found.count(FieldStatus.MISMATCH) + found.count(FieldStatus.ERROR),
        found.count(FieldStatus.OMISSION),
        found.count(FieldStatus.HALLUCINATION),
    )
