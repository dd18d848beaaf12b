"""Where a database is, as a suite says it: never the connection string itself."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Final, Self

from pydantic import field_validator, model_validator

from evaluators.issues import problem
from evaluators.settings import Name, Settings, bad
from evaluators.testsets.byte_store import at, store_of

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
    def _never_written_out(cls, data: Any) -> Any:
        if isinstance(data, dict):
            return data
        message = "a connection string does not belong in a suite, because it holds a password"
        raise bad(message, hint="put it into an environment variable, and write `connection: {env: DATABASE_URL}`")

    @field_validator("env")
    @classmethod
    def _a_variable(cls, name: str | None) -> str | None:
        if name is not None and not re.fullmatch(r"[A-Za-z_]\w*", name):
            # what stands there may be the connection string itself
            raise bad("this is not the name of an environment variable", hint="write `env: DATABASE_URL`")
        return name

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.env is None) == (self.sqlite is None):
            raise bad('either "env" or "sqlite" must be given', hint="{env: DATABASE_URL} or {sqlite: rows.db}")
        return self

    @property
    def called(self) -> str:
        """What messages call the database."""
        return f"the database of {self.env}" if self.env is not None else str(self.sqlite)

    def address(self, folder: Path) -> str:
        """The connection string. Raises Problems (config) when there is none. Never to be shown."""
        if self.sqlite is not None:
            place = at(folder, self.sqlite)
            path = store_of(place).path(place)
            if path is None:
                raise problem("not-a-file", "a database of SQLite must be a file of this machine", where=self.sqlite)
            return f"sqlite:///{os.path.abspath(path)}"
        address = os.environ.get(str(self.env), "").strip()
        if not address:
            hint = f"put the connection string in there: export {self.env}=postgresql+psycopg://user:password@host/name"
            raise problem("no-connection", f'the environment variable "{self.env}" is not set', where=WHERE, hint=hint)
        return re.sub("^postgres://", "postgresql://", address)
