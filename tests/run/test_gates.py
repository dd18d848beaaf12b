from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace
from pydantic import ValidationError

from evaluators import load
from evaluators.builtin._scored_fields import ScoredFields
from evaluators.issues import Blame, Problems
from evaluators.run.gate_targets import check_gate, parse_target
from evaluators.run.gate_verdicts import judge_gates
from evaluators.run.gates import Gate, GateConfig, Target
from evaluators.run.intervals import ratios, share, wilson
from evaluators.run.result import Counts, EvaluatorStats, FieldStats, GateResult, Interval, MetricCI, MetricStats
from evaluators.run.watch import Watch, watches
from evaluators.run.wording import gate_label
from tests.bounds import bounds_of


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
    "config",
    [
        {"fail_below": 1},
        {"fail_below": 0},
        {"fail_below": 0.9, "warn_below": 0.9},
        {"fail_above": 0.1, "warn_above": 0.05, "metric": "f1"},
        {"warn_below": 0.5, "slice": {"supplier": "ACME"}, "variant": "gpt", "min_rows": 30},
        {"fail_below": 0.5, "each_slice": "row.supplier"},
    ],
)
def test_sound_settings_are_read(config: Mapping[str, object]) -> None:
    assert GateConfig.model_validate(config)


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
    assert GateConfig.model_validate({"fail_below": 1, "slice": {"year": 2024}}).slice == {"year": "2024"}
    assert GateConfig.model_validate({"fail_below": 1, "slice": {"paid": True}}).slice == {"paid": "true"}


def test_limits_read_as_words() -> None:
    config = GateConfig(fail_below=0.99, warn_below=0.995)
    assert config.limit == "fail below 0.99, warn below 0.995"


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
    with pytest.raises(Problems) as error:
        parse_target("haeder.total", ["header", "lines"])
    (issue,) = error.value.issues
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
    assert issue.hint is not None
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
    assert issue.hint is not None
    assert issue.hint.startswith(hint)


def test_a_gate_without_a_figure_is_about_the_mean_or_the_accuracy_of_a_field() -> None:
    figures = stats(fields=(field("a", match=9, mismatch=1),))
    assert judged(gate(fail_below=0.5), figures).metric == "mean"
    assert judged(gate("header.a", fail_below=0.5), figures).metric == "accuracy"


# --- judging


@pytest.mark.parametrize(
    ("config", "verdict", "message"),
    [
        ({"fail_below": 0.9}, "passed", "mean 0.9000"),
        ({"fail_below": 0.95}, "failed", "mean 0.9000 is below 0.95"),
        ({"fail_below": 0.9000001}, "failed", "mean 0.9000 is below 0.9000001"),
        ({"warn_below": 0.95, "fail_below": 0.8}, "warned", "mean 0.9000 is below 0.95"),
        ({"fail_above": 0.5, "metric": "pass_rate"}, "failed", "pass rate 0.9000 is above 0.5"),
        ({"fail_above": 0.9}, "passed", "mean 0.9000"),
        ({"warn_above": 0.5, "fail_above": 0.95}, "warned", "mean 0.9000 is above 0.5"),
        ({"fail_below": 0.5, "min_rows": 11}, "undecided", "only 10 rows measured, and the gate asks for 11"),
        ({"fail_below": 0.5, "min_rows": 10}, "passed", "mean 0.9000"),
    ],
)
def test_a_gate_is_judged_by_its_limits(config: Mapping[str, Any], verdict: str, message: str) -> None:
    result = judged(gate(**config), stats())
    assert (result.verdict, result.message, result.n) == (verdict, message, 10)


def test_failing_outweighs_warning() -> None:
    result = judged(gate(fail_below=0.95, warn_below=0.99), stats())
    assert result.verdict == "failed"
    assert result.limit == "fail below 0.95, warn below 0.99"


def test_a_gate_without_a_measured_row_is_undecided() -> None:
    assert judged(gate(fail_below=0), stats(passed=0, failed=0)).verdict == "undecided"
    assert judged(gate(fail_below=0.5)).verdict == "undecided"


