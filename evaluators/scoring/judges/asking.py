"""Asking a list: questions that cost are gathered from a chunk of rows, and equal ones are asked once.

A question goes one way. Who scores a chunk calls `ask_later` inside `gathering`: what has no answer goes on a list. Then
`Gathered.answer` asks the different questions, with one call for each comparator and one for the judge, and who asked
takes the answers from what `ask_later` gave. An evaluator that looks at one row calls `ask` (a comparator that costs) or
`ask_judge`, as often as the row is open: what is on the list has a placeholder for an answer until it is in the cache.
Outside of `gathering` everybody is asked at once. Answers live as long as the cache that `caching` opened.

A comparator that asks a judge looks at each pair of values once: what it decides without asking, or its question for the judge,
is cached.

A call that answers none of its questions (it raised, or gave back no list of their number) is repeated request by request, a
request being what one evaluator asks of one row; only those answers count. What was answered for one request is not asked
again for the next.

How a run asks is set around it: `asking_with`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeAlias, cast

import msgspec
from msgspec.structs import astuple, replace

from evaluators.model.issues import RowProblem
from evaluators.model.rows import Comparison
from evaluators.scoring.comparators._comparator import (
    Cache,
    Comparator,
    Question,
    WholeCall,
    answers_in,
    current_cache,
    value_key,
)
from evaluators.scoring.judges.judge import Estimate, Judge, JudgeAnswer, JudgeQuestion, call_judge
from evaluators.scoring.judges.judged_comparator import JudgedComparator
from evaluators.scoring.judges.session import REPEAT, combined

GivenAnswer: TypeAlias = Comparison | RowProblem | JudgeAnswer
"""What a question came to."""
AnyQuestion: TypeAlias = Question | JudgeQuestion

_NOT_ASKED: Final = "counted and not asked"
_NOT_YET: Final = Comparison(0.0, False, "not answered yet")
_NOT_YET_JUDGED: Final = JudgeAnswer(0.0, False, "not answered yet")


class Request(msgspec.Struct):
    """What one evaluator asks of one row, and whom."""

    asker: Comparator | Judge
    questions: Sequence[AnyQuestion]
    keys: tuple[Hashable, ...]
    open: bool = True
    """Some of the questions had no answer yet."""
    row: int = 0
    evaluator: str = ""


class LoggedAnswer(msgspec.Struct):
    """One answer, and everyone who got it."""

    asker: Comparator | Judge
    question: AnyQuestion
    answer: GivenAnswer
    places: dict[tuple[int, str, str], None] = {}
    """The number of the row in its chunk, the evaluator, the path."""


Log: TypeAlias = dict[Hashable, LoggedAnswer]


class Counted:
    """Questions that were counted in place of being asked, each different one once."""

    def __init__(self) -> None:
        self.judges: dict[Hashable, tuple[Judge, int, Estimate]] = {}
        """Every judge that would be asked, how many questions it would get, and what it would send."""
        self.functions = 0
        """Questions for batches and functions that wait."""
        self._seen: set[tuple[Hashable, Hashable]] = set()

    def functions_asked(self, comparator: Comparator, questions: Sequence[Question]) -> list[Comparison]:
        """Counts them, and takes each of them for a match, so that what waits for that is counted, too."""
        self.functions += sum(self._is_new(comparator, tuple(map(value_key, one[1:]))) for one in questions)
        return [Comparison(1.0, True, _NOT_ASKED)] * len(questions)

    def judge_asked(self, judge: Judge, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
        """Counts the questions for a judge, and what it would send, and takes each of them for a match."""
        fresh = [one for one in questions if self._is_new(judge, one.key)]
        _, count, known = self.judges.get(judge.identity, (judge, 0, Estimate()))
        found = judge.estimate(fresh) if fresh else Estimate()
        total = Estimate(*(one + other for one, other in zip(astuple(known), astuple(found), strict=True)))
        self.judges[judge.identity] = judge, count + len(fresh), total
        return [JudgeAnswer(1.0, True, _NOT_ASKED)] * len(questions)

    def _is_new(self, asker: Comparator | Judge, key: Hashable) -> bool:
        if (asker.identity, key) in self._seen:
            return False
        self._seen.add((asker.identity, key))
        return True


class _Way(msgspec.Struct, frozen=True):
    """How a run asks."""

    times: int = 1
    """Judges are asked each question so often."""
    reason_length: int | None = None
    """Reasons of judges are cut at so many characters; None cuts nothing."""
    counted: Counted | None = None
    log: Log | None = None


_USUAL: Final = _Way()
_way: ContextVar[_Way] = ContextVar("way", default=_USUAL)
_gathered: ContextVar[Gathered | None] = ContextVar("gathered", default=None)


@contextmanager
def asking_with(
    times: int = 0, reason_length: int | None = None, counted: Counted | None = None, log: Log | None = None
) -> Iterator[None]:
    """Inside, judges are asked each question so often, and their reasons are cut at so many characters.

    With `counted` nobody is asked: questions are counted. `log` gets what is answered, in the order in which it was first asked.
    What is not given is as it is outside.
    """
    given = {"times": times or None, "reason_length": reason_length, "counted": counted, "log": log}
    token = _way.set(replace(_way.get(), **{name: value for name, value in given.items() if value is not None}))
    try:
        yield
    finally:
        _way.reset(token)


@contextmanager
def gathering() -> Iterator[Gathered]:
    """Inside, questions go on a list and get placeholders for answers."""
    gathered = Gathered()
    token = _gathered.set(gathered)
    try:
        yield gathered
    finally:
        _gathered.reset(token)


class Gathered:
    """A list of questions."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.rows: Sequence[int] = ()
        self.evaluator = ""
        self.open = False
        """Something that was asked since `at` has no answer yet."""

    def at(self, rows: Sequence[int], evaluator: str) -> None:
        """Says who asks from now on, and of which rows: the number in the chunk of each of them."""
        self.rows, self.evaluator, self.open = rows, evaluator, False

    def answer(self, cache: Cache) -> None:
        """Asks what has no answer yet, row by row, and caches what is answered."""
        self.requests.sort(key=lambda request: request.row)
        _answer_requests(self.requests, cache)


