"""What a suite says of a query: where the database is, never the connection string itself, and a statement that reads.

What can be said of a statement without a database goes by its words. Comments, texts, quoted names and whatever stands in
parentheses are set aside. What is left are the words of the statement itself: an ORDER BY in there orders its rows, and one inside
parentheses does not.
"""

from __future__ import annotations

import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Self

from pydantic import field_validator, model_validator

from evaluators.model.issues import problem
from evaluators.model.settings import Name, Settings, bad
from evaluators.testsets.byte_store import local_path, resolve_place

WHERE: Final = "test_set"
"""Where messages place what is wrong with a database."""


class DatabaseConnection(Settings):
    """Where a database is: `{env: DATABASE_URL}`, or `{sqlite: rows.db}` for a file of SQLite."""

    env: Name | None = None
    """The environment variable that holds the connection string, such as postgresql://user:password@host/name. The string itself never
    stands in a suite."""
    sqlite: Name | None = None
    """A file of SQLite, relative to the suite."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_connection_string(cls, data: Any) -> Any:
        """Refuses a connection string in the suite, because it holds a password."""
        if isinstance(data, dict):
            return data
        message = "a connection string does not belong in a suite, because it holds a password"
        raise bad(message, hint="put it into an environment variable, and write `connection: {env: DATABASE_URL}`")

    @field_validator("env")
    @classmethod
    def _check_variable(cls, name: str | None) -> str | None:
        """The name, unchanged. Refuses what cannot be the name of a variable, without showing it."""
        if name is not None and not re.fullmatch(r"[A-Za-z_]\w*", name):
            # what stands there may be the connection string itself
            raise bad("this is not the name of an environment variable", hint="write `env: DATABASE_URL`")
        return name

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        """Refuses both a variable and a file, and neither."""
        if (self.env is None) == (self.sqlite is None):
            raise bad('either "env" or "sqlite" must be given', hint="{env: DATABASE_URL} or {sqlite: rows.db}")
        return self

    @property
    def name_in_messages(self) -> str:
        """The name of the database in messages."""
        return f"the database of {self.env}" if self.env is not None else str(self.sqlite)

    def address(self, folder: Path) -> str:
        """The connection string, for the named file of SQLite or from the named environment variable. It may hold a password, so it is
        never to be shown. Raises Problems (config) when there is none, and for a SQLite file of another machine."""
        if self.sqlite is not None:
            if (path := local_path(resolve_place(folder, self.sqlite))) is None:
                raise problem("not-a-file", "a database of SQLite must be a file of this machine", where=self.sqlite)
            return f"sqlite:///{os.path.abspath(path)}"
        address = os.environ.get(str(self.env), "").strip()
        if not address:
            hint = f"put the connection string in there: export {self.env}=postgresql+psycopg://user:password@host/name"
            raise problem("no-connection", f'the environment variable "{self.env}" is not set', where=WHERE, hint=hint)
        return re.sub("^postgres://", "postgresql://", address)


_TOKENS: Final = r"""(?xs)
      --[^\n]* | /\*.*?(?:\*/|\Z)             # comments
    | \b[eE]'(?:[^'\\]|\\.|'')*(?:'|\Z)       # texts in which a backslash takes the next character
    | '(?:[^']|'')*(?:'|\Z)                   # texts
    | "(?:[^"]|"")*(?:"|\Z) | `[^`]*(?:`|\Z)  # quoted names
    | (?P<dollars>\$\w*\$).*?(?:(?P=dollars)|\Z)
    | (?P<token>[();] | \w+)
"""
_READING: Final = frozenset({"select", "with", "values", "table", "from"})


def _words_outside_parentheses(statement: str) -> list[str]:
    """The words of a statement outside parentheses in small letters, and its semicolons; those at its end are left out."""
    names: list[str] = []
    depth = 0
    for token in _tokens(statement):
        if token in "()":
            depth = max(0, depth + (1 if token == "(" else -1))
        elif depth == 0:
            names.append(token.lower())
    while names and names[-1] == ";":
        names.pop()
    return names


def why_not_a_query(statement: str) -> str | None:
    """The end of a sentence on why a text is not one statement that only reads; None where it is."""
    words = _words_outside_parentheses(statement)
    if ";" in words:
        return "it holds several statements, and one is expected"
    first = next((token.lower() for token in _tokens(statement) if token not in "();"), None)
    if first is None:
        return "it holds no statement"
    if first not in _READING:
        reads = 'only a statement that reads can be a test set: one that begins with "select"'
        return f'it begins with "{first}", and {reads}'
    if "into" in words:
        return 'it has "into", and a statement that writes what it finds cannot be a test set'
    return None


def says_an_order(statement: str) -> bool:
    """Whether the statement itself has an ORDER BY."""
    return ("order", "by") in pairwise(_words_outside_parentheses(statement))


def _tokens(statement: str) -> list[str]:
    """The words, parentheses and semicolons of a statement, without comments, texts and quoted names."""
    return [token[0] for token in re.finditer(_TOKENS, statement) if token["token"]]
