"""Rows scored by a text: an ordinary run that is written nowhere, and what the page shows of it.

Strategy: the engine, the figures and the advice are those of a run; here its codes become a table. What was scored last is kept, so that
what a change turned can be told and a row can be opened. Judges are not asked: their questions have no answer, until somebody says that
they may be. What was answered then is known afterwards.
"""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from shlex import join
from threading import Event, Lock
from time import perf_counter
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.api.finished_run import label_rules
from evaluators.api.run_object import Run
from evaluators.api.suite import Suite
from evaluators.model.issues import Problems, problem
from evaluators.reports.headline import Options
from evaluators.reports.html.payload import run_payload
from evaluators.reports.html.rows import embed_rows
from evaluators.reports.suggestion_search import suggestions_for
from evaluators.reports.suggestions import Suggestion, suggestion_item
from evaluators.runs.asking_run import asks_anybody
from evaluators.runs.dry_run import dry_run_lines
from evaluators.runs.metrics import rows_text
from evaluators.runs.places import loc_in_test_set
from evaluators.runs.preparing import prepare
from evaluators.scoring.judges.asking import QuestionCounter, asking_with
from evaluators.scoring.judges.judge import Judge, JudgeAnswer, JudgeQuestion, call_judge, unanswered_issue
from evaluators.studio import messages as m
from evaluators.studio.form import problem_of
from evaluators.studio.table import (
    WHOLE_EVIDENCE,
    WORDS,
    KeptScore,
    Shown,
    kept_score,
    places_of,
    turned_values,
    with_every_cell,
)
from evaluators.testsets.reader import all_chunks as chunks_of
from evaluators.testsets.selection import Selection
from evaluators.testsets.test_set_checks import absent_places, is_here

MOST_KEPT: Final = 6
"""Of one page: what another one scores takes nothing away from it."""
MOST_KEPT_OF_ALL: Final = 60
MOST_ROWS_KEPT: Final = 500_000
FIRST_ROWS: Final = 500
"""Rows that come with the scores."""
MOST_SHOWN: Final = 2_000
_MOST_PROBLEMS: Final = 20


class Superseded(Exception):
    """A newer request of the same page came while this one was under way."""


