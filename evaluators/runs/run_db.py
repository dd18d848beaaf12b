"""`run.db`: all that a run keeps of its rows, in one SQLite file that is written split by split, in their order.

A split is one transaction, so that a run that was ended has its first splits and nothing else; whoever goes on takes the next one. Row
numbers and codes are those of the run from the start. Figures are counted from it at the end, and readers ask it.

Without a file, columns stay in memory as they come, and nothing is kept that figures are not counted from. The same happens where
the file takes nothing at all; `RunDb.refused` then says why.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from evaluators.model.issues import Issue, Problems, encodable
from evaluators.runs.columns import MemoryColumns
from evaluators.runs.run_json import damaged_run
from evaluators.runs.run_tables import RUN_DB, check_file, check_pages, check_tables, connect, create_tables
from evaluators.runs.split_rows import Layout
from evaluators.runs.store import write_issue
from evaluators.scoring.values.sqlite_file import close_on_error

__all__ = ["EXPECTED", "RUN_DB", "RunDb", "damage_as_problem", "encodable_rows"]


class RunDb:
    """The rows of a run, in a file or in memory. `rows` gives those of a variant, and `RowWriter` writes them."""

    def __init__(self, path: Path | None = None, readonly: bool = False) -> None:
        """Opens the file, which has tables afterwards; memory without one.

        Raises Problems: (config) for a file that no run of this version has written, (environment) where the system does not take it.
        """
        self.path = path
        self.refused: Issue | None = None
        """Why the rows are in memory, where the file was meant to have them."""
        self.memory: dict[int, MemoryColumns] | None = {} if path is None else None
        """The columns of each variant, where they are in memory."""
        if path is not None and (readonly or (os.path.lexists(path) and path.stat().st_size)):
            self.connection = _open_existing(path, readonly)
        else:
            self.connection = self._new_database()

    def _new_database(self) -> sqlite3.Connection:
        """A new database with the tables of a run, in the file; in memory where there is none, or the system does not take it
        (`refused` then says why)."""
        if self.path is not None and self.memory is None:
            try:
                db = connect(self.path)
                with close_on_error(db):
                    create_tables(db)
            except sqlite3.Error as error:
                self.refused, self.memory = self.refusal(error), {}
            else:
                return db
        db = connect(None)
        create_tables(db)
        return db

    def give_up(self, error: sqlite3.OperationalError) -> None:
        """Goes on with empty tables in memory, because the system did not take the file. Raises Problems (environment) where
        the file already has splits."""
        if self.memory is not None or self._has_splits():
            raise Problems([self.refusal(error)]) from error
        self.connection.close()
        self.refused, self.memory = self.refusal(error), {}
        self.connection = self._new_database()

    def refusal(self, error: sqlite3.Error) -> Issue:
        """The issue (environment) of an error of SQLite, under the name of the run's folder."""
        name, folder = getattr(error, "sqlite_errorname", ""), self.path.parent if self.path is not None else Path()
        number = next((number for word, number in _SYSTEM.items() if name.startswith(word)), None)
        refusal = _size_refusal(folder) if number is None else OSError(number, os.strerror(number))
        return write_issue(refusal or OSError(str(error)), str(folder), "the run folder")

    def about(self) -> dict[str, str]:
        """The facts that were noted for the run, by name: another attempt at it must have the same."""
        with damage_as_problem(self.path):
            pairs = self.connection.execute("select name, value from about").fetchall()
            if not all(isinstance(cell, str) for row in pairs for cell in row):
                raise ValueError("text is expected in the table about")
        return dict(pairs)

    def note(self, about: Mapping[str, str]) -> None:
        """Writes the facts that another attempt must have in common with this one, all of them or none. Facts by other names are kept.

        Raises Problems (environment) where the file does not take it and has splits.
        """
        lines = encodable_rows(about.items())
        if dict(lines).items() <= self.about().items():
            return
        try:
            with self.transaction():
                self.connection.executemany("insert or replace into about values (?, ?)", lines)
        except sqlite3.OperationalError as error:
            self.give_up(error)

    def splits(self) -> int:
        """How many splits are finished."""
        count: int = self.connection.execute("select count(*) from splits where finished").fetchone()[0]
        return count

    def _has_splits(self) -> bool:
        """Whether the file holds a finished split, or cannot be asked: then it must not be given up."""
        try:
            return self.splits() > 0
        except sqlite3.Error:
            return True

    def expected_splits(self) -> int | None:
        """How many splits the variants that have begun will have in all; None where no variant has noted it."""
        values = [value for name, value in self.about().items() if name.startswith(EXPECTED)]
        known = [int(value) for value in values if len(value) <= _SPLIT_DIGITS and value.isascii() and value.isdecimal()]
        return sum(known) if known else None

    def check_rows(self, layout: Layout, variants: int, begun: bool = False) -> None:
        """Raises Problems (config) where the file has other tables of rows, or SQLite finds it damaged. A run that has only `begun` may
        lack those of some variants."""
        if self.path is not None and self.memory is None:
            with damage_as_problem(self.path):
                check_tables(self.connection, self.path, layout, variants, begun)
                check_pages(self.connection, self.path)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Runs the block as one transaction: all that is written in it is kept, or nothing.

        Raises sqlite3.OperationalError where the system does not take it, and Problems (config) for a file that holds what no run writes.
        """
        db = self.connection
        try:
            db.execute("begin immediate")
            yield
            db.execute("commit")
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            if self.memory is not None:
                raise
            raise damaged_run(f"it cannot be written: {error}", str(self.path)) from error
        finally:
            if db.in_transaction:
                db.execute("rollback")

    def close(self) -> None:
        """Closes the file: it can be renamed then, on every system."""
        self.connection.close()


_SYSTEM: Final = {
    "SQLITE_FULL": errno.ENOSPC, "SQLITE_READONLY": errno.EROFS, "SQLITE_CANTOPEN": errno.EACCES, "SQLITE_PERM": errno.EACCES,
}  # fmt: skip
"""What the system had said, by SQLite's own word for it."""


