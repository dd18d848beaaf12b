"""The laws of scoring, for every evaluator type that scores structure."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluators.model.issues import Blame, CellError, Issue, Problems
from evaluators.model.rows import MISSING, FieldStatus, Outcome, RowStatus
from evaluators.scoring.evaluators._evaluator import Evaluator
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.plan.suite_plan import compile_plan
from tests.laws.structures import (
    DOCUMENTS,
    ITEMS,
    OBJECTS,
    SCALARS,
    counted,
    evaluator,
    evaluators,
    explained,
    field_lists,
    pairs,
    shuffled,
    spoiled,
    verdict,
    whole_documents,
    with_more,
    without_output,
)
from tests.reference.open_tree import gather, in_surplus_item
from tests.reference.settled import settle
from tests.scoring.fields.alone import settled_fields

SMALL_ITEMS = st.lists(
    st.fixed_dictionaries(
        {}, optional={"a": st.integers(0, 1), "b": st.integers(0, 1), "c": st.lists(st.just(0), max_size=2)}
    ),
    max_size=3,
)


@given(evaluators(required=False), OBJECTS | ITEMS)
def test_a_document_that_is_measured_matches_itself(one: Evaluator, document: Any) -> None:
    for output in (document, copy.deepcopy(document)):
        found = verdict(one, document, output)
        assert found.score in (None, 1.0)
        if found.score is None:
            assert found.status in (RowStatus.NOT_MEASURED, RowStatus.INVALID)
        if found.status is RowStatus.INVALID:  # an expected value that its comparator cannot read
            assert FieldStatus.NOT_JUDGED.number in found.statuses or one.type.startswith("json_field_match")
        assert not {FieldStatus.MISMATCH, FieldStatus.OMISSION, FieldStatus.HALLUCINATION, FieldStatus.ERROR} & set(
            found.statuses
        )


@given(evaluators(two_sided=False), pairs())
def test_a_score_is_between_0_and_1_and_passes_from_its_threshold(one: Evaluator, pair: tuple[Any, Any]) -> None:
    found = verdict(one, *pair)
    assert found.score is None or 0 <= found.score <= 1
    assert (found.passed is None) is (found.score is None)
    if found.passed:
        assert found.score is not None
        assert found.score >= one.pass_at


@given(evaluators(two_sided=False), pairs())
def test_the_fast_verdict_is_the_explained_one(one: Evaluator, pair: tuple[Any, Any]) -> None:
    assert verdict(one, *pair) == explained(one, *pair)


@given(evaluators(two_sided=False), pairs())
def test_an_equal_document_and_the_same_object_get_the_same_verdict(one: Evaluator, pair: tuple[Any, Any]) -> None:
    expected = pair[0]
    assert verdict(one, expected, expected) == verdict(one, expected, copy.deepcopy(expected))


@given(evaluators(two_sided=False), pairs())
def test_an_unreadable_output_scores_0_and_matches_nothing(one: Evaluator, pair: tuple[Any, Any]) -> None:
    issue = Issue("unreadable-output", Blame.OUTPUT, "the output is not usable JSON")
    expected = pair[0]
    assume(verdict(one, expected, pair[1]).status is not RowStatus.INVALID)
    fast = without_output(one, expected, MISSING)
    slow = counted(one, settle(one, one.explain(expected, CellError(issue))))
    assert fast == slow
    assert (fast.score, fast.passed, fast.status) == (0.0, False, RowStatus.UNREADABLE)
    assert FieldStatus.MATCH.number not in fast.statuses
    assert fast.counts is None or fast.counts[0] == 0


@given(st.data(), evaluators(two_sided=False), pairs())
def test_key_order_never_matters(data: st.DataObject, one: Evaluator, pair: tuple[Any, Any]) -> None:
    expected, output = pair
    other = verdict(one, data.draw(shuffled(expected)), data.draw(shuffled(output)))
    found = verdict(one, expected, output)
    assert (found.status, found.score, found.statuses, found.counts) == (
        other.status, other.score, other.statuses, other.counts,
    )  # fmt: skip


@given(
    st.data(), st.sampled_from(["any_order", "hungarian"]), st.lists(SCALARS, max_size=5), st.lists(SCALARS, max_size=5)
)
def test_the_order_of_an_aligned_list_never_matters(
    data: st.DataObject, align: str, expected: list[Any], output: list[Any]
) -> None:
    one = evaluator("json_multi_field_match", {"fields": {"a": {"align": align}}})
    shuffled_output = data.draw(st.permutations(output))
    assert verdict(one, {"a": expected}, {"a": output}) == verdict(one, {"a": expected}, {"a": shuffled_output})


@given(st.data(), ITEMS, ITEMS, st.booleans())
def test_the_order_of_items_that_pair_as_wholes_never_matters(
    data: st.DataObject, expected: list[Any], output: list[Any], almost: bool
) -> None:
    fields = {"a": {"align": "any_order"}, "a[*].a": "exact", "a[*].b": "exact", "a[*].c[*]": "exact"}
    one = evaluator("json_multi_field_match", {"fields": fields})
    output = [*expected, *output[:1]] if almost else output
    found = verdict(one, {"a": expected}, {"a": output})
    assert verdict(one, {"a": data.draw(st.permutations(expected))}, {"a": data.draw(st.permutations(output))}) == found


@given(st.data(), SMALL_ITEMS, SMALL_ITEMS)
def test_the_order_of_items_that_pair_as_well_as_can_be_never_matters(
    data: st.DataObject, expected: list[Any], output: list[Any]
) -> None:
    fields = {"a": {"align": "hungarian"}, "a[*].a": {"weight": 2}, "a[*].b": "exact", "a[*].c[*]": "exact"}
    one = evaluator("json_multi_field_match", {"fields": fields})
    found = verdict(one, {"a": expected}, {"a": output})
    assert verdict(one, {"a": data.draw(st.permutations(expected))}, {"a": data.draw(st.permutations(output))}) == found


@given(st.data(), st.lists(st.integers(0, 5), unique=True), st.lists(st.integers(0, 5), unique=True))
def test_the_order_of_items_with_distinct_keys_never_matters(
    data: st.DataObject, expected: list[int], output: list[int]
) -> None:
    fields = {"a": {"align": {"key_field": {"key": "k"}}}, "a[*].n": "exact"}
    one = evaluator("json_multi_field_match", {"fields": fields})
    ours, theirs = [{"k": key, "n": key} for key in expected], [{"k": key, "n": min(key, 4)} for key in output]
    found = verdict(one, {"a": ours}, {"a": theirs})
    assert verdict(one, {"a": data.draw(st.permutations(ours))}, {"a": data.draw(st.permutations(theirs))}) == found


def test_the_order_of_a_list_matters_when_nothing_frees_it() -> None:
    for kind, options in (
        ("json_multi_field_match", {"fields": ["a"]}),
        ("json_diff_match", {}),
        ("json_field_match", {}),
    ):
        found = verdict(evaluator(kind, options), {"a": [1, 2]}, {"a": [2, 1]})
        assert found.score == 0.0


def test_values_of_different_kinds_are_not_equal() -> None:
    for kind, options in (
        ("json_multi_field_match", {"fields": ["a"]}),
        ("json_diff_match", {}),
        ("json_field_match", {}),
        ("json_field_match_normalized", {}),
    ):
        one = evaluator(kind, options)
        for expected, output in (
            (True, 1),
            (1, True),
            (False, 0),
            ("30", 30),
            (None, ""),
            (None, 0),
            ([], {}),
            ("true", True),
        ):
            assert verdict(one, {"a": expected}, {"a": output}).score == 0.0
            assert verdict(one, {"a": {"b": [expected]}}, {"a": {"b": [output]}}).score == 0.0
        assert verdict(one, {"a": 1}, {"a": 1.0}).score == 1.0
        assert verdict(one, {"a": 2**70}, {"a": 2**70 + 1}).score == 0.0
        assert verdict(one, {"a": None}, {}).score == 0.0
        assert verdict(one, {"a": None}, {"a": None}).score == 1.0


@given(field_lists(), OBJECTS)
def test_absent_on_both_sides_is_never_a_free_match(one: Any, document: Any) -> None:
    settled = settled_fields(one.tree, document, document)
    for line, found in zip(one.tree.scored_lines, settled, strict=True):
        if line.path.definite and line.path.get(document) is MISSING and not line.when:
            expected = FieldStatus.OMISSION if line.required else None
            expected = expected or (FieldStatus.MATCH if one.both_missing == "match" else FieldStatus.NOT_MEASURED)
            assert found.status is expected


@given(st.data(), evaluators(queries=False), pairs(), DOCUMENTS)
def test_an_invented_key_or_an_appended_item_never_raises_a_score(
    data: st.DataObject, one: Evaluator, pair: tuple[Any, Any], value: Any
) -> None:
    expected, output = pair
    if any(line.align or line.when for line in getattr(one, "fields", ())):
        return  # an aligned list may pair the new item, and a condition may ask for it
    more = data.draw(with_more(output, expected, value))
    before, after = verdict(one, expected, output), verdict(one, expected, more)
    if before.score is not None and after.score is not None:
        assert after.score <= before.score


@given(st.data(), evaluators(two_sided=True), OBJECTS | ITEMS)
def test_breaking_a_right_answer_never_keeps_it_right_by_hiding_it(
    data: st.DataObject, one: Evaluator, document: Any
) -> None:
    """What is dropped or replaced in a right answer is lost, and never left out of the count."""
    right = verdict(one, document, document)
    assume(right.score == 1.0)
    broken = data.draw(spoiled(document))
    assume(isinstance(broken, dict) or not one.type.startswith("json_field_match"))
    found = verdict(one, document, broken)
    assume(not any(line.when for line in getattr(one, "fields", ())))
    assert found.score is not None
    assert found.score <= 1.0
    if found.counts is not None and right.counts is not None:
        assert sum(found.counts[:3]) >= sum(right.counts[:3])
    for before, after in zip(right.statuses, found.statuses, strict=True):
        assert before == FieldStatus.NOT_MEASURED.number or after != FieldStatus.NOT_MEASURED.number


def credit_of(field: Outcome) -> Fraction:
    """What a field earns of its weight: its partial credit, or all or nothing."""
    ratio: Any = field.details.get("ratio", (int(field.status is FieldStatus.MATCH), 1))
    return Fraction(*ratio)


@given(field_lists(two_sided=False), pairs())
def test_score_and_statuses_are_the_same_results(one: Any, pair: tuple[Any, Any]) -> None:
    found = verdict(one, *pair)
    settled = settled_fields(one.tree, *pair)
    if found.score is None:
        return
    measured = [
        (line.weight, credit_of(each))
        for line, each in zip(one.tree.scored_lines, settled, strict=True)
        if each.status not in (FieldStatus.NOT_MEASURED, FieldStatus.SKIPPED)
    ]
    whole = sum(weight for weight, _ in measured)
    mean = (
        sum(weight * share for weight, share in measured) / whole if whole else min(share for _, share in measured) // 1
    )
    assert Fraction(found.num, found.den) == mean
    for line, each in zip(one.tree.scored_lines, settled, strict=True):
        partial = getattr(line.comparator, "partial", False)
        assert partial or credit_of(each) == (each.status is FieldStatus.MATCH)


@given(whole_documents(), pairs())
def test_the_counts_of_a_document_are_those_of_its_leaves(one: Any, pair: tuple[Any, Any]) -> None:
    found = verdict(one, *pair)
    if found.counts is None or found.counts == (0, 0, 0, 0):
        return
    match, mismatch, omission, hallucination = found.counts
    invented = [place for place, ours, _ in gather(one.tree, *pair) if ours is MISSING]
    surplus = sum(in_surplus_item(pair[0], place) for place in invented)
    assert len(invented) == hallucination
    whole = match + mismatch + omission + (hallucination - surplus if one.tree.penalize_extra else 0)
    whole += surplus if one.tree.penalize_items else 0
    assert (found.num, found.den) == ((match, whole) if whole else (0, 0))


@given(evaluators(two_sided=False), pairs())
def test_the_tally_by_path_adds_up_to_the_counts_of_the_rows(one: Any, pair: tuple[Any, Any]) -> None:
    check = one.compile()
    tally = getattr(check, "tally", None)
    if tally is None or not isinstance(pair[0], dict):
        return
    totals = [0, 0, 0, 0]
    for expected, output in (pair, (pair[0], pair[0])):
        for at, count in enumerate(check(expected, output).counts):
            totals[at] += count
    assert [sum(counts[at] for counts in tally.counts().values()) for at in range(4)] == totals


@given(evaluators(two_sided=False), pairs())
def test_a_row_scored_alone_gets_the_score_of_a_run(one: Evaluator, pair: tuple[Any, Any]) -> None:
    expected, output = json.dumps(pair[0]), json.dumps(pair[1])
    plan = compile_plan([EvaluatorLine("it", one)], {role: role for role in ("id", "input", "output", "expected")})
    found = plan.run({"output": [output], "expected": [expected]}, 1)[plan.evaluators[0].verdicts][0]
    if found.status in (RowStatus.INVALID, RowStatus.UNJUDGED):
        with pytest.raises(Problems) as caught:
            one.score(output, expected)
        assert caught.value.issues == (found.issue,)
        return
    alone = one.score(output, expected)
    assert (found.score, found.status, found.passed) == (alone.score, alone.status, alone.passed)
