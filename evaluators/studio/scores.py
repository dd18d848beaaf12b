"""Rows scored by a text: an ordinary run that is written nowhere, and what the page shows of it.

Strategy: the engine, the figures and the advice are those of a run; here its codes become a table. What was scored last is kept, so that
what a change turned can be told and a row can be opened. Judges are not asked: their questions have no answer, until somebody says that
they may be. What was answered then is known afterwards.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from shlex import join
from threading import Event, Lock
from time import perf_counter
from typing import Final
from uuid import uuid4

from msgspec import Struct

from evaluators.api.finished_run import label_rules
from evaluators.api.run_object import Run
from evaluators.api.suite import Suite
from evaluators.issues import problem
from evaluators.judges.asking import Counted, asking_with
from evaluators.judges.judge import Judge, JudgeAnswer, JudgeQuestion, call_judge, unanswered
from evaluators.model import FIELD_STATUSES, Result
from evaluators.reports.headline import Options
from evaluators.reports.html.payload import run_payload
from evaluators.reports.html.rows import embedded
from evaluators.reports.mistakes import field_of
from evaluators.reports.suggestion_search import suggestions_for
from evaluators.reports.suggestions import Suggestion, suggestion_item
from evaluators.run.asking_run import asks, questions_of
from evaluators.run.cells_again import with_cells
from evaluators.run.metrics import rows_text
from evaluators.run.preparing import prepare
from evaluators.run.reader import RecordedRow
from evaluators.run.record_lines import LETTERS
from evaluators.studio.form import problem_of
from evaluators.studio.messages import (
    AdviceLine,
    Apply,
    Asks,
    Figure,
    GateEnd,
    RowShown,
    RowsShown,
    ScoreColumn,
    Scored,
    ScoredRow,
    Turned,
)
from evaluators.testsets.selection import Selection
from evaluators.testsets.test_set_checks import is_here
from evaluators.words import FIELD_WORDS, VERDICT_WORDS

MOST_KEPT: Final = 6
MOST_ROWS_KEPT: Final = 500_000
FIRST_ROWS: Final = 500
"""Rows that come with the scores."""
MOST_SHOWN: Final = 2_000
WHOLE_EVIDENCE: Final = 5_000
"""Of so many rows every result is recorded; of more the first wrong ones."""
_MOST_TURNED: Final = 20
_MOST_PROBLEMS: Final = 20
_PASSED, _FAILED, _NO_SCORE = "P", "F", "."
_WRONG: Final = frozenset("x-+!F")
_RIGHT: Final = frozenset("=P")
_LETTER_OF: Final = bytes.maketrans(bytes(range(len(LETTERS))), LETTERS.encode())
WORDS: Final[Mapping[str, tuple[str, str, str]]] = {
    letter: (FIELD_WORDS[status.word].plain, FIELD_WORDS[status.word].sign, FIELD_WORDS[status.word].tone)
    for letter, status in zip(LETTERS, FIELD_STATUSES, strict=True)
} | {_PASSED: (VERDICT_WORDS[True].plain, "✓", "good"), _FAILED: (VERDICT_WORDS[False].plain, "✕", "wrong")}


class Superseded(Exception):
    """A newer request of the same page came while this one was under way."""


class KeptScore(Struct):
    """What was scored, for the questions that come after it."""

    id: str
    path: str
    suite: Suite
    run: Run
    columns: list[ScoreColumn]
    table: list[ScoredRow]
    """All rows."""
    turned: set[int]
    """The places in the table of rows in which the last change turned something."""


class _Answers(Counted):
    """What judges answered before, and, where somebody has said that they may be asked, what they answer now. Everything else has no
    answer. A judge that sends nothing anywhere is always asked."""

    def __init__(self, known: dict[Hashable, JudgeAnswer], may_ask: bool) -> None:
        super().__init__()
        self._known, self._may_ask = known, may_ask

    def judge_asked(self, judge: Judge, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
        new = [one for one in questions if (judge.identity, one.key) not in self._known]
        found: dict[Hashable, JudgeAnswer] = {}
        if new and (self._may_ask or not judge.notice()):
            found = {one.key: answer for one, answer in zip(new, call_judge(judge, new), strict=True)}
            self._known |= {(judge.identity, key): answer for key, answer in found.items() if answer.error is None}
        return [self._known.get((judge.identity, one.key)) or found.get(one.key, _NOT_ASKED) for one in questions]


_NOT_ASKED: Final = JudgeAnswer(error=unanswered("not-asked", "the judge was not asked yet"))


class Scores:
    """What was scored in a studio."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, KeptScore] = OrderedDict()
        self._lock = Lock()
        self._under_way: dict[str, Event] = {}
        self._answers: dict[Hashable, JudgeAnswer] = {}

    def find(self, id: str) -> KeptScore:
        """What was scored under that id. Raises Problems (config) where it is not kept any more."""
        with self._lock:
            found = self._kept.get(id)
        if found is None:
            raise problem("no-score", "this was scored too long ago", hint="score the rows again")
        return found

    def score(
        self, suite: Suite, path: str, tab: str, rows: int | None, before: str, ask: bool, data: str = ""
    ) -> Scored:
        """Scores the first rows, or all. Raises Problems where nothing can be scored, and Superseded."""
        started = perf_counter()
        stop = Event()
        with self._lock:
            last = self._under_way.pop(tab, None)
            self._under_way[tab] = stop
            old = self._kept.get(before)
        if last is not None:
            last.set()
        try:
            run = self._run(suite, data, rows, ask, stop)
            if stop.is_set():
                raise Superseded
            kept = _kept(path, suite, run)
            turned = _turned(old, kept) if old is not None else []
            whole = rows is None or run.result.rows < rows
            found = _scored(kept, whole, turned, self._asks(suite, data, rows))
            found.command = _command(path, data, rows)
            with self._lock:
                self._kept[kept.id] = kept
                while len(self._kept) > MOST_KEPT or (len(self._kept) > 2 and self._rows_kept() > MOST_ROWS_KEPT):
                    self._kept.popitem(last=False)
        finally:
            with self._lock:
                if self._under_way.get(tab) is stop:
                    del self._under_way[tab]
        found.seconds = perf_counter() - started
        return found

    def _rows_kept(self) -> int:
        return sum(len(one.table) for one in self._kept.values())

    def _run(self, suite: Suite, data: str, rows: int | None, ask: bool, stop: Event) -> Run:
        refuse_elsewhere(suite, data)
        small = rows is not None and rows <= WHOLE_EVIDENCE
        with asking_with(counted=_Answers(self._answers, ask)):
            return suite.run(
                data or None, selection=Selection(limit=rows), workers=1, engine="in_process", track=("none",),
                evidence="all" if small else None, documents="all" if small else None, stopped=stop.is_set,
            )  # fmt: skip

    def _asks(self, suite: Suite, data: str, rows: int | None) -> Asks | None:
        """Whom the suite would ask, and what that comes to; None where nothing would be sent."""
        if not asks(suite):
            return None
        lines, _ = questions_of(prepare(suite, data or None, selection=Selection(limit=rows)), 1)
        return Asks(lines) if lines else None

    def rows(self, id: str, first: int, count: int, only: str, evaluator: str, field: str) -> RowsShown:
        """Some rows of what was scored."""
        kept = self.find(id)
        places: Sequence[int] = range(len(kept.table))
        if only:
            columns = [
                at
                for at, one in enumerate(kept.columns)
                if (not evaluator or one.evaluator == evaluator) and (not field or one.field == field)
            ]
            turned = kept.turned if only == "turned" else None
            places = [at for at in places if turned is None or at in turned]
            if only == "wrong":
                places = [at for at in places if any(kept.table[at].statuses[column] in _WRONG for column in columns)]
        shown = places[first : first + min(count, MOST_SHOWN)]
        return RowsShown(len(places), [kept.table[at] for at in shown])

    def row(self, id: str, number: int) -> RowShown:
        """One row, as a report has it."""
        kept = self.find(id)
        record = with_cells(kept.run)
        rows = embedded(record, only=number)
        options = Options(label_rules=label_rules(kept.suite.lines))
        head = run_payload(kept.run.result, options, kept.run.facts, rows)
        lines = {name: base64.b64encode(packed).decode("ascii") for name, packed in rows.elements.items()}
        command = join(["evaluators", "try", kept.path, "--row", str(number)])
        return RowShown(head, lines, command)

    def advice(self, id: str) -> list[AdviceLine]:
        """What one change would turn, the change that turns most first."""
        kept = self.find(id)
        found = suggestions_for(kept.suite.lines, kept.run, reading=kept.suite.reading)
        places = {line.name: place for place, line in enumerate(kept.suite.lines)}
        return [_advice(one, places[one.evaluator], kept.suite) for one in found if one.evaluator in places]


