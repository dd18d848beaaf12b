"""Confidences held against what was right: figures by their definitions, thresholds that keep their promise, and the same sums
for any pieces."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.model.issues import Problems
from evaluators.model.rows import Result, RowStatus
from evaluators.reports.run_page import run_page
from evaluators.reports.text import page_text
from evaluators.runs.columns import count_groups
from evaluators.runs.confidence import ClusterConfidence, confidence_counts, least_rows, safe_threshold
from evaluators.runs.confidence_scores import auroc, brier
from evaluators.runs.confidence_steps import LEVELS, step_of
from evaluators.runs.intervals import RatioSums, chance_of_at_most, moments_of_clusters, share_interval
from evaluators.runs.result import ConfidenceStats, Interval
from evaluators.runs.split_rows import Layout
from evaluators.testsets import delimited
from tests.runs.given_columns import GivenColumns

ROWS = st.lists(st.tuples(st.integers(0, LEVELS), st.booleans()), min_size=1, max_size=12)


def steps(rows: list[tuple[int, bool]]) -> dict[int, tuple[int, int]]:
    found: dict[int, tuple[int, int]] = {}
    for step, right in rows:
        one, other = found.get(step, (0, 0))
        found[step] = one + right, other + (not right)
    return found


def run(rows: list[tuple[object, bool]], **suite: Any) -> evaluators.Run:
    given = [{"id": str(at), "conf": conf, "output": "yes" if right else "no", "expected": "yes"}
             for at, (conf, right) in enumerate(rows)]  # fmt: skip
    return evaluators.load({"evaluators": ["exact_match"], "confidence": "row.conf", **suite}).run(given)


def of(rows: list[tuple[object, bool]], **suite: Any) -> ConfidenceStats:
    (found,) = run(rows, **suite).result.confidence
    return found


@given(ROWS)
def test_brier_is_the_mean_squared_difference(rows: list[tuple[int, bool]]) -> None:
    told = [(Fraction(step, LEVELS) - right) ** 2 for step, right in rows]
    assert brier(steps(rows)) == float(sum(told) / len(told))


@given(ROWS)
def test_auroc_is_how_often_a_right_one_has_more_confidence(rows: list[tuple[int, bool]]) -> None:
    pairs = [Fraction((a > b) - (a < b) + 1, 2) for a, right in rows for b, other in rows if right and not other]
    assert auroc(steps(rows)) == (float(sum(pairs) / len(pairs)) if pairs else None)


@given(st.lists(st.tuples(st.integers(0, 1000), st.booleans()), min_size=1, max_size=30))
def test_ece_is_the_mean_gap_of_ten_bins(rows: list[tuple[int, bool]]) -> None:
    bins: dict[int, list[tuple[int, bool]]] = {}
    for step, right in rows:
        bins.setdefault(min(step // 100, 9), []).append((step, right))
    gaps = [abs(sum(step / 1000 - right for step, right in one)) for one in bins.values()]
    found = of([(step / 1000, right) for step, right in rows])
    assert found.ece == pytest.approx(sum(gaps) / len(rows))
    assert sum(one.n for one in found.bins) == found.n == len(rows)


@given(st.integers(1, 60), st.data())
def test_the_binomial_is_the_sum_of_its_terms(of: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, of))
    rate = data.draw(st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50))
    exact = sum(comb(of, k) * rate**k * (1 - rate) ** (of - k) for k in range(count + 1))
    assert chance_of_at_most(count, of, float(rate)) == pytest.approx(float(exact), rel=1e-9)


def test_it_takes_149_rows_without_an_error_for_two_percent() -> None:
    assert least_rows(0.02) == 149
    assert safe_threshold({90_000: (148, 0)}, 0.02) is None
    assert safe_threshold({90_000: (149, 0)}, 0.02) == 0.9


def test_the_search_stops_at_the_first_threshold_that_is_not_sure() -> None:
    known = {99_000: (149, 0), 80_000: (0, 5), 70_000: (10_000, 0)}
    assert safe_threshold(known, 0.02) == 0.99
    assert safe_threshold({99_000: (149, 0), 98_000: (100, 0), 97_000: (0, 9)}, 0.02) == 0.98


def test_a_threshold_that_is_named_lets_more_errors_pass_in_few_test_sets() -> None:
    draw = random.Random(11)
    broken = 0
    for _ in range(300):  # right as often as the confidence says to the power of 1/4, so 2 % errors begin at 0.9224
        known = steps(
            [(step, draw.random() < (step / LEVELS) ** 0.25) for step in draw.choices(range(80_000, LEVELS), k=1_000)]
        )
        found = safe_threshold(known, 0.02)
        if found is not None:
            wrong = 1 - (4 / 5) * (1 - found**1.25) / (1 - found)
            broken += wrong > 0.02
    assert broken <= 0.08 * 300  # 5 %, and three standard errors


@pytest.mark.parametrize(
    ("cell", "step"),
    [("0.5", 50_000), (1, LEVELS), (0.123456, 12_345), ("", -1), (None, -1), (" ", -1), ("high", -2), (1.01, -2), (-0.1, -2),
     ("1e-3", 100), (True, -2), (float("nan"), -1), ([0.5], -2)],
)  # fmt: skip
def test_what_a_cell_says(cell: object, step: int) -> None:
    assert step_of(cell) == step


def test_missing_and_unusable_confidences_are_counted_and_never_accepted() -> None:
    found = of([(0.9, True), (None, True), ("sure", False), (1.5, True)])
    assert (found.n, found.missing, found.unusable) == (1, 1, 2)
    assert [(one.accepted, one.share) for one in found.accept if one.threshold == 0] == [(1, 0.25)]


def test_a_page_names_the_first_unusable_confidences_and_draws_nothing_of_none() -> None:
    found = run([("90 %", True), (0.9, True), ("0,9", False), ([1], True)]).result
    assert found.confidence[0].first_unusable == ((1, "90 %"), (3, "0,9"), (4, "[1]"))
    text = " ".join(page_text(run_page(found)).split())
    said = '3 rows have no number from 0 to 1, and are never accepted. Such as "90 %" in row 1, "0,9" in row 3'
    assert said in text
    assert "accept from accepted" in text
    nothing = run([("90 %", True), ("", True)]).result
    assert "accept from accepted" not in " ".join(page_text(run_page(nothing)).split())
    (issue,) = [one for one in nothing.issues if one.code == "confidence-measured-nothing"]
    assert issue.hint == 'row 1 has "90 %"; 90 % is written 0.9'


def test_rows_accepted_above_a_confidence_and_the_errors_among_them() -> None:
    found = of([(0.9, True), (0.9, False), (0.5, True), (0.49999, False)])
    table = {one.threshold: (one.accepted, one.errors, one.error_rate) for one in found.accept}
    assert (table[0.9], table[0.5], table[0.0]) == ((2, 1, 0.5), (3, 1, 1 / 3), (4, 2, 0.5))
    assert all(one.ci and one.ci.low <= (one.error_rate or 0) <= one.ci.high for one in found.accept if one.accepted)


def test_unreadable_outputs_are_wrong_and_rows_that_were_not_measured_say_nothing() -> None:
    rows = [
        {"output": "oops", "expected": '{"a": 1}', "conf": 0.5}, {"output": '{"a": 1}', "expected": "", "conf": 0.5},
        {"output": '{"a": 1}', "expected": '{"a": 1}', "conf": 0.5},
    ]  # fmt: skip
    (found,) = evaluators.load({"evaluators": ["json_diff_match"], "confidence": "row.conf"}).run(rows).result.confidence
    assert (found.n, found.right, found.kept_out) == (2, 1, 1)


@pytest.mark.parametrize("kind", ["json_multi_field_match", "schema_match"])
def test_a_field_may_have_a_confidence_in_the_output(kind: str) -> None:
    rows = [
        {"output": json.dumps({"total": total, "meta": {"total": conf}}), "expected": '{"total": 1}'}
        for total, conf in ((1, 0.9), (2, 0.4), (1, 0.8), (1, "?"))
    ] + [{"output": "oops", "expected": '{"total": 1}'}, {"output": '{"total": 1}', "expected": '{"total": 1}'}]
    fields = {"total": {"compare": "exact", "confidence": "meta.total"}}
    result = evaluators.load({"evaluators": [{kind: {"fields": fields}}]}).run(rows).result
    (found,) = result.confidence
    assert (found.field, found.source) == ("total", "meta.total")
    assert (found.n, found.right, found.missing, found.unusable, found.auroc) == (3, 2, 2, 1, 1.0)
    assert result.evaluators[0].passed == 4  # a confidence is no extra key


@pytest.mark.parametrize(
    ("suite", "hint"),
    [
        ({"evaluators": ["exact_match"], "confidence": "row.conf"}, "the column is empty"),
        (
            {"evaluators": [{"json_multi_field_match": {"fields": {"a": {"compare": "exact", "confidence": "met.a"}}}}]},
            "no output has a value at this path",
        ),
    ],
)
def test_a_confidence_that_is_nowhere_is_not_said_to_be_misspelled(suite: dict[str, Any], hint: str) -> None:
    found = evaluators.load(suite).run([{"output": '{"a": 1}', "expected": '{"a": 1}', "conf": ""}] * 2).result
    (issue,) = [one for one in found.issues if one.code == "confidence-measured-nothing"]
    assert issue.hint == hint


@pytest.mark.parametrize(
    ("gate", "verdict"),
    [
        ({"metric": "auroc", "fail_below": 0.9}, "passed"), ({"metric": "brier", "fail_above": 0.01}, "failed"),
        ({"metric": "ece", "fail_above": 0.5}, "passed"), ({"metric": "accepted", "fail_below": 0.1}, "failed"),
        ({"metric": "ece", "fail_above": 0.5, "min_rows": 30}, "undecided"),
    ],
)  # fmt: skip
def test_gates_on_a_confidence(gate: dict[str, Any], verdict: str) -> None:
    (found,) = run([(0.9, True), (0.2, False)] * 10, gates={"exact_match": gate}).result.gates
    assert found.verdict == verdict


def test_a_gate_is_undecided_where_too_many_rows_have_no_confidence() -> None:
    rows: list[tuple[object, bool]] = [(0.9, True), (0.1, False), ("", True)]
    (found,) = run(rows, gates={"exact_match": {"metric": "auroc", "fail_below": 0.5}}).result.gates
    assert found.verdict == "undecided"
    assert "2 of 3 rows" in found.message


def test_rows_that_belong_together_have_no_threshold() -> None:
    found = run([(0.9, True)] * 200, statistics={"cluster": "row.id"}).result
    assert (found.confidence[0].threshold, found.confidence[0].accepted) == (None, None)
    assert "Rows belong together, no threshold is sure." in " ".join(page_text(run_page(found)).split())
    assert of([(0.9, True)] * 200).threshold == 0.9


def test_a_gate_on_accepted_says_that_rows_belong_together() -> None:
    gate = {"exact_match": {"metric": "accepted", "fail_below": 0.5}}
    (found,) = run([(0.9, True)] * 200, gates=gate, repeats="row.id").result.gates
    assert (found.verdict, found.value) == ("undecided", None)
    assert found.message == "accepted is unknown: rows belong together, and no threshold is sure"


GROUPED = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([0, 0.3, 0.95, 0.97, 0.99, 1, "", "?"]), st.booleans()), min_size=1
)


@given(GROUPED, st.sampled_from([{"statistics": {"cluster": "row.doc"}}, {"repeats": "row.doc"}]))
def test_rows_that_belong_together_are_one_unit_of_every_interval(
    rows: list[tuple[int, float | str, bool]], suite: dict[str, Any]
) -> None:
    given = [
        {"doc": f"d{doc}", "conf": conf, "output": "y" if right else "n", "expected": "y"} for doc, conf, right in rows
    ]
    (found,) = (
        evaluators.load({"evaluators": ["exact_match"], "confidence": "row.conf", **suite}).run(given).result.confidence
    )
    known = [(doc, conf, right) for doc, conf, right in rows if not isinstance(conf, str)]

    def interval(low: float, high: float, counted: bool) -> Interval | None:
        chosen = [(doc, right is counted) for doc, conf, right in known if low <= conf < high or conf == high == 1]
        groups = ([one for group, one in chosen if group == doc] for doc in range(4))
        return share_interval(moments_of_clusters((len(one), Fraction(sum(one))) for one in groups))

    assert [one.ci for one in found.bins] == [interval(one.low, one.high, True) for one in found.bins]
    assert [one.ci for one in found.accept] == [interval(one.threshold, 1, False) for one in found.accept]


def right_or_wrong(one: Result) -> tuple[bool | None, bool]:
    return one.passed, False


@pytest.mark.parametrize("most", [0, 1, 20_000])
def test_each_of_many_clusters_is_counted(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evaluators.runs.confidence.MOST_CONTENTS", most)
    clusters = 5_000
    steps = [step for _ in range(clusters) for step in (90_000, 95_500, LEVELS, -1)]
    codes = [code for name in range(clusters) for code in (name % 2, 0, 0, 0)]
    names = [f"c{name}" for name in range(clusters) for _ in range(4)]
    columns = GivenColumns(
        Layout(("one",), steps=((0, ""),), clustered=True), {"step0": steps, "code0": codes, "cluster": names}
    )
    results = [Result(RowStatus.SCORED, True, 1, 1), Result(RowStatus.SCORED, False, 0, 1)]
    found = confidence_counts(columns, 0, results, right_or_wrong)
    count_groups(columns, [ClusterConfidence(0, 0, results, right_or_wrong, found)])
    assert (found.right.total(), found.wrong.total()) == (17_500, 2_500)
    of_bins, of_thresholds = RatioSums(), RatioSums()
    for right, wrong in ((3, 0), (2, 1)):
        of_bins.add(right, 3, clusters // 2)
        of_thresholds.add(wrong, 3, clusters // 2)
    assert found.bins == {90_000: of_bins}
    assert found.accepted[90_000] == found.accepted[0] == of_thresholds
    assert (found.accepted[95_000].power_sum(0, 1), found.accepted[99_000].power_sum(0, 1)) == (2 * clusters, clusters)


def test_nothing_measured_is_exit_code_3() -> None:
    found = run([("", True), ("high", True)]).result
    assert found.exit_code == 3
    assert "confidence-measured-nothing" in {issue.code for issue in found.issues}


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        ({"confidence": "conf"}, "written row.COLUMN"),
        ({"confidence": "output.meta.total"}, "no column: .* its own beside compare, .*: confidence: meta.total"),
        ({"confidence": {"column": "row.conf", "max_errors": 2}}, "max_errors"),
        ({"confidence": {"max_errors": 0.1}}, "names no column"),
        ({"gates": {"exact_match": {"metric": "auroc", "fail_below": 0.5}}}, "names none for it"),
        ({"evaluators": [{"json_multi_field_match": {"fields": {"a": {"confidence": "b[*]"}}}}]}, "one place"),
    ],
)
def test_what_a_suite_cannot_say(suite: dict[str, Any], said: str) -> None:
    with pytest.raises(Problems, match=said):
        evaluators.load({"evaluators": ["exact_match"], **suite}).run([{"output": "a", "expected": "a", "conf": 1}])


@pytest.mark.parametrize("suite", [{}, {"repeats": "row.question"}, {"statistics": {"cluster": "row.number"}}])
def test_workers_change_nothing(suite: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "SPLIT_BYTES", 5_000)
    lines = [
        f"{at % 97 / 97 if at % 50 else 'high'},{'yes' if at * at % 11 < 7 else 'no'},yes,{at * 7 % 30},{at}"
        for at in range(2_100)
    ]
    (tmp_path / "rows.csv").write_text("conf,output,expected,question,number\n" + "\n".join(lines), encoding="utf-8")
    loaded = evaluators.load({"evaluators": ["exact_match"], "confidence": "row.conf", **suite})
    alone, several = (loaded.run(tmp_path / "rows.csv", workers=count).result.confidence for count in (1, 2))
    assert alone == several
    assert (alone[0].n, alone[0].first_unusable[1]) == (2_058, (52, "high"))
