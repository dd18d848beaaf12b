"""Rows of a database: the rows of one statement, fetched once into a file of JSON lines, and then read like a file of rows.

The statement runs once, in one transaction that may only read. Its rows are streamed, so that neither side holds them all, into
a temporary file. From there on everything is as with a file: pieces for several processes, a second look at the rows, a
fingerprint of what they hold. A database that is asked twice may answer with other rows in between.

Cells say exactly what the database said. A text stays a text and a whole number a number. A decimal is its digits as a text, as in a
CSV file, because `19.90` read as a number is no longer `19.90`. Dates and times are texts in ISO 8601, those with a time zone in
UTC. A document of a JSON column is the database's own text. What is NULL is left out.

A connection string holds a password. It comes from an environment variable, and nothing of it is ever said: of what a driver
says, every part of it is taken out.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO, Final
from urllib.parse import quote, unquote_plus

import msgspec
from msgspec import Struct

from evaluators.model.issues import Blame, Issue, Problems, extra_hint, problem
from evaluators.scoring.values.json_text import compact
from evaluators.testsets.byte_source import temporary_file
from evaluators.testsets.fetched_rows import FetchedRows
from evaluators.testsets.query_settings import WHERE, DatabaseConnection, says_an_order

ROWS: Final = "query"
"""What messages call the rows of a statement."""
UNORDERED: Final = "the statement has no ORDER BY, so its rows may come in another order each time"
_TIMES: Final = 2
"""How often a statement is begun whose connection is cut."""
_AT_ONCE: Final = 1000
"""The rows that are fetched at a time."""
_ADDRESS: Final = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:])")
_HIDDEN: Final = "…"
_PLAIN: Final = frozenset({str, int, bool})
_encode: Final = msgspec.json.Encoder().encode
_PACKAGES: Final = {
    "psycopg": "psycopg[binary]", "psycopg2": "psycopg2-binary", "MySQLdb": "mysqlclient", "pymysql": "pymysql",
    "mysql": "mysql-connector-python", "duckdb": "duckdb", "duckdb_engine": "duckdb-engine", "oracledb": "oracledb",
}  # fmt: skip
"""What pip calls the packages of drivers."""
_DIALECTS: Final = {"duckdb": "duckdb-engine", "snowflake": "snowflake-sqlalchemy", "bigquery": "sqlalchemy-bigquery",
                    "redshift": "sqlalchemy-redshift", "databricks": "databricks-sqlalchemy"}  # fmt: skip
"""What brings the databases that SQLAlchemy does not know by itself."""


class _QueryProgress(Struct):
    """The progress of a statement."""

    begun: bool = False
    rows: int = 0


def query_rows(statement: str, connection: DatabaseConnection, folder: Path) -> FetchedRows:
    """The rows of a statement, fetched into a temporary file; a statement whose connection is cut is tried once more. Raises Problems:
    blame config for the statement and the settings, environment for a database that does not answer or that goes away, testset for rows
    that cannot be cells."""
    try:
        import sqlalchemy  # noqa: F401  # whether it is there
    except ImportError:
        hint = extra_hint("sql")
        raise problem("missing-extra", '"sql" needs a package that is not installed', hint=hint) from None
    statement, secret = statement.strip().rstrip(";"), connection.address(folder)
    for attempt in range(1, _TIMES + 1):
        progress = _QueryProgress()
        try:
            engine, note = _engine(secret, connection)
            with engine.connect() as opened, temporary_file() as file:
                header = _write_rows(opened, statement, file, progress)
            break
        except Problems:
            raise
        except Exception as error:  # whatever a driver raises: the run cannot start, and its words may hold the password
            if (fault := _problems_of_error(error, connection, secret, progress, attempt)) is not None:
                raise fault from None
    if not progress.rows:
        raise _problems("no-rows", Blame.TESTSET, "the statement gives no rows")
    unrepeatable = None if says_an_order(statement) else UNORDERED
    message = f"{unrepeatable}; a run of it cannot be resumed" if unrepeatable else None
    notes = tuple(f"{ROWS}: {sentence}" for sentence in (message, note) if sentence)
    return FetchedRows(ROWS, file.name, header, notes=notes, unrepeatable=unrepeatable)


def _write_rows(connection: Any, statement: str, file: BinaryIO, progress: _QueryProgress) -> tuple[str, ...]:
    """Runs the statement, writes every row into the file, and gives the names of the columns; `progress` is told that the statement has
    begun, and how many rows are there. At the end, what the statement has changed is taken back. Raises Problems for a statement that gives
    no table, and for columns of the same name."""
    streaming = connection.execution_options(
        stream_results=True, max_row_buffer=_AT_ONCE, no_parameters=True, sqlite_raw_colnames=True
    )
    progress.begun = True
    result = streaming.exec_driver_sql(statement)
    if not result.returns_rows:
        hint = 'one that begins with "select" does'
        raise problem("no-rows", "the statement gives no table", where=WHERE, hint=hint)
    header = tuple(map(str, result.keys()))
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        listed = ", ".join(f'"{name}"' for name in twice)
        hint = f"give each a name of its own: select …, other.{twice[0]} as other_{twice[0]}"
        raise problem("same-column-name", f"columns have the same name: {listed}", where=WHERE, hint=hint)
    for rows in result.partitions(_AT_ONCE):
        for row in rows:
            progress.rows += 1
            file.write(line_of(header, row, progress.rows))
    # what has been read is not to change anything, whatever the database made of it
    connection.rollback()
    return header


def line_of(names: Sequence[str], values: Sequence[Any], number: int = 1) -> bytes:
    """A row as one line of JSON, with its line break; a value that is None has no key. `number` is that of the row, for messages. Raises
    Problems (testset) for bytes that are no text."""
    row: dict[str, Any] = {}
    for name, value in zip(names, values, strict=True):
        if value is None:
            continue
        try:
            row[name] = value if value.__class__ in _PLAIN else _json_value(value)
        except UnicodeDecodeError:
            message = f'the column "{name}" holds bytes that are no text'
            hint = f"leave it out of the statement, or have the database write it as text: encode({name}, 'base64')"
            raise Problems([Issue("not-text", Blame.TESTSET, message, f"{ROWS} row {number:,}", hint)]) from None
    try:
        return _encode(row) + b"\n"
    except UnicodeEncodeError:  # half of a surrogate pair
        return compact(row) + b"\n"


def json_text(text: str | bytes) -> msgspec.Raw:
    """A document as the database wrote it, on one line: inside its texts a line break is an escape."""
    data = text.encode() if isinstance(text, str) else bytes(text)
    return msgspec.Raw(data.replace(b"\n", b" ").replace(b"\r", b" "))


def _json_value(value: Any) -> Any:
    """A value of a database as JSON has it: decimals and dates as texts, without losing digits."""
    match value:
        case None | str() | bool() | int() | msgspec.Raw():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case Decimal():
            return int(value) if value.is_finite() and value.as_tuple().exponent == 0 else format(value, "f")
        case datetime():
            return (value if value.tzinfo is None else value.astimezone(UTC)).isoformat()
        case date() | time():
            return value.isoformat()
        case bytes() | bytearray() | memoryview():
            return bytes(value).decode()
        case Mapping():
            return {str(key): _json_value(item) for key, item in value.items()}
        case list() | tuple():
            return list(map(_json_value, value))
    return str(value)


def _engine(secret: str, connection: DatabaseConnection) -> tuple[Any, str | None]:
    """(engine, note): a SQLAlchemy engine for the connection string `secret`, which only reads; and a note where the database cannot be
    told to only read, else None. Raises Problems for what is no connection string."""
    from sqlalchemy import create_engine
    from sqlalchemy.engine import make_url
    from sqlalchemy.pool import NullPool

    try:
        url = make_url(secret)
    except ValueError:
        raise _no_address(connection, secret) from None
    kind, note = url.get_backend_name(), None
    options: dict[str, Any] = {}
    if kind == "sqlite":
        url, options = "sqlite://", {"creator": _sqlite_opener(url, connection)}
    elif kind == "postgresql":
        options = {"json_deserializer": json_text, "execution_options": {"postgresql_readonly": True}}
    elif kind == "duckdb":
        options = {"connect_args": {"read_only": True}}
    else:
        note = f"{kind} is not told to only read; what the statement changes, if anything, is taken back at its end"
    return create_engine(url, poolclass=NullPool, **options), note


def _problems_of_error(
    error: Exception, connection: DatabaseConnection, secret: str, progress: _QueryProgress, attempt: int
) -> Problems | None:
    """The Problems for an error of the database, without any part of the connection string `secret`; None where the connection was cut and
    the statement is tried again, for `attempt` is not the last.

    Who is to blame goes by how far the statement was, as `progress` tells, and by the kind and the words of the error.
    """
    from sqlalchemy import exc

    called = connection.name_in_messages
    if isinstance(error, exc.ArgumentError):
        return _no_address(connection, secret)
    if isinstance(error, ImportError):
        package = _PACKAGES.get(str(error.name).partition(".")[0], str(error.name))
        return _missing_package(called, package)
    if isinstance(error, OSError):
        message = f"the rows cannot be kept in a temporary file: {error.strerror or error}"
        return _problems("not-fetched", Blame.ENVIRONMENT, message)
    raised = getattr(error, "orig", None) or error
    lines = [line.strip() for line in str(raised).splitlines() if line.strip()]
    text = without_parts((lines or [type(raised).__name__])[0], secret)
    if not isinstance(error, exc.DBAPIError):
        return _problems("not-fetched", Blame.ENVIRONMENT, f"{called} cannot be read: {text}")
    if not progress.begun:
        return _problems("not-fetched", Blame.ENVIRONMENT, f"{called} cannot be reached: {text}")
    if error.connection_invalidated:
        if attempt < _TIMES:
            return None
        message = f"{called} ended the connection after {progress.rows:,} rows, {_TIMES} times: {text}"
        return _problems("not-fetched", Blame.ENVIRONMENT, message)
    kind = type(error).__name__
    state = str(getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None) or "")
    if state == "25006" or re.search("read-?only", text, re.IGNORECASE):
        message = f"the statement changes data, and it is run so that it can only read: {text}"
        return _problems("changes-data", Blame.CONFIG, message)
    if "not a database" in text:
        return _problems("unreadable-file", Blame.TESTSET, f"{called} cannot be read: {text}")
    if kind in ("DataError", "IntegrityError"):
        message = f"the statement cannot be run to its end, after {progress.rows:,} rows: {text}"
        return _problems("bad-rows", Blame.TESTSET, message)
    if kind in ("ProgrammingError", "NotSupportedError") or _SQLITE_MISTAKE.search(text):
        return _problems("bad-statement", Blame.CONFIG, f"the statement cannot be run: {text}")
    return _problems("not-fetched", Blame.ENVIRONMENT, f"{called} gave up after {progress.rows:,} rows: {text}")


def _problems(code: str, blame: Blame, message: str) -> Problems:
    return Problems([Issue(code, blame, message, WHERE)])


def _no_address(connection: DatabaseConnection, secret: str) -> Problems:
    """The problem of an environment variable that holds no connection string, or one whose package is missing."""
    kind = re.match(r"[A-Za-z][\w+]*(?=://)", secret)
    package = _DIALECTS.get(kind[0].partition("+")[0]) if kind else None
    if package is not None:
        return _missing_package(connection.name_in_messages, package)
    message = f'what is in the environment variable "{connection.env}" is no connection string'
    hint = "it looks like postgresql+psycopg://user:password@host/name, or sqlite:///rows.db"
    return problem("no-connection", message, where=WHERE, hint=hint)


def _missing_package(called: str, package: str) -> Problems:
    message = f"{called} needs a package that is not installed"
    return problem("missing-package", message, where=WHERE, hint=f'pip install "{package}"')


_SQLITE_MISTAKE: Final = re.compile(
    r"no such (table|column|function)|syntax error|incomplete input|unrecognized token|misuse"
)


def _sqlite_opener(url: Any, connection: DatabaseConnection) -> Any:
    """A function that opens the file of SQLite that the address `url` names, so that it can only be read. `connection` is the setting,
    which messages name."""
    import sqlite3

    path = str(url.database or "")

    def open_file() -> sqlite3.Connection:
        """A connection to the file, which cannot write. Raises Problems where there is no such file."""
        if path.startswith("file:") or path in ("", ":memory:"):
            database = sqlite3.connect(path or ":memory:", uri=path.startswith("file:"))
        else:
            if not Path(path).is_file():
                name = connection.sqlite or f"the file that {connection.env} names"
                raise problem("no-such-file", f"there is no such database: {name}", where=WHERE)
            database = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True)
        database.execute("PRAGMA query_only = ON")
        return database

    return open_file


def without_parts(text: str, address: str) -> str:
    """A text without a connection string and without any part of it: user, password, host, name, and what else stands in it."""
    from sqlalchemy import exc
    from sqlalchemy.engine import make_url

    parts = {address}
    try:
        url = make_url(address)
    except (exc.ArgumentError, ValueError):
        parts |= set(re.split(r"[/:@?&=\s]+", address))
    else:
        secrets = [
            url.username,
            url.password,
            url.host,
            url.database,
            url.port,
            url.render_as_string(hide_password=False),
        ]
        queries = [query for value in url.query.values() for query in ([value] if isinstance(value, str) else value)]
        parts |= {str(part) for part in (*secrets, *queries) if part}
        if url.get_backend_name() == "sqlite" and url.database:
            parts.add(os.path.abspath(url.database))
    parts |= {quote(part, safe="") for part in parts} | {unquote_plus(part) for part in parts}
    for part in sorted(filter(None, parts), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(part)}(?!\w)" if len(part) < 4 else re.escape(part), _HIDDEN, text)
    return _ADDRESS.sub(_HIDDEN, text)
