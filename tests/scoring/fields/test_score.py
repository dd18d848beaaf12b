"""What becomes of each place of two documents: the reference scorer of a tree of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.rows import MISSING, FieldStatus, Outcome
from evaluators.scoring.comparators._comparator import Answer, Comparator, Question
from evaluators.scoring.fields.outcomes import Scored
from evaluators.scoring.fields.tree import FieldNode
from evaluators.scoring.values.transforms import parse_transform
from tests.kit import read_yaml
from tests.scoring.fields.alone import score_document
from tests.scoring.fields.figures import counted
from tests.scoring.fields.trees import Planned, array, choice, leaf, metric, obj, tree

TABLE: list[Any] = read_yaml(Path(__file__).parent / "presence.yaml")
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


# Skip and required


def test_a_required_object_that_neither_side_has_stands_for_what_is_required_in_it() -> None:
    planned = obj({"a": obj({"b": leaf(required=True), "c": leaf()}, required=True), "d": obj({}, required=True)})
    assert words(planned, {"x": 1}, {}) == ["a.b omission", "d omission"]


# Compound


NAME = obj({"surname": leaf(transforms=(parse_transform("casefold"),)), "name": leaf(), "born": leaf()},
           compound=(("surname", "name"), metric()))  # fmt: skip


def test_a_lost_compound_and_what_stands_in_its_place_are_two_results() -> None:
    assert counted(score(NAME, {"surname": "X"}, "junk").fields) == (0, 0, 1, 1)


# Choice


CIRCLE, SQUARE = obj({"kind": leaf(), "radius": leaf()}), obj({"kind": leaf(), "side": leaf()})


@pytest.mark.parametrize("inner", [SQUARE, choice(leaf(), SQUARE)])
def test_a_key_of_another_branch_is_known(inner: Planned) -> None:
    output = {"kind": "c", "radius": 1, "side": {"a": [2]}, "edge": 3}
    by_path = {one.path: one for one in score(choice(CIRCLE, inner), {"kind": "c", "radius": 1}, output).fields}
    assert by_path["side.a[+0]"].reason == "only the output has it, and it belongs to another branch of the schema"
    assert by_path["edge"].reason == "only the output has it, and the schema does not know it"
    assert [by_path[path].status for path in ("side.a[+0]", "edge")] == [FieldStatus.HALLUCINATION] * 2


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


# Depth


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
