from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from pydantic import ValidationError

from evaluators import load
from evaluators.model.issues import Blame, Problems
from evaluators.runs.gate_targets import check_gate, parse_target
from evaluators.runs.gate_verdicts import judge_gates
from evaluators.runs.gates import Gate, GateConfig, Target
from evaluators.runs.intervals import share
from evaluators.runs.result import Counts, EvaluatorStats, FieldStats, GateResult, Interval, MetricCI, MetricStats
from evaluators.runs.watch import Watch, watches
from evaluators.runs.wording import gate_label
from evaluators.scoring.evaluators._scored_fields import ScoredFields
from tests.bounds import bounds_of, ratios
from tests.kit import problem_of, read_yaml


def stats(name: str = "header", passed: int = 9, failed: int = 1, **others: Any) -> EvaluatorStats:
    scored = passed + failed
    figures: dict[str, Any] = {
        "skipped": 0, "not_measured": 0, "invalid": 0, "unjudged": 0, "bugs": 0, "unreadable": 0, "blocked": 0,
        "mean": share(passed, scored), "pass_rate": share(passed, scored), "pass_rate_ci": None, **others,
    }  # fmt: skip
    figures.setdefault("metric_cis", bounds_of(figures.get("fields", ()), figures.get("counts")))
    rows = scored + sum(figures[kind] for kind in ("skipped", "not_measured", "invalid", "unjudged", "bugs"))
    return EvaluatorStats(name, "exact_match", rows, scored, passed, failed, **figures)


def field(path: str, **counts: int) -> FieldStats:
    found = Counts(**counts)
    return FieldStats(path, found, *ratios(found))


def gate(target: str = "header", **config: Any) -> Gate:
    return Gate(target, parse_target(target, NAMES), GateConfig.model_validate(config), "suite.yaml:9:3")


NAMES = ["header", "other", "label", "lost"]


def judged(one: Gate, *figures: EvaluatorStats, slices: tuple[EvaluatorStats, ...] = ()) -> GateResult:
    (result,) = judge_gates([one], figures, slices)
    return result


# --- settings


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, "needs a limit"),
        ({"metric": "mean"}, "needs a limit"),
        ({"fail_below": 1.1}, "less than or equal to 1"),
        ({"fail_below": -0.1}, "greater than or equal to 0"),
        ({"fail_below": float("nan")}, "input_value=nan"),
        ({"fail_below": True}, "valid number"),
        ({"fail_below": "0.9"}, "valid number"),
        ({"fail_below": 0.9, "warn_below": 0.8}, "fail_below (0.9) must not be more than warn_below (0.8)"),
        ({"fail_above": 0.1, "warn_above": 0.2}, "warn_above (0.2) must not be more than fail_above (0.1)"),
        ({"fail_below": 0.9, "fail_above": 0.5}, "fail_below (0.9) must not be more than fail_above (0.5)"),
        ({"fail_below": 0.9, "min_rows": 0}, "greater than or equal to 1"),
        ({"fail_below": 0.9, "fial_above": 1}, "Extra inputs"),
        ({"fail_below": 0.9, "metric": "median"}, "'mean', 'mean_score'"),
        ({"fail_below": 0.9, "slice": {"a": "1", "b": "2"}}, "one column and its value"),
        ({"fail_below": 0.9, "slice": {"a": "1"}, "each_slice": "a"}, "not both"),
    ],
)
def test_unsound_settings_are_refused(config: Mapping[str, object], said: str) -> None:
    with pytest.raises(ValidationError) as error:
        GateConfig.model_validate(config)
    assert said in str(error.value)


def test_a_slice_value_may_be_a_number_or_a_boolean() -> None:
    year = GateConfig.model_validate({"fail_below": 1, "slice": {"year": 2024}})
    paid = GateConfig.model_validate({"fail_below": 1, "slice": {"paid": True}})
    assert (year.slice_words, paid.slice_words) == ({"year": "2024"}, {"paid": "true"})
    assert [year.is_about_slice(one) for one in ("2024", "2024.0", "02024", "true")] == [True, True, False, False]
    assert [paid.is_about_slice(one) for one in ("true", "1")] == [True, False]


