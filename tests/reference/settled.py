"""What a run keeps of a row, made from its explained result: the verdict must be the same."""

from __future__ import annotations

from msgspec.structs import replace

from evaluators.builtin._evaluator import Evaluator
from evaluators.fields.events import events_of, row_figures, row_statuses, row_values
from evaluators.fields.scored import Scored
from evaluators.model import FieldStatus, Result


def settle(one: Evaluator, explained: Result) -> Result:
    """An explained result, `pass_at` applied, reasons and values dropped."""
    fields = one.scored_fields()
    statuses = bytes(field.status for field in explained.fields) if fields.names else b""
    num, den, passed = explained.num, explained.den, explained.passed
    if den and passed is not False:
        passed = num / den >= one.pass_at
    counts, issue = None if statuses else counts_of(explained), None if den else explained.issue
    found = Result(explained.status, passed, num, den, statuses, counts, issue, explained.figures)
    if not fields.by_schema:
        return found
    events, places = events_of(Scored(explained.fields)), {name: place for place, name in enumerate(fields.places)}
    return replace(
        found, statuses=row_statuses(events, places), counts=row_figures(events).counts, values=row_values(events, places)
    )


def counts_of(explained: Result) -> tuple[int, int, int, int] | None:
    """(match, mismatch, omission, hallucination) over the fields of an explained result; None without fields."""
    if not explained.fields:
        return None
    found = [field.status for field in explained.fields]
    return (
        found.count(FieldStatus.MATCH),
        found.count(FieldStatus.MISMATCH) + found.count(FieldStatus.ERROR),
        found.count(FieldStatus.OMISSION),
        found.count(FieldStatus.HALLUCINATION),
    )
