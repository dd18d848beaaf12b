"""The annotated rows: the user's own rows and columns back, and beside them what the run found.

For each evaluator a column `<evaluator>.score`. One that lists fields has `<evaluator>.aggregate_score`, which is the same
number under the name that Agenta gives it, and for each field a column `<evaluator>.<field>` with one word and
`<evaluator>.<field>.score` with a number. At the end stands `why`, one reason in plain words. Cells are guarded and quoted as
`csv_cells` says; a row without a score has an empty score cell, and `why` says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TextIO

from evaluators.model.rows import FIELD_STATUSES, Result
from evaluators.reports.csv_cells import BYTE_ORDER_MARK, Spelling, cell_text, quote_cells
from evaluators.reports.names import flat_columns
from evaluators.reports.rows import RowView, field_numbers
from evaluators.scoring.values.json_text import to_text

WHY: Final = "why"
AGGREGATE: Final = "aggregate_score"


def write_rows(
    stream: TextIO,
    header: Sequence[str],
    evaluators: Sequence[tuple[str, Sequence[str]]],
    rows: Iterable[RowView],
    spelling: Spelling = Spelling(),
) -> None:
    """Writes the annotated rows as CSV: the cells under the `header`, columns for these evaluators, each with its fields, and the reason.

    The stream is UTF-8 and does not translate line ends.
    """
    delimiter = spelling.delimiter
    if spelling.mark:
        stream.write(BYTE_ORDER_MARK)
    columns = flat_columns(evaluators, ("score",), listing=(AGGREGATE,), before=header, after=(WHY,))
    stream.write(quote_cells(columns, delimiter) + "\r\n")
    lengths = [len(fields) for _, fields in evaluators]
    stream.writelines(_lines(header, lengths, rows, delimiter, spelling.decimal))


def _lines(
    header: Sequence[str], lengths: Sequence[int], rows: Iterable[RowView], delimiter: str, point: str
) -> Iterator[str]:
    """The lines of the file: the user's own cells, the cells of each evaluator, and why; without the head.

    `header` are the columns of the user, and `lengths` has the number of fields of each evaluator; `point` is the mark of decimals.
    """
    texts: dict[tuple[object, ...], str] = {}  # equal rows are spelled once
    for row in rows:
        parts = [quote_cells(_own_cells(header, row), delimiter)]
        for result, fields in zip(row.evaluators, lengths, strict=True):
            key = (fields, result.num, result.den, result.statuses, result.values)
            if key not in texts:
                texts[key] = quote_cells(_evaluator_cells(result, fields, point), delimiter)
            parts.append(texts[key])
        parts.append(quote_cells((row.why,), delimiter))
        yield delimiter.join(parts) + "\r\n"


def _own_cells(header: Sequence[str], row: RowView) -> list[str]:
    """The cells of the row as the file has them."""
    cells = row.cells or {}
    return [_text(cells[name]) if name in cells else "" for name in header]


def _text(cell: Any) -> str:
    return cell if isinstance(cell, str) else to_text(cell)


def _evaluator_cells(result: Result, fields: int, point: str) -> Iterator[str]:
    """The cells of one evaluator that lists so many `fields`: its score, twice where it lists any, then word and score of each field.
    Fields that the result does not have are empty cells."""
    yield from [cell_text(result.score, point)] * (2 if fields else 1)
    for code, number in zip(result.statuses, field_numbers(result), strict=True):
        yield FIELD_STATUSES[code].plain
        yield cell_text(number, point)
    yield from [""] * (2 * (fields - len(result.statuses)))
