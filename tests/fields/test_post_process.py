"""What post-processors make of the results of a row."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from evaluators.comparators.date import Date
from evaluators.fields.post_process import null_processors, propagate_batch_errors, reclassify_nulls
from evaluators.issues import Problems
from evaluators.model import FieldStatus, Outcome
from evaluators.values.transforms import parse_transform
from tests.fields.alone import score_document
from tests.fields.figures import counted
from tests.fields.trees import Planned, array, leaf, metric, obj, tree


def words(planned: Planned, expected: Any, output: Any, *processors: Any) -> list[str]:
    return [f"{one.path} {one.status.word}" for one in score_document(tree(planned), expected, output, processors).fields]


A = obj({"a": leaf()})
BLANKS = partial(reclassify_nulls, absent_values=(None, ""))


@pytest.mark.parametrize(
    ("expected", "output", "status"),
    [
        ({"a": None}, {"a": None}, "skipped"),
        ({"a": None}, {"a": ""}, "skipped"),
        ({"a": None}, {"b": 1}, "skipped"),
        ({"b": 1}, {"a": ""}, "skipped"),
        ({"a": None}, {"a": 1}, "hallucination"),
        ({"a": 1}, {"a": ""}, "omission"),
        ({"a": 1}, {"a": 1}, "match"),
        ({"a": 1}, {"a": 0}, "mismatch"),
        ({"a": 1}, {}, "omission"),
        ({"b": 1}, {"a": 1}, "hallucination"),
    ],
)
def test_listed_values_count_as_absent(expected: Any, output: Any, status: str) -> None:
    assert words(A, expected, output, BLANKS)[0] == f"a {status}"


def test_both_absent_may_be_a_match() -> None:
    scored = score_document(tree(A), {"a": None}, {"a": ""}, [partial(BLANKS, both_absent="match")])
    assert [(one.status, one.score) for one in scored.fields] == [(FieldStatus.MATCH, 1.0)]


def test_the_compared_value_decides() -> None:
    planned = obj({"a": leaf(transforms=(parse_transform("strip"),))})
    assert words(planned, {"a": "  "}, {"a": "x"}, BLANKS) == ["a hallucination"]
    assert words(planned, {"a": "x"}, {"a": "  "}, BLANKS) == ["a omission"]
    assert words(planned, {"a": "  "}, {"b": 1}, BLANKS)[0] == "a skipped"


@pytest.mark.parametrize(
    ("output", "status"),
    [
        ({"a": "n/a"}, "skipped"),
        ({}, "skipped"),
        ({"a": "2024-01-31"}, "hallucination"),
        ({"a": "soon"}, "hallucination"),
    ],
)
def test_an_expected_value_that_cannot_be_read_is_no_fault_where_it_counts_as_absent(output: Any, status: str) -> None:
    planned = obj({"a": leaf(metric(Date(), "date")), "b": leaf(metric(Date(), "date"))})
    absent = partial(reclassify_nulls, absent_values=("n/a",))
    assert words(planned, {"a": "n/a"}, output, absent) == [f"a {status}"]
    assert words(planned, {"a": "n/a"}, output) == ["a not_judged"]
    scored = score_document(tree(planned), {"a": "n/a", "b": "soon"}, output, [absent])
    assert scored.problem is not None
    assert scored.problem.issue.message.startswith('field "b": the expected value "soon"')


def test_a_container_that_is_looked_into_is_never_touched() -> None:
    planned = obj({"o": A, "l": array(leaf())})
    plain = words(planned, {"o": None, "l": []}, {"o": None, "l": "junk"})
    assert plain == ["o match", "l mismatch"]
    everything = partial(reclassify_nulls, absent_values=(None, [], "junk"), both_absent="match")
    assert words(planned, {"o": None, "l": []}, {"o": None, "l": "junk"}, everything) == plain


def test_an_unknown_key_with_an_absent_value_is_no_hallucination() -> None:
    assert words(A, {"a": 1}, {"a": 1, "x": None}, BLANKS) == ["a match", "x skipped"]


def test_a_value_that_breaks_a_transform_may_still_count_as_absent() -> None:
    planned = obj({"a": leaf(transforms=(parse_transform({"type_convert": {"to": "float"}}),))})
    assert words(planned, {"a": 1}, {"a": ""}) == ["a error"]
    assert words(planned, {"a": 1}, {"a": ""}, BLANKS) == ["a omission"]


def test_zero_and_false_are_not_alike() -> None:
    assert words(A, {"a": False}, {"a": 1}, partial(reclassify_nulls, absent_values=(0,))) == ["a mismatch"]


def test_the_words_of_a_suite() -> None:
    assert null_processors() == ()
    assert words(A, {"a": None}, {"a": None}, *null_processors("absent")) == ["a skipped"]
    assert words(A, {"a": None}, {"a": ""}, *null_processors("absent")) == ["a hallucination"]
    assert words(A, {"a": ""}, {"a": "-"}, *null_processors("value", ["", "-"])) == ["a skipped"]


def batch(path: str, status: FieldStatus, name: str = "judge") -> Outcome:
    return Outcome(path, status, 1.0, details={"metric": name, "batch": True})


def test_one_open_question_opens_the_others_of_its_batch() -> None:
    alone = Outcome("d", FieldStatus.MATCH, 1.0, details={"metric": "judge"})
    results = [
        batch("a", FieldStatus.NOT_JUDGED), batch("b", FieldStatus.MATCH), batch("c", FieldStatus.OMISSION), alone,
        batch("e", FieldStatus.MATCH, "other"),
    ]  # fmt: skip
    assert [one.status for one in propagate_batch_errors(results)] == [
        FieldStatus.NOT_JUDGED, FieldStatus.NOT_JUDGED, FieldStatus.OMISSION, FieldStatus.MATCH, FieldStatus.MATCH,
    ]  # fmt: skip


def test_arrays_are_counted_after_post_processing() -> None:
    planned = array(obj({"id": leaf(), "note": leaf()}))
    expected, output = [{"id": 1, "note": None}], [{"id": 1, "note": ""}]
    (before,) = score_document(tree(planned), expected, output).arrays
    (after,) = score_document(tree(planned), expected, output, [BLANKS]).arrays
    assert (before.matched, after.matched) == (0, 1)


def test_a_function_of_the_suites_own_may_drop_results() -> None:
    def without_a(results: list[Outcome]) -> list[Outcome]:
        return [one for one in results if one.path != "a"]

    scored = score_document(tree(obj({"a": leaf(), "b": leaf()})), {"a": 1, "b": 2}, {"a": 2, "b": 2}, [without_a])
    assert counted(scored.fields) == (1, 0, 0, 0)


@pytest.mark.parametrize("returned", [None, "results", [1]])
def test_a_post_processor_that_returns_something_else_is_a_config_problem(returned: Any) -> None:
    def broken(results: list[Outcome]) -> Any:
        return returned

    with pytest.raises(Problems, match='the post-processor "broken" returned') as refused:
        score_document(tree(A), {"a": 1}, {"a": 1}, [broken])
    assert refused.value.issues[0].code == "post-process-result"


def test_a_problem_that_a_post_processor_settles_is_none() -> None:
    def forgiving(results: list[Outcome]) -> list[Outcome]:
        return [Outcome(one.path, FieldStatus.SKIPPED) for one in results]

    def breaking(results: list[Outcome]) -> list[Outcome]:
        return [Outcome(one.path, FieldStatus.NOT_JUDGED, reason="unsure") for one in results]

    assert score_document(tree(A), {"a": 1}, {"a": 1}, [breaking, forgiving]).problem is None
    assert score_document(tree(A), {"a": 1}, {"a": 1}, [breaking]).problem is not None
