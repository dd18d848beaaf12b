"""A run gives the same bytes whatever the cut, the engine, the number of workers and the order of completion."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace

from evaluators.api.loading import load
from evaluators.model.issues import Blame, Issue
from evaluators.reports.coverage import gaps
from evaluators.runs.driver import memory_variant, score_variant
from evaluators.runs.engines.engine import ENGINES, Lost
from evaluators.runs.observer import Observer
from evaluators.runs.recorder import Recording
from evaluators.runs.stats import all_stats


def scored(suite: Any, job: Any, observer: Observer = Observer()) -> Any:
    return score_variant(memory_variant("rows.jsonl", job, suite.lines), ENGINES.find("in_process")(), observer)


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


@pytest.mark.parametrize("splits", [2, 7, 64])
@pytest.mark.parametrize("chunk", [300, 5_000])
def test_any_number_of_splits_gives_the_same_bytes(bench: Any, splits: int, chunk: int) -> None:
    whole = bench.score()
    assert bench.score(splits=splits, chunk=chunk) == whole
    assert whole[0].sums.rows == 200
    assert len(lines(whole[1]["rows"])) == 200


@pytest.mark.parametrize("most", [1, 20_000])
def test_clusters_are_the_same_for_any_number_of_splits(bench: Any, most: int, monkeypatch: Any) -> None:
    monkeypatch.setattr("evaluators.runs.clusters.MOST_CONTENTS", most)  # so many that are alike are counted together
    bench.suite = {**bench.suite, "repeats": None, "statistics": {"cluster": "row.group"}}
    whole, files = bench.score()
    assert bench.score(splits=9, chunk=300) == (whole, files)
    stats = all_stats(load(bench.suite).lines, whole)
    assert all(one.mean_ci is not None for one in stats)
    assert {row["cluster"] for row in lines(files["rows"])} == {"a", "b", "c"}


@pytest.mark.parametrize("name", [name for name in ENGINES.names() if not ENGINES.find(name).packages])
@pytest.mark.parametrize("workers", [1, 3])
def test_every_engine_gives_the_same_bytes_with_any_number_of_workers(bench: Any, name: str, workers: int) -> None:
    assert bench.score(ENGINES.find(name)(workers=workers), splits=7) == bench.score()


@pytest.mark.parametrize("seed", range(5))
def test_the_order_in_which_splits_are_finished_does_not_matter(bench: Any, shuffled: Any, seed: int) -> None:
    assert bench.score(shuffled(workers=seed + 1), splits=9) == bench.score()


def test_rows_have_the_numbers_that_an_editor_shows(bench: Any) -> None:
    _, files = bench.score(splits=7)
    text = (bench.folder / "rows.jsonl").read_text().split("\n")
    assert all(json.loads(text[line["row"] - 1])["id"] == line["id"] for line in lines(files["rows"]))
    ids = {line["row"]: line["id"] for line in lines(files["rows"])}
    kept = {line["row"]: line["cells"]["id"] for line in lines(files["cells"])}
    assert kept == ids
    assert {line["row"] for line in lines(files["outcomes"])} <= ids.keys()


WITH_FIELDS = ("header", "json_diff_match", "json_field_match_normalized")


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 3, 8])
@pytest.mark.parametrize("splits", [1, 64])
def test_the_first_mismatches_of_each_field_are_recorded(bench: Any, most: int, splits: int) -> None:
    every = first_lines(bench.score(most=None)[1]["outcomes"])
    found = first_lines(bench.score(most=most, splits=splits)[1]["outcomes"])
    seen: dict[tuple[str, str], list[int]] = {}
    for line in every:
        rows = seen.setdefault(key_of(line), [])
        if line["row"] not in rows:
            rows.append(line["row"])
    assert found == [line for line in every if line["row"] in seen[key_of(line)][:most]]
    assert [line["row"] for line in found] == sorted(line["row"] for line in found)


def first_lines(outcomes: bytes) -> list[dict[str, Any]]:
    """The outcomes of evaluators with fields. Of a row that cannot be read, what is said of it as a whole."""
    every = [line for line in lines(outcomes) if line["evaluator"] in WITH_FIELDS]
    unreadable = {(line["evaluator"], line["row"]) for line in every if "path" not in line}
    return [line for line in every if "path" not in line or (line["evaluator"], line["row"]) not in unreadable]


def key_of(line: dict[str, Any]) -> tuple[str, str]:
    if "path" not in line:
        return line["evaluator"], "unreadable"
    return line["evaluator"], line["path"] if line["evaluator"] == "header" else ""


def invalid_rows(files: dict[str, bytes]) -> list[int]:
    """The numbers of the rows that the evaluator `header` could not measure."""
    codes = {
        line["code"] for line in lines(files["codes"]) if (line["evaluator"], line["status"]) == ("header", "invalid")
    }
    place = [line["evaluator"] for line in lines(files["codes"]) if line["code"] == 0].index("header")
    return [line["row"] for line in lines(files["rows"]) if line["codes"][place] in codes]


def test_issues_say_row_and_column(bench: Any) -> None:
    measured, files = bench.score(splits=4)
    broken = invalid_rows(files)
    assert [issue.where for _, issue in measured.sums.issues] == [
        f'rows.jsonl row {row}, column "expected"' for row in broken[:5]
    ]
    assert {issue.blame for _, issue in measured.sums.issues} == {Blame.TESTSET}
    assert len(broken) > 5


def test_one_faulty_cell_is_one_issue_however_many_evaluators_need_it(bench: Any) -> None:
    measured, files = bench.score()
    assert measured.sums.issue_counts == {"expected-not-json": len(invalid_rows(files))}


def test_two_faulty_cells_of_one_row_are_two_issues(bench: Any) -> None:
    bench.suite = {
        "evaluators": [
            {"json_diff_match": {"name": "one", "expected": "first"}},
            {"json_diff_match": {"name": "two", "expected": "second"}},
            {"json_diff_match": {"name": "three", "expected": "second"}},
            {"all_of": {"of": ["one", "two", "three"]}},
        ]
    }
    bench.rows = [{"output": "{}", "first": "", "second": ""}]
    measured, _ = bench.score()
    assert [issue.where for _, issue in measured.sums.issues] == [
        'rows.jsonl row 1, column "first"',
        'rows.jsonl row 1, column "second"',
    ]
    assert list(measured.sums.issue_counts.values()) == [2]


def test_a_stopped_run_keeps_the_rows_from_the_first_on(bench: Any) -> None:
    asked = Counter[str]()

    def stopped() -> bool:
        asked["times"] += 1
        return asked["times"] > 9

    measured, files = bench.score(splits=6, chunk=600, stopped=stopped)
    _, everything = bench.score()
    assert not measured.sums.finished
    assert 0 < measured.sums.rows < 200
    assert everything["rows"].startswith(files["rows"])
    assert len(lines(files["rows"])) == measured.sums.rows
    assert all(tally.rows == measured.sums.rows for tally in measured.figures.tallies)


@pytest.mark.parametrize("name", ["in_process", "processes"])
@pytest.mark.parametrize("workers", [1, 2])
def test_every_row_is_told_once_whoever_scores_it(bench: Any, name: str, workers: int) -> None:
    told: list[int] = []
    shares: list[float] = []

    def progress(rows: int, share: float | None) -> None:
        told.append(rows)
        shares.extend(() if share is None else (share,))

    suite, job = bench.job(splits=4)
    score_variant(
        memory_variant("rows.jsonl", job, suite.lines), ENGINES.find(name)(workers=workers), Observer(progress=progress)
    )
    assert sum(told) == 200
    assert shares[-1] == 1
    assert shares == sorted(shares)


def test_a_run_that_is_stopped_after_its_last_row_is_finished(bench: Any) -> None:
    done: list[int] = []
    suite, job = bench.job()
    measured = scored(suite, job, Observer(lambda: sum(done) == 200, lambda rows, share: done.append(rows)))
    assert measured.sums.finished


def test_results_after_a_gap_are_left_out(bench: Any, shuffled: Any) -> None:
    class Losing(shuffled):  # type: ignore[misc]  # a fixture has no type
        def map(self, run: Any, tasks: Any, stopped: Any) -> Any:
            return (result for result in super().map(run, tasks, stopped) if result.sums.index != 2)

    measured, files = bench.score(Losing(workers=1), splits=5)
    assert not measured.sums.finished
    assert bench.score()[1]["rows"].startswith(files["rows"])
    assert measured.sums.rows == len(lines(files["rows"]))


def test_a_split_that_is_lost_ends_the_run_before_it_and_names_its_rows(bench: Any, shuffled: Any) -> None:
    why = Issue("worker-lost", Blame.ENVIRONMENT, "it is gone")

    class Losing(shuffled):  # type: ignore[misc]  # a fixture has no type
        """The third split is lost, and said before any other comes."""

        def map(self, run: Any, tasks: Any, stopped: Any) -> Any:
            drawn = list(tasks)
            yield Lost(drawn.pop(2), why)
            yield from super().map(run, drawn, stopped)

    measured, files = bench.score(Losing(workers=1), splits=5)
    numbers = [line["row"] for line in lines(files["rows"])]
    _, everything = bench.score(splits=5)
    following = [line["row"] for line in lines(everything["rows"])][len(numbers)]
    assert 0 < len(numbers) == measured.sums.rows < 200
    assert not measured.sums.finished
    assert measured.sums.trouble.where.startswith(f"rows.jsonl rows {following} to ")


def gaps_of(bench: Any) -> list[tuple[str, str | None, str | None]]:
    suite, job = bench.job()
    measured = scored(suite, job)
    found = gaps(suite.lines, [(measured.sums, all_stats(suite.lines, measured))], suite, complete=True)
    assert all(issue.blame is Blame.TESTSET for issue in found)
    return [(issue.code, issue.where, issue.hint) for issue in found]


def test_everything_that_was_measured_leaves_no_gap(bench: Any) -> None:
    assert gaps_of(bench) == []


def test_a_listed_field_that_no_row_has_is_named_with_the_nearest_path(bench: Any) -> None:
    bench.suite = {"evaluators": [{"json_multi_field_match": {"fields": {"a": "exact", "totl": "exact"}}}]}
    bench.rows = [{"output": '{"a": 1, "total": 2}', "expected": '{"a": 1, "total": 2}'}]
    assert gaps_of(bench) == [
        ("field-measured-nothing", "evaluators[0].json_multi_field_match.fields.totl", 'did you mean "total"?')
    ]


@pytest.mark.parametrize("line", [{"compare": "exact", "optional": True}, "skip"])
def test_a_field_that_is_optional_or_skipped_may_be_nowhere(bench: Any, line: Any) -> None:
    bench.suite = {"evaluators": [{"json_multi_field_match": {"fields": {"a": "exact", "b": line}}}]}
    bench.rows = [{"output": '{"a": 1}', "expected": '{"a": 1}'}]
    assert gaps_of(bench) == []


def test_an_evaluator_that_every_row_skips_is_named(bench: Any) -> None:
    bench.suite = {"evaluators": [{"type": "contains_json", "when": {"row.group": "z"}}, "exact_match"]}
    assert [(code, where) for code, where, _ in gaps_of(bench)] == [("evaluator-measured-nothing", "evaluators[0]")]


def test_rows_that_the_test_set_broke_are_no_gap(bench: Any) -> None:
    bench.suite = {"evaluators": ["json_diff_match"]}
    bench.rows = [{"output": "{}", "expected": "prose"}]
    assert gaps_of(bench) == []


def test_rows_that_are_blocked_are_no_gap(bench: Any) -> None:
    bench.suite = {"evaluators": ["contains_json", {"type": "json_diff_match", "needs": ["contains_json"]}]}
    bench.rows = [{"output": "prose", "expected": '{"a": 1}'}]
    assert gaps_of(bench) == []


def test_only_empty_expectations_measure_nothing(bench: Any) -> None:
    bench.suite = {"evaluators": ["json_field_match"]}
    bench.rows = [{"output": '{"a": 1}', "expected": "{}"}] * 3
    assert [code for code, _, _ in gaps_of(bench)] == ["evaluator-measured-nothing"]


def test_an_open_tree_has_no_listed_fields_to_miss(bench: Any) -> None:
    bench.suite = {"evaluators": ["json_diff_match"]}
    bench.rows = [{"output": '{"a": 1}', "expected": '{"a": 1}'}]
    assert gaps_of(bench) == []


def test_the_rows_are_the_same_without_cells_and_without_a_folder(bench: Any) -> None:
    measured, _ = bench.score()
    suite, job = bench.job()
    for less in (replace(job, recording=Recording(documents="none")), replace(job, recording=None)):
        other = scored(suite, less)
        assert (other.figures, other.sums.issues) == (measured.figures, measured.sums.issues)
