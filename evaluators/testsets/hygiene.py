"""What is odd about a test set and keeps nothing from being scored: files that are not there yet, keys written twice.

Looked for by `evaluators check` only: a run does not pay for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from glob import glob
from pathlib import Path
from typing import Any, Final

from evaluators.issues import Blame, Issue, Problems
from evaluators.settings import Loc
from evaluators.testsets.config import Joined, TestSetConfig
from evaluators.testsets.documents import is_pattern
from evaluators.testsets.source import STANDARD_INPUT, locate
from evaluators.testsets.test_set import TestSet
from evaluators.values.json_text import NotJSON, duplicate_keys

MOST_SHOWN: Final = 5
"""Rows that are named one by one."""


def absent_places(config: TestSetConfig, folder: Path) -> list[tuple[Loc, Issue]]:
    """The files and folders that the settings name and that are not there, each with its place below `test_set`."""
    found: list[tuple[Loc, Issue]] = []
    for loc, place in _places(config):
        if place == STANDARD_INPUT or (folder / place).exists():
            continue
        if is_pattern(place, folder):
            if not glob(place, root_dir=folder, recursive=True):
                found.append((loc, Issue("no-such-file", Blame.CONFIG, f'no file fits the pattern "{place}"')))
            continue
        try:
            locate(place, folder)
        except Problems as error:
            issue = error.issues[0]
            found.append((loc, Issue(issue.code, issue.blame, f'{issue.message}: "{place}"', None, issue.hint)))
    return found


def repeated_keys(test_set: TestSet, column: str) -> list[Issue]:
    """A warning for rows whose JSON in that column has a key twice in one object: the last one counts.

    Only text shows it: in a JSON file the key was already read once.
    """
    named: list[Issue] = []
    more = 0
    for number, text in _texts(test_set, column):
        try:
            keys = duplicate_keys(text)
        except NotJSON:
            continue  # an evaluator that needs JSON here says so
        if keys and len(named) < MOST_SHOWN:
            said = ", ".join(f'"{key}"' for key in keys)
            message = f"a key is given twice in one object: {said}; the last one counts"
            named.append(Issue("key-twice", Blame.TESTSET, message, test_set.place(number, column)))
        elif keys:
            more += 1
    if more:
        rows = "1 more row has" if more == 1 else f"{more:,} more rows have"
        named.append(Issue("key-twice", Blame.TESTSET, f"{rows} a key twice in one object", test_set.name))
    return named


def _texts(test_set: TestSet, column: str) -> Iterator[tuple[int, str]]:
    """The texts of a column, each with the number of its row."""
    before = 0
    for split in test_set.splits():
        span = 0
        for chunk in test_set.read(split, [column]):
            for offset, cell in zip(chunk.offsets, chunk.columns[column], strict=True):
                if isinstance(cell, str):
                    yield test_set.number(before, offset), cell
            span = chunk.span
        before += span


def _places(config: TestSetConfig) -> Iterator[tuple[Loc, str]]:
    """Every file and folder that the settings name, with where they do."""
    for name in ("file", "expected", "output"):
        yield from _named(getattr(config, name), (name,))
    if isinstance(config.outputs, Mapping):
        for variant, place in config.outputs.items():
            yield from _named(place, ("outputs", variant))
    else:
        yield from _named(config.outputs, ("outputs",))


def _named(place: Any, loc: Loc) -> Iterator[tuple[Loc, str]]:
    if isinstance(place, str):
        yield loc, place
    elif isinstance(place, Joined) and place.file is not None:
        yield (*loc, "file"), place.file
