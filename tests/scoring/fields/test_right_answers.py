"""Several right answers, in an expected document or in a column: the list reaches the comparator as one value, everywhere."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from evaluators import load
from evaluators.model.issues import Problems
from evaluators.model.settings import build
from evaluators.scoring.comparators._comparator import COMPARATORS
from evaluators.scoring.fields.expected_check import check_listed
from evaluators.scoring.fields.listed import ListedTree
from evaluators.scoring.fields.row_checks import ChunkCheck
from evaluators.scoring.fields.schema_scoring import SchemaScoring

ANSWERS = {"one_of": {"answers": "expected"}}
IN_ITEMS = {"type": "object", "properties": {"a": {"type": "string", "x-eval-compare": ANSWERS}}}
WAYS: dict[str, dict[str, Any]] = {
    "fields": {"fields": {"items": {"align": "any_order"}, "items[*].a": ANSWERS}},
    "a schema": {
        "schema": {
            "type": "object",
            "properties": {
                "items": {"type": "array", "items": IN_ITEMS, "x-eval-align": {"match_by": "any_order"}}
            },
        }
    },
}  # fmt: skip
VALUES = st.sampled_from(["a", "A", "b", "", 1, 1.0, True, None, ["a"], ["a", "b"], {"a": "b"}])


@given(st.lists(VALUES, min_size=1, max_size=4), VALUES, st.sampled_from(["keep", "ignore"]))
def test_a_list_of_answers_is_worth_its_best_answer(answers: list[Any], output: Any, case: str) -> None:
    listed = build(COMPARATORS.find("one_of"), {"answers": "expected", "case": case})
    alone = build(COMPARATORS.find("normalized"), {"case": case})
    assert listed.answer(answers, output).score == max(alone.answer(one, output).score for one in answers)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("output", "right"),
    [
        ([{"a": "z"}, {"a": "y"}], 2),
        ([{"a": ["x", "y"]}, {"a": ["z"]}], 0),
        ([{"a": "x"}, {"a": "x"}], 1),
    ],
)  # fmt: skip
def test_items_are_paired_by_any_of_their_answers(way: str, output: list[Any], right: int) -> None:
    suite = load({"evaluators": [{"schema_match": {"name": "s", **WAYS[way]}}]})
    expected = {"items": [{"a": ["x", "y"]}, {"a": ["z"]}]}
    fields = suite.evaluate({"expected": expected, "output": {"items": output}})["s"].fields
    assert [field.status.word for field in fields].count("match") == right


@pytest.mark.parametrize("output", [[], "x"])
def test_an_empty_list_of_answers_is_a_fault_of_the_test_set(output: object) -> None:
    suite = load({"evaluators": [{"schema_match": {"name": "s", "fields": {"a": ANSWERS}}}]})
    found = suite.evaluate({"expected": {"a": []}, "output": {"a": output}})["s"]
    assert found.score is None
    assert found.issue is not None
    assert (found.issue.code, found.issue.blame.value) == ("expected-unreadable", "testset")


IN_COLUMN = {"one_of": {"answers": "row.others"}}
FREE = {"align": "any_order"}
INNER = {"items[*].inner": FREE, "items[*].inner[*].a": IN_COLUMN, "items[*].inner[*].n": "exact"}
LISTED = {"items": FREE, "items[*].a": IN_COLUMN, "b": IN_COLUMN, **INNER}
BOTH = [
    {"schema_match": {"name": "schema", "fields": LISTED}},
    {"json_multi_field_match": {"name": "listed", "fields": LISTED}},
]
ITEMS = st.lists(st.fixed_dictionaries({"a": VALUES}), max_size=3)
DOCUMENTS = st.fixed_dictionaries({"b": VALUES, "items": ITEMS})
ROWS = st.fixed_dictionaries({"expected": DOCUMENTS, "output": DOCUMENTS, "others": st.lists(VALUES, max_size=2)})


def with_lists(row: dict[str, Any]) -> dict[str, Any]:
    """The row with the answers of its cell in its expected document, beside each expected value."""
    expected, others = row["expected"], row["others"]
    items = [{"a": [item["a"], *others]} for item in expected["items"]]
    return {**row, "expected": {"b": [expected["b"], *others], "items": items}}


@given(ROWS)
def test_answers_in_a_column_are_those_of_an_expected_list_with_the_expected_value(row: dict[str, Any]) -> None:
    given_so, listed = json.loads(json.dumps(BOTH).replace("row.others", "expected")), with_lists(row)
    items = listed["expected"]["items"]
    # lists that are equal as a whole are paired in order, without a look at their values
    assume(not items or items != row["output"]["items"])
    here, there = load({"evaluators": BOTH}).evaluate(row), load({"evaluators": given_so}).evaluate(listed)
    for name in ("schema", "listed"):
        assert (here[name].score, here[name].passed) == (there[name].score, there[name].passed)
        assert [one.status for one in here[name].fields] == [one.status for one in there[name].fields]


@pytest.mark.parametrize("seed", range(3))
def test_rows_with_the_same_documents_have_their_own_answers(seed: int) -> None:
    draw = Random(seed)

    def document() -> dict[str, Any]:
        inner = [
            [{"a": draw.choice("xyz"), "n": draw.randint(0, 1)} for _ in range(draw.randint(0, 2))] for _ in range(3)
        ]
        return {"b": draw.choice("xyz"), "items": [{"a": draw.choice("xyz"), "inner": one} for one in inner]}

    for _ in range(20):
        rows = [(document(), document()) for _ in range(2)]
        every = [(*row, cell) for row in rows for cell in (["x"], ["y"], ["z"], [], ["x", "y"])]  # the very same objects
        for line in load({"evaluators": BOTH}).lines:
            together, alone = line.settings.compile(), line.settings.compile()
            assert isinstance(together, ChunkCheck)
            assert together.verdicts(*zip(*every, strict=True)) == [alone(*row) for row in every]


def test_a_column_that_is_not_there_is_found_before_the_first_row(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('output,expected,others\n"{}","{}",x\n', encoding="utf-8")
    own = "comparators:\n  town: {one_of: {answers: row.other}}\n"
    for before, named, place in (("", "{one_of: {answers: row.other}}", "3:48"), (own, "town", "2:28")):
        text = f"{before}evaluators:\n  - json_multi_field_match:\n      fields: {{a: {{compare: {named}}}}}\n"
        (tmp_path / "suite.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(Problems) as raised:
            load(tmp_path / "suite.yaml").run(tmp_path / "rows.csv")
        (issue,) = raised.value.issues
        assert issue.where is not None
        assert issue.where.endswith(f"suite.yaml:{place}")
        assert 'there is no column "other"' in issue.message
        assert issue.hint == 'did you mean "others"?'


def test_the_column_is_among_those_that_a_suite_reads() -> None:
    for one in BOTH:
        assert load({"evaluators": [one]}).named_columns() == ["others"]


def test_documents_without_columns_refuse_it() -> None:
    from evaluators.integrations.compat.struct_extract_eval import evaluate

    schema = {"type": "object", "properties": {"a": {"type": "string", "x-eval-compare": IN_COLUMN}}}
    with pytest.raises(Problems, match='reads the column "others", and documents have no columns'):
        evaluate(gold=[{"a": "x"}], extracted=[{"a": "y"}], schema=schema)


def test_an_expected_document_alone_is_not_held_against_answers_that_stand_in_a_cell() -> None:
    for line in load({"evaluators": BOTH}).lines:
        tree = line.settings.scored_fields().tree
        assert isinstance(tree, ListedTree | SchemaScoring)
        for document in ({}, {"b": [], "items": [{"a": []}, {}]}):
            assert list(check_listed(document, tree)) == []


def with_pattern(pattern: object) -> list[dict[str, Any]]:
    fits = {"regex": {"pattern": pattern}}
    lines = {"items": FREE, "items[*].a": fits, "b": fits, "items[*].n": "exact", "gone.c": fits}
    half = {"type": "object", "properties": {"b": {"type": "string", "x-eval-compare": fits}, "items": {
        "type": "array", "items": {"type": "object", "properties": {"a": {"type": "string", "x-eval-compare": fits}}},
        "x-eval-align": {"match_by": "hungarian"},
    }}}  # fmt: skip
    return [
        {"schema_match": {"name": "fields", "fields": lines}},
        {"schema_match": {"name": "nulls", "fields": lines, "nulls": "absent"}},
        {"schema_match": {"name": "schema", "schema": half}},
        {"json_multi_field_match": {"name": "listed", "fields": lines}},
    ]


TEXTS = st.sampled_from(["a", "b", "ab", "", None, 1, ["a"]])
MAYBE = st.fixed_dictionaries({}, optional={"a": TEXTS, "n": st.integers(0, 1)})
TEXT_DOCUMENTS = st.fixed_dictionaries({}, optional={"b": TEXTS, "items": st.lists(MAYBE, max_size=3)})


@example({"b": "a", "items": [{"a": None, "n": 1}]}, {"items": [{"a": "a", "n": 1}]}, "a")
@example({"b": "a", "items": [{"a": None, "n": 1}, {"a": "a", "n": 1}]}, {"items": [{"a": "a", "n": 1}]}, "a")
@given(TEXT_DOCUMENTS, TEXT_DOCUMENTS, st.sampled_from(["a", "^b", "^$"]))
def test_a_pattern_in_a_column_is_that_pattern(expected: Any, output: Any, pattern: str) -> None:
    row = {"expected": expected, "output": output, "shape": pattern}
    here = load({"evaluators": with_pattern({"column": "shape"})}).evaluate(row)
    there = load({"evaluators": with_pattern(pattern)}).evaluate(row)
    for name in ("fields", "nulls", "schema", "listed"):
        assert (here[name].score, here[name].passed) == (there[name].score, there[name].passed)
        assert [(one.path, one.status) for one in here[name].fields] == [
            (one.path, one.status) for one in there[name].fields
        ]


def test_the_column_of_patterns_is_looked_for_before_the_first_row(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text('output,expected,shapes\n"{}","{}",x\n', encoding="utf-8")
    text = "evaluators:\n  - json_multi_field_match: {fields: {a: {regex: {pattern: {column: shape}}}}}\n"
    (tmp_path / "suite.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(Problems, match='there is no column "shape"') as raised:
        load(tmp_path / "suite.yaml").run(tmp_path / "rows.csv")
    (issue,) = raised.value.issues
    assert issue.where is not None
    assert issue.where.endswith("suite.yaml:2:69")
    assert issue.hint == 'did you mean "shapes"?'