# --- targets


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("header", Target("header", None)),
        ("header.total", Target("header", "total")),
        ("header.totals.gross", Target("header", "totals.gross")),
        ("header./totals/gross", Target("header", "totals.gross")),
        ("header.$.totals.gross", Target("header", "totals.gross")),
        ("header.items[*].qty", Target("header", "items[*].qty")),
    ],
)
def test_a_target_splits_at_the_first_dot(text: str, target: Target) -> None:
    assert parse_target(text, ["header"]) == target


def test_an_unknown_evaluator_is_named_with_a_suggestion() -> None:
    issue = problem_of(lambda: parse_target("haeder.total", ["header", "lines"]))
    assert issue.blame is Blame.CONFIG
    assert issue.hint == 'did you mean "header"?'


def test_a_far_off_name_lists_the_evaluators() -> None:
    with pytest.raises(Problems) as error:
        parse_target("zzz", ["header", "lines"])
    assert error.value.issues[0].hint == "evaluators: header, lines"


def test_a_target_does_not_end_in_a_dot() -> None:
    with pytest.raises(Problems, match="ends in a dot"):
        parse_target("header.", ["header"])


def test_a_malformed_path_is_a_config_problem() -> None:
    with pytest.raises(Problems) as error:
        parse_target("header.items[", ["header"])
    assert error.value.issues[0].blame is Blame.CONFIG


# --- before row 1


def test_a_field_outside_a_closed_list_is_named_with_a_suggestion() -> None:
    (issue,) = check_gate(gate("header.totals.gros", fail_below=1), ScoredFields(("totals.gross", "id")))
    assert issue.where == "suite.yaml:9:3"
    assert '"totals.gros"' in issue.message
    assert issue.hint == 'did you mean "totals.gross"?'


def test_the_spelling_of_a_field_does_not_matter() -> None:
    assert check_gate(gate("header./totals/gross", fail_below=1), ScoredFields(("totals.gross",))) == []


def test_the_fields_of_an_open_tree_are_not_known_before_the_run() -> None:
    assert check_gate(gate("header.anything", fail_below=1), ScoredFields(metrics=("f1",))) == []


@pytest.mark.parametrize("target", ["header.total", "header"])
def test_an_evaluator_without_fields_has_no_field_and_no_precision(target: str) -> None:
    (issue,) = check_gate(gate(target, fail_below=1, metric="precision"), ScoredFields())
    assert issue.code == "no-fields"


def test_a_column_that_the_suite_does_not_slice_by_is_named() -> None:
    one = gate(fail_below=1, each_slice="row.suplier")
    (issue,) = check_gate(one, ScoredFields(), slices=["row.supplier"])
    assert (issue.code, issue.hint) == ("unknown-slice", 'did you mean "supplier"?')
    (issue,) = check_gate(one, ScoredFields())
    assert issue.hint == "add it to the suite: slices: [row.suplier]"


def test_an_unknown_variant_is_named() -> None:
    one = gate(fail_below=1, variant="gtp")
    (issue,) = check_gate(one, ScoredFields(), variants=["gpt", "llama"])
    assert (issue.code, issue.hint) == ("unknown-variant", 'did you mean "gpt"?')
    (issue,) = check_gate(one, ScoredFields())
    assert "no variants" in issue.hint


