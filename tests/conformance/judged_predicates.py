"""Predicates on the recorded cases in which a language model was asked, for `divergences.yaml`. They read its reply by themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from tests.conformance.cases import Case

WEIGHTS: Final[Mapping[str, Mapping[str, float]]] = {
    "OutputQualityScorer": {"correctness": 4, "relevance": 2, "completeness": 2, "clarity": 1, "professionalism": 1},
    "LogicConsistencyScorer": {"contradiction": 5, "causal": 3, "data": 2},
}
"""The criteria of orbiter's scorers, with their weights."""
_THINKING: Final = re.compile(r"<think(ing)?>.*?(</think(ing)?>|\Z)", re.DOTALL)


def text_of(case: Case) -> str:
    """What the model wrote."""
    return case.line.get("judge_response") or case.line.get("stub_reply", {}).get("content") or ""


def reply(case: Case) -> dict[str, Any] | None:
    """The first JSON object in what the model wrote, its reasoning set aside; None without one, and where it was cut off."""
    text = _THINKING.sub("", text_of(case)).rstrip()
    for start, mark in enumerate(text):
        if mark in "{[":
            try:
                found, _ = json.JSONDecoder(parse_constant=lambda word: None).raw_decode(text, start)
            except json.JSONDecodeError as error:
                if error.pos >= len(text) or error.msg.startswith("Unterminated string"):
                    return None
                continue
            return found if isinstance(found, dict) else None
    return None


def reply_says_nothing(case: Case) -> bool:
    """The reply has no whole verdict: no score from 0 to 1, not each criterion once, or a reason that is no text."""
    told = reply(case)
    if told is None or not isinstance(told.get("reasoning", told.get("reason")) or "", str):
        return True
    names = _criteria(case)
    if names is None:
        return not is_score(told.get("score"))
    results = told.get("constraint_results")
    if case.evaluator == "ConstraintSatisfactionScorer":
        return not isinstance(results, list) or len(results) != len(names)
    scores = told.get("dimension_scores")
    whole = isinstance(scores, dict) and scores.keys() == names.keys()
    return not whole or not all(isinstance(one, int | float) and is_score(one) for one in scores.values())


def is_score(value: object) -> bool:
    """A number from 0 to 1, or text that is one."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return False
    return not isinstance(value, bool) and isinstance(value, int | float) and 0 <= value <= 1


def _criteria(case: Case) -> Mapping[str, Any] | None:
    """The criteria of a scorer with their weights; None for one that gives a single score."""
    if case.evaluator == "ConstraintSatisfactionScorer":
        return {f"{number} {text}": 1 for number, text in enumerate(case.settings.get("constraints") or ())}
    return case.settings.get("dimensions") or WEIGHTS.get(case.evaluator)


def criteria_are_unusable(case: Case) -> bool:
    """There is no criterion, or the weight of one is no number above 0."""
    names = _criteria(case)
    weights = () if names is None else names.values()
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) and one > 0 for one in weights)
    return names is not None and not (names and numbers)


def _whole_weight(case: Case) -> float:
    """What the weights of a scorer's criteria come to in orbiter: those of its own come to 1."""
    return float(sum(case.settings["dimensions"].values())) if case.settings.get("dimensions") else 1.0


def weights_are_no_shares(case: Case) -> bool:
    """Weights of one's own do not come to 1, and a criterion has a score."""
    return abs(_whole_weight(case) - 1) > 1e-9 and judge_score(case) not in (None, 0)


def braces_are_counted(case: Case) -> bool:
    """Counting braces, texts and reasoning too, finds another object than the first one that is JSON."""
    return _by_braces(text_of(case)) != reply(case)


def _by_braces(text: str) -> Any:
    """The first text from a brace to the one that closes it, by their count alone, that is JSON; None without one."""
    for start in (at for at, mark in enumerate(text) if mark == "{"):
        depth = 0
        for at in range(start, len(text)):
            depth += (text[at] == "{") - (text[at] == "}")
            if not depth:
                try:
                    return json.loads(text[start : at + 1], parse_constant=lambda word: None)
                except ValueError:
                    break
    return None


def judge_score(case: Case) -> float | None:
    """The score that a reply to a scorer of orbiter says, with the weights as shares; None where it says none."""
    told, names = reply(case), _criteria(case)
    if told is None or reply_says_nothing(case):
        return None
    if names is None:
        return float(told["score"])
    if case.evaluator == "ConstraintSatisfactionScorer":
        given = (isinstance(one, dict) and str(one.get("status")).upper() == "PASS" for one in told["constraint_results"])
        scores: Mapping[str, Any] = dict(zip(names, given, strict=True))
    else:
        scores = told["dimension_scores"]
    return float(sum(scores[name] * weight for name, weight in names.items()) / sum(names.values()))


def without_a_judge(case: Case) -> bool:
    """Nobody is there to be asked."""
    return "judge" in case.line