def waiting() -> bool:
    """Whether something that is on the list has no answer yet."""
    gathered = _gathered.get()
    return gathered is not None and gathered.open


@contextmanager
def asking_about(rows: Sequence[int]) -> Iterator[None]:
    """While some rows of a chunk are scored apart: their questions are noted with the numbers the rows have in the chunk.

    `rows` are those numbers. What scores the rows counts them from 0.
    """
    gathered = _gathered.get()
    if gathered is None:
        yield
        return
    every = gathered.rows
    gathered.rows = [every[row] for row in rows]
    try:
        yield
    finally:
        gathered.rows = every


# What an evaluator calls


def ask(comparator: Comparator, questions: Sequence[Question]) -> list[Comparison | RowProblem]:
    """A comparator's answers to what one evaluator asks of one row, in the order of the questions, each with a reason.

    A problem with one question stands in its place; a call that fails as a whole is everyone's problem.
    """
    return ask_later(comparator, questions)()


def ask_later(
    comparator: Comparator, questions: Sequence[Question], row: int = 0
) -> Callable[[], list[Comparison | RowProblem]]:
    """What gives the answers to the questions of one row, once those of all rows are answered together."""
    if not isinstance(comparator, JudgedComparator):
        return _asked(row, comparator, questions, _keys(comparator, questions))
    known, judge = [comparator.looked_at(one) for one in questions], comparator.judge
    paths = [
        (one, question.path) for one, question in zip(known, questions, strict=True) if isinstance(one, JudgeQuestion)
    ]
    if judge is None or not paths:
        return lambda: [one for one in known if not isinstance(one, JudgeQuestion)]
    asked = [replace(one, path=path) for one, path in paths]
    given = _asked(row, judge, asked, tuple(one.key for one, _ in paths))

    def answers() -> list[Comparison | RowProblem]:
        each = iter(given())
        return [comparator.answered(one, next(each)) if isinstance(one, JudgeQuestion) else one for one in known]

    return answers


