"""Asking a list: questions that cost are gathered from a chunk of rows, and equal ones are asked once.

A question goes one way. Who scores a chunk calls `ask_later` inside `asking_with(questions=…)`: what has no answer goes on a list. Then
`QuestionList.answer` asks the different questions, with one call for each comparator and one for the judge, and who asked
takes the answers from what `ask_later` gave. An evaluator that looks at one row calls `ask` (a comparator that costs) or
`ask_judge`, as often as the row is open: what is on the list has a placeholder for an answer until it is in the cache.
Outside of `asking_with(questions=…)` everybody is asked at once. Answers live as long as the cache that `cache_in_force` opened.

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
from evaluators.scoring.comparators._answer_cache import AnswerCache, current_cache, value_key
from evaluators.scoring.comparators._comparator import (
    Comparator,
    Question,
    WholeCall,
    checked_answers,
)
from evaluators.scoring.judges.judge import Estimate, Judge, JudgeAnswer, JudgeQuestion, call_judge
from evaluators.scoring.judges.judged_comparator import JudgedComparator
from evaluators.scoring.judges.repeats import REPEAT, combine_repeats
from evaluators.scoring.judges.session import Session

GivenAnswer: TypeAlias = Comparison | RowProblem | JudgeAnswer
"""What a question came to."""
AnyQuestion: TypeAlias = Question | JudgeQuestion

_NOT_ASKED: Final = "counted and not asked"
_NOT_YET: Final = Comparison(0.0, False, "not answered yet")
_NOT_YET_JUDGED: Final = JudgeAnswer(0.0, False, "not answered yet")


class Request(msgspec.Struct):
    """The questions of one evaluator about one row, for one comparator or judge."""

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


class QuestionCounter:
    """Questions that were counted in place of being asked, each different one once."""

    def __init__(self) -> None:
        self.judges: dict[Hashable, tuple[Judge, int, Estimate]] = {}
        """Every judge that would be asked, how many questions it would get, and what it would send."""
        self.functions = 0
        """Questions for batches and functions that wait."""
        self._seen: set[tuple[Hashable, Hashable]] = set()

    def count_function_questions(self, comparator: Comparator, questions: Sequence[Question]) -> list[Comparison]:
        """Counts the questions to a function, and answers each with a match, so that what is asked only after a match is counted,
        too."""
        self.functions += sum(self._is_new(comparator, tuple(map(value_key, question[1:]))) for question in questions)
        return [Comparison(1.0, True, _NOT_ASKED)] * len(questions)

    def count_judge_questions(self, judge: Judge, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
        """Counts the questions to a judge, and what it would send, and answers each with a match."""
        fresh = [question for question in questions if self._is_new(judge, question.key)]
        _, count, known = self.judges.get(judge.identity, (judge, 0, Estimate()))
        estimate = judge.estimate(fresh) if fresh else Estimate()
        total = Estimate(*(before + new for before, new in zip(astuple(known), astuple(estimate), strict=True)))
        self.judges[judge.identity] = judge, count + len(fresh), total
        return [JudgeAnswer(1.0, True, _NOT_ASKED)] * len(questions)

    def _is_new(self, asker: Comparator | Judge, key: Hashable) -> bool:
        """Whether a question was not counted before. It counts as known from now on."""
        if (asker.identity, key) in self._seen:
            return False
        self._seen.add((asker.identity, key))
        return True


class Asking(msgspec.Struct, frozen=True):
    """How questions are asked at present."""

    times: int = 1
    """Judges are asked each question so often."""
    reason_length: int | None = None
    """Reasons of judges are cut at so many characters; None cuts nothing."""
    counted: QuestionCounter | None = None
    """Counts questions in place of asking them."""
    log: Log | None = None
    """Gets what is answered, in the order in which it was first asked."""
    session: Session | None = None
    """What judges share with those of the other workers of a run."""
    questions: QuestionList | None = None
    """The list that questions go on; without one they are asked at once."""


_AT_ONCE: Final = Asking()
# ambient: `measure` and `compare`, which a user may write, take the values of a row and nothing else, and ask from there
_asking: ContextVar[Asking] = ContextVar("asking", default=_AT_ONCE)


@contextmanager
def asking_with(
    *,
    times: int | None = None,
    reason_length: int | None = None,
    counted: QuestionCounter | None = None,
    log: Log | None = None,
    session: Session | None = None,
    questions: QuestionList | None = None,
) -> Iterator[None]:
    """Within the `with` block, questions are asked in this way; what is None stays as it is outside.

    Judges are asked `times` for each question, and their reasons cut at `reason_length` characters. `counted` counts questions in
    place of asking them, `log` gets the answers, `session` is what judges share with other workers of the run, and `questions` is a
    list on which questions are put, to be asked later.
    """
    changes = {
        "times": times, "reason_length": reason_length, "counted": counted, "log": log, "session": session,
        "questions": questions,
    }  # fmt: skip
    token = _asking.set(replace(_asking.get(), **{name: value for name, value in changes.items() if value is not None}))
    try:
        yield
    finally:
        _asking.reset(token)


class QuestionList:
    """The questions of a chunk of rows, which are answered together. Until then they have placeholders for answers."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.rows: Sequence[int] = ()
        self.evaluator = ""
        self.open = False
        """Something that was asked since `begin` has no answer yet."""

    def begin(self, rows: Sequence[int], evaluator: str) -> None:
        """Notes whose questions follow: the name of an evaluator, and for each row that it scores, its number in the chunk."""
        self.rows, self.evaluator, self.open = rows, evaluator, False

    def answer(self, cache: AnswerCache) -> None:
        """Asks what has no answer yet, in the order of the rows, and caches what is answered."""
        self.requests.sort(key=lambda request: request.row)
        _answer_requests(self.requests, cache)