def test_a_figure_over_fields_that_no_row_has_is_undecided() -> None:
    result = judged(gate(fail_below=0.5, metric="f1"), stats())
    assert (result.verdict, result.message, result.n) == ("undecided", "no row was measured", 0)


def test_rows_with_an_empty_expected_answer_measure_nothing() -> None:
    result = judged(gate(fail_below=0.5), stats(passed=10, failed=0, empty_expected=10))
    assert (result.verdict, result.n) == ("undecided", 0)


def test_a_gate_on_a_field_reads_its_accuracy() -> None:
    figures = stats(fields=(field("totals.gross", match=97, mismatch=2, omission=1, not_measured=50),))
    result = judged(gate("header./totals/gross", fail_below=0.99), figures)
    assert (result.value, result.n, result.verdict) == (0.97, 100, "failed")
    assert result.target == "header./totals/gross"
    assert result.message == "accuracy 0.9700 is below 0.99"


@pytest.mark.parametrize(("figure", "value"), [("precision", 6 / 10), ("recall", 6 / 12), ("f1", 12 / 22)])
def test_a_gate_on_a_field_reads_the_figure_it_names(figure: str, value: float) -> None:
    figures = stats(fields=(field("a", match=6, mismatch=2, hallucination=2, omission=4),))
    assert judged(gate("header.a", fail_below=0.1, metric=figure), figures).value == value


def test_a_field_that_no_row_has_is_undecided_with_a_suggestion() -> None:
    figures = stats(fields=(field("vendor.name", match=9),))
    result = judged(gate("header.vendr.name", fail_below=0.5), figures)
    assert result.verdict == "undecided"
    assert result.message == 'no row has the field "vendr.name"; did you mean "vendor.name"?'


def test_one_item_of_a_list_names_the_list_uncut() -> None:
    """Agenta, JSON Flattening: `hobbies.0` is the first item."""
    figures = stats(fields=(field("hobbies[*]", match=9), field("name", match=9)))
    result = judged(gate("header.hobbies.0", fail_below=0.5), figures)
    assert result.verdict == "undecided"
    assert result.message.startswith('write "hobbies[*]": the items of a list are counted together')


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


def test_a_slice_that_no_row_is_in_is_undecided() -> None:
    result = judged(gate(fail_below=0.8, slice={"year": 1999}), stats(), slices=(stats(slice=("year", "2024")),))
    assert (result.verdict, result.slice) == ("undecided", ("year", "1999"))


def test_a_label_says_what_the_gate_is_about() -> None:
    result = judged(gate(fail_below=0.5, metric="pass_rate", variant="gpt"), stats(variant="gpt"))
    assert gate_label(result) == "header (pass rate, variant gpt)"
    assert gate_label(judged(gate(fail_below=0.5), stats())) == "header"


def test_a_gate_on_the_lower_bound_is_held_down_by_few_rows() -> None:
    few = stats(passed=9, failed=1, mean_ci=Interval(0.6, 0.98), pass_rate_ci=Interval(0.55, 0.97))
    mean = judged(gate("header", fail_below=0.8, using="lower_bound"), few)
    assert (mean.verdict, mean.value) == ("failed", 0.6)
    assert mean.message == "lower bound of the mean 0.6000 is below 0.8"
    rate = judged(gate("header", fail_below=0.5, using="lower_bound", metric="pass_rate"), few)
    assert (rate.verdict, rate.value) == ("passed", 0.55)


def test_the_lower_bound_of_a_field_is_that_of_its_accuracy() -> None:
    one = stats(fields=(field("total", match=9, mismatch=1),))
    for figure, expected in (("accuracy", wilson(9, 10)), ("precision", wilson(9, 10)), ("recall", wilson(9, 10))):
        found = judged(gate("header.total", fail_below=0.9, using="lower_bound", metric=figure), one)
        assert expected is not None
        assert (found.value, found.verdict) == (expected.low, "failed")


def test_a_lower_bound_that_nobody_knows_leaves_a_gate_undecided() -> None:
    found = judged(gate("header", fail_below=0.5, using="lower_bound"), stats())
    assert found.verdict == "undecided"
    assert found.message == "lower bound of the mean is unknown: there is nothing to divide by"


