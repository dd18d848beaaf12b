from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from evaluators.model.issues import Blame, Issue, Problems
from evaluators.runs.reader import Run
from evaluators.runs.result import (
    EXIT_CODES,
    Counts,
    Environment,
    EvaluatorStats,
    FieldStats,
    Interval,
    RunResult,
)
from evaluators.runs.run_folder import RunFolder, default_name, remove_folder, remove_unfinished_run
from evaluators.runs.run_json import read_as, run_body, run_json
from evaluators.runs.run_listing import list_runs
from evaluators.runs.store import open_text, write_text
from tests.kit import cli, problem_of, write_files

ENVIRONMENT = Environment("2026-03-14T09:26:53+00:00", 1.75, 4, "build-7", "3.11.9", ("evaluators", "run"))


def result(**others: object) -> RunResult:
    plain = RunResult("nightly", "5f0c", "a41b", "0.1.0", "invoices.csv", 0, {"output": "answer"}, ())
    return replace(plain, **others)  # type: ignore[arg-type]  # each test names real fields


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def told(error: pytest.ExceptionInfo[Problems]) -> Issue:
    (issue,) = error.value.issues
    assert issue.blame is Blame.CONFIG
    return issue


def test_the_default_name_is_date_time_and_fingerprint() -> None:
    started = datetime(2026, 3, 14, 9, 26, 53)
    assert default_name(started, "5f0c2a9b1e77d3c4") == "2026-03-14_09-26-53_5f0c2a9b"
    assert default_name(started, "sha256:5f0c2a9b1e77d3c4") == "2026-03-14_09-26-53_5f0c2a9b"


def test_a_finished_run_is_whole_and_alone(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path / "runs", "nightly") as folder:
        folder.write("rows.csv", "id\n")
        folder.write("summary.txt", "fine\n")
        place = folder.finish(result(environment=ENVIRONMENT))
    assert place == tmp_path / "runs" / "nightly"
    assert listing(tmp_path) == [
        "runs",
        "runs/nightly",
        "runs/nightly/environment.json",
        "runs/nightly/rows.csv",
        "runs/nightly/run.db",
        "runs/nightly/run.json",
        "runs/nightly/summary.txt",
    ]


def test_a_run_that_is_not_finished_is_no_run(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "nightly") as folder:
        folder.write("rows.csv", "id\n")
        with pytest.raises(Problems, match="this run is not finished"):
            Run(tmp_path / "nightly")


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_run_that_breaks_leaves_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    def breaks() -> None:
        with RunFolder.create(tmp_path, "nightly") as folder:
            folder.write("rows.csv", "id\n")
            raise error

    with pytest.raises(error):
        breaks()
    assert listing(tmp_path) == []


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    for wanted in ("nightly", "nightly-2", "nightly-3"):
        with RunFolder.create(tmp_path, "nightly") as folder:
            assert folder.finish(result()) == tmp_path / wanted
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nightly", "nightly-2", "nightly-3"]
    assert [Run(tmp_path / name).result.folder for name in ("nightly", "nightly-2")] == [None, "nightly-2"]


@pytest.mark.parametrize("other", ["file", "link", "folder"])
def test_a_name_that_something_else_has_gets_a_number(tmp_path: Path, other: str) -> None:
    place = tmp_path / "nightly"
    if other == "folder":
        write_text(place / "mine.txt", "mine")
    elif other == "file":
        place.write_text("mine")
    else:
        place.symlink_to(tmp_path / "nowhere")
    with RunFolder.create(tmp_path, "nightly") as folder:
        assert folder.finish(result()) == tmp_path / "nightly-2"


def test_an_empty_folder_is_free(tmp_path: Path) -> None:
    (tmp_path / "nightly").mkdir()
    with RunFolder.create(tmp_path, "nightly") as folder:
        assert folder.finish(result()) == tmp_path / "nightly"


def test_a_file_system_without_modes_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*words: object, **more: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chmod", refused)
    with RunFolder.create(tmp_path, "nightly") as folder:
        assert Run(folder.finish(result())).result == result()


def test_force_replaces_a_run_whole(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "nightly") as folder:
        folder.write("old.txt", "old")
        folder.finish(result())
    with RunFolder.create(tmp_path, "nightly", force=True, made=lambda _, __: {"old.txt"}) as folder:
        assert (tmp_path / ".nightly.replaced" / "old.txt").exists()
        folder.finish(result(rows=7))
    assert listing(tmp_path) == ["nightly", "nightly/run.db", "nightly/run.json"]
    assert Run(tmp_path / "nightly").result.rows == 7


