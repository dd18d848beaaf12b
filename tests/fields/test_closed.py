"""What becomes of each listed field, and of the row: the scorer behind `json_multi_field_match`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from evaluators.builtin._evaluator import explain_cells
from evaluators.builtin.json_multi_field_match import JsonMultiFieldMatch
from evaluators.issues import Blame, Problems
from evaluators.model import MISSING, FieldStatus, Outcome, Result, RowStatus
from evaluators.settings import build
from tests.fields.alone import wrong_of
from tests.reference.settled import settle


def matcher(fields: Any, **settings: Any) -> JsonMultiFieldMatch:
    return build(JsonMultiFieldMatch, {"fields": fields, **settings})


def row(fields: Any, expected: Any, output: Any, *cells: Any, **settings: Any) -> tuple[Result, Result]:
    """The explained score and the fast verdict of one row, which agree."""
    one = matcher(fields, **settings)
    score = one.explain(expected, output, *cells)
    verdict = one.compile()(expected, output, *cells)
    assert verdict == settle(one, score)
    return score, verdict


def words(fields: Any, expected: Any, output: Any, *cells: Any, **settings: Any) -> list[str]:
    """The statuses of one row, in words."""
    score, _ = row(fields, expected, output, *cells, **settings)
    return [result.status.word for result in score.fields]


def value(fields: Any, expected: Any, output: Any, **settings: Any) -> float | None:
    return row(fields, expected, output, **settings)[1].score


def field(fields: Any, expected: Any, output: Any, number: int = 0) -> Outcome:
    return row(fields, expected, output)[0].fields[number]


# One value


@pytest.mark.parametrize(
    ("expected", "output", "status"),
    [
        ({"a": 1}, {"a": 1}, "match"),
        ({"a": 1}, {"a": 2}, "mismatch"),
        ({"a": 1}, {}, "omission"),
        ({}, {"a": 1}, "hallucination"),
        ({}, {}, "not_measured"),
        ({"a": None}, {"a": None}, "match"),
        ({"a": None}, {}, "omission"),
        ({}, {"a": None}, "hallucination"),
        ({"a": None}, {"a": ""}, "mismatch"),
        ({"a": []}, {"a": []}, "match"),
        ({"a": {}}, {"a": []}, "mismatch"),
        ({"a": 1}, [1], "omission"),
        ([1], [1], "not_measured"),
        (None, None, "not_measured"),
    ],
)
def test_the_status_of_a_field(expected: Any, output: Any, status: str) -> None:
    assert words(["a"], expected, output) == [status]


def test_a_row_without_a_measured_field_has_no_score() -> None:
    score, verdict = row(["a", "b"], {}, {})
    assert (score.score, score.status) == (None, RowStatus.NOT_MEASURED)
    assert (verdict.score, verdict.passed, verdict.status) == (None, None, RowStatus.NOT_MEASURED)


def test_absent_on_both_sides_can_be_asked_to_match() -> None:
    assert words(["a", "b"], {"b": 1}, {"b": 2}, both_missing="match") == ["match", "mismatch"]
    assert value(["a", "b"], {"b": 1}, {"b": 2}, both_missing="match") == 0.5


def test_a_required_field_that_neither_side_has_is_an_omission_and_never_passes() -> None:
    fields = {"a": {"required": True}, "b": "exact"}
    for both_missing in ("not_measured", "match"):
        score, verdict = row(fields, {"b": 1}, {"b": 1}, both_missing=both_missing, pass_at=0.0)
        assert [result.status.word for result in score.fields] == ["omission", "match"]
        assert (verdict.score, verdict.passed) == (0.5, False)


def test_a_required_field_that_does_not_match_keeps_the_row_from_passing() -> None:
    fields = {"a": {"required": True, "weight": 0}, "b": "exact"}
    assert row(fields, {"a": 1, "b": 1}, {"a": 2, "b": 1})[1].passed is False
    assert row(fields, {"a": 1, "b": 1}, {"a": 2, "b": 1})[1].score == 1.0
    assert row(fields, {"a": 1, "b": 1}, {"a": 1, "b": 1})[1].passed is True


def test_an_unreadable_output_loses_every_expected_field() -> None:
    found = matcher(["a", "b"], both_missing="match").score("no JSON here", '{"a": 1}')
    assert [result.status.word for result in found.fields] == ["omission", "not_measured"]
    assert (found.score, found.passed, found.status) == (0.0, False, RowStatus.UNREADABLE)


# Weights and partial credit


def test_weights_count_exactly() -> None:
    _, verdict = row({"a": {"weight": 0.1}, "b": {"weight": 0.2}}, {"a": 1, "b": 1}, {"a": 1, "b": 2})
    assert Fraction(verdict.num, verdict.den) == Fraction(1, 3)


def test_a_weight_of_0_is_shown_and_counts_only_where_nothing_else_does() -> None:
    score, verdict = row({"a": {"weight": 0}, "b": "exact"}, {"a": 1, "b": 1}, {"a": 2, "b": 1})
    assert verdict.score == 1.0
    assert score.fields[0].status.word == "mismatch"
    assert value({"a": {"weight": 0}, "b": "exact"}, {"a": 1}, {"a": 1}) == 1.0
    assert value({"a": {"weight": 0}, "b": "exact"}, {"a": 1}, {"a": 2}) == 0.0
    assert value({"a": {"weight": 0}, "b": "exact"}, {}, {}) is None


def test_weights_of_fields_that_are_not_measured_are_set_aside() -> None:
    assert value({"a": {"weight": 3}, "b": "exact"}, {"b": 1}, {"b": 1}) == 1.0


def test_partial_credit_is_kept_exactly() -> None:
    fields = {"a": {"fuzzy": {"partial": True, "at_least": 0.9}}, "b": "exact"}
    score, verdict = row(fields, {"a": "abc", "b": 1}, {"a": "abX", "b": 1})
    assert Fraction(verdict.num, verdict.den) == Fraction(5, 6)
    assert score.fields[0].status.word == "mismatch"
    assert score.fields[0].score == pytest.approx(2 / 3)


def test_fuzzy_without_partial_is_all_or_nothing() -> None:
    assert value({"a": {"fuzzy": {"at_least": 0.5}}}, {"a": "abc"}, {"a": "abX"}) == 1.0
    assert value({"a": {"fuzzy": {"at_least": 0.9}}}, {"a": "abc"}, {"a": "abX"}) == 0.0


# Transforms and errors

TO_FLOAT = {"a": {"transforms": [{"type_convert": {"to": "float"}}]}, "b": "exact"}


def test_transforms_change_both_sides() -> None:
    assert words(TO_FLOAT, {"a": "1.50", "b": 1}, {"a": 1.5, "b": 1}) == ["match", "match"]
    fields = {"a": {"transforms": ["lowercase"]}}
    assert words(fields, {"a": " X"}, {"a": "x "}, transforms=["strip"]) == ["match"]


def test_an_output_value_that_cannot_be_transformed_counts_0() -> None:
    score, verdict = row(TO_FLOAT, {"a": "1.5", "b": 1}, {"a": "about 2", "b": 1})
    assert [result.status.word for result in score.fields] == ["error", "match"]
    assert (verdict.score, verdict.status) == (0.5, RowStatus.SCORED)


def test_an_expected_value_that_cannot_be_transformed_leaves_the_row_without_a_score() -> None:
    score, verdict = row(TO_FLOAT, {"a": "about 2", "b": 1}, {"a": "1.5", "b": 1})
    assert verdict.status is RowStatus.INVALID
    assert verdict.score is None
    assert verdict.issue is not None
    assert verdict.issue.blame is Blame.TESTSET
    assert score.fields[1].status.word == "match"
    assert score.fields[1].score == 1.0
    with pytest.raises(Problems):
        explain_cells(matcher(TO_FLOAT), {})


@pytest.mark.parametrize("output", [{"a": "about 2", "b": 1}, {"b": 1}, {"a": {}, "b": 1}, {"a": None, "b": 1}])
def test_an_expected_value_that_cannot_be_converted_is_invalid_whatever_the_output_is(output: Any) -> None:
    score, verdict = row(TO_FLOAT, {"a": "about 2", "b": 1}, output)
    assert verdict.status is RowStatus.INVALID
    assert [result.status for result in score.fields] == [FieldStatus.NOT_JUDGED, FieldStatus.MATCH]
    assert score.issue is not None
    assert score.issue.message.startswith('field "a": the expected value cannot be transformed')


def test_an_expected_value_of_a_kind_that_a_transform_does_not_take_stays_as_it_is() -> None:
    fields = {"a": {"transforms": ["strip"]}}
    assert words(fields, {"a": 12}, {"a": 12}) == ["match"]
    assert words(fields, {"a": 12}, {"a": " 12"}) == ["mismatch"]
    assert words(fields, {"a": " 12"}, {"a": 12}) == ["error"]


def test_a_one_sided_check_needs_no_expected_value() -> None:
    fields = {"a": {"regex": {"pattern": "^[A-Z]+$"}}}
    assert words(fields, {}, {"a": "ABC"}) == ["match"]
    assert words(fields, {}, {"a": "abc"}) == ["mismatch"]
    assert words(fields, {"a": "abc"}, {"a": "abc"}) == ["mismatch"]
    assert words(fields, {"a": "ABC"}, {}) == ["omission"]
    assert words(fields, {}, {}) == ["omission"]
    assert words({"a[*]": {"regex": {"pattern": "^[A-Z]+$"}}}, {"a": []}, {"a": ["A", "B"]}) == ["match"]


# Items

ORDERED = {"a[*].n": "exact"}


def items(*names: Any) -> dict[str, Any]:
    return {"a": [{"n": name} for name in names]}


def aligned(how: Any) -> dict[str, Any]:
    return {"a": {"align": how}, "a[*].n": "exact", "a[*].q": "exact"}


def test_items_are_one_field_that_matches_when_every_pair_does() -> None:
    assert words(ORDERED, items(1, 2), items(1, 2)) == ["match"]
    assert words(ORDERED, items(1, 2), items(2, 1)) == ["mismatch"]
    assert words(ORDERED, items(1, 2), items(1)) == ["omission"]
    assert words(ORDERED, items(1), items(1, 2)) == ["hallucination"]
    assert words(ORDERED, items(1), items(2, 3)) == ["mismatch"]


def test_a_missing_leaf_keeps_its_place() -> None:
    found = field(ORDERED, {"a": [{"n": 1}, {}, {"n": 3}]}, {"a": [{"n": 1}, {"n": 2}, {"n": 3}]})
    assert found.expected == [1, 3]
    assert found.actual == [1, 2, 3]
    assert found.status.word == "hallucination"
    assert found.reason == "2 of 3 right; a[1].n: only the output has it"


def test_a_leaf_that_both_items_lack_says_nothing() -> None:
    assert words(ORDERED, {"a": [{"n": 1}, {}]}, {"a": [{"n": 1}, {}]}) == ["match"]


def test_two_empty_lists_leave_their_items_unmeasured_and_match_as_values() -> None:
    assert words({"a[*].n": "exact", "a": "exact"}, {"a": []}, {"a": []}) == ["not_measured", "match"]
    assert words({"a": {"align": "any_order"}}, {"a": []}, {"a": []}) == ["match"]


def test_a_list_of_values_has_its_items_as_leaves() -> None:
    assert words(["a[*]"], {"a": [1, 2]}, {"a": [1, 2]}) == ["match"]
    assert words(["a[*]"], {"a": [1, [2]]}, {"a": [1, [3]]}) == ["mismatch"]


def test_alignment_in_any_order_pairs_items_that_match_in_everything() -> None:
    fields = aligned("any_order")
    expected = {"a": [{"n": 1, "q": 1}, {"n": 2, "q": 2}]}
    assert words(fields, expected, {"a": [{"n": 2, "q": 2}, {"n": 1, "q": 1}]}) == ["match", "match"]
    assert words(fields, expected, {"a": [{"n": 2, "q": 9}, {"n": 1, "q": 1}]}) == ["mismatch", "mismatch"]


def test_alignment_by_key_pairs_items_that_share_it() -> None:
    fields = aligned({"key_field": {"key": "n"}})
    expected = {"a": [{"n": 1, "q": 1}, {"n": 2, "q": 2}]}
    assert words(fields, expected, {"a": [{"n": 2, "q": 9}, {"n": 1, "q": 1}]}) == ["match", "mismatch"]
    assert words(fields, expected, {"a": [{"n": 3, "q": 1}, {"n": 1, "q": 1}]}) == ["mismatch", "mismatch"]


def test_keys_of_items_are_compared_as_json() -> None:
    fields = {"a": {"align": {"key_field": {"key": "k"}}}, "a[*].n": "exact"}
    one = {"a": [{"k": {"x": 1, "y": [2.0]}, "n": 1}, {"k": True, "n": 2}, {"k": 1, "n": 3}]}
    two = {"a": [{"k": 1.0, "n": 3}, {"k": True, "n": 2}, {"k": {"y": [2], "x": 1}, "n": 1}]}
    assert words(fields, one, two) == ["match"]


def test_items_without_the_key_pair_with_each_other() -> None:
    fields = {"a": {"align": {"key_field": {"key": "k"}}}, "a[*].n": "exact"}
    one = {"a": [{"n": 1}, {"k": 1, "n": 2}, {"n": 3}]}
    assert words(fields, one, one) == ["match"]
    assert words(fields, one, {"a": [{"k": 1, "n": 2}, {"n": 1}, {"n": 3}]}) == ["match"]


def test_items_with_the_same_key_pair_first_come_first_served() -> None:
    fields = aligned({"key_field": {"key": "n"}})
    one = {"a": [{"n": 1, "q": 1}, {"n": 1, "q": 2}]}
    assert words(fields, one, one) == ["match", "match"]
    assert words(fields, one, {"a": list(reversed(one["a"]))}) == ["match", "mismatch"]


def test_the_best_alignment_matches_as_much_as_can_be() -> None:
    fields = aligned("hungarian")
    expected = {"a": [{"n": 1, "q": 1}, {"n": 2, "q": 2}]}
    assert words(fields, expected, {"a": [{"n": 2, "q": 9}, {"n": 1, "q": 1}]}) == ["match", "mismatch"]


def test_leftover_items_are_shown_on_their_side() -> None:
    for how in ("ordered", "any_order", "hungarian", {"key_field": {"key": "n"}}):
        assert words({**aligned(how)}, items(1, 2), items(1)) == ["omission", "not_measured"]
        assert words({**aligned(how)}, items(1), items(1, 2)) == ["hallucination", "not_measured"]


def test_lists_inside_items_are_paired_inside_their_items() -> None:
    fields = {"a": {"align": {"key_field": {"key": "n"}}}, "a[*].b": {"align": "any_order"}, "a[*].b[*].c": "exact"}
    one = {"a": [{"n": 1, "b": [{"c": 1}, {"c": 2}]}, {"n": 2, "b": [{"c": 3}]}]}
    two = {"a": [{"n": 2, "b": [{"c": 3}]}, {"n": 1, "b": [{"c": 2}, {"c": 1}]}]}
    assert words(fields, one, two) == ["match"]
    two["a"][0]["b"], two["a"][1]["b"] = two["a"][1]["b"], two["a"][0]["b"]
    assert words(fields, one, two) == ["mismatch"]


def test_a_list_that_is_a_leaf_of_an_item_has_an_alignment_of_its_own() -> None:
    one, two = {"a": [{"b": [1, 2]}]}, {"a": [{"b": [2, 1]}]}
    assert words({"a[*].b": "exact"}, one, two) == ["mismatch"]
    assert words({"a[*].b": {"align": "any_order"}}, one, two) == ["match"]
    assert words({"a[*].b": {"align": "any_order"}}, one, {"a": [{"b": [2]}]}) == ["omission"]


def test_an_alignment_on_a_list_frees_it_also_without_lines_below() -> None:
    fields = {"a": {"compare": {"normalized": {"case": "ignore"}}, "align": "any_order"}}
    assert words(fields, {"a": ["x", "y"]}, {"a": ["Y", "X"]}) == ["match"]
    assert words(fields, {"a": ["x", "y"]}, {"a": ["Y"]}) == ["omission"]
    assert words(fields, {"a": ["x"]}, {"a": "x"}) == ["mismatch"]
    assert words({"a": "exact"}, {"a": ["x", "y"]}, {"a": ["y", "x"]}) == ["mismatch"]


def test_an_object_where_a_list_could_be_has_its_values_paired_by_key() -> None:
    one = {"a": {"x": {"n": 1}, "y": {"n": 2}}}
    assert words(ORDERED, one, {"a": {"y": {"n": 2}, "x": {"n": 1}}}) == ["match"]
    assert words(ORDERED, one, {"a": {"x": {"n": 1}}}) == ["omission"]


@pytest.mark.parametrize("output", [{}, {"x": {"n": 1}}, "garbage", None, 5, []])
def test_items_never_vanish_beside_something_that_is_no_list(output: Any) -> None:
    assert words(ORDERED, items(1), {"a": output})[0] in ("omission", "mismatch")
    assert value(ORDERED, items(1), {"a": output}) == 0.0


# Queries


def test_a_query_gives_its_hits_in_order() -> None:
    documents = {"a": [{"k": "x", "n": 1}, {"k": "y", "n": 2}]}, {"a": [{"k": "y", "n": 2}, {"k": "x", "n": 1}]}
    assert words(["$.a[?(@.k == 'x')].n"], *documents) == ["match"]
    assert words(["$.a[0:1].n"], *documents) == ["mismatch"]
    assert words(["$..n"], *documents) == ["mismatch"]
    assert words(["$..m"], *documents) == ["not_measured"]
    assert words(["$..n"], items(1, 2), items(1)) == ["omission"]
    assert words(["$..n"], items(1), items(1, 2)) == ["hallucination"]


def test_the_hits_of_a_query_can_be_aligned() -> None:
    assert words({"$..n": {"align": "any_order"}}, items(1, 2), items(2, 1)) == ["match"]
    assert words({"$..n": {"align": "hungarian"}}, items(1, 2), items(2)) == ["omission"]


# Conditions

WHEN = {"a": {"compare": "exact", "when": {"row.kind": ["invoice", 7]}}, "b": "exact"}


def test_a_field_is_left_out_of_rows_that_its_condition_excludes() -> None:
    documents = {"a": 1, "b": 1}, {"a": 2, "b": 1}
    assert words(WHEN, *documents, "invoice") == ["mismatch", "match"]
    assert words(WHEN, *documents, "7") == ["mismatch", "match"]
    assert words(WHEN, *documents, "receipt") == ["skipped", "match"]
    assert words(WHEN, *documents, MISSING) == ["skipped", "match"]
    assert row(WHEN, *documents, "receipt")[1].score == 1.0


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ({"expected.kind": "x"}, "match"),
        ({"expected.kind": "y"}, "skipped"),
        ({"output.kind": "y"}, "match"),
        ({"output.kind": {"present": False}}, "skipped"),
        ({"expected.other": {"present": True}}, "skipped"),
        ({"expected.null": {"present": True}}, "match"),
        ({"expected.kind": "x", "output.kind": "x"}, "skipped"),
        ({"expected.l[*]": 2}, "match"),
        ({"expected.l[*]": 3}, "skipped"),
        ({"expected.one": True}, "skipped"),
    ],
)
def test_a_condition_looks_at_either_document(condition: Any, status: str) -> None:
    expected, output = {"a": 1, "kind": "x", "null": None, "l": [1, 2], "one": 1}, {"a": 1, "kind": "y"}
    assert words({"a": {"compare": "exact", "when": condition}}, expected, output) == [status]


def test_a_required_field_that_is_excluded_does_not_keep_the_row_from_passing() -> None:
    fields = {"a": {"required": True, "when": {"row.kind": "x"}}, "b": "exact"}
    assert row(fields, {"a": 1, "b": 1}, {"b": 1}, "y")[1].passed is True
    assert row(fields, {"a": 1, "b": 1}, {"b": 1}, "x")[1].passed is False


# Keys with dots


def test_a_literal_key_with_dots_wins_where_the_expected_side_has_it() -> None:
    assert words(["a.b"], {"a.b": 1, "a": {"b": 2}}, {"a.b": 1, "a": {"b": 3}}) == ["match"]
    assert words(["a.b"], {"a": {"b": 2}}, {"a.b": 9, "a": {"b": 2}}) == ["match"]
    assert words(["a.b"], {"a.b": 1}, {"a": {"b": 1}}) == ["omission"]
    assert words(["$.a.b"], {"a.b": 1, "a": {"b": 2}}, {"a.b": 9, "a": {"b": 2}}) == ["match"]


def test_literal_keys_with_dots_are_found_inside_and_above_items() -> None:
    assert words(["a.b[*].c"], {"a.b": [{"c": 1}]}, {"a.b": [{"c": 1}]}) == ["match"]
    assert words(["l[*].a.b"], {"l": [{"a.b": 1}]}, {"l": [{"a.b": 2, "a": {"b": 1}}]}) == ["mismatch"]
    assert words(["l[*].a.b"], {"l": [{"a": {"b": 1}}]}, {"l": [{"a.b": 2, "a": {"b": 1}}]}) == ["match"]


# Results


def test_results_name_their_places_in_dots_and_show_their_values() -> None:
    found = field(["/a/0/n"], items(1), items(2))
    assert (found.path, found.expected, found.actual, found.comparator) == ("a[0].n", 1, 2, "exact")


def test_evidence_is_made_only_for_the_wanted_fields_that_are_wrong() -> None:
    one, expected, output = matcher(["a", "b", "c"]), {"a": 1, "b": 1, "c": 1}, {"a": 2, "b": 1, "c": 2}
    assert [result.path for result in wrong_of(one, {"a", "b"}, expected, output)] == ["a"]
    assert wrong_of(one, {"b"}, expected, output) == []


def test_optional_and_skipped_fields_may_be_absent_everywhere() -> None:
    one = matcher({"a": {"optional": True}, "b": "skip", "c": "exact"})
    assert one.scored_fields().names == ("a", "b", "c")
    assert one.scored_fields().optional == {"a", "b"}
