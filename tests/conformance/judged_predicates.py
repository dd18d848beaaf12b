"""Predicates on the recorded cases in which a language model was asked, for `divergences.yaml`. They read its reply by themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.conformance.cases import Case

_OWN_PROMPT: Final = ("prompt_template", "structured_output_schema")
_BY_CRITERIA: Final = ("OutputQualityScorer", "LogicConsistencyScorer", "ConstraintSatisfactionScorer")


def _reply(case: Case) -> dict[str, Any] | None:
    """The first JSON object in what the model wrote; None without one."""
    text = case.line.get("judge_response") or case.line.get("stub_reply", {}).get("content") or ""
    for start, mark in enumerate(text):
        if mark in "{[":
            try:
                found, _ = json.JSONDecoder(parse_constant=lambda word: None).raw_decode(text, start)
            except ValueError:
                continue
            return found if isinstance(found, dict) else None
    return None


def _says_nothing(case: Case) -> bool:
    """The model did not answer, or its reply has no whole verdict: no score from 0 to 1, not each criterion, a reason that is no text."""
    if case.line.get("stub_reply", {}).get("status", 200) != 200:
        return True
    told = _reply(case)
    if told is None or not isinstance(told.get("reasoning", ""), str):
        return True
    if case.evaluator in _BY_CRITERIA:
        return not _each_criterion(case, told)
    return not _is_score(told.get("score"))


def _each_criterion(case: Case, told: Mapping[str, Any]) -> bool:
    if case.evaluator == "ConstraintSatisfactionScorer":
        results = told.get("constraint_results")
        return isinstance(results, list) and len(results) == len(case.settings["constraints"])
    scores = told.get("dimension_scores") if isinstance(told.get("dimension_scores"), dict) else {}
    wanted = case.settings.get("dimensions")
    return bool(scores) and (wanted is None or scores.keys() == wanted.keys()) and len(scores) >= (1 if wanted else 3)


def _is_score(value: object) -> bool:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return False
    return not isinstance(value, bool) and isinstance(value, int | float) and 0 <= value <= 1


def _equal_lists(case: Case) -> bool:
    """A list is asked about, and both sides have the same one."""
    both = case.expected, case.output
    return both[0] == both[1] and any(isinstance(value, list) for value in both[0].values())


def _several_metrics(case: Case) -> bool:
    """One field has several metrics."""
    return '"metrics": [{' in json.dumps(case.settings.get("schema")) and json.dumps(case.settings).count("metric_id") > 1


def _read_by_theirs(case: Case) -> bool:
    """Their reading finds a verdict: JSON in the first fence that is spelled as theirs is, or as the whole reply; its score a number."""
    text = case.line.get("stub_reply", {}).get("content") or ""
    blocks = [block for block in text.split("```")[1::2] if block.strip()]
    try:
        told = json.loads(blocks[0].removeprefix("json") if blocks else text)
    except ValueError:
        return False
    return isinstance(told, dict) and not isinstance(told.get("score"), str)


def _texts(case: Case) -> tuple[str, ...]:
    """The two texts of a case with one field, case and spaces set aside; nothing for any other case."""
    both = [value for side in (case.expected, case.output) if isinstance(side, dict) for value in side.values()]
    texts = [" ".join(value.lower().split()) for value in both if isinstance(value, str)]
    return tuple(texts) if len(texts) == len(both) == 2 else ()


def _threshold_no_number(case: Case) -> bool:
    """A threshold is a text that is no number."""
    found = re.findall(r'"pass_threshold": "([^"]*)"', json.dumps(case.settings.get("schema")))
    return any(not re.fullmatch(r"[\d.]+", text) for text in found)


PREDICATES: Final[Mapping[str, Callable[[Case], bool]]] = {
    "reply_says_nothing": _says_nothing,
    "reply_without_a_reason": lambda case: "reasoning" not in (_reply(case) or {"reasoning": ""}),
    "lists_are_equal": _equal_lists,
    "several_metrics": _several_metrics,
    "reply_read_leniently": lambda case: not _says_nothing(case) and not _read_by_theirs(case),
    "texts_are_equal": lambda case: len(set(_texts(case))) == 1,
    "threshold_is_no_number": _threshold_no_number,
    "prompt_of_its_own": lambda case: any(word in json.dumps(case.settings) for word in _OWN_PROMPT),
    "nothing_on_both_sides": lambda case: case.expected == {} and case.output == {},
    "without_a_judge": lambda case: "judge" in case.line,
}
