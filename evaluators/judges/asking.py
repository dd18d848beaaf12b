"""Asking a list: questions that cost are gathered from a chunk of rows, and equal ones are asked once.

Two passes over the rows that are open. In the first, inside `gathering`, `ask` puts questions on the list and gives back a
placeholder; then `Gathered.answer` asks the distinct ones, with one call for each comparator and one for the judge; in the
second, `ask` finds the answers. Outside of both it asks at once. Answers live as long as `kept` keeps them.

A call that answers none of its questions (it raised, or gave back no list of their number) is repeated request by request, a
request being what one evaluator asks of one row; only those answers count. What was answered for one request is not asked
again for the next.

Whoever writes down what was answered opens `noting` around it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

from evaluators.comparators._cache import Cache as Kept
from evaluators.comparators._cache import current_cache as kept_now
from evaluators.comparators._cache import value_key
from evaluators.comparators._comparator import Answer, Comparator, Question, WholeCall, answers_in
from evaluators.issues import RowProblem
from evaluators.judges.judge import Estimate, Judge, JudgeAnswer, JudgeQuestion
from evaluators.judges.judged_comparator import JudgedComparator
from evaluators.judges.repeating import call_each_time, each_time, times_asked
from evaluators.model import Comparison
from evaluators.value_class import NamedTuple, dataclass, field, replace

Given: TypeAlias = Comparison | RowProblem | JudgeAnswer
"""What a question came to."""
Asked: TypeAlias = Question | JudgeQuestion

_NOT_ASKED: Final = "counted and not asked"
_NOT_YET: Final = Comparison(0.0, False, "not answered yet")
_NOT_YET_JUDGED: Final = JudgeAnswer(0.0, False, "not answered yet")


class AskedAt(NamedTuple):
    """Who asked a question."""

    row: int
    """The number of the row in its chunk."""
    evaluator: str
    path: str


@dataclass(frozen=True, slots=True)
class Request:
    """What one evaluator asks of one row, and whom."""

    asker: Comparator | Judge
    questions: tuple[Asked, ...]
    keys: tuple[Hashable, ...]
    row: int = 0
    evaluator: str = ""

    @property
    def whole(self) -> Hashable:
        """What stands for all of it."""
        return "request", self.asker.identity, self.keys


@dataclass(slots=True)
class Noted:
    """One answer, and everyone who got it."""

    asker: Comparator | Judge
    question: Asked
    given: Given
    places: dict[AskedAt, None] = field(default_factory=dict)


Notes: TypeAlias = dict[Hashable, Noted]

_gathered: ContextVar[Gathered | None] = ContextVar("gathered", default=None)
_notes: ContextVar[Notes | None] = ContextVar("notes", default=None)
_counted: ContextVar[Counted | None] = ContextVar("counted", default=None)
_reason_length: ContextVar[int | None] = ContextVar("reason_length", default=None)


@contextmanager
def noting() -> Iterator[Notes]:
    """What was answered inside, in the order in which it was first asked."""
    notes: Notes = {}
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


@contextmanager
def shortening_reasons(length: int | None) -> Iterator[None]:
    """Inside, what judges give as a reason is cut at so many characters; None cuts nothing."""
    token = _reason_length.set(length)
    try:
        yield
    finally:
        _reason_length.reset(token)


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
        self.row = 0
        self.evaluator = ""
        self.open = False
        """Something that was asked since `at` has no answer yet."""

    def at(self, row: int, evaluator: str) -> None:
        """Says who asks from now on."""
        self.row, self.evaluator, self.open = row, evaluator, False

    def add(self, asker: Comparator | Judge, questions: Sequence[Asked], keys: Sequence[Hashable], new: bool) -> None:
        """Puts what is asked on the list. `new`: some of it has no answer yet."""
        self.open = self.open or new
        asked = tuple(replace(one, row=self.row) if isinstance(one, JudgeQuestion) else one for one in questions)
        self.requests.append(Request(asker, asked, tuple(keys), self.row, self.evaluator))

    def answer(self, kept: Kept) -> None:
        """Asks what has no answer yet, and keeps what is answered."""
        answer_requests(self.requests, kept)


class Counted:
    """Questions that were counted in place of being asked, each different one once."""

    def __init__(self) -> None:
        self.judges: dict[Hashable, tuple[Judge, int, Estimate]] = {}
        """Every judge that would be asked, how many questions it would get, and what it would send."""
        self.functions = 0
        """Questions for batches and functions that wait."""
        self._seen: set[tuple[Hashable, Hashable]] = set()

    def take(self, asker: Comparator | Judge, questions: Sequence[Asked]) -> Sequence[Given]:
        """Counts them, and takes each of them for a match, so that what waits for that is counted, too."""
        fresh = [one for one in questions if self._is_new(asker, one)]
        if not isinstance(asker, Judge):
            self.functions += len(fresh)
            return [Comparison(1.0, True, _NOT_ASKED)] * len(questions)
        asked = [one for one in fresh if isinstance(one, JudgeQuestion)]
        _, count, known = self.judges.get(asker.identity, (asker, 0, Estimate()))
        found = asker.estimate(asked) if asked else Estimate()
        together = Estimate(*(one + other for one, other in zip(known, found, strict=True)))
        self.judges[asker.identity] = asker, count + len(asked), together
        return [JudgeAnswer(1.0, True, _NOT_ASKED)] * len(questions)

    def _is_new(self, asker: Comparator | Judge, question: Asked) -> bool:
        key = question.key if isinstance(question, JudgeQuestion) else tuple(map(value_key, question[1:]))
        if (asker.identity, key) in self._seen:
            return False
        self._seen.add((asker.identity, key))
        return True


@contextmanager
def counting() -> Iterator[Counted]:
    """Inside, nobody is asked: questions are counted."""
    counted = Counted()
    token = _counted.set(counted)
    try:
        yield counted
    finally:
        _counted.reset(token)


def ask(comparator: Comparator, questions: Sequence[Question]) -> list[Comparison | RowProblem]:
    """A comparator's answers to what one evaluator asks of one row, in the order of the questions, each with a reason.

    A problem with one question stands in its place; a call that fails as a whole is everyone's problem.
    """
    if isinstance(comparator, JudgedComparator):
        return comparator.with_answers(questions, ask_judge)
    return _asked(comparator, questions, _NOT_YET)


def ask_judge(judge: Judge, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
    """A judge's answers to what one evaluator asks of one row, in the order of the questions."""
    return _asked(judge, questions, _NOT_YET_JUDGED)


