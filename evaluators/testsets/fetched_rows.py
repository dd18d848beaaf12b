"""Rows from elsewhere than a file (a platform, a database, a program), written once as JSON lines and then read like a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from evaluators.model.issues import Issue
from evaluators.scoring.needs import Role
from evaluators.scoring.values.json_text import compact
from evaluators.testsets.byte_source import temporary_file


class FetchedRows(Struct, frozen=True):
    """Rows in a file that is there until the program ends."""

    name: str
    """What messages call them."""
    file: str
    header: tuple[str, ...] | None = None
    """The columns, where the file itself may not show them all."""
    roles: Mapping[Role, str] = field(default_factory=dict)
    """The columns whose role is known."""
    notes: tuple[str, ...] = ()
    unrepeatable: str | None = None
    """Why the same rows may come in another order when they are fetched anew; None where they do not."""
    warnings: tuple[Issue, ...] = ()
    """What keeps no row from being measured, and has to be said."""
    index: Any = None
    """The index of the data frame that the rows were given as."""


def write_lines_file(rows: Iterable[Mapping[str, Any]]) -> str:
    """Writes the rows as JSON lines into a file that is there until the program ends, and gives its name."""
    with temporary_file() as file:
        file.writelines(compact(dict(row)) + b"\n" for row in rows)
    return file.name
