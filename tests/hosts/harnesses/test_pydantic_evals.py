"""A suite inside pydantic-evals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_evals import Case, Dataset

from evaluators.integrations.harnesses.pydantic_evals import SuiteEvaluator, suite_evaluators
from tests.hosts.table import SUITE, Aggregate, Figures, Found, assert_same_figures, assert_same_rows
from tests.hosts.table.rows import answers, inputs_of, metrics_without, table_rows

ANSWERS = answers()


def cases() -> list[Any]:
    return [
        Case(name=row["id"], inputs=inputs_of(row), expected_output=row["expected"], metadata={"kind": row["kind"]})
        for row in table_rows()
    ]


def answer(inputs: dict[str, str]) -> str:
    return ANSWERS[inputs["question"]]


def test_every_case_and_every_average_is_ours(ours: Figures) -> None:
    evaluators = suite_evaluators(SUITE)
    report = Dataset(name="table", cases=cases(), evaluators=evaluators).evaluate_sync(answer, progress=False)
    found = {}
    for case in report.cases:
        failed = {failure.name for failure in case.evaluator_failures}
        scores = {name: one.value for name, one in case.scores.items()}
        found[case.name] = {name: Found(scores.get(name), name in failed) for name in ours.evaluators}
        for path, status in ours.rows[case.name]["header"].fields.items():
            if status in ("match", "mismatch") and "header" not in failed and "[" not in path:
                assert scores[f"header/field/{path}"] == (status == "match")
    assert_same_rows(found, ours)
    averages = report.averages()
    assert_same_figures({name: Aggregate(averages.scores[name]) for name in ours.evaluators}, ours)
    assert evaluators[0].scorer.metrics() == ours.metrics


def test_a_row_that_fails_inside_the_host_is_not_among_our_rows(tmp_path: Path) -> None:
    evaluators = suite_evaluators(SUITE)

    def sometimes(inputs: dict[str, str]) -> str:
        if inputs["id"] == "wrong":
            raise ValueError("no answer")
        return answer(inputs)

    report = Dataset(name="table", cases=cases(), evaluators=evaluators).evaluate_sync(sometimes, progress=False)
    assert [failure.name for failure in report.failures] == ["wrong"]
    assert evaluators[0].scorer.metrics() == metrics_without({"wrong"}, tmp_path)


def test_a_dataset_file_keeps_the_suite(tmp_path: Path, ours: Figures) -> None:
    file = tmp_path / "table.yaml"
    Dataset(name="table", cases=cases(), evaluators=[SuiteEvaluator(suite=str(SUITE), part="header")]).to_file(
        file, custom_evaluator_types=[SuiteEvaluator]
    )
    read: Any = Dataset[dict[str, str], str, Any].from_file(file, custom_evaluator_types=[SuiteEvaluator])
    report = read.evaluate_sync(answer, progress=False)
    averages = report.averages()
    assert averages.scores["header"] == pytest.approx(ours.metrics["header/mean"])
