"""The record of a run as the parts that reports of outcomes are made from: one for each schema evaluator and variant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from evaluators.issues import CellError
from evaluators.model import MISSING, RowStatus
from evaluators.reports.outcomes import ReportPart, RowOutcomes
from evaluators.reports.recorded import document_of
from evaluators.run.record import RecordedRow, RunRecord
from evaluators.run.record_facts import RecordedEvaluator


def parts_of(record: RunRecord) -> list[ReportPart]:
    """What each evaluator with a schema says of each variant."""
    listed = [(place, one) for place, one in enumerate(record.facts.evaluators) if one.by_schema]
    stats = {(each.name, each.variant): each for each in record.result.evaluators}
    environment = record.result.environment
    asked = environment.asked if environment is not None else None
    return [
        ReportPart(
            record.result.name,
            stats[one.name, variant],
            partial(_rows, record, place, one, variant),
            (*([one.name] if len(listed) > 1 else []), *([variant] if variant is not None else [])),
            record.result.judges,
            asked,
        )
        for variant in record.variants
        for place, one in listed
    ]


def _rows(record: RunRecord, place: int, one: RecordedEvaluator, variant: str | None) -> Iterator[RowOutcomes]:
    for row in record.rows(variant):
        yield _outcomes(record, place, one, row)


def _outcomes(record: RunRecord, place: int, one: RecordedEvaluator, row: RecordedRow) -> RowOutcomes:
    verdict, found = row.verdicts[place], row.recorded.get(one.name)
    if found is None or verdict.status in (RowStatus.BLOCKED, RowStatus.SKIPPED) or not (found.fields or found.schema):
        return RowOutcomes(row.number, row.id, verdict, None)
    declared = record.facts.schemas.get(found.schema) if found.schema is not None else None
    return RowOutcomes(row.number, row.id, verdict, found, declared, _documents(one, row))


def _documents(one: RecordedEvaluator, row: RecordedRow) -> Callable[[], tuple[object, object]]:
    def read(how: str) -> object:
        reading = next((each for each in one.readings if each.how == how), None)
        value = document_of(reading, row.cells) if reading is not None and row.cells is not None else MISSING
        return MISSING if isinstance(value, CellError) else value

    return lambda: (read("expected"), read("output"))
