"""What a row and a run may cost: over a limit, rows are unjudged and counted, and nothing is scored another way."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from evaluators.api.loading import load, loads
from evaluators.model.issues import Blame
from evaluators.model.limits import WorkLimits, limits_here, limits_in_force, still_time
from evaluators.model.rows import RowResult, RowStatus
from tests.kit import problem_of, write_rows

NO_TIME = "0.0000000001"
"""Seconds that are over before the clock is looked at again."""
LISTS = """
limits: {%s}
evaluators:
  - json_multi_field_match: {name: lists, fields: {items: {align: %s}, "items[*].a": fuzzy, "items[*].b": fuzzy}}
  - schema_match: {fields: {items: {align: %s}, "items[*].a": fuzzy, "items[*].b": fuzzy}}
  - json_field_match
slices: [row.kind]
"""


def document(items: int, word: str) -> dict[str, Any]:
    return {"items": [{"a": f"{word} {number} of all", "b": f"{word} {number % 3}"} for number in range(items)]}


def row(items: int) -> dict[str, Any]:
    return {"output": document(items, "one"), "expected": document(items, "two"), "kind": "a"}


def written(folder: Path, sizes: list[int]) -> Path:
    path = folder / "rows.jsonl"
    lines = (json.dumps({"id": str(number), **row(size)}) for number, size in enumerate(sizes))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("align", ["any_order", "hungarian"])
def test_a_row_that_takes_too_long_is_unjudged_by_that_evaluator(align: str) -> None:
    found = loads(LISTS % (f"row_seconds: {NO_TIME}", align, align)).evaluate(row(20))
    for name in ("lists", "schema_match"):
        assert found[name].status is RowStatus.UNJUDGED
        issue = found[name].issue
        assert (issue.code, issue.blame) == ("row-out-of-time", Blame.ENVIRONMENT)
        assert "row_seconds" in (issue.hint or "")
    assert found["json_field_match"].status is RowStatus.SCORED


def test_a_row_without_long_loops_needs_no_time() -> None:
    found = loads(LISTS % (f"row_seconds: {NO_TIME}", "ordered", "ordered")).evaluate(row(20))
    assert {one.status for one in found.results.values()} == {RowStatus.SCORED}


def test_a_stopped_row_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    short, suite = [0, 0, 0], LISTS % (f"row_seconds: {NO_TIME}", "hungarian", "hungarian")
    alone = loads(suite).run(written(tmp_path, short))
    mixed = loads(suite).run(written(tmp_path, [30, *short, 30]))
    for one, other in zip(alone.evaluators, mixed.evaluators, strict=True):
        if one.name != "json_field_match":
            assert (other.rows, other.scored, other.unjudged) == (5, one.scored, 2)
            assert other.fields == one.fields
    assert mixed.exit_code == 3
    assert mixed.issue_counts["row-out-of-time"] == 2
    assert any("left rows without a score" in cause for cause in mixed.causes)


@pytest.mark.parametrize("workers", [1, 2])
def test_rows_that_a_run_has_no_time_for_are_unjudged_and_counted(workers: int, tmp_path: Path) -> None:
    path = written(tmp_path, [1] * 7)
    suite = loads(LISTS % (f"run_seconds: {NO_TIME}", "hungarian", "ordered") + "gates: {lists: {fail_below: 0.5}}\n")
    found = suite.run(path, workers=workers, results=tmp_path / "runs", name="late")
    assert (found.n_rows, found.complete, found.exit_code) == (7, True, 3)
    assert [(one.scored, one.unjudged) for one in found.evaluators] == [(0, 7)] * 3
    assert [gate.verdict for gate in found.gates] == ["undecided"]
    assert found.issue_counts["run-out-of-time"] == 7
    assert {(one.slice, one.rows, one.unjudged) for one in found.slices} == {(("kind", "a"), 7, 7)}
    summary = (tmp_path / "runs" / "late" / "summary.txt").read_text(encoding="utf-8")
    assert "so this row was not judged" in summary
    assert "and 6 more like this" in summary


def test_rows_that_are_scored_in_a_thread_have_limits_of_their_own() -> None:
    suites = [
        loads(LISTS % (limits, "hungarian", "hungarian")) for limits in (f"row_seconds: {NO_TIME}", "row_seconds: 50000")
    ]
    found: dict[int, list[RowResult]] = {0: [], 1: []}

    def score(number: int) -> None:
        found[number] += [suites[number].evaluate(row(12)) for _ in range(5)]

    threads = [Thread(target=score, args=(number,)) for number in found]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {one["lists"].status for one in found[0]} == {RowStatus.UNJUDGED}
    assert {one["lists"].status for one in found[1]} == {RowStatus.SCORED}


def test_outside_of_a_row_nothing_runs_out_of_time() -> None:
    with limits_in_force(WorkLimits(row_seconds=1e-9)):
        for _ in range(3):
            still_time()
    assert limits_here() == WorkLimits()


def test_a_pattern_that_runs_out_of_time_while_items_are_paired_leaves_the_row_unjudged() -> None:
    slow = {"regex": {"pattern": "^(a|aa)+$", "timeout_seconds": 0.001}}
    items = [{"a": "a" * 60 + "b"}, {"a": "a" * 60 + "c"}]
    fields = {"items": {"align": "any_order"}, "items[*].a": slow}
    for settings in ({"json_multi_field_match": {"fields": fields}}, {"schema_match": {"fields": fields}}):
        (found,) = (
            load({"evaluators": [settings]})
            .evaluate({"output": {"items": items}, "expected": {"items": items[::-1]}})
            .results.values()
        )
        assert found.status is RowStatus.UNJUDGED
        assert found.issue.code == "regex-timeout"


@pytest.mark.parametrize("name", ["levenshtein: {}", "similarity: {method: characters}"])
def test_the_length_of_texts_may_be_raised_and_lowered(name: str) -> None:
    text = "ab" * 2_000
    given = {"output": text, "expected": "c" + text}
    for limits, status in (("text_length: 1000", RowStatus.UNJUDGED), ("text_length: 5000", RowStatus.SCORED)):
        (found,) = loads(f"limits: {{{limits}}}\nevaluators: [{{{name}}}]").evaluate(given).results.values()
        assert found.status is status
    raised = "ab" * 51_000
    long = {"output": raised, "expected": raised[2:] + "cc"}
    for limits, status in (("", RowStatus.UNJUDGED), ("text_length: 110000", RowStatus.SCORED)):
        (found,) = loads(f"limits: {{{limits}}}\nevaluators: [{{{name}}}]").evaluate(long).results.values()
        assert found.status is status


@pytest.mark.parametrize("evaluator", ["json_multi_field_match", "schema_match"])
def test_the_length_of_fields_may_be_raised(evaluator: str) -> None:
    text = "ab" * 2_000
    given = {"output": {"a": text}, "expected": {"a": "c" + text}}
    for length, status in ((1_000, RowStatus.UNJUDGED), (5_000, RowStatus.SCORED)):
        suite = load({"limits": {"text_length": length}, "evaluators": [{evaluator: {"fields": {"a": "fuzzy"}}}]})
        found = suite.evaluate(given)[evaluator]
        assert found.status is status
        assert found.score == (1.0 if status is RowStatus.SCORED else None)


def test_long_texts_are_unjudged_in_rows_that_share_a_trace(tmp_path: Path) -> None:
    text = "ab" * 2_000
    path = tmp_path / "rows.jsonl"
    rows = [{"output": json.dumps({"a": "x" * (i % 3)}), "expected": json.dumps({"a": "x"})} for i in range(600)]
    rows[500] = {"output": json.dumps({"a": text}), "expected": json.dumps({"a": "c" + text})}
    write_rows(path, rows)
    suite = {"limits": {"text_length": 1_000}, "evaluators": [{"json_multi_field_match": {"fields": {"a": "fuzzy"}}}]}
    (found,) = load(suite).run(path).evaluators
    assert (found.scored, found.unjudged) == (599, 1)


def test_right_answers_in_a_cell_are_compared_with_items_as_far_as_lists_are(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = [json.dumps({"items": ["z"] * count}) for count in (2, 10, 3)]
    write_rows(path, [{"output": row, "expected": row, "right": "a|b|c|d"} for row in rows])
    fields = {"items[*]": {"one_of": {"answers": "row.right", "separator": "|"}}}
    suite = {"limits": {"list_cells": 39}, "evaluators": [{"json_multi_field_match": {"fields": fields}}]}
    result = load(suite).run(path)
    (found,) = result.evaluators
    assert (found.scored, found.unjudged) == (2, 1)
    assert [one.code for one in result.issues] == ["too-many-answers"]


@pytest.mark.parametrize(("cells", "codes"), [(10, {"items-too-long"}), (100_000, set())])
def test_the_cells_of_all_lists_may_be_set_at_once(cells: int, codes: set[str], tmp_path: Path) -> None:
    found = loads(LISTS % (f"list_cells: {cells}", "hungarian", "hungarian")).run(written(tmp_path, [15]))
    assert {one.code for one in found.warnings} == codes


@pytest.mark.parametrize(
    "setting",
    [
        "row_seconds: 0",
        "row_seconds: true",
        "run_seconds: -1",
        "text_length: 10",
        "list_cells: 0",
        "path_steps: 1.5",
        "rows: 3",
    ],
)
def test_limits_that_are_none_are_config_problems(setting: str) -> None:
    issue = problem_of(lambda: loads(f"limits: {{{setting}}}\nevaluators: [exact_match]"))
    assert issue.blame is Blame.CONFIG
    assert setting.partition(":")[0] in issue.message
