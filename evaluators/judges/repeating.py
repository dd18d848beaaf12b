"""Asking a judge the same several times: the first answer counts, and the others say how far it can be relied on.

A repeated question has `repeat` among its `params`, so that a cache tells it from the first one. What a model is sent is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from evaluators.judges.judge import Judge, JudgeAnswer, JudgeQuestion, call_judge
from evaluators.value_class import replace

REPEAT: Final = "repeat"
"""Where, among the `params` of a question, its number stands; the first time has none."""
REPEATS: Final = "repeats"
"""Where, in the details of an answer, what was said each time stands; without an answer, the time is left out."""
_HALF: Final = 0.5
_times: ContextVar[int] = ContextVar("times", default=1)


@contextmanager
def repeating(times: int) -> Iterator[None]:
    """Inside, judges are asked each question so often."""
    token = _times.set(max(1, times))
    try:
        yield
    finally:
        _times.reset(token)


def each_time(questions: Sequence[JudgeQuestion]) -> list[JudgeQuestion]:
    """The questions, each as often as it is asked, one after the other."""
    return [
        one if number == 1 else replace(one, params={**one.params, REPEAT: number})
        for one in questions
        for number in range(1, _times.get() + 1)
    ]


def times_asked() -> int:
    """How often judges are asked each question."""
    return _times.get()


def call_each_time(judge: Judge, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
    """A judge's answers, one for each question. Raises WholeCall where it answers none of them."""
    times = _times.get()
    found = call_judge(judge, each_time(questions))
    return found if times == 1 else [together(found[at : at + times]) for at in range(0, len(found), times)]


def together(answers: Sequence[JudgeAnswer]) -> JudgeAnswer:
    """The first answer, with what was said each time among its details, and with the cost of all."""
    first = answers[0]
    said = [said_by(one) for one in answers if one.error is None]
    details = first.details if first.error is not None else {**first.details, REPEATS: said}
    tokens = sum(one.tokens[0] for one in answers), sum(one.tokens[1] for one in answers)
    return replace(
        first, details=details, tokens=tokens, cached=all(one.cached for one in answers),
        retries=sum(one.retries for one in answers), seconds=sum(one.seconds for one in answers),
    )  # fmt: skip


def said_by(answer: JudgeAnswer) -> Any:
    """The verdict of an answer, as JSON, without its reason: points, criteria or counts where it has them; else match or score."""
    details = answer.details
    for name in ("points", "criteria", "pairs"):
        if name in details:
            return _without_reasons(details[name])
    return answer.passed if answer.passed is not None else answer.score


def agreed(answer: JudgeAnswer) -> bool | None:
    """Whether all repeats of a question have one verdict; None where it was asked once. Scores agree on one side of 0.5."""
    said = answer.details.get(REPEATS)
    if not isinstance(said, list) or len(said) < 2:
        return None
    verdicts = [one >= _HALF if isinstance(one, float) else one for one in said]
    return all(one == verdicts[0] for one in verdicts)


def _without_reasons(told: Any) -> Any:
    if isinstance(told, Mapping):
        return {name: _without_reasons(inner) for name, inner in told.items() if name != "reason"}
    return [_without_reasons(inner) for inner in told] if isinstance(told, list) else told
