"""The contract of a platform that rows are fetched from, and what platforms share.

A platform is settings under `test_set`, with a method that fetches. Its client is imported when rows are fetched.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, NamedTuple

from evaluators.model.issues import Blame, Issue, Problems, extra_hint, problem
from evaluators.model.settings import Settings
from evaluators.scoring.needs import Role
from evaluators.scoring.values.addresses import without_passwords
from evaluators.testsets.fetched_rows import FetchedRows, write_lines_file

Cells = Mapping[str, Any]

_QUIET: Final = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "3",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "PHOENIX_TELEMETRY_ENABLED": "false",
}


class PlatformSource(NamedTuple):
    """Rows as a platform gives them."""

    name: str
    """The name of the rows in messages."""
    rows: Iterable[Cells]
    roles: Iterable[Role]
    """The roles whose columns have the names of the roles."""


class PlatformRows(Settings):
    """Rows of a platform."""

    platform: ClassVar[str]

    def fetch(self) -> FetchedRows:
        """The rows, in an order that does not change, with the roles whose columns some row has.

        Raises Problems when they cannot be had: a package is missing, the platform does not answer, or there are none.
        """
        quiet_clients()
        try:
            name, rows, roles = self.source()
            fetched = tuple(rows)
        except ImportError:
            message = f'"{self.platform}" needs a package that is not installed'
            raise problem("missing-extra", message, hint=extra_hint(self.platform)) from None
        except Problems:
            raise
        except Exception as error:  # whatever a client of a platform raises: the run cannot start, and that is said
            reason = without_passwords(": ".join([type(error).__name__, *str(error).strip().splitlines()[:1]]))
            message = f"the rows could not be read from {self.platform}: {reason}"
            raise Problems([Issue("not-fetched", Blame.ENVIRONMENT, message, "test_set")]) from error
        if not fetched:
            raise Problems([Issue("no-rows", Blame.TESTSET, f"there is nothing to score in {name}", "test_set")])
        known = {role: role for role in roles if any(role in row for row in fetched)}
        return FetchedRows(name, write_lines_file(fetched), roles=known)

    def source(self) -> PlatformSource:
        """The rows that the settings name.

        Every platform implements it, and imports its client there.
        """
        raise NotImplementedError  # the contract: each platform fetches in its own way


def quiet_clients() -> None:
    """Sets environment variables by which clients of platforms report nothing home, print no addresses, and do not wait long; those that
    are set already stay."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)


def row_cells(known: Mapping[Role, Any], *further: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of a row: `known` by role, without None, then the parts of an input that is a map, and what is in `further`. A column that
    is there already is not overwritten."""
    cells: dict[str, Any] = {role: value for role, value in known.items() if value is not None}
    input_value = known.get("input")
    for more in (input_value if isinstance(input_value, Mapping) else {}, *further):
        for name, value in more.items():
            cells.setdefault(str(name), value)
    return cells
