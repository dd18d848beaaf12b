"""What is frozen: kinds of suites with their rows. A kind is drawn from a seed, or read from what the tests have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.tools.freeze.documents import Documents
from tests.tools.freeze.schemas import RECURSIVE, Schemas

ROOT: Final = Path(__file__).parents[3]
ROWS: Final = 16
"""How many rows a drawn suite has."""


@dataclass(frozen=True)
class FrozenSuite:
    """A suite with its rows. `folder`, below the repository, is where the files that it names are; without rows, it reads its own.

    Without `run`, each row is explained and no run is made of them.
    """

    id: str
    suite: dict[str, Any]
    rows: list[dict[str, Any]] | None
    folder: str | None = None
    run: bool = True


def schema_suites(dialect: str) -> Callable[[Random], dict[str, Any]]:
    """One or two `schema_match` of one dialect and one shape, and documents of it."""

    def draw(random: Random) -> dict[str, Any]:
        documents = Documents(random)
        shape = documents.document_shape()
        names = ("one", "two") if random.random() < 0.5 else ("one",)
        lines = [{"type": "schema_match", "name": name, **Schemas(documents).settings(shape, dialect)} for name in names]
        suite: dict[str, Any] = {"evaluators": lines}
        if random.random() < 0.2:
            suite["slices"] = ["row.group"]
        # a run looks at a schema that refers to itself a thousand times over, which takes seconds
        return {"suite": suite, "rows": documents.rows(shape, ROWS), "run": RECURSIVE not in repr(suite)}

    return draw


DRAWN: Final[dict[str, Callable[[Random], dict[str, Any]]]] = {
    "schema_x_eval": schema_suites("x-eval"),
    "schema_config": schema_suites("evaluation_config"),
    "schema_fields": schema_suites("fields"),
}
FOUND: Final[dict[str, Callable[[], Iterator[FrozenSuite]]]] = {}


def suites_of(kind: str, rows: int, seed: int) -> Iterator[FrozenSuite]:
    """The suites of a kind: drawn ones until they have so many rows."""
    if kind in FOUND:
        yield from FOUND[kind]()
        return
    for number in range(-(-rows // ROWS)):
        yield FrozenSuite(f"{kind}/{number:04}", **DRAWN[kind](Random(f"{kind} {seed} {number}")))
