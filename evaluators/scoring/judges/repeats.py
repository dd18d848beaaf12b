"""Questions that a judge is asked several times: the answers of one question combined, and whether they agree.

The first answer counts, and the others say how far it can be relied on. A repeated question has `repeat` among its `params`, so that a
cache tells it from the first one. What a model is sent is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from evaluators.scoring.judges.judge import JudgeAnswer

REPEAT: Final = "repeat"
"""The key in the `params` of a question that is put several times: which time it is. The first time has none."""
REPEATS: Final = "repeats"
"""The key in the details of an answer: the list of the verdicts of all times that had an answer."""
_HALF: Final = 0.5


def combine_repeats(answers: Sequence[JudgeAnswer]) -> JudgeAnswer:
    """One answer for a question that was asked several times: the first, with the tokens, the time and the cost of all; the cost is None
    where that of one is not known. Unless the first is an error, its details have the verdicts of all that are none."""
    first = answers[0]
    verdicts = [verdict_in(answer) for answer in answers if answer.error is None]
    details = first.details if first.error is not None else {**first.details, REPEATS: verdicts}
    tokens = sum(answer.tokens[0] for answer in answers), sum(answer.tokens[1] for answer in answers)
    costs = [answer.cost for answer in answers if answer.cost is not None]
    return replace(
        first, details=details, tokens=tokens, cost=sum(costs) if len(costs) == len(answers) else None,
        cached=all(answer.cached for answer in answers), retries=sum(answer.retries for answer in answers),
        seconds=sum(answer.seconds for answer in answers),
    )  # fmt: skip


def verdict_in(answer: JudgeAnswer) -> Any:
    """The verdict of an answer, as JSON, without its reason: points, choice, criteria or counts where it has them; else match or score."""
    details = answer.details
    for name in ("points", "choice", "criteria", "pairs"):
        if name in details:
            return _without_reasons(details[name])
    return answer.passed if answer.passed is not None else answer.score


def repeats_agree(answer: JudgeAnswer) -> bool | None:
    """Whether all repeats of a question have one verdict; None where it was asked once. Scores agree on one side of 0.5."""
    repeats = answer.details.get(REPEATS)
    if not isinstance(repeats, list) or len(repeats) < 2:
        return None
    verdicts = [score >= _HALF if isinstance(score, float) else score for score in repeats]
    return all(verdict == verdicts[0] for verdict in verdicts)


def _without_reasons(value: Any) -> Any:
    """The value without the reasons in it, at any depth."""
    if isinstance(value, Mapping):
        return {name: _without_reasons(inner) for name, inner in value.items() if name != "reason"}
    return [_without_reasons(inner) for inner in value] if isinstance(value, list) else value
