"""What a worker of a cluster leaves behind: parts at their places, or in bytes where it does not see the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from evaluators.issues import Blame
from evaluators.run import merge
from evaluators.run.job import Job
from evaluators.run.merge import Merger, mark, received, run_and_send
from evaluators.run.record_facts import record_files
from evaluators.run.storing import store_parts
from tests.run.part_folder import clear_parts


def files_of(folder: str) -> dict[str, bytes]:
    return {path.name.partition(".")[0]: path.read_bytes() for path in Path(folder).iterdir()}


def of_run(name: str, job: Job) -> Job:
    return replace(job, suite=replace(job.suite, run_id=name))


def scored_in_parts(bench: Any, elsewhere: Path | None, twice: bool = False) -> dict[str, bytes]:
    """The files of a run whose splits were scored as on workers: with a folder of another name, the driver's is not seen."""
    suite, job = bench.job(splits=5)
    job = of_run("this run", job)
    mark(job)
    merger = Merger(job, suite.lines, "rows.jsonl")
    for split in job.table.splits():
        seen = job if elsewhere is None else replace(job, folder=str(elsewhere))
        for _ in range(2 if twice else 1):
            sent = run_and_send(seen, (split, merger.full))
        assert (sent[1] is not None) == (elsewhere is not None)
        merger.take(received(job, sent))
    store_parts(job, suite.lines, merger.measured(of=5), record_files(Path(job.folder), job.rows))
    clear_parts(job)
    return files_of(job.folder)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("seen", [True, False])
def test_parts_of_workers_make_the_files_of_one_process(bench: Any, tmp_path: Path, seen: bool, twice: bool) -> None:
    assert scored_in_parts(bench, None if seen else tmp_path / "not there", twice) == bench.score()[1]


def test_a_folder_of_the_same_name_on_another_machine_is_another_folder(bench: Any, tmp_path: Path) -> None:
    _, job = bench.job(splits=2)
    other = tmp_path / "other"
    other.mkdir()
    job = replace(job, folder=str(other))
    mark(of_run("another run", job))
    sent = run_and_send(of_run("this run", job), (job.table.splits()[0], frozenset()))
    assert sent[1]
    assert [path.name for path in other.iterdir()] == ["seen-by-workers.part"]


def test_parts_that_are_too_large_are_not_sent_and_it_is_said_what_to_do(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge, "MOST_SENT_MIB", 0)
    _, job = bench.job(splits=2)
    job = of_run("this run", replace(job, folder=str(tmp_path / "gone")))
    trouble = received(job, run_and_send(job, (job.table.splits()[0], frozenset()))).trouble
    assert trouble.blame is Blame.ENVIRONMENT
    assert trouble.hint == "--results names a folder that all workers see under the same path"


def test_sums_that_arrive_twice_are_refused(bench: Any) -> None:
    suite, job = bench.job(splits=2)
    merger = Merger(job, suite.lines, "rows.jsonl")
    first = job.table.splits()[0]
    job = replace(job, folder=None)
    merger.take(received(job, run_and_send(job, (first, frozenset()))))
    with pytest.raises(RuntimeError, match="the sums of split 0 arrived twice"):
        merger.take(received(job, run_and_send(job, (first, frozenset()))))


def test_rows_that_are_missing_in_the_files_of_splits_are_noticed(bench: Any) -> None:
    suite, job = bench.job(splits=1)
    mark(job)
    merger = Merger(job, suite.lines, "rows.jsonl")
    merger.take(received(job, run_and_send(job, (job.table.splits()[0], frozenset()))))
    measured = merger.measured(of=1)
    measured.rows += 1
    with pytest.raises(RuntimeError, match="201 rows were scored, and the files of their splits hold 200"):
        store_parts(job, suite.lines, measured, record_files(Path(job.folder), job.rows))
