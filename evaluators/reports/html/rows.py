"""The rows of a page: the lines of the run folder that it shows, packed until a budget is spent.

Rows and codes come whole: every row is in the table. Outcomes, cells and what was read in cells come in pieces of some hundred
rows, which the page unpacks when it shows one of them. Pieces with rows in which something is wrong come first; the others get
what these leave of the budget.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.model.issues import CellError
from evaluators.model.rows import MISSING, Result, RowStatus
from evaluators.reports.html.label_cells import label_readers
from evaluators.reports.rows import results_of, with_full_reason
from evaluators.runs.kept_documents import chosen_document, document_of
from evaluators.runs.reader import RecordedRow, Run
from evaluators.runs.record_facts import CellReading
from evaluators.runs.record_lines import CellsLine, Recorded, RowLine, RowOutcome, code_lines
from evaluators.scoring.evaluators._texts import LabelRule
from evaluators.scoring.values.json_text import compact

BUDGET_BYTES: Final = 20 * 1024 * 1024
"""Packed bytes of pieces in one page."""
PIECE_BYTES: Final = 256 * 1024
MOST_CHARS: Final = 1_000_000
"""Characters of a cell; of a longer one the page has the beginning, and says so."""
_LEVEL: Final = 6

Encoded = dict[str, Any]
_LEFT_OUT: Final = (RowStatus.SKIPPED, RowStatus.NOT_MEASURED)
_NOTHING: Final = Recorded()
_PLAIN_BLANKS: Final = " \t\r\n"


class EmbeddedRows(Struct, frozen=True):
    """The packed rows of a page."""

    index: Encoded
    """The head of the rows: pieces, label cells, comparators by field."""
    elements: Mapping[str, bytes]
    """Packed lines, by the names of the elements that hold them."""


def embed_rows(
    record: Run, rules: Mapping[str, LabelRule] | None = None, budget: int = BUDGET_BYTES, *, only: int | None = None
) -> EmbeddedRows:
    """The rows of a run, or the one row with the number `only`, packed for a page, with at most `budget` bytes of pieces. With the `rules`
    of labels, each row says in which cells of label tables it is. Same rows, same bytes."""
    wrong, fine = _Pieces(budget), _Pieces(budget)
    elements: dict[str, bytes] = {}
    label_cells: list[dict[str, list[int]]] = []
    learned: list[dict[str, str]] = [{} for _ in record.facts.evaluators]
    readings = tuple(dict.fromkeys(reading for evaluator in record.facts.evaluators for reading in evaluator.readings))
    count = without = 0
    for position, variant in enumerate(record.each_variant):
        elements |= _row_elements(record, variant, position, only)
        readers = label_readers(record, rules or {}, variant)
        columns: dict[str, list[int]] = {str(table): [] for table in readers}
        for row in record.each_row(variant, only=only):
            for table, cell_of in readers.items():
                columns[str(table)].append(cell_of(row))
            if row.cells is None and not row.recorded:
                without += 1
            else:
                pieces = fine if all(map(_is_fine, row.verdicts)) else wrong
                if not pieces.full:
                    pieces.add(count, _lines_of(record, row, readings))
                    _learn_rules(record, row, learned)
            count += 1
        label_cells.append(columns)
        wrong.flush()
        fine.flush()
    chosen_rows = [*wrong.kept, *fine.kept[: fine.within(budget - wrong.spent)]]
    for number, (_, texts) in enumerate(chosen_rows):
        elements |= {f"{name}-{number}": text for name, text in zip(_Pieces.NAMES, texts, strict=True) if text}
    embedded_rows = sum(len(rows) for rows, _ in chosen_rows)
    size = sum(len(text) for _, texts in chosen_rows for text in texts)
    index = {
        "pieces": [rows for rows, _ in chosen_rows],
        "labelCells": label_cells,
        "rules": learned,
        "packed": _left_out_text(count, count - without - embedded_rows, embedded_rows, size, budget),
    }
    return EmbeddedRows(index, elements)


def _row_elements(record: Run, variant: str | None, index: int, only: int | None) -> dict[str, bytes]:
    """The packed table of codes and the packed rows of a variant, by the names of their elements, without what only comparisons of runs
    read. `index` is the place of the variant in the run.

    With `only`, the number of one row, there is that row alone, and the table has no other codes than the row's: a run of many rows may
    have as many codes.
    """
    verdicts: Sequence[Sequence[Result]] = record.verdicts(variant)
    lines: Iterable[RowLine] = record.row_lines(variant, verdicts, only)
    if only is not None:
        lines = [*lines]
        verdicts = [[known[line.codes[place]] for line in lines] for place, known in enumerate(verdicts)]
        lines = [replace(line, codes=[0] * len(verdicts)) for line in lines]
    codes = code_lines([evaluator.name for evaluator in record.facts.evaluators], verdicts)
    return {f"codes-{index}": _pack(codes), f"rows-{index}": _pack(map(_row_text, lines))}


def _row_text(line: RowLine) -> bytes:
    """A row as JSON, without its checksum and cluster, which are taken off the line: the page does not need them."""
    line.checksum = line.cluster = None
    return compact(line)


def _pack(texts: Iterable[bytes]) -> bytes:
    return zlib.compress(b"".join(text + b"\n" for text in texts), _LEVEL)


class _Pieces:
    """Pieces of packed lines, up to a budget: for each its rows, and the lines of each kind."""

    NAMES: Final = ("outcomes", "cells", "read")

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.kept: list[tuple[list[int], tuple[bytes, ...]]] = []
        self.full = False
        self.spent = self._size = 0
        self._rows: list[int] = []
        self._waiting: tuple[list[bytes], ...] = ([], [], [])

    def add(self, row: int, texts: Sequence[bytes]) -> None:
        """Adds the row at place `row` with its lines, one text for each of `NAMES`. Packs a piece when enough of them wait."""
        self._rows.append(row)
        for waiting, text in zip(self._waiting, texts, strict=True):
            waiting.append(text)
            self._size += len(text)
        if self._size >= PIECE_BYTES:
            self.flush()

    def flush(self) -> None:
        """Packs the waiting rows as a piece, and empties the list of those that wait. A piece that would go beyond the budget is left out,
        `full` becomes true, and no later piece is packed."""
        if not self._rows or self.full:
            return
        texts = tuple(zlib.compress(b"".join(lines), _LEVEL) if any(lines) else b"" for lines in self._waiting)
        size = sum(map(len, texts))
        self.full = self.spent + size > self.budget
        if not self.full:
            self.spent += size
            self.kept.append((self._rows, texts))
        self._rows, self._waiting, self._size = [], ([], [], []), 0

    def within(self, budget: int) -> int:
        """How many of the pieces, from the first one on, fit a budget."""
        for count, (_, texts) in enumerate(self.kept):
            budget -= sum(map(len, texts))
            if budget < 0:
                return count
        return len(self.kept)


def _left_out_text(rows: int, left_out: int, embedded_rows: int, size: int, budget: int) -> str:
    """The sentence on rows whose documents are not on the page; empty where none is left out.

    `left_out` is how many rows with documents in the run lack them here; `size` and `budget` are bytes.
    """
    if left_out <= 0:
        return ""
    return (
        f"{embedded_rows:,} of {rows:,} rows bring their documents along, rows with something wrong first "
        f"({size / 1048576:.1f} of at most {budget / 1048576:g} MB, packed). "
        f"The other {left_out:,} have their results only: `evaluators try SUITE --row N` shows any of them in full."
    )


def _is_fine(verdict: Result) -> bool:
    """Whether a row has a full score by one evaluator, or was left out by it without an issue."""
    if verdict.status is not RowStatus.SCORED:
        return verdict.status in _LEFT_OUT and verdict.issue is None
    return verdict.num == verdict.den and verdict.passed is not False


def _learn_rules(record: Run, row: RecordedRow, learned: Sequence[dict[str, str]]) -> None:
    """Adds the comparator of each recorded field to `learned`, a dict for each evaluator: rows whose outcomes were not kept have the
    same."""
    for evaluator, rules in zip(record.facts.evaluators, learned, strict=True):
        if evaluator.fields and len(rules) < len(evaluator.fields):
            for field in row.recorded.get(evaluator.name, _NOTHING).fields:
                if field.comparator is not None:
                    rules.setdefault(field.path, field.comparator)


def _lines_of(record: Run, row: RecordedRow, readings: Sequence[CellReading]) -> tuple[bytes, bytes, bytes]:
    """The outcomes of a row, its cells, and what was read in them: lines, each with its line feed."""
    outcomes = b"".join(text + b"\n" for text in _outcomes(row))
    cells = dict(row.cells or {})
    cut = {name: len(cell) for name, cell in cells.items() if isinstance(cell, str) and len(cell) > MOST_CHARS}
    read: Encoded = {}
    notes = {
        str(place): document_note(reading, cells) for place, reading in enumerate(readings) if reading.column in cells
    }
    if documents := {place: note for place, note in notes.items() if note}:
        read["documents"] = documents
    if reasons := dict(_reasons(record, row)):
        read["reasons"] = reasons
    if cut:
        read["cut"] = cut
        cells |= {name: cells[name][:MOST_CHARS] for name in cut}
    return (
        outcomes,
        compact(CellsLine(row.number, cells)) + b"\n" if cells else b"",
        compact({"row": row.number, **read}) + b"\n" if read else b"",
    )


def _outcomes(row: RecordedRow) -> Iterator[bytes]:
    """The lines of a row's outcomes as JSON: for each evaluator its reason, where it has one, and its fields."""
    for name, recorded in row.recorded.items():
        if recorded.reason is not None:
            yield compact(RowOutcome(recorded.reason, row=row.number, evaluator=name))
        yield from (compact(with_full_reason(field)) for field in recorded.fields)


