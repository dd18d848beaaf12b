"""Answers as lines of JSON, and back: the table `answers` of a run, which `formats: [answers]` writes as answers.jsonl, and files that
somebody writes by hand.

    {"places":[[2,"header","title"]],"who":{"judge":"…","model":"…","prompt":"semantic 1"},
     "question":{"prompt":"semantic","expected":"car","actual":"automobile"},"answer":{"score":1.0,"reason":"synonyms"}}

`places` are row, evaluator and path of everyone who got the answer. A question without a `prompt` was put to a function; then
`who` names its comparator. An answer has a `score`, or says why there is none: `error`. Only `question` and `answer` must be there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from math import isfinite
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from evaluators.model.issues import Blame, Issue, Problems, RowProblem, problem
from evaluators.model.rows import MISSING, Comparison
from evaluators.scoring.comparators._comparator import Comparator, Question, word_of
from evaluators.scoring.judges.asking import GivenAnswer, LoggedAnswer
from evaluators.scoring.judges.judge import JudgeAnswer, JudgeQuestion, amount_text
from evaluators.scoring.judges.repeats import repeats_agree
from evaluators.scoring.values.equality import json_equal
from evaluators.scoring.values.files import NoSmallFile, check_openable, read_small
from evaluators.scoring.values.json_text import NotJSON, compact, parse
from evaluators.scoring.values.quoting import quote
from evaluators.scoring.values.sqlite_file import open_readonly

_SIDES: Final = ("expected", "actual", "expected_raw", "actual_raw")
_KINDS: Final[Mapping[str, Mapping[str, tuple[type | UnionType, str]]]] = {
    "a question": {
        "params": (dict, "must be an object"), "payload": (dict, "must be an object"), "prompt": (str, "must be text"),
        "instructions": (str, "must be text"),
    },
    "an answer": {
        "passed": (bool | None, "is true or false"), "reason": (str | None, "is text"), "details": (dict | None, "is an object"),
    },
}  # fmt: skip
"""The parts of a line that are no values of a row: what they are, in code and in words."""
_BUCKETS: Final = 5
_Counts: TypeAlias = Annotated[list[int], msgspec.Meta(min_length=2 + _BUCKETS, max_length=2 + _BUCKETS)]
"""Questions, those without an answer, and the scores of the others by fifths."""
_BLAMES: Final = {blame.value: blame for blame in Blame}


class AskedTotals(msgspec.Struct):
    """The sums of what was asked and what it cost: all that may differ between two runs with the same answers."""

    questions: int = 0
    """Different questions that were put, in each chunk of rows."""
    failed: int = 0
    """Those of them that have no answer."""
    cached: int = 0
    """Those that were answered from what was known before."""
    requests: int = 0
    """Those that were sent to judges, repeated ones included."""
    retries: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    repeated: int = 0
    """Questions that were put more than once, to see how far answers can be relied on."""
    agreed: int = 0
    """Those of them with the same verdict each time."""
    seconds: float = 0.0
    """Of all answers together, as judges measured it."""

    def add(self, logged: LoggedAnswer) -> None:
        """Counts one answer, with what it cost."""
        answer = logged.answer
        self.questions += 1
        if not isinstance(answer, JudgeAnswer):
            self.failed += isinstance(answer, RowProblem)
            return
        self.failed += answer.error is not None
        self.cached += answer.cached
        self.retries += answer.retries
        same = repeats_agree(answer)
        self.repeated += same is not None
        self.agreed += same is True
        self.tokens_in += answer.tokens[0]
        self.tokens_out += answer.tokens[1]
        self.seconds += answer.seconds


def row_costs(answers: Iterable[LoggedAnswer], rows: int) -> list[str]:
    """The exact cost of each row of a chunk, as cells of a column; empty for a row whose cost is unknown. An answer that several
    rows got is paid for by the first of them."""
    costs: list[int | None] = [0] * rows
    for logged in answers:
        row = next((row for row, _, _ in logged.places), None)
        if row is None or not isinstance(logged.answer, JudgeAnswer):
            continue
        before, cost = costs[row], logged.answer.cost
        costs[row] = None if before is None or cost is None else before + cost
    return ["" if cost is None else amount_text(cost) for cost in costs]


class JudgedBy(Struct, frozen=True):
    """The sums of the answers of one model with one prompt in a run: the same for the same answers, whenever they were given."""

    judge: str
    model: str | None
    prompt: str
    """Its name and version."""
    questions: int
    """Different ones, in each chunk of rows."""
    unanswered: int
    scores: tuple[int, ...]
    """How many scores are from 0 to 0.2, from there to 0.4, and so on; the last has 1."""


class JudgeTotals(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """The sums of the answers in a run, by who gave them, added up as they come."""

    found: dict[str, dict[str, dict[str, _Counts]]] = msgspec.field(default_factory=dict)
    """By judge, model and prompt."""

    def add(self, logged: LoggedAnswer) -> None:
        """Counts one answer by judge, model and prompt: the answers, those without a score, and the scores by size. An answer that no judge
        gave does not count."""
        if not isinstance(logged.answer, JudgeAnswer) or not isinstance(logged.question, JudgeQuestion):
            return
        who = logged.asker.written(dict(logged.answer.who))
        models = self.found.setdefault(str(who.get("judge") or logged.asker.word), {})
        prompts = models.setdefault(str(who.get("model") or ""), {})
        counts = prompts.setdefault(str(who.get("prompt") or logged.question.prompt), [0] * (2 + _BUCKETS))
        counts[0] += 1  # all answers
        answer, score_of = logged.answer, logged.question.score_of
        score = answer.score if score_of is None or answer.error is not None else score_of(answer)
        if answer.error is not None or score is None:
            counts[1] += 1  # those without a score
        elif "choice" not in answer.details:  # choices are counted by their names
            counts[2 + min(_BUCKETS - 1, int(score * _BUCKETS))] += 1

    def by_model(self) -> tuple[JudgedBy, ...]:
        """The sums of the answers of each model with each prompt, sorted by judge, model and prompt."""
        return tuple(
            JudgedBy(judge, model or None, prompt, questions, unanswered, tuple(scores))
            for judge, models in sorted(self.found.items())
            for model, prompts in sorted(models.items())
            for prompt, (questions, unanswered, *scores) in sorted(prompts.items())
        )


class AnswerLine(msgspec.Struct, frozen=True):
    """One line: a question, its answer, who gave it and who got it."""

    question: JudgeQuestion
    """Its `prompt` is empty where a function was asked."""
    answer: JudgeAnswer
    places: tuple[tuple[int, str, str], ...] = ()
    """Row, evaluator, path."""


def line_of(logged: LoggedAnswer) -> dict[str, Any]:
    """An answer as a line of JSON: the places that got it, who gave it, the question, and the answer. What a judge was asked has `${NAME}`
    for what the environment filled in."""
    question, answer = logged.question, logged.answer
    if isinstance(question, JudgeQuestion) and isinstance(answer, JudgeAnswer):
        # what the environment filled in to the suite reads `${NAME}`; the row's values are as they are
        request, who = question.as_written(logged.asker.written).body(), logged.asker.written(dict(answer.who))
    else:
        request, who = _pair_entry(question), _asker_entry(logged.asker)
    places = [list(place) for place in logged.places]
    return {"places": places, "who": who, "question": request, "answer": _answer_entry(answer)}


def line_bytes(line: Mapping[str, Any]) -> bytes:
    """A line as JSON in bytes, with a line break; what is no JSON in it becomes text."""
    return compact({name: value if name == "places" else plain_json(value) for name, value in line.items()}) + b"\n"


MOST_BYTES: Final = 512 * 1024 * 1024
"""A file of answers may have so many bytes."""


def read_answers(file: Path) -> Iterator[AnswerLine]:
    """The lines of a file. Raises Problems (config) for one that is not there, and for a damaged line, with its number."""
    with _naming_file(file):
        text = read_small(file, MOST_BYTES)
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield read_answer(line, f"{file}:{number}")


def answers_of_run(file: Path) -> Iterator[AnswerLine]:
    """The answers in the `run.db` of a run folder. Raises Problems (config) for a damaged line or file."""
    with _naming_file(file):
        check_openable(file)
        with closing(open_readonly(file)) as db:
            if db.execute("select type from sqlite_schema where name = 'answers'").fetchone() != ("table",):
                raise sqlite3.DatabaseError("there is no table of them")  # a view may work forever
            lines = db.execute("select line from answers order by variant, rowid")
            for number, (line,) in enumerate(lines, 1):
                yield read_answer(str(line).encode(), f"{file}, line {number} of answers")


@contextmanager
def _naming_file(file: Path) -> Iterator[None]:
    """Within the `with` block, an error of reading a file of answers becomes a Problems that names the file."""
    try:
        yield
    except (OSError, NoSmallFile, sqlite3.Error) as error:
        what = f"it {error}" if isinstance(error, NoSmallFile) else str(getattr(error, "strerror", "") or error).lower()
        raise problem("no-answers", f"the answers cannot be read: {what}", where=str(file)) from None


def plain_json(value: object) -> Any:
    """A copy of the value that JSON can hold: what is no JSON, at any depth, becomes its text."""
    if value.__class__ is str or value.__class__ is int:
        return value
    if isinstance(value, Mapping):
        return {str(key): plain_json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(inner) for inner in value]
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _asker_entry(asker: object) -> dict[str, Any]:
    """The entry `who` of a line that no judge answered: the comparator with its options; empty where it was no comparator."""
    if not isinstance(asker, Comparator):
        return {}
    options = asker.written({**asker.model_dump(mode="json", fallback=str), **(asker.model_extra or {})})
    return {"comparator": word_of(asker)} | ({"options": options} if options else {})


def _pair_entry(question: Question | JudgeQuestion) -> dict[str, Any]:
    """The two values of a question, with their untransformed values where these differ."""
    record = {"expected": question.expected, "actual": question.actual}
    for name in _SIDES[:2]:
        if not json_equal(raw := getattr(question, f"{name}_raw"), record[name]):
            record[f"{name}_raw"] = raw
    return record


def _answer_entry(answer: GivenAnswer) -> dict[str, Any]:
    """The entry of an answer in a line: score, exact ratio, verdict, reason and details, as far as it has them, or the error alone."""
    if isinstance(answer, RowProblem):
        return {"error": _error_entry(answer.issue)}
    if isinstance(answer, JudgeAnswer) and answer.error is not None:
        return {"error": _error_entry(answer.error)}
    record: dict[str, Any] = {"score": answer.score}
    if isinstance(answer, Comparison) and answer.ratio is not None:
        record["ratio"] = list(answer.ratio)
    if answer.passed is not None:
        record["passed"] = answer.passed
    if answer.reason is not None:
        record["reason"] = answer.reason
    return record | ({"details": dict(answer.details)} if answer.details else {})


def _error_entry(issue: Issue) -> dict[str, str]:
    """The entry of an error that kept a question from its answer. The hint of a bug stays behind: it shows where files are."""
    record = {"code": issue.code, "blame": issue.blame.value, "message": issue.message}
    return record if issue.hint is None or issue.blame is Blame.BUG else record | {"hint": issue.hint}


def read_answer(text: bytes, where: str) -> AnswerLine:
    """The question and answer of a line. Raises Problems (config) for one that is damaged; `where` is its place."""
    try:
        line = parse(text)
    except NotJSON as error:
        raise _damaged_line(f"not JSON: {error.message}", where) from None
    question, answer = _object_under(line, "question", where), _object_under(line, "answer", where)
    who = _object_under(line, "who", where) if isinstance(line, dict) and "who" in line else {}
    return AnswerLine(_read_question(question, where), _read_answer_entry(answer, who, where), _read_places(line, where))


def _object_under(line: object, name: str, where: str) -> dict[str, Any]:
    """The object under the key `name` of a line. Raises Problems where there is none."""
    if not isinstance(line, dict):
        raise _damaged_line(f"an object is expected; found {quote(line)}", where)
    if not isinstance(line.get(name), dict):
        raise _damaged_line(
            f'"{name}" must be an object; found {quote(line[name]) if name in line else "nothing"}', where
        )
    value: dict[str, Any] = line[name]
    return value


def _read_question(data: Mapping[str, Any], where: str) -> JudgeQuestion:
    """The question of a line, read from its JSON. `where` is the line, for messages. Raises Problems for what cannot be a question."""
    known = ("prompt", *_SIDES, "instructions", "params", "payload")
    for name in data:
        if name not in known:
            raise _damaged_line(f'a question has no "{name}"; known: {", ".join(known)}', where)
    _check_kinds("a question", data, where)
    expected, actual, expected_raw, actual_raw = (data.get(name, MISSING) for name in _SIDES)
    return JudgeQuestion(
        data.get("prompt", ""), expected, actual, expected_raw, actual_raw, data.get("instructions"),
        data.get("params", {}), data.get("payload", {}),
    )  # fmt: skip


def _read_answer_entry(data: Mapping[str, Any], who: Mapping[str, Any], where: str) -> JudgeAnswer:
    """The answer of a line, read from its JSON: score, verdict, reason and details, or the error. `who` says who gave it, and `where` is
    the line, for messages. Raises Problems for what cannot be an answer."""
    if "error" in data:
        return JudgeAnswer(who=who, error=_read_error(_object_under(data, "error", where), where))
    score, passed, reason, details = (data.get(name) for name in ("score", "passed", "reason", "details"))
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise _damaged_line(f"the score of an answer is a number from 0 to 1; found {quote(score)}", where)
    _check_kinds("an answer", data, where)
    ratio = data.get("ratio")  # of a function's answer; a judge's has no place for it, so it is checked and left out
    if ratio is not None and not (
        isinstance(ratio, list) and [type(number) for number in ratio] == [int, int] and 0 <= ratio[0] <= ratio[1] > 0
    ):
        raise _damaged_line(
            f'"ratio" of an answer is a fraction from 0 to 1, such as [2, 3]; found {quote(ratio)}', where
        )
    return JudgeAnswer(score, passed, reason, details or {}, who)


def _check_kinds(noun: str, data: Mapping[str, Any], where: str) -> None:
    """Raises Problems for an entry of a line whose value is of the wrong kind. `noun` is what the message calls the line's part."""
    for name, (kind, claim) in _KINDS[noun].items():
        if name in data and not isinstance(data[name], kind):
            raise _damaged_line(f'"{name}" of {noun} {claim}; found {quote(data[name])}', where)


