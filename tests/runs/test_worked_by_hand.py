"""Figures worked out with pencil and paper, beside the properties: each example tells a formula from one that is nearly it."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

import pytest

import evaluators
from evaluators import FieldStatus, TransformError
from evaluators.integrations.compat.struct_extract_eval import evaluate
from evaluators.model.rows import Result, RowStatus
from evaluators.runs.exact_sums import add_to
from evaluators.runs.gate_targets import parse_target
from evaluators.runs.gate_verdicts import judge_gates
from evaluators.runs.gates import Gate, GateConfig
from evaluators.runs.intervals import moments_of_powers, moments_of_values
from evaluators.runs.result import Counts, EvaluatorStats, FieldStats
from evaluators.runs.stats import evaluator_stats
from evaluators.runs.tally import Tally
from evaluators.scoring.comparators.fuzzy import Fuzzy
from evaluators.scoring.evaluators._scored_fields import ScoredFields
from evaluators.scoring.fields.pairing import Worth, f1
from evaluators.scoring.values.confusion import Confusion
from tests.bounds import bounds_of, ratios

# --- using: lower_bound


@pytest.mark.parametrize(("figure", "low"), [
    ("precision", 0.3126737),  # Wilson: 6 of 10
    ("recall", 0.2537820),  # Wilson: 6 of 12
    ("accuracy", 0.2138080),  # Wilson: 6 of 14
])  # fmt: skip
def test_a_lower_bound_is_that_of_its_own_figure(figure: str, low: float) -> None:
    counts = Counts(match=6, mismatch=2, hallucination=2, omission=4)
    one = FieldStats("a", counts, *ratios(counts))
    stats = EvaluatorStats(
        "header", "exact_match", 14, 14, 6, 8, 0, 0, 0, 0, 0, 0, 0, 0.5, 0.5, None, (one,), metric_cis=bounds_of((one,))
    )
    config = GateConfig.model_validate({"fail_below": 0.1, "using": "lower_bound", "metric": figure})
    (result,) = judge_gates([Gate("header.a", parse_target("header.a", ["header"]), config)], [stats])
    assert result.value == pytest.approx(low, abs=1e-6)


# --- the interval of a mean


def test_the_moments_of_four_scores() -> None:
    """Scores 0, 1/2, 1/2, 1 have the mean 1/2 and the deviations -1/2, 0, 0, 1/2."""
    found = moments_of_values({Fraction(0): 1, Fraction(1, 2): 2, Fraction(1): 1})
    assert (found.units, found.mean) == (4, Fraction(1, 2))
    assert (found.second, found.third, found.fourth) == (Fraction(1, 8), 0, Fraction(1, 32))
    assert found.error == sqrt(Fraction(1, 24))


def test_the_moments_of_lopsided_scores_with_two_denominators() -> None:
    """Scores 0, 0, 1/3 and 1 have the mean 1/3 and the deviations -1/3, -1/3, 0, 2/3."""
    found = moments_of_powers(4, {1: (1, 1, 1, 1), 3: (1, 1, 1, 1)})
    assert (found.mean, found.second) == (Fraction(1, 3), Fraction(2 * 1 + 4, 9 * 4))
    assert (found.third, found.fourth) == (Fraction(-2 + 8, 27 * 4), Fraction(2 + 16, 81 * 4))


def scored(num: int, den: int) -> Result:
    return Result(RowStatus.SCORED, num == den, num, den)


def test_the_powers_that_a_tally_sums() -> None:
    """Scores 1/2, 1/2 and 2/3: two halves to any power are 2 over the power of 2; two thirds have 2, 4, 8 and 16."""
    tally = Tally()
    tally.add(scored(1, 2), 2)
    tally.add(scored(2, 3))
    assert tally.score_powers() == {2: (2, 2, 2, 2), 3: (2, 4, 8, 16)}
    assert moments_of_powers(3, tally.score_powers()) == moments_of_values({Fraction(1, 2): 2, Fraction(2, 3): 1})


def test_a_sum_rounds_only_what_has_a_large_denominator() -> None:
    """1/65536 is kept. 1/3 of 2^-64 is rounded: 2^16 / 3 is 21845 and a third of the units that a sum counts in."""
    sums: dict[int, int] = {}
    add_to(sums, 1, 2**16, 3)
    add_to(sums, 1, 3 * 2**64, 2)
    assert sums == {2**16: 3, 2**80: 2 * 21845}
    add_to(sums, 2, 3 * 2**64)
    assert sums == {2**16: 3, 2**80: 2 * 21845 + 43691}  # two thirds are rounded up


# --- an error is the output's, a fault is not


@pytest.fixture
def _plugs_of_one_test() -> None:
    def shorten(value: Any, params: Any) -> Any:
        if value == "unusable":
            raise TransformError("it cannot be shortened")
        return value

    def breaks(expected: Any, actual: Any, params: Any) -> bool:
        raise ValueError("broken")

    evaluators.register_transform("shorten", shorten)
    evaluators.register("breaks", breaks)


@pytest.mark.usefixtures("_plugs_of_one_test")
def test_an_error_counts_as_wrong_and_a_fault_leaves_the_row_without_a_score() -> None:
    schema = {
        "type": "object",
        "properties": {
            "code": {"type": "string", "x-eval-compare": "exact", "x-eval-transform": ["shorten"]},
            "size": {"type": "string", "x-eval-compare": "breaks"},
        },
    }
    gold = [{"code": "a", "size": "1"}, {"code": "a", "size": "1"}, {"code": "a", "size": "1"}]
    found = evaluate(gold, [{"code": "unusable", "size": "1"}, {"code": "a", "size": "2"}, gold[0]], schema)
    error, fault, right = found.records
    assert [one.status for one in error.field_results] == [FieldStatus.ERROR, FieldStatus.MATCH]
    assert (error.status.scored, error.precision, error.recall) == (True, 0.5, 0.5)
    assert [one.status for one in fault.field_results] == [FieldStatus.MATCH, FieldStatus.NOT_JUDGED]
    assert (fault.status.scored, fault.precision) == (False, None)
    assert (right.precision, right.recall) == (1.0, 1.0)
    code, size = (found.per_field[name].stats.counts for name in ("code", "size"))
    assert (code.match, code.error, code.not_judged) == (2, 1, 0)
    assert (size.error, size.not_judged) == (0, 1)


def test_every_status_of_a_listed_field_has_a_count_of_its_own() -> None:
    """As many rows as the status is far down the list: 1 with the first status, 2 with the second …"""
    tally = Tally.of(1)
    for times, status in enumerate(FieldStatus, start=1):
        tally.add(Result(RowStatus.SCORED, False, 0, 1, statuses=bytes([status])), times)
    found = evaluator_stats("fields", "json_multi_field_match", ScoredFields(("code",)), tally)
    counts = {status: times for times, status in enumerate(FieldStatus, start=1)}
    for listed in (found.counts, found.fields[0].counts):
        assert (listed.match, listed.mismatch) == (counts[FieldStatus.MATCH], counts[FieldStatus.MISMATCH])
        assert (listed.omission, listed.hallucination) == (
            counts[FieldStatus.OMISSION],
            counts[FieldStatus.HALLUCINATION],
        )
        assert (listed.error, listed.not_judged) == (counts[FieldStatus.ERROR], counts[FieldStatus.NOT_JUDGED])
        assert (listed.skipped, listed.not_measured) == (counts[FieldStatus.SKIPPED], counts[FieldStatus.NOT_MEASURED])


# --- the F1 of an item


def test_the_f1_of_a_pair_of_items_is_exact() -> None:
    assert f1(Worth(1, 3)) == Fraction(2, 3)
    assert f1(Worth(2, 7)) == Fraction(4, 7)
    assert Confusion(right=1, wrong=1, missing=1).as_fraction("f1") == Fraction(2, 5)
    assert Confusion(right=1, wrong=1, missing=1).as_float("f1") == 0.4


@pytest.mark.parametrize(("threshold", "paired"), [(0.66, True), (0.67, False)])
def test_items_are_paired_from_an_f1_of_two_thirds(threshold: float, paired: bool) -> None:
    """An item with two right keys, one wrong one: 2 × 2 of 6."""
    keys = {name: {"type": "string", "x-eval-compare": "exact"} for name in "abc"}
    schema = {
        "type": "object",
        "properties": {
            "items": {
                "type": "array",
                "x-eval-align": {"match_by": "hungarian", "threshold": threshold},
                "items": {"type": "object", "properties": keys},
            }
        },
    }
    item = {"a": "1", "b": "2", "c": "3"}
    (record,) = evaluate([{"items": [item]}], [{"items": [{**item, "c": "4"}]}], schema).records
    statuses = [one.status.word for one in record.field_results]
    assert statuses == (["match", "match", "mismatch"] if paired else ["omission"] * 3 + ["hallucination"] * 3)


# --- at_least of texts that are nearly alike


@pytest.mark.parametrize(("at_least", "actual", "passes"), [
    (0.8, "abcdX", True),  # 1 change in 5 characters: exactly 0.8
    (0.8, "abXdX", False),
    (0.81, "abcdX", False),
    (0.9, "abcdeabcdX", True),  # exactly 0.9, which no float is
    (0.7, "abcXXX", False),
    (0.79, "abcd", True),
])  # fmt: skip
def test_at_least_is_exact(at_least: float, actual: str, passes: bool) -> None:
    expected = "abcde" if len(actual) < 6 else "abcdeabcde"[: len(actual)]
    assert Fuzzy(at_least=at_least).compare(expected, actual) is passes
    assert Fuzzy(at_least=at_least, partial=True).answer(expected, actual).passed is passes


def test_a_short_text_may_not_be_rounded_into_one_change_more() -> None:
    """4 characters at 0.8 allow 0.8 of a change, which is none; at 0.75 they allow one."""
    assert Fuzzy(at_least=0.8).compare("abcd", "abcX") is False
    assert Fuzzy(at_least=0.75).compare("abcd", "abcX") is True