def ask_judge(judge: Judge, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
    """A judge's answers to what one evaluator asks of one row, in the order of the questions."""
    return _asked(0, judge, questions, tuple(one.key for one in questions))()


def _keys(comparator: Comparator, questions: Sequence[Question]) -> tuple[Hashable, ...]:
    """What stands for each question among those of its comparator."""
    if comparator.batch == "row":
        row = tuple(tuple(map(value_key, one)) for one in questions)
        return tuple((number, row) for number in range(len(row)))
    if comparator.batch:
        return tuple(tuple(map(value_key, one[1:])) for one in questions)
    return tuple((value_key(one.expected), value_key(one.actual)) for one in questions)


def _asked(
    row: int, asker: Comparator | Judge, questions: Sequence[AnyQuestion], keys: tuple[Hashable, ...]
) -> Callable[[], list[Any]]:
    """What gives the answers to some questions: placeholders, as long as they are on a list."""
    placeholder = _NOT_YET_JUDGED if isinstance(asker, Judge) else _NOT_YET
    cache, gathered = current_cache(), _gathered.get()
    if cache is None:
        cache = {}
    request = Request(asker, questions, keys)
    request.open = None in _known(request, cache)
    if gathered is not None:
        gathered.open = gathered.open or request.open
        request.row, request.evaluator = gathered.rows[row], gathered.evaluator
        gathered.requests.append(request)
    elif request.open:
        _answer_requests([request], cache)
    return lambda: [placeholder if one is None else one for one in _known(request, cache)]


# From a list of requests to answers in the cache


def _known(request: Request, cache: Cache) -> list[Any]:
    """What is known of each question of a request; None where nothing is."""
    answers = _answers_of(request.asker, cache)
    failures = cache.get(("failed", request.asker.identity), {}).get(request.keys)
    if failures is None:
        return [answers.get(key) for key in request.keys]
    return [failures.get(key) or answers.get(key) for key in request.keys]


def _answers_of(asker: Comparator | Judge, cache: Cache) -> dict[Hashable, GivenAnswer]:
    """The answers of an asker that are cached, by the keys of their questions."""
    found: dict[Hashable, GivenAnswer] = cache.setdefault(("answers", asker.identity), {})
    return found


def _answer_requests(requests: Sequence[Request], cache: Cache) -> None:
    """Asks what has no answer yet, one call for each asker, and caches what is answered."""
    by_asker: dict[Hashable, list[Request]] = {}
    for request in requests:
        if request.open:
            by_asker.setdefault(request.asker.identity, []).append(request)
    for group in by_asker.values():
        asker = group[0].asker
        if isinstance(asker, Comparator) and asker.batch == "row":
            _answer_rows(asker, group, cache)
        elif not _answer_together(group, cache):
            for request in group:
                _answer_together([request], cache)
    if (log := _way.get().log) is not None:
        _log(requests, cache, log)


def _answer_together(group: Sequence[Request], cache: Cache) -> bool:
    """Asks the open questions of some requests in one call. False where it answers none, and there are several requests to try alone."""
    asker = group[0].asker
    answers = _answers_of(asker, cache)
    opened: dict[Hashable, AnyQuestion] = {}
    for request in group:
        for key, question in zip(request.keys, request.questions, strict=True):
            if key not in opened and key not in answers:
                opened[key] = replace(question, row=request.row) if isinstance(question, JudgeQuestion) else question
    if not opened:
        return True
    try:
        found: Sequence[GivenAnswer]
        if isinstance(asker, Judge):
            found = _call_judge(asker, cast("list[JudgeQuestion]", list(opened.values())))
        else:
            found = _call_comparator(asker, cast("list[Question]", list(opened.values())))
        answers.update(zip(opened, found, strict=True))
    except WholeCall as error:
        if len(group) > 1:
            return False
        _fail(group[0], opened, error.problem, cache)
    return True


def _answer_rows(comparator: Comparator, group: Sequence[Request], cache: Cache) -> None:
    """One call for each row; rows that ask the very same share one."""
    rows = {request.keys: request for request in group}
    lists = [cast("Sequence[Question]", request.questions) for request in rows.values()]
    counted = _way.get().counted
    called: Sequence[object]
    if counted is None:
        called = comparator.compare_rows(lists)
    else:
        called = [counted.functions_asked(comparator, one) for one in lists]
    for request, questions, found in zip(rows.values(), lists, called, strict=True):
        try:
            answers = answers_in(comparator, questions, found)
            _answers_of(comparator, cache).update(zip(request.keys, answers, strict=True))
        except WholeCall as error:
            _fail(request, request.keys, error.problem, cache)


def _fail(request: Request, keys: Iterable[Hashable], problem: RowProblem, cache: Cache) -> None:
    """The questions of a call that failed as a whole have its problem, in this request and in no other one."""
    given: GivenAnswer = JudgeAnswer(error=problem.issue) if isinstance(request.asker, Judge) else problem
    cache.setdefault(("failed", request.asker.identity), {})[request.keys] = dict.fromkeys(keys, given)


def _log(requests: Sequence[Request], cache: Cache, log: Log) -> None:
    """Writes down who got which answer."""
    for request in requests:
        identity = request.asker.identity
        for key, question, answer in zip(request.keys, request.questions, _known(request, cache), strict=True):
            logged = log.get((identity, key, id(answer)))
            if logged is None:
                logged = log[identity, key, id(answer)] = LoggedAnswer(request.asker, question, answer)
            if request.evaluator:
                logged.places[request.row, request.evaluator, question.path] = None


# One call


def _call_comparator(comparator: Comparator, questions: Sequence[Question]) -> Sequence[Comparison | RowProblem]:
    """What a comparator answers to some different questions. Raises WholeCall where it answers none of them."""
    if (counted := _way.get().counted) is not None:
        return counted.functions_asked(comparator, questions)
    (found,) = comparator.compare_rows([questions])
    return answers_in(comparator, questions, found)


def _call_judge(judge: Judge, questions: Sequence[JudgeQuestion]) -> Sequence[JudgeAnswer]:
    """A judge's answers to distinct questions, each asked as often as the run says, and combined. Raises WholeCall as above."""
    way = _way.get()
    put = [
        replace(one, params={**one.params, REPEAT: time}) if time > 1 else one
        for one in questions
        for time in range(1, way.times + 1)
    ]
    if way.counted is not None:
        return way.counted.judge_asked(judge, put)[:: way.times]
    found = call_judge(judge, put)
    if way.times > 1:
        found = [combined(found[at : at + way.times]) for at in range(0, len(found), way.times)]
    return found if way.reason_length is None else [_shortened(one, way.reason_length) for one in found]


def _shortened(answer: JudgeAnswer, length: int) -> JudgeAnswer:
    if answer.reason is None or len(answer.reason) <= length:
        return answer
    return replace(answer, reason=answer.reason[: length - 1] + "…" if length else None)
