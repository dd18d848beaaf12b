"""Whether a text is JSON, XML, YAML, Markdown or CSV, from its first character to its last.

One function per format. Each gives what it found as details, or raises `Malformed` with what is wrong and where.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from evaluators.scoring.values import json_text
from evaluators.scoring.values.quoting import kind, quote

Details = Mapping[str, object]

LARGEST_CELL: Final = 2**31 - 1
"""The longest cell that `csv` can be told to read on every platform."""


class Malformed(ValueError):
    """The text is not in the format."""

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.details = details


class Refused(Malformed):
    """The text may be in the format, but is not read: it could be made to explode."""


def json_details(text: str) -> Details:
    """`kind`: which kind of JSON value the whole text is. Raises Malformed."""
    try:
        return {"kind": kind(json_text.parse(text))}
    except json_text.NotJSON as error:
        raise Malformed(str(error), **_place_details(text, error.position)) from error


def xml_details(text: str) -> Details:
    """`root`: the name of the root element of an XML text. Raises Malformed.

    A document type is passed over; one that declares entities raises Refused, because they can be made to explode.
    """
    from xml.etree.ElementTree import ParseError

    from defusedxml import DefusedXmlException, EntitiesForbidden
    from defusedxml.ElementTree import fromstring

    text = text.strip()
    if not (text.startswith("<") and text.endswith(">")):
        raise Malformed('XML starts with "<" and ends with ">"')
    try:
        return {"root": fromstring(text).tag}
    except ParseError as error:
        line, column = error.position
        message = str(error).partition(": line ")[0]
        raise Malformed(f"{message} at line {line}, column {column + 1}", line=line, column=column + 1) from error
    except EntitiesForbidden as error:
        raise Refused(
            f"it declares the entity {quote(error.name)}, and entities can make a small text explode"
        ) from error
    except DefusedXmlException as error:
        raise Refused("it asks for a file from elsewhere") from error
    except UnicodeEncodeError as error:
        raise Malformed(
            f"half of a character at character {error.start + 1}", **_place_details(text, error.start)
        ) from error


def yaml_details(text: str) -> Details:
    """`kind`: whether the YAML text is a map or a list. Raises Malformed, also for a bare word or sentence, which is YAML but says
    nothing."""
    from evaluators.scoring.values.yaml_text import NotYAML, load_untrusted

    try:
        value = load_untrusted(text)
    except NotYAML as error:
        raise Malformed(str(error), line=error.line, column=error.column) from error
    if not isinstance(value, (dict, list)):
        raise Malformed("a map or a list was expected, found a single value")
    return {"kind": "a map" if isinstance(value, dict) else "a list"}


def markdown_details(text: str) -> Details:
    """`found`: which of the seven kinds of Markdown occur in the text. Raises Malformed where none does."""
    formats = [name for name, occurs in _MARKDOWN.items() if occurs(text)]
    if not formats:
        raise Malformed(f"no Markdown found: none of {', '.join(_MARKDOWN)}")
    return {"found": formats}


def csv_details(text: str) -> Details:
    """`delimiter`, `columns` and `rows` of a CSV text, without the header. Raises Malformed where no delimiter gives a table."""
    if sum(1 for line in text.splitlines() if line.strip()) < 2:
        raise Malformed("a header and at least one row of data are needed")
    complaint = ""
    for delimiter, name in _DELIMITERS.items():
        try:
            columns, rows = _table_size(text, delimiter)
            return {"delimiter": delimiter, "columns": columns, "rows": rows - 1}
        except Malformed as error:
            complaint = complaint or (f"; with {name}, {error}" if error.details else "")
    raise Malformed(f"no delimiter gives every row the same number of cells, at least two{complaint}")


_DELIMITERS: Final = {",": "a comma", "\t": "a tab", ";": "a semicolon", "|": "a bar"}


def _table_size(text: str, delimiter: str) -> tuple[int, int]:
    """(columns, rows) of a table, header included. Raises Malformed, with details where the text looks like a table but is none."""
    if delimiter not in text:
        raise Malformed("there is none")
    csv.field_size_limit(LARGEST_CELL)  # else a long cell would be malformed or not by what ran before
    columns = rows = 0
    try:
        for cells in csv.reader(text.splitlines(keepends=True), delimiter=delimiter, strict=True):
            if not "".join(cells).strip() and len(cells) < 2:
                continue
            rows += 1
            columns = columns or len(cells)
            if columns < 2:
                raise Malformed("the header has one cell")
            if len(cells) != columns:
                raise Malformed(f"the header has {columns} cells and row {rows} has {len(cells)}", row=rows)
    except csv.Error as error:
        raise Malformed(f"row {rows + 1} is not closed or quoted rightly ({error})", row=rows + 1) from error
    if rows < 2:
        raise Malformed("there is a header and no row of data", row=1)
    return columns, rows


def _has_links(text: str) -> bool:
    """Whether some line of the text has a link."""
    return any(_has_link(line) for line in text.split("\n"))


def _has_link(line: str) -> bool:
    """Whether a line has a link: `[…](…)` with something in both brackets."""
    opened = line.find("[")
    turn = line.find("](", opened + 2)
    return 0 <= opened < turn and line.rfind(")") > turn + 2


def _has_bold(text: str) -> bool:
    """Whether a line has bold text between two pairs of stars."""
    for line in text.splitlines():
        start = line.find("**")
        if start >= 0 and line.find("**", start + 3) > 0:
            return True
    return False


def _pattern_search(pattern: str) -> Callable[[str], object]:
    """A function that looks for a pattern in a text, with `^` and `$` at each line."""
    return re.compile(pattern, re.MULTILINE).search


_MARKDOWN: Final[dict[str, Callable[[str], object]]] = {
    "a heading (# …)": _pattern_search(r"^#{1,6}\s"),
    "a bulleted list (- …)": _pattern_search(r"^[^\S\n]*[-*+]\s"),
    "a numbered list (1. …)": _pattern_search(r"^[^\S\n]*\d+\.\s"),
    "a link ([…](…))": _has_links,
    "a code fence (```)": lambda text: "```" in text,
    "a quotation (> …)": _pattern_search(r"^>\s"),
    "bold text (**…**)": _has_bold,
}

FORMATS: Final[dict[str, Callable[[str], Details]]] = {
    "json": json_details,
    "xml": xml_details,
    "yaml": yaml_details,
    "markdown": markdown_details,
    "csv": csv_details,
}


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """The line and column of a character, as an editor counts them."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def _place_details(text: str, position: int | None) -> dict[str, Any]:
    """The details of a place in a text: position, line and column; nothing where it is not known."""
    if position is None:
        return {}
    line, column = line_and_column(text, position)
    return {"position": position, "line": line, "column": column}