class _Answers(QuestionCounter):
    """A judge with the answers of earlier scorings and, with the user's permission, new ones. Everything else has no answer. A
    judge that sends nothing anywhere is always asked."""

    def __init__(self, known: dict[Hashable, JudgeAnswer], may_ask: bool) -> None:
        super().__init__()
        self._known, self._may_ask = known, may_ask
        self.open = False
        """Some question has no answer, because nobody was asked."""

    def count_judge_questions(self, judge: Judge, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
        """Answers questions in place of the judge, in their order: with answers from before, and by asking the judge where that is allowed
        or sends nothing anywhere. A question that stays without an answer sets `open`; new answers without an error are remembered."""
        new = [question for question in questions if (judge.identity, question.key) not in self._known]
        new_answers: dict[Hashable, JudgeAnswer] = {}
        if new and (self._may_ask or not judge.notice()):
            new_answers = {question.key: answer for question, answer in zip(new, call_judge(judge, new), strict=True)}
            self._known |= {(judge.identity, key): answer for key, answer in new_answers.items() if answer.error is None}
        answers = [
            self._known.get((judge.identity, question.key)) or new_answers.get(question.key, _NOT_ASKED)
            for question in questions
        ]
        self.open = self.open or _NOT_ASKED in answers
        return answers


_NOT_ASKED: Final = JudgeAnswer(error=unanswered_issue("not-asked", "the judge was not asked yet"))


class _UnderWay(Struct):
    """Rows that are being scored for a page, and the number of its request."""

    stop: Event
    turn: int
    rows: int = 0
    share: float | None = None

    def add_progress(self, rows: int, share: float | None) -> None:
        """Adds rows that were scored since the last call, and takes over the share of all rows, where it is known."""
        self.rows += rows
        self.share = self.share if share is None else share


class Scores:
    """The scorings of a studio."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, KeptScore] = OrderedDict()
        self._lock = Lock()
        self._under_way: dict[str, _UnderWay] = {}
        self._answers: dict[Hashable, JudgeAnswer] = {}

    def find(self, id: str) -> KeptScore:
        """The scoring with that id. Raises Problems (config) where it is not kept any more."""
        with self._lock:
            kept_score = self._kept.get(id)
        if kept_score is None:
            raise problem("no-score", "this was scored too long ago", hint="score the rows again")
        return kept_score

    def score(self, suite: Suite, request: m.Score, data: str) -> m.Scored:
        """Scores the first rows, or all, of the suite's test set or of the file `data`, and keeps the result. The scoring that is under way
        for the same page is stopped. Raises Problems where nothing can be scored, and Superseded where a newer request of the page
        has come."""
        started = perf_counter()
        here = _UnderWay(Event(), request.turn)
        with self._lock:
            last = self._under_way.get(request.tab)
            if last is not None and last.turn > request.turn:
                raise Superseded
            self._under_way[request.tab] = here
            old = self._kept.get(request.before)
        if last is not None:
            last.stop.set()
        try:
            answers = _Answers(self._answers, request.ask)
            run = self._run(suite, data, request, here, answers)
            if here.stop.is_set():
                raise Superseded
            new_score = kept_score(request, suite, data, run)
            whole = request.rows is None or run.result.rows < request.rows or not _has_more(suite, data, request.rows)
            changes = turned_values(old, new_score) if old is not None and old.path == request.path else []
            message = _score_message(
                new_score, whole, changes, self._judges_to_ask(suite, data, request.rows, answers.open)
            )
            message.command = _run_command(request.path, data, request.rows)
            self._keep(new_score)
        finally:
            with self._lock:
                if self._under_way.get(request.tab) is here:
                    del self._under_way[request.tab]
        message.seconds = perf_counter() - started
        return message

    def progress(self, tab: str) -> m.Progress:
        """How far the scoring of a page's rows is: 0 rows where nothing is being scored."""
        with self._lock:
            job = self._under_way.get(tab)
        return m.Progress(job.rows, job.share) if job is not None else m.Progress(0, None)

    def _keep(self, score: KeptScore) -> None:
        """Keeps a scoring, and drops the oldest of the same page, and of all pages where they are too many or hold too many rows."""
        with self._lock:
            self._kept[score.id] = score
            for id in [id for id, kept_score in self._kept.items() if kept_score.tab == score.tab][:-MOST_KEPT]:
                del self._kept[id]
            while len(self._kept) > MOST_KEPT_OF_ALL or (
                len(self._kept) > 2 and self._count_kept_rows() > MOST_ROWS_KEPT
            ):
                self._kept.popitem(last=False)

    def _count_kept_rows(self) -> int:
        """How many rows all kept scorings hold."""
        return sum(len(kept_score.table) for kept_score in self._kept.values())

    def _run(self, suite: Suite, data: str, request: m.Score, progress: _UnderWay, answers: _Answers) -> Run:
        """The run of a suite that is written nowhere. Of few rows it keeps all evidence and documents.

        `data` is a file in place of the suite's own rows, or empty. `progress` is told how far the run is, and can stop it; `answers` are
        those that judges gave before. Raises Problems where rows are not there, or would be fetched without being allowed to.
        """
        refuse_rows_elsewhere(suite, data, request.fetch)
        small = request.rows is not None and request.rows <= WHOLE_EVIDENCE
        with asking_with(counted=answers):
            return suite.run(
                data or None, selection=Selection(limit=request.rows), workers=1, engine="in_process", track=("none",),
                evidence="all" if small else None, documents="all" if small else None, stopped=progress.stop.is_set,
                progress=progress.add_progress,
            )  # fmt: skip

    def _judges_to_ask(self, suite: Suite, data: str, rows: int | None, is_open: bool) -> m.Asks | None:
        """The judges that the suite would ask, and the estimate; None where nothing would be sent."""
        if not asks_anybody(suite):
            return None
        lines, _ = dry_run_lines(prepare(suite, data or None, selection=Selection(limit=rows)), repeat_judge=1)
        return m.Asks(lines, is_open) if lines else None

    def rows(
        self, score: str, first: int = 0, count: int = 200, only: Shown = "", evaluator: str = "", field: str = ""
    ) -> m.RowsShown:
        """Some rows of what was scored: `count` of them from the place `first`, of all or of those with something wrong, in an evaluator
        or in a field of it."""
        kept_score = self.find(score)
        places = places_of(kept_score, only, evaluator, field)
        shown = places[first : first + min(count, MOST_SHOWN)]
        return m.RowsShown(len(places), [kept_score.table[at] for at in shown])

    def row(self, score: str, row: int) -> m.RowShown:
        """One row of what was scored, packed as the page of a report has it. Raises Problems where the score is not kept any more."""
        kept_score = self.find(score)
        rows = embed_rows(with_every_cell(kept_score), only=row)
        options = Options(label_rules=label_rules(kept_score.suite.lines))
        head = run_payload(kept_score.run.result, options, kept_score.run.facts, rows)
        lines = {name: base64.b64encode(packed).decode("ascii") for name, packed in rows.elements.items()}
        return m.RowShown(head, lines, join(["evaluators", "try", kept_score.path, "--row", str(row)]))

    def advice(self, score: str) -> m.Advised:
        """The suggestions for what was scored, the change that turns most values first. Raises Problems where the score is not kept any
        more."""
        kept_score = self.find(score)
        suggestions = suggestions_for(kept_score.suite.lines, kept_score.run, reading=kept_score.suite.reading)
        places = {line.name: place for place, line in enumerate(kept_score.suite.lines)}
        lines = [
            _advice_line(suggestion, places[suggestion.evaluator], kept_score.suite)
            for suggestion in suggestions
            if suggestion.evaluator in places
        ]
        return m.Advised(lines, join(["evaluators", "run", kept_score.path]))


def refuse_rows_elsewhere(suite: Suite, data: str, fetch: bool) -> None:
    """Raises Problems (config) for a suite without rows, for files that are not there, and, unless `fetch` is set, for rows that are in a
    database or on another machine: they would be fetched at every key. `data` is a file in place of the suite's own rows, or empty."""
    config, where = suite.test_set, suite.config.source.name
    asked_for = bool(config.sql or config.mlflow or config.phoenix)
    if data or (config.model_fields_set and not asked_for and is_here(config, suite.test_set_folder)):
        return
    if not config.model_fields_set:
        raise problem("no-rows-here", "the suite names no rows", where=where, hint="test_set: rows.csv")
    absent = absent_places(config, suite.test_set_folder)
    if absent:
        raise Problems([replace(issue, where=suite.place(*loc_in_test_set(suite, loc))) for loc, issue in absent])
    if not fetch:
        message = "the rows of the suite are in a database or on another machine, so they are not scored at every key"
        raise problem("rows-elsewhere", message, where=where, hint="fetch them once, or run the suite")


def _has_more(suite: Suite, data: str, rows: int) -> bool:
    """Whether the test set goes on after so many rows."""
    test_set = prepare(suite, data or None, selection=Selection(limit=rows + 1)).test_set
    table = test_set.variant(test_set.variants[0]).table if test_set.variants else test_set.table
    return sum(chunk.count for chunk in chunks_of(table, table.header[:1])) > rows


def _score_message(score: KeptScore, whole: bool, changes: list[m.Turned], asks: m.Asks | None) -> m.Scored:
    """A scoring as the page shows it: totals, the first rows of the table, `changes` against the scoring before, what judges would be asked
    (`asks`), and problems. Gates, intervals and warnings come only where all rows were scored (`whole`). The caller fills in the
    seconds and the command."""
    result = score.run.result
    rows = rows_text(result.rows)
    figures = [
        m.Figure(
            evaluator.name, evaluator.mean, evaluator.pass_rate, evaluator.scored, evaluator.rows, evaluator.variant or "",
            *((evaluator.mean_ci.low, evaluator.mean_ci.high) if whole and evaluator.mean_ci is not None else (None, None)),
        )
        for evaluator in result.evaluators
        if evaluator.slice is None
    ]  # fmt: skip
    gates = [m.GateEnd(gate.target, gate.verdict, gate.message) for gate in result.gates] if whole else []
    name = score.suite.config.source.name
    problems = [problem_of(issue, name) for issue in (*result.issues, *(result.warnings if whole else ()))]
    return m.Scored(
        score.id, result.rows, whole, f"of all {rows}" if whole else f"of the first {rows}", score.columns,
        score.table[:FIRST_ROWS], WORDS, figures, gates, changes, asks, problems[:_MOST_PROBLEMS], seconds=0.0, command="",
    )  # fmt: skip


def _run_command(path: str, data: str, rows: int | None) -> str:
    """The command that scores the same rows, for people to copy."""
    limit = [] if rows is None else ["--limit", str(rows)]
    return join(["evaluators", "run", path, *([data] if data else []), *limit, "--no-results"])


def _advice_line(suggestion: Suggestion, place: int, suite: Suite) -> m.AdviceLine:
    """A suggestion as a line of the page; `place` is the number of its evaluator in the suite."""
    item = suggestion_item(suggestion)
    return m.AdviceLine(
        suggestion.evaluator, place, suggestion.at or suggestion.field, item.text,
        item.quote[0] if item.quote else suggestion.write, suggestion.turned, list(suggestion.rows),
        _edit_for(suggestion, place, suite),
    )  # fmt: skip


def _edit_for(suggestion: Suggestion, place: int, suite: Suite) -> m.Apply | None:
    """The edit that writes a suggestion; None where a schema or the outputs would have to change."""
    if not suggestion.write:
        return None
    if suggestion.line or suggestion.aside or suggestion.write.startswith("nulls:"):
        return m.Apply(place, "", suggestion.write)
    if not suite.lines[place].settings.scored_fields().lines:
        return None
    return m.Apply(place, suggestion.place, suggestion.write)
