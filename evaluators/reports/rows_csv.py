"""The annotated rows: the user's own rows and columns back, and beside them what the run found.

For each evaluator a column `<evaluator>.score`. One that lists fields has `<evaluator>.aggregate_score`, which is the same
number under the name that Agenta gives it, and for each field a column `<evaluator>.<field>` with one word and
`<evaluator>.<field>.score` with a number. At the end stands `why`, one reason in plain words. Cells are guarded and quoted as
`csv_cells` says; a row without a score has an empty score cell, and `why` says why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final, TextIO

from msgspec import Struct

from evaluators.model import MISSING, FieldStatus, Outcome, Result, RowResult, RowStatus
from evaluators.reports.csv_cells import BYTE_ORDER_MARK, quoted
from evaluators.words import FIELD_WORDS, ROW_WORDS

WHY: Final = "why"

AGGREGATE: Final = "aggregate_score"

_WORD_OF_BYTE: Final = tuple(status.plain for status in FieldStatus)
_UNKEPT: Final = frozenset(
    {FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION, FieldStatus.ERROR, FieldStatus.NOT_JUDGED}
)
_FIRST_ROWS: Final = 100
_DECIMAL_COMMA: Final = re.compile(r"-?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+")
_MOST_NAMED: Final = 5
_LONGEST_VALUE: Final = 60


class Annotated(Struct, frozen=True):
    """An evaluator that the file has columns for, and its fields (none for an open tree)."""

    evaluator: str
    fields: tuple[str, ...] = ()


class MarkedRow(Struct, frozen=True):
    """One row of the test set: its own cells, a verdict per evaluator in the order of the columns, and the reason."""

    cells: Sequence[str]
    verdicts: Sequence[Result]
    why: str = ""


def field_numbers(verdict: Result) -> tuple[float | None, ...]:
    """What each listed field of a row scores: the share of its values that are right; None where none was measured.

    A field of one value scores 1 or 0. Partial credit is in the score of the row alone.
    """
    numbers = [_NUMBERS[status] for status in verdict.statuses]
    for place, right, measured in verdict.several():
        numbers[place] = right / measured
    return tuple(numbers)


_NUMBERS: Final = [
    None if status in (FieldStatus.NOT_MEASURED, FieldStatus.SKIPPED, FieldStatus.NOT_JUDGED)
    else float(status is FieldStatus.MATCH)
    for status in FieldStatus
]  # fmt: skip


def write_rows(
    stream: TextIO,
    header: Sequence[str],
    evaluators: Sequence[Annotated],
    rows: Iterable[MarkedRow],
    delimiter: str = ",",
    mark: bool = True,
) -> None:
    """Write the annotated rows. The stream is UTF-8 and does not translate line ends.

    Where cells are not separated by commas and the first rows hold numbers with a decimal comma, the numbers that are added have
    one as well: the file goes back to the same spreadsheet.
    """
    found = iter(rows)
    first = list(islice(found, _FIRST_ROWS)) if delimiter != "," else []
    comma = any(_DECIMAL_COMMA.fullmatch(cell.strip()) for row in first for cell in row.cells)
    if mark:
        stream.write(BYTE_ORDER_MARK)
    stream.writelines(_lines(header, evaluators, chain(first, found), delimiter, "," if comma else "."))


def _lines(
    header: Sequence[str], evaluators: Sequence[Annotated], rows: Iterable[MarkedRow], delimiter: str, point: str
) -> Iterator[str]:
    yield quoted((*header, *added_columns(header, evaluators)), delimiter) + "\r\n"
    lengths = [len(each.fields) for each in evaluators]
    spelled: dict[tuple[int, int], tuple[Result, str]] = {}  # equal rows share a verdict, which is kept alive here
    for row in rows:
        if len(row.cells) > len(header):
            raise ValueError(f"a row has {len(row.cells)} cells under {len(header)} columns")
        parts = [quoted([*row.cells, *("",) * (len(header) - len(row.cells))], delimiter)]
        for verdict, fields in zip(row.verdicts, lengths, strict=True):
            known = spelled.get((id(verdict), fields))
            if known is None:
                known = spelled[id(verdict), fields] = verdict, quoted(_spelled(verdict, fields, point), delimiter)
            parts.append(known[1])
        parts.append(quoted((row.why,), delimiter))
        yield delimiter.join(parts) + "\r\n"


def _spelled(verdict: Result, fields: int, point: str) -> Iterator[str]:
    """The cells of one evaluator that lists so many fields."""
    yield from [_number(verdict.score, point)] * (2 if fields else 1)
    for code, number in zip(verdict.statuses, field_numbers(verdict), strict=True):
        yield _WORD_OF_BYTE[code]
        yield _number(number, point)
    yield from [""] * (2 * (fields - len(verdict.statuses)))


def _number(value: float | None, point: str) -> str:
    return "" if value is None else repr(value).replace(".", point)


def added_columns(header: Sequence[str], evaluators: Sequence[Annotated]) -> tuple[str, ...]:
    """The names of the columns that are added; one that the file has already gets a number: `why (2)`."""
    taken = set(header)
    added: list[str] = []
    for each in evaluators:
        added.extend(_free(name, taken) for name in _columns(each))
    added.append(_free(WHY, taken))
    return tuple(added)


def _columns(each: Annotated) -> Iterator[str]:
    yield f"{each.evaluator}.score"
    if each.fields:
        yield f"{each.evaluator}.{AGGREGATE}"
    for field in each.fields:
        yield f"{each.evaluator}.{field}"
        yield f"{each.evaluator}.{field}.score"


def _free(name: str, taken: set[str]) -> str:
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    taken.add(free)
    return free


def why(row: RowResult) -> str:
    """What kept a row from a full score, in plain words; empty when nothing did."""
    said = ((name, why_of(result)) for name, result in row.results.items())
    return "; ".join(f"{name}: {reason}" for name, reason in said if reason)


def why_of(result: Result) -> str:
    """What kept a row from the full score of one evaluator, in plain words; empty when nothing did."""
    if result.issue is not None and (result.score is None or result.status is not RowStatus.SCORED):
        return f"{ROW_WORDS[result.status.word].of_reason}{result.issue.message}"
    if result.score is None:
        return result.reason or result.status.plain
    if result.score == 1 and result.passed is not False:
        return ""
    unkept = [field for field in result.fields if field.status in _UNKEPT]
    if not unkept:
        return result.reason or ("did not pass" if result.passed is False else "")
    named = ", ".join(_field_reason(field) for field in unkept[:_MOST_NAMED])
    rest = len(unkept) - _MOST_NAMED
    return f"{named} and {rest:,} more" if rest > 0 else named


def _field_reason(field: Outcome) -> str:
    said = f"{field.path} {FIELD_WORDS[field.status.word].of_reason}"
    in_both = field.expected is not MISSING and field.actual is not MISSING
    one_sided = field.status is FieldStatus.OMISSION or field.status is FieldStatus.HALLUCINATION
    if field.status is FieldStatus.NOT_JUDGED or (field.reason and (in_both or not one_sided)):
        return f"{said} ({field.reason})" if field.reason else said
    if one_sided:
        before, value = ("expected ", field.expected) if field.status is FieldStatus.OMISSION else ("", field.actual)
        return said if value is MISSING else f"{said} ({before}{_short(value)})"
    return f"{said} (expected {_short(field.expected)}, found {_short(field.actual)})" if in_both else said


def _short(value: object) -> str:
    text = _spelt(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


_spelt: Final = json.JSONEncoder(ensure_ascii=False, default=str).encode
