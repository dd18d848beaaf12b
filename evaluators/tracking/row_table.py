"""All rows of a run as one table: what trackers send in one piece, whatever the number of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from evaluators.model import FIELD_STATUSES
from evaluators.reports.recorded import results_of
from evaluators.reports.rows_csv import field_numbers
from evaluators.run.reader import RecordedRow, Run
from evaluators.tracking.assessments import label_of, reason_of
from evaluators.values.json_text import to_text


class RowTable(Struct, frozen=True):
    """A table. Cells are texts, numbers, true, false or None: never a number that is none."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def row_table(record: Run, variants: Sequence[str | None] | None = None) -> RowTable:
    """The rows of a run in order, those of one variant after those of another; those of `variants` alone where some are named.

    Columns: `variant` where there are some, `row`, `id`, the columns that make slices, the columns of the test set where cells
    were kept, each once; then for each evaluator `NAME.status`, `NAME.score`, `NAME.passed`, `NAME.reason`, and for each of its
    fields `NAME.PATH` with its status and `NAME.PATH.score`. Paths are as results spell them.
    """
    cells = _columns(record)
    chosen = record.each_variant if variants is None else variants
    return RowTable(tuple(_unique(_head(record, cells))), tuple(_lines(record, cells, chosen)))


def _columns(record: Run) -> tuple[str, ...]:
    """The columns of the test set, in its order; one that makes slices is known also where no cell was kept. `id` is there anyway."""
    found: dict[str, None] = {}
    for variant in record.each_variant:
        for row in record.each_row(variant):
            if row.cells is not None:
                found |= dict.fromkeys(row.cells)
    first = [name for name in record.facts.header if name in found]
    ids = "id" if record.result.columns.get("id") == "id" else None
    return tuple(name for name in dict.fromkeys([*(_sliced(record, found)), *first, *found]) if name != ids)


def _sliced(record: Run, kept: Mapping[str, None]) -> Iterator[str]:
    return (name for name in record.facts.slices if name not in kept)


def _head(record: Run, cells: tuple[str, ...]) -> Iterator[str]:
    if record.result.variants:
        yield "variant"
    yield from ("row", "id")
    yield from cells
    for one in record.facts.evaluators:
        yield from (f"{one.name}.{word}" for word in ("status", "score", "passed", "reason"))
        for path in one.fields:
            yield from (f"{one.name}.{path}", f"{one.name}.{path}.score")


def _unique(names: Iterator[str]) -> Iterator[str]:
    """The names; one that is there already gets a number."""
    taken: set[str] = set()
    for name in names:
        free, number = name, 1
        while free in taken:
            number += 1
            free = f"{name} ({number})"
        taken.add(free)
        yield free


def _lines(record: Run, cells: tuple[str, ...], variants: Sequence[str | None]) -> Iterator[tuple[Any, ...]]:
    for variant in variants:
        head = (variant,) if record.result.variants else ()
        for row in record.each_row(variant):
            kept = {**dict(zip(record.facts.slices, row.slices, strict=False)), **(row.cells or {})}
            yield (*head, row.number, row.id, *(_cell(kept.get(name)) for name in cells), *_found(record, row))


def _found(record: Run, row: RecordedRow) -> Iterator[Any]:
    facts = record.facts.evaluators
    for one, result in zip(facts, results_of(facts, row), strict=True):
        yield from (label_of(result), result.score, result.passed, reason_of(result))
        numbers = field_numbers(result)
        for place in range(len(one.fields)):
            measured = place < len(result.statuses)
            yield FIELD_STATUSES[result.statuses[place]].word if measured else None
            yield numbers[place] if measured else None


def _cell(cell: Any) -> Any:
    """A cell as platforms take it: documents as their text."""
    if cell is None or isinstance(cell, str | int | bool):
        return cell
    return to_text(cell)