def _reasons(record: Run, row: RecordedRow) -> Iterator[tuple[str, str]]:
    """The name of each evaluator with a reason that was not recorded as it is, but worded from codes or from what was recorded; and the
    reason."""
    for evaluator, result in zip(record.facts.evaluators, results_of(record.facts.evaluators, row), strict=True):
        if result.reason and result.reason != row.recorded.get(evaluator.name, _NOTHING).reason:
            yield evaluator.name, result.reason


def document_note(reading: CellReading, cells: Mapping[str, Any]) -> Encoded:
    """A note on the document in a cell: why it cannot be read, or its offsets. Empty where the cell is the document."""
    value, cell = document_of(reading, cells), cells[reading.column]
    if isinstance(value, CellError):
        return {"message": value.issue.message}
    if reading.how != "output" or not reading.lenient or not isinstance(cell, str) or value is MISSING:
        return {}
    chosen = chosen_document(reading, cells)
    found = chosen.found
    if found.how == "whole" and not (cell[: found.start] + cell[found.end :]).strip(_PLAIN_BLANKS):
        return {}
    note: Encoded = {
        "start": _utf16_length(cell[: found.start]),
        "end": _utf16_length(cell[: found.end]),
        "how": found.how,
    }
    return {**note, "which": chosen.which} if chosen.which else note


def _utf16_length(text: str) -> int:
    """The length of a text as scripts in a browser count it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
