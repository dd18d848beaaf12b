"""What is odd about a test set and keeps nothing from being scored: files that are not there yet, keys written twice,
answers that contradict each other, columns that nobody reads.

Looked for by `evaluators check` only: a run does not pay for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from evaluators.model.issues import Blame, CellError, Issue, Problems
from evaluators.model.rows import MISSING
from evaluators.model.settings import Loc
from evaluators.scoring.needs import Cell
from evaluators.scoring.values.json_text import NotJSON, compact, duplicate_keys, parse
from evaluators.scoring.values.pairing import lookup_key
from evaluators.scoring.values.quoting import first_texts
from evaluators.testsets.byte_source import STANDARD_INPUT, locate
from evaluators.testsets.byte_store import kind_at, local_path, matching
from evaluators.testsets.documents import is_pattern
from evaluators.testsets.reader import rows_of
from evaluators.testsets.test_set import TestSet
from evaluators.testsets.test_set_config import Joined, TestSetConfig

MOST_SHOWN: Final = 5
"""Rows that are named one by one."""
_MOST_COLUMNS: Final = 10
_FIXED_INPUT: Final = 3
"""Rows that contradict the first one, from which on an input that never changes is no input."""


def absent_places(config: TestSetConfig, folder: Path) -> list[tuple[Loc, Issue]]:
    """The files and folders that the settings name and that are not there, each with its place below `test_set`.

    Stores are not asked: to look at a suite opens no addresses that it names.
    """
    issues: list[tuple[Loc, Issue]] = []
    for loc, place in _places(config):
        if place == STANDARD_INPUT or local_path(place) is None or kind_at(folder, place) is not None:
            continue
        if is_pattern(place, folder):
            if not matching(place, folder):
                issues.append((loc, Issue("no-such-file", Blame.CONFIG, f'no file fits the pattern "{place}"')))
            continue
        try:
            locate(place, folder)
        except Problems as error:
            issue = error.issues[0]
            issues.append((loc, Issue(issue.code, issue.blame, f'{issue.message}: "{place}"', None, issue.hint)))
    return [(loc, config.masked_issue(issue)) for loc, issue in issues]


def is_here(config: TestSetConfig, folder: Path) -> bool:
    """Whether the settings name a test set, and all of it is on this machine."""
    places = [place for _, place in _places(config)]
    local = all(place != STANDARD_INPUT and local_path(place) is not None for place in places)
    return bool(places) and local and not absent_places(config, folder)


def answer_warnings(test_set: TestSet, expected: str, input_column: str | None = None) -> list[Issue]:
    """Warnings about expected answers: rows whose JSON has a key twice in one object, of which the last one counts; and rows that give
    the same and expect something else. `expected` and `input_column` are columns.

    Only text shows a key that is given twice: in a JSON file it was already read once. Answers are compared as JSON where they are
    JSON, and otherwise as text without spaces at the ends. Rows without an input or without an answer say nothing; nor does an input
    that is the same in all of many rows, such as a fixed prompt.
    """
    twice = _FirstIssues("key-twice", ("row has", "rows have"), "a key twice in one object")
    first_answers: dict[int, int] = {}
    unlike: set[int] = set()
    for number, (answer, *question) in rows_of(
        test_set, [expected] if input_column is None else [expected, input_column]
    ):
        if keys := _keys_twice(answer):
            names = ", ".join(f'"{key}"' for key in keys)
            twice.add(
                f"a key is given twice in one object: {names}; the last one counts", test_set.place(number, expected)
            )
        input_hash, answer_hash = _value_hash(question[0]) if question else None, _text_hash(answer)
        if input_hash is None or answer_hash is None:
            continue
        if first_answers.setdefault(input_hash, answer_hash) != answer_hash:
            unlike.add(input_hash)
    contradictions: list[Issue] = []
    if input_column is not None and unlike:  # nearly always there are none, and no answer has to be taken apart
        contradictions = _contradictions(test_set, input_column, expected, unlike).issues(test_set.name)
    is_fixed_prompt = len(first_answers) == 1 and len(contradictions) >= _FIXED_INPUT
    return [*twice.issues(test_set.name), *([] if is_fixed_prompt else contradictions)]


def _keys_twice(cell: Cell) -> tuple[str, ...]:
    """The places of keys that a cell has twice in one object; none for a cell that is no text or no JSON."""
    try:
        return duplicate_keys(cell) if isinstance(cell, str) else ()
    except NotJSON:
        return ()  # an evaluator that needs JSON here says so


def _contradictions(test_set: TestSet, input_column: str, expected: str, unlike: Collection[int]) -> _FirstIssues:
    """The rows that contradict an earlier one. Only rows are looked at whose input has its hash in `unlike`, for which answers are written
    in several ways: it contradicts only where they also differ as values. Both column names are those of the test set."""
    contradictions = _FirstIssues("contradicting-answers", ("row contradicts", "rows contradict"), "an earlier one")
    first: dict[int, tuple[int, int]] = {}
    for number, (question, answer) in rows_of(test_set, (input_column, expected)):
        input_hash = _value_hash(question)
        answer_hash = _value_hash(answer) if input_hash in unlike else None
        if input_hash is None or answer_hash is None:
            continue
        row, first_hash = first.setdefault(input_hash, (number, answer_hash))
        if first_hash != answer_hash:
            message = f'another answer than in row {row:,}, where "{input_column}" is the same'
            contradictions.add(message, test_set.place(number, expected), "one output cannot be right in both rows")
    return contradictions


class _FirstIssues:
    """The first issues of a kind, and how many more rows have one."""

    def __init__(self, code: str, rows: tuple[str, str], what: str) -> None:
        self._code, self._rows, self._what = code, rows, what
        self._first: list[Issue] = []
        self._more = 0

    def add(self, message: str, where: str, hint: str | None = None) -> None:
        """Adds the issue of one more row: it is kept where it is among the first ones, and else only counted."""
        if len(self._first) < MOST_SHOWN:
            self._first.append(Issue(self._code, Blame.TESTSET, message, where, hint))
        else:
            self._more += 1

    def issues(self, name: str) -> list[Issue]:
        """One issue for each of the first rows, and one for all further ones, about the test set of that name."""
        more, (one, several) = self._more, self._rows
        if not more:
            return self._first
        message = f"1 more {one} {self._what}" if more == 1 else f"{more:,} more {several} {self._what}"
        return [*self._first, Issue(self._code, Blame.TESTSET, message, name)]


def unused_columns(header: Iterable[str], used: Collection[str]) -> str | None:
    """The sentence on the columns that nothing reads; None where there are none."""
    spare = [name for name in header if name not in used]
    if not spare:
        return None
    shown = first_texts([f'"{name}"' for name in spare], _MOST_COLUMNS)
    return f"never used: the column{'' if len(spare) == 1 else 's'} {shown}"


def _value_hash(cell: Cell) -> int | None:
    """A hash that is equal for cells with equal values, JSON text or not; None for an empty cell."""
    if isinstance(cell, str):
        text = cell.strip()
        if not text:
            return None
        if _begins_json(text) is None:
            return hash(("text", text))
        try:
            cell = parse(text)
        except NotJSON:
            return hash(("text", text))
    if cell is None or cell is MISSING or isinstance(cell, CellError):
        return None
    return hash(("json", lookup_key(cell)))


def _text_hash(cell: Cell) -> int | None:
    """A hash that is equal for cells that are written the same; None for an empty cell."""
    if isinstance(cell, str):
        text = cell.strip()
        return hash(text) if text else None
    return None if cell is None or cell is MISSING or isinstance(cell, CellError) else hash(compact(cell))


_begins_json: Final = re.compile(r'[{\["\d-]|(?:true|false|null)\Z').match


def _places(config: TestSetConfig) -> Iterator[tuple[Loc, str]]:
    """Every file and folder that the settings name, each with its place below `test_set`."""
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
