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
    """A scoring, kept for later questions."""

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


def places_of(score: KeptScore, only: Shown, evaluator: str, field: str) -> Sequence[int]:
    """The places in the table of all rows, of those with something wrong in some columns, or of those that the last change turned. They are
    kept in the score for further calls."""
    key = (only, evaluator, field)
    if (places := score.shown.get(key)) is None:
        places = score.shown[key] = _select_places(score, *key)
    return places


def _select_places(score: KeptScore, only: Shown, evaluator: str, field: str) -> Sequence[int]:
    """The places of rows in the table: those that a change turned, all of them, or those with something wrong. An evaluator and a field,
    where given, narrow the last."""
    if only == "turned":
        return sorted(score.turned)
    if not only:
        return range(len(score.table))
    wrong = [at for at, row in enumerate(score.table) if not _WRONG.isdisjoint(row.statuses)]
    if not evaluator and not field:
        return wrong
    wanted = [
        at
        for at, column in enumerate(score.columns)
        if evaluator in ("", column.evaluator) and field in ("", column.field)
    ]
    return [at for at in wrong if any(score.table[at].statuses[column] in _WRONG for column in wanted)]


def with_every_cell(score: KeptScore) -> Record:
    """The run with the cells of all rows: of many they are read from the test set again, if that is as it was."""
    if score.run.has_every_cell:
        return score.run
    try:
        prepared = prepare(score.suite, score.data or None, selection=Selection(limit=score.limit))
    except Problems:
        return score.run
    return cells_from(score.run, prepared.test_set)


def kept_score(request: Score, suite: Suite, data: str, run: Run) -> KeptScore:
    """A finished run as a scoring to keep, with a new id, a column for each evaluator and field, and a line of letters for each row."""
    columns: list[ScoreColumn] = []
    open_: dict[str, dict[str, int]] = {}
    for place, evaluator in enumerate(run.facts.evaluators):
        stats = [each for each in run.result.evaluators if each.name == evaluator.name]
        right, of = sum(each.passed for each in stats), sum(each.scored for each in stats)
        columns.append(ScoreColumn(evaluator.name, place, right=right, of=of))
        rules = {line.name: line.rule for line in suite.lines[place].settings.scored_fields().lines or ()}
        fields = {each.path: each.counts for each in (stats[0].fields if stats else ())}
        listed = evaluator.fields or tuple(fields)
        if not evaluator.fields:
            open_[evaluator.name] = {name: at for at, name in enumerate(listed)}
        for name in listed:
            counts = fields.get(name)
            shown = (counts.match, counts.n) if counts is not None else (0, 0)
            columns.append(ScoreColumn(evaluator.name, place, name, rules.get(name, ""), *shown))
    explained = any(open_.values()) and run.result.rows <= WHOLE_EVIDENCE
    table = [
        _table_row(run, row, variant, open_)
        for variant in run.each_variant
        for row in run.each_row(variant, explained=explained)
    ]
    return KeptScore(uuid4().hex, request.path, request.tab, suite, data, request.rows, run, columns, table, set(), {})


def _table_row(run: Run, row: RecordedRow, variant: str | None, open_: Mapping[str, Mapping[str, int]]) -> ScoredRow:
    """A row of the table. Its letters are, for each evaluator, one for the verdict and one for each field. `open_` has, for evaluators
    whose fields the suite does not list, the index among these letters of each field by its path."""
    statuses = "".join(
        _verdict_letter(verdict)
        + (
            verdict.statuses.translate(_LETTER_OF).decode().ljust(len(evaluator.fields), _NO_SCORE)
            if evaluator.fields
            else _document_letters(row, evaluator.name, open_[evaluator.name])
        )
        for evaluator, verdict in zip(run.facts.evaluators, row.verdicts, strict=True)
    )
    return ScoredRow(row.number, row.id, statuses, [verdict.score for verdict in row.verdicts], variant or "")


def _verdict_letter(verdict: Result) -> str:
    """The letter for the verdict on a row: passed, failed, or no score."""
    return _NO_SCORE if verdict.passed is None else _PASSED if verdict.passed else _FAILED


def _document_letters(row: RecordedRow, evaluator: str, places: Mapping[str, int]) -> str:
    """A letter for each field of a whole document: what is wrong with one of its values, else whether it is right."""
    letters = [_NO_SCORE] * len(places)
    recorded = row.recorded.get(evaluator)
    for outcome in recorded.fields if recorded is not None else ():
        at = places.get(outcome.place, places.get(field_of(outcome.path)))
        letter = LETTERS[FIELD_STATUSES.index(outcome.status)]
        if at is not None and (letters[at] not in _WRONG or letter in _WRONG):
            letters[at] = letter
    return "".join(letters)


def turned_values(old: KeptScore, new: KeptScore) -> list[Turned]:
    """The values that became right and wrong between two scorings, by column; rows are the same by their variant and number. The places of
    the rows that changed are added to `new.turned`."""
    was = {(row.variant, row.row): row.statuses for row in old.table}
    known = {(column.evaluator, column.field): at for at, column in enumerate(old.columns)}
    places = [known.get((column.evaluator, column.field)) for column in new.columns]
    is_same = places == [*range(len(old.columns))]
    turned: dict[int, Turned] = {}
    for index, row in enumerate(new.table):
        before = was.get((row.variant, row.row), "")
        if not before or (is_same and before == row.statuses):  # of many rows most are as they were
            continue
        for at, place in enumerate(places):
            if place is None or before[place] == row.statuses[at]:
                continue
            new.turned.add(index)
            column = new.columns[at]
            counts = turned.setdefault(at, Turned(column.evaluator, column.field))
            _count_change(counts, row.row, before[place], row.statuses[at])
    changes = [turned[at] for at in sorted(turned)]
    return [each for each in changes if each.became_right or each.became_wrong or each.other]


def _count_change(turned: Turned, row: int, before: str, now: str) -> None:
    """Counts in `turned` how the letter of a row changed. Wrong in another way counts as no change, and only the first rows that became
    right or wrong are listed."""
    if before in _WRONG and now in _RIGHT:
        turned.became_right += 1
        turned.right += [row][: _MOST_TURNED - len(turned.right)]
    elif before in _RIGHT and now in _WRONG:
        turned.became_wrong += 1
        turned.wrong += [row][: _MOST_TURNED - len(turned.wrong)]
    else:
        turned.other += not (before in _WRONG and now in _WRONG)  # wrong in another way is still wrong
