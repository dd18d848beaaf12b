"""A split on a worker: the same part as here, or what the worker lacks."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue
from evaluators.runs.engines.engine import never
from evaluators.runs.job import Job
from evaluators.runs.split_scoring import SplitScoring, sent_suite
from tests.kit import problem_of


@pytest.fixture
def sent(bench: Any) -> Callable[[Job | None], Callable[[Any], Any]]:
    """The scoring of the bench's job, or of another one, as a worker has it."""
    suite, job = bench.job(splits=3)
    splits = job.table.splits()

    def sent(other: Job | None = None) -> Callable[[Any], Any]:
        scoring = SplitScoring(other or replace(job, suite=sent_suite(suite)), suite.lines, lambda rows, share: None)
        found = pickle.loads(pickle.dumps(scoring))
        return lambda place: found((splits[place], frozenset()), never)

    return sent


def lacks(score: Callable[[Any], Any]) -> tuple[str, Blame, str | None]:
    issue: Issue = problem_of(lambda: score(1))
    return issue.code, issue.blame, issue.where


def test_a_worker_gives_the_part_that_this_process_gives(bench: Any, sent: Any) -> None:
    suite, job = bench.job(splits=3)
    told: list[int] = []
    here = SplitScoring(job, suite.lines, lambda rows, share: told.append(rows))
    part = here((job.table.splits()[1], frozenset()), never)
    assert sent()(1) == part
    assert sum(told) == part.sums.rows
    assert here.unreported_rows(part.sums.rows) == 0


def test_a_file_that_a_worker_does_not_see_is_said(bench: Any, sent: Any) -> None:
    score = sent()
    (bench.folder / "rows.jsonl").unlink()
    assert lacks(score) == ("unseen-file", Blame.ENVIRONMENT, str(bench.folder / "rows.jsonl"))


def test_a_worker_that_sees_another_file_of_that_name_is_said(bench: Any, sent: Any) -> None:
    score = sent()
    with open(bench.folder / "rows.jsonl", "a") as rows:
        rows.write("{}\n")
    assert lacks(score) == ("unseen-file", Blame.ENVIRONMENT, str(bench.folder / "rows.jsonl"))


def test_a_worker_that_cannot_share_questions_does_not_ask(bench: Any, sent: Any, tmp_path: Path) -> None:
    suite, job = bench.job(splits=3)
    score = sent(replace(job, suite=sent_suite(suite), asking=str(tmp_path / "elsewhere" / "session.sqlite")))
    assert lacks(score) == ("worker-asks-alone", Blame.ENVIRONMENT, None)


def test_a_worker_that_cannot_read_the_suite_is_said(bench: Any, sent: Any) -> None:
    suite, job = bench.job(splits=3)
    shipped = replace(sent_suite(suite), data={"evaluators": ["only_here"]})
    assert lacks(sent(replace(job, suite=shipped)))[:2] == ("worker-unfit", Blame.ENVIRONMENT)


def test_variables_that_a_suite_names_are_sent_along_and_no_others(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NAMED", "x")
    monkeypatch.setenv("SECRET", "y")
    bench.suite = {"name": "${NAMED}", "evaluators": ["exact_match"]}
    suite, _ = bench.job()
    assert sent_suite(suite).environment == {"NAMED": "x"}