@pytest.mark.parametrize(
    ("target", "figure", "hint"),
    [
        ("header.a", "mean", "write metric: accuracy"),
        ("header.a", "pass_rate", "write metric: accuracy"),
        ("header.a", "overall_pass_rate", "its metrics: accuracy, precision, recall, f1"),
        ("header", "accuracy", "write metric: pass_rate"),
    ],
)
def test_figures_of_rows_and_figures_of_fields_have_names_of_their_own(target: str, figure: str, hint: str) -> None:
    (issue,) = check_gate(gate(target, metric=figure, fail_below=0.5), ScoredFields(("a",)))
    assert (issue.code, issue.blame) == ("no-such-metric", Blame.CONFIG)
    assert issue.hint.startswith(hint)


def test_a_gate_without_a_figure_is_about_the_mean_or_the_accuracy_of_a_field() -> None:
    figures = stats(fields=(field("a", match=9, mismatch=1),))
    assert judged(gate(fail_below=0.5), figures).metric == "mean"
    assert judged(gate("header.a", fail_below=0.5), figures).metric == "accuracy"


# --- judging


CASES: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("gates.yaml"))
OF_RESULT = ("verdict", "value", "n", "message")


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["it"]))
def test_a_gate_is_judged_as_the_table_says(case: dict[str, Any]) -> None:
    figures: dict[str, Any] = {**case.get("figures", {})}
    for name in figures:
        if name.endswith("_ci"):
            figures[name] = Interval(*figures[name])
    if "counts" in figures:
        figures["counts"] = Counts(**figures["counts"])
    figures["fields"] = tuple(field(path, **counts) for path, counts in case.get("fields", {}).items())
    figures["metrics"] = tuple(MetricStats(name, *both) for name, both in case.get("metrics", {}).items())
    if "bounds" in case:
        bounds = ((*about, Interval(*ends) if ends else None) for *about, ends in case["bounds"])
        figures["metric_cis"] = tuple(MetricCI(*each) for each in bounds)
    found = judged(gate(case.get("target", "header"), **case["gate"]), stats(**figures))
    wanted = {name: case[name] for name in OF_RESULT if name in case}
    assert {name: getattr(found, name) for name in wanted} == wanted
    assert case.get("says", "") in (found.message or "")
    if "precision" not in case["gate"].get("metric", ""):
        assert "gave nothing" not in (found.message or "")


def test_a_gate_holds_for_every_variant_unless_it_names_one() -> None:
    figures = (stats(variant="gpt"), stats(passed=1, failed=9, variant="llama"))
    both = judge_gates([gate(fail_below=0.5)], figures)
    assert [(each.variant, each.verdict) for each in both] == [("gpt", "passed"), ("llama", "failed")]
    (one,) = judge_gates([gate(fail_below=0.5, variant="gpt")], figures)
    assert one.variant == "gpt"


def test_each_slice_is_held_to_the_limits_on_its_own() -> None:
    slices = (stats(slice=("supplier", "ACME")), stats(passed=1, failed=1, slice=("supplier", "Zeta")))
    found = judge_gates([gate(fail_below=0.8, each_slice="row.supplier", min_rows=5)], [stats()], slices)
    assert [(each.slice, each.verdict) for each in found] == [
        (("supplier", "ACME"), "passed"),
        (("supplier", "Zeta"), "undecided"),
    ]


def test_a_gate_on_one_slice_leaves_the_others_alone() -> None:
    slices = (stats(slice=("row.year", "2023")), stats(passed=1, slice=("row.year", "2024")))
    result = judged(gate(fail_below=0.8, slice={"year": 2024}), stats(), slices=slices)
    assert (result.slice, result.verdict) == (("row.year", "2024"), "failed")


@pytest.mark.parametrize("config", [{"fail_above": 0.5}, {"fail_below": 0.5, "metric": "mean_f1"}])
def test_a_lower_bound_goes_with_lower_limits_and_rates(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="lower_bound"):
        GateConfig.model_validate({**config, "using": "lower_bound"})


# --- metrics that gates name


