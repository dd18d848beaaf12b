"""Comparators that need a judge, what stands in for them, and the metrics that schemas name."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import evaluators
from evaluators.model.settings import BadSettings, Detail
from evaluators.scoring.comparators._comparator import Comparator
from evaluators.scoring.fields.lines import read_fields
from evaluators.scoring.fields.metrics import read_fallbacks, resolve_alignment, resolve_metric

INSTEAD = {"fallback": {"semantic": {"fuzzy": {"at_least": 0.7}}, "string_llm": "fuzzy", "array_llm": "hungarian"}}


def refused(read: Any, *given: Any) -> list[Detail]:
    with pytest.raises(BadSettings) as caught:
        read(*given)
    return list(caught.value.details)


def test_fields_that_need_a_judge_are_one_problem_that_lists_them() -> None:
    fields = {"a": "semantic", "b.c": {"string_llm": {"prompt": "x"}}, "d": {"compare": "array_llm"}, "e": "exact"}
    (found,) = refused(read_fields, fields, {"fallback": {}})
    assert found.message == "3 fields need a judge, and there is none: a (semantic), b.c (string_llm), d (array_llm)"
    assert found.hint == (
        "name what stands in for it: fallback: {semantic: fuzzy, string_llm: fuzzy, array_llm: hungarian}; "
        'or who answers: judge: {…}; or answer in Python: evaluators.register("semantic", f, batch=True)'
    )
    assert (found.loc, found.code) == (("a",), "needs-judge")


def test_an_alignment_stands_in_for_array_llm() -> None:
    line = read_fields({"a": "array_llm"}, INSTEAD)[0]
    assert line.align is not None
    assert (line.align.how, line.fallback_for) == ("hungarian", "array_llm")
    found = resolve_alignment("array_llm", {"fallback": {"array_llm": {"key_field": {"key": "id"}}}})
    assert found is not None
    assert found.how == "key_field"
    assert resolve_alignment("array_llm", {"fallback": {"array_llm": "exact"}}) is None
    assert resolve_alignment("exact", INSTEAD) is None
    assert resolve_alignment("array_llm", {}) is None


def test_an_alignment_cannot_compare_what_is_no_list() -> None:
    (found,) = refused(resolve_metric, "array_llm", INSTEAD, "a")
    assert "pairs the items of a list" in found.message


def test_a_comparator_that_asks_a_judge_needs_one() -> None:
    @evaluators.comparator("meaning")
    class Meaning(Comparator):
        judged: ClassVar[bool] = True

    assert [detail.code for detail in refused(resolve_metric, "meaning", {}, "a")] == ["needs-judge"]
    assert resolve_metric("meaning", {"judge": object()}, "a").comparator == Meaning()
    assert resolve_metric("meaning", {"fallback": {"meaning": "exact"}}, "a").fallback_for == "meaning"
    assert read_fallbacks({"meaning": "exact"}) == {"meaning": "exact"}


@pytest.mark.parametrize(
    ("written", "loc", "message", "hint"),
    [
        ("fuzzy", (), 'fallback must be a map; found the text "fuzzy"', "write fallback: {semantic: fuzzy}"),
        (
            {"semantc": "fuzzy"},
            ("semantc",),
            '"semantc" is not a comparator that needs a judge',
            'did you mean "semantic"?',
        ),
        ({"semantic": "fuzy"}, ("semantic",), 'unknown comparator "fuzy"', 'did you mean "fuzzy"?'),
        ({"semantic": {"fuzzy": {"at_lest": 1}}}, ("semantic", "fuzzy", "at_lest"), None, 'did you mean "at_least"?'),
        ({"semantic": "hungarian"}, ("semantic",), 'unknown comparator "hungarian"', None),
        ({"semantic": "skip"}, ("semantic",), '"skip" cannot stand in for "semantic"', None),
        ({"array_llm": {"key_field": {}}}, ("array_llm", "key_field"), None, None),
        ({"semantic": "string_llm"}, ("semantic",), None, None),
    ],
)
def test_a_substitute_that_cannot_be_used_is_refused(
    written: Any, loc: Any, message: str | None, hint: str | None
) -> None:
    (found,) = refused(read_fallbacks, written)
    assert found.loc == loc
    assert message is None or found.message == message
    assert hint is None or found.hint == hint