def test_force_replaces_nothing_but_runs(tmp_path: Path) -> None:
    write_text(tmp_path / "src" / "main.py", "precious")
    write_text(tmp_path / "file", "precious")
    (tmp_path / "link").symlink_to(tmp_path / "src")
    for name in ("src", "file", "link"):
        with pytest.raises(Problems) as error:
            RunFolder.create(tmp_path, name, force=True)
        assert told(error).code == "not-a-run-folder"
    assert (tmp_path / "src" / "main.py").read_text() == "precious"


def test_two_runs_of_one_name_have_two_places(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "nightly") as slow, RunFolder.create(tmp_path, "nightly") as quick:
        assert quick.finish(result(rows=1)) == tmp_path / "nightly-2"
        assert slow.finish(result(rows=2)) == tmp_path / "nightly"


def test_a_forced_run_that_breaks_leaves_the_one_before(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "nightly") as folder:
        folder.finish(result(rows=1))
    with pytest.raises(KeyError), RunFolder.create(tmp_path, "nightly", force=True):
        raise KeyError
    assert listing(tmp_path) == ["nightly", "nightly/run.db", "nightly/run.json"]
    assert Run(tmp_path / "nightly").result.rows == 1


def ended(tmp_path: Path, **options: bool) -> None:
    """A run called nightly whose program was ended."""
    folder = RunFolder.create(tmp_path, "nightly", **options)
    folder.db.note({"the suite": "abc"})
    folder.leave()


def test_what_a_forced_run_was_to_replace_comes_back_when_that_is_cleaned(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "nightly") as folder:
        folder.finish(result(rows=1))
    ended(tmp_path, force=True)
    assert [(run.name, run.state) for run in list_runs(tmp_path)] == [("nightly", "unfinished")]
    assert remove_unfinished_run(tmp_path / "nightly")
    assert Run(tmp_path / "nightly").result.rows == 1
    assert listing(tmp_path) == ["nightly", "nightly/run.db", "nightly/run.json"]


def test_a_folder_of_which_a_killed_program_had_only_the_lock_is_as_good_as_none(tmp_path: Path) -> None:
    write_text(tmp_path / "nightly" / "lock", "", renews=True)
    for force in (False, True):
        with RunFolder.create(tmp_path, "nightly", force=force) as folder:
            assert folder.path == tmp_path / "nightly"
        write_text(tmp_path / "nightly" / "lock", "", renews=True)


def test_what_somebody_else_put_into_an_unfinished_run_stays_when_that_is_cleaned(tmp_path: Path) -> None:
    ended(tmp_path)
    write_text(tmp_path / "nightly" / "notes.txt", "mine")
    write_text(tmp_path / "nightly" / "suite" / "suite.yaml", "the run's", renews=True)
    assert remove_unfinished_run(tmp_path / "nightly")
    assert listing(tmp_path) == ["nightly", "nightly/notes.txt"]
    assert list_runs(tmp_path) == []


def test_what_somebody_else_put_into_a_run_that_is_cleaned_goes_to_the_one_that_comes_back(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "nightly") as folder:
        folder.finish(result(rows=1))
    write_text(tmp_path / "nightly" / "notes.txt", "of the finished one")
    ended(tmp_path, force=True)
    write_text(tmp_path / "nightly" / "notes.txt", "of the unfinished one")
    assert remove_unfinished_run(tmp_path / "nightly")
    notes = ["nightly/notes.txt", "nightly/notes.txt-2"]
    assert listing(tmp_path) == ["nightly", *notes, "nightly/run.db", "nightly/run.json"]


def test_what_a_forced_run_was_to_replace_goes_when_somebody_comes_to_its_end(tmp_path: Path) -> None:
    for take in (partial(RunFolder.resume, tmp_path / "nightly"), partial(RunFolder.create, tmp_path, "nightly", True)):
        with RunFolder.create(tmp_path, "nightly", force=True) as folder:
            folder.finish(result(rows=1))
        ended(tmp_path, force=True)
        with take() as folder:
            assert Run(tmp_path / ".nightly.replaced").result.rows == 1
            folder.finish(result(rows=2))
        assert [path.name for path in tmp_path.iterdir()] == ["nightly"]
        assert Run(tmp_path / "nightly").result.rows == 2


