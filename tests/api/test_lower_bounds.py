"""Gates with `using: lower_bound` and `min_rows`: what a row adds, over rows and over clusters, whatever scores the fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from evaluators.api.loading import load
from evaluators.runs.intervals import RatioSums, share_interval, wilson
from evaluators.runs.result import GateResult, RunResult
from evaluators.scoring.values.confusion import Confusion, Ratio
from tests.kit import write_rows

Row = tuple[dict[str, Any], dict[str, Any]]
"""(expected, output)."""
QTY: Final = "items[*].qty"
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "x-eval-compare": "exact"},
        "items": {"type": "array", "items": {"type": "object", "properties": {"qty": {"type": "number"}}}},
    },
}
OPEN: Final[Mapping[str, Mapping[str, Any]]] = {
    "whole documents": {"json_diff_match": {"name": "it", "extra_fields": "penalize"}},
    "a schema": {"schema_match": {"name": "it", "schema": SCHEMA}},
}
"""Evaluators whose documents decide what fields there are."""
METRICS: Final[tuple[Ratio, ...]] = ("accuracy", "precision", "recall", "f1")


def documents(count: int, seed: int) -> list[Row]:
    """Rows of 2 to 4 items in order, of which some are wrong, missing or extra."""
    random, found = Random(seed), []
    for number in range(count):
        items = [{"qty": random.randint(1, 9)} for _ in range(random.randint(2, 4))]
        given = [{"qty": one["qty"] + (random.random() < 0.2)} for one in items]
        if random.random() < 0.2:
            given = given[:-1]
        if random.random() < 0.2:
            given = [*given, {"qty": 7}]
        output: dict[str, Any] = {"number": str(number if random.random() < 0.8 else -1), "items": given}
        if random.random() < 0.1:
            del output["number"]
        if random.random() < 0.05:
            output = {"number": "-2"}
        found.append(({"number": str(number), "items": items}, output))
    return found


def counts_of(row: Row, path: str | None) -> tuple[int, int, int, int]:
    """(match, mismatch, omission, hallucination) of a field, or of all leaves, by hand."""
    expected, output = row
    pairs = [] if path == QTY else [(expected.get("number"), output.get("number"))]
    if path != "number":
        ours, theirs = expected["items"], output.get("items", [])
        longer = max(len(ours), len(theirs))
        pairs += [
            (ours[place]["qty"] if place < len(ours) else None, theirs[place]["qty"] if place < len(theirs) else None)
            for place in range(longer)
        ]
    kinds = Counter(
        "omission"
        if was is not None and now is None
        else "hallucination"
        if was is None
        else "match"
        if was == now
        else "mismatch"
        for was, now in pairs
    )
    return kinds["match"], kinds["mismatch"], kinds["omission"], kinds["hallucination"]


def run(
    folder: Path,
    rows: Sequence[Row],
    evaluator: Mapping[str, Any],
    gates: Mapping[str, Any],
    clusters: int = 0,
    **suite: Any,
) -> RunResult:
    file = folder / "rows.jsonl"
    lines = (
        {"id": str(number), "expected": expected, "output": output, "batch": f"b{number % clusters}" if clusters else ""}
        for number, (expected, output) in enumerate(rows)
    )
    write_rows(file, lines)
    statistics = {"statistics": {"cluster": "row.batch"}} if clusters else {}
    return load({"evaluators": [evaluator], "gates": gates, **statistics, **suite}).run(file).result


def gate_of(*found: Any, **named: Any) -> GateResult:
    (result,) = run(*found, **named).gates
    return result


def sums_of(rows: Sequence[Row], path: str | None, figure: Ratio, clusters: int = 0) -> Iterator[tuple[int, int]]:
    """(part, whole) of each row, or of each cluster."""
    each = [Confusion(*counts_of(row, path)).sums(figure) for row in rows]
    if not clusters:
        yield from each
        return
    for cluster in range(clusters):
        own = each[cluster::clusters]
        yield sum(part for part, _ in own), sum(whole for _, whole in own)


@pytest.mark.parametrize("clusters", [0, 12])
@pytest.mark.parametrize("kind", OPEN)
@pytest.mark.parametrize("path", [None, QTY, "number"])
def test_a_lower_bound_is_that_of_a_ratio_over_rows_or_clusters(
    tmp_path: Path, kind: str, path: str | None, clusters: int
) -> None:
    rows = documents(70, seed=len(kind))
    target = "it" if path is None else f"it.{path}"
    figures = METRICS if path is not None else METRICS[1:]
    gates = {
        target: [{"metric": figure, "fail_below": 0.01, "using": "lower_bound", "coverage": "any"} for figure in figures]
    }
    result = run(tmp_path, rows, OPEN[kind], gates, clusters)
    for figure, gate in zip(figures, result.gates, strict=True):
        sums = RatioSums()
        for part, whole in sums_of(rows, path, figure, clusters):
            sums.add(part, whole)
        expected = share_interval(sums.moments())
        if path == "number" and figure != "f1" and not clusters:
            expected = wilson(sums.power_sum(1, 0), sums.units)
        assert gate.value == expected.low, figure
        assert gate.n == len(rows)


@pytest.mark.parametrize("figure", METRICS)
def test_a_listed_field_has_the_interval_of_its_rows(tmp_path: Path, figure: Ratio) -> None:
    rows = [(one, {**other, "number": other.get("number", "?")}) for one, other in documents(50, seed=9)]
    listed = {"json_multi_field_match": {"name": "it", "fields": ["number", "items[0].qty"]}}
    gate = gate_of(tmp_path, rows, listed, {"it.number": {"metric": figure, "fail_below": 0.1, "using": "lower_bound"}})
    right = sum(one["number"] == other["number"] for one, other in rows)
    expected = wilson(right, 50)
    assert gate.n == 50
    if figure != "f1":
        assert gate.value == expected.low


@pytest.mark.parametrize(
    ("evaluator", "target", "figure"),
    [
        (OPEN["whole documents"], "it", "mean"),
        (OPEN["whole documents"], "it", "recall"),
        (OPEN["a schema"], "it", "f1"),
        (OPEN["a schema"], f"it.{QTY}", "accuracy"),
        ({"json_multi_field_match": {"name": "it", "fields": ["number"]}}, "it.number", "precision"),
        ({"json_multi_field_match": {"name": "it", "fields": ["number"]}}, "it", "pass_rate"),
    ],
)
def test_a_perfect_run_passes_under_clusters_as_wilson_would(
    tmp_path: Path, evaluator: Mapping[str, Any], target: str, figure: str
) -> None:
    rows = [(expected, expected) for expected, _ in documents(120, seed=1)]
    gate = gate_of(
        tmp_path, rows, evaluator, {target: {"metric": figure, "fail_below": 0.9, "using": "lower_bound"}}, clusters=40
    )
    sure = wilson(40, 40)
    assert gate.verdict == "passed"
    assert gate.value == pytest.approx(sure.low)


@pytest.mark.parametrize("kind", OPEN)
@pytest.mark.parametrize("using", ["estimate", "lower_bound"])
def test_outputs_that_gave_nothing_have_a_precision_of_0(tmp_path: Path, kind: str, using: str) -> None:
    rows: list[Row] = [(expected, {}) for expected, _ in documents(20, seed=4)]
    gate = gate_of(tmp_path, rows, OPEN[kind], {"it": {"metric": "precision", "fail_below": 0.5, "using": using}})
    assert (gate.verdict, gate.value, gate.n) == ("failed", 0.0, 20)


def test_slices_have_lower_bounds_of_their_own(tmp_path: Path) -> None:
    rows = documents(60, seed=6)
    gates = {"it": {"metric": "f1", "fail_below": 0.01, "using": "lower_bound", "each_slice": "row.id"}}
    result = run(tmp_path, rows[:3], OPEN["whole documents"], gates, slices=["row.id"])
    assert [gate.n for gate in result.gates] == [1, 1, 1]
    assert all(gate.value is not None for gate in result.gates)


@pytest.mark.parametrize("kind", OPEN)
@pytest.mark.parametrize("figure", METRICS)
def test_a_cluster_without_the_field_says_nothing_of_its_figure(tmp_path: Path, kind: str, figure: Ratio) -> None:
    with_field = [({"number": str(row)}, {"number": str(row if row % 5 else -1)}) for row in range(30)]
    without: Row = ({"items": [{"qty": 1}]}, {"items": [{"qty": 1}]})
    gates = {"it.number": {"metric": figure, "fail_below": 0.01, "using": "lower_bound", "coverage": "any"}}
    rows = [one for row, found in enumerate(with_field, 1) for one in (found, *([without] if row % 3 == 0 else []))]
    alone, beside = (
        gate_of(tmp_path, each, OPEN[kind], gates, clusters) for each, clusters in ((with_field, 3), (rows, 4))
    )
    assert (beside.value, beside.n) == (alone.value, alone.n)
    assert 0 < (alone.value or 0) < 0.8


def test_a_slice_without_the_field_has_no_bound(tmp_path: Path) -> None:
    rows: list[Row] = [({"number": "1"}, {"number": "1"}), ({"items": []}, {"items": []})] * 10
    gate = {"metric": "accuracy", "fail_below": 0.01, "using": "lower_bound", "each_slice": "row.batch"}
    gates = {"it.number": gate}
    listed = {"json_multi_field_match": {"name": "it", "fields": {"number": "exact", "items": {"compare": "exact"}}}}
    found = run(tmp_path, rows, listed, gates, clusters=2, slices=["row.batch"], statistics={}).gates
    assert [(one.slice, one.verdict, one.n) for one in found] == [
        (("batch", "b0"), "passed", 10), (("batch", "b1"), "undecided", 0),
    ]  # fmt: skip