def test_the_lower_bound_of_a_figure_over_all_fields_is_that_of_its_rows() -> None:
    pooled = stats(counts=Counts(match=90, mismatch=10), micro_precision=0.9, micro_recall=0.9, micro_f1=0.9)
    for figure in ("precision", "recall", "f1"):
        one = replace(pooled, metric_cis=(MetricCI(None, f"micro_{figure}", 10, Interval(0.7, 0.95)),))
        found = judged(gate("header", fail_below=0.6, using="lower_bound", metric=figure, coverage="any"), one)
        assert (found.verdict, found.value, found.n) == ("passed", 0.7, 10)


def test_rows_are_counted_for_min_rows_and_items_are_said_apart() -> None:
    lines = field("items[*].qty", match=90, mismatch=10)
    one = stats(fields=(lines,), metric_cis=(MetricCI("items[*].qty", "accuracy", 10, Interval(0.7, 0.95)),))
    few = judged(gate("header.items[*].qty", fail_below=0.5, min_rows=11), one)
    assert (few.verdict, few.n) == ("undecided", 10)
    assert few.message == "only 10 rows measured, and the gate asks for 11; 100 items in 10 rows"
    found = judged(gate("header.items[*].qty", fail_below=0.5), one)
    assert (found.verdict, found.n) == ("passed", 10)
    assert found.message == "accuracy 0.9000; 100 items in 10 rows"


def test_a_figure_of_rows_counts_the_rows_that_have_it() -> None:
    one = stats(metrics=(MetricStats("mean_recall", 0.8, 4),))
    assert judged(gate("header", fail_below=0.5, metric="mean_recall"), one).n == 4


@pytest.mark.parametrize("config", [{"fail_above": 0.5}, {"fail_below": 0.5, "metric": "mean_f1"}])
def test_a_lower_bound_goes_with_lower_limits_and_rates(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="lower_bound"):
        GateConfig.model_validate({**config, "using": "lower_bound"})


# --- figures that gates name


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


def test_a_field_that_no_row_has_was_measured_in_none() -> None:
    found = judged(gate("header.b", fail_below=0.5), stats(fields=(field("a", match=9),)))
    assert (found.value, found.n, found.verdict, found.message) == (
        None, 0, "undecided", 'no row has the field "b"',
    )  # fmt: skip


def test_a_field_with_several_values_in_a_row_says_how_many() -> None:
    items = field("items[*].sku", match=25, mismatch=5)
    bound = MetricCI("items[*].sku", "accuracy", 10, Interval(0.5, 0.9))
    found = judged(gate("header.items[*].sku", fail_below=0.8), stats(fields=(items,), metric_cis=(bound,)))
    assert found.message == "accuracy 0.8333; 30 items in 10 rows"
    assert (found.value, found.n) == (25 / 30, 10)
    found = judged(
        gate("header.items[*].sku", fail_below=0.8, using="lower_bound"), stats(fields=(items,), metric_cis=(bound,))
    )
    assert (found.value, found.verdict) == (0.5, "failed")
    assert found.message.startswith("lower bound of the accuracy 0.5")


def test_a_figure_that_is_0_has_the_lower_bound_0() -> None:
    """Where no row adds anything to the sums there is no interval, and nothing is below 0."""
    nothing = field("a", omission=3)
    bound = MetricCI("a", "precision", 3, None)
    found = judged(gate("header.a", metric="precision", fail_below=0.1, using="lower_bound"),
                   stats(fields=(nothing,), metric_cis=(bound,)))  # fmt: skip
    assert (found.value, found.n, found.verdict) == (0.0, 3, "failed")


def test_a_further_figure_is_measured_on_the_rows_that_have_it() -> None:
    figures = stats(metrics=(MetricStats("overall_score", 0.75, 4),))
    found = judged(gate(metric="overall_score", fail_below=0.7, min_rows=5), figures)
    assert (found.value, found.n, found.verdict) == (0.75, 4, "undecided")
    assert found.message == "only 4 rows measured, and the gate asks for 5"
    assert judged(gate(metric="overall_score", fail_below=0.7, min_rows=4), figures).verdict == "passed"