def _asked(asker: Comparator | Judge, questions: Sequence[Asked], placeholder: Given) -> list[Any]:
    if not questions:
        return []
    kept, gathered = kept_now(), _gathered.get()
    keys = _keys(asker, questions)
    if kept is None:
        kept = {}
    found = _found(Request(asker, tuple(questions), keys), kept)
    new = any(one is None for one in found)
    if gathered is not None:
        gathered.add(asker, questions, keys, new)
        return [placeholder if one is None else one for one in found]
    if new:
        request = Request(asker, tuple(questions), keys)
        answer_requests([request], kept)
        found = _found(request, kept)
    return found


def _keys(asker: Comparator | Judge, questions: Sequence[Asked]) -> tuple[Hashable, ...]:
    """What stands for each question among those of its asker."""
    if isinstance(asker, Judge):
        return tuple(one.key for one in questions if isinstance(one, JudgeQuestion))
    values = [one for one in questions if isinstance(one, Question)]
    if asker.batch == "row":
        row = tuple(tuple(map(value_key, one)) for one in values)
        return tuple((number, row) for number in range(len(row)))
    if asker.batch:
        return tuple(tuple(map(value_key, one[1:])) for one in values)
    return tuple((value_key(one.expected), value_key(one.actual)) for one in values)


def _found(request: Request, kept: Kept) -> list[Any]:
    """What is known of each question of a request; None where nothing is."""
    of_request = kept.get(request.whole, {})
    identity = request.asker.identity
    return [of_request.get(key) or kept.get(("answer", identity, key)) for key in request.keys]


def answer_requests(requests: Sequence[Request], kept: Kept) -> None:
    """Asks what has no answer yet, one call for each asker, and keeps what is answered."""
    by_asker: dict[Hashable, list[Request]] = {}
    for request in requests:
        if any(one is None for one in _found(request, kept)):
            by_asker.setdefault(request.asker.identity, []).append(request)
    for group in by_asker.values():
        _answer(group, kept)
    notes = _notes.get()
    if notes is not None:
        _note(requests, kept, notes)


