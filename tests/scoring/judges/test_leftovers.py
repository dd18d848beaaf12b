"""`align: {hungarian: {ask: leftover}}`: a judge is asked about items that cheap comparators could not pair, and no others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

import evaluators
from evaluators.integrations.compat import struct_extract_eval
from evaluators.model.settings import BadSettings
from evaluators.scoring.fields.pairing import CANDIDATES, most_similar
from evaluators.scoring.fields.reading import read_align
from evaluators.scoring.judges.judge import JUDGES, Judge, JudgeAnswer, JudgeQuestion
from tests import kit

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
    lines = [{"id": str(n), "expected": {"t": expected}, "output": {"t": output}} for n in range(copies)]
    return kit.run(folder, {"judge": "thesaurus", "evaluators": [family]}, lines)


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


def x_eval(align: dict[str, Any], items: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"t": {"type": "array", "x-eval-align": align, "items": items}}}
    return {"schema_match": {"schema": schema}}


def config(said: dict[str, Any], items: dict[str, Any], **settings: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"t": {"type": "array", "items": items, **said}}}
    return {"schema_match": {"schema": schema, **settings}}


TEXT = {"type": "string", "x-eval-compare": "semantic"}
META = {"type": "string", "evaluation_config": "semantic"}
HUNGARIAN = {"metrics": [{"metric_id": "hungarian", "params": {"ask": "leftover"}}]}
DIALECTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "x-eval": (
        x_eval({"match_by": "hungarian"}, TEXT),
        x_eval({"match_by": "hungarian", "ask": "leftover"}, TEXT),
    ),
    "x-eval with a threshold": (
        x_eval({"match_by": "hungarian", "threshold": 0.5}, TEXT),
        x_eval({"match_by": "hungarian", "threshold": 0.5, "ask": "leftover"}, TEXT),
    ),
    "x-eval in any order": (
        x_eval({"match_by": "any_order"}, TEXT),
        x_eval({"match_by": "hungarian", "ask": "leftover"}, TEXT),
    ),
    "evaluation_config": (config({}, META), config({"evaluation_config": HUNGARIAN}, META)),
    "evaluation_config by default": (config({}, META), config({}, META, defaults={"array": ASKING})),
    "evaluation_config of a choice": (
        config({"type": ["array", "null"]}, META),
        config({"type": ["array", "null"], "evaluation_config": HUNGARIAN}, META),
    ),
    **{name: (families("hungarian")[name], families(ASKING)[name]) for name in families(ASKING)},
    **{f"{name}, in any order": (families("any_order")[name], families(ASKING)[name]) for name in families(ASKING)},
}


@pytest.mark.parametrize("name", DIALECTS)
def test_what_pairing_does_not_ask_is_said_with_the_line_that_asks(name: str, tmp_path: Path) -> None:
    silent, asking = DIALECTS[name]
    results = []
    for family in (silent, asking):
        notes = evaluators.load({"judge": "thesaurus", "evaluators": [family]}).notes
        results.append((run(family, tmp_path, ["car", "boat"], ["ship", "automobile"]).evaluators[0].mean, notes))
    (unpaired, (note,)), (paired, nothing) = results
    assert (unpaired, paired, nothing) == (0.0, 1.0, ())
    assert "are paired without asking about" in note
    line = note.partition("are left over, write ")[2]
    if "defaults" not in asking.get("schema_match", {}):
        written = json.dumps(asking) if line.startswith('"') else str(asking).replace("'", "")
        assert line.removeprefix("align: ") in written


def test_what_pairing_does_not_ask_is_told_by_check_run_and_python(tmp_path: Path) -> None:
    silent, asking = DIALECTS["x-eval"]
    result = run(silent, tmp_path, ["car"], ["automobile"])
    assert any('"x-eval-align": {"match_by": "hungarian", "ask": "leftover"}' in note for note in result.notes)
    given = {"judge": {"thesaurus": {}}, "schema": silent["schema_match"]["schema"]}
    found = struct_extract_eval.evaluate([{"t": ["car"]}], [{"t": ["automobile"]}], **given)
    assert (found.mean_f1, [one.code for one in found.warnings]) == (0.0, ["schema-note"])
    given["schema"] = asking["schema_match"]["schema"]
    found = struct_extract_eval.evaluate([{"t": ["car"]}], [{"t": ["automobile"]}], **given)
    assert (found.mean_f1, found.warnings) == (1.0, ())


@pytest.mark.parametrize(
    "family",
    [
        x_eval({"match_by": "hungarian"}, {"type": "string"}),
        x_eval({"match_by": "ordered"}, TEXT),
        x_eval(
            {"match_by": "key_field", "key": "k"}, {"type": "object", "properties": {"k": {"type": "string"}, "n": TEXT}}
        ),
        {"schema_match": {"fields": {"t": {"align": "hungarian"}, "t[*].a": "exact", "u": "semantic"}}},
    ],
)
def test_nothing_is_said_where_pairing_has_nobody_to_ask(family: dict[str, Any]) -> None:
    assert evaluators.load({"judge": "thesaurus", "evaluators": [family]}).notes == ()


@pytest.mark.parametrize("batch", [True, "row"])
def test_a_function_that_takes_all_fields_of_a_record_is_asked_about_each_pair(batch: Any, tmp_path: Path) -> None:
    calls: list[list[tuple[Any, Any]]] = []

    def alike(questions: Sequence[evaluators.Question], params: Any) -> list[bool]:
        calls.append([(one.expected, one.actual) for one in questions])
        return [any({one.expected, one.actual} <= group for group in SYNONYMS) for one in questions]

    evaluators.register("semantic", alike, batch=batch, overwrite=True)
    item = {"type": "object", "properties": {"a": TEXT, "b": TEXT}}
    documents = [[{"a": "car", "b": "boat"}], [{"a": "automobile", "b": "ship"}]]
    (stats,) = run(x_eval({"match_by": "hungarian", "ask": "leftover"}, item), tmp_path, *documents).evaluators
    assert stats.mean == 1.0
    assert calls == [[("car", "automobile"), ("boat", "ship")]]


@pytest.mark.parametrize("how", ["any_order", "ordered", "key_field"])
def test_only_hungarian_asks(how: str) -> None:
    align = {"match_by": how, "ask": "leftover", **({"key": "k"} if how == "key_field" else {})}
    with pytest.raises(evaluators.Problems, match=f'"ask" is about items that hungarian leaves over; {how} asks nobody'):
        evaluators.load({"judge": "thesaurus", "evaluators": [x_eval(align, TEXT)]})


def test_the_usual_alignment_of_lists_is_a_setting_of_both_dialects(tmp_path: Path) -> None:
    for words in ({"x-eval-compare": "exact"}, {"evaluation_config": "string_exact"}):
        schema = {
            "type": "object", "properties": {"t": {"type": "array", "items": {"type": "string", **words}}}
        }  # fmt: skip
        means = [
            run({"schema_match": {"schema": schema, "score": "f1", "defaults": {"array": how}}}, tmp_path, ["a", "b"], ["b", "a"])
            .evaluators[0].mean
            for how in ("ordered", "hungarian")
        ]  # fmt: skip
        assert means == [0.0, 1.0]


def test_the_most_alike_come_first() -> None:
    others = [f"item {number}" for number in range(20)] + ["scarlet automobile", "a red boat"]
    assert 21 in most_similar("red car", others, 3)
    assert most_similar("red car", ["x", "y"], 8) == [0, 1]


def test_what_may_be_asked_is_said_in_one_word() -> None:
    assert read_align(ASKING).rule == "hungarian {ask: leftover}"
    with pytest.raises(BadSettings, match="ask must be leftover"):
        read_align({"hungarian": {"ask": True}})
