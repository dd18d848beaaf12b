"""Measures: exact figures of numbers in a column, the same for any cut of the rows."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Sequence
from cProfile import Profile
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import evaluators
from evaluators.model.issues import Blame, Problems
from evaluators.runs import columns, measures
from evaluators.runs.exact_sums import FIRST_ROWS
from evaluators.runs.intervals import RatioSums, mean_interval, moments_of_clusters
from evaluators.runs.measures import ClusterNumbers, measure_stats, measure_sums, slice_measures
from evaluators.runs.number_cells import UNIT, NumericColumn, as_text, cell_text, units_in, units_of
from evaluators.runs.result import NumericColumnStats, RunResult
from evaluators.runs.split_rows import Layout
from tests.runs.given_columns import GivenColumns

COST = NumericColumn("cost", "cost")


def columns_of(cells: Sequence[Any], cuts: Sequence[int] = (), **others: Sequence[Any]) -> GivenColumns:
    layout = Layout((), ("kind",), ("cost",), clustered="cluster" in others)
    texts = [as_text(cell) for cell in cells]
    return GivenColumns(layout, {"measure0": texts, **others}, cuts)


def figures(cells: Sequence[Any], cuts: Sequence[int] = (), **settings: Any) -> NumericColumnStats:
    """The figures of some cells, added in pieces; the first row is row 2."""
    column = NumericColumn("cost", "cost", **settings)
    return measure_stats(column, measure_sums(columns_of(cells, cuts), 0, column), None, None, False)


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
    found = figures(cells)
    assert (found.mean, found.median, found.p95, found.sum) == (mean, median, p95, total)
    assert (found.rows, found.n, found.missing, found.unreadable) == (len(cells), len(cells), 0, 0)


@pytest.mark.parametrize("cell", ["\0nfoo", "\0n1/0", "\0n5", "\0x5", "\0"])
def test_a_cell_that_looks_like_one_of_ours_is_no_number(cell: str) -> None:
    found = figures([cell, "2"])
    assert (found.n, found.unreadable, found.sum, found.first_unreadable) == (1, 1, 2.0, ((2, cell),))


@pytest.mark.parametrize(("cell", "said"), [(1e30, f"1{'0' * 30}"), (-(10**50), f"-1{'0' * 38}…"), ("\0n1/1", "\0n1/1")])
def test_a_cell_that_is_no_number_is_quoted_as_it_was(cell: object, said: str) -> None:
    assert cell_text(as_text(cell)) == said


@given(
    st.from_regex(r"[0-9]{0,31}[.,]?[0-9]{0,32}|[0-9]{1,3}([.,][0-9]{2,3}){1,3}", fullmatch=True), st.sampled_from(".,")
)
def test_plain_numbers_are_those_that_are_read_slowly(cell: str, mark: str) -> None:
    assert units_in(cell, mark) == units_of(cell, mark)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**32), 10**32))
def test_numbers_that_are_no_text_are_exact(number: float) -> None:
    exact = Fraction(repr(number))
    assert units_in(as_text(number), ".") == (round(exact * UNIT) if abs(exact) < 10**30 else None)


@pytest.mark.parametrize(("cells", "most"), [("0.{:06}", 20_000), ("{}", 20_000), ("0,{:06}", 40_000)])
def test_a_cell_is_read_once(cells: str, most: int) -> None:
    """Twice where the point does not read it."""
    given = columns_of([cells.format(number) for number in range(20_000)])
    with Profile() as profile:
        assert measure_sums(given, 0, COST).numbers.count == 20_000
    calls = {getattr(one.code, "co_name", ""): one.callcount for one in profile.getstats()}
    assert calls["units_in"] == most
    assert "units_of" not in calls or most > 20_000


def test_numbers_are_added_by_cluster_in_whatever_order_they_come() -> None:
    cells = columns_of(["1", "3", "2", "", "5", "-2"], cluster=["A", "B", "A", "B", "B", "C"])
    found, expected = measure_sums(cells, 0, COST), RatioSums()
    columns.count_groups(cells, [ClusterNumbers(0, found)])
    for total, numbers in ((3, 2), (8, 2), (-2, 1)):
        expected.add(total * UNIT, numbers)
    assert found.clusters == expected
    assert (found.numbers.least, found.numbers.greatest) == (-2 * UNIT, 5 * UNIT)
    assert found.numbers.powers[:2] == (9 * UNIT, (1 + 9 + 4 + 25 + 4) * UNIT**2)
    stats = measure_stats(COST, found, None, None, True)
    moments = moments_of_clusters([(2, Fraction(3)), (2, Fraction(8)), (1, Fraction(-2))])
    assert stats.mean_ci == mean_interval(moments, -inf, inf)
    assert measure_stats(COST, found, None, ("kind", "x"), True).mean_ci is None


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["1", "2,5", "2.5", "", "x"]))), st.integers(1, 9))
def test_a_slice_has_the_figures_of_its_rows(rows: list[tuple[str, str]], chunk: int) -> None:
    kinds, cells = [kind for kind, _ in rows], [cell for _, cell in rows]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "CHUNK_ROWS", chunk)
        found = dict(slice_measures(columns_of(cells, slice0=kinds), 0, 0, ","))
    of_kind = {kind: [cell for one, cell in rows if one == kind] for kind in set(kinds)}
    alone = {
        kind: measure_sums(columns_of(some), 0, NumericColumn("cost", "cost", ",")) for kind, some in of_kind.items()
    }
    assert found == {kind: replace(one, unread=()) for kind, one in alone.items()}


def test_empty_cells_are_missing_and_others_are_no_numbers() -> None:
    found = figures(["0.5", "", "  ", None, "abc", "1 2", True, [1], "NaN", "1e999", float("nan")])
    assert (found.rows, found.n, found.missing, found.unreadable) == (11, 1, 4, 6)
    assert found.first_unreadable[:3] == ((6, "abc"), (7, "1 2"), (8, "True"))
    assert len(found.first_unreadable) == FIRST_ROWS


def test_no_number_has_no_figure() -> None:
    found = figures(["", "x"])
    assert {getattr(found, name) for name in ("mean", "median", "p95", "sum", "min", "max", "mean_ci")} == {None}


def test_the_mark_that_reads_more_cells_counts() -> None:
    assert figures(["0,5", "0,25", "7", "0.5"]).decimal == ","
    assert figures(["0.5", "0.25", "7", "0,5"]).decimal == "."
    assert figures(["7", "8"]).decimal == "."
    assert figures(["1,300", "1,400"]).sum == 2700.0
    assert figures(["1,300", "1,400"], decimal=",").sum == 2.7


def test_an_interval_lies_around_the_mean_and_not_below_0_where_nothing_is() -> None:
    found = figures(["0.01", "0.02", "0.05", "0.2"])
    assert found.mean is not None
    assert 0.0 <= found.mean_ci.low < found.mean < found.mean_ci.high
    assert figures(["3", "3", "3"]).mean_ci is None
    negative = figures(["-0.01", "0.02"]).mean_ci
    assert negative.low < 0


numbers = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.decimals(-(10**9), 10**9, allow_nan=False, places=4).map(lambda each: f"{each:f}"),
    st.sampled_from(["", " ", "x", "1,5", "1.5", "0.000000001", "12,345"]),
)


@given(st.lists(numbers, max_size=40), st.lists(st.integers(0, 40), max_size=5), st.sampled_from([1, 3, 20_000]))
def test_any_cut_gives_the_same_figures(cells: list[str], cuts: list[int], chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "CHUNK_ROWS", chunk)
        found = figures(cells, cuts)
    assert found == figures(cells)


@given(st.lists(st.integers(-(10**8), 10**8), min_size=1, max_size=60))
def test_sums_and_middle_are_exact(values: list[int]) -> None:
    cells = [f"{value / 1000:.3f}" for value in values]
    found, exact = figures(cells), [Fraction(value, 1000) for value in values]
    assert found.sum == float(sum(exact))
    assert found.mean == float(sum(exact) / len(exact))
    assert found.median == float(statistics.median(exact))
    assert found.p95 == float(sorted(exact)[-(-95 * len(exact) // 100) - 1])


@given(
    st.lists(st.fractions(-(10**29), 10**29) | st.integers(-(10**29), 10**29).map(Fraction), min_size=1, max_size=60),
    st.sampled_from([1, 2, 7, 1 << 16]),
)
def test_the_middle_of_numbers_of_any_size_and_any_number_of_decimals_is_exact(
    values: list[Fraction], piece: int
) -> None:
    units = sorted(round(value * UNIT) for value in values)
    cells = [f"{'-' * (one < 0)}{abs(one) // UNIT}.{abs(one) % UNIT:030d}" for one in units]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measures, "_PIECE", piece)
        found = measure_sums(columns_of(cells[::-1]), 0, NumericColumn("cost", "cost", ".")).numbers
    count = len(units)
    assert found.middle == (units[(count - 1) // 2], units[count // 2])
    assert (found.least, found.greatest, found.p95) == (units[0], units[-1], units[-(-95 * count // 100) - 1])


def test_the_median_of_more_numbers_than_anybody_could_look_at_is_exact() -> None:
    found = figures([str(number / 8) for number in range(30_001)])
    assert (found.median, found.p95, found.n) == (1875.0, 28500 / 8, 30_001)


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
    assert re.search(r"^- cost: mean .*; 3 of 4 rows$", summary, re.MULTILINE)


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
        ({"metric": "max", "fail_below": 300, "coverage": "any"}, "failed", "max 0.04 is below 300"),
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
