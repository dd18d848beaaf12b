"""What a rubric is made of: its criteria, the columns it names, the judges of a panel, and what their answers come to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import isfinite
from pathlib import Path as Folder
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Struct
from pydantic import Field

from evaluators.model.issues import RowProblem
from evaluators.model.settings import BadSettings, Detail, Name, ReadBy, Settings, bad, build, spell
from evaluators.scoring.judges.judge import Judge, JudgeAnswer, read_judge, unanswered_issue
from evaluators.scoring.values.paths import Path

AGREEMENT: Final = "agreement"
"""The metric of a panel: the share of pairs of judges that say the same."""
MOST_CHOICES: Final = 50
"""Named choices that a judge may be given."""
_PLACEHOLDER: Final = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")


class Criterion(Settings):
    """One thing that an output is judged by."""

    rubric: Name
    """What the output must be like."""
    weight: float = Field(1.0, gt=0.0, allow_inf_nan=False)
    """How much it counts, beside the others."""


def _read_criteria(data: object, context: Mapping[str, Any]) -> dict[str, Criterion]:
    """The criteria by name, each a text or a map. Raises BadSettings with all that is wrong with them."""
    if isinstance(data, Mapping | list | tuple) and not data:
        raise bad("criteria is empty; at least one criterion is needed", hint='write criteria: {clarity: "Is it clear?"}')
    if not isinstance(data, Mapping):
        raise bad(
            f"criteria must be a map from a name to what is asked; found {spell(data)}",
            hint='write criteria: {clarity: "Is it clear?"}',
        )
    details: list[Detail] = []
    criteria: dict[str, Criterion] = {}
    for name, body in data.items():
        if not isinstance(name, str) or not name.strip() or name == AGREEMENT:
            details += bad(f'a criterion cannot be called "{name}"', str(name), key=True).details
            continue
        try:
            criteria[name] = build(Criterion, {"rubric": body} if isinstance(body, str) else body, context, "criterion")
        except BadSettings as error:
            details += [detail.under(name) for detail in error.details]
    if details:
        raise BadSettings(details)
    return criteria


def _read_scale(data: object, context: Mapping[str, Any]) -> tuple[float, float]:
    """(worst, best): the two scores of a scale. Raises BadSettings for anything but two finite numbers in that order."""
    numbers = [item for item in data if not isinstance(item, bool)] if isinstance(data, list | tuple) else []
    match numbers:
        case [int() | float() as low, int() | float() as high] if isfinite(low) and isfinite(high) and low < high:
            return low, high
    raise bad(f"scale must be two numbers, the worst and the best score; found {spell(data)}", hint="write scale: [1, 5]")


def _read_own_judge(data: object, context: Mapping[str, Any]) -> Judge:
    """The judge of a setting: one that a program made, as it is; one that the suite writes, read. Raises BadSettings."""
    return data if isinstance(data, Judge) else read_judge(data, Folder(context.get("folder") or "."))


def _read_choices(data: object, context: Mapping[str, Any]) -> dict[str, float]:
    """The choices of a judge with their scores. Raises BadSettings, also for names that differ by case or spaces alone."""
    hint = "write choices: {excellent: 1, fair: 0.5, poor: 0}"
    if not isinstance(data, Mapping) or not 2 <= len(data) <= MOST_CHOICES:
        shown = f"{len(data)} of them" if isinstance(data, Mapping) else spell(data)
        raise bad(f"choices must be a map from 2 to {MOST_CHOICES} names to their scores; found {shown}", hint=hint)
    details: list[Detail] = []
    for name, score in data.items():
        if not isinstance(name, str) or not name.strip():
            details += bad(f"the name of a choice is text; found {spell(name)}", str(name), hint=hint, key=True).details
        elif isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
            details += bad(
                f"the score of a choice is a number from 0 to 1; found {spell(score)}", name, hint=hint
            ).details
    alike: dict[str, str] = {}
    for name in (name for name in data if isinstance(name, str)):
        other = alike.setdefault(" ".join(name.casefold().split()), name)
        if other != name:
            message = f'the choices "{other}" and "{name}" differ by case or spaces alone, which no judge keeps apart'
            details += bad(message, name, hint="give each choice a word of its own", key=True).details
    if details:
        raise BadSettings(details)
    return dict(data)


Criteria: TypeAlias = Annotated[dict[str, Criterion], ReadBy(_read_criteria)]
Choices: TypeAlias = Annotated[dict[str, float], ReadBy(_read_choices)]
Scale: TypeAlias = Annotated[tuple[float, float], ReadBy(_read_scale)]
OwnJudge: TypeAlias = Annotated[Judge, ReadBy(_read_own_judge)]


class Member(Settings):
    """One judge of a panel: the suite's judge with another model or setting, or a judge of its own."""

    name: Name | None = None
    """What reports call this judge; its model without it."""
    model: Name | None = None
    """The model that is asked, in place of the judge's own."""
    temperature: float | None = Field(None, ge=0.0, le=2.0)
    """How freely it answers, in place of the judge's own setting."""
    max_tokens: int | None = Field(None, ge=1, strict=True)
    """How long its answer may be, in place of the judge's own setting."""
    judge: OwnJudge | None = None
    """A judge of its own, written as the suite's `judge:` is."""

    @property
    def params(self) -> dict[str, Any]:
        """The settings of the judge that it overrides."""
        params = {"model": self.model, "temperature": self.temperature, "max_tokens": self.max_tokens}
        return {name: value for name, value in params.items() if value is not None}


