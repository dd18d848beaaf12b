"""Opening a file of rows: its format goes by the name, else by its first bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from evaluators.issues import problem
from evaluators.testsets.byte_source import ByteSource, locate
from evaluators.testsets.encodings import encoding_note, seeming_encoding
from evaluators.testsets.reader import READERS, Reader
from evaluators.value_class import replace
from evaluators.values.json_text import NotJSON, parse

_SUITES: Final = (".yaml", ".yml")
_HEAD_BYTES: Final = 64 * 1024
_WORKBOOKS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How a workbook of Excel begins, and one of an old version of it."""


def open_table(source: ByteSource, format: str | None = None, *, known_encoding: bool = False) -> Reader:
    """The file of rows. Raises Problems when it cannot be opened, or is not of the format.

    Unless the encoding of the source is known, a file of text that is not UTF-8 is read as what it seems to be, with a note.
    """
    if format is None and source.suffix in _SUITES:
        hint = "a suite comes first and its test set second: evaluators run suite.yaml rows.csv"
        raise problem("not-rows", "this is a YAML file, and a file with rows is expected", where=source.name, hint=hint)
    reader = READERS.find(format or format_of(source))
    seeming = None if known_encoding else seeming_encoding(source)
    table = reader.open(source if seeming is None else replace(source, encoding=seeming))
    said = (source.note, None if seeming is None else encoding_note(source.name, seeming))
    return replace(table, notes=(*(note for note in said if note is not None), *table.notes))


def open_file(
    name: str, folder: Path, format: str | None = None, *, sheet: str | None = None, header_row: int | None = None
) -> Reader:
    """The file of that name, relative to `folder`; of a workbook that sheet, with its header in that row."""
    return open_table(replace(locate(name, folder), sheet=sheet, header_row=header_row), format)


def format_of(source: ByteSource) -> str:
    """The format that the file's name says, or else the one that its first bytes look like."""
    name = source.suffix.removeprefix(".")
    if name in READERS.shipped() and source.suffix in READERS.find(name).suffixes:
        return name  # the other readers need not be imported
    return _by_suffix().get(source.suffix) or _sniffed(source.head(_HEAD_BYTES))


def named_as_rows(path: Path) -> bool:
    """The file's name says that it holds rows."""
    return path.suffix.lower() in _by_suffix()


def _by_suffix() -> dict[str, str]:
    return {suffix: name for name in READERS.names() for suffix in READERS.find(name).suffixes}


def _sniffed(head: bytes) -> str:
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(_WORKBOOKS):
        return "xlsx"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"{"):
        return "jsonl" if _is_json(text.partition(b"\n")[0]) else "json"
    return "json" if text.startswith(b"[") else "csv"


def _is_json(line: bytes) -> bool:
    try:
        parse(line.strip())
    except NotJSON:
        return False
    return True
