"""The beginning of a text table: what separates its cells, which row is the header, and what speaks against it.

Strategy. Everything is worked out from the first 64 KiB. A file may say in a line of its own what separates its cells (`sep=;`, as
Excel has it); spreadsheets do not show that line, so it has no number. Lines of a title above the header are recognised and
refused, with the row to name: a header is never chosen silently. So are names of columns in two rows, as spreadsheets with merged cells
have them, and CoNLL, which is no table.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Final

from msgspec import Struct

from evaluators.model.issues import Blame, Issue
from evaluators.scoring.needs import ROLES
from evaluators.scoring.values.json_text import NotJSON, parse
from evaluators.scoring.values.late_pattern import late_pattern
from evaluators.scoring.values.quoting import first_texts, quote
from evaluators.testsets.byte_source import ByteSource, unusable_file
from evaluators.testsets.columns import DELIMITERS, usual_columns
from evaluators.testsets.delimited_rows import LARGEST_CELL
from evaluators.testsets.reader import HEADER_HINT

HEAD_BYTES: Final = 64 * 1024
NO_HEADER: Final = "no-header-row"
_FIRST_ROWS: Final = 20
_RULE: Final = re.compile(r"(?::?-{2,}:?)?")
"""A cell of the line below the header of a Markdown table; the outer ones are empty."""
_LONGEST_NAME: Final = 200
_SHOWN: Final = 4
_SEPARATOR_LINE: Final = re.compile(r'"?sep=([^\r\n])"?\1*[ \t]*(?:\r\n|\r|\n|\Z)', re.IGNORECASE)
_CONLL_LABEL: Final = late_pattern(r"O|[BIESLU]-\S+")
_NO_CONLL_TOKEN: Final = ("-DOCSTART-", "#")
_LEAST_ALIKE: Final = 2
_MOST_CONLL_LINES: Final = 200
_SHOWN_LETTERS: Final = 40

Numbered = tuple[int, list[str]]
"""A row that is not blank, and its number."""


class TableHead(Struct, frozen=True):
    """The header of a text table, and what was worked out on the way to it."""

    delimiter: str
    names: Sequence[str]
    row: int
    """The number of the header, as a spreadsheet shows it."""
    skipped_records: int
    """Records up to and including the header."""
    doubt: Issue | None = None
    """Why the header seems to be none."""


def table_head(source: ByteSource, text: str, whole: bool, usual: str | None) -> TableHead:
    """The header of a table that begins with this text, which may be the whole. `usual` is the delimiter of the format, if it has one.

    Raises Problems (testset) where there is no header, or where the first row seems to be a title above it.
    """
    separator_line = _SEPARATOR_LINE.match(text)
    text = text[separator_line.end() :] if separator_line is not None else text
    row = source.header_row
    if row is None:
        refuse_conll(source, text)
    delimiter = (
        source.delimiter
        or (separator_line[1] if separator_line is not None else usual)
        or likely_delimiter(text, row or 1)
    )
    numbered = list(islice(_numbered_records(text, delimiter), (row or 0) + _FIRST_ROWS if row else None))
    if row is None:
        header = next(((number, record) for number, record in numbered if record), None)
    else:
        header = next(((number, record) for number, record in numbered if number == row), (row, []))
    number, names = _usable_header(source, header, len(numbered), whole)
    rows = [(at, record) for at, record in numbered if at > number and record][:_FIRST_ROWS]
    if row is None and (
        source.delimiter is None or likely_delimiter(text) == delimiter
    ):  # another delimiter is told as such
        _refuse_title(source, (number, names), rows)
        if rows and rows[0][0] == number + 1:
            refuse_two_rows_of_names(source, number, names, rows[0][1])
    if (
        delimiter == "|"
        and rows
        and all(_RULE.fullmatch(cell.strip()) for cell in rows[0][1])
        and "-" in "".join(rows[0][1])
    ):
        hint = "write its rows as CSV, with a comma between cells and no line of hyphens"
        raise unusable_file(
            source, "markdown-table", f"row {rows[0][0]} is the line of hyphens of a Markdown table", hint
        )
    doubt = _issue_of_no_header(source, names, [record for _, record in rows], delimiter) if row is None else None
    return TableHead(delimiter, names, number, number + (separator_line is not None), doubt)


def likely_delimiter(text: str, first: int = 1) -> str:
    """The delimiter that gives the header, which is the row `first`, and the most rows the same number of cells; a comma when none does.

    Where the first rows are no header, it is the one that gives the most rows the same number of cells.
    """
    best, delimiter, most = (0, 0), ",", 0
    widest, other = (0, 0), ","
    for candidate in DELIMITERS.values():
        rows = [row for row in islice(_records(text, candidate), first - 1, first - 1 + _FIRST_ROWS) if row]
        widths = Counter(map(len, rows))
        width = len(rows[0]) if rows else 0
        if width > 1 and (widths[width], width) > best:
            best, delimiter, most = (widths[width], width), candidate, len(rows)
        usual = max(((count, cells) for cells, count in widths.items() if cells > 1), default=(0, 0))
        if usual > widest:
            widest, other = usual, candidate
    return delimiter if 2 * best[0] > most or widest[0] <= best[0] else other


def _records(text: str, delimiter: str) -> Iterator[list[str]]:
    """The cells of each row of a text; none for a blank line."""
    csv.field_size_limit(LARGEST_CELL)
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)


def _numbered_records(text: str, delimiter: str) -> Iterator[Numbered]:
    """The rows of a text, blank lines included, each with its number from 1 on."""
    yield from enumerate(_records(text, delimiter), start=1)


def _usable_header(source: ByteSource, header: Numbered | None, records: int, whole: bool) -> Numbered:
    """The header, unchanged, with its row. Raises Problems where there is none, where it is longer than what was read, and where it is
    empty. `records` is how many were read, `whole` says that they are all of the file."""
    if header is None:
        message = "the file is empty" if whole else "the file begins with blank lines only"
        raise unusable_file(source, "no-header", message, "the first row must hold the names of the columns")
    number, names = header
    if not whole and number >= records:
        message = f"the header is longer than {HEAD_BYTES:,} bytes"
        if source.header_row:
            message = f"row {number} is not within the first {HEAD_BYTES:,} bytes"
        raise unusable_file(source, "no-header", message, "the first row must hold the names of the columns")
    if not any(name.strip() for name in names):
        message = f"row {number} is empty" if number <= records else f"there is no row {number}"
        raise unusable_file(source, "no-header", message, HEADER_HINT)
    return number, names


def _refuse_title(source: ByteSource, header: Numbered, rows: Sequence[Numbered]) -> None:
    """Raises Problems where the first row seems to be a title, or a line such as `Project;Alpha`, above the header."""
    number, names = header
    filled = [name for name in names if name.strip()]
    if _roles_named(filled):
        return
    named = (at for at, record in rows if len(_roles_named(record)) > 1 and len(_filled_cells(record)) > len(filled))
    likely, has = next(named, None), "holds names of columns"
    alone = len(filled) == 1 and bool(names[0].strip())
    if likely is None and alone and rows:
        (width, _), *_ = Counter(len(record) for _, record in rows).most_common(1)
        wide = (at for at, record in rows if len(record) == width > 1 and len(_filled_cells(record)) > 1)
        likely, has = next(wide, None), "has several cells"
    if likely is None:
        return
    first = f'"{filled[0]}" is alone in row {number}' if alone else f"row {number} has {len(filled)} cells"
    hint = f"`header_row: {likely}` under test_set, or --header-row {likely}, says that row {likely} is the header"
    if has == "has several cells" and likely == number + 1 and len(names) == 1:
        hint += "; where it is none, put cells that hold what separates cells inside double quotes"
    raise unusable_file(source, "unclear-header", f"{first}, and row {likely} {has}", hint)


def _filled_cells(record: Sequence[str]) -> list[str]:
    return [cell for cell in record if cell.strip()]


def _roles_named(names: Sequence[str]) -> list[str]:
    """The roles for which one of the names is a usual one."""
    return [role for role in ROLES if usual_columns(names, role)]


def _issue_of_no_header(
    source: ByteSource, names: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str
) -> Issue | None:
    """The problem of a first row that looks like a row of values; None where it may be a header: it names a role, or none of its cells is a
    value or stands again below. The `delimiter` is for the example in the hint."""
    if _roles_named(names) or (not any(map(_is_value, names)) and not _value_stands_below(names, rows)):
        return None
    shown = first_texts([f'"{name}"' for name in names], _SHOWN)
    message = f"the first row, {shown}, looks like a row of cells, and not like the names of columns"
    example = delimiter.join(["id", "output", "expected"]).replace("\t", " TAB ")
    return Issue(
        NO_HEADER, Blame.TESTSET, message, source.name, f"write a line with the names above it, such as {example}"
    )


def _is_value(name: str) -> bool:
    """Whether a name of a column is more likely a cell: a number, a document, or a long text."""
    if len(name) > _LONGEST_NAME:
        return True
    with suppress(NotJSON):
        return not isinstance(parse(name.strip()), str)
    return False


def _value_stands_below(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether one of the names is also the value of a cell below it, in its own column."""
    return any(
        name.strip() and any(index < len(row) and row[index] == name for row in rows) for index, name in enumerate(names)
    )


