"""`align: {hungarian: {ask: leftover}}`: a judge is asked about items that cheap comparators could not pair, and no others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

import evaluators
from evaluators.fields.pair import CANDIDATES, most_like
from evaluators.fields.reading import read_align
from evaluators.judges.judge import JUDGES, Judge, JudgeAnswer, JudgeQuestion
from evaluators.settings import BadSettings

SYNONYMS = ({"car", "automobile"}, {"boat", "ship"}, {"plane", "aircraft"}, {"red car", "scarlet automobile"})


class Thesaurus(Judge):
    """Two texts are the same where the thesaurus says so."""

    asked: ClassVar[list[tuple[Any, Any]]] = []
    calls: ClassVar[list[int]] = []
    places: ClassVar[list[tuple[int, str]]] = []

    def answer(self, questions: Sequence[JudgeQuestion]) -> list[JudgeAnswer]:
        self.calls.append(len(questions))
        self.asked.extend((one.expected, one.actual) for one in questions)
        self.places.extend((one.row, one.path) for one in questions)
        return [JudgeAnswer(float(any({one.expected, one.actual} <= group for group in SYNONYMS))) for one in questions]


@pytest.fixture(autouse=True)
def thesaurus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JUDGES._registered, "thesaurus", Thesaurus)
    Thesaurus.asked.clear()
    Thesaurus.calls.clear()


ASKING = {"hungarian": {"ask": "leftover"}}


def families(align: Any) -> dict[str, dict[str, Any]]:
    return {
        "a list of texts": {"json_multi_field_match": {"fields": {"t": {"compare": "semantic", "align": align}}}},
        "listed items": {"json_multi_field_match": {"fields": {"t[*]": "semantic", "t": {"align": align}}}},
        "a query": {"json_multi_field_match": {"fields": {"$.t[?@ != 'x']": {"compare": "semantic", "align": align}}}},
        "fields of a schema": {"schema_match": {"fields": {"t[*]": "semantic", "t": {"align": align}}}},
    }


def run(family: dict[str, Any], folder: Path, expected: Any, output: Any, copies: int = 1) -> evaluators.RunResult:
    file = folder / "rows.jsonl"
    row = {"expected": {"t": expected}, "output": {"t": output}}
    file.write_text("".join(json.dumps({"id": str(n), **row}) + "\n" for n in range(copies)), encoding="utf-8")
    return evaluators.load({"judge": "thesaurus", "evaluators": [family]}).run(file).result


@pytest.mark.parametrize("name", ["a list of texts", "fields of a schema"])
def test_items_that_are_paired_cheaply_are_not_asked_about(name: str, tmp_path: Path) -> None:
    expected = ["one", "two", "three", "car"]
    output = ["Three", "automobile", "one", "TWO"]
    (stats,) = run(families(ASKING)[name], tmp_path, expected, output).evaluators
    assert stats.mean == 1.0
    assert Thesaurus.asked == [("car", "automobile")]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a list of texts", "listed items", "fields of a schema"])
def test_questions_grow_with_the_leftovers_and_not_with_their_product(name: str, tmp_path: Path) -> None:
    expected = [f"left {number} a" for number in range(60)]
    output = [f"other {number} b" for number in range(60)]
    run(families(ASKING)[name], tmp_path, expected, output)
    assert 0 < len(Thesaurus.asked) <= 60 * CANDIDATES


def test_a_judge_that_says_no_leaves_them_apart(tmp_path: Path) -> None:
    (stats,) = run(families(ASKING)["fields of a schema"], tmp_path, ["car"], ["boat"]).evaluators
    assert stats.counts is not None
    assert (stats.counts.match, stats.counts.omission, stats.counts.hallucination) == (0, 1, 1)


def test_the_answers_that_paired_items_are_those_that_score_them(tmp_path: Path) -> None:
    run(families(ASKING)["fields of a schema"], tmp_path, ["car", "boat"], ["ship", "automobile"])
    assert sum(Thesaurus.calls) == len(set(Thesaurus.asked)) == 4
    assert len(Thesaurus.calls) == 1


def test_items_of_items_are_paired_once_their_lists_are(tmp_path: Path) -> None:
    fields = {"t[*].sku": "exact", "t[*].parts[*]": "semantic", "t": {"align": ASKING}, "t[*].parts": {"align": ASKING}}
    expected = [{"sku": n, "parts": ["car", "boat"]} for n in range(6)]
    output = [{"sku": n, "parts": ["ship", "automobile"]} for n in reversed(range(6))]
    for kind in ("json_multi_field_match", "schema_match"):
        Thesaurus.asked.clear()
        (stats,) = run({kind: {"fields": fields}}, tmp_path, expected, output).evaluators
        assert stats.mean == 1.0
        assert set(Thesaurus.asked) == {(a, b) for a in ("car", "boat") for b in ("ship", "automobile")}


def test_the_most_alike_come_first() -> None:
    others = [f"item {number}" for number in range(20)] + ["scarlet automobile", "a red boat"]
    assert 21 in most_like("red car", others, 3)
    assert most_like("red car", ["x", "y"], 8) == [0, 1]


def test_what_may_be_asked_is_said_in_one_word() -> None:
    assert read_align(ASKING).rule == "hungarian {ask: leftover}"
    with pytest.raises(BadSettings, match="ask must be leftover"):
        read_align({"hungarian": {"ask": True}})
