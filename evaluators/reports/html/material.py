"""The rows of a page, from the record of a run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from evaluators.builtin._texts import LabelRule
from evaluators.issues import CellError
from evaluators.model import MISSING
from evaluators.reports.documents import chosen_in, document_of
from evaluators.reports.html.label_cells import LabelReader, label_readers
from evaluators.reports.html.packed_rows import (
    EvaluatorFacts,
    Explanation,
    Material,
    ReportRow,
    RowDetail,
    RowGroup,
    ShownDocument,
)
from evaluators.reports.rows import results_of
from evaluators.run.reader import RecordedRow, Run
from evaluators.run.record_facts import CellReading, RecordedEvaluator
from evaluators.values import json_text


def material_of(record: Run, rules: Mapping[str, LabelRule] | None = None) -> Material:
    """The rows of a run, read when they are asked for. With the `rules` of labels, each row says in which cells of label tables it is."""
    facts = record.facts
    evaluators = tuple(
        EvaluatorFacts(one.name, one.fields, one.where, one.field_places, _compares_texts(one))
        for one in facts.evaluators
    )
    groups = (_group(record, variant, label_readers(record, rules or {}, variant)) for variant in record.each_variant)
    return Material(evaluators, facts.slices, groups)


def _compares_texts(one: RecordedEvaluator) -> bool:
    sides = {reading.side for reading in one.readings if reading.how == "text"}
    return not one.fields and {"expected", "output"} <= sides


def _group(record: Run, variant: str | None, readers: Sequence[LabelReader]) -> RowGroup:
    return RowGroup(variant, _rows(record, variant, readers), tuple(reader.table for reader in readers))


def _rows(record: Run, variant: str | None, readers: Sequence[LabelReader]) -> Iterator[ReportRow]:
    for row in record.each_row(variant):
        cells = tuple(reader.cell_of(row) for reader in readers)
        yield ReportRow(row.number, row.id, row.verdicts, row.slices, _detail(record.facts.evaluators, row), cells)


def _detail(evaluators: tuple[RecordedEvaluator, ...], row: RecordedRow) -> Callable[[], RowDetail | None]:
    def detail() -> RowDetail | None:
        if row.cells is None and not row.recorded:
            return None
        return _shown(evaluators, row, row.cells or {})

    return detail


def _shown(evaluators: tuple[RecordedEvaluator, ...], row: RecordedRow, cells: Mapping[str, Any]) -> RowDetail:
    documents: dict[CellReading, tuple[int, ShownDocument]] = {}
    explanations = []
    for place, (one, result) in enumerate(zip(evaluators, results_of(evaluators, row), strict=True)):
        numbers = tuple(dict.fromkeys(_documents(one, cells, documents)))
        explanations.append(Explanation(place, result, numbers))
    found = list(dict(documents.values()).values())
    read = {document.column for document in found}
    others = {name: text for name, cell in cells.items() if name not in read and (text := _text(cell))}
    return RowDetail(found, others, explanations)


def _documents(
    one: RecordedEvaluator, cells: Mapping[str, Any], documents: dict[CellReading, tuple[int, ShownDocument]]
) -> Iterator[int]:
    """The numbers of the documents that an evaluator reads; new ones are added."""
    as_json = {reading.column for reading in one.readings if reading.how != "text"}
    for reading in one.readings:
        if (reading.how == "text" and reading.column in as_json) or reading.column not in cells:
            continue
        if reading not in documents:
            documents[reading] = _numbered(documents.values(), _document(reading, cells))
        yield documents[reading][0]


def _numbered(known: Collection[tuple[int, ShownDocument]], document: ShownDocument) -> tuple[int, ShownDocument]:
    """The document with its number: that of an equal one, or the next."""
    number = next((number for number, other in known if other == document), None)
    return (len(dict(known)) if number is None else number), document


def _document(reading: CellReading, cells: Mapping[str, Any]) -> ShownDocument:
    side, column, cell = reading.side, reading.column, cells[reading.column]
    value = document_of(reading, cells)
    if isinstance(value, CellError):
        if not isinstance(cell, str) or not cell.strip():
            return ShownDocument(side, column, "absent", message=value.issue.message)
        return ShownDocument(side, column, "unreadable", cell, message=value.issue.message)
    if value is MISSING or (reading.how == "text" and value is None):
        return ShownDocument(side, column, "absent")
    if reading.how == "text":
        return ShownDocument(side, column, "text" if isinstance(value, str) else "json", value)
    if reading.how == "expected" or not reading.lenient or not isinstance(cell, str):
        return ShownDocument(side, column, "json", value)
    chosen = chosen_in(reading, cells)
    found = chosen.found
    before, after = cell[: found.start].strip(), cell[found.end :].strip()
    return ShownDocument(side, column, "json", value, found.how, before, after, which=chosen.which)


def _text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    return "" if cell is None else json_text.to_text(cell)
