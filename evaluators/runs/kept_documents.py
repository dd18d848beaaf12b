"""The documents in the cells that a run kept, each parsed as its evaluator read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from evaluators.model.issues import CellError
from evaluators.model.rows import JSON, MISSING
from evaluators.runs.record_facts import CellReading
from evaluators.scoring.needs import Column, expected_document, output_document, values_at, want_like
from evaluators.scoring.values.json_choice import PickedDocument, Search, Want, choose
from evaluators.scoring.values.json_documents import documents


def document_of(reading: CellReading, cells: Mapping[str, Any]) -> JSON | CellError | Any:
    """The value of a kept cell as an evaluator read it, as `reading` says: a text, a document or what is at its path `at`, a CellError
    where none can be read, or MISSING. `cells` are those of the row by column."""
    cell = cells.get(reading.column, MISSING)
    if reading.how == "text":
        return cell
    if reading.at is not None:
        column = Column(reading.column, literal=True, role="output" if reading.side == "output" else "expected")
        return values_at([document_of(replace(reading, at=None), cells)], replace(column, at=reading.at))[0]
    if reading.how == "expected":
        return expected_document(cell)
    return output_document(cell, wanted_kind(reading, cells), search_of(reading), preferred_kind(reading, cells))


def chosen_document(reading: CellReading, cells: Mapping[str, Any]) -> PickedDocument:
    """The document that the cell of an output holds, with how it was picked among the cell's texts. Raises NotJSON where there is none."""
    return choose(
        documents(cells[reading.column]), wanted_kind(reading, cells), search_of(reading), preferred_kind(reading, cells)
    )


def search_of(reading: CellReading) -> Search:
    """The settings by which JSON is looked for in an output."""
    return Search(reading.lenient, reading.pick, frozenset(reading.keys))


def wanted_kind(reading: CellReading, cells: Mapping[str, Any]) -> Want:
    """The kind of JSON that is looked for in an output."""
    if reading.want != "like_expected":
        return reading.want
    return _kind_of_expected(reading.beside or "", cells)


def preferred_kind(reading: CellReading, cells: Mapping[str, Any]) -> Want:
    """The kind of JSON that goes first where an output holds several documents."""
    if reading.like is None:
        return reading.prefer
    return _kind_of_expected(reading.like, cells)


def _kind_of_expected(column: str, cells: Mapping[str, Any]) -> Want:
    """The kind of JSON of the expected document in a column; any kind where that cannot be read."""
    expected = expected_document(cells.get(column, MISSING))
    return "any" if isinstance(expected, CellError) else want_like(expected)
