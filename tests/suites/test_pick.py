"""Which of several JSON documents in an output counts: one per row, for every evaluator that reads the column."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.api.loading import loads
from evaluators.model.issues import CellError, Problems
from evaluators.model.rows import RowStatus
from evaluators.reports.html.rows import document_note
from evaluators.runs.kept_documents import document_of
from evaluators.runs.storing import readings_of
from evaluators.scoring.evaluators._evaluator import Output
from evaluators.scoring.plan.need_steps import keys_of
from evaluators.scoring.plan.suite_plan import Plan
from evaluators.scoring.values.json_choice import PickedDocument
from evaluators.scoring.values.quoting import kind
from tests.kit import write_rows

EVERY = """
evaluators:
  - contains_json
  - {type: contains_json, name: has_list, require: array}
  - json_schema_valid: {schema: {type: object, properties: {name: {type: string}}}}
  - json_multi_field_match: {fields: [total, "lines[*].sku"]}
  - schema_match: {fields: [kind]}
  - json_diff_match
  - json_field_match
  - json_field_match_normalized
  - field_match: {field: city}
"""
KEYS = {"name", "total", "lines", "kind", "city"}


def documents(plan: Plan, output: str, expected: str) -> dict[str, Any]:
    """What each evaluator reads of the output, by its name."""
    slots = plan.run({"output": [output], "expected": [expected]}, 1)
    return {
        one.line.name: slots[slot][0]
        for one in plan.evaluators
        for need, slot in zip(one.line.settings.needs(), one.inputs, strict=True)
        if isinstance(need, Output)
    }


def figures(text: str, output: str, expected: str) -> dict[str, float | None]:
    found = loads(text).evaluate({"output": output, "expected": expected}).results
    return {name: result.score for name, result in found.items()}


def test_the_keys_of_a_suite_are_those_of_all_its_fields_and_schemas() -> None:
    assert keys_of(loads(EVERY).lines) == KEYS


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("json_multi_field_match: {fields: [vendor.name, /total, $.items, '$[\"odd key\"]', '[*].sku', '$.rows[?(@.a)].b']}",
         {"vendor", "vendor.name", "total", "items", "odd key", "sku", "rows"}),
        ("json_multi_field_match: {fields: [$..anything]}", set()),
        ("schema_match: {fields: {items: {align: hungarian}, 'items[*].sku': exact}}", {"items"}),
        ("schema_match: {schema: {type: array, items: {type: object, properties: {sku: {type: string}}}}}", {"sku"}),
        ("schema_match: {schema: {type: object, properties: {a: {type: string, evaluation_config: string_exact}}}}", {"a"}),
        ("schema_match: {schema: {column: schema}}", set()),
        ("schema_match: {schema: infer}", set()),
        ("json_schema_valid: {schema: {$ref: '#/$defs/a', $defs: {a: {properties: {a: true}, anyOf: [required: [b]]}}}}",
         {"a", "b"}),
        ("json_schema_valid: {schema: {items: {properties: {a: true}}}}", {"a"}),
        ("json_schema_valid: {schema: true}", set()),
        ("field_match: {field: a.b}", {"a.b"}),
        ("json_field_match", set()),
        ("contains_json", set()),
    ],
)  # fmt: skip
def test_each_evaluator_names_the_keys_at_the_top(line: str, keys: set[str]) -> None:
    assert keys_of(loads(f"evaluators:\n  - {line}").lines) == keys


def test_equal_needs_are_one_node_and_a_pick_of_its_own_is_another() -> None:
    shared = loads("evaluators: [json_diff_match, {type: json_diff_match, name: twice}]").plan()
    apart = loads("evaluators: [json_diff_match, {type: json_diff_match, name: twice, pick: first}]").plan()
    for made, nodes in ((shared, 1), (apart, 2)):
        assert sum(step.does.startswith("JSON in output") for step in made.steps) == nodes
        assert sum(step.does.startswith("output document") for step in made.steps) == nodes
    assert "pick: first" in apart.describe()


SHAPES = {
    "reasoning": '<think>{"total": 1}</think>{"total": 2}',
    "draft and final": 'Draft {"total": 1}. Final: {"total": 2}',
    "schema and answer": 'The schema is {"type": "object", "properties": {}}, so: {"total": 2}',
    "answer and schema": '{"total": 2}, as asked in {"type": "object", "properties": {}}',
    "draft and fence": '{"total": 1, "name": "x"}\n```json\n{"total": 2}\n```',
    "list and object": '{"total": 2} (see [1], [2])',
}


@pytest.mark.parametrize("output", SHAPES.values(), ids=SHAPES)
def test_the_answer_counts_for_every_evaluator(output: str) -> None:
    expected = '{"total": 2}'
    found = documents(loads(EVERY).plan(), output, expected)
    del found["has_list"]
    assert {name: value for name, value in found.items() if value != {"total": 2}} == {}
    scores = figures(EVERY, output, expected)
    assert scores["json_diff_match"] == scores["json_field_match"] == scores["json_multi_field_match"] == 1.0


def test_an_evaluator_that_wants_another_kind_gets_the_best_of_that_kind() -> None:
    found = documents(loads(EVERY).plan(), '{"total": 2} (see [1], [2])', '{"total": 2}')
    assert found["has_list"] == [2]
    assert found["contains_json"] == {"total": 2}


def test_the_kind_of_the_expected_document_goes_before_the_last() -> None:
    suite = "evaluators: [json_diff_match, json_schema_valid: {schema: {}}]"
    output = '[1, 2] as in {"a": 1} or {"b": [3]}'
    assert list(documents(loads(suite).plan(), output, "[1, 2]").values()) == [[1, 2], [1, 2]]
    assert list(documents(loads(suite).plan(), output, '{"b": [3]}').values()) == [{"b": [3]}, {"b": [3]}]


def test_what_is_expected_never_chooses() -> None:
    output = '{"a": 1, "b": 2} then {"c": 3}'
    for expected in ('{"a": 1, "b": 2}', '{"c": 3}'):
        assert documents(loads("evaluators: [json_diff_match]").plan(), output, expected) == {"json_diff_match": {"c": 3}}


@pytest.mark.parametrize(
    ("settings_", "score"),
    [
        ("test_set: {file: r.csv}\nevaluators: [json_diff_match]", 0.0),
        ("test_set: {file: r.csv, pick: first}\nevaluators: [json_diff_match]", 1.0),
        ("test_set: {file: r.csv, pick: last}\nevaluators: [json_diff_match: {pick: first}]", 1.0),
        ("evaluators: [json_diff_match: {pick: largest}]", 1.0),
        ("evaluators: [{type: json_diff_match, pick: only}]", 0.0),
    ],
)
def test_pick_stands_on_the_test_set_or_on_an_evaluator(settings_: str, score: float) -> None:
    assert figures(settings_, '{"total": 10} or {"total": 2}', '{"total": 10}') == {"json_diff_match": score}


def test_only_makes_an_output_with_several_unreadable() -> None:
    suite = loads("test_set: {file: r.csv, pick: only}\nevaluators: [json_diff_match, contains_json]")
    results = suite.evaluate({"output": "see [1]: {}", "expected": "{}"}).results
    said = "the output is not usable JSON: the text holds 2 JSON documents, and `pick: only` takes no more than one"
    found = results["json_diff_match"]
    assert (found.status, found.score, found.reason) == (RowStatus.UNREADABLE, 0.0, said)
    assert results["contains_json"].reason == said


@pytest.mark.parametrize("text", ["test_set: {file: r.csv, pick: best}", "evaluators: [json_diff_match: {pick: best}]"])
def test_another_word_is_refused_with_its_place(text: str) -> None:
    both = text if "evaluators" in text else f"{text}\nevaluators: [json_diff_match]"
    with pytest.raises(Problems) as caught:
        loads(both)
    assert "fitting" in str(caught.value)
    assert "largest" in str(caught.value)


def test_strict_reading_takes_no_pick_and_refuses_reasoning() -> None:
    suite = "test_set: {file: r.csv, parse: strict, pick: last}\nevaluators: [json_diff_match]"
    assert figures(suite, '<think></think>{"a": 1}', '{"a": 1}') == {"json_diff_match": 0.0}


def test_the_plan_says_which_was_taken_and_counts_rows_with_several() -> None:
    plan = loads(EVERY).plan()
    outputs = [
        '{"total": 2}',
        'A {"total": 1} B {"total": 2}',
        "none",
        '```json\n{"total": 2}\n```',
        "<think>{}</think>{}",
    ]
    slots = plan.run({"output": outputs, "expected": ['{"total": 2}'] * len(outputs)}, len(outputs))
    assert plan.count_several(slots) == 1
    one = next(each for each in plan.evaluators if each.line.name == "json_diff_match")
    chosen = [plan.picked_document(one, 1, slots, index) for index in range(len(outputs))]
    assert chosen[0] is None
    assert isinstance(chosen[2], CellError)
    assert [each.which for each in chosen if isinstance(each, PickedDocument)] == [
        "It is number 2 of 2 JSON documents there.",
        "",
        "The reasoning in its tags is set aside first.",
    ]


# one row, one document

values = st.recursive(
    st.sampled_from([1, "x", None, True]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["name", "total", "z"]), inner, max_size=3)
    ),
    max_leaves=5,
)
containers = values.filter(lambda value: isinstance(value, (dict, list)))
frames = st.sampled_from(["{} ", "see {} ", "```json\n{}\n```\n", "<think>{}</think>", "({}) ", "{},\n"])
outputs = st.lists(st.tuples(frames, containers), min_size=1, max_size=4).map(
    lambda parts: "so: " + "".join(frame.replace("{}", json.dumps(value)) for frame, value in parts)
)
plans = {
    pick: loads(f"test_set: {{file: r.csv, pick: {pick}}}{EVERY}").plan() for pick in ("fitting", "first", "largest")
}


@given(outputs, containers, st.sampled_from(sorted(plans)))
def test_one_row_has_one_document_for_all_evaluators_whose_kind_it_is(output: str, expected: Any, pick: str) -> None:
    found = documents(plans[pick], output, json.dumps(expected))
    shared = found["json_diff_match"]
    if isinstance(shared, CellError):
        return
    alike = [name for name, value in found.items() if not isinstance(value, CellError) and kind(value) == kind(shared)]
    assert {"contains_json", "json_schema_valid", "json_multi_field_match", "schema_match"} <= set(alike)
    assert {json.dumps(found[name]) for name in alike} == {json.dumps(shared)}


@given(containers, st.sampled_from(sorted(plans)))
def test_an_output_that_is_json_is_read_as_it_stands(value: Any, pick: str) -> None:
    wrapped = {"text": "<think>", "name": value, "more": "</think> ```json\n{}\n```"}
    found = documents(plans[pick], json.dumps(wrapped), json.dumps({"name": 1}))
    assert [found[name] for name in ("json_diff_match", "contains_json", "json_field_match")] == [wrapped] * 3


ROWS = [
    {"output": '{"a": 1}', "expected": '{"a": 1}'},
    {"output": 'A {"a": 0} B {"a": 1}', "expected": '{"a": 1}'},
    {"output": "[1] {}", "expected": "{}"},
]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_note_counts_the_outputs_with_several_documents(tmp_path: Path, workers: int) -> None:
    rows = tmp_path / "rows.jsonl"
    write_rows(rows, ROWS)
    suite = "evaluators: [json_diff_match, exact_match, {type: json_field_match, pick: first}]"
    notes = loads(suite).run(rows, workers=workers).notes
    said = "2 outputs hold more than one JSON document; which of them counts is said by `pick: fitting` and `pick: first`"
    assert [note for note in notes if "more than one" in note] == [said]
    rows.write_text(json.dumps(ROWS[0]), encoding="utf-8")
    assert not [note for note in loads(suite).run(rows).notes if "more than one" in note]


def test_the_row_page_says_which_was_taken_and_what_stands_around_it() -> None:
    (one,) = loads("evaluators: [json_diff_match]").plan().evaluators
    reading = readings_of(one, {})[1]
    which = "It is number 2 of 2 JSON documents there."
    assert document_note(reading, ROWS[1]) == {"start": 13, "end": 21, "how": "embedded", "which": which}
    assert ROWS[1]["output"][13:21] == '{"a": 1}'


@given(outputs, containers, st.sampled_from(sorted(plans)))
def test_a_report_reads_a_kept_cell_as_the_evaluator_did(output: str, expected: Any, pick: str) -> None:
    cells = {"output": output, "expected": json.dumps(expected)}
    found = documents(plans[pick], output, cells["expected"])
    for one in plans[pick].evaluators:
        (reading,) = [each for each in readings_of(one, {}) if each.how == "output"]
        read = document_of(reading, cells)
        assert isinstance(read, CellError) == isinstance(found[one.line.name], CellError)
        assert isinstance(read, CellError) or json.dumps(read, sort_keys=True) == json.dumps(
            found[one.line.name], sort_keys=True
        )