def has_open_questions() -> bool:
    """Whether something that was asked since `QuestionList.begin` has no answer yet."""
    questions = _asking.get().questions
    return questions is not None and questions.open


@contextmanager
def asking_about(rows: Sequence[int]) -> Iterator[None]:
    """Within the `with` block, some rows of a chunk are scored apart: their questions are noted with the numbers the rows have in
    the chunk.

    `rows` are those numbers. What scores the rows counts them from 0.
    """
    questions = _asking.get().questions
    if questions is None:
        yield
        return
    every = questions.rows
    questions.rows = [every[row] for row in rows]
    try:
        yield
    finally:
        questions.rows = every


# What an evaluator calls


def ask(comparator: Comparator, questions: Sequence[Question]) -> list[Comparison | RowProblem]:
    """A comparator's answers to what one evaluator asks of one row, in the order of the questions, each with a reason.

    A problem with one question is its answer; where a call fails as a whole, its problem is the answer to each.
    """
    return ask_later(comparator, questions)()


def ask_later(
    comparator: Comparator, questions: Sequence[Question], row: int = 0
) -> Callable[[], list[Comparison | RowProblem]]:
    """Asks `comparator`, or the judge behind it, the questions of a row, and returns a function that gives their answers, in order. `row`
    is the number of the row in its chunk. Where questions are gathered on a list, they are put on it and not asked yet; the function then
    gives placeholders until the list is answered."""
    if not isinstance(comparator, JudgedComparator):
        return _request_answers(row, comparator, questions, _question_keys(comparator, questions))
    settled, judge = [comparator.comparison_or_question(question) for question in questions], comparator.judge
    for_judge = [
        (answer, question.path)
        for answer, question in zip(settled, questions, strict=True)
        if isinstance(answer, JudgeQuestion)
    ]
    if judge is None or not for_judge:
        return lambda: [answer for answer in settled if not isinstance(answer, JudgeQuestion)]
    judge_questions = [replace(question, path=path) for question, path in for_judge]
    judge_answers = _request_answers(row, judge, judge_questions, tuple(question.key for question, _ in for_judge))

    def answers() -> list[Comparison | RowProblem]:
        """The answers in the order of the questions: those that needed no judge, and those of the judge."""
        following = iter(judge_answers())
        return [
            comparator.comparison_or_problem(answer, next(following)) if isinstance(answer, JudgeQuestion) else answer
            for answer in settled
        ]

    return answers


