"""Predicates of the divergences on cases that nobody recorded: what the other system says of drawn inputs is worked out by hand.

A case that differs has the reason that its inputs were drawn for, and one that does not has none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.scoring.values.equality import json_equal
from tests.conformance.systems import case_of
from tests.conformance.verdicts import Finding, Result, judge


def judged(system: str, line: Mapping[str, Any]) -> Result:
    return judge(case_of(system, json.dumps(line), "here"))


# struct-extract-eval: a number is of a type, and so is what counts as absent

VALUES = (0, 0.0, -0.0, 1, 1.0, False, True, None, "", "0", 5)
ABSENT: tuple[list[Any] | None, ...] = (None, [None], [0], [0.0], [None, 0], [None, "", 1], [1.0], [False])


def identical(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)


def struct_extract_eval_line(expected: Any, output: Any, absent: list[Any] | None, both_skip: bool) -> dict[str, Any]:
    """One field that is compared exactly, by their rules: equal, and of one type; then what counts as absent."""
    status = "match" if identical(expected, output) else "mismatch"
    sides = tuple(any(identical(side, one) for one in absent or ()) for side in (expected, output))
    if any(sides):
        status = "hallucination" if sides[0] else "omission"
        status = status if sides[0] is not sides[1] else "skipped" if both_skip else "match"
    right = float(status == "match")
    precision = 1.0 if status == "skipped" else right
    figures = {"precision": precision, "recall": precision, "f1": precision}
    result = {"path": "v", "status": status, "score": right, "comparator": "exact", "gold_value": expected}
    options = {"absent_values": absent, "both_absent_skip": both_skip}
    field = {"type": "number", "x-eval-compare": "exact"}
    return {
        "case": "drawn", "fn": "evaluate", "schema": {"type": "object", "properties": {"v": field}},
        "gold": [{"v": expected}], "extracted": [{"v": output}],
        "post_process": None if absent is None else [{"reclassify_nulls": options}],
        "expected": {
            **{f"mean_{name}": figure for name, figure in figures.items()},
            "records": [{"record_id": 0, **figures, "field_results": [{**result, "extracted_value": output}]}],
        },
    }  # fmt: skip


@given(st.sampled_from(VALUES), st.sampled_from(VALUES), st.sampled_from(ABSENT), st.booleans())
def test_a_number_of_another_type_is_the_reason_where_it_decides(
    expected: Any, output: Any, absent: list[Any] | None, both_skip: bool
) -> None:
    found = judged("struct_extract_eval", struct_extract_eval_line(expected, output, absent, both_skip))
    pairs = [(expected, output), *((side, one) for side in (expected, output) for one in absent or ())]
    apart = [pair for pair in pairs if json_equal(*pair) and not identical(*pair)]
    assert found.finding is not Finding.DISAGREES, str(found)
    if found.rule is not None and found.rule.id == "struct_extract_eval-57":
        assert apart
    elif found.finding is Finding.LISTED:
        assert absent
        assert found.rule is not None
        assert {"null or not there", "undefined figure"} & set(
            map(str, [one["results_differ"] for one in found.rule.when])
        )


NOT_A_FUNCTION: Sequence[Mapping[str, Any]] = (
    {"kind": "comparator", "name": "mine", "rule": "not_callable"},
    {"kind": "comparator", "name": "mine", "rule": None},
    {"kind": "comparator", "name": "mine"},
    {"kind": "comparator_not_callable", "name": "mine"},
    {"kind": "not_callable", "name": "mine"},
    {"kind": "batch", "name": "mine", "rule": 7},
    {"kind": "compound", "name": "mine", "fields": ["v", "w"], "primary": "v", "rule": "not_callable"},
    {"kind": "semantic", "name": "semantic", "judge": "not_callable"},
    {"kind": "transform", "name": "mine", "rule": "not_callable"},
    {"kind": "transform", "name": "mine"},
    {"kind": "transform_not_callable", "name": "mine"},
    {"name": "mine"},
)


@pytest.mark.parametrize("entry", NOT_A_FUNCTION, ids=lambda entry: json.dumps(entry))
@pytest.mark.parametrize("named", ["exact", "mine"])
def test_what_is_no_function_is_refused_by_both(entry: Mapping[str, Any], named: str) -> None:
    line = {
        "case": "drawn", "fn": "evaluate", "register": [entry], "post_process": None, "error": {"type": "TypeError"},
        "schema": {"type": "object", "properties": {"v": {"type": "string", "x-eval-compare": named}}},
        "gold": [{"v": "a"}], "extracted": [{"v": "a"}],
    }  # fmt: skip
    found = judged("struct_extract_eval", line)
    assert (found.finding, found.broke) == (Finding.AGREES, "")
    assert found.ours is not None
    assert found.ours.blame == "config"


# Agenta: the same value twice, and JSON within an output

SCALARS: Sequence[Any] = (0, 1, 1.0, 2.5, True, False, "Oslo", "oslo", "1", "x y")
CELLS = st.sampled_from(SCALARS) | st.lists(st.sampled_from(SCALARS), max_size=2).map(
    lambda items: [*items] if len(items) != 1 else {"a": items[0]}
)


@given(CELLS, CELLS)
def test_equal_values_that_they_do_not_match_score_1(expected: Any, output: Any) -> None:
    """They match two texts, or two objects that are written alike."""
    alike = type(expected) is type(output) and json.dumps(expected) == json.dumps(output)
    theirs = alike and isinstance(output, str | dict)
    line = {
        "id": "drawn", "evaluator": "auto_exact_match", "settings": {}, "inputs": {"correct_answer": expected},
        "output": output, "expected": {"success": theirs},
    }  # fmt: skip
    found = judged("agenta", line)
    wanted = Finding.LISTED if json_equal(expected, output) and not theirs else Finding.AGREES
    assert found.finding is wanted, str(found)
    assert found.rule is None or found.rule.id == "agenta-18"


PIECES = ('{"a": 1}', "[1]", '{"b": [2]}', "{bad}", "{", "}", "[", "]", " so ", "\n", '"', "1")


@given(st.lists(st.sampled_from(PIECES), max_size=5).map("".join))
def test_json_within_an_output_that_they_miss_is_found(output: str) -> None:
    """They try the stretch from the first "{" to the last "}", which may be whole within a list that is cut off."""
    stretch = output[output.find("{") : output.rfind("}") + 1] if "{" in output else ""
    try:
        theirs = isinstance(json.loads(stretch), dict)
    except ValueError:
        theirs = False
    line = {
        "id": "drawn", "evaluator": "auto_contains_json", "settings": {}, "inputs": {"correct_answer": "x"},
        "output": output, "expected": {"success": theirs},
    }  # fmt: skip
    found = judged("agenta", line)
    assert found.finding in (Finding.AGREES, Finding.LISTED), str(found)
    assert found.rule is None or found.rule.id == ("agenta-22" if theirs else "agenta-21")


# extract-bench with a model: who is asked, field by field

REPLIES = (
    '{"score": 0.9, "reasoning": "r"}',
    '{"score": 0.25, "reasoning": "r"}',
    '{"score": "0.9", "reasoning": "r"}',
    '{"score": 1.5, "reasoning": "r"}',
    '{"score": 1}',
    'So: {"score": 0.9, "reasoning": "r"}',
    '```json\n{"score": 0.9, "reasoning": "r"}\n```',
    '{"score": 0.9, "reasoning": "r"',
    "",
    '{"reasoning": "r", "matches_summary": {"matched": 1, "missed_gold": 1, "spurious_pred": 1}}',
    '{"reasoning": "r", "matches_summary": {"matched": 2, "missed_gold": 0, "spurious_pred": 0}, "score": 0.5}',
    '{"reasoning": "r", "matches_summary": {"matched": 7, "missed_gold": 0, "spurious_pred": 0}}',
)
TEXTS = ("x", "X ", "y", None, ...)
LISTS = ([], ["x"], ["x", "y"], ["X", "y"], ["y", "z"], ...)
KINDS: Mapping[str, tuple[Mapping[str, Any], Sequence[Any]]] = {
    "asks about a meaning": ({"type": "string", "nullable": True}, TEXTS),
    "asks about a text": ({"type": "string", "nullable": True, "evaluation_config": "string_llm"}, TEXTS),
    "asks about a list": ({"type": "array", "items": {"type": "string"}}, LISTS),
    "asks about a list of codes": (
        {"type": "array", "items": {"type": "string", "evaluation_config": "string_exact"}},
        LISTS,
    ),
    "asks nobody": ({"type": "string", "nullable": True, "evaluation_config": "string_exact"}, TEXTS),
}


def told_by_theirs(content: str, of_list: bool) -> float:
    """Their reading of a reply: one fence or all of it, checked against a schema; what fails scores 0."""
    blocks = [block for block in content.split("```")[1::2] if block.strip()]
    try:
        told = json.loads(blocks[0].removeprefix("json") if blocks else content)
    except ValueError:
        return 0.0
    score, summary = told.get("score"), told.get("matches_summary")
    if not isinstance(told.get("reasoning"), str):
        return 0.0
    if of_list:
        return summary["matched"] / max(1, summary["matched"] + summary["missed_gold"]) if summary else 0.0
    return score if isinstance(score, int | float) and 0 <= score <= 1 else 0.0


def scored_by_theirs(kind: str, expected: Any, output: Any, content: str) -> float:
    """What is missing, null or an empty list on a side is not asked about; anything else is, equal or not."""
    nothing = [side in (..., None, []) for side in (expected, output)]
    if any(nothing):
        return float(all(nothing))
    if kind == "asks nobody":
        return float(expected == output)
    return told_by_theirs(content, isinstance(expected, list))


FIELDS = st.sampled_from(list(KINDS)).flatmap(
    lambda kind: st.tuples(st.just(kind), st.sampled_from(KINDS[kind][1]), st.sampled_from(KINDS[kind][1]))
)


@given(st.lists(FIELDS, min_size=1, max_size=3), st.sampled_from(REPLIES), st.sampled_from([200, 200, 200, 429]))
def test_what_a_judge_makes_of_several_fields_is_worked_out_field_by_field(
    drawn: list[tuple[str, Any, Any]], content: str, status: int
) -> None:
    names = [f"f{number}" for number in range(len(drawn))]
    fields = dict(zip(names, drawn, strict=True))
    scores = [scored_by_theirs(*one, content if status == 200 else "") for one in drawn]
    mean = sum(scores) / len(scores)
    line = {
        "case": "drawn",
        "schema": {"type": "object", "properties": {name: KINDS[kind][0] for name, (kind, _, _) in fields.items()}},
        "gold": {name: one for name, (_, one, _) in fields.items() if one is not ...},
        "predicted": {name: one for name, (_, _, one) in fields.items() if one is not ...},
        "stub_reply": {"status": status, "content": content},
        "expected": {
            "results": {f"$.properties.{name}": {"m": {"score": score, "details": {}}} for name, score in zip(names, scores, strict=True)},
            "report": {"pass_rate": mean}, "readme_scores": {"field_score": mean, "overall_score_item_weighted": mean},
        },
    }  # fmt: skip
    found = judged("extract_bench_llm", line)
    assert found.ours is not None
    if found.ours.score != pytest.approx(mean) or found.ours.blame is not None:
        assert found.finding is Finding.LISTED, str(found)


# orbiter with a model: which object of a reply counts, and what its scores come to

OBJECTS = (
    '{"score": 0.4}', '{"score": 0.4, "reason": "a } b"}', '{"score": 0.4, "reason": "a { b"}', '{"score": "0.5"}',
    '{"score": 1.5}', '{"score": true}', '{"score": 0.4, "parts": {"score": 0.2}}', '{"reason": "x"}', "{bad}", "{}",
    '{"constraint_results": [{"status": "PASS"}, {"status": "fail"}]}', '{"constraint_results": [{"status": "PASS"}], "score": 0.3}',
    '{"constraint_results": [{"status": "PASS"}, {"status": "pass"}, {"status": "PASS"}]}', '{"constraint_results": [], "score": 0.3}',
    '{"dimension_scores": {"a": 1, "b": 0.5}}', '{"dimension_scores": {"a": 1}}', '{"dimension_scores": {"a": 2, "b": 0}}',
)  # fmt: skip
AROUND = ("{}", "Sure: {}.", "```json\n{}\n```", '<think>{{"score": 0.1}}</think> {}', '{} {{"score": 0.9}}')
SCORERS: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("LLMAsJudgeScorer", {}), ("ReasoningValidityScorer", {}), ("ConstraintSatisfactionScorer", {"constraints": ["a", "b"]}),
    ("ConstraintSatisfactionScorer", {"constraints": ["a", "a"]}), ("ConstraintSatisfactionScorer", {"constraints": []}),
    ("OutputQualityScorer", {"dimensions": {"a": 0.5, "b": 0.5}}), ("OutputQualityScorer", {"dimensions": {"a": 1, "b": 1}}),
    ("OutputQualityScorer", {"dimensions": {"a": 0, "b": 1}}),
)  # fmt: skip


def object_of_theirs(text: str) -> dict[str, Any]:
    """Braces are counted from the first one on, and then from the next, until what they hold is JSON."""
    for start in [at for at, mark in enumerate(text) if mark == "{"]:
        depth = 0
        for at in range(start, len(text)):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            if depth == 0:
                try:
                    return dict(json.loads(text[start : at + 1]))
                except ValueError:
                    break
    return {}


def judged_by_theirs(scorer: str, settings: Mapping[str, Any], text: str) -> float:
    told = object_of_theirs(text)
    if scorer == "OutputQualityScorer":
        scores = told.get("dimension_scores", {})
        found = sum(scores.get(name, 0) * weight for name, weight in settings["dimensions"].items())
    elif scorer == "ConstraintSatisfactionScorer" and told.get("constraint_results") and settings["constraints"]:
        right = [one for one in told["constraint_results"] if one["status"].upper() == "PASS"]
        found = len(right) / len(settings["constraints"])
    else:
        found = float(told.get("score", 0))
    return max(0.0, min(1.0, found))


@given(st.sampled_from(SCORERS), st.sampled_from(OBJECTS), st.sampled_from(AROUND), st.integers(0, 60))
def test_a_reply_to_a_scorer_differs_for_a_reason_that_can_be_worked_out(
    scorer: tuple[str, Mapping[str, Any]], content: str, around: str, cut: int
) -> None:
    name, settings = scorer
    text = around.format(content)
    text = text[: len(text) - cut] if cut <= 6 else text
    score = judged_by_theirs(name, settings, text)
    line = {
        "id": "drawn",
        "scorer": name,
        "params": settings,
        "judge_response": text,
        "expected": {"score": score, "details": {}},
    }
    found = judged("orbiter_judge", line)
    assert found.finding is not Finding.DISAGREES, str(found)
    assert (found.finding is Finding.AGREES) is (found.ours is not None and found.ours.score == pytest.approx(score))
