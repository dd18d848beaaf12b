"""The scores that every harness is made of: equal to those of `evaluators run`, row by row and over all rows."""

from __future__ import annotations

import pytest

from evaluators.api.loading import load
from evaluators.integrations.harnesses._host_rows import HostRow
from evaluators.integrations.harnesses._row_scores import RowScores, names_of
from evaluators.integrations.harnesses._scorer import SuiteScorer
from evaluators.model.issues import Problems
from evaluators.reports.names import field_name
from evaluators.reports.tracking.metrics import metrics_of
from tests.hosts.table import JUDGE, SUITE, Figures, assert_same_rows, headline, register
from tests.hosts.table.rows import found_in, table_rows
from tests.kit import EVERY_FIGURE, EVERY_FIGURE_ROWS


@pytest.fixture
def scorer() -> SuiteScorer:
    register()
    return SuiteScorer(SUITE)


def score_table(scorer: SuiteScorer) -> list[RowScores]:
    return [
        scorer.score(HostRow({}, row["output"], row["expected"], row["question"], row["id"], more=[row]))
        for row in table_rows()
    ]


def test_every_row_has_the_scores_of_the_run(scorer: SuiteScorer, ours: Figures) -> None:
    assert_same_rows({scores.id: found_in(scores) for scores in score_table(scorer)}, ours)


def test_every_field_has_the_status_of_the_run(scorer: SuiteScorer, ours: Figures) -> None:
    for scores in score_table(scorer):
        by_name = {one.name: one for one in scores.every_score}
        for path, status in ours.rows[scores.id]["header"].fields.items():
            assert by_name[f"header/field/{field_name(path)}"].status == status, (scores.id, path)


def test_the_figures_after_all_rows_are_those_of_the_run(scorer: SuiteScorer, ours: Figures) -> None:
    score_table(scorer)
    assert scorer.metrics() == ours.metrics
    assert [gate.verdict for gate in scorer.result().gates] == [gate.verdict for gate in ours.record.result.gates]


def test_figures_may_be_asked_for_at_any_time(scorer: SuiteScorer, ours: Figures) -> None:
    for row in table_rows():
        scorer.score(HostRow({}, row["output"], row["expected"], row["question"], row["id"], more=[row]))
        scorer.metrics()
    assert scorer.metrics() == ours.metrics
    scorer.reset()
    assert scorer.result().rows == 0


def test_a_row_without_a_score_is_an_error_that_says_why(scorer: SuiteScorer) -> None:
    errors = {scores.id: scores.overall.error for scores in score_table(scorer) if scores.overall.error}
    assert errors.keys() == {"invalid", "judge failed"}
    assert "not JSON" in str(errors["invalid"])
    assert errors["judge failed"] == "the judge gave no answer"


def test_one_evaluator_called_overall_is_the_overall_score(scorer: SuiteScorer) -> None:
    for scores in score_table(scorer):
        assert [one.name for one in scores.every_score].count("overall") == 1
        (own,) = [one for one in scores.evaluators if one.name == "overall"]
        assert (own.score, own.passed, own.error) == (scores.overall.score, scores.overall.passed, scores.overall.error)


def test_without_one_the_overall_score_is_the_mean_of_what_no_composite_has() -> None:
    suite = load({"evaluators": [
        "contains_json", {"length": {"max": 5}}, {"min_of": {"name": "both", "of": ["contains_json", "length"]}},
        {"exact_match": {}},
    ]})  # fmt: skip
    scores = SuiteScorer(suite).score(HostRow({}, "{}", "{}"))
    assert scores.overall.score == 1.0
    assert scores.overall.passed
    scores = SuiteScorer(suite).score(HostRow({}, "{}", "{ }"))
    assert (scores.overall.score, scores.overall.passed) == (0.5, False)
    assert SuiteScorer(suite, overall="both").score(HostRow({}, "{}", "{ }")).overall.score == 1.0


def test_what_cannot_score_single_rows_is_refused() -> None:
    with pytest.raises(Problems, match="infers its schema from a whole test set"):
        SuiteScorer(load({"evaluators": [{"schema_match": {"schema": "infer"}}]}))
    with pytest.raises(Problems, match='no evaluator "headr"'):
        SuiteScorer(load({"evaluators": ["contains_json"]}), overall="headr")
    register()
    with pytest.raises(Problems, match='"header" cannot be the overall'):
        SuiteScorer(SUITE, overall="header")
    assert JUDGE


def test_all_items_of_a_list_are_one_field() -> None:
    suite = load({"evaluators": [{"schema_match": {"name": "page", "fields": {"items[*].sku": "exact"}}}]})
    row = HostRow({}, {"items": [{"sku": "a"}, {"sku": "x"}]}, {"items": [{"sku": "a"}, {"sku": "b"}]})
    found = {one.name: one for one in SuiteScorer(suite).score(row).every_score}
    assert (found["page/field/items.each.sku"].score, found["page/field/items.each.sku"].status) == (0.5, "mismatch")


def test_a_host_may_be_given_evaluators_without_their_fields(ours: Figures) -> None:
    register()
    scorer = SuiteScorer(SUITE, fields=False)
    rows = score_table(scorer)
    assert_same_rows({scores.id: found_in(scores) for scores in rows}, ours)
    assert not any(one.path is not None for scores in rows for one in scores.every_score)
    assert scorer.metrics() == ours.metrics
    assert all("field" not in name for name in names_of(scorer.suite.lines, scorer.fields))


def test_headlines_have_rates_repeats_and_confidences() -> None:
    scorer = SuiteScorer(load(EVERY_FIGURE))
    for row in EVERY_FIGURE_ROWS:
        scorer.score(HostRow({}, row["output"], row["expected"], id=row["id"], more=[row]))
    found = scorer.summary_metrics()
    assert found == {name: scorer.metrics()[name] for name in found}
    assert {
        "form/mean", "evaluator/form/invented_rate", "evaluator/form/left_empty_rate", "evaluator/form/repeats/pass_at_2",
        "evaluator/form/repeats/pass_all_2", "evaluator/form/confidence/brier", "evaluator/grounded/metric/chance_rate/mean",
    } <= {*found}  # fmt: skip
    assert scorer.metrics() == metrics_of(load(EVERY_FIGURE).run(EVERY_FIGURE_ROWS).result)


def test_headlines_are_the_means_the_pass_rates_and_the_rows(scorer: SuiteScorer, ours: Figures) -> None:
    score_table(scorer)
    found = scorer.summary_metrics()
    for name in ours.evaluators:
        for metric in headline(name):
            assert found[metric] == ours.metrics[metric]
    assert not any("/field/" in name for name in found)
