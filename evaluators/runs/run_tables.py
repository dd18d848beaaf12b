"""The tables of `run.db`, and how such a file is opened: one that this program wrote, or one that somebody hands over.

What somebody hands over is data: its header is read before SQLite sees it, its tables must be those below to the letter (no view, no
trigger, no other column), and SQLite checks its pages and the types of its cells before a row of it counts.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from evaluators.model.issues import UPGRADE_HINT, problem
from evaluators.runs.run_json import damaged_run
from evaluators.runs.split_rows import Layout
from evaluators.scoring.values.files import is_own_file
from evaluators.scoring.values.sqlite_file import close_on_error, open_readonly, open_writable

RUN_DB: Final = "run.db"
FORMAT: Final = 1
"""The version of the tables. SQLite keeps it in the header of the file (`user_version`)."""
APPLICATION: Final = int.from_bytes(b"EVLS", "big")
"""What the header says of whose file it is (`application_id`)."""
TABLES: Final[Mapping[str, str]] = {
    "about": """(
  -- What two attempts at the run must have in common, each as a checksum or a version.
  name text primary key,
  value text not null
) strict, without rowid""",
    "columns": """(
  -- What the columns of the tables of rows hold: of which evaluator, slice or measure, and of which field.
  name text primary key,
  holds text not null,
  subject text not null,
  field text not null
) strict, without rowid""",
    "splits": """(
  -- The splits of the test set that are scored, in the order of the file: the number of the first row, how many row numbers there are
  -- (blank lines included), whether all rows are scored, and sums that no column has, as JSON, compressed with zlib.
  variant integer not null,
  split integer not null,
  first integer not null,
  span integer not null,
  finished integer not null,
  sums blob not null,
  primary key (variant, split)
) strict, without rowid""",
    "verdicts": """(
  -- What each code of an evaluator stands for: status, exact score and fields, as JSON; beside it what gates ask of it.
  variant integer not null,
  evaluator integer not null,
  code integer not null,
  verdict text not null,
  watched text not null,
  primary key (variant, evaluator, code)
) strict, without rowid""",
    "pairs": """(
  -- What each pair of labels of an evaluator stands for; nothing of an evaluator that has the code -2 in a row: its texts are no labels.
  variant integer not null,
  evaluator integer not null,
  code integer not null,
  expected text not null,
  output text not null,
  primary key (variant, evaluator, code)
) strict, without rowid""",
    "patterns": """(
  -- What each pattern of empty values of an evaluator stands for: by field, how many values of a row are expected to be empty, how many
  -- of them the output has, how many are expected, and how many of them the output leaves empty, as JSON.
  variant integer not null,
  evaluator integer not null,
  code integer not null,
  pattern text not null,
  primary key (variant, evaluator, code)
) strict, without rowid""",
    "outcomes": """(
  -- What an evaluator said of a field, a list or a row, as JSON. `kept` is 1 for the first ones of each `field`, 2 for the first rows,
  -- and 0 for those that only a small run keeps.
  variant integer not null,
  row integer not null,
  evaluator integer not null,
  field text not null,
  kept integer not null,
  line text not null
) strict""",
    "cells": """(
  -- The cells of a row, as JSON, where they are kept.
  variant integer not null,
  row integer not null,
  line text not null
) strict""",
    "answers": """(
  -- Each question that was asked of a judge or a function that costs, with its answer, as JSON, by split.
  variant integer not null,
  split integer not null,
  line text not null
) strict""",
}
"""Each table, with what it holds. Tables of rows come beside them, one a variant: see `rows_table`."""
_HEADER: Final = b"SQLite format 3\0"
_ROLLBACK: Final = b"\1\1"
"""What a header says of a file with a rollback journal."""
_JOURNAL: Final = bytes.fromhex("d9d505f920a163d7")
"""The end of a journal that names another file, which a run has none of: SQLite would remove that."""
_STRICT_SINCE: Final = (3, 37)
_TEXT: Final = "text not null"
_NUMBER: Final = "integer not null"
Cell: TypeAlias = int | str | bytes | None


def rows_name(variant: int) -> str:
    """The name of the table of the rows of a variant."""
    return f"rows{variant}"


def rows_table(layout: Layout) -> str:
    """The SQL of a table of rows, behind its name. The column `given` is a checksum of what a row gives, the outputs apart."""
    kinds = {"row": "integer primary key", "id": "text", "given": _NUMBER, "cluster": _TEXT}
    columns = [f"  {name} {kinds.get(name) or _sql_type(name)}" for name in layout.names]
    return "(\n" + ",\n".join(columns) + "\n) strict"


def _sql_type(name: str) -> str:
    """The SQL type of a column of rows, by its name."""
    return _TEXT if name.startswith(("slice", "measure")) else _NUMBER


def column_descriptions(layout: Layout) -> list[tuple[str, str, str, str]]:
    """The lines of the table `columns`: of each column its name, what it holds, the evaluator, slice or measure that it is
    about, and the field."""
    columns = [
        ("row", "row number", "", ""),
        ("id", "id", "", ""),
        ("given", "checksum of the row without its outputs", "", ""),
    ]
    columns += [("cluster", "cluster", "", "")] if layout.clustered else []
    columns += [(f"slice{place}", "slice", name, "") for place, name in enumerate(layout.slices)]
    columns += [(f"measure{place}", "measure", name, "") for place, name in enumerate(layout.measures)]
    columns += [
        (f"step{place}", "confidence", layout.evaluators[evaluator], field)
        for place, (evaluator, field) in enumerate(layout.steps)
    ]
    columns += [(f"pair{place}", "code in the table pairs", layout.evaluators[place], "") for place in layout.labelled]
    columns += [(f"empty{place}", "code in the table patterns", layout.evaluators[place], "") for place in layout.empties]
    return columns + [
        (f"code{place}", "code in the table verdicts", name, "") for place, name in enumerate(layout.evaluators)
    ]


def create_tables(db: sqlite3.Connection) -> None:
    """Makes the tables of an empty file, in one transaction."""
    db.execute("begin immediate")
    for name, definition in TABLES.items():
        make_table(db, name, definition)
    db.execute(f"pragma application_id = {APPLICATION}")
    db.execute(f"pragma user_version = {FORMAT}")
    db.execute("commit")


def make_table(db: sqlite3.Connection, name: str, definition: str) -> None:
    """Makes one table where it is not there. `definition` is the SQL behind its name.

    SQLite before 3.37 has no strict tables: there the word is left out, which concerns databases in memory alone (see `connect`).
    """
    old = sqlite3.sqlite_version_info < _STRICT_SINCE
    definition = definition.replace(" strict,", "").replace(" strict", "") if old else definition
    db.execute(f"create table if not exists {name} {definition}")


def connect(path: Path | None, readonly: bool = False) -> sqlite3.Connection:
    """Connects to the file, which a writer makes where it is not there; without a path, to an empty database in memory.

    Raises sqlite3.Error, also where this machine's SQLite is too old for files.
    """
    if path is None:
        return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    if sqlite3.sqlite_version_info < _STRICT_SINCE:
        message = f"SQLite {sqlite3.sqlite_version} is older than 3.37, which run.db needs"
        raise sqlite3.OperationalError(message)
    if readonly:
        return open_readonly(path)
    db = open_writable(path)
    with close_on_error(db):
        # the program may be killed at any moment; after a lost power the file may be damaged, which is noticed
        db.execute("pragma synchronous = off")
    return db


def check_file(file: Path) -> None:
    """Raises Problems (config) for what is no `run.db` of this version, by what is at the place and the first bytes of it."""
    if not os.path.lexists(file):
        raise damaged_run(f"there is no {RUN_DB}", str(file.parent))
    if not is_own_file(file):
        raise damaged_run("it is a link, or no file at all", str(file))
    try:
        with open(file, "rb") as stream:
            header = stream.read(100)
    except OSError as error:
        raise damaged_run(f"it cannot be read: {(error.strerror or str(error)).lower()}", str(file)) from None
    if not header:
        raise damaged_run("it is empty", str(file))
    if not header.startswith(_HEADER) or len(header) < 100:
        raise damaged_run("it is no SQLite file", str(file))
    # SQLite's header has the versions for writing and reading at 18, the user version at 60, and the application's id at 68
    if int.from_bytes(header[68:72], "big") != APPLICATION or header[18:20] != _ROLLBACK:
        raise damaged_run("it is an SQLite file of another program", str(file))
    if (number := int.from_bytes(header[60:64], "big")) != FORMAT:
        message = f"written in format {number}, and this version reads format {FORMAT}"
        raise problem("other-format", message, where=str(file), hint=UPGRADE_HINT)
    _check_journal(file)


def _check_journal(file: Path) -> None:
    """Raises Problems (config) for a journal beside the file that no run leaves."""
    journal = file.with_name(f"{file.name}-journal")
    if not os.path.lexists(journal):
        return
    if not is_own_file(journal):
        raise damaged_run("it is a link, or no file at all", str(journal))
    try:
        with open(journal, "rb") as stream:
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - len(_JOURNAL)))
            last = stream.read(len(_JOURNAL))
    except OSError:  # its transaction has ended
        return
    if last == _JOURNAL:
        raise damaged_run("it names another file", str(journal))


def check_tables(
    db: sqlite3.Connection, file: Path, layout: Layout | None = None, variants: int = 0, begun: bool = False
) -> None:
    """Raises Problems (config) where the tables are not those of a run.

    With a layout, there must be a table of rows for each variant with just these columns; one that has only `begun` may lack some.
    Raises sqlite3.Error for a file that is damaged beyond that.
    """
    entries: dict[str, tuple[Any, ...]] = {}  # (kind, SQL) of everything that the file has
    for kind, name, text in db.execute("select type, name, sql from sqlite_schema"):
        entries[str(name)] = (kind, text)
    wanted = {name: ("table", f"CREATE TABLE {name} {columns}") for name, columns in TABLES.items()}
    if layout is not None:
        names = [name for name in map(rows_name, range(variants)) if not begun or name in entries]
        wanted |= {name: ("table", f"CREATE TABLE {name} {rows_table(layout)}") for name in names}
    else:
        entries = {name: definition for name, definition in entries.items() if not _is_rows_table(name, definition)}
    if different := sorted(name for name in entries.keys() | wanted.keys() if entries.get(name) != wanted.get(name)):
        message = _table_difference(different[0], entries, wanted)
        raise damaged_run(message, str(file))


def check_pages(db: sqlite3.Connection, file: Path) -> None:
    """Raises Problems (config) where SQLite finds pages or cells damaged, or sqlite3.Error. Reads the whole file."""
    for (message,) in db.execute("pragma quick_check(1)"):
        if message != "ok":
            last = message.strip().rpartition("\n")[2]  # a heading says which database is meant
            raise damaged_run(f"SQLite finds it damaged: {last}", str(file))


def _is_rows_table(name: str, definition: Sequence[Any]) -> bool:
    """Whether an entry of the schema of SQLite, (kind, SQL), is a table of rows."""
    return definition[0] == "table" and name.startswith("rows") and name.removeprefix("rows").isdigit()


def _table_difference(name: str, entries: Mapping[str, Sequence[Any]], wanted: Mapping[str, Sequence[Any]]) -> str:
    """How a table differs from what a run makes: it lacks, is one too many, or has other columns. Both mappings have (kind, SQL) by name;
    a name that looks like no table's is not repeated."""
    shown = name if name.isidentifier() and len(name) <= 40 else "a name that no run gives"
    if name not in entries:
        return f"it has no table {shown}"
    if name not in wanted:
        return f"it has a {entries[name][0]} {shown}, which no run makes"
    return f"its table {shown} has other columns than a run makes"