def refuse_two_rows_of_names(source: ByteSource, row: int, names: Sequence[str], second: Sequence[str]) -> None:
    """Raises Problems where two rows name the columns together: the `names`, in the row of that number, say of what the columns are, and
    the `second` row says which, as in `vendor,,total,` above `gold,pred,gold,pred`. At least `_LEAST_ALIKE` names have the same cells
    below."""
    width = max(len(names), len(second))
    above, below = ([cell.strip() for cell in [*cells, *[""] * (width - len(cells))]] for cells in (names, second))
    groups: list[tuple[str, list[str]]] = []
    for name, cell in zip(above, below, strict=True):
        if groups and cell and name in ("", groups[-1][0]):
            groups[-1][1].append(cell)
        else:
            groups.append((name, [cell]))
    several = [cells for _, cells in groups if len(cells) > 1 and all(cells)]
    if (
        len(several) < _LEAST_ALIKE
        or any(cells != several[0] for cells in several)
        or len({*several[0]}) < len(several[0])
    ):
        return
    written = [f"{name} {cell}".strip() for name, cells in groups for cell in cells]
    shown = first_texts([f'"{cell}"' for cell in several[0]], _SHOWN)
    message = (
        f"rows {row} and {row + 1} hold the names of the columns together: {shown} stand below each of several names"
    )
    hint = f"write one row in place of both: {','.join(written)}"
    raise unusable_file(source, "two-header-rows", message, hint)


def refuse_conll(source: ByteSource, text: str) -> None:
    """Raises Problems for a text of CoNLL: a token in each line with its labels behind it, and an empty line after a sentence."""
    lines = [
        line.split()
        for line in text.splitlines()[:_MOST_CONLL_LINES]
        if line.strip() and not line.startswith(_NO_CONLL_TOKEN)
    ]
    if len(lines) < _LEAST_ALIKE or not all(len(line) > 1 and _CONLL_LABEL.fullmatch(line[-1]) for line in lines[:-1]):
        return
    if not any(line[-1] != "O" for line in lines[:-1]):
        return
    shown = quote(" ".join(lines[0]), _SHOWN_LETTERS)
    message = f"this is CoNLL, a token in each line with its label behind it ({shown}), and no table of rows"
    hint = (
        "write a JSON line for each sentence, with the spans of both sides: "
        '{"id": 1, "expected": [[0, 2, "PER"]], "output": [[0, 2, "PER"]]}'
    )
    raise unusable_file(source, "conll", message, hint)
