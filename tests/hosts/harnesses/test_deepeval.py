"""A suite inside deepeval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig
from deepeval.test_case import LLMTestCase

from evaluators.integrations.harnesses.deepeval import SuiteMetric, suite_metrics
from tests.hosts.table import SUITE, Figures, Found, assert_same_rows
from tests.hosts.table.rows import inputs_of, table_rows


def cases() -> list[Any]:
    return [
        LLMTestCase(
            name=row["id"], input=row["question"], actual_output=row["output"], expected_output=row["expected"],
            metadata=inputs_of(row),
        )
        for row in table_rows()
    ]  # fmt: skip


@pytest.mark.parametrize("concurrently", [False, True])
def test_every_test_case_is_ours(
    concurrently: bool, ours: Figures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    metrics = suite_metrics(SUITE)
    result = evaluate(
        cases(), metrics, error_config=ErrorConfig(ignore_errors=True),
        async_config=AsyncConfig(run_async=concurrently),
        display_config=DisplayConfig(print_results=False, show_indicator=False),
    )  # fmt: skip
    found = {}
    for one in result.test_results:
        said = {data.name: data for data in one.metrics_data}
        found[one.name] = {name: Found(said[name].score, said[name].error is not None) for name in ours.evaluators}
        for name in ours.evaluators:
            mine = ours.rows[one.name][name]
            assert said[name].success == (not mine.error and mine.passed is not False), (one.name, name)
    assert_same_rows(found, ours)
    assert metrics[0].suite.metrics() == ours.metrics


def test_a_metric_alone_has_the_scores_of_its_fields(ours: Figures) -> None:
    metric = SuiteMetric(SUITE, "header")
    wrong = next(case for case in cases() if case.name == "wrong")
    assert metric.measure(wrong) == ours.rows["wrong"]["header"].score
    assert metric.score_breakdown["header/field/number"] == 0
    assert not metric.is_successful()
    assert SuiteMetric(SUITE, "header", succeeds_at=0.5).measure(wrong) == 0.5