def ask_judge(judge: Judge, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
    """A judge's answers to what one evaluator asks of one row, in the order of the questions."""
    return _request_answers(0, judge, questions, tuple(question.key for question in questions))()


def _question_keys(comparator: Comparator, questions: Sequence[Question]) -> tuple[Hashable, ...]:
    """A key for each question, which equal questions to the same comparator share. In a batch of a whole row, the row is part of it."""
    if comparator.batch == "row":
        row = tuple(tuple(map(value_key, question)) for question in questions)
        return tuple((number, row) for number in range(len(row)))
    if comparator.batch:
        return tuple(tuple(map(value_key, question[1:])) for question in questions)
    return tuple((value_key(question.expected), value_key(question.actual)) for question in questions)


def _request_answers(
    row: int, asker: Comparator | Judge, questions: Sequence[AnyQuestion], keys: tuple[Hashable, ...]
) -> Callable[[], list[Any]]:
    """Puts questions on the list on which they are gathered, or asks them now where there is no list. Returns a function that gives their
    answers, with placeholders for those that are not answered yet. `keys` are those of the questions, by which answers are cached."""
    placeholder = _NOT_YET_JUDGED if isinstance(asker, Judge) else _NOT_YET
    cache, on_list = current_cache() or AnswerCache(), _asking.get().questions
    request = Request(asker, questions, keys)
    request.open = None in _cached_answers(request, cache)
    if on_list is not None:
        on_list.open = on_list.open or request.open
        request.row, request.evaluator = on_list.rows[row], on_list.evaluator
        on_list.requests.append(request)
    elif request.open:
        _answer_requests([request], cache)
    return lambda: [placeholder if answer is None else answer for answer in _cached_answers(request, cache)]


# From a list of requests to answers in the cache


def _cached_answers(request: Request, cache: AnswerCache) -> list[Any]:
    """The cached answer to each question of a request; None where there is none yet."""
    of_asker = cache.answers_of(request.asker.identity)
    failures = of_asker.failed_requests.get(request.keys)
    if failures is None:
        return [of_asker.answers.get(key) for key in request.keys]
    return [failures.get(key) or of_asker.answers.get(key) for key in request.keys]


def _answer_requests(requests: Sequence[Request], cache: AnswerCache) -> None:
    """Asks the questions that have no answer yet, one call for each asker, and caches the answers. Where that call answers nothing, each
    request is tried alone. The answers are noted in the log of the run, if it keeps one."""
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
    if (log := _asking.get().log) is not None:
        _log_answers(requests, cache, log)


def _answer_together(group: Sequence[Request], cache: AnswerCache) -> bool:
    """Asks the open questions of some requests in one call, and caches the answers. Gives False where the call answers none of them
    and there are several requests, which can be tried alone."""
    asker = group[0].asker
    answers = cache.answers_of(asker.identity).answers
    unanswered: dict[Hashable, AnyQuestion] = {}
    for request in group:
        for key, question in zip(request.keys, request.questions, strict=True):
            if key not in unanswered and key not in answers:
                unanswered[key] = replace(question, row=request.row) if isinstance(question, JudgeQuestion) else question
    if not unanswered:
        return True
    try:
        given: Sequence[GivenAnswer]
        if isinstance(asker, Judge):
            given = _call_judge(asker, cast("list[JudgeQuestion]", list(unanswered.values())))
        else:
            given = _call_comparator(asker, cast("list[Question]", list(unanswered.values())))
        answers.update(zip(unanswered, given, strict=True))
    except WholeCall as error:
        if len(group) > 1:
            return False
        _cache_failure(group[0], unanswered, error.problem, cache)
    return True


def _answer_rows(comparator: Comparator, group: Sequence[Request], cache: AnswerCache) -> None:
    """Asks a comparator that takes the questions of one row in a call, and caches its answers. Rows with the very same questions share
    a call. Where the run only counts questions, they are counted and not asked."""
    rows = {request.keys: request for request in group}
    lists = [cast("Sequence[Question]", request.questions) for request in rows.values()]
    counted = _asking.get().counted
    results: Sequence[object]
    if counted is None:
        results = comparator.compare_rows(lists)
    else:
        results = [counted.count_function_questions(comparator, questions) for questions in lists]
    for request, questions, result in zip(rows.values(), lists, results, strict=True):
        try:
            answers = checked_answers(comparator, questions, result)
            cache.answers_of(comparator.identity).answers.update(zip(request.keys, answers, strict=True))
        except WholeCall as error:
            _cache_failure(request, request.keys, error.problem, cache)


def _cache_failure(request: Request, keys: Iterable[Hashable], problem: RowProblem, cache: AnswerCache) -> None:
    """Caches a problem as the answer to the questions with these keys: their call failed as a whole. It counts in this request
    and in no other one."""
    answer: GivenAnswer = JudgeAnswer(error=problem.issue) if isinstance(request.asker, Judge) else problem
    cache.answers_of(request.asker.identity).failed_requests[request.keys] = dict.fromkeys(keys, answer)


def _log_answers(requests: Sequence[Request], cache: AnswerCache, log: Log) -> None:
    """Adds to `log` who got which answer. One question has two entries where one of its calls failed: its answers are different objects."""
    for request in requests:
        identity = request.asker.identity
        for key, question, answer in zip(request.keys, request.questions, _cached_answers(request, cache), strict=True):
            logged = log.get((identity, key, id(answer)))
            if logged is None:
                logged = log[identity, key, id(answer)] = LoggedAnswer(request.asker, question, answer)
            if request.evaluator:
                logged.places[request.row, request.evaluator, question.path] = None


# One call


def _call_comparator(comparator: Comparator, questions: Sequence[Question]) -> Sequence[Comparison | RowProblem]:
    """The answers of a comparator to questions that are all different. Raises WholeCall where it answers none of them."""
    if (counted := _asking.get().counted) is not None:
        return counted.count_function_questions(comparator, questions)
    (answers,) = comparator.compare_rows([questions])
    return checked_answers(comparator, questions, answers)


def _call_judge(judge: Judge, questions: Sequence[JudgeQuestion]) -> Sequence[JudgeAnswer]:
    """A judge's answers to distinct questions, each asked as often as the run says, its repeats combined. Where the run only counts
    questions, none is asked. Raises WholeCall where the judge answers none of them."""
    asking = _asking.get()
    put = [
        replace(question, params={**question.params, REPEAT: turn}) if turn > 1 else question
        for question in questions
        for turn in range(1, asking.times + 1)
    ]
    if asking.counted is not None:
        return asking.counted.count_judge_questions(judge, put)[:: asking.times]
    answers = call_judge(judge, put, asking.session)
    if asking.times > 1:
        answers = [combine_repeats(answers[at : at + asking.times]) for at in range(0, len(answers), asking.times)]
    return (
        answers if asking.reason_length is None else [_shorten_reason(answer, asking.reason_length) for answer in answers]
    )


def _shorten_reason(answer: JudgeAnswer, length: int) -> JudgeAnswer:
    """The answer with a reason of at most `length` characters; None for 0."""
    if answer.reason is None or len(answer.reason) <= length:
        return answer
    return replace(answer, reason=answer.reason[: length - 1] + "…" if length else None)
