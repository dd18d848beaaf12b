"""One split: what a worker does with it, and what it leaves as it found it."""

from __future__ import annotations

import gc
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, Literal

import pytest

from evaluators.model.issues import Blame, Issue, RowProblem
from evaluators.model.rows import RowStatus
from evaluators.runs.job import run_split
from evaluators.scoring.evaluators._evaluator import BUILTIN, Evaluator, Needs


class Fussy(Evaluator):
    """Fails everything, and is asked for its reasons; some of them it cannot give."""

    type: Literal["fussy"] = "fussy"

    def needs(self) -> Needs:
        return (self.column("output"),)

    def measure(self, output: Any) -> bool:
        return False

    def reason(self, output: Any) -> str:
        ASKED.append(output)
        if output == "slow":
            raise RowProblem(Issue("timeout", Blame.ENVIRONMENT, "the time limit ran out"))
        if output == "broken":
            raise ZeroDivisionError("division by zero")
        return f"it is {output}"


ASKED: list[Any] = []


@pytest.fixture
def fussy(bench: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setitem(BUILTIN._registered, "fussy", Fussy)
    ASKED.clear()
    bench.suite = {"evaluators": ["fussy"]}
    return bench


def evidence_of(files: dict[str, bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files["outcomes"].splitlines()]


def test_a_reason_that_cannot_be_given_costs_the_reason_and_nothing_else(fussy: Any) -> None:
    fussy.rows = [{"id": text, "output": text} for text in ("slow", "broken", "bad")]
    measured, files = fussy.score()
    assert measured.figures.tallies[0].scored == 3
    assert [line["reason"] for line in evidence_of(files)] == [
        "it could not be explained: the time limit ran out",
        "it could not be explained: ZeroDivisionError: division by zero",
        "it is bad",
    ]


def test_nobody_asks_for_reasons_once_there_are_enough(fussy: Any) -> None:
    fussy.rows = [{"output": str(number)} for number in range(500)]
    fussy.score(most=4)
    assert ASKED == ["0", "1", "2", "3"]


def test_what_earlier_splits_have_filled_is_not_asked_for_again(fussy: Any) -> None:
    fussy.rows = [{"output": str(number)} for number in range(500)]
    _, files = fussy.score(most=4, splits=20)
    assert [line["row"] for line in evidence_of(files)] == [1, 2, 3, 4]
    assert ASKED == ["0", "1", "2", "3"]


@pytest.mark.parametrize("choice", ["fail", "skip"])
def test_unreadable_outputs_are_left_out_on_request_where_they_are_not_the_answer(bench: Any, choice: str) -> None:
    bench.suite = {"evaluators": ["contains_json", "json_diff_match"], "test_set": {"unreadable_output": choice}}
    bench.rows = [{"output": text, "expected": '{"a": 1}'} for text in ("prose", '{"a": 1}')]
    measured, _ = bench.score()
    contains, diff = measured.figures.tallies
    assert (contains.scored, contains.passed) == (2, 1)
    assert diff.row_statuses[RowStatus.SKIPPED] == (choice == "skip")
    assert diff.row_statuses[RowStatus.UNREADABLE] == (choice == "fail")


def test_a_job_is_small_and_can_be_pickled(bench: Any) -> None:
    _, job = bench.job()
    pickled = pickle.dumps(job)
    assert len(pickled) < 10_000
    assert pickle.loads(pickled) == job


@pytest.mark.parametrize("enabled", [True, False])
def test_the_search_for_cycles_is_left_as_it_was(bench: Any, cycles: None, enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    _, job = bench.job()
    run_split(job, job.table.splits()[0])
    assert gc.isenabled() == enabled


def test_an_interruption_leaves_the_search_for_cycles_on_and_no_file_open(bench: Any, cycles: None) -> None:
    gc.enable()
    _, job = bench.job()

    def interrupted(rows: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_split(job, job.table.splits()[0], progress=interrupted)
    assert gc.isenabled()


@pytest.fixture
def cycles() -> Iterator[None]:
    was_on = gc.isenabled()
    yield
    (gc.enable if was_on else gc.disable)()


MEMORY = """
import resource, sys
import evaluators
from pathlib import Path

suite = evaluators.load({"evaluators": ["exact_match", "contains_json", "json_diff_match",
    {"json_multi_field_match": {"fields": {"a": "exact", "b": "exact"}}}]})
suite.run(sys.argv[1], results=Path(sys.argv[2]))
assert "pyarrow" not in sys.modules
try:  # what getrusage says of a child on Linux begins with the memory of its parent
    print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM:")))
except FileNotFoundError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


@pytest.mark.slow
def test_ten_times_the_rows_take_hardly_more_memory(tmp_path: Any) -> None:
    peaks = []
    for many in (4_000, 40_000):
        file = tmp_path / f"rows-{many}.jsonl"
        with open(file, "w") as stream:
            for number in range(many):
                document = json.dumps({"a": number, "b": f"text {number % 7}", "c": "long " * 60})
                output = document.replace("7", "8") if number % 3 == 0 else document
                stream.write(json.dumps({"id": number, "output": output, "expected": document}) + "\n")
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, file, tmp_path / f"runs-{many}"],
            capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)}, check=True,
        )  # fmt: skip
        peaks.append(int(done.stdout))
    assert (peaks[1] - peaks[0]) / 1024 < 20
    assert peaks[1] / 1024 < 80
