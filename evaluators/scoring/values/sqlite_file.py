"""SQLite files: the rows of a run, which this program writes, and which somebody else may have sent.

Nothing in such a file is run: no extension is loaded, no other file is attached, and no view or trigger calls a function. What it
holds is for the reader to check.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote

MOST_CELL_BYTES: Final = 256 * 1024**2
"""The longest text of one cell that is read."""
_BUSY_SECONDS: Final = 60.0
"""How long is waited for another process that reads or writes the file."""


def open_readonly(file: Path) -> sqlite3.Connection:
    """A connection that reads a file, to be closed. Raises sqlite3.Error where it is not there; what it holds is looked at later."""
    db = _connect(file, "ro")
    with close_on_error(db):
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_CELL_BYTES)
        db.execute("pragma query_only = on")
    return db


def open_writable(file: Path) -> sqlite3.Connection:
    """A connection that writes a file, which is made where it is not there. Raises sqlite3.Error."""
    return _connect(file, "rwc")


def open_shared(file: Path | str, tables: str) -> sqlite3.Connection:
    """A connection for several threads and processes to a file of this program's own, or to `:memory:`.

    The file is made where it is not there. `tables` are statements that create its tables where there are none. Raises sqlite3.Error.
    """
    db = sqlite3.connect(file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.executescript(tables)
    return db


def _connect(file: Path, mode: Literal["ro", "rwc"]) -> sqlite3.Connection:
    """A connection to a file, in the `mode` of SQLite that reads (`ro`) or writes (`rwc`) it. It attaches no other file, and its views and
    triggers call no functions. Raises sqlite3.Error."""
    place = os.path.abspath(file).replace(os.sep, "/")
    path = quote(os.fsencode(place if place.startswith("/") else f"/{place}"))  # of a share: `file:////server/…`
    db = sqlite3.connect(
        f"file:{path}?mode={mode}", timeout=_BUSY_SECONDS, uri=True, isolation_level=None, check_same_thread=False
    )
    with close_on_error(db):
        db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        db.execute("pragma trusted_schema = off")
        db.execute("pragma cell_size_check = on")
    return db


@contextmanager
def close_on_error(db: sqlite3.Connection) -> Iterator[None]:
    """Within the `with` block, the connection is closed where something goes wrong before its user has it."""
    try:
        yield
    except BaseException:
        db.close()
        raise
