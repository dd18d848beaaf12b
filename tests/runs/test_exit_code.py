from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue
from evaluators.runs.exit_code import PRECEDENCE, Facts, causes, exit_code, with_later_issues
from evaluators.runs.result import EvaluatorStats, GateResult, RunResult


def stats(scored: int = 10, **others: Any) -> EvaluatorStats:
    counts: dict[str, Any] = {"skipped": 0, "not_measured": 0, "invalid": 0, "unjudged": 0, "bugs": 0, **others}
    rows = scored + sum(counts[name] for name in ("skipped", "not_measured", "invalid", "unjudged", "bugs"))
    figures: dict[str, Any] = {
        "unreadable": 0,
        "blocked": 0,
        "mean": 1.0,
        "pass_rate": 1.0,
        "pass_rate_ci": None,
        **counts,
    }
    return EvaluatorStats("header", "exact_match", rows, scored, scored, 0, **figures)


def gate(verdict: Any) -> GateResult:
    return GateResult("header", "mean", 0.5, 10, "fail below 0.9", verdict, "mean 0.5000 is below 0.9")


ONE_OF_EACH: dict[int, dict[str, Any]] = {
    130: {"interrupted": True},
    70: {"evaluators": (stats(bugs=1),)},
    2: {"issues": (Issue("odd", Blame.CONFIG, "an odd setting"),)},
    4: {"incomparable": ("the suites differ",)},
    1: {"regressions": ("header got worse",)},
    3: {"gates": (gate("undecided"),)},
}


@pytest.mark.parametrize("code", PRECEDENCE)
def test_each_finding_has_its_code(code: int) -> None:
    assert exit_code(Facts(**ONE_OF_EACH[code])) == code


@pytest.mark.parametrize(("winner", "loser"), list(combinations(PRECEDENCE, 2)))
def test_the_weightier_code_wins_and_both_causes_are_told(winner: int, loser: int) -> None:
    facts = Facts(**{**ONE_OF_EACH[winner], **ONE_OF_EACH[loser]})
    assert exit_code(facts) == winner
    told = causes(facts)
    assert len(told) == 2
    assert told[0] == next(iter(causes(Facts(**ONE_OF_EACH[winner])))) or winner == 130


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        (Facts((stats(),)), 0),
        (Facts((stats(),), (gate("passed"), gate("warned"))), 0),
        (Facts((stats(),), (gate("failed"),)), 1),
        (Facts((stats(invalid=1),)), 3),
        (Facts((stats(unjudged=1),)), 3),
        (Facts((stats(unreadable=5, blocked=5),)), 0),
        (Facts((stats(skipped=90, not_measured=3),)), 0),
        (Facts((stats(0, skipped=90),)), 3),
        (Facts((stats(0),)), 3),
        (Facts((stats(4, empty_expected=4),)), 3),
        (Facts((stats(invalid=1),), (gate("failed"),)), 1),
        (Facts((stats(),), issues=(Issue("x", Blame.ENVIRONMENT, "the tracker refused"),)), 3),
        (Facts((stats(),), issues=(Issue("x", Blame.TESTSET, "a field that no row has"),)), 3),
        (Facts((stats(),), issues=(Issue("x", Blame.OUTPUT, "prose"),)), 0),
        (Facts((stats(),), issues=(Issue("x", Blame.BUG, "oops"),)), 70),
    ],
)
def test_the_facts_decide_the_exit_code(facts: Facts, code: int) -> None:
    assert exit_code(facts) == code
    assert bool(causes(facts)) == (code != 0)


def test_an_issue_is_a_cause_with_its_place_and_its_hint() -> None:
    plain = Issue("odd", Blame.ENVIRONMENT, "the disk is full")
    placed = Issue("odd", Blame.ENVIRONMENT, "the disk is full", "/data", "make room")
    assert causes(Facts(issues=(plain, placed))) == ("the disk is full", "/data: the disk is full (make room)")


def test_rows_without_a_score_are_counted_by_evaluator_and_variant() -> None:
    found = Facts(evaluators=(stats(invalid=2), stats(), replace(stats(bugs=1, unjudged=3), variant="gpt")))
    assert causes(found) == (
        "a fault in the program left rows without a score: header (gpt) 1 of 14",
        "the test set left rows without a score: header 2 of 12",
        "the environment left rows without a score: header (gpt) 3 of 14",
    )
    assert exit_code(found) == 70


def test_nothing_is_measured_where_every_expected_answer_is_empty() -> None:
    assert causes(Facts(evaluators=(stats(scored=2, empty_expected=2),))) == ("nothing was measured",)
    assert causes(Facts(evaluators=(stats(scored=2, empty_expected=1),))) == ()
    assert causes(Facts(evaluators=(stats(scored=0),))) == ("nothing was measured: the test set has no rows",)


def test_rows_that_nobody_selected_are_not_said_to_be_missing() -> None:
    nobody = Issue("no-row-selected", Blame.TESTSET, "no row fits --where")
    found = causes(Facts(evaluators=(stats(scored=0),), issues=(nobody,)))
    assert found == ("no row fits --where", "nothing was measured")


def test_a_run_that_was_ended_early_says_nothing_of_how_many_rows_there_are() -> None:
    full = Issue("unwritten", Blame.ENVIRONMENT, "the run folder cannot be written: no space left on device")
    assert causes(Facts(evaluators=(stats(scored=0),), ended=(full,))) == (full.message, "nothing was measured")
    assert causes(Facts(evaluators=(stats(scored=0),), interrupted=True))[-1] == "nothing was measured"


def test_what_goes_wrong_after_a_run_counts_where_it_weighs_more() -> None:
    refused = Issue("refused", Blame.ENVIRONMENT, "the tracker refused")
    fine = RunResult("x", "", "", "", "", 1, {}, (stats(),))
    failed = replace(fine, exit_code=1, causes=("gate header failed",))
    found = [with_later_issues(fine, ()), with_later_issues(fine, (refused,)), with_later_issues(failed, (refused,))]
    assert [one.exit_code for one in found] == [0, 3, 1]
    assert [one.causes for one in found] == [
        (), ("the tracker refused",), ("gate header failed", "the tracker refused"),
    ]  # fmt: skip