def _answer(group: Sequence[Request], kept: Kept) -> None:
    asker = group[0].asker
    if isinstance(asker, Comparator) and asker.batch == "row":
        _answer_rows(asker, group, kept)
        return
    asked = _open(group, kept)
    try:
        _keep(asker, asked, _call(asker, list(asked.values())), kept)
    except WholeCall as error:
        if len(group) > 1:
            _one_by_one(asker, group, kept)
        else:
            _fail(group[0], asked, error.problem, kept)


def _one_by_one(asker: Comparator | Judge, group: Sequence[Request], kept: Kept) -> None:
    """Every request in a call of its own, in order."""
    for request in group:
        asked = _open([request], kept)
        if asked:
            try:
                _keep(asker, asked, _call(asker, list(asked.values())), kept)
            except WholeCall as error:
                _fail(request, asked, error.problem, kept)


def _answer_rows(asker: Comparator, group: Sequence[Request], kept: Kept) -> None:
    """One call for each row; rows that ask the very same share one."""
    rows = {request.keys: request for request in group}
    lists = [[one for one in request.questions if isinstance(one, Question)] for request in rows.values()]
    counted = _counted.get()
    answered = asker.compare_rows(lists) if counted is None else [counted.take(asker, one) for one in lists]
    for request, questions, found in zip(rows.values(), lists, answered, strict=True):
        asked: dict[Hashable, Asked] = dict(zip(request.keys, questions, strict=True))
        try:
            _keep(asker, asked, answers_in(asker, questions, found), kept)
        except WholeCall as error:
            _fail(request, asked, error.problem, kept)


def _open(group: Iterable[Request], kept: Kept) -> dict[Hashable, Asked]:
    """The distinct questions that nobody has answered, by key, in the order in which they are first asked."""
    asked: dict[Hashable, Asked] = {}
    for request in group:
        identity = request.asker.identity
        for key, question in zip(request.keys, request.questions, strict=True):
            if key not in asked and ("answer", identity, key) not in kept:
                asked[key] = question
    return asked


def _keep(asker: Comparator | Judge, asked: dict[Hashable, Asked], answers: Sequence[Given], kept: Kept) -> None:
    for key, answer in zip(asked, answers, strict=True):
        kept["answer", asker.identity, key] = answer


def _fail(request: Request, asked: Iterable[Hashable], problem: RowProblem, kept: Kept) -> None:
    """The questions of a call that failed as a whole have its problem, in this request and in no other one."""
    given: Given = problem
    if isinstance(request.asker, Judge):
        given = JudgeAnswer(error=problem.issue)
    kept[request.whole] = dict.fromkeys(asked, given)


def _call(asker: Comparator | Judge, questions: Sequence[Asked]) -> Sequence[Given]:
    """What the asker says of some different questions. Raises WholeCall where it answers none of them."""
    counted = _counted.get()
    put = [one for one in questions if isinstance(one, JudgeQuestion)]
    if counted is not None:
        return counted.take(asker, each_time(put))[:: times_asked()] if put else counted.take(asker, questions)
    if isinstance(asker, Judge):
        return [_shortened(one) for one in call_each_time(asker, put)]
    pairs = [one for one in questions if isinstance(one, Question)]
    found: Sequence[Answer] | Exception
    try:
        found = asker.compare_all(pairs)
    except Exception as error:  # a row is guarded: a comparator that breaks costs its own fields
        found = error
    return answers_in(asker, pairs, found)


def _shortened(answer: JudgeAnswer) -> JudgeAnswer:
    length = _reason_length.get()
    if length is None or answer.reason is None or len(answer.reason) <= length:
        return answer
    return replace(answer, reason=answer.reason[: length - 1] + "…" if length else None)


def _note(requests: Sequence[Request], kept: Kept, notes: Notes) -> None:
    for request in requests:
        found = _found(request, kept)
        for key, question, given in zip(request.keys, request.questions, found, strict=True):
            told = ("answer", request.asker.identity, key, id(given))
            noted = notes.get(told)
            if noted is None:
                noted = notes[told] = Noted(request.asker, question, given)
            if request.evaluator:
                noted.places[AskedAt(request.row, request.evaluator, question.path)] = None