def test_a_run_that_was_taken_up_stays_whatever_happens(tmp_path: Path) -> None:
    ended(tmp_path)
    with pytest.raises(KeyError), RunFolder.resume(tmp_path / "nightly"):
        raise KeyError
    assert [(run.name, run.state) for run in list_runs(tmp_path)] == [("nightly", "unfinished")]


@pytest.mark.parametrize("full", ["nightly", "lock", "run.db"])
def test_a_run_comes_back_where_there_is_no_room_for_the_one_that_replaces_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: str
) -> None:
    with RunFolder.create(tmp_path, "nightly") as folder:
        folder.finish(result(rows=1))
    before = listing(tmp_path)
    for name in ("mkdir", "open"):
        monkeypatch.setattr(os, name, partial(without_room, getattr(os, name), full))
    with pytest.raises(Problems, match="no space left on device"):
        RunFolder.create(tmp_path, "nightly", force=True)
    assert listing(tmp_path) == before
    with pytest.raises(Problems, match="no space left on device"):
        RunFolder.create(tmp_path / "nightly", "nightly")
    assert listing(tmp_path) == before


def without_room(make: Callable[..., Any], name: str, path: Any, *words: Any, **more: Any) -> Any:
    """A function of the system, which makes nothing of this name."""
    if os.path.basename(path) == name:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
    return make(path, *words, **more)


def replaced_and_lost(tmp_path: Path) -> None:
    """A finished run that waits to be replaced; what was to replace it is gone."""
    with RunFolder.create(tmp_path, "nightly") as folder:
        folder.finish(result(rows=1))
    ended(tmp_path, force=True)
    remove_folder(tmp_path / "nightly")


def test_a_plain_run_leaves_one_alone_that_waits_to_be_replaced(tmp_path: Path) -> None:
    replaced_and_lost(tmp_path)
    with RunFolder.create(tmp_path, "nightly") as folder:
        assert folder.finish(result(rows=2)) == tmp_path / "nightly-2"
    assert Run(tmp_path / ".nightly.replaced").result.rows == 1


@pytest.mark.parametrize("breaks", [True, False])
def test_a_forced_run_replaces_one_that_waits_for_it(tmp_path: Path, breaks: bool) -> None:
    replaced_and_lost(tmp_path)
    with RunFolder.create(tmp_path, "nightly", force=True) as folder:
        if not breaks:
            folder.finish(result(rows=2))
    assert [path.name for path in tmp_path.iterdir()] == ["nightly"]
    assert Run(tmp_path / "nightly").result.rows == (1 if breaks else 2)


def test_the_run_before_waits_until_all_rows_of_another_are_scored(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "nightly") as folder:
        folder.finish(result(rows=1))
    for rows in (2, 3):
        with RunFolder.create(tmp_path, "nightly", force=True) as folder:
            assert folder.waiting_folder == tmp_path / ".nightly.replaced"
            folder.finish(result(rows=rows, complete=False))
        assert Run(tmp_path / ".nightly.replaced").result.rows == 1
        assert Run(tmp_path / "nightly").result.rows == rows
    with RunFolder.create(tmp_path, "nightly", force=True) as folder:
        folder.finish(result(rows=4))
    assert [path.name for path in tmp_path.iterdir()] == ["nightly"]


@pytest.mark.parametrize("stops", [True, False])
def test_a_stopped_run_is_there_again_where_nothing_is_left_of_the_next(tmp_path: Path, stops: bool) -> None:
    with RunFolder.create(tmp_path, "nightly") as folder:
        folder.finish(result(rows=1))
    with RunFolder.create(tmp_path, "nightly", force=True) as folder:
        folder.finish(result(rows=2, complete=False))
    with RunFolder.create(tmp_path, "nightly", force=True) as folder:
        assert Run(tmp_path / ".nightly.stopped").result.rows == 2
        if stops:
            folder.leave()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".nightly.replaced", "nightly"]
    assert Run(tmp_path / ".nightly.replaced").result.rows == 1
    assert (tmp_path / "nightly" / "run.json").exists() is not stops
    if not stops:
        assert Run(tmp_path / "nightly").result.rows == 2


def test_cleaning_a_run_that_was_killed_brings_the_stopped_one_before_it_back(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "nightly") as folder:
        folder.finish(result(rows=1))
    with RunFolder.create(tmp_path, "nightly", force=True) as folder:
        folder.finish(result(rows=2, complete=False))
    lines = ["import os, sys", "from evaluators.runs.run_folder import RunFolder"]
    lines += ["folder = RunFolder.create(sys.argv[1], 'nightly', True)", "os._exit(1)"]
    subprocess.run([sys.executable, "-c", "\n".join(lines), str(tmp_path)], check=False)
    assert remove_unfinished_run(tmp_path / "nightly")
    assert Run(tmp_path / "nightly").result.rows == 2
    assert Run(tmp_path / ".nightly.replaced").result.rows == 1


