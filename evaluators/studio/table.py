"""The table of rows that were scored: a letter for each field of a row, and what a change turned.

Nothing is judged here: the letters are those in which a run keeps its statuses, and a row that became right is one whose letter did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias
from uuid import uuid4

from msgspec import Struct

from evaluators.api.run_object import Run
from evaluators.api.suite import Suite
from evaluators.model.issues import Problems
from evaluators.model.rows import FIELD_STATUSES, Result
from evaluators.model.words import FIELD_WORDS, VERDICT_WORDS
from evaluators.reports.mistakes import field_of
from evaluators.runs.cells_again import cells_from
from evaluators.runs.preparing import prepare
from evaluators.runs.reader import RecordedRow
from evaluators.runs.reader import Run as Record
from evaluators.runs.record_lines import LETTERS
from evaluators.studio.messages import Score, ScoreColumn, ScoredRow, Turned
from evaluators.testsets.selection import Selection

WHOLE_EVIDENCE: Final = 5_000
"""Of so many rows every result is recorded; of more the first wrong ones."""
Shown: TypeAlias = Literal["", "wrong", "turned"]
"""Which rows are shown."""
_MOST_TURNED: Final = 20
_PASSED, _FAILED, _NO_SCORE = "P", "F", "."
_WRONG: Final = frozenset("x-+!F")
_RIGHT: Final = frozenset("=P")
_LETTER_OF: Final = bytes.maketrans(bytes(range(len(LETTERS))), LETTERS.encode())
WORDS: Final[Mapping[str, tuple[str, str, str]]] = {
    letter: (FIELD_WORDS[status.word].plain, FIELD_WORDS[status.word].sign, FIELD_WORDS[status.word].tone)
    for letter, status in zip(LETTERS, FIELD_STATUSES, strict=True)
} | {_PASSED: (VERDICT_WORDS[True].plain, "✓", "good"), _FAILED: (VERDICT_WORDS[False].plain, "✕", "wrong")}


class KeptScore(Struct):
    """What was scored, for the questions that come after it."""

    id: str
    path: str
    tab: str
    """The page that asked for it."""
    suite: Suite
    data: str
    """The file with rows in place of those that the suite names; empty without one."""
    limit: int | None
    """How many of the first rows were asked for."""
    run: Run
    columns: list[ScoreColumn]
    table: list[ScoredRow]
    """All rows."""
    turned: set[int]
    """The places in the table of rows in which the last change turned something."""
    shown: dict[tuple[str, ...], Sequence[int]]
    """The places in the table of the rows of each kind that was asked for."""


def places_of(kept: KeptScore, only: Shown, evaluator: str, field: str) -> Sequence[int]:
    """The places in the table of all rows, of those with something wrong in some columns, or of those that the last change turned."""
    key = (only, evaluator, field)
    if (found := kept.shown.get(key)) is None:
        found = kept.shown[key] = _places(kept, *key)
    return found


def _places(kept: KeptScore, only: Shown, evaluator: str, field: str) -> Sequence[int]:
    """The places of rows in the table: those that a change turned, all of them, or those with something wrong. An evaluator and a field,
    where given, narrow the last."""
    if only == "turned":
        return sorted(kept.turned)
    if not only:
        return range(len(kept.table))
    wrong = [at for at, row in enumerate(kept.table) if not _WRONG.isdisjoint(row.statuses)]
    if not evaluator and not field:
        return wrong
    wanted = [at for at, one in enumerate(kept.columns) if evaluator in ("", one.evaluator) and field in ("", one.field)]
    return [at for at in wrong if any(kept.table[at].statuses[column] in _WRONG for column in wanted)]


def with_every_cell(kept: KeptScore) -> Record:
    """The run with the cells of all rows: of many they are read from the test set again, if that is as it was."""
    if kept.run.has_every_cell:
        return kept.run
    try:
        prepared = prepare(kept.suite, kept.data or None, selection=Selection(limit=kept.limit))
    except Problems:
        return kept.run
    return cells_from(kept.run, prepared.test_set)


def kept_score(asked: Score, suite: Suite, data: str, run: Run) -> KeptScore:
    """What was scored, with its columns and rows."""
    columns: list[ScoreColumn] = []
    open_: dict[str, dict[str, int]] = {}
    for place, one in enumerate(run.facts.evaluators):
        stats = [each for each in run.result.evaluators if each.name == one.name]
        right, of = sum(each.passed for each in stats), sum(each.scored for each in stats)
        columns.append(ScoreColumn(one.name, place, right=right, of=of))
        rules = {line.name: line.rule for line in suite.lines[place].settings.scored_fields().lines or ()}
        fields = {each.path: each.counts for each in (stats[0].fields if stats else ())}
        listed = one.fields or tuple(fields)
        if not one.fields:
            open_[one.name] = {name: at for at, name in enumerate(listed)}
        for name in listed:
            counts = fields.get(name)
            shown = (counts.match, counts.n) if counts is not None else (0, 0)
            columns.append(ScoreColumn(one.name, place, name, rules.get(name, ""), *shown))
    explained = any(open_.values()) and run.result.rows <= WHOLE_EVIDENCE
    table = [
        _row(run, row, variant, open_)
        for variant in run.each_variant
        for row in run.each_row(variant, explained=explained)
    ]
    return KeptScore(uuid4().hex, asked.path, asked.tab, suite, data, asked.rows, run, columns, table, set(), {})


def _row(run: Run, row: RecordedRow, variant: str | None, open_: Mapping[str, Mapping[str, int]]) -> ScoredRow:
    """A row of the table. Its letters are, for each evaluator, one for the verdict and one for each field; `open_` has the paths and
    places of fields for evaluators whose fields the suite does not list."""
    statuses = "".join(
        _verdict(verdict)
        + (
            verdict.statuses.translate(_LETTER_OF).decode().ljust(len(one.fields), _NO_SCORE)
            if one.fields
            else _of_document(row, one.name, open_[one.name])
        )
        for one, verdict in zip(run.facts.evaluators, row.verdicts, strict=True)
    )
    return ScoredRow(row.number, row.id, statuses, [one.score for one in row.verdicts], variant or "")


def _verdict(found: Result) -> str:
    return _NO_SCORE if found.passed is None else _PASSED if found.passed else _FAILED


def _of_document(row: RecordedRow, evaluator: str, places: Mapping[str, int]) -> str:
    """A letter for each field of a whole document: what is wrong with one of its values, else whether it is right."""
    letters = [_NO_SCORE] * len(places)
    recorded = row.recorded.get(evaluator)
    for one in recorded.fields if recorded is not None else ():
        at = places.get(one.place, places.get(field_of(one.path)))
        letter = LETTERS[FIELD_STATUSES.index(one.status)]
        if at is not None and (letters[at] not in _WRONG or letter in _WRONG):
            letters[at] = letter
    return "".join(letters)


def turned(old: KeptScore, new: KeptScore) -> list[Turned]:
    """What became right and wrong, by column; rows are the same by their variant and number."""
    was = {(row.variant, row.row): row.statuses for row in old.table}
    known = {(one.evaluator, one.field): at for at, one in enumerate(old.columns)}
    places = [known.get((one.evaluator, one.field)) for one in new.columns]
    is_same = places == [*range(len(old.columns))]
    found: dict[int, Turned] = {}
    for index, row in enumerate(new.table):
        before = was.get((row.variant, row.row), "")
        if not before or (is_same and before == row.statuses):  # of many rows most are as they were
            continue
        for at, place in enumerate(places):
            if place is None or before[place] == row.statuses[at]:
                continue
            new.turned.add(index)
            column = new.columns[at]
            _take(found.setdefault(at, Turned(column.evaluator, column.field)), row.row, before[place], row.statuses[at])
    return [found[at] for at in sorted(found) if found[at].became_right or found[at].became_wrong or found[at].other]


def _take(found: Turned, row: int, before: str, now: str) -> None:
    """Counts in `found` how the letter of a row changed. Wrong in another way counts as no change, and only the first rows that became
    right or wrong are listed."""
    if before in _WRONG and now in _RIGHT:
        found.became_right += 1
        found.right += [row][: _MOST_TURNED - len(found.right)]
    elif before in _RIGHT and now in _WRONG:
        found.became_wrong += 1
        found.wrong += [row][: _MOST_TURNED - len(found.wrong)]
    else:
        found.other += not (before in _WRONG and now in _WRONG)  # wrong in another way is still wrong
