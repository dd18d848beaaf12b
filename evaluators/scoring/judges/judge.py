"""The contract of a judge: it answers a list of questions.

A judge is one file in `plugs/`, or a class behind the entry point group `evaluators.scoring.judges.plugs`. Its settings are its
attributes, so that a mistake in them is found before row 1. It is asked once for each round of a chunk of rows, with questions
that are all different, and answers each. What it needs of other packages, it imports in `answer`.

A question that it could not answer has an `error`, an issue whose blame is the environment: the field is an error and the row
has no score. What `answer` raises concerns the whole list, which is then asked again row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems, RowProblem
from evaluators.model.registry import Socket
from evaluators.model.rows import MISSING
from evaluators.model.settings import BadSettings, Detail, Settings, build, filled_texts_of, word_or_map
from evaluators.scoring.comparators._answer_cache import value_key
from evaluators.scoring.comparators._comparator import WholeCall, call_failure
from evaluators.scoring.judges.session import Session
from evaluators.scoring.values.addresses import addresses_in, forbidden_addresses

JUDGE_COST: Final = "judge_cost"
"""The measure of what was paid for each row."""
COST_IN: Final = "cost in "
"""How its column is called, before the currency."""
ITEMS: Final = "items"
"""The key in the `params` of a question about two lists under which the rules for the parts of their items stand, by path."""


class JudgeQuestion(msgspec.Struct, frozen=True, dict=True):
    """One thing that a judge is asked: whether two values match, or what a prompt of its own asks about a row."""

    prompt: str
    """The name of the prompt: the word of a comparator, or of an evaluator type."""
    expected: Any = MISSING
    actual: Any = MISSING
    """The two values as they are compared, transformed; MISSING where a question is not about two values."""
    expected_raw: Any = MISSING
    actual_raw: Any = MISSING
    """The two values as they stand in the documents; MISSING where they are those that are compared."""
    instructions: str | None = None
    """What the suite says about this field, for the prompt."""
    params: Mapping[str, Any] = {}
    """What else the field says: settings of the judge that it overrides (`model`), and what its prompt is to know. JSON."""
    payload: Mapping[str, Any] = {}
    """What a prompt that is not about two values is given, by name. JSON."""
    path: str = ""
    """Where the pair stands, as people read it. Of equal questions, the first one's; it makes no question another one."""
    row: int = 0
    """Questions with the same number are about one row, and may share a request. It makes no question another one."""
    why_refused: Callable[[JudgeAnswer], str | None] | None = None
    """Gives the reason why an answer counts for nothing, such as counts that do not add up; None where it counts. A judge that can ask
    again does so, and keeps no such answer. It makes no question another one."""
    score_of: Callable[[JudgeAnswer], float | None] | None = None
    """Gives the score that an answer comes to, or None where it comes to none; without it, the answer's own score counts. It makes no
    question another one."""

    def body(self) -> dict[str, Any]:
        """The question as JSON: all that tells it from others, as it is recorded and as its answer is found again."""
        record: dict[str, Any] = {"prompt": self.prompt}
        for name in ("expected", "actual", "expected_raw", "actual_raw"):
            if (value := getattr(self, name)) is not MISSING:
                record[name] = value
        if self.instructions is not None:
            record["instructions"] = self.instructions
        return record | {name: dict(value) for name in ("params", "payload") if (value := getattr(self, name))}

    def as_written(self, written: Callable[[Any], Any]) -> JudgeQuestion:
        """A copy of the question in which `written` has changed the texts of the suite to what people read; the row's values stay."""
        return replace(self, instructions=written(self.instructions), params=written(dict(self.params)))

    @cached_property
    def key(self) -> Hashable:
        """A key that equal questions share. The order in which `params` and `payload` are written makes no difference."""
        body = self.body()
        return value_key(body | {name: _with_sorted_keys(body[name]) for name in ("params", "payload") if name in body})


def _with_sorted_keys(value: Any) -> Any:
    """The value with the keys of all its maps sorted, so that their order makes no difference."""
    if isinstance(value, Mapping):
        return {key: _with_sorted_keys(value[key]) for key in sorted(value)}
    return [_with_sorted_keys(inner) for inner in value] if isinstance(value, list | tuple) else value


class JudgeAnswer(msgspec.Struct, frozen=True):
    """The answer of a judge to one question."""

    score: float | None = None
    """From 0 to 1; None where there is an error."""
    passed: bool | None = None
    """Whether it is a match; None leaves that to who asked."""
    reason: str | None = None
    details: Mapping[str, Any] = {}
    """What else it found, as JSON: the items that a list lacks, the verdict of each of several judges."""
    who: Mapping[str, Any] = {}
    """Who answered, as JSON: `judge`, `model`, `prompt` (its name and version). Recorded; the same for the same answer."""
    error: Issue | None = None
    """Why there is no answer; its blame is the environment."""
    tokens: tuple[int, int] = (0, 0)
    """Of the request and of its answer, this question's share. These and what follows go to environment.json."""
    cached: bool = False
    """It was not asked now, but known from before."""
    cost: int | None = 0
    """What was paid for it now, this question's share, in units of `prices`; None where nobody knows."""
    retries: int = 0
    seconds: float = 0.0


class Estimate(msgspec.Struct, frozen=True):
    """The estimated size and cost of questions that are not asked. Tokens are about right."""

    questions: int = 0
    """Those that would be sent: what is known from before is not."""
    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: int = 0
    """Of the requests that have a price."""
    unpriced: int = 0
    """Requests to models without a price."""


def amount_text(cost: int) -> str:
    """A cost, in units of `prices`, as a number of the currency with all its decimals."""
    return f"{Decimal(cost).scaleb(-12).normalize():f}"