EXPECTED: Final = "splits of "
"""How the names begin under which it is noted how many splits a table of rows will have."""
_SPLIT_DIGITS: Final = 9
"""How long a number of splits may be."""
_SPLIT_BYTES: Final = 64 * 1024**2
"""More than what a split adds to the file."""


def _size_refusal(folder: Path) -> OSError | None:
    """The system's own error for a file in the folder as large as those of a run, which SQLite does not report; None where the
    system takes one."""
    from tempfile import TemporaryFile

    try:
        size = sum(entry.stat().st_size for entry in os.scandir(folder) if entry.name.startswith(RUN_DB))
        with TemporaryFile(dir=folder) as file:
            file.truncate(size + _SPLIT_BYTES)
    except OSError as error:
        return error
    return None


def _open_existing(path: Path, readonly: bool) -> sqlite3.Connection:
    """Opens a file that has the tables of a run. Raises Problems (config) where it is damaged, or no run has written it."""
    check_file(path)
    with damage_as_problem(path):
        db = connect(path, readonly)
        with close_on_error(db):
            check_tables(db, path)
    return db


@contextmanager
def damage_as_problem(path: Path | None) -> Iterator[None]:
    """Raises Problems (config) that name the file, in place of the errors that reading a damaged one causes. Errors about what
    is in memory alone (`path` None) stay as they are: they are bugs."""
    try:
        yield
    except (
        sqlite3.Error,
        msgspec.MsgspecError,
        LookupError,
        TypeError,
        ValueError,
        ArithmeticError,
        RecursionError,
    ) as error:
        if path is None:
            raise
        raise damaged_run(f"it cannot be read: {error}", str(path)) from error


def encodable_rows(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    """The rows with texts that UTF-8 can hold: half of a surrogate pair is written in words."""
    return [[encodable(cell) for cell in row] for row in rows]
