"""Comparators that need a judge, what stands in for them, and the metrics that schemas name."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import evaluators
from evaluators.comparators._comparator import COMPARATORS, Comparator
from evaluators.comparators.fuzzy import Fuzzy
from evaluators.fields.lines import read_fields
from evaluators.fields.metrics import (
    fallbacks,
    read_defaults,
    read_fallbacks,
    resolve_alignment,
    resolve_compound,
    resolve_metric,
)
from evaluators.fields.named_comparators import choose, listed_once
from evaluators.fields.tree import Below, FieldNode
from evaluators.fields.xeval import read_xeval
from evaluators.settings import BadSettings, Detail, build

INSTEAD = {"fallback": {"semantic": {"fuzzy": {"at_least": 0.7}}, "string_llm": "fuzzy", "array_llm": "hungarian"}}


@pytest.fixture(autouse=True)
def nothing_stays_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(COMPARATORS, "_registered", dict(COMPARATORS._registered))


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


def test_other_problems_stand_beside_it() -> None:
    found = refused(read_fields, {"a": "semantic", "b": "numerc", "c": "semantic"}, {})
    assert [detail.message for detail in found] == [
        "2 fields need a judge, and there is none: a (semantic), c (semantic)",
        'unknown comparator "numerc"',
    ]
    assert found[0].hint == "compare them with something else, such as fuzzy"


def test_a_long_list_of_fields_is_cut() -> None:
    (found,) = refused(read_fields, {f"f{number}": "semantic" for number in range(25)}, {})
    assert found.message.startswith("25 fields need a judge")
    assert found.message.endswith("f19 (semantic) and 5 more")


def test_a_substitute_scores_the_field_and_says_what_it_stands_for() -> None:
    line, other = read_fields({"a": "semantic", "b": {"string_llm": {"prompt": "x"}}}, INSTEAD)
    assert (line.comparator, line.word, line.fallback_for) == (build(Fuzzy, {"at_least": 0.7}), "fuzzy", "semantic")
    assert line.rule == "fuzzy {at_least: 0.7}, in place of semantic"
    assert (other.comparator, other.fallback_for) == (Fuzzy(), "string_llm")


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


def test_one_substitute_serves_both_words_for_meaning() -> None:
    assert resolve_metric("string_semantic", INSTEAD, "a").fallback_for == "string_semantic"
    assert resolve_metric("semantic", {"fallback": {"string_semantic": "exact"}}, "a").name == "exact"


def test_a_metric_knows_its_name_its_rule_and_what_it_stands_for() -> None:
    own = {"comparators": {"money": (Fuzzy(), "fuzzy")}, **INSTEAD}
    assert resolve_metric("money", own, "a").rule == "money = fuzzy"
    plain = resolve_metric({"numeric": {"tolerance": {"abs": 1}}}, own, "a")
    assert (plain.name, plain.fallback_for) == ("numeric", None)
    judged = resolve_metric("semantic", own, "a")
    assert (judged.name, judged.fallback_for) == ("fuzzy", "semantic")


def test_a_metric_that_needs_a_judge_knows_its_field() -> None:
    details = refused(resolve_metric, "semantic", {}, "a.b") + refused(resolve_metric, {"array_llm": {}}, {}, "c")
    (found,) = listed_once(details)
    assert found.message == "2 fields need a judge, and there is none: a.b (semantic), c (array_llm)"


def test_an_alignment_cannot_compare_what_is_no_list() -> None:
    (found,) = refused(resolve_metric, "array_llm", INSTEAD, "a")
    assert "pairs the items of a list" in found.message


def test_a_registered_comparator_or_one_of_the_suite_takes_the_place_of_the_word() -> None:
    assert choose("semantic", {"comparators": {"semantic": (Fuzzy(), "fuzzy")}}).rule == "semantic = fuzzy"
    evaluators.register("semantic", lambda expected, actual, params: True)
    assert resolve_metric("semantic", {}, "a").fallback_for is None


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


def test_a_default_for_a_json_type_wins_over_the_dialects_own() -> None:
    context = {"defaults": {"string": {"fuzzy": {"at_least": 0.9}}}}
    assert read_xeval({"type": "string"}, context).metrics[0].rule == "fuzzy {at_least: 0.9}"
    assert read_xeval({"type": "number"}, context).metrics[0].name == "numeric"


def test_defaults_are_checked() -> None:
    assert read_defaults({"string": "fuzzy", "array": "array_llm"}, INSTEAD) == {"string": "fuzzy", "array": "array_llm"}
    found = refused(read_defaults, {"strng": "fuzzy", "number": "numerc", "string": "skip", "object": "semantic"})
    assert [detail.loc for detail in found] == [("strng",), ("number",), ("string",), ("object",)]
    assert found[0].hint == 'did you mean "string"?'


def test_substituted_fields_are_counted_once_by_schema_path() -> None:
    judged, plain = resolve_metric("semantic", INSTEAD, "a"), resolve_metric("exact", INSTEAD, "b")

    def below() -> Below:
        return Below(
            {
                "a": FieldNode(("a",), metrics=(judged, judged)),
                "b": FieldNode(("b",), metrics=(plain,)),
                "c": FieldNode(("c",), "array", fallback_for="array_llm", make=lambda: Below()),
                "d": FieldNode(("d",), metrics=(judged,), skip=True),
            }
        )

    found = fallbacks(FieldNode((), "object", make=below))
    assert list(found) == [("a", "semantic"), ("c", "array_llm")]


def test_a_schema_that_refers_to_itself_is_counted_too() -> None:
    def node(path: tuple[str, ...]) -> FieldNode:
        leaf = FieldNode((*path, "text"), metrics=(resolve_metric("semantic", INSTEAD, ""),))
        return FieldNode(path, "object", make=lambda: Below({"text": leaf, "next": node((*path, "next"))}))

    assert 1 < len(fallbacks(node(()))) < 10


def test_a_compound_of_a_schema_has_its_metric_and_what_is_done_first() -> None:
    compound, first = resolve_compound({"fields": ["a", "b"], "compare": "semantic"}, INSTEAD, "x")
    assert (compound.fields, compound.metric.name, compound.metric.fallback_for) == (("a", "b"), "fuzzy", "semantic")
    assert first[0].apply({"b": 2, "a": "x"}) == "x 2"
    assert resolve_compound({"fields": ["a", "b"]}, {}, "x")[1] == ()
    (found,) = refused(resolve_compound, {"fields": ["a", "b"], "compare": {"semantic": {}}}, {}, "x")
    assert found.loc == ("compare", "semantic")
    assert listed_once([found])[0].message == "1 field needs a judge, and there is none: x (semantic)"
