"""About how many rows a test set has, from the beginning of its file: good enough to plan by, and never a figure."""

from __future__ import annotations

from typing import Final

from evaluators.testsets.memory_rows import MemoryRows
from evaluators.testsets.reader import Table, first_table
from evaluators.testsets.selection import Selected

_HEAD_BYTES: Final = 64 * 1024
_ONE_A_LINE: Final = (".jsonl", ".ndjson")
_BY_LINES: Final = (".csv", ".tsv", *_ONE_A_LINE)


def estimated_rows(table: Table) -> int | None:
    """About how many rows will be read; None where the beginning of the file does not tell."""
    if isinstance(table, MemoryRows):
        return table.count
    if isinstance(table, Selected):
        chosen = [one for one in (table.selection.limit, table.selection.sample) if one is not None]
        if table.selection.where and not chosen:
            return None
        every = estimated_rows(table.base)
        return min([*chosen, *([every] if every is not None else [])], default=None)
    files = first_table(table).files
    if not files or files[0].suffix not in _BY_LINES or files[0].compressed:
        return None
    head = files[0].head(_HEAD_BYTES)
    rows = head.count(b"\n") if files[0].suffix in _ONE_A_LINE else _ends_outside_quotes(head)
    return round(sum(file.size for file in files) * rows / len(head)) if head else 0


def _ends_outside_quotes(head: bytes) -> int:
    """Line ends that are not inside a quoted cell. A quote inside one is written twice, which changes nothing here."""
    return sum(part.count(b"\n") for part in head.split(b'"')[::2])
