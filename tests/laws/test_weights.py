"""What weighs 0 decides nothing: a row in which all that was compared weighs 0 has no score, unless a required field is wrong."""

from __future__ import annotations

from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st

from evaluators.model.rows import Outcome, Result, RowStatus
from evaluators.scoring.evaluators._evaluator import Evaluator
from evaluators.scoring.fields.outcomes import MEASURED, WRONG
from tests.laws.schemas import SCORES
from tests.laws.structures import evaluator

PATHS = ["a", "b", "o.x", "o.y", "l[*].k", "l[*].m", "t"]
VALUES: st.SearchStrategy[Any] = st.sampled_from([None, 0, 1, "x", {}, []])
ITEMS = st.lists(st.fixed_dictionaries({}, optional={"k": VALUES, "m": VALUES}), max_size=2)
DOCUMENTS: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {},
    optional={
        "a": VALUES,
        "b": VALUES,
        "o": VALUES | st.fixed_dictionaries({}, optional={"x": VALUES, "y": VALUES}),
        "l": VALUES | ITEMS,
        "t": VALUES | st.lists(VALUES, max_size=2),
    },
)


@st.composite
def weighted_fields(draw: st.DrawFn) -> dict[str, Any]:
    """`fields:` of which most weigh 0, and some more than that."""
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=2, unique=True))
    fields: dict[str, Any] = {
        path: {
            "compare": "exact",
            "weight": draw(st.sampled_from([0, 0, 0, 0, 0, 2])),
            "required": draw(st.integers(0, 5)) == 0,
        }
        for path in paths
    }
    if "t" in fields and draw(st.booleans()):
        fields["t"]["align"] = "any_order"
    if any(path.startswith("l[*]") for path in paths) and draw(st.booleans()):
        fields["l"] = {"align": draw(st.sampled_from(["any_order", "hungarian"]))}
    return {**fields, "nowhere": "exact"}


def evaluators_with(fields: dict[str, Any]) -> st.SearchStrategy[Evaluator]:
    """The evaluators that take such fields."""
    listed = st.just(evaluator("json_multi_field_match", {"fields": fields, "pass_at": 0}))
    scores = st.sampled_from(SCORES)
    return listed | scores.map(lambda score: evaluator("schema_match", {"fields": fields, "score": score, "pass_at": 0}))


def measured(results: tuple[Outcome, ...]) -> list[Outcome]:
    return [one for one in results if one.status in MEASURED]


@given(st.data(), weighted_fields(), DOCUMENTS, DOCUMENTS)
def test_what_weighs_nothing_gives_no_row_a_score(
    data: st.DataObject, fields: dict[str, Any], expected: Any, output: Any
) -> None:
    one = data.draw(evaluators_with(fields))
    explained, verdict = one.explain(expected, output), one.compile()(expected, output)
    found = measured(explained.fields)
    required = {path for path, line in fields.items() if line != "exact" and line.get("required")}
    # the result of a list that is compared item by item is that of its items
    failed = any(each.status in WRONG and (each.place in required or each.place[:-3] in required) for each in found)
    event(f"weighs {any(each.weight for each in found)}, required wrong {failed}")
    assert (explained.score, explained.passed) == (verdict.score, verdict.passed)
    assert not (failed and verdict.passed)
    if any(each.weight for each in found):
        assert verdict.status is RowStatus.SCORED
    elif failed:
        assert (verdict.status, verdict.score) == (RowStatus.SCORED, 0.0)
    else:
        assert (verdict.status, verdict.score) == (RowStatus.NOT_MEASURED, None)
        assert all(den == 0 for _, den in verdict.metrics)


@given(st.sampled_from(SCORES), st.lists(st.sampled_from([0, 1]), min_size=2, max_size=2), st.data())
def test_an_aggregation_weight_of_0_gives_no_row_a_score(score: str, weights: list[int], data: st.DataObject) -> None:
    of_field, of_list = weights
    properties = {
        "a": {"type": "integer", "evaluation_config": {"metrics": [{"metric_id": "integer_exact"}], "aggregation_weight": of_field}},
        "t": {"type": "array", "items": {"type": "integer"}, "evaluation_config": {"aggregation_weight": of_list}},
    }  # fmt: skip
    one = evaluator("schema_match", {"schema": {"type": "object", "properties": properties}, "score": score})
    documents = st.fixed_dictionaries({}, optional={"a": VALUES, "t": VALUES | st.lists(VALUES, max_size=2)})
    expected, output = data.draw(documents), data.draw(documents)
    explained, verdict = one.explain(expected, output), one.compile()(expected, output)
    found = measured(explained.fields)
    assert (explained.score, explained.passed) == (verdict.score, verdict.passed)
    assert verdict.status is (RowStatus.SCORED if any(each.weight for each in found) else RowStatus.NOT_MEASURED)


PARTS = st.sampled_from(
    [
        Result(RowStatus.SCORED, True, 1, 1),
        Result(RowStatus.SCORED, False, 1, 3),
        Result(RowStatus.BLOCKED, False, 0, 1),
        Result(RowStatus.SKIPPED),
        Result(RowStatus.NOT_MEASURED),
    ]
)


@given(st.lists(st.tuples(PARTS, st.sampled_from([0, 0, 1, 2.5])), min_size=1, max_size=4))
def test_parts_of_weight_0_give_a_mean_no_score(drawn: list[tuple[Result, float]]) -> None:
    parts = [*drawn, (Result(RowStatus.SKIPPED), 1)]
    weights = {f"part{number}": weight for number, (_, weight) in enumerate(parts)}
    verdict = evaluator("weighted_mean", {"of": weights}).measure(*(result for result, _ in parts))
    counts = any(weight and result.status.scored for result, weight in parts)
    assert verdict.status is (RowStatus.SCORED if counts else RowStatus.SKIPPED)
