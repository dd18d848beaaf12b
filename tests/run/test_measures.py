"""Measures: exact figures of numbers in a column, the same for any cut of the rows."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evaluators
from evaluators.issues import Blame, Problems
from evaluators.run import measures as module
from evaluators.run.exact_sums import FIRST_ROWS, plus
from evaluators.run.measures import (
    UNIT,
    NumberSums,
    NumericColumn,
    NumericColumnCounts,
    NumericColumnSums,
)
from evaluators.run.result import NumericColumnStats, RunResult
from evaluators.run.split_result import ALL, GroupSums, SplitResult
from evaluators.run.stats import measures_of

COST = NumericColumn("cost", "cost")


def counted(cells: Sequence[Any], pieces: Sequence[int] = (), **settings: Any) -> NumericColumnStats:
    """The figures of some cells, cut after so many cells each time."""
    whole = SplitResult()
    start = 0
    column = NumericColumn("cost", "cost", **settings)
    for end in [*sorted(pieces), len(cells)]:
        counts = NumericColumnCounts([column], [])
        piece = cells[start:end]
        counts.add(range(len(piece)), {"cost": piece})
        part = SplitResult(groups={ALL: {ALL: GroupSums([], counts.sums)}})
        part.number("rows", 2 + start)
        plus(whole, part)
        start = end
    (stats,) = measures_of([column], [(None, whole)], False)
    return stats


@pytest.mark.parametrize(
    ("cells", "mean", "median", "p95", "total"),
    [
        (["1", "2", "6"], 3.0, 2.0, 6.0, 9.0),
        (["1", "2", "3", "10"], 4.0, 2.5, 10.0, 16.0),
        (["0.1", "0.2"], 0.15, 0.15, 0.2, 0.3),
        (["-1", "1"], 0.0, 0.0, 1.0, 0.0),
        (["0,02", "0,04"], 0.03, 0.03, 0.04, 0.06),
        (["1.300,5", "0,5"], 650.5, 650.5, 1300.5, 1301.0),
        (["1,300.5", "0.5"], 650.5, 650.5, 1300.5, 1301.0),
        (["$0.02", "0.04 USD"], 0.03, 0.03, 0.04, 0.06),
        (["1e-3", "2E-3"], 0.0015, 0.0015, 0.002, 0.003),
        ([0.1, 0.2, 3], 1.1, 0.2, 3.0, 3.3),
        ([str(number) for number in range(1, 101)], 50.5, 50.5, 95.0, 5050.0),
        ([str(number) for number in range(1, 21)], 10.5, 10.5, 19.0, 210.0),
        (["7"], 7.0, 7.0, 7.0, 7.0),
    ],
)
def test_figures_are_those_of_a_calculator(
    cells: list[Any], mean: float, median: float, p95: float, total: float
) -> None:
    found = counted(cells)
    assert (found.mean, found.median, found.p95, found.sum) == (mean, median, p95, total)
    assert (found.rows, found.n, found.missing, found.unreadable) == (len(cells), len(cells), 0, 0)


def in_clusters(rows: Sequence[tuple[str, str, str]]) -> tuple[NumericColumnSums, list[NumericColumnStats]]:
    """What rows of (cluster, slice, cost) come to: the sums, and the figures by slice."""
    counts = NumericColumnCounts([COST], ["kind"])
    columns = {"cost": [cost for *_, cost in rows], "kind": [kind for _, kind, _ in rows]}
    counts.add(range(len(rows)), columns, [cluster for cluster, *_ in rows])
    slices = {value: GroupSums([], sums) for value, sums in counts.of_slices("kind").items()}
    whole = SplitResult(groups={ALL: {ALL: GroupSums([], counts.sums)}, "kind": slices})
    return counts.sums[0], measures_of([COST], [(None, whole)], True)[1:]


def test_clusters_keep_their_names_and_sums_while_they_are_few() -> None:
    sums, slices = in_clusters([("A", "x", "1"), ("B", "x", "3"), ("A", "y", "2"), ("B", "y", "")])
    assert sums.numbers["."].clusters == {"A": [2, 3 * UNIT], "B": [1, 3 * UNIT]}
    assert [(one.slice, one.mean, one.mean_ci) for one in slices] == [
        (("kind", "x"), 2.0, None), (("kind", "y"), 2.0, None),
    ]  # fmt: skip


def test_clusters_are_added_by_name() -> None:
    one, _ = in_clusters([("A", "x", "1"), ("B", "x", "3")])
    other, _ = in_clusters([("B", "x", "5"), ("C", "x", "-2")])
    plus(one, other)
    assert one.numbers["."].clusters == {"A": [1, UNIT], "B": [2, 8 * UNIT], "C": [1, -2 * UNIT]}
    assert (one.numbers["."].least, one.numbers["."].greatest) == (-2 * UNIT, 5 * UNIT)
    assert one.numbers["."].powers[:2] == [7 * UNIT, (1 + 9 + 25 + 4) * UNIT**2]


def test_empty_cells_are_missing_and_others_are_no_numbers() -> None:
    found = counted(["0.5", "", "  ", None, "abc", "1 2", True, [1], "NaN", "1e999", float("nan")])
    assert (found.rows, found.n, found.missing, found.unreadable) == (11, 1, 4, 6)
    assert found.first_unreadable[:3] == ((6, "abc"), (7, "1 2"), (8, "True"))
    assert len(found.first_unreadable) == FIRST_ROWS


def test_no_number_has_no_figure() -> None:
    found = counted(["", "x"])
    assert {getattr(found, name) for name in ("mean", "median", "p95", "sum", "min", "max", "mean_ci")} == {None}


def test_the_mark_that_reads_more_cells_counts() -> None:
    assert counted(["0,5", "0,25", "7", "0.5"]).decimal == ","
    assert counted(["0.5", "0.25", "7", "0,5"]).decimal == "."
    assert counted(["7", "8"]).decimal == "."
    assert counted(["1,300", "1,400"]).sum == 2700.0
    assert counted(["1,300", "1,400"], decimal=",").sum == 2.7


def test_an_interval_lies_around_the_mean_and_not_below_0_where_nothing_is() -> None:
    found = counted(["0.01", "0.02", "0.05", "0.2"])
    assert found.mean is not None
    assert 0.0 <= found.mean_ci.low < found.mean < found.mean_ci.high
    assert counted(["3", "3", "3"]).mean_ci is None
    negative = counted(["-0.01", "0.02"]).mean_ci
    assert negative.low < 0


numbers = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.decimals(-(10**9), 10**9, allow_nan=False, places=4).map(lambda each: f"{each:f}"),
    st.sampled_from(["", " ", "x", "1,5", "1.5", "0.000000001", "12,345"]),
)


@given(st.lists(numbers, max_size=40), st.lists(st.integers(0, 40), max_size=5), st.sampled_from([2, 5, 10, 20_000]))
def test_any_cut_gives_the_same_figures(cells: list[str], cuts: list[int], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NumericColumnSums, "__init__", _with_most(NumericColumnSums.__init__, most))
        pieces = [min(each, len(cells)) for each in cuts]
        assert counted(cells, pieces) == counted(cells)


def _with_most(init: Any, most: int) -> Any:
    return lambda self, _=0, **rest: init(self, most, **rest)


@given(st.lists(st.integers(-(10**8), 10**8), min_size=1, max_size=60))
def test_sums_and_middle_are_exact(values: list[int]) -> None:
    cells = [f"{value / 1000:.3f}" for value in values]
    found, exact = counted(cells), [Fraction(value, 1000) for value in values]
    assert found.sum == float(sum(exact))
    assert found.mean == float(sum(exact) / len(exact))
    assert found.median == float(statistics.median(exact))
    assert found.p95 == float(sorted(exact)[-(-95 * len(exact) // 100) - 1])


def test_many_different_numbers_are_cut_and_the_run_says_how_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_NUMBERS", 100)
    sums = NumberSums()
    for number in range(1, 3000):
        sums.add(number * UNIT // 7, 1)
    assert sums.digits is not None
    assert len(sums.times) <= 100
    assert sums.count == 2999
    middle = sums.at(1500) / UNIT
    assert middle <= 1500 / 7 <= middle * 1.2


SUITE = {
    "test_set": "rows.csv",
    "evaluators": ["exact_match"],
    "measures": {"cost": "row.cost", "ms": {"column": "row.ms"}},
    "slices": ["row.kind"],
}
ROWS = """id,output,expected,cost,ms,kind
1,a,a,0.01,120,x
2,b,b,0.02,130,y
3,a,b,,90.5,x
4,c,c,0.04,abc,y
"""


def run(place: Path, rows: str = ROWS, **settings: Any) -> RunResult:
    (place / "rows.csv").write_text(rows, encoding="utf-8")
    (place / "suite.yaml").write_text(json.dumps({**SUITE, **settings}), encoding="utf-8")
    return evaluators.load(place / "suite.yaml").run(results=place, name="run", force=True).result


def test_a_run_counts_measures_as_a_whole_and_by_slice(tmp_path: Path) -> None:
    result = run(tmp_path)
    cost, ms = result.whole_measures
    assert (cost.name, cost.sum, cost.n, cost.missing) == ("cost", 0.07, 3, 1)
    assert (ms.sum, ms.unreadable) == (340.5, 1)
    assert {(one.name, one.slice, one.sum) for one in result.measures if one.slice} == {
        ("cost", ("kind", "x"), 0.01), ("cost", ("kind", "y"), 0.06),
        ("ms", ("kind", "x"), 210.5), ("ms", ("kind", "y"), 130.0),
    }  # fmt: skip
    stored = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in stored["measures"]] == ["cost", "ms", "cost", "cost", "ms", "ms"]
    summary = (tmp_path / "run" / "summary.txt").read_text(encoding="utf-8")
    assert re.search(r"^cost .* 3 of 4$", summary, re.MULTILINE)


def test_a_cell_that_is_no_number_is_the_test_sets_fault(tmp_path: Path) -> None:
    result = run(tmp_path)
    (issue,) = result.issues
    assert (issue.blame, issue.where) == (Blame.TESTSET, 'rows.csv row 5, column "ms"')
    assert result.issue_counts == {"not-a-number": 1}
    assert result.exit_code == 3
    assert 'the measure "ms": 1 of 4 cells is not a number' in result.causes


def test_an_empty_column_measured_nothing(tmp_path: Path) -> None:
    result = run(tmp_path, measures={"cost": "row.cost"}, rows="id,output,expected,cost,kind\n1,a,a,,x\n")
    assert result.exit_code == 3
    assert 'the column "cost" is empty in every row' in result.causes[0]


@pytest.mark.parametrize(
    ("gate", "verdict", "said"),
    [
        ({"fail_above": 0.02, "coverage": "any"}, "failed", "mean 0.02333 is above 0.02"),
        ({"fail_above": 0.03, "coverage": "any"}, "passed", "mean 0.02333"),
        ({"metric": "median", "warn_above": 0.019, "coverage": 0.5}, "warned", "median 0.02 is above 0.019"),
        ({"metric": "p95", "fail_above": 0.04, "coverage": "any"}, "passed", "p95 0.04"),
        ({"metric": "sum", "fail_above": 300, "coverage": "any"}, "passed", "sum 0.07"),
        ({"metric": "greatest", "fail_below": 300, "coverage": "any"}, "failed", "max 0.04 is below 300"),
        ({"fail_above": 1}, "undecided", "mean 0.02333, on only 3 of 4 rows; the gate asks for 0.95 of them"),
        ({"fail_above": 1, "min_rows": 10}, "undecided", "only 3 rows measured, and the gate asks for 10"),
        ({"metric": "sum", "slice": {"kind": "y"}, "fail_above": 0.05}, "failed", "sum 0.06 is above 0.05"),
        ({"slice": {"kind": "z"}, "fail_above": 1}, "undecided", 'the column "kind" has "x", "y"'),
    ],
)
def test_gates_hold_measures_to_limits_of_any_size(tmp_path: Path, gate: dict[str, Any], verdict: str, said: str) -> None:
    (found,) = run(tmp_path, gates={"cost": gate}).gates
    assert found.verdict == verdict
    assert said in found.message


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"measures": {"exact_match": "row.cost"}}, '"exact_match" is the name of an evaluator and of a measure'),
        ({"measures": {"cost": "cost"}}, 'a measure is a column, written row.COLUMN; found "cost"'),
        ({"measures": {"cost": 5}}, "must be a column"),
        ({"measures": {"a.b": "row.cost"}}, 'a measure cannot be called "a.b"'),
        ({"measures": ["row.cost"]}, "measures must be a map"),
        ({"measures": {"cost": {"column": "row.cost", "decimal": ";"}}}, "decimal"),
        ({"measures": {"cost": "row.costs"}}, 'there is no column "costs"'),
        ({"gates": {"cots": {"fail_above": 1}}}, 'the suite has none of that name'),
        ({"gates": {"cost": {"metric": "f1", "fail_above": 1}}}, "metric"),
        ({"gates": {"exact_match": {"fail_below": 3}}}, "fail_below"),
    ],
)  # fmt: skip
def test_mistakes_are_found_before_row_1(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(Problems) as caught:
        run(tmp_path, **settings)
    assert said in str(caught.value)


def test_two_runs_say_what_became_of_a_measure(tmp_path: Path) -> None:
    rows = ROWS.replace("abc", "100")
    base, new = (tmp_path / name for name in ("base", "new"))
    for place, text in ((base, rows), (new, rows.replace("0.04", "0.08"))):
        place.mkdir()
        run(place, text)
    found = evaluators.compare(base / "run", new / "run")
    by_figure = {(one.measure, one.metric): (one.base, one.new) for one in found.measures}
    assert by_figure["cost", "sum"] == (0.07, 0.11)
    assert by_figure["ms", "p95"] == (130.0, 130.0)
