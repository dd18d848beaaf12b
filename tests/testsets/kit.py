"""What the tests of several readers need: files that are opened, and their rows with their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluators.model.settings import build
from evaluators.scoring.needs import Role
from evaluators.testsets.byte_source import ByteSource
from evaluators.testsets.opening import open_test_set
from evaluators.testsets.reader import READERS, Reader
from evaluators.testsets.selection import Selection
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import TestSetConfig


def open_set(
    folder: Path, settings: str | Mapping[str, Any], needed: tuple[Role, ...] = ("output", "expected"), **choice: Any
) -> TestSet:
    """The test set that settings in a folder describe, with the rows of a selection."""
    config = build(TestSetConfig, settings, noun="test_set")
    return open_test_set(config, folder, needed=needed, selection=Selection(**choice))


def open_reader(file: Path, content: bytes | str, format: str, encoding: str = "utf-8") -> Reader:
    """The reader of a file with this content, which is written first."""
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return READERS.find(format).open(ByteSource(str(file), file.name, encoding=encoding))


def numbered(table: Reader, columns: Sequence[str] | None = None) -> list[tuple[int, list[object]]]:
    """Every row as its number, which is that of a spreadsheet, and its cells."""
    names = list(table.header) if columns is None else columns
    rows: list[tuple[int, list[object]]] = []
    before = 0
    for split in table.splits():
        span = 0
        for chunk in table.read(split, names):
            cells = [chunk.columns[name] for name in names]
            assert all(len(column) == chunk.count for column in cells)
            rows += (
                (table.first_number + before + offset, [column[index] for column in cells])
                for index, offset in enumerate(chunk.offsets)
            )
            span = chunk.span
        before += span
    return rows
