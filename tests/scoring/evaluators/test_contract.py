"""What every evaluator type promises, whatever its settings and whatever the row."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.model.issues import Blame, CellError, Problems, RowProblem
from evaluators.model.rows import JSON, MISSING, Result, RowStatus
from evaluators.model.settings import Filled, build, reading_filled
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator, Example, read_need
from evaluators.scoring.needs import Expected, Part
from tests.reference.settled import settle

TEXTS = st.one_of(
    st.text(max_size=30),
    st.text("aAß éİ\n", max_size=12),
    st.text('{}[]":,1a \n`<>/#-*|;\t\\', max_size=30),
    st.sampled_from(['{"a": 1}', '```json\n{"a": [1]}\n```', "a,b\n1,2", "# a", "<a/>", "- a\n- b", "", " ", "&a [*a]"]),
)
JSON_VALUES: st.SearchStrategy[JSON] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=5,
)
CELLS = TEXTS | JSON_VALUES | st.just(MISSING)


def alone(evaluator: Evaluator) -> bool:
    """It scores a row by itself, without other evaluators."""
    return not any(isinstance(need, Part) for need in evaluator.needs())


def configured() -> list[Any]:
    """Each type that asks no judge with the settings of each of its examples, those that differ."""
    found = {}
    for name in (name for name in BUILTIN.names() if "judge" not in BUILTIN.find(name).model_fields):
        for example in BUILTIN.find(name).examples:
            evaluator = evaluator_of(name, example)
            if alone(evaluator):
                found[repr(evaluator)] = pytest.param(evaluator, id=f"{name}: {example.title}")
    return list(found.values())


def evaluator_of(name: str, example: Example) -> Evaluator:
    return build(BUILTIN.find(name), dict(example.settings or {}))


def values_of(evaluator: Evaluator, cells: dict[str, Any]) -> list[Any]:
    values: list[Any] = []
    for need in evaluator.needs():
        values.append(read_need(need, cells, values, evaluator.needs()))
    return values


def explained(evaluator: Evaluator, values: list[Any]) -> Result | RowProblem:
    try:
        return evaluator.explain(*values)
    except RowProblem as problem:
        return problem


def checked(evaluator: Evaluator, values: list[Any]) -> Result | RowProblem:
    try:
        return evaluator.compile()(*values)
    except RowProblem as problem:
        return problem


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILTIN.names())
def test_a_type_has_a_page(name: str) -> None:
    plug = BUILTIN.find(name)
    first, _, rest = (plug.__doc__ or "").partition("\n\n")
    assert first.strip().endswith((".", ":")), "the first paragraph says what the type does"
    assert "\n" not in first.strip(), "in one line"
    assert rest.strip(), "and more follows: when to use it, what it does not forgive"
    assert plug.model_fields["type"].default == name
    for setting, schema in plug.model_json_schema()["properties"].items():
        assert setting == "type" or "description" in schema, f'the setting "{setting}" is described'


@pytest.mark.parametrize("evaluator", configured())
@given(output=CELLS, expected=CELLS, asked=TEXTS)
def test_the_fast_check_says_what_the_explanation_says(
    evaluator: Evaluator, output: Any, expected: Any, asked: str
) -> None:
    if any(isinstance(need, Expected) for need in evaluator.needs()) and not isinstance(expected, dict):
        expected = {"a": None if expected is MISSING else expected}  # what else may stand there, each type's table says
    values = values_of(evaluator, {"output": output, "expected": expected, "input": asked})
    faults = [value for value in values if isinstance(value, CellError)]
    if faults:
        if all(fault.issue.blame is Blame.OUTPUT for fault in faults):
            unreadable = evaluator.explain(*values)
            assert unreadable.score == 0.0
            assert unreadable.status in (RowStatus.SCORED, RowStatus.UNREADABLE)
        return
    score, verdict = explained(evaluator, values), checked(evaluator, values)
    if isinstance(score, RowProblem) or isinstance(verdict, RowProblem):
        assert isinstance(score, RowProblem)
        assert isinstance(verdict, RowProblem)
        assert score.issue.code == verdict.issue.code
        return
    wanted = settle(evaluator, score)
    assert (verdict.status, verdict.passed, verdict.score) == (wanted.status, wanted.passed, wanted.score)
    assert verdict.statuses == wanted.statuses
    assert score.score is None or 0.0 <= score.score <= 1.0


@pytest.mark.parametrize("name", ["exact_match", "similarity", "levenshtein", "correctness", "relevance"])
@given(text=TEXTS.filter(lambda text: bool(text.split())))
def test_a_text_is_like_itself(name: str, text: str) -> None:
    assert build(BUILTIN.find(name), {}).score(text, text, text).score == 1.0


@given(one=TEXTS, other=TEXTS, name=st.sampled_from(["similarity", "levenshtein"]))
def test_likeness_has_no_direction(one: str, other: str, name: str) -> None:
    evaluator = build(BUILTIN.find(name), {})
    assert evaluator.explain(one, other).score == evaluator.explain(other, one).score


def test_a_document_too_deep_for_its_schema_does_not_fit() -> None:
    step = {"allOf": [{"anyOf": [{"type": "object", "properties": {"next": {"$ref": "#/$defs/step"}}}]}]}
    evaluator = build(BUILTIN.find("json_schema_valid"), {"schema": {"$ref": "#/$defs/step", "$defs": {"step": step}}})
    document: JSON = {}
    for _ in range(290):
        document = {"next": document}
    score = evaluator.score(document)
    assert (score.score, evaluator.compile()(document).score) == (0.0, 0.0)
    assert score.reason is not None
    assert "too deeply" in score.reason


@pytest.mark.parametrize(
    "text", ["[" * 50_000, "[a](" * 20_000, "**" * 20_000, "\n" * 50_000, "- " * 20_000, 'a,"' * 9_999]
)
def test_a_hostile_text_has_a_format_or_not(text: str) -> None:
    for name in ("json", "xml", "yaml", "markdown", "csv"):
        assert build(BUILTIN.find("format_valid"), {"format": name}).score(text).score in (0.0, 1.0)


def test_a_row_that_cannot_be_measured_is_a_problem_when_it_is_scored_alone() -> None:
    fields = {"a": {"compare": "exact", "transforms": [{"type_convert": {"to": "int"}}]}}
    one = build(BUILTIN.find("json_multi_field_match"), {"fields": fields})
    for output in ('{"a": "x"}', '{"a": []}', "{}", "prose"):
        with pytest.raises(Problems, match="expected value cannot be transformed"):
            one.score(output, '{"a": []}')


def test_the_contract_has_few_members() -> None:
    own = {name for name, value in vars(Evaluator).items() if inspect.isfunction(value) and not name.startswith("_")}
    assert own == {
        "needs", "measure", "reason", "explain", "with_reason", "compile", "scored_fields", "unreadable", "asking",
        "label_rule", "text_changes", "schema_inference", "sampled_metric", "column", "score", "score_async",
        "with_settings",
    }  # fmt: skip


def test_a_composite_with_other_weights_combines_anew() -> None:
    parts = Result(RowStatus.SCORED, True, 1, 1), Result(RowStatus.SCORED, False, 0, 1)
    even = build(BUILTIN.find("weighted_mean"), {"of": {"a": 1, "b": 1}})
    assert (even.measure(*parts).num, even.measure(*parts).den) == (1, 2)
    uneven = even.with_settings(of={"a": 3, "b": 1})
    assert (uneven.measure(*parts).num, uneven.measure(*parts).den) == (3, 4)
    assert (even.measure(*parts).num, even.measure(*parts).den) == (1, 2)


def test_an_evaluator_with_other_settings_shows_as_little_of_the_environment() -> None:
    filled = Filled()
    filled.note("secret", "${WORD}", {"secret": "${WORD}"})
    with reading_filled(filled):
        evaluator = build(BUILTIN.find("contains"), {"substring": "secret"})
    assert evaluator.with_settings(pass_at=0.5).written("secret") == "${WORD}"
