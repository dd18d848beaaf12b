"""What becomes of each place of two documents: the reference scorer of a tree of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest
import yaml

from evaluators.comparators._comparator import Answer, Comparator, Question
from evaluators.comparators.fuzzy import Fuzzy
from evaluators.comparators.numeric import Numeric
from evaluators.fields.schema_check import SchemaCheck
from evaluators.fields.schema_scoring import SchemaScoring
from evaluators.fields.scored import Scored
from evaluators.fields.tree import Below, FieldNode, SchemaPath
from evaluators.issues import Blame, Issue, RowProblem
from evaluators.model import MISSING, Comparison, FieldStatus, Outcome
from evaluators.settings import build
from evaluators.values.transforms import parse_transform
from tests.fields.alone import counted_one_by_one, score_document
from tests.fields.figures import counted
from tests.fields.trees import Planned, array, choice, leaf, metric, obj, tree

TABLE: list[Any] = yaml.safe_load((Path(__file__).parent / "presence.yaml").read_text(encoding="utf-8"))
DECLARED = {"object": obj({"a": leaf(), "b": obj({"c": leaf()})}), "array": array(leaf()), "leaf": leaf()}


def score(planned: Planned, expected: Any, output: Any, *processors: Any) -> Scored:
    return score_document(tree(planned), expected, output, processors)


def words(planned: Planned, expected: Any, output: Any) -> list[str]:
    """Each result as its path and its status."""
    return [f"{one.path} {one.status.word}" for one in score(planned, expected, output).fields]


def only(planned: Planned, expected: Any, output: Any) -> Outcome:
    (result,) = score(planned, expected, output).fields
    return result


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["it"])
def test_presence_decides_as_the_table_says(entry: dict[str, Any]) -> None:
    (kind,) = entry.keys() & DECLARED.keys()
    sides = entry[kind]
    expected, output = sides.get("expected", MISSING), sides.get("output", MISSING)
    scored = score(DECLARED[kind], expected, output)
    assert [f"{one.path} {one.status.word}" for one in scored.fields] == entry["results"]
    items = [{name: getattr(each, name) for name in ("matched", "missing", "extra")} for each in scored.arrays]
    assert items == ([entry["items"]] if "items" in entry else [])


@pytest.mark.parametrize("kind", ["object", "array"])
def test_the_table_has_every_combination_of_two_sides(kind: str) -> None:
    def content(sides: dict[str, Any], side: str) -> str:
        if side not in sides:
            return "missing"
        value = sides[side]
        if value is None:
            return "null"
        if not isinstance(value, {"object": dict, "array": list}[kind]):
            return "other"
        return "contents" if value else "empty"

    found = {(content(one[kind], "expected"), content(one[kind], "output")) for one in TABLE if kind in one}
    contents = ["missing", "null", "empty", "contents", "other"]
    assert found == {(one, other) for one in contents for other in contents}


# Keys outside the schema


def test_a_key_that_only_the_output_has_is_a_hallucination_per_leaf_sorted_after_the_declared_ones() -> None:
    output = {"z": {"k": 1, "e": {}}, "b": [1, [2]], "a": 1}
    assert words(obj({"a": leaf()}), {"a": 1}, output) == [
        "a match", "b[+0] hallucination", "b[+1][+0] hallucination", "z.e hallucination", "z.k hallucination",
    ]  # fmt: skip


def test_a_key_that_the_expected_side_has_and_the_schema_lacks_is_named_once_and_not_scored() -> None:
    planned = obj({"rows": array(obj({"a": leaf()}))})
    rows = [{"a": 1, "x": 1}, {"a": 2, "x": {"y": 2}}]
    scored = score(planned, {"rows": rows}, {"rows": [{"a": 1, "x": 9}, {"a": 2}]})
    assert [one.path for one in scored.fields] == ["rows[0].a", "rows[1].a"]
    assert scored.outside == ("rows[*].x",)


ROWS = obj({"rows": array(obj({"a": leaf(), "inner": obj({"b": leaf()}), "list": array(obj({"c": leaf()}))}))})


@pytest.mark.parametrize(
    ("expected", "surplus", "results", "outside"),
    [
        ({"a": 1, "x": 1}, {"a": 2, "x": 9}, ["rows[+1].a hallucination"], ("rows[*].x",)),
        ({"a": 1, "x": 1}, {"x": {"y": 9}}, [], ("rows[*].x",)),
        ({"a": 1}, {"a": 2, "x": 9}, ["rows[+1].a hallucination", "rows[+1].x hallucination"], ()),
        (
            {"a": 1, "inner": {"x": 1}},
            {"inner": {"b": 2, "x": 9}},
            ["rows[+1].inner.b hallucination"],
            ("rows[*].inner.x",),
        ),
        ({"a": 1, "x": 1}, {"inner": {"x": 9}}, ["rows[+1].inner.x hallucination"], ("rows[*].x",)),
        ({"a": 1, "list": [{"x": 1}]}, {"list": [{"x": 9}]}, [], ("rows[*].list[*].x",)),
    ],
)
def test_a_key_that_the_schema_lacks_and_an_expected_item_has_is_not_made_up_in_an_item_without_a_partner(
    expected: Any, surplus: Any, results: list[str], outside: tuple[str, ...]
) -> None:
    sides = {"rows": [expected]}, {"rows": [expected, surplus]}
    scored = score(ROWS, *sides)
    assert [f"{one.path} {one.status.word}" for one in scored.fields if one.status is not FieldStatus.MATCH] == results
    assert scored.outside == outside
    scoring = SchemaScoring(tree(ROWS), "f1", 1.0)
    slow, fast = counted_one_by_one(scoring), SchemaCheck(scoring)
    assert fast(*sides).counts == slow(*sides).counts
    assert fast.details() == slow.details()


def test_other_keys_are_compared_where_the_schema_declares_what_they_are() -> None:
    planned = obj({"a": leaf()}, others=leaf())
    assert words(planned, {"c": 1, "b": 2}, {"b": 2, "d": 3}) == ["b match", "c omission", "d hallucination"]


def test_a_key_with_dots_is_an_ordinary_key() -> None:
    scored = score(obj({"a.b": leaf()}), {"a.b": 1}, {"a.b": 1, "odd key": 1})
    assert [one.path for one in scored.fields] == ['["a.b"]', '["odd key"]']


# Skip and required


def test_a_skipped_place_is_one_skipped_result_where_either_side_has_it() -> None:
    planned = obj({"a": leaf(skip=True), "b": obj({"c": leaf()}, skip=True), "d": leaf(skip=True)})
    assert words(planned, {"a": 1, "b": {"c": 1}}, {"a": 2}) == ["a skipped", "b skipped"]


def test_skip_is_honoured_on_the_root_and_on_items() -> None:
    assert words(obj({"a": leaf()}, skip=True), {"a": 1}, MISSING) == ["$ skipped"]
    assert words(array(leaf(skip=True)), [1, 2], [1]) == ["[0] skipped", "[1] skipped"]
    assert score(array(leaf(skip=True)), [1], [2]).arrays == ()


def test_a_required_place_that_neither_side_has_is_an_omission() -> None:
    planned = obj({"a": leaf(required=True), "b": leaf()})
    (result,) = score(planned, {}, {"x": 1}).fields[:1]
    assert (result.path, result.status, result.reason) == (
        "a",
        FieldStatus.OMISSION,
        "required, and absent on both sides",
    )


def test_a_required_object_that_neither_side_has_stands_for_what_is_required_in_it() -> None:
    planned = obj({"a": obj({"b": leaf(required=True), "c": leaf()}, required=True), "d": obj({}, required=True)})
    assert words(planned, {"x": 1}, {}) == ["a.b omission", "d omission"]


# Units


def test_a_failing_transform_of_the_output_is_an_error_that_counts_nothing() -> None:
    result = only(leaf(transforms=(parse_transform("lowercase"),)), "a", 3)
    assert (result.status, result.score, result.details["code"]) == (FieldStatus.ERROR, 0.0, "error")
    assert counted([result]).wrong == 1


def test_an_unusable_expected_value_leaves_the_row_without_a_score() -> None:
    planned = obj({"a": leaf(metric(build(Numeric, {"parse": True}), "numeric")), "b": leaf()})
    scored = score(planned, {"a": "many", "b": 1}, {"a": 3, "b": 1})
    assert [(one.status, one.score) for one in scored.fields] == [
        (FieldStatus.NOT_JUDGED, None),
        (FieldStatus.MATCH, 1.0),
    ]
    assert scored.problem is not None
    assert scored.problem.issue.blame is Blame.TESTSET


def test_values_are_kept_as_they_are_and_as_they_were_compared() -> None:
    result = only(leaf(transforms=(parse_transform("strip"),)), " a", "b ")
    assert (result.expected, result.actual) == (" a", "b ")
    assert (result.details["compared_expected"], result.details["compared_actual"]) == ("a", "b")


def test_null_passes_the_comparator_like_any_value() -> None:
    assert only(leaf(metric(build(Numeric, {"tolerance": {"abs": 1}}))), None, None).status is FieldStatus.MATCH


CODED = obj({"plain": leaf(), "names": array(leaf()), "inner": obj({"a": leaf()})})


@pytest.mark.parametrize("value", [None, []])
def test_what_is_expected_to_be_nothing_and_is_not_there_is_missing(value: Any) -> None:
    scored = score(CODED, {"plain": value, "names": value, "inner": value}, {})
    assert [one.details["code"] for one in scored.fields] == ["extracted_missing"] * 3
    assert [one.code for one in scored.arrays] == ["extracted_missing"]


def test_partial_credit_is_kept_exactly() -> None:
    fuzzy = metric(build(Fuzzy, {"partial": True, "at_least": 0.5}), "fuzzy")
    result = only(leaf(fuzzy), "abc", "abd")
    assert result.details["ratio"] == (2, 3)
    assert result.score == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("expected", "output", "code"),
    [
        (1, 1, "match"),
        (1, 2, "mismatch"),
        (1, MISSING, "extracted_missing"),
        (MISSING, 1, "gold_missing"),
        (1, None, "extracted_null"),
        (None, 1, "gold_null"),
        ([1], [], "extracted_empty_array"),
        ([], [1], "gold_empty_array"),
        (None, MISSING, "extracted_missing"),
        ([], MISSING, "extracted_missing"),
        ([], None, "extracted_null"),
        (None, [], "gold_null"),
    ],
)
def test_a_result_has_the_code_of_its_reason(expected: Any, output: Any, code: str) -> None:
    assert only(leaf(), expected, output).details["code"] == code


def test_several_metrics_are_results_of_one_unit() -> None:
    close = metric(build(Numeric, {"tolerance": {"abs": 1}}), "numeric", Fraction(3))
    scored = score(obj({"a": leaf(metric(), close, weight=Fraction(2))}), {"a": 1}, {"a": 2})
    assert [(one.path, one.details["metric"], one.status.word, one.weight) for one in scored.fields] == [
        ("a", "exact", "mismatch", 2.0),
        ("a", "numeric", "match", 6.0),
    ]
    assert counted(scored.fields) == (0, 1, 0, 0)
    assert counted(score(obj({"a": leaf(metric(), close)}), {"a": 1}, {}).fields) == (0, 0, 1, 0)


def test_a_container_with_a_metric_is_one_unit() -> None:
    planned = obj({"a": lambda path: FieldNode(path, "array", (metric(),))})
    assert words(planned, {"a": [1, 2]}, {"a": [2, 1]}) == ["a mismatch"]
    assert words(planned, {"a": [1, 2]}, {}) == ["a omission"]


# Compound


NAME = obj({"surname": leaf(transforms=(parse_transform("casefold"),)), "name": leaf(), "born": leaf()},
           compound=(("surname", "name"), metric()))  # fmt: skip


@pytest.mark.parametrize(
    ("expected", "output", "results"),
    [
        (
            {"surname": "X", "name": "y", "born": 1},
            {"surname": "x", "name": "y", "born": 2},
            ["$ match", "born mismatch"],
        ),
        ({"surname": "X", "name": "y"}, {"surname": "x"}, ["$ mismatch"]),
        ({"surname": "X"}, {"surname": "x"}, ["$ match"]),
        ({"surname": "X", "name": "y", "born": 1}, {"born": 1}, ["$ omission", "born match"]),
        ({"born": 1}, {"surname": "x", "born": 1}, ["$ hallucination", "born match"]),
        ({"born": 1}, {"born": 1}, ["born match"]),
        ({"surname": "X"}, "junk", ["$ omission", "$ hallucination"]),
    ],
)
def test_a_compound_is_one_unit_at_the_object(expected: Any, output: Any, results: list[str]) -> None:
    assert words(NAME, expected, output) == results


def test_a_lost_compound_and_what_stands_in_its_place_are_two_results() -> None:
    assert counted(score(NAME, {"surname": "X"}, "junk").fields) == (0, 0, 1, 1)


# Choice


CIRCLE, SQUARE = obj({"kind": leaf(), "radius": leaf()}), obj({"kind": leaf(), "side": leaf()})


def test_a_choice_is_scored_by_the_branch_that_fits_best() -> None:
    assert words(choice(CIRCLE, SQUARE), {"kind": "s", "side": 2}, {"kind": "s", "side": 2}) == [
        "kind match",
        "side match",
    ]


def test_a_branch_that_lacks_what_is_wrong_does_not_hide_it() -> None:
    assert words(choice(CIRCLE, SQUARE), {"kind": "s", "side": 2}, {"kind": "s", "side": 3}) == [
        "kind match",
        "side mismatch",
    ]


def test_the_first_of_equal_branches_is_taken() -> None:
    first, second = obj({"a": leaf()}), obj({"b": leaf()})
    assert words(choice(first, second), {"a": 1, "b": 1}, {"a": 1, "b": 1}) == ["a match"]


@pytest.mark.parametrize("inner", [SQUARE, choice(leaf(), SQUARE)])
def test_a_key_of_another_branch_is_known(inner: Planned) -> None:
    output = {"kind": "c", "radius": 1, "side": {"a": [2]}, "edge": 3}
    by_path = {one.path: one for one in score(choice(CIRCLE, inner), {"kind": "c", "radius": 1}, output).fields}
    assert by_path["side.a[+0]"].reason == "only the output has it, and it belongs to another branch of the schema"
    assert by_path["edge"].reason == "only the output has it, and the schema does not know it"
    assert [by_path[path].status for path in ("side.a[+0]", "edge")] == [FieldStatus.HALLUCINATION] * 2


def test_a_branch_is_known_by_the_keys_further_down_too() -> None:
    first, second = obj({"kind": leaf(), "at": CIRCLE}), obj({"kind": leaf(), "at": SQUARE})
    expected = {"kind": "s", "at": {"kind": "s", "side": 2}}
    assert words(choice(first, second), expected, {"kind": "s", "at": {"kind": "s"}}) == [
        "kind match",
        "at.kind match",
        "at.side omission",
    ]


def test_branches_that_refer_to_themselves_are_told_apart_by_their_keys() -> None:
    def expression(path: SchemaPath) -> FieldNode:
        sides = {"left": expression, "right": expression}
        return choice(obj({"sum": obj(sides)}), obj({"product": obj(sides)}), leaf())(path)

    def nested(depth: int) -> Any:
        return {("sum", "product")[depth % 2]: {"left": nested(depth - 1), "right": depth}} if depth else 0

    assert counted(score(expression, nested(60), nested(60)).fields) == (61, 0, 0, 0)


def test_a_lost_object_costs_its_leaves_though_a_branch_is_a_plain_value() -> None:
    assert words(choice(leaf(), CIRCLE), {"kind": "c", "radius": 1}, None) == ["kind omission", "radius omission"]
    assert words(choice(leaf(), CIRCLE), "c", "c") == ["$ match"]


# Arrays


def test_what_only_the_output_has_is_counted_in_its_own_list() -> None:
    planned = obj({"rows": array(obj({"a": leaf()}), "hungarian")})
    scored = score(planned, {"rows": [{"a": 1}, {"a": 2}]}, {"rows": [{"a": 9}, {"a": 2}, {"a": 1}]})
    assert [f"{one.path} {one.status.word}" for one in scored.fields] == [
        "rows[0].a match", "rows[1].a match", "rows[+0].a hallucination",
    ]  # fmt: skip
    assert [one.field for one in scored.fields] == ["rows[*].a"] * 3
    (found,) = scored.arrays
    assert (found.matched, found.missing, found.extra, found.paired) == (2, 0, 1, 2)
    assert (found.precision, found.recall, found.f1) == (Fraction(2, 3), Fraction(1), Fraction(4, 5))


def test_a_pair_that_does_not_match_is_missed_and_spurious() -> None:
    scored = score(array(obj({"a": leaf(), "b": leaf()}), "hungarian"), [{"a": 1, "b": 1}], [{"a": 1, "b": 2}])
    (found,) = scored.arrays
    assert (found.matched, found.missing, found.extra, found.paired) == (0, 1, 1, 1)


def test_a_pair_in_which_nothing_matches_stays_apart() -> None:
    assert words(array(obj({"a": leaf()}), "hungarian"), [{"a": 1}], [{"a": 2}]) == [
        "[0].a omission", "[+0].a hallucination",
    ]  # fmt: skip


def test_inner_arrays_are_paired_inside_of_pairs() -> None:
    planned = array(obj({"id": leaf(), "tags": array(leaf(), "hungarian")}), "hungarian")
    expected = [{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": ["c"]}]
    output = [{"id": 2, "tags": ["c"]}, {"id": 1, "tags": ["b", "a"]}]
    scored = score(planned, expected, output)
    assert counted(scored.fields) == (5, 0, 0, 0)
    assert [each.path for each in scored.arrays] == ["$", "[0].tags", "[1].tags"]


# Comparators that are asked once for all their pairs


class Judge(Comparator):
    """Remembers what it was asked; the texts that it knows are equal."""

    judged: ClassVar[bool] = True
    batch: ClassVar[bool] = True
    word: ClassVar[str] = "judge"
    asked: ClassVar[list[list[Question]]] = []
    answers: ClassVar[Any] = None
    """What it answers in place of yes."""

    def compare(self, expected: Any, actual: Any) -> Any:
        raise AssertionError("asked about one pair")

    def compare_all(self, questions: Sequence[Question]) -> Sequence[Answer]:
        self.asked.append(list(questions))
        if isinstance(self.answers, Exception):
            raise self.answers
        answers: Sequence[Answer] = [True] * len(questions) if self.answers is None else self.answers
        return answers


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> type[Judge]:
    monkeypatch.setattr(Judge, "asked", [])
    monkeypatch.setattr(Judge, "answers", None)
    return Judge


def judged(judge: type[Judge]) -> Planned:
    by = metric(judge(), "judge")
    return obj({"rows": array(obj({"id": leaf(), "text": leaf(by)}), "hungarian"), "title": leaf(by), "n": leaf()})


EXPECTED = {"rows": [{"id": 1, "text": "a"}, {"id": 2, "text": "same"}], "title": "t", "n": 1}
OUTPUT = {"rows": [{"id": 2, "text": "same"}, {"id": 1, "text": "b"}], "title": "u", "n": 1}


def test_a_batch_comparator_is_asked_once_about_the_pairs_that_were_chosen(judge: type[Judge]) -> None:
    scored = score(judged(judge), EXPECTED, OUTPUT)
    assert [[question.path for question in call] for call in judge.asked] == [["rows[0].text", "title"]]
    assert counted(scored.fields) == (6, 0, 0, 0)


def test_while_pairing_a_judged_text_matches_when_only_case_and_spaces_differ(judge: type[Judge]) -> None:
    planned = array(leaf(metric(judge(), "judge")), "hungarian")
    assert [one.path for one in score(planned, ["One  two", "b"], ["x", "one two"]).fields] == ["[0]", "[1]", "[+0]"]


@pytest.mark.parametrize(
    "answers", [[True], "yes", [None, None], RuntimeError("down"), RowProblem(Issue("x", Blame.ENVIRONMENT, "late"))]
)
def test_a_batch_that_breaks_costs_its_own_fields_and_the_row_its_score(
    judge: type[Judge], monkeypatch: pytest.MonkeyPatch, answers: Any
) -> None:
    monkeypatch.setattr(Judge, "answers", answers)
    scored = score(judged(judge), EXPECTED, OUTPUT)
    assert {one.path: one.status for one in scored.fields if one.status is not FieldStatus.MATCH} == {
        "rows[0].text": FieldStatus.NOT_JUDGED,
        "title": FieldStatus.NOT_JUDGED,
    }
    assert scored.problem is not None


def test_an_answer_with_partial_credit_is_kept(judge: type[Judge], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judge, "answers", [0.5])
    result = only(leaf(metric(judge(), "judge")), "a", "b")
    assert (result.status, result.score) == (FieldStatus.MISMATCH, 0.5)


def test_what_a_comparator_says_beside_its_score_is_kept(judge: type[Judge], monkeypatch: pytest.MonkeyPatch) -> None:
    said = Comparison(0.0, False, "another thing", {"model": "m", "outside": True, "metric": "mine"})
    monkeypatch.setattr(Judge, "answers", [said])
    result = only(leaf(metric(judge(), "judge")), "a", "b")
    assert result.reason == "another thing"
    assert result.details == {"model": "m", "metric": "judge", "batch": True, "code": "mismatch"}


# Depth


def recursive(path: tuple[Any, ...] = ()) -> FieldNode:
    """A node that has itself below it, without end."""
    made = lambda: Below(keys={"v": leaf()((*path, "v")), "c": recursive((*path, "c"))})  # noqa: E731 - a tree in one line
    return FieldNode(path, "object", make=made)


def test_a_schema_may_refer_to_itself_and_documents_may_be_deep() -> None:
    expected: dict[str, Any] = {"v": 1}
    output: dict[str, Any] = {"v": 2}
    for number in range(298):
        expected, output = {"c": expected, "v": number}, {"c": output, "v": number}
    scored = score_document(recursive(), expected, output)
    assert counted(scored.fields) == (298, 1, 0, 0)


def test_a_choice_with_one_branch_that_fits_may_be_as_deep() -> None:
    def nullable(path: tuple[Any, ...]) -> FieldNode:
        return choice(leaf(), obj({"v": leaf(), "c": nullable}))(path)

    expected: dict[str, Any] = {"v": 1, "c": None}
    for number in range(298):
        expected = {"v": number, "c": expected}
    scored = score(nullable, expected, expected)
    assert counted(scored.fields) == (300, 0, 0, 0)


@pytest.mark.slow
def test_alignment_that_is_nested_too_deeply_is_a_problem_of_the_row() -> None:
    def nested(path: tuple[Any, ...]) -> FieldNode:
        return array(nested, "hungarian")(path)

    expected: list[Any] = [[]]
    for _ in range(280):
        expected = [expected]
    scored = score(nested, expected, [expected])
    assert scored.fields == ()
    assert scored.problem is not None
    assert scored.problem.issue.code == "nested-too-deeply"
