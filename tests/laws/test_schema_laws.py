"""The laws of scoring, for `schema_match`: random schemas in both dialects and as `fields:`, random documents and edits."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluators.model.issues import Blame, CellError, Issue
from evaluators.model.rows import MISSING, FieldStatus, Result, RowStatus
from evaluators.runs.document_sums import DocumentSums
from evaluators.runs.exact_sums import plus
from evaluators.scoring.evaluators._evaluator import Evaluator
from evaluators.scoring.fields.key_spelling import KeySpelling, keys_in
from evaluators.scoring.fields.outcomes import MEASURED
from evaluators.scoring.fields.row_metrics import METRICS
from evaluators.scoring.values.paths import Path
from tests.laws.schemas import ANYTHING, Drawn, Wishes, drawn, exact, plans, settings_of, tallied, values
from tests.laws.structures import DOCUMENTS, changed, evaluator, shuffled, spoiled, with_more, without_output
from tests.reference.settled import settle

STRAIGHT = Wishes(choices=False, aligned=False, changing=False)
ITEM = st.fixed_dictionaries({"a": st.integers(0, 2), "b": st.integers(0, 2)})


def verdict(one: Evaluator, expected: Any, output: Any) -> Result:
    return one.compile()(expected, output)


def figures(found: Result) -> dict[str, Fraction | None]:
    """The figures of a row, by name."""
    return {name: Fraction(num, den) if den else None for name, (num, den) in zip(METRICS, found.metrics, strict=True)}


def explained(each: Drawn) -> Result:
    return each.one.explain(each.expected, each.output)


@given(drawn(Wishes()))
def test_a_document_that_is_measured_matches_itself(each: Drawn) -> None:
    for output in (each.expected, copy.deepcopy(each.expected)):
        found = verdict(each.one, each.expected, output)
        assert found.score in (None, 1.0)
        assert found.status in (RowStatus.SCORED, RowStatus.NOT_MEASURED, RowStatus.INVALID)
        if found.status is RowStatus.INVALID:  # an expected value that its comparator cannot read
            assert any(
                result.status is FieldStatus.NOT_JUDGED for result in each.one.explain(each.expected, output).fields
            )
        assert set(figures(found).values()) <= {None, Fraction(1)}
        assert found.counts is not None
        assert found.counts[1:] == (0, 0, 0)


@given(drawn())
def test_every_figure_is_between_0_and_1_and_a_row_passes_from_its_threshold(each: Drawn) -> None:
    found = verdict(each.one, each.expected, each.output)
    assert found.score is None or 0 <= found.score <= 1
    assert all(figure is None or 0 <= figure <= 1 for figure in figures(found).values())
    assert found.passed == (None if found.score is None else found.score >= each.one.pass_at)


@given(drawn())
def test_the_fast_verdict_is_the_explained_one(each: Drawn) -> None:
    check = each.one.compile()
    found = check(each.expected, each.output)
    assert exact(found) == exact(settle(each.one, explained(each)))
    assert exact(check(each.expected, each.output)) == exact(found)


@given(drawn())
def test_an_unreadable_output_scores_0_and_matches_nothing(each: Drawn) -> None:
    issue = Issue("unreadable-output", Blame.OUTPUT, "the output is not usable JSON")
    fast = without_output(each.one, each.expected, MISSING)
    slow = settle(each.one, each.one.explain(each.expected, CellError(issue)))
    if verdict(each.one, each.expected, each.output).status is RowStatus.INVALID:
        assert exact(fast) == exact(slow)
        assert fast.status is RowStatus.INVALID
        return
    assert (fast.score, fast.passed, fast.status) == (0.0, False, RowStatus.UNREADABLE)
    assert exact(fast) == exact(slow)
    assert set(figures(fast).values()) == {Fraction(0)}
    assert fast.counts is not None
    assert fast.counts[0] == 0


@given(st.data(), drawn())
def test_key_order_never_matters(data: st.DataObject, each: Drawn) -> None:
    one, other = each.one.compile(), each.one.compile()
    found = one(each.expected, each.output)
    again = other(data.draw(shuffled(each.expected)), data.draw(shuffled(each.output)))
    assert exact(found) == exact(again)
    assert tallied(one) == tallied(other)


UNREADABLE = {
    "x": {"type": "string", "x-eval-compare": "date"},
    "y": {"type": "string", "x-eval-compare": {"numeric": {"parse": True}}},
}


@pytest.mark.parametrize(
    "properties",
    [
        UNREADABLE,
        {"n": {"type": "object", "properties": UNREADABLE}},
        {"n": {"type": "object", "additionalProperties": UNREADABLE["x"]}},
        {"n": {"type": "array", "items": {"type": "object", "properties": UNREADABLE}}},
    ],
)
@pytest.mark.parametrize("output", [{}, {"x": "", "y": ""}, {"n": {"y": "1"}}, {"n": [{"x": "2024-01-31"}]}])
def test_key_order_never_matters_where_two_expected_values_cannot_be_read(
    properties: dict[str, Any], output: dict[str, Any]
) -> None:
    one = evaluator("schema_match", {"schema": {"type": "object", "properties": properties}})
    said = set()
    for unreadable in ({"x": "", "y": "-"}, {"y": "-", "x": ""}):
        listed = properties.get("n", {}).get("type") == "array"
        expected = {"n": [unreadable] if listed else unreadable} if "n" in properties else unreadable
        found = verdict(one, expected, output)
        assert found.status is RowStatus.INVALID
        said |= {found.issue, one.explain(expected, output).issue}
    assert len(said) == 1


def aligned(how: str, below: Sequence[str] = ()) -> Evaluator:
    return evaluator("schema_match", {"fields": {"list": {"align": how}, **{f"list[*].{key}": "exact" for key in below}}})


@given(st.data(), st.sampled_from(["any_order", "hungarian"]), st.lists(DOCUMENTS, max_size=4), st.lists(DOCUMENTS))
def test_the_order_of_an_aligned_list_of_whole_values_never_matters(
    data: st.DataObject, how: str, expected: list[Any], more: list[Any]
) -> None:
    one, output = aligned(how), data.draw(st.permutations([*expected[1:], *more[:2]]))
    found = verdict(one, {"list": expected}, {"list": output})
    again = verdict(one, {"list": data.draw(st.permutations(expected))}, {"list": data.draw(st.permutations(output))})
    assert exact(found) == exact(again)


@given(st.data(), st.sampled_from(["any_order", "hungarian"]), st.lists(ITEM, max_size=4), st.lists(ITEM, max_size=4))
def test_the_order_of_aligned_items_never_matters(
    data: st.DataObject, how: str, expected: list[Any], output: list[Any]
) -> None:
    one = aligned(how, ("a", "b"))
    found = verdict(one, {"list": expected}, {"list": output})
    again = verdict(one, {"list": data.draw(st.permutations(expected))}, {"list": data.draw(st.permutations(output))})
    if how == "any_order":
        assert exact(found) == exact(again)
    # among pairings that gain as much, the nearest items are paired: F1 is the same in all of them
    assert (found.score, found.counts and found.counts[0]) == (again.score, again.counts and again.counts[0])


def test_the_order_of_a_list_matters_when_nothing_frees_it() -> None:
    found = verdict(evaluator("schema_match", {"fields": ["list[*]"]}), {"list": [1, 2]}, {"list": [2, 1]})
    assert (found.score, found.counts) == (0.0, (0, 2, 0, 0))


@pytest.mark.parametrize(
    "schema",
    [
        {"fields": ["v"]},
        {"fields": {"v": {"numeric": {"tolerance": {"abs": 5}}}}},
        {"schema": {"type": "object", "properties": {"v": {"type": "number", "evaluation_config": "number_exact"}}}},
        {"schema": {"type": "object", "properties": {"v": {"type": "boolean", "evaluation_config": "boolean_exact"}}}},
        {"schema": {"type": "object", "properties": {"v": {"type": "integer", "evaluation_config": "integer_exact"}}}},
        {"schema": {"type": "object", "properties": {"v": {"type": "integer", "x-eval-compare": "exact"}}}},
    ],
)
@pytest.mark.parametrize(("expected", "output"), [(True, 1), (1, True), (False, 0), (None, 0), ([], {}), (None, "")])
def test_values_of_different_kinds_are_not_equal(schema: dict[str, Any], expected: Any, output: Any) -> None:
    assert verdict(evaluator("schema_match", schema), {"v": expected}, {"v": output}).score == 0.0


def test_numbers_are_compared_by_value_and_text_is_not_a_number() -> None:
    one = evaluator("schema_match", {"fields": ["v"]})
    assert verdict(one, {"v": 1}, {"v": 1.0}).score == 1.0
    assert verdict(one, {"v": "30"}, {"v": 30}).score == 0.0
    assert verdict(one, {"v": 2**70}, {"v": 2**70 + 1}).score == 0.0


def test_missing_is_not_null_unless_null_says_that_nothing_is_there() -> None:
    one, absent = (evaluator("schema_match", {"fields": ["v"], "nulls": nulls}) for nulls in ("value", "absent"))
    assert verdict(one, {"v": None}, {}).counts == (0, 0, 1, 0)
    assert verdict(one, {"v": None}, {"v": None}).counts == (1, 0, 0, 0)
    assert verdict(one, {"v": None}, {"v": 1}).counts == (0, 1, 0, 0)
    assert verdict(absent, {"v": None}, {"v": 1}).counts == (0, 0, 0, 1)
    assert verdict(absent, {"v": None}, {"v": None}).score is None


@given(drawn())
def test_absent_on_both_sides_is_never_a_result(each: Drawn) -> None:
    for result in explained(each).fields:
        assert result.expected is not MISSING or result.actual is not MISSING


@given(st.data(), drawn(STRAIGHT), DOCUMENTS)
def test_an_invented_key_or_an_appended_item_never_raises_a_figure(data: st.DataObject, each: Drawn, value: Any) -> None:
    more = data.draw(with_more(each.output, each.expected, value))
    before, after = verdict(each.one, each.expected, each.output), verdict(each.one, each.expected, more)
    for name, was in figures(before).items():
        now = figures(after)[name]
        assert was is None or now is None or now <= was
    assert after.counts is not None
    assert before.counts is not None
    assert after.counts[0] <= before.counts[0]


@given(st.data(), drawn(STRAIGHT))
def test_breaking_a_right_answer_hides_nothing_of_what_was_expected(data: st.DataObject, each: Drawn) -> None:
    right = verdict(each.one, each.expected, each.expected)
    broken = verdict(each.one, each.expected, data.draw(spoiled(each.expected)))
    assume(broken.issue is None)
    assert right.counts is not None
    assert broken.counts is not None
    assert sum(broken.counts) >= sum(right.counts)
    assert broken.counts[0] <= right.counts[0]


@given(st.data(), drawn(STRAIGHT))
def test_a_value_that_is_lost_never_raises_a_figure(data: st.DataObject, each: Drawn) -> None:
    """A value that is left out of the output, or broken, counts as wrong: also when the rest is wrong already."""
    before = explained(each)
    matching = [result for result in before.fields if result.status is FieldStatus.MATCH and "metric" in result.details]
    assume(matching)
    chosen = data.draw(st.sampled_from(matching))
    output = copy.deepcopy(each.output)
    steps = steps_of(chosen.path)
    assume(steps)
    put(output, steps, {"broken": ["off"]})
    was, now = figures(settle(each.one, before)), figures(verdict(each.one, each.expected, output))
    for name, figure in was.items():
        found = now[name]
        assert figure is None or found is None or found <= figure


def steps_of(path: str) -> list[Any]:
    from evaluators.scoring.values.paths import parse

    return list(parse(path).steps)


def put(document: Any, steps: list[Any], value: Any) -> None:
    for step in steps[:-1]:
        document = document[step]
    document[steps[-1]] = value


@given(drawn())
def test_the_figures_come_from_the_same_results_as_the_counts(each: Drawn) -> None:
    found = verdict(each.one, each.expected, each.output)
    assume(found.issue is None)
    assert found.counts is not None
    match, mismatch, omission, hallucination = found.counts
    named = figures(found)
    ratios = {
        "mean_precision": (match, match + mismatch + hallucination),
        "mean_recall": (match, match + mismatch + omission),
        "mean_f1": (2 * match, 2 * match + 2 * mismatch + hallucination + omission),
    }
    nothing = Fraction(0) if mismatch or hallucination or omission else None
    for name, (num, den) in ratios.items():
        assert named[name] == (Fraction(num, den) if den else nothing)
    measured = [result for result in explained(each).fields if result.status in MEASURED]
    assert bool(measured) == bool(sum(found.counts))


@given(drawn())
def test_the_tally_by_path_adds_up_to_the_counts_of_the_rows(each: Drawn) -> None:
    check = each.one.compile()
    totals = [0, 0, 0, 0]
    for expected, output in ((each.expected, each.output), (each.expected, each.expected), (each.output, each.expected)):
        for at, count in enumerate(check(expected, output).counts or ()):
            totals[at] += count
    assert [sum(counts[at] for counts in check.counts().values()) for at in range(4)] == totals  # type: ignore[attr-defined]  # a schema's check counts by path


@st.composite
def row_lists(draw: st.DrawFn) -> tuple[Evaluator, list[tuple[Any, Any]]]:
    """A schema with a few rows."""
    plan = draw(plans(ANYTHING))
    one = evaluator("schema_match", draw(settings_of(plan)))
    rows = []
    for _ in range(draw(st.integers(1, 5))):
        expected = draw(values(plan))
        rows.append((expected, draw(changed(expected))))
    return one, rows


def part(one: Evaluator, rows: Sequence[tuple[Any, Any]]) -> DocumentSums:
    """What a worker sends back."""
    check, found = one.compile(), DocumentSums()
    for row in rows:
        check(*row)
    found.add_counts(check.counts())  # type: ignore[attr-defined]  # a schema's check counts by path
    found.add_details(check.details())  # type: ignore[attr-defined]  # a schema's check counts by path
    return found


@given(st.data(), row_lists())
def test_any_split_of_the_rows_gives_the_same_sums(
    data: st.DataObject, drawn_rows: tuple[Evaluator, list[tuple[Any, Any]]]
) -> None:
    one, rows = drawn_rows
    cut = data.draw(st.integers(0, len(rows)))
    whole, first, second = part(one, rows), part(one, rows[:cut]), part(one, rows[cut:])
    plus(first, second)
    assert first == whole
    assert json.dumps(first.details, sort_keys=True) == json.dumps(whole.details, sort_keys=True)


SKIPPED_KEYS = {"type": "object", "properties": {"z": {"type": "object", "properties": {"q": {"x-eval-skip": True}}}}}
SKIPPED_ITEMS = {"type": "object", "properties": {"z": {"type": "array", "items": {"x-eval-skip": True}}}}


@pytest.mark.parametrize(
    ("schema", "expected", "output", "score"),
    [
        (SKIPPED_KEYS, None, {"q": 1}, 0.0),
        (SKIPPED_KEYS, None, None, 1.0),
        (SKIPPED_ITEMS, None, [1], 0.0),
    ],
)
def test_an_expected_null_counts_when_the_output_fills_its_place_with_what_is_skipped(
    schema: dict[str, Any], expected: object, output: object, score: float
) -> None:
    one = evaluator("schema_match", {"schema": schema})
    found = one.compile()({"z": expected}, {"z": output})
    assert Fraction(found.num, found.den) == score
    assert one.explain({"z": expected}, {"z": output}).score == score


@pytest.mark.parametrize(("schema", "empty", "full"), [(SKIPPED_KEYS, {}, {"q": 1}), (SKIPPED_ITEMS, [], [1])])
def test_an_empty_container_against_what_is_skipped_measures_nothing_both_ways(
    schema: dict[str, Any], empty: object, full: object
) -> None:
    one = evaluator("schema_match", {"schema": schema})
    for expected, output in ((empty, full), (full, empty)):
        assert one.compile()({"z": expected}, {"z": output}).status is RowStatus.NOT_MEASURED
        assert one.explain({"z": expected}, {"z": output}).status is RowStatus.NOT_MEASURED


WORDS = st.lists(st.sampled_from(["net", "total", "line", "sku", "due"]), min_size=2, max_size=3).map(tuple)
STYLES = (
    lambda words: words[0] + "".join(map(str.title, words[1:])),
    lambda words: " ".join(map(str.title, words)),
    "-".join,
)
SPELT = st.recursive(
    st.integers(0, 3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=12,
).flatmap(lambda inner: st.fixed_dictionaries({("net", "total"): st.just(1), ("line", "items"): st.just(inner)}))


def spelt(document: Any, style: Any) -> Any:
    """The document with each key, which is a tuple of words, in a style."""
    if isinstance(document, list):
        return [spelt(item, style) for item in document]
    if isinstance(document, dict):
        return {style(key): spelt(value, style) for key, value in document.items()}
    return document


@given(SPELT, SPELT, st.sampled_from(STYLES))
def test_a_document_whose_keys_are_respelt_scores_the_same_where_style_is_set_aside(
    expected: Any, output: Any, style: Any
) -> None:
    wanted, same, respelt = spelt(expected, "_".join), spelt(output, "_".join), spelt(output, style)
    fields = {"net_total": "numeric", "line_items": "exact"}
    strict = evaluator("schema_match", {"fields": fields})
    loose = evaluator("schema_match", {"fields": fields, "keys": {"style": "any"}})
    assert exact(verdict(loose, wanted, same)) == exact(verdict(strict, wanted, same))
    assert exact(verdict(loose, wanted, respelt)) == exact(verdict(loose, wanted, same))
    assert verdict(strict, wanted, respelt).score == 0, "no key is spelt as it is expected"


OF_KEYS = {
    "schema_match": {"fields": ["net_total", "line_items"]},
    "json_multi_field_match": {"fields": ["net_total", "line_items"]},
    "json_diff_match": {"extra_fields": "penalize"},
    "json_field_match": {"extra_fields": "penalize"},
    "json_field_match_normalized": {"extra_fields": "penalize"},
}


@pytest.mark.parametrize("name", OF_KEYS)
@given(SPELT, SPELT, st.sampled_from(STYLES))
def test_every_type_that_compares_keys_reads_them_in_any_style_where_it_is_told(
    name: str, expected: Any, output: Any, style: Any
) -> None:
    wanted, same, respelt = spelt(expected, "_".join), spelt(output, "_".join), spelt(output, style)
    strict, loose = evaluator(name, OF_KEYS[name]), evaluator(name, OF_KEYS[name] | {"keys": {"style": "any"}})
    assert exact(verdict(loose, wanted, same)) == exact(verdict(strict, wanted, same))
    found = loose.explain(wanted, respelt)
    assert exact(found) == exact(verdict(loose, wanted, respelt)) == exact(verdict(strict, wanted, same))


ODD_KEYS = st.text("aA_ -1", max_size=4)
ODD = st.recursive(
    st.integers(0, 1),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD_KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(ODD, ODD, st.lists(ODD_KEYS, max_size=3), st.sampled_from(["keep", "any"]))
def test_an_output_with_known_keys_can_be_told_in_its_own_again(
    expected: Any, output: Any, paths: list[str], style: str
) -> None:
    before = copy.deepcopy(output)
    found = KeySpelling(style=style).respell(keys_in(Path((key,)) for key in paths), output, expected)
    assert output == before == found.value(found.document)
    again = KeySpelling(style=style).respell(keys_in(Path((key,)) for key in paths), found.document, expected)
    assert again.document is found.document, "known keys are not renamed"
