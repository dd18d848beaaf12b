"""What a record says of a row, as reports read it: explained results, and the documents in its cells.

Nothing is scored: a result has the values that were recorded, and where none were, what its code says. A kept cell is
parsed as the evaluator read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from evaluators.fields.settle import of_fields
from evaluators.issues import CellError
from evaluators.model import FIELD_STATUSES, JSON, MISSING, FieldStatus, Outcome, Result, RowStatus
from evaluators.needs import expected_of, output_of, want_like
from evaluators.run.reader import RecordedRow
from evaluators.run.record_facts import CellReading, RecordedEvaluator
from evaluators.run.record_lines import Recorded
from evaluators.values.json_choice import PickedDocument, Search, Want, choose
from evaluators.values.json_documents import documents

_NOTHING = Recorded()
_MATCH: Final = int(FieldStatus.MATCH)


def results_of(evaluators: Sequence[RecordedEvaluator], row: RecordedRow) -> list[Result]:
    """What each evaluator says of a row, in their order."""
    return [
        result_of(one, verdict, row.recorded.get(one.name, _NOTHING))
        for one, verdict in zip(evaluators, row.verdicts, strict=True)
    ]


def result_of(evaluator: RecordedEvaluator, verdict: Result, recorded: Recorded, *, right_ones: bool = True) -> Result:
    """What one evaluator says of a row: its code, and the reasons and values that were recorded.

    Without `right_ones`, listed fields that are right are left out.
    """
    if verdict.status is RowStatus.BLOCKED:
        return replace(verdict, reason=f"blocked: {', '.join(evaluator.needs)} did not pass", evaluator=evaluator.name)
    fields = _fields(evaluator, verdict, recorded, right_ones)
    if verdict.den == 0 and not fields and recorded.reason is None:
        return replace(verdict, evaluator=evaluator.name)
    reason = recorded.reason or _sentence(evaluator, verdict, fields)
    return replace(verdict, fields=tuple(fields), reason=reason, details=recorded.details, evaluator=evaluator.name)


def document_of(reading: CellReading, cells: Mapping[str, Any]) -> JSON | CellError | Any:
    """The value of a kept cell as an evaluator read it: text, a document, a CellError, or MISSING."""
    cell = cells.get(reading.column, MISSING)
    if reading.how == "text":
        return cell
    if reading.how == "expected":
        return expected_of(cell)
    return output_of(cell, wanted(reading, cells), search_of(reading), preferred(reading, cells))


def chosen_in(reading: CellReading, cells: Mapping[str, Any]) -> PickedDocument:
    """How that document was found in its cell. Raises NotJSON where there is none."""
    return choose(documents(cells[reading.column]), wanted(reading, cells), search_of(reading), preferred(reading, cells))


def search_of(reading: CellReading) -> Search:
    """How JSON is looked for in an output."""
    return Search(reading.lenient, reading.pick, frozenset(reading.keys))


def wanted(reading: CellReading, cells: Mapping[str, Any]) -> Want:
    """The kind of JSON that is looked for in an output."""
    if reading.want != "like_expected":
        return reading.want
    return _kind_in(reading.beside or "", cells)


def preferred(reading: CellReading, cells: Mapping[str, Any]) -> Want:
    """The kind that goes first where an output holds several documents."""
    if reading.like is None:
        return reading.prefer
    return _kind_in(reading.like, cells)


def _kind_in(column: str, cells: Mapping[str, Any]) -> Want:
    expected = expected_of(cells.get(column, MISSING))
    return "any" if isinstance(expected, CellError) else want_like(expected)


def _fields(evaluator: RecordedEvaluator, verdict: Result, recorded: Recorded, right_ones: bool) -> Sequence[Outcome]:
    """The recorded results; those of a closed list are filled up with what the code says of the others."""
    if evaluator.by_schema or not evaluator.fields or not verdict.statuses:
        return recorded.fields
    known = {result.path: result for result in recorded.fields}
    listed = zip(evaluator.fields, verdict.statuses, strict=True)
    return [
        known.get(path) or Outcome(path, FIELD_STATUSES[status])
        for path, status in listed
        if right_ones or status != _MATCH
    ]


def _sentence(evaluator: RecordedEvaluator, verdict: Result, fields: Sequence[Outcome]) -> str | None:
    if verdict.counts is None or not any(verdict.counts):
        return None
    return of_fields(verdict.counts[0], sum(verdict.counts), fields, "field" if evaluator.by_schema else "value")
