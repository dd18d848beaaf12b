"""A suite inside Braintrust and autoevals, offline."""

from __future__ import annotations

from typing import Any

import pytest
from braintrust import Eval

from evaluators.integrations.harnesses import RowError, SuiteScorer
from evaluators.integrations.harnesses.autoevals import suite_functions, suite_scorers
from tests.hosts.table import SUITE, Aggregate, Figures, Found, assert_same_figures, assert_same_rows
from tests.hosts.table.rows import answers, inputs_of, table_rows

ANSWERS = answers()


@pytest.mark.parametrize("made", [suite_functions, suite_scorers])
def test_every_row_and_every_average_is_ours(made: Any, ours: Figures) -> None:
    suite = SuiteScorer(SUITE)
    data = [{"input": inputs_of(row), "expected": row["expected"]} for row in table_rows()]
    result: Any = Eval(
        "table", data=data, task=lambda asked: ANSWERS[asked["question"]], scores=made(suite), no_send_logs=True
    )
    found = {}
    for one in result.results:
        failed = one.metadata.get("scorer_errors", {})
        found[one.input["id"]] = {name: Found(one.scores.get(name), name in failed) for name in ours.evaluators}
    assert_same_rows(found, ours)
    averages = {name: Aggregate(result.summary.scores[name].score) for name in ours.evaluators}
    assert_same_figures(averages, ours)
    assert suite.metrics() == ours.metrics


def test_a_scorer_alone_has_the_scores_of_its_fields(ours: Figures) -> None:
    header = next(one for one in suite_scorers(SUITE) if one.part == "header")
    by_id = {row["id"]: row for row in table_rows()}
    wrong, invalid = by_id["wrong"], by_id["invalid"]
    score = header(wrong["output"], wrong["expected"], input=inputs_of(wrong))
    assert (score.name, score.score) == ("header", ours.rows["wrong"]["header"].score)
    assert score.metadata["fields"]["number"] == 0
    with pytest.raises(RowError, match="not JSON"):
        header(invalid["output"], invalid["expected"], input=inputs_of(invalid))