class Judge(Settings):
    """A judge: it answers questions, by a model or from a recording."""

    def answer(self, questions: Sequence[JudgeQuestion]) -> Sequence[JudgeAnswer]:
        """One answer for each question, in their order. All questions are different. May be called from several threads.

        Every judge implements it.
        """
        raise NotImplementedError  # the contract: each judge answers in its own way

    def answer_in(self, questions: Sequence[JudgeQuestion], session: Session | None) -> Sequence[JudgeAnswer]:
        """The answers as `answer` gives them, for a judge that shares what it spends and asks with the other workers of a run.

        `session` is that of the run; None outside of a run.
        """
        return self.answer(questions)

    def ready(self) -> None:
        """Checks that the judge can answer. Raises Problems (config) for what keeps it from it, such as a file that is not there.

        It is called before row 1 and by `check`, not when a suite is read: a suite is read by whoever looks at a run folder, too.
        """

    def addresses(self) -> tuple[str, ...]:
        """The addresses to which its questions go, or words for them; none where nothing is sent."""
        return tuple(addresses_in(self.model_dump()))

    def check_addresses(self) -> None:
        """Raises Problems (config) where questions, and the key with them, would go where a suite may send nothing."""
        if issues := forbidden_addresses(self.addresses()):
            raise Problems(map(self.masked_issue, issues))

    def notice(self) -> tuple[str, ...]:
        """Sentences for people before the first question: where questions go, and how; none where nothing is sent."""
        return ()

    def estimate(self, questions: Sequence[JudgeQuestion]) -> Estimate:
        """The estimated cost of questions that are all different, those of one chunk of rows. Nothing is sent."""
        return Estimate()

    def meaning(self) -> Mapping[str, Any]:
        """All that answers depend on beside the suite's own text, as JSON: a part of the suite's fingerprint."""
        return {}

    def replayed_run(self) -> Path | None:
        """The run folder whose answers it plays back; None for a judge that answers itself."""
        return None

    def price_file(self) -> Path | None:
        """The file with the prices of its answers; None where the suite names none."""
        return None

    @property
    def word(self) -> str:
        """The name of the judge, as suites write it."""
        return type(self).__module__.rpartition(".")[2]

    @cached_property
    def identity(self) -> Hashable:
        """A key that judges share which give the same answers: the class and its settings."""
        return type(self), self.model_dump_json(fallback=repr)


JUDGES: Final[Socket[Judge]] = Socket("evaluators.scoring.judges.plugs", Judge, "judge")


def read_judge(data: object, folder: Path | None) -> Judge:
    """The judge that `judge:` of a suite names. `folder` is where its relative paths start.

    Raises BadSettings with everything that is wrong with it.
    """
    name, options = word_or_map(data, JUDGES.noun)
    prefix = (name,) if isinstance(data, Mapping) else ()
    try:
        return build(JUDGES.find(name), options, {"folder": folder}, noun=f'the judge "{name}"')
    except BadSettings as error:
        raise BadSettings(detail.under(*prefix) for detail in error.details) from error
    except Problems as error:
        details = [Detail(prefix, issue.message, issue.hint, bool(prefix), issue.code) for issue in error.issues]
        raise BadSettings(details) from error


def unanswered_issue(code: str, message: str, hint: str | None = None) -> Issue:
    """The issue of a question without an answer; the environment is to blame."""
    return Issue(code, Blame.ENVIRONMENT, message, hint=hint)


def call_judge(judge: Judge, questions: Sequence[JudgeQuestion], session: Session | None = None) -> list[JudgeAnswer]:
    """The checked answers of a judge to questions that are all different, in their order. `session` is that of the run, if there is one. An
    answer that is none, or has no score from 0 to 1, becomes one with an error.

    Raises WholeCall where the judge answers none of them, or not each.
    """
    name = judge.word
    try:
        judge.check_addresses()
        answers: object = judge.answer_in(questions, session)
    except RowProblem as error:
        raise WholeCall(RowProblem(judge.masked_issue(error.issue))) from error
    except Problems as error:
        issue = replace(judge.masked_issue(error.issues[0]), blame=Blame.ENVIRONMENT)
        raise WholeCall(RowProblem(issue)) from error
    except Exception as error:  # a row is guarded: a judge that breaks costs its own fields
        raise WholeCall(call_failure("judge", name, error, filled_texts_of(judge))) from error
    if not isinstance(answers, list | tuple) or len(answers) != len(questions):
        what = f"{len(answers)} answers" if isinstance(answers, list | tuple) else type(answers).__name__
        message = f'judge "{name}" returned {what} to {len(questions)} questions'
        raise WholeCall(RowProblem(Issue("bad-answer", Blame.BUG, message)))
    checked = [_check_answer(name, answer) for answer in answers]
    return [
        answer if answer.error is None else replace(answer, error=judge.masked_issue(answer.error)) for answer in checked
    ]


def _check_answer(name: str, answer: object) -> JudgeAnswer:
    """The answer that the judge `name` gave, checked. One that is no answer, or has no score from 0 to 1, becomes an answer with an
    error."""
    if not isinstance(answer, JudgeAnswer):
        message = f'judge "{name}" returned {type(answer).__name__}, which is no answer'
        return JudgeAnswer(error=Issue("bad-answer", Blame.BUG, message))
    score: object = answer.score
    if answer.error is not None:
        return answer
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        message = f'judge "{name}" gave the score {score}; a score is a number from 0 to 1'
        return replace(answer, score=None, passed=None, error=Issue("bad-answer", Blame.ENVIRONMENT, message))
    return answer