def test_rows_that_were_kept_out_leave_a_gate_undecided_unless_it_fails_all_the_same() -> None:
    """10 rows scored with a mean of 0.9 and 10 kept out: from 0.45 to 0.95 in truth."""
    kept_out = stats(invalid=10)
    for limits, verdict, words in (
        ({"fail_below": 0.95}, "undecided", "on only 10 of 20 rows; the gate asks for 0.95 of them"),
        ({"fail_below": 0.96}, "failed", "and would be with every row that was kept out right"),
        ({"fail_above": 0.45}, "undecided", "on only 10 of 20 rows"),
        ({"fail_above": 0.44}, "failed", "and would be with every row that was kept out wrong"),
        ({"fail_below": 0.5}, "undecided", "on only 10 of 20 rows"),
        ({"fail_below": 0.5, "coverage": 0.5}, "passed", "mean 0.9"),
        ({"fail_below": 0.5, "coverage": 0.51}, "undecided", "the gate asks for 0.51 of them"),
        ({"fail_below": 0.5, "coverage": "any"}, "passed", "mean 0.9"),
    ):
        found = judged(gate(**limits), kept_out)
        assert (found.verdict, limits) == (verdict, limits)
        assert words in found.message


def test_precision_does_not_see_outputs_that_gave_nothing() -> None:
    """10 rows scored, of which 2 gave nothing: precision rests on 8 of 10."""
    figures = stats(counts=Counts(match=8, omission=2), micro_precision=1.0, outputs_without_values=2)
    found = judged(gate(metric="precision", fail_below=0.9), figures)
    assert found.verdict == "undecided"
    assert "2 rows of 10 have an output that gave nothing" in found.message
    found = judged(gate(metric="precision", fail_below=0.9, coverage=0.8), figures)
    assert found.verdict == "passed"
    assert "2 rows of 10 have an output that gave nothing" in found.message
    assert judged(gate(metric="precision", fail_below=1.0, coverage="any"), figures).verdict == "passed"
    assert "gave nothing" not in judged(gate(metric="recall", fail_below=0.1), replace(figures, micro_recall=0.8)).message


@pytest.mark.parametrize(("limits", "otherwise"), [({"fail_below": 0.9}, "passed"), ({"warn_below": 0.96}, "warned")])
def test_a_gate_on_a_field_sees_what_could_not_be_checked_in_it(limits: dict[str, float], otherwise: str) -> None:
    """All rows could be read; of 25 values of the field 5 could not be compared. Other fields are none of its business."""
    figures = stats(fields=(field("total", match=19, mismatch=1, not_judged=5), field("date", match=19, mismatch=1)))
    found = judged(gate("header.total", **limits), figures)
    assert found.verdict == "undecided"
    assert "on only 20 of 25 values; the gate asks for 0.95 of them" in found.message
    assert judged(gate("header.total", **limits, coverage=0.8), figures).verdict == otherwise
    assert judged(gate("header.date", **limits), figures).verdict == otherwise


def test_a_warning_on_precision_does_not_hide_rows_that_gave_nothing() -> None:
    figures = stats(counts=Counts(match=7, mismatch=1, omission=2), micro_precision=0.875, outputs_without_values=2)
    for limits, coverage, verdict in (
        ({"warn_below": 0.9}, 0.95, "undecided"),
        ({"warn_below": 0.9, "fail_below": 0.5}, 0.95, "undecided"),
        ({"warn_below": 0.9}, 0.8, "warned"),
        ({"fail_below": 0.9}, 0.95, "failed"),
    ):
        found = judged(gate(metric="precision", coverage=coverage, **limits), figures)
        assert (found.verdict, limits) == (verdict, limits)
        assert "2 rows of 10 have an output that gave nothing" in found.message


def test_a_label_of_a_gate_names_what_sets_it_apart() -> None:
    one = GateResult(
        "header.a", "recall", 1.0, 3, "fail below 0.5", "passed", "", "gpt", ("row.supplier", "ACME"), "refund"
    )
    assert gate_label(one) == "header.a (recall, label refund, variant gpt, supplier = ACME)"
    assert gate_label(replace(one, metric="mean", label=None, variant=None, slice=None)) == "header.a"
    assert gate_label(replace(one, metric="pass_rate", label=None, variant=None, slice=None)) == "header.a (pass rate)"
