"""The file of a finished split ends in a checkpoint: it comes back as it was, and damaged or foreign ones are not finished."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import msgspec
import pytest
from msgspec.structs import replace

from evaluators.issues import Problems
from evaluators.run.job import Job, run_split
from evaluators.run.split_files import CHECKPOINT, finished_splits, read_part
from evaluators.run.split_result import SplitResult
from evaluators.run.unchanged import file_marks
from evaluators.testsets.reader import Split
from tests.run.conftest import SUITE

MEASURED = {
    **SUITE,
    "statistics": {"cluster": "row.group"},
    "measures": {"cost": "row.cost"},
    "gates": {"header": {"fail_below": 0.1, "metric": "precision"}},
}


class Scored:
    """Every split of a test set, scored and kept."""

    def __init__(self, bench: Any, splits: int = 4, **options: Any) -> None:
        suite, job = bench.job(splits=splits, **options)
        self.job: Job = replace(job, key="0123")
        self.folder = Path(job.folder)
        self.splits: list[Split] = job.table.splits()
        self.results: list[SplitResult] = [run_split(self.job, split) for split in self.splits]
        self.states = (file_marks(job.table.files),)
        self.lines = suite.lines

    def found(self, splits: list[Split] | None = None, job: str = "0123") -> dict[int, Any]:
        return finished_splits(str(self.folder), job, self.states, splits or self.splits, self.lines)

    def finished(self) -> list[int]:
        return list(self.found())

    def file(self, index: int) -> Path:
        """The one file of a split."""
        (found,) = self.folder.glob(f"{index:06d}-*.part")
        return found


def checkpoints(folder: Path) -> list[str]:
    """The files that end in a checkpoint."""
    return [path.name for path in folder.iterdir() if [kind for kind, _ in read_part(str(path))][-1:] == [CHECKPOINT]]


@pytest.fixture
def scored(bench: Any) -> Scored:
    bench.suite = MEASURED
    bench.rows = [{**row, "cost": str(number / 3)} for number, row in enumerate(bench.rows)]
    return Scored(bench)


def test_a_finished_split_comes_back_as_it_was(scored: Scored) -> None:
    assert scored.finished() == [0, 1, 2, 3]
    for (rows, load), result in zip(scored.found().values(), scored.results, strict=True):
        assert (rows, load()) == (result.rows, result)
    assert scored.results[0].first_rows.documents


def test_a_split_that_is_scored_again_has_files_of_its_own(scored: Scored) -> None:
    before = {path.name for path in scored.folder.iterdir()}
    again = run_split(scored.job, scored.splits[1])
    assert msgspec.structs.replace(again, attempt=scored.results[1].attempt) == scored.results[1]
    assert before < {path.name for path in scored.folder.iterdir()}
    assert scored.found()[1][1]() in (again, scored.results[1])
    assert again.attempt != scored.results[1].attempt
    assert scored.finished() == [0, 1, 2, 3]


def test_a_split_that_was_stopped_is_not_kept(bench: Any) -> None:
    _, job = bench.job(splits=2, chunk=300)
    asked: list[int] = []
    run_split(replace(job, key="0123"), job.table.splits()[0], stopped=lambda: bool(asked.append(1)) or len(asked) > 2)
    assert checkpoints(Path(job.folder)) == []


def test_nothing_is_kept_unasked(bench: Any) -> None:
    _, job = bench.job(splits=2)
    run_split(job, job.table.splits()[0])
    assert checkpoints(Path(job.folder)) == []


def test_a_split_with_rows_that_ran_out_of_time_is_scored_again(bench: Any) -> None:
    lists = [json.dumps({"items": [{"a": f"{letter}{number}"} for number in range(20)]}) for letter in "xy"]
    bench.rows = [{"id": number, "expected": '{"items": []}', "output": '{"items": []}'} for number in range(200)]
    bench.rows[0] = {"id": 0, "expected": lists[0], "output": lists[1]}
    fields = {"items": {"align": "any_order"}, "items[*].a": "fuzzy"}
    bench.suite = {"limits": {"row_seconds": 1e-10}, "evaluators": [{"json_multi_field_match": {"fields": fields}}]}
    scored = Scored(bench)
    assert scored.results[0].issue_counts == {"row-out-of-time": 1}
    assert scored.finished() == [1, 2, 3]


def test_a_file_that_was_written_to_meanwhile_is_another_one(scored: Scored, bench: Any) -> None:
    with open(bench.folder / "rows.jsonl", "ab") as stream:
        stream.write(b"\n")
    scored.file(2).unlink()
    run_split(scored.job, scored.splits[2])
    assert len(checkpoints(scored.folder)) == 4
    assert scored.finished() == [0, 1, 3]


def test_another_piece_of_the_file_is_another_split(scored: Scored) -> None:
    moved = [msgspec.structs.replace(split, start=split.start + 1) for split in scored.splits]
    assert scored.found(moved) == {}
    assert list(scored.found([msgspec.structs.replace(scored.splits[0], file="elsewhere.jsonl")])) == [0]


@pytest.mark.parametrize("damage", ["cut", "zeros", "longer", "changed", "gone"])
def test_a_damaged_file_is_noticed(scored: Scored, damage: str) -> None:
    file = scored.file(2)
    data = file.read_bytes()
    if damage == "gone":
        file.unlink()
    else:
        changed = {
            "cut": data[:-1],
            "zeros": data[:-3] + bytes(3),
            "longer": data + b"\n",
            "changed": data.replace(b"row-", b"Row-", 1),
        }
        file.write_bytes(changed[damage])
    assert scored.finished() == [0, 1, 3]


def test_the_splits_of_another_job_are_not_taken(scored: Scored) -> None:
    assert scored.found(job="4567") == {}


def test_a_result_that_can_no_longer_be_read_is_a_problem(scored: Scored) -> None:
    found = scored.found()
    scored.file(1).write_bytes(b"")
    with pytest.raises(Problems, match="a finished split can no longer be read"):
        found[1][1]()


def everywhere(value: Any, change: Callable[[Any], Any], at: int) -> Any:
    """The JSON with the value in one place, in depth-first order, changed."""
    count = iter(range(at + 1))

    def inner(value: Any) -> Any:
        if next(count, None) == at:
            return change(value)
        if isinstance(value, dict):
            return {key: inner(each) for key, each in value.items()}
        return [inner(each) for each in value] if isinstance(value, list) else value

    return inner(value)


def places(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(places, inner))


STRANGE: tuple[Any, ...] = (None, -1, "x", [], {}, 1.5, True, [[]], 10**30)


def parted(file: Path) -> tuple[bytes, bytes, Any]:
    """The lines before the checkpoint, its key, and the result in it."""
    before, _, last = file.read_bytes()[:-1].rpartition(b"\n")
    return before + b"\n", last.split(b" ")[0], json.loads(last.split(b" ", 2)[2][8:])


def written(file: Path, before: bytes, key: bytes, result: bytes) -> None:
    """The file with another result, and with the checksums that it has to have."""
    file.write_bytes(b"%b%b %08x %08x%b\n" % (before, key, crc32(before), crc32(result), result))


@pytest.mark.slow
def test_a_strangers_file_is_data_and_nothing_more(scored: Scored) -> None:
    """Whatever stands there, looking at it ends well: the split counts as finished or not."""
    random = Random(4)
    file = scored.file(1)
    before, key, body = parted(file)
    written(file, before, key, json.dumps(body).encode())
    assert scored.finished() == [0, 1, 2, 3]
    for _ in range(300):
        strange = random.choice(STRANGE)
        changed = everywhere(body, lambda _, strange=strange: strange, random.randrange(places(body)))
        written(file, before, key, json.dumps(changed).encode())
        assert {0, 2, 3} <= set(scored.finished())


@pytest.mark.parametrize(
    "text", ["", "{}", "null", "[1]", "\0\0\0", "[" * 100_000, '[1,1,0,null,"../../x",[],[],[]]', "1" * 5000, "\ud83d"]
)
def test_what_is_no_split_at_all_is_not_finished(scored: Scored, text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    before, key, _ = parted(scored.file(1))
    written(scored.file(1), before, key, data)
    assert scored.finished() == [0, 2, 3]
    for whole in (data, before + data, before + key + data):
        scored.file(1).write_bytes(whole)
        assert scored.finished() == [0, 2, 3]


def test_files_are_named_by_the_split_alone(scored: Scored, tmp_path: Path) -> None:
    """A stranger's file cannot name files elsewhere."""
    before, key, body = parted(scored.file(1))
    for name in ("../x.part", "/etc/passwd", "000002-00000000.part", scored.results[2].attempt):
        written(scored.file(1), before, key, json.dumps({**body, "attempt": name}).encode())
        assert scored.finished() == [0, 2, 3]


def test_a_number_that_json_cannot_hold_keeps_no_split(scored: Scored, monkeypatch: pytest.MonkeyPatch) -> None:
    scored.file(0).unlink()
    monkeypatch.setattr(
        "evaluators.run.job.Work.finished", lambda work: msgspec.structs.replace(scored.results[0], rows=10**5000)
    )
    run_split(scored.job, scored.splits[0])
    assert scored.finished() == [1, 2, 3]
