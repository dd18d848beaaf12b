"""What is odd about a test set and keeps nothing from being scored: files that are not there yet, keys written twice,
answers that contradict each other, columns that nobody reads.

Looked for by `evaluators check` only: a run does not pay for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from evaluators.issues import Blame, CellError, Issue, Problems
from evaluators.model import MISSING
from evaluators.needs import Cell
from evaluators.settings import Loc
from evaluators.testsets.byte_source import STANDARD_INPUT, locate
from evaluators.testsets.byte_store import kind_at, local_path, matching
from evaluators.testsets.documents import is_pattern
from evaluators.testsets.reader import rows_of
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import Joined, TestSetConfig
from evaluators.values.json_text import NotJSON, duplicate_keys, parse
from evaluators.values.pairing import identity
from evaluators.values.quoting import first_ones

MOST_SHOWN: Final = 5
"""Rows that are named one by one."""
_MOST_COLUMNS: Final = 10
_FIXED_INPUT: Final = 3
"""Rows that contradict the first one, from which on an input that never changes is no input."""


def absent_places(config: TestSetConfig, folder: Path) -> list[tuple[Loc, Issue]]:
    """The files and folders that the settings name and that are not there, each with its place below `test_set`.

    Stores are not asked: to look at a suite opens no addresses that it names.
    """
    found: list[tuple[Loc, Issue]] = []
    for loc, place in _places(config):
        if place == STANDARD_INPUT or local_path(place) is None or kind_at(folder, place) is not None:
            continue
        if is_pattern(place, folder):
            if not matching(place, folder):
                found.append((loc, Issue("no-such-file", Blame.CONFIG, f'no file fits the pattern "{place}"')))
            continue
        try:
            locate(place, folder)
        except Problems as error:
            issue = error.issues[0]
            found.append((loc, Issue(issue.code, issue.blame, f'{issue.message}: "{place}"', None, issue.hint)))
    return [(loc, config.masked_issue(issue)) for loc, issue in found]


def is_here(config: TestSetConfig, folder: Path) -> bool:
    """Whether the settings name a test set, and all of it is on this machine."""
    places = [place for _, place in _places(config)]
    local = all(place != STANDARD_INPUT and local_path(place) is not None for place in places)
    return bool(places) and local and not absent_places(config, folder)


def repeated_keys(test_set: TestSet, column: str) -> list[Issue]:
    """A warning for rows whose JSON in that column has a key twice in one object: the last one counts.

    Only text shows it: in a JSON file the key was already read once.
    """
    return _first_ones(_repeated(test_set, column), test_set, ("row has", "rows have"), "a key twice in one object")


def _repeated(test_set: TestSet, column: str) -> Iterator[Issue]:
    for number, (text,) in rows_of(test_set, [column]):
        try:
            keys = duplicate_keys(text) if isinstance(text, str) else ()
        except NotJSON:
            continue  # an evaluator that needs JSON here says so
        if keys:
            said = ", ".join(f'"{key}"' for key in keys)
            message = f"a key is given twice in one object: {said}; the last one counts"
            yield Issue("key-twice", Blame.TESTSET, message, test_set.place(number, column))


def _first_ones(found: Iterable[Issue], test_set: TestSet, rows: tuple[str, str], said: str) -> list[Issue]:
    """The first issues, and how many more rows have one."""
    issues = iter(found)
    named = list(islice(issues, MOST_SHOWN))
    more = sum(1 for _ in issues)
    if more:
        message = f"1 more {rows[0]} {said}" if more == 1 else f"{more:,} more {rows[1]} {said}"
        named.append(Issue(named[0].code, Blame.TESTSET, message, test_set.name))
    return named


def contradictions(test_set: TestSet, given: str, expected: str) -> list[Issue]:
    """A warning for rows that give the same and expect something else. `given` and `expected` are columns.

    Answers are compared as JSON where they are JSON, and otherwise as text without spaces at the ends. Rows without an
    input or without an answer say nothing; nor does an input that is the same in all of many rows, such as a fixed prompt.
    """
    first: dict[int, tuple[int, int]] = {}

    def found() -> Iterator[Issue]:
        for number, (question, answer) in rows_of(test_set, (given, expected)):
            ours, theirs = _identity(question), _identity(answer)
            if ours is None or theirs is None:
                continue
            row, known = first.setdefault(ours, (number, theirs))
            if known != theirs:
                message = f'another answer than in row {row:,}, where "{given}" is the same'
                hint = "one output cannot be right in both rows"
                where = test_set.place(number, expected)
                yield Issue("contradicting-answers", Blame.TESTSET, message, where, hint)

    named = _first_ones(found(), test_set, ("row contradicts", "rows contradict"), "an earlier one")
    return [] if len(first) == 1 and len(named) >= _FIXED_INPUT else named


def unused_columns(header: Iterable[str], used: Collection[str]) -> str | None:
    """The columns that nothing reads, in a sentence; None where there are none."""
    spare = [name for name in header if name not in used]
    if not spare:
        return None
    shown = first_ones([f'"{name}"' for name in spare], _MOST_COLUMNS)
    return f"never used: the column{'' if len(spare) == 1 else 's'} {shown}"


def _identity(cell: Cell) -> int | None:
    """A hash that is equal for cells with equal values, JSON text or not; None for an empty cell."""
    if isinstance(cell, str):
        text = cell.strip()
        if not text:
            return None
        try:
            cell = parse(text)
        except NotJSON:
            return hash(("text", text))
    if cell is None or cell is MISSING or isinstance(cell, CellError):
        return None
    return hash(("json", identity(cell)))


def _places(config: TestSetConfig) -> Iterator[tuple[Loc, str]]:
    """Every file and folder that the settings name, with where they do."""
    named: list[tuple[Loc, Any]] = [
        ((name,), getattr(config, name)) for name in ("file", "expected", "output", "outputs")
    ]
    if isinstance(config.outputs, Mapping):
        named += [(("outputs", variant), place) for variant, place in config.outputs.items()]
    for loc, place in named:
        if isinstance(place, str):
            yield loc, place
        elif isinstance(place, Joined) and place.file is not None:
            yield (*loc, "file"), place.file