def test_what_people_put_into_the_folder_of_a_run_outlives_it(tmp_path: Path) -> None:
    def made(variants: Iterable[str | None], evaluators: Iterable[str]) -> set[str]:
        return {"summary.txt"}

    def put(name: str) -> None:
        write_files(tmp_path / "nightly", {f"{name}.md": name, f"notes {name}/a.txt": name, "summary.txt": name})

    for rows, complete in ((1, True), (2, False), (3, False), (4, True)):
        with RunFolder.create(tmp_path, "nightly", force=True, made=made) as folder:
            folder.finish(result(rows=rows, complete=complete))
        put(str(rows))
    assert [path.name for path in tmp_path.iterdir()] == ["nightly"]
    kept = {path.relative_to(tmp_path / "nightly").as_posix(): path for path in (tmp_path / "nightly").rglob("*.*")}
    own = {"run.json", "summary.txt"}
    assert kept.keys() - own == {name for rows in "1234" for name in (f"{rows}.md", f"notes {rows}/a.txt")} | {"run.db"}
    assert kept["2.md"].read_text(encoding="utf-8") == "2"


def test_a_report_of_a_run_goes_with_it_and_a_file_beside_it_stays(tmp_path: Path) -> None:
    write_files(tmp_path, {"suite.yaml": "evaluators: [exact_match]\n", "rows.csv": "output,expected\na,a\nb,a\n"})
    words = (
        "run",
        str(tmp_path / "suite.yaml"),
        str(tmp_path / "rows.csv"),
        "--results",
        str(tmp_path / "runs"),
        "--name",
        "x",
    )
    cli(*words, "--formats", "junit")
    place = tmp_path / "runs" / "x"
    (written,) = (path.name for path in place.glob("*.xml"))
    write_files(place, {"notes.md": "mine"})
    cli(*words, "--force")
    assert not (place / written).exists()
    assert (place / "notes.md").read_text(encoding="utf-8") == "mine"


def test_a_run_that_goes_on_is_neither_replaced_nor_cleaned_nor_gone_on_with(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "nightly"):
        assert [run.state for run in list_runs(tmp_path)] == ["going"]
        with pytest.raises(Problems, match="still going"):
            RunFolder.create(tmp_path, "nightly", force=True)
        with pytest.raises(Problems, match="still going"):
            RunFolder.resume(tmp_path / "nightly")
        assert not remove_unfinished_run(tmp_path / "nightly")
        assert (tmp_path / "nightly" / "run.db").exists()


@pytest.mark.parametrize("state", ["finished", "somebody's"])
def test_nothing_but_an_unfinished_run_is_cleaned(tmp_path: Path, state: str) -> None:
    if state == "finished":
        with RunFolder.create(tmp_path, "nightly") as folder:
            folder.finish(result())
    else:
        write_text(tmp_path / "nightly" / "notes.txt", "mine")
    before = listing(tmp_path)
    assert not remove_unfinished_run(tmp_path / "nightly")
    assert listing(tmp_path) == before


def claim(results: Path) -> str:
    """The name that a run called nightly gets."""
    folder = RunFolder.create(results, "nightly")
    folder.leave()
    return folder.path.name


def test_runs_of_one_name_that_begin_at_once_have_a_place_each(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4) as pool:
        names = list(pool.map(claim, [tmp_path] * 24))
    assert sorted(names) == sorted(["nightly", *(f"nightly-{number}" for number in range(2, 25))])


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "a\\b", "../up", "a:b", "a\n", "end."])
def test_a_name_is_the_name_of_one_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(Problems) as error:
        RunFolder.create(tmp_path, name)
    assert told(error).code == "run-name"


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    write_text(tmp_path / "rows.csv", "old")

    def breaks() -> None:
        with open_text(tmp_path / "rows.csv") as stream:
            stream.write("half of")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        breaks()
    assert listing(tmp_path) == ["rows.csv"]
    assert (tmp_path / "rows.csv").read_text() == "old"


