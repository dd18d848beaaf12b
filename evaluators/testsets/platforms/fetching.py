"""The contract of a platform that rows are fetched from, and what platforms share.

A platform is settings under `test_set`, with a method that fetches. Its client is imported when rows are fetched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from evaluators.issues import Blame, Issue, Problems, extra_hint, problem
from evaluators.needs import Role
from evaluators.settings import Settings
from evaluators.testsets.fetched_rows import FetchedRows, lines_file
from evaluators.values.addresses import without_passwords

Found = TypeVar("Found")
Cells = Mapping[str, Any]

ROLES: Final[Mapping[Role, str]] = {"id": "id", "input": "input", "output": "output", "expected": "expected"}
"""What the columns of fetched outputs are called."""
NO_ROLES: Final[Mapping[Role, str]] = {}
_QUIET: Final = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "3",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
    "PHOENIX_TELEMETRY_ENABLED": "false",
}


def fetched(name: str, rows: Iterable[Cells], roles: Mapping[Role, str] = NO_ROLES) -> FetchedRows:
    """The rows in a file, with the roles whose columns some row has. Raises Problems (testset) when there are none."""
    found = tuple(rows)
    if not found:
        raise Problems([Issue("no-rows", Blame.TESTSET, f"there is nothing to score in {name}", "test_set")])
    known = {role: column for role, column in roles.items() if any(column in row for row in found)}
    return FetchedRows(name, lines_file(found), roles=known)


class PlatformRows(Settings):
    """Rows of a platform."""

    def fetch(self) -> FetchedRows:
        """The rows, in an order that does not change. Raises Problems when they cannot be had.

        Every platform implements it.
        """
        raise NotImplementedError  # the contract: each platform fetches in its own way


def quietly() -> None:
    """Clients of platforms report nothing home, print no addresses, and do not wait long, unless the environment says otherwise."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)


def from_platform(platform: str, fetch: Callable[[], Found]) -> Found:
    """What `fetch` gives. What a client raises becomes Problems: a package that is missing, or a platform that does not answer."""
    quietly()
    try:
        return fetch()
    except ImportError:
        hint = extra_hint(platform)
        raise problem("missing-extra", f'"{platform}" needs a package that is not installed', hint=hint) from None
    except Problems:
        raise
    except Exception as error:  # whatever a client of a platform raises: the run cannot start, and that is said
        said = without_passwords(": ".join([type(error).__name__, *str(error).strip().splitlines()[:1]]))
        message = f"the rows could not be read from {platform}: {said}"
        raise Problems([Issue("not-fetched", Blame.ENVIRONMENT, message, "test_set")]) from error


def cells(known: Mapping[Role, Any], *further: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of a row: those with a role, then the parts of its input and what else is known, where no such column is there yet."""
    found = {ROLES[role]: value for role, value in known.items() if value is not None}
    given = known.get("input")
    for more in (given if isinstance(given, Mapping) else {}, *further):
        for name, value in more.items():
            found.setdefault(str(name), value)
    return found