def refuse_elsewhere(suite: Suite, data: str) -> None:
    """Raises Problems (config) for rows that are not on this machine: they would be fetched at every key."""
    config = suite.test_set
    if data:
        return
    if (
        config.sql
        or config.mlflow
        or config.phoenix
        or not (config.model_fields_set and is_here(config, suite.test_set_folder))
    ):
        where = suite.config.source.name
        named = "are not on this machine" if config.model_fields_set else "are not named"
        hint = (
            f"`evaluators run {where}` reads them wherever they are" if config.model_fields_set else "test_set: rows.csv"
        )
        raise problem("no-rows-here", f"the rows of the suite {named}, so nothing is scored here", where=where, hint=hint)


def _kept(path: str, suite: Suite, run: Run) -> KeptScore:
    columns: list[ScoreColumn] = []
    open_: dict[str, dict[str, int]] = {}
    starts: list[int] = []
    for place, one in enumerate(run.facts.evaluators):
        stats = [each for each in run.result.evaluators if each.name == one.name]
        right, of = sum(each.passed for each in stats), sum(each.scored for each in stats)
        starts.append(len(columns))
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
    return KeptScore(uuid4().hex, path, suite, run, columns, table, set())


def _row(run: Run, row: RecordedRow, variant: str | None, open_: Mapping[str, Mapping[str, int]]) -> ScoredRow:
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


