"""Predicates on the recorded cases in which a language model was asked, for `divergences.yaml`. They read its reply by themselves."""

from __future__ import annotations

import json
from collections.abc import Mapping
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


def reply_says_nothing(case: Case) -> bool:
    """The model did not answer, or its reply has no whole verdict: no score from 0 to 1, not each criterion, a reason that is no text."""
    if case.line.get("stub_reply", {}).get("status", 200) != 200:
        return True
    told = _reply(case)
    if told is None or not isinstance(told.get("reasoning") or "", str):
        return True
    if case.evaluator in _BY_CRITERIA:
        return not _each_criterion(case, told)
    if case.system == "extract_bench_llm" and (lists := _lists(case)):
        return _counts(told) is None or any(not _adds_up(told, *both) for both in lists)
    return not _is_score(told.get("score"))


def _lists(case: Case) -> list[tuple[list[Any], list[Any]]]:
    """The lists of a case, each with the other side's."""
    both = [(value, case.output.get(key)) for key, value in case.expected.items() if isinstance(value, list)]
    return [(left, right if isinstance(right, list) else []) for left, right in both]


def _counts(told: Mapping[str, Any]) -> tuple[int, int, int] | None:
    """Items matched, missed and made up, as a reply counts them; None where these are no counts."""
    summary = told.get("matches_summary")
    found = (
        [summary.get(name) for name in ("matched", "missed_gold", "spurious_pred")]
        if isinstance(summary, dict)
        else [None]
    )
    if not all(isinstance(one, int | float) and one >= 0 and one == int(one) for one in found):
        return None
    matched, missed, spurious = map(int, found)
    return matched, missed, spurious


def _adds_up(told: Mapping[str, Any], expected: list[Any], output: list[Any]) -> bool:
    matched, missed, spurious = _counts(told) or (0, 0, 0)
    return (matched + missed, matched + spurious) == (len(expected), len(output))


def list_against_nothing(case: Case) -> bool:
    """A list has items on the expected side alone."""
    return any(expected and not output for expected, output in _lists(case))


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


def lists_are_equal(case: Case) -> bool:
    """A list is asked about, and both sides have the same one."""
    both = case.expected, case.output
    return both[0] == both[1] and any(isinstance(value, list) for value in both[0].values())


def several_metrics(case: Case) -> bool:
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
    """The two texts of a case with one field; nothing for any other case. `string_semantic` sets case and spaces aside."""
    both = [value for side in (case.expected, case.output) if isinstance(side, dict) for value in side.values()]
    loose = "string_semantic" in json.dumps(case.settings) or "string_llm" not in json.dumps(case.settings)
    texts = [" ".join(value.lower().split()) if loose else value for value in both if isinstance(value, str)]
    return tuple(texts) if len(texts) == len(both) == 2 else ()


def threshold_is_unusable(case: Case) -> bool:
    """A threshold is no number from 0 to 1, written as a number or as text."""
    found: list[Any] = []
    json.loads(json.dumps(case.settings.get("schema")), object_hook=lambda one: found.extend(_thresholds(one)) or one)
    return not all(_is_score(one) for one in found)


def _thresholds(one: dict[str, Any]) -> list[Any]:
    return [one["pass_threshold"]] if "pass_threshold" in one else []


def told_score(case: Case) -> float:
    """The mean score of the fields: what the reply says where a model was asked, and by hand where none is."""
    scores = [
        score
        for name, field in case.settings["schema"]["properties"].items()
        for score in _told_scores(case, field, case.expected[name], case.output.get(name))
    ]
    return sum(scores) / len(scores)


def _told_scores(case: Case, field: Mapping[str, Any], expected: Any, output: Any) -> list[float]:
    """The scores of one field. Those of several metrics are one, their mean."""
    told = _reply(case) or {}
    if isinstance(expected, list):
        matched, missed, _ = (_counts(told) if output else None) or (0, 1, 0)
        return [matched / (matched + missed)] if expected else []
    chosen = field.get("evaluation_config")
    every = [one["metric_id"] for one in chosen["metrics"]] if isinstance(chosen, dict) else [chosen]
    plain = {"string_exact": expected == output, "string_case_insensitive": str(expected).lower() == str(output).lower()}
    scores = [float(plain[one]) if one in plain else float(told["score"]) for one in every]
    return [sum(scores) / len(scores)]


def reply_without_a_reason(case: Case) -> bool:
    """The reply has no `reasoning`, or null for it."""
    return (_reply(case) or {"reasoning": ""}).get("reasoning") is None


def reply_read_leniently(case: Case) -> bool:
    """Ours finds a verdict in a reply in which theirs finds none."""
    return not reply_says_nothing(case) and not _read_by_theirs(case)


def texts_are_equal(case: Case) -> bool:
    """The two texts of a case with one field are the same."""
    return len(set(_texts(case))) == 1


def prompt_of_its_own(case: Case) -> bool:
    """The settings write a prompt, or the form of a reply."""
    return any(word in json.dumps(case.settings) for word in _OWN_PROMPT)


def nothing_on_both_sides(case: Case) -> bool:
    """Both documents are empty objects."""
    return case.expected == {} and case.output == {}


def without_a_judge(case: Case) -> bool:
    """Nobody is there to be asked."""
    return "judge" in case.line