def path_of(criterion: str) -> str:
    """The path, as text, of the field that stands for a criterion in results."""
    return Path((criterion,)).canonical


def columns_named_in(texts: Iterable[str]) -> list[str]:
    """The columns that rubrics name, `{{input}}`, in order, each once."""
    return list(dict.fromkeys(name for text in texts for name in _PLACEHOLDER.findall(text)))


def without_placeholders(text: str) -> str:
    """The rubric as a judge reads it: `{{input}}` becomes `"input"`, and is never filled in, so that no cell is read as a rubric."""
    return _PLACEHOLDER.sub(lambda match: f'"{match[1]}"', text)


class Judgement(Struct, frozen=True):
    """The judgement of one judge on a row."""

    score: Fraction
    reason: str | None
    criteria: Mapping[str, Fraction]
    reasons: Mapping[str, str]
    who: Mapping[str, Any]
    choice: str | None = None


def judgement_of(
    answer: JudgeAnswer,
    criteria: Mapping[str, Criterion],
    scale: tuple[float, float],
    choices: Mapping[str, float],
) -> Judgement:
    """The score and the reasons in a judge's answer. Raises RowProblem where it has no score.

    With criteria, the score is their weighted mean, whatever total the judge gave. With choices, it is that of the choice, which must
    be one of them to the letter.
    """
    if answer.error is not None:
        raise RowProblem(answer.error)
    if choices:
        chosen = answer.details.get("choice")
        if not isinstance(chosen, str) or chosen not in choices:
            raise _no_verdict(f"a choice is one of {', '.join(choices)}; found {spell(chosen)}")
        return Judgement(exact_fraction(choices[chosen]), answer.reason, {}, {}, answer.who, chosen)
    if not criteria:
        given = {"score": answer.score, **answer.details}
        return Judgement(_score_in(given, scale), answer.reason, {}, {}, answer.who)
    reply = _answers_by_criterion(answer.details.get("criteria"))
    if reply.keys() != criteria.keys():
        wanted = ", ".join(criteria)
        raise _no_verdict(
            f"each criterion must have a score once ({wanted}); found {spell(answer.details.get('criteria'))}"
        )
    scores = {name: _score_in(reply[name], scale) for name in criteria}
    weights = {name: exact_fraction(criterion.weight) for name, criterion in criteria.items()}
    total = sum((weights[name] * scores[name] for name in criteria), Fraction(0)) / sum(weights.values())
    reasons = {
        name: str(value["reason"]) for name, value in reply.items() if isinstance(value, Mapping) and value.get("reason")
    }
    return Judgement(total, answer.reason, scores, reasons, answer.who)


def _answers_by_criterion(reply: object) -> dict[str, Any]:
    """A judge's answer on each criterion, by name, from a map or a list; empty where a name occurs twice."""
    if isinstance(reply, Mapping):
        return dict(reply)
    listed = reply if isinstance(reply, list) and all(isinstance(entry, Mapping) for entry in reply) else []
    by_name = {str(entry.get("name")): entry for entry in listed}
    return by_name if len(by_name) == len(listed) else {}


def _score_in(reply: object, scale: tuple[float, float]) -> Fraction:
    """The score, from 0 to 1, in a judge's reply: a number, the `score` of a map, or its `points` on the scale (worst, best).

    Raises RowProblem for any other reply.
    """
    low, high = map(exact_fraction, scale)
    on_scale = isinstance(reply, Mapping) and "points" in reply
    number = reply
    if isinstance(reply, Mapping):
        number = reply["points"] if on_scale else reply.get("score", reply)
    if isinstance(number, bool) or not isinstance(number, int | float) or not isfinite(number):
        raise _no_verdict(f"a score is a number; found {spell(number)}")
    score = (exact_fraction(number) - low) / (high - low) if on_scale else exact_fraction(number)
    if not 0 <= score <= 1:
        ends = f"{float(low):g} to {float(high):g}" if on_scale else "0 to 1"
        raise _no_verdict(f"a score is a number from {ends}; found {spell(number)}")
    return score


def _no_verdict(message: str) -> RowProblem:
    """The problem of a row to which a judge gave no answer that counts."""
    return RowProblem(unanswered_issue("bad-answer", f"the judge gave no answer that counts: {message}"))


def exact_fraction(score: float) -> Fraction:
    """The number as it is written: 0.8 is four fifths."""
    return Fraction(str(score))


def mean(scores: Sequence[Fraction]) -> Fraction:
    """The mean of some scores, exactly."""
    return sum(scores, Fraction(0)) / len(scores)


def agreement_of(passed: Sequence[bool]) -> tuple[int, int]:
    """(alike, all): how many pairs of judges both let a row pass, or both do not, and how many pairs there are; (0, 0) for one judge."""
    pairs = list(combinations(passed, 2))
    return sum(first is second for first, second in pairs), len(pairs)
