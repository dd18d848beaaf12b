"""Rows in Spark: scored where they are, and summed to the result of a run."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

import evaluators
from evaluators.integrations.batch import BatchPlan, batch_plan, evaluate_batch, finish, merge
from evaluators.runs.result import RunResult
from tests.hosts.table import ROWS, SUITE, Found, assert_same_rows, figures, register
from tests.hosts.table.rows import table_rows
from tests.kit import write_rows

MANY = {"evaluators": ["exact_match", {"json_diff_match": {"name": "diff"}}], "slices": ["row.kind"]}


def result_of(plan: BatchPlan, scored: DataFrame, rows: int) -> RunResult:
    sums = scored.select("`evaluators.sums`").where("`evaluators.sums` is not null").collect()
    assert len(sums) > 1
    return finish(plan, merge(plan, [bytes(one[0]) for one in sums]), rows=rows)


def test_rows_and_figures_are_those_of_a_run(spark: SparkSession, tmp_path: Path) -> None:
    ours = figures(tmp_path)
    rows = [{**row, "row": number} for number, row in enumerate(table_rows(), 2)]
    frame = spark.createDataFrame(rows).repartition(4)
    plan = batch_plan(SUITE, frame.columns, row="row", name=str(ROWS))

    def scores(batches: Iterator[Any]) -> Iterator[Any]:
        register()
        for batch in batches:
            yield evaluate_batch(plan, batch)

    scored = frame.mapInArrow(scores, from_arrow_schema(plan.schema)).cache()
    result = result_of(plan, scored, len(rows))
    run = evaluators.load(SUITE).run(ROWS)
    assert (result.evaluators, result.slices, result.gates) == (run.evaluators, run.slices, run.gates)
    assert (result.exit_code, result.issue_counts, result.warnings) == (run.exit_code, run.issue_counts, run.warnings)
    found = {
        row["id"]: {name: Found(row[f"{name}.score"], row[f"{name}.error"] is not None) for name in ours.evaluators}
        for row in scored.collect()
    }
    assert_same_rows(found, ours)


def test_a_worker_that_dies_costs_no_row_and_none_counts_twice(spark: SparkSession, tmp_path: Path) -> None:
    rows = [
        {"row": number, "id": str(number), "kind": "ab"[number % 2], "output": json.dumps({"a": number % 3}),
         "expected": json.dumps({"a": number % 2})}
        for number in range(1, 401)
    ]  # fmt: skip
    frame = spark.createDataFrame(rows).repartition(4)
    suite = evaluators.load(MANY)
    plan = batch_plan(suite, frame.columns, row="row")
    died = tmp_path / "died"

    def scores(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield evaluate_batch(plan, batch)
            if not died.exists():
                died.touch()
                os.kill(os.getpid(), signal.SIGKILL)

    scored = frame.mapInArrow(scores, from_arrow_schema(plan.schema)).cache()
    result = result_of(plan, scored, len(rows))
    assert died.exists()
    file = tmp_path / "rows.jsonl"
    write_rows(file, rows)
    run = suite.run(file)
    assert (result.evaluators, result.slices) == (run.evaluators, run.slices)