def test_half_a_surrogate_pair_is_written_as_the_characters_of_its_escape_and_read_again(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, "nightly") as folder:
        folder.finish(result(notes=("odd \ud83d text",)))
    text = (tmp_path / "nightly" / "run.json").read_text()
    assert json.loads(text)["notes"] == [r"odd \ud83d text"]
    assert Run(tmp_path / "nightly").result.notes == (r"odd \ud83d text",)


def test_the_same_run_is_the_same_bytes_whatever_the_environment(tmp_path: Path) -> None:
    for name, environment in (("a", ENVIRONMENT), ("b", replace(ENVIRONMENT, workers=1, host="laptop"))):
        with RunFolder.create(tmp_path, name) as folder:
            folder.finish(result(environment=environment))
    assert (tmp_path / "a" / "run.json").read_bytes() == (tmp_path / "b" / "run.json").read_bytes()
    assert (tmp_path / "a" / "environment.json").read_bytes() != (tmp_path / "b" / "environment.json").read_bytes()


def test_a_run_with_its_environment_comes_back_the_same(tmp_path: Path) -> None:
    wanted = result(environment=ENVIRONMENT, issues=(Issue("x", Blame.TESTSET, "empty", "a.csv row 2"),))
    with RunFolder.create(tmp_path, "nightly") as folder:
        place = folder.finish(wanted)
    assert Run(place).result == wanted
    assert Run(place / "run.json").result == wanted


@pytest.mark.parametrize("text", ["", "[]", "{", "{}", '{"format": 1}', '{"format": "1"}', "\ufeff{}"])
def test_what_is_not_a_run_is_a_problem(tmp_path: Path, text: str) -> None:
    write_text(tmp_path / "run.json", text)
    with pytest.raises(Problems) as error:
        Run(tmp_path)
    assert told(error).where == str(tmp_path / "run.json")


@pytest.mark.parametrize("number", [0, 2, 99])
def test_another_format_is_refused(tmp_path: Path, number: int) -> None:
    write_text(tmp_path / "run.json", f'{{"format": {number}}}')
    issue = problem_of(lambda: Run(tmp_path))
    assert (issue.code, issue.blame) == ("other-format", Blame.CONFIG)
    assert issue.message == f"written in format {number}, and this version reads format 1"


def test_a_folder_without_a_run_says_so(tmp_path: Path) -> None:
    with pytest.raises(Problems, match="not a run folder"):
        Run(tmp_path)
    with pytest.raises(Problems, match="no such run"):
        Run(tmp_path / "nowhere")


_ratio = st.none() | st.floats(0, 1)
_count = st.integers(0, 10**12)
_field = st.builds(
    FieldStats, path=st.text(), counts=st.builds(Counts, match=_count, omission=_count), accuracy=_ratio, precision=_ratio,
    recall=_ratio, f1=_ratio, mean_score=_ratio, array=st.none(),
)  # fmt: skip


@st.composite
def _stats(draw: st.DrawFn) -> EvaluatorStats:
    """The figures of an evaluator whose rows are as many as those of each kind together."""
    passed, failed, *others = (draw(_count) for _ in range(7))
    return EvaluatorStats(
        draw(st.text()), draw(st.text()), passed + failed + sum(others), passed + failed, passed, failed, *others, passed, failed,
        draw(_ratio), draw(_ratio), draw(st.none() | st.just(Interval(0.25, 0.5))), tuple(draw(st.lists(_field, max_size=2))),
        micro_f1=draw(_ratio), slice=draw(st.none() | st.tuples(st.text(max_size=4), st.text(max_size=4))),
    )  # fmt: skip


_runs = st.builds(
    RunResult, name=st.text(), suite_fingerprint=st.text(), data_fingerprint=st.text(), version=st.text(), test_set=st.text(),
    rows=_count, columns=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=2),
    evaluators=st.lists(_stats(), max_size=2).map(tuple), slices=st.just(()), gates=st.just(()), warnings=st.just(()),
    notes=st.lists(st.text()).map(tuple), issue_counts=st.dictionaries(st.text(), _count), complete=st.booleans(),
    exit_code=st.sampled_from(EXIT_CODES), environment=st.none(), variants=st.lists(st.text(), max_size=2).map(tuple),
    issues=st.lists(st.builds(Issue), max_size=2).map(tuple),
)  # fmt: skip


@given(_runs)
def test_run_json_is_a_round_trip(run: RunResult) -> None:
    text = run_json(run)
    assert read_as(run_body(text.encode(), "run.json"), RunResult, "run.json") == run
    assert run_json(read_as(run_body(text.encode(), "run.json"), RunResult, "run.json")) == text