def test_a_field_has_a_mean_score_where_its_evaluator_makes_one() -> None:
    one, whole = gate("header.a", metric="mean_score", fail_below=0.5), gate(metric="overall_score", fail_below=0.5)
    both = ScoredFields(("a",), metrics=("mean_field_score", "overall_score"))
    overall = ScoredFields(("a",), metrics=("overall_score",))
    assert check_gate(one, both) == []
    (issue,) = check_gate(one, overall)
    assert issue.hint == "its metrics: accuracy, precision, recall, f1"
    (issue,) = check_gate(gate("header.a", metric="overall_score", fail_below=0.5), both)
    assert issue.hint == "its metrics: accuracy, precision, recall, f1, mean_score"
    assert check_gate(whole, overall) == []


def test_a_field_of_an_open_tree_has_no_figures_in_slices() -> None:
    one = gate("header.a", fail_below=0.5, each_slice="row.supplier")
    (issue,) = check_gate(one, ScoredFields(metrics=("f1",)), slices=["row.supplier"])
    assert (issue.code, issue.blame, issue.where) == ("no-fields-in-slices", Blame.CONFIG, "suite.yaml:9:3")


def test_what_a_run_must_watch_for_its_gates() -> None:
    suite = load({"evaluators": [
        {"type": "json_multi_field_match", "name": "header", "fields": {"a": "exact", "b": "exact"}},
        {"type": "json_diff_match", "name": "other", "extra_fields": "ignore"},
        {"type": "exact_match", "name": "label"},
    ]})  # fmt: skip
    named: list[tuple[str, dict[str, Any]]] = [
        ("header.b", {}), ("header", {"metric": "precision"}), ("header", {"metric": "mean"}), ("header.b", {}),
        ("header.a", {"metric": "mean_score"}), ("other.x", {"metric": "recall"}), ("other", {"metric": "f1"}),
        ("label", {"label": "yes"}), ("label", {"metric": "pass_rate"}), ("lost", {"metric": "f1"}),
    ]  # fmt: skip
    gates = [gate(target, fail_below=0.5, **config) for target, config in named]
    assert watches(gates, suite.lines) == {
        "header": Watch((("b", "accuracy"), (None, "precision"), ("a", "accuracy")), ("a", "b"), True),
        "other": Watch((("x", "recall"), (None, "f1")), (), False),
    }


# --- what a result says


def of_slice(value: str, passed: int) -> EvaluatorStats:
    return replace(stats(passed=passed, failed=10 - passed), slice=("row.supplier", value))


def test_a_slice_that_no_row_is_in_lists_five_of_those_that_there_are() -> None:
    one = gate(slice={"supplier": "Z"}, fail_below=0.5)
    found = judged(one, slices=tuple(of_slice(value, 9) for value in "ABCDE"))
    assert found.message == 'no row was measured: the column "supplier" has "A", "B", "C", "D", "E"'
    assert (found.slice, found.value, found.n, found.verdict) == (("supplier", "Z"), None, 0, "undecided")
    found = judged(
        one, slices=(*(of_slice(value, 9) for value in "AB"), replace(of_slice("C", 9), slice=("row.kind", "C")))
    )
    assert found.message == 'no row was measured: the column "supplier" has "A", "B"'
    found = judged(one, slices=tuple(of_slice(value, 9) for value in "ABCDEF"))
    assert found.message == 'no row was measured: the column "supplier" has "A", "B", "C", "D", "E", …'


def test_a_label_of_a_gate_names_what_sets_it_apart() -> None:
    one = GateResult(
        "header.a", "recall", 1.0, 3, "fail below 0.5", "passed", "", "gpt", ("row.supplier", "ACME"), "refund"
    )
    assert gate_label(one) == "header.a (recall, label refund, variant gpt, supplier = ACME)"
    assert gate_label(replace(one, metric="mean", label=None, variant=None, slice=None)) == "header.a"
    assert gate_label(replace(one, metric="pass_rate", label=None, variant=None, slice=None)) == "header.a (pass rate)"