def _turned(old: KeptScore, new: KeptScore) -> list[Turned]:
    """What became right and wrong, by column; rows are the same by their variant and number."""
    was = {(row.variant, row.row): row.statuses for row in old.table}
    known = {(one.evaluator, one.field): at for at, one in enumerate(old.columns)}
    found: list[Turned] = []
    for at, column in enumerate(new.columns):
        place = known.get((column.evaluator, column.field))
        if place is None:
            continue
        right, wrong, other = [], [], 0
        for index, row in enumerate(new.table):
            before = was.get((row.variant, row.row))
            if before is None or before[place] == row.statuses[at]:
                continue
            change = (
                before[place] in _RIGHT,
                row.statuses[at] in _RIGHT,
                before[place] in _WRONG,
                row.statuses[at] in _WRONG,
            )
            right += [row.row] if change[1] and change[2] else []
            wrong += [row.row] if change[0] and change[3] else []
            other += not (change[0] or change[2]) or not (change[1] or change[3])
            new.turned.add(index)
        if right or wrong or other:
            first = right[:_MOST_TURNED], wrong[:_MOST_TURNED]
            found.append(Turned(column.evaluator, column.field, *first, len(right), len(wrong), other))
    return found


def _scored(kept: KeptScore, whole: bool, turned: list[Turned], asked: Asks | None) -> Scored:
    result = kept.run.result
    rows = rows_text(result.rows)
    figures = [
        Figure(
            one.name, one.mean, one.pass_rate, one.scored, one.rows, one.variant or "",
            *((one.mean_ci.low, one.mean_ci.high) if whole and one.mean_ci is not None else (None, None)),
        )
        for one in result.evaluators
        if one.slice is None
    ]  # fmt: skip
    gates = [GateEnd(one.target, one.verdict, one.message) for one in result.gates] if whole else []
    name = kept.suite.config.source.name
    said = [problem_of(one, name) for one in (*result.issues, *(result.warnings if whole else ()))]
    return Scored(
        kept.id, result.rows, whole, f"of all {rows}" if whole else f"of the first {rows}", kept.columns,
        kept.table[:FIRST_ROWS], WORDS, figures, gates, turned, asked, said[:_MOST_PROBLEMS], 0.0, "",
    )  # fmt: skip


def _command(path: str, data: str, rows: int | None) -> str:
    limit = [] if rows is None else ["--limit", str(rows)]
    return join(["evaluators", "run", path, *([data] if data else []), *limit, "--no-results"])


def _advice(one: Suggestion, place: int, suite: Suite) -> AdviceLine:
    item = suggestion_item(one)
    return AdviceLine(
        one.evaluator, place, one.at or one.field, item.text, item.quote[0] if item.quote else one.write, one.turned, list(one.rows),
        _applied(one, place, suite),
    )  # fmt: skip


def _applied(one: Suggestion, place: int, suite: Suite) -> Apply | None:
    """What writes a suggestion; None where a schema or the outputs would have to change."""
    if not one.write:
        return None
    if one.line or one.aside or one.write.startswith("nulls:"):
        return Apply(place, "", one.write)
    if not suite.lines[place].settings.scored_fields().lines:
        return None
    return Apply(place, one.place, one.write)
