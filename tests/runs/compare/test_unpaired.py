"""A `run.json` alone has metrics and no rows: metrics are compared, and rules that look at rows are incomparable."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaluators.api.comparisons import compare
from evaluators.api.loading import load
from evaluators.model.issues import Problems
from evaluators.runs.compare.compare_section import CompareConfig
from evaluators.runs.compare.comparing import compare_sides
from evaluators.runs.compare.comparison import RunComparison, comparison_json
from evaluators.runs.compare.pairs import Side, SideRows
from evaluators.runs.result import EvaluatorStats, FieldStats, Interval
from tests.kit import comparison_written
from tests.runs.compare.sides import made_side
from tests.runs.compare.test_baseline import SUITE, run_of

Means = list[tuple[float, float, float] | None]


def metrics_alone(run: Path) -> Path:
    return Path(shutil.copy(run / "run.json", run.parent.parent / f"{run.name}.json"))


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return metrics_alone(run_of(tmp_path, "base", [1, 1, 1, 2]))


def against(base: Path, values: list[int], **how: Any) -> RunComparison:
    return compare(base, run_of(base.parent, "new", values), **how)


def test_metrics_are_those_of_all_rows_of_each_run(base: Path) -> None:
    found = against(base, [2, 2, 1], fail_on=())
    (form,) = found.evaluators
    assert (form.base, form.new, form.difference) == pytest.approx((0.875, 2 / 3, 2 / 3 - 0.875))
    assert [(one.field, one.base, one.new) for one in found.fields] == [("a", 1, 1), ("b", 0.75, pytest.approx(1 / 3))]
    assert {(one.verdict, one.p_value, one.pairs) for one in (form, *found.fields)} == {("not tested", None, 0)}
    assert (found.rows, found.changed, found.incomparable, found.exit_code) == (0, (), (), 0)
    alone = "the base has metrics alone: metrics are over all rows of each run, and nothing is tested"
    differ = "it is not checked that both runs ask the same, since their test sets differ: 4 rows in the base, 3 rows in the new run"
    assert found.notes == (alone, differ)
    again = compare(base, base.parent / "runs" / "base", fail_on=())
    assert again.notes == (alone,)


@pytest.mark.parametrize(
    ("how", "rules"),
    [
        ({}, "significant_drop needs"),
        ({"fail_on": ("broken_rows",)}, "broken_rows needs"),
        ({"max_broken_rows": 3}, "significant_drop, broken_rows need"),
    ],
)
def test_a_rule_about_rows_is_incomparable(base: Path, how: dict[str, Any], rules: str) -> None:
    found = against(base, [1, 1, 1, 2], **how)
    assert found.exit_code == 4
    assert found.incomparable == (
        f"{rules} the rows of both runs, and the base has metrics alone: name the run folder, or say `--fail-on nothing`",
    )
    assert found.evaluators[0].difference == 0


@pytest.mark.parametrize(
    ("checks", "exit_code", "said"),
    [
        ({"form": {"max_drop": 0.2}}, 1, "max_drop of form: lower by 0.2083; the most is 0.2"),
        ({"form": {"max_drop": 0.3}}, 0, ""),
        ({"form.b": {"max_drop": 0.4}}, 1, "max_drop of form.b: lower by 0.4167; the most is 0.4"),
        ({"form.*": {"max_drop": 0.4}}, 4, "max_drop of form.* needs the rows"),
        ({"form": {"max_drop": 0.3, "max_broken_rows": 9}}, 4, "max_broken_rows of form needs the rows"),
    ],
)
def test_a_limit_on_a_drop_holds_without_rows(base: Path, checks: Any, exit_code: int, said: str) -> None:
    suite = load({"name": "forms", **SUITE, "compare": {"fail_on": [], "regression_checks": checks}})
    found = against(base, [2, 2, 1], suite=suite)
    assert found.exit_code == exit_code
    assert said in "".join(found.causes)


def test_settings_that_differ_are_incomparable_without_rows_too(base: Path) -> None:
    other = load({"evaluators": [{"json_multi_field_match": {"name": "form", "fields": ["a"]}}]})
    new = other.run(base.parent / "base.jsonl", results=base.parent / "runs", name="other")
    found = compare(base, str(new.folder), fail_on=())
    assert (found.exit_code, found.evaluators) == (4, ())
    assert "has other settings" in found.incomparable[0]


def test_a_run_that_was_interrupted_is_compared_in_common_alone(base: Path) -> None:
    new = run_of(base.parent, "new", [1, 2])
    base.write_text(base.read_text(encoding="utf-8").replace('"complete": true', '"complete": false'), encoding="utf-8")
    reason = "the base was interrupted before its last row"
    assert compare(base, new, fail_on=()).incomparable == (reason,)
    found = compare(base, new, fail_on=(), common=True)
    assert found.exit_code == 0
    assert f"set aside: {reason}" in found.notes


def test_ids_that_repeat_are_no_matter_where_no_rows_are_paired(base: Path) -> None:
    rows = [{"id": "r0", "output": {"a": 1, "b": 1}, "expected": {"a": 1, "b": 1}}] * 2
    new = load({"name": "forms", **SUITE}).run(rows, results=base.parent / "runs", name="repeated")
    assert "share" not in "".join(compare(base, str(new.folder), fail_on=()).notes)


def test_a_folder_that_lost_its_rows_is_damaged(tmp_path: Path) -> None:
    one, two = run_of(tmp_path, "one", [1]), run_of(tmp_path, "two", [1])
    (one / "run.db").unlink()
    with pytest.raises(Problems, match=r"there is no run\.db"):
        compare(one, two)


def test_a_run_json_beside_its_rows_is_the_run(tmp_path: Path) -> None:
    one, two = run_of(tmp_path, "one", [1]), run_of(tmp_path, "two", [2])
    assert compare(one / "run.json", two).broken == 1


@pytest.mark.parametrize("text", ["", "[]", "{", "{}", '{"format": 99}', '{"kind": "evaluators baseline", "format": 6}'])
def test_a_file_that_is_no_run_is_refused(tmp_path: Path, text: str) -> None:
    new = run_of(tmp_path, "new", [1])
    (tmp_path / "main.json").write_text(text, encoding="utf-8")
    with pytest.raises(Problems):
        compare(tmp_path / "main.json", new)


MEANS = st.lists(
    st.none() | st.tuples(*[st.floats(0, 1)] * 3).map(lambda ends: (sorted(ends)[0], sorted(ends)[1], sorted(ends)[2])),
    min_size=2, max_size=2,
)  # fmt: skip


def side(label: str, mean: tuple[float, float, float] | None, has_rows: bool) -> Side:
    low, middle, high = mean or (0.0, None, 0.0)
    field = FieldStats("a", {}, middle, None, None, None)
    ci = None if mean is None else Interval(low, high)
    stats = EvaluatorStats("form", "exact_match", *[0] * 11, middle, None, None, (field,), mean_ci=ci)
    made = made_side(label, SideRows([], {"form": []}), {"form": ("a",)}, evaluators=(stats,))
    return replace(made, has_rows=has_rows)


@given(MEANS, st.booleans())
def test_the_other_way_round_every_difference_is_its_opposite(means: Means, both: bool) -> None:
    quiet = CompareConfig(fail_on=())
    one, other = side("a", means[0], False), side("b", means[1], not both)
    there, back = compare_sides(one, other, quiet), compare_sides(other, one, quiet)
    assert (there.exit_code, there.unpaired) == (back.exit_code, True) == (0, True)
    for forth, again in zip((*there.evaluators, *there.fields), (*back.evaluators, *back.fields), strict=True):
        assert (forth.base, forth.new, forth.verdict) == (again.new, again.base, again.verdict)
        assert (forth.difference is None) is (None in means)
        if forth.difference is not None and again.difference is not None:
            assert forth.difference == -again.difference
        if forth.ci is not None and again.ci is not None and forth.difference is not None:
            assert forth.ci.low <= forth.difference <= forth.ci.high
            assert (forth.ci.low, forth.ci.high) == pytest.approx((-again.ci.high, -again.ci.low))
    assert '"unpaired": true' in comparison_json(there)


def test_measures_and_labels_are_compared_too_and_the_csv_file_has_a_line_for_each_metric(tmp_path: Path) -> None:
    rows = "id,output,expected,cost\n" + "".join(f"{at},{one},a,{at}\n" for at, one in enumerate("aab"))
    (tmp_path / "rows.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "more.csv").write_text(rows.replace("2,b,a,2", "2,a,a,8"), encoding="utf-8")
    suite = load({"measures": {"cost": "row.cost"}, "evaluators": [{"exact_match": {"labels": ["a", "b"]}}]})
    for name in ("rows", "more"):
        suite.run(tmp_path / f"{name}.csv", results=tmp_path / "runs", name=name)
    found = compare(metrics_alone(tmp_path / "runs" / "rows"), tmp_path / "runs" / "more", fail_on=())
    assert [(one.base, one.new) for one in found.measures if one.metric == "mean"] == [(1.0, 3.0)]
    assert [(one.base, one.new) for one in found.labels if (one.label, one.metric) == ("a", "f1")] == [(0.8, 1.0)]
    lines = comparison_written("csv", found).splitlines()
    assert lines[0].startswith('\ufeff"evaluator","field","variant","pairs","base","new","difference"')
    assert lines[1].startswith('"exact_match","","","0","0.66666')
