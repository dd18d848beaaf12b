"""What is frozen: kinds of suites with their rows. A kind is drawn from a seed, or read from what the tests have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.tools.freeze import found, suites
from tests.tools.freeze.documents import Documents
from tests.tools.freeze.schemas import RECURSIVE, Schemas

ROOT: Final = Path(__file__).parents[3]
ROWS: Final = 16
"""How many rows a drawn suite has."""


@dataclass(frozen=True)
class FrozenSuite:
    """A suite with its rows. `folder`, below the repository, is where the files that it names are; a suite without rows is a file there.

    Without `run`, each row is explained and no run is made of them.
    """

    id: str
    suite: Any
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
    "listed": suites.listed,
    "whole": suites.whole,
    "top_level": suites.top_level,
    "texts": suites.texts,
    "several": suites.several,
    "mixed": suites.mixed,
}
FOUND: Final[dict[str, Callable[[], Iterator[dict[str, Any]]]]] = {
    "recorded": found.recorded,
    "tables": found.tables,
    "gallery": found.gallery,
}


def suites_of(kind: str, seed: int) -> Iterator[FrozenSuite]:
    """The suites of a kind; of one that is drawn there is no end."""
    parts = FOUND[kind]() if kind in FOUND else (DRAWN[kind](Random(f"{kind} {seed} {number}")) for number in count())
    return (FrozenSuite(f"{kind}/{number:04}", **each) for number, each in enumerate(parts))
