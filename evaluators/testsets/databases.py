"""Rows of a database: the rows of one statement, fetched once into a file of JSON lines, and then read like a file of rows.

The statement runs once, in one transaction that may only read. Its rows are streamed, so that neither side holds them all, into
a temporary file. From there on everything is as with a file: pieces for several processes, a second look at the rows, a
fingerprint of what they hold. A database that is asked twice may answer with other rows in between.

A connection string holds a password. It comes from an environment variable, and nothing of it is ever said: of what a driver
says, every part of it is taken out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote_plus

from evaluators.issues import Blame, Issue, Problems, extra_hint, problem
from evaluators.testsets.byte_source import temporary_file
from evaluators.testsets.database_connection import WHERE, DatabaseConnection
from evaluators.testsets.fetched_rows import FetchedRows
from evaluators.testsets.sql_cells import NotCell, json_text, line_of
from evaluators.testsets.sql_statement import says_an_order

ROWS: Final = "query"
"""What messages call the rows of a statement."""
UNORDERED: Final = "the statement has no ORDER BY, so its rows may come in another order each time"
_TIMES: Final = 2
"""How often a statement is begun whose connection is cut."""
_AT_ONCE: Final = 1000
"""The rows that are fetched at a time."""
_ADDRESS: Final = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?<![\w:])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?![\w:])")
_HIDDEN: Final = "…"
_PACKAGES: Final = {
    "psycopg": "psycopg[binary]", "psycopg2": "psycopg2-binary", "MySQLdb": "mysqlclient", "pymysql": "pymysql",
    "mysql": "mysql-connector-python", "duckdb": "duckdb", "duckdb_engine": "duckdb-engine", "oracledb": "oracledb",
}  # fmt: skip
"""What pip calls the packages of drivers."""
_DIALECTS: Final = {"duckdb": "duckdb-engine", "snowflake": "snowflake-sqlalchemy", "bigquery": "sqlalchemy-bigquery",
                    "redshift": "sqlalchemy-redshift", "databricks": "databricks-sqlalchemy"}  # fmt: skip
"""What brings the databases that SQLAlchemy does not know by itself."""


def queried(statement: str, connection: DatabaseConnection, folder: Path) -> FetchedRows:
    """The rows of a statement. Raises Problems: blame config for the statement and the settings, environment for a database
    that does not answer or that goes away, testset for rows that cannot be cells."""
    statement = statement.strip().rstrip(";")
    for time in range(1, _TIMES + 1):
        try:
            return _Query(statement, connection, folder).rows()
        except _Cut as cut:
            if time == _TIMES:
                message = f"{connection.called} ended the connection after {cut.rows:,} rows, {_TIMES} times: {cut.why}"
                raise Problems([Issue("not-fetched", Blame.ENVIRONMENT, message, WHERE)]) from None
    raise AssertionError("the last time ends by itself")


class _Cut(Exception):
    """The connection was there, and is no more."""

    def __init__(self, rows: int, why: str) -> None:
        self.rows = rows
        self.why = why
        super().__init__(why)


class _Query:
    """A statement that is run once."""

    def __init__(self, statement: str, connection: DatabaseConnection, folder: Path) -> None:
        self._statement = statement
        self._connection = connection
        self._secret = connection.address(folder)
        self._count = 0
        self._begun = False

    def rows(self) -> FetchedRows:
        """The rows, in a file."""
        with self._blamed():
            engine, note = self._engine()
            try:
                with engine.connect() as connection, temporary_file() as file:
                    header = self._write(connection, file)
            finally:
                engine.dispose()
        if not self._count:
            raise Problems([Issue("no-rows", Blame.TESTSET, "the statement gives no rows", WHERE)])
        unrepeatable = None if says_an_order(self._statement) else UNORDERED
        said = f"{unrepeatable}; a run of it cannot be resumed" if unrepeatable else None
        notes = tuple(f"{ROWS}: {one}" for one in (said, note) if one)
        return FetchedRows(ROWS, file.name, header, notes=notes, unrepeatable=unrepeatable)

    def _write(self, connection: Any, file: Any) -> tuple[str, ...]:
        """Writes every row into the file, and gives the names of the columns."""
        streaming = connection.execution_options(
            stream_results=True, max_row_buffer=_AT_ONCE, no_parameters=True, sqlite_raw_colnames=True
        )
        self._begun = True
        result = streaming.exec_driver_sql(self._statement)
        if not result.returns_rows:
            raise problem(
                "no-rows", "the statement gives no table", where=WHERE, hint='one that begins with "select" does'
            )
        header = tuple(map(str, result.keys()))
        twice = sorted({name for name in header if header.count(name) > 1})
        if twice:
            listed = ", ".join(f'"{name}"' for name in twice)
            hint = f"give each a name of its own: select …, other.{twice[0]} as other_{twice[0]}"
            raise problem("same-column-name", f"columns have the same name: {listed}", where=WHERE, hint=hint)
        for rows in result.partitions(_AT_ONCE):
            for row in rows:
                self._count += 1
                file.write(line_of(header, row))
        # what has been read is not to change anything, whatever the database made of it
        connection.rollback()
        return header

    def _engine(self) -> tuple[Any, str | None]:
        """How the database is spoken to, so that it only reads; and what is to be said of that."""
        from sqlalchemy import create_engine, exc
        from sqlalchemy.engine import make_url
        from sqlalchemy.pool import NullPool

        try:
            url = make_url(self._secret)
        except (exc.ArgumentError, ValueError):
            raise self._no_address() from None
        kind = url.get_backend_name()
        if kind == "sqlite":
            return create_engine("sqlite://", creator=_reader_of(url, self._connection), poolclass=NullPool), None
        if kind == "postgresql":
            engine = create_engine(
                url, poolclass=NullPool, json_deserializer=json_text, execution_options={"postgresql_readonly": True}
            )
            return engine, None
        if kind == "duckdb":
            return create_engine(url, poolclass=NullPool, connect_args={"read_only": True}), None
        note = f"{kind} is not told to only read; what the statement changes, if anything, is taken back at its end"
        return create_engine(url, poolclass=NullPool), note

    @contextmanager
    def _blamed(self) -> Iterator[None]:
        """Turns what goes wrong inside into Problems that say nothing of the connection string."""
        try:
            from sqlalchemy import exc
        except ImportError:
            hint = extra_hint("sql")
            raise problem("missing-extra", '"sql" needs a package that is not installed', hint=hint) from None
        try:
            yield
        except (exc.NoSuchModuleError, exc.ArgumentError):
            raise self._no_address() from None
        except ImportError as error:
            package = _PACKAGES.get(str(error.name).partition(".")[0], str(error.name))
            message = f"{self._connection.called} needs a package that is not installed"
            raise problem("missing-package", message, where=WHERE, hint=f'pip install "{package}"') from None
        except exc.DBAPIError as error:
            raise self._of_driver(error) from None
        except NotCell as error:
            message = f'the column "{error.column}" {error.why}'
            hint = (
                f"leave it out of the statement, or have the database write it as text: encode({error.column}, 'base64')"
            )
            raise Problems([Issue("not-text", Blame.TESTSET, message, f"{ROWS} row {self._count:,}", hint)]) from None
        except OSError as error:
            message = f"the rows cannot be kept in a temporary file: {error.strerror or error}"
            raise Problems([Issue("not-fetched", Blame.ENVIRONMENT, message, WHERE)]) from None
        except Problems:
            raise
        except (
            Exception
        ) as error:  # whatever else a driver raises: the run cannot start, and its words may hold the password
            message = f"{self._connection.called} cannot be read: {self._said(error)}"
            raise Problems([Issue("not-fetched", Blame.ENVIRONMENT, message, WHERE)]) from None

    def _no_address(self) -> Problems:
        kind = re.match(r"[A-Za-z][\w+]*(?=://)", self._secret)
        package = _DIALECTS.get(kind[0].partition("+")[0]) if kind else None
        if package is not None:
            message = f"{self._connection.called} needs a package that is not installed"
            return problem("missing-package", message, where=WHERE, hint=f'pip install "{package}"')
        message = f'what is in the environment variable "{self._connection.env}" is no connection string'
        hint = "it looks like postgresql+psycopg://user:password@host/name, or sqlite:///rows.db"
        return problem("no-connection", message, where=WHERE, hint=hint)

    def _of_driver(self, error: Any) -> Problems | _Cut:
        """What a driver raised: who is to blame goes by when it did so, and by what kind of error it is."""
        said = self._said(error.orig or error)
        if not self._begun:
            message = f"{self._connection.called} cannot be reached: {said}"
            return Problems([Issue("not-fetched", Blame.ENVIRONMENT, message, WHERE)])
        if error.connection_invalidated:
            return _Cut(self._count, said)
        kind, state = (
            type(error).__name__,
            str(getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None) or ""),
        )
        if state == "25006" or re.search("read-?only", said, re.IGNORECASE):
            message = f"the statement changes data, and it is run so that it can only read: {said}"
            return problem("changes-data", message, where=WHERE)
        if "not a database" in said:
            message = f"{self._connection.called} cannot be read: {said}"
            return Problems([Issue("unreadable-file", Blame.TESTSET, message, WHERE)])
        if kind in ("DataError", "IntegrityError"):
            message = f"the statement cannot be run to its end, after {self._count:,} rows: {said}"
            return Problems([Issue("bad-rows", Blame.TESTSET, message, WHERE)])
        if kind in ("ProgrammingError", "NotSupportedError") or _SQLITE_MISTAKE.search(said):
            return problem("bad-statement", f"the statement cannot be run: {said}", where=WHERE)
        message = f"{self._connection.called} gave up after {self._count:,} rows: {said}"
        return Problems([Issue("not-fetched", Blame.ENVIRONMENT, message, WHERE)])

    def _said(self, error: BaseException) -> str:
        """The first line of what was raised, without anything of the connection string."""
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return without_parts((lines or [type(error).__name__])[0], self._secret)


_SQLITE_MISTAKE: Final = re.compile(
    r"no such (table|column|function)|syntax error|incomplete input|unrecognized token|misuse"
)


def _reader_of(url: Any, connection: DatabaseConnection) -> Any:
    """Opens a file of SQLite so that it can only be read."""
    import sqlite3

    path = str(url.database or "")

    def opened() -> sqlite3.Connection:
        if path.startswith("file:") or path in ("", ":memory:"):
            found = sqlite3.connect(path or ":memory:", uri=path.startswith("file:"))
        else:
            if not Path(path).is_file():
                name = connection.sqlite or f"the file that {connection.env} names"
                raise problem("no-such-file", f"there is no such database: {name}", where=WHERE)
            found = sqlite3.connect(f"file:{quote(os.path.abspath(path))}?mode=ro", uri=True)
        found.execute("PRAGMA query_only = ON")
        return found

    return opened


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
        given = [url.username, url.password, url.host, url.database, url.port, url.render_as_string(hide_password=False)]
        queries = [one for value in url.query.values() for one in ([value] if isinstance(value, str) else value)]
        parts |= {str(part) for part in (*given, *queries) if part}
        if url.get_backend_name() == "sqlite" and url.database:
            parts.add(os.path.abspath(url.database))
    parts |= {quote(part, safe="") for part in parts} | {unquote_plus(part) for part in parts}
    for part in sorted(filter(None, parts), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(part)}(?!\w)" if len(part) < 4 else re.escape(part), _HIDDEN, text)
    return _ADDRESS.sub(_HIDDEN, text)