def _read_error(data: Mapping[str, Any], where: str) -> Issue:
    """The error of an answer, read from its JSON. Raises Problems for what cannot be one."""
    code, message, blame, hint = (data.get(name) for name in ("code", "message", "blame", "hint"))
    texts = isinstance(code, str) and isinstance(message, str) and isinstance(hint, str | None)
    if not texts or not isinstance(blame, str) or blame not in _BLAMES:
        raise _damaged_line(f"an error has a code, a blame and a message; found {quote(dict(data))}", where)
    return Issue(str(code), _BLAMES[blame], str(message), hint=hint)


def _read_places(line: object, where: str) -> tuple[tuple[int, str, str], ...]:
    """The places of a line: the row, evaluator and path of everyone who got the answer. Raises Problems for what is no place."""
    places: Sequence[Any] = line.get("places", []) if isinstance(line, dict) else []
    if not isinstance(places, list):
        raise _damaged_line(f'"places" must be a list; found {quote(places)}', where)
    for place in places:
        if not (isinstance(place, list) and [type(part) for part in place] == [int, str, str] and place[0] >= 0):
            raise _damaged_line(f"a place is a row, an evaluator and a path; found {quote(place)}", where)
    return tuple((row, evaluator, path) for row, evaluator, path in places)


def _damaged_line(message: str, where: str) -> Problems:
    """The problem of a line that is no answer; `where` is its place."""
    hint = "a line is made by a run, or is as the page about the run folder says"
    return problem("damaged-answers", f"no line of answers: {message}", where=where, hint=hint)
