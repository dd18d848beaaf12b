"""The baseline of a suite is a copy of a run folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.comparisons import baseline_of, compare, open_side, update_baseline
from evaluators.api.loading import load
from evaluators.model.issues import Blame, Issue, Problems
from evaluators.runs.reader import Run
from tests.kit import change_table, problem_of, write_files, write_rows

SUITE: dict[str, Any] = {"evaluators": [{"json_multi_field_match": {"name": "form", "fields": ["a", "b"]}}]}


def run_of(folder: Path, name: str, values: list[int], **settings: Any) -> Path:
    """The folder of a run over rows that each expect `a` and `b` to be 1."""
    lines = [
        {"id": f"r{at}", "output": {"a": 1, "b": value}, "expected": {"a": 1, "b": 1}} for at, value in enumerate(values)
    ]
    write_rows(folder / f"{name}.jsonl", lines)
    done = load({"name": "forms", **SUITE, **settings}).run(folder / f"{name}.jsonl", results=folder / "runs", name=name)
    assert done.folder is not None
    return Path(done.folder)


def files_in(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_baseline_is_the_run_without_times_hosts_and_reports(tmp_path: Path) -> None:
    run, place = run_of(tmp_path, "one", [1, 2]), tmp_path / "baselines" / "main"
    assert update_baseline(run, place) == 2
    copied, there = files_in(place), files_in(run)
    assert copied.keys() == {"run.json", "run.db", "suite/suite.yaml"}
    assert copied == {name: there[name] for name in copied}
    assert [path.name for path in place.parent.iterdir()] == ["main"]
    assert open_side(place).rows == open_side(run).rows
    assert [row.recorded for row in Run(place).each_row()] == [row.recorded for row in Run(run).each_row()]


def test_a_newer_run_takes_the_place_of_a_baseline(tmp_path: Path) -> None:
    place = tmp_path / "main"
    (place).mkdir()  # an empty folder is no obstacle
    for name, values in (("one", [1, 2]), ("two", [2, 2, 1])):
        run = run_of(tmp_path, name, values)
        assert update_baseline(run, place) == len(values)
        assert compare(place, run).unchanged == len(values)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_what_people_put_beside_a_baseline_stays(tmp_path: Path) -> None:
    place = tmp_path / "main"
    update_baseline(run_of(tmp_path, "one", [1, 2]), place)
    write_files(
        place,
        {"README.md": "who may change it", "notes/why.txt": "a new prompt", "rows.csv": "id\n", "suite/old.json": "{}"},
    )
    update_baseline(newer := run_of(tmp_path, "two", [2, 2, 1]), place)
    assert compare(place, newer).unchanged == 3
    kept = files_in(place)
    assert kept.keys() == {"run.json", "run.db", "suite/suite.yaml", "README.md", "notes/why.txt"}
    assert kept["notes/why.txt"] == b"a new prompt"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_baseline_that_cannot_be_replaced_keeps_what_people_put_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "main"
    update_baseline(run_of(tmp_path, "one", [1, 2]), place)
    write_files(place, {"README.md": "who may change it"})
    before, newer, rename = files_in(place), run_of(tmp_path, "two", [1]), Path.rename

    def refuse(path: Path, to: Path) -> Path:
        if path.name == "new":
            raise PermissionError(13, "Permission denied")
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", refuse)
    assert problem_of(lambda: update_baseline(newer, place)).blame is Blame.ENVIRONMENT
    assert files_in(place) == before


@pytest.mark.parametrize("files", [{"rows.csv": "id\n"}, {"notes/a.txt": "a"}], ids=["a file", "a folder"])
def test_what_is_no_run_folder_is_not_replaced(tmp_path: Path, files: dict[str, str]) -> None:
    run, (name,) = run_of(tmp_path, "one", [1]), files
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(files[name], encoding="utf-8")
    issue = problem_of(lambda: update_baseline(run, tmp_path / Path(name).parts[0]))
    assert (issue.code, issue.blame) == ("not-a-baseline", Blame.CONFIG)
    assert (tmp_path / name).read_text(encoding="utf-8") == files[name]


def test_a_link_to_a_run_folder_is_not_replaced(tmp_path: Path) -> None:
    run, other = run_of(tmp_path, "one", [1]), run_of(tmp_path, "two", [1])
    (tmp_path / "main").symlink_to(other)
    assert problem_of(lambda: update_baseline(run, tmp_path / "main")).code == "not-a-baseline"
    assert problem_of(lambda: update_baseline(other, tmp_path / "main")).code == "is-baseline"
    assert compare(other, run).unchanged == 1


def test_a_run_in_the_folder_of_the_baseline_does_not_replace_it(tmp_path: Path) -> None:
    place = run_of(tmp_path, "one", [1])
    inner = place / "runs" / "two"
    shutil.copytree(run_of(tmp_path, "two", [1]), inner)
    before = files_in(place)
    assert problem_of(lambda: update_baseline(inner, place)).code == "is-baseline"
    assert files_in(place) == before


@pytest.mark.parametrize("name", ["kept.json", "runs/one/old.json"])
def test_metrics_alone_are_no_baseline(tmp_path: Path, name: str) -> None:
    run = run_of(tmp_path, "one", [1])
    shutil.copy(run / "run.json", tmp_path / name)
    issue = problem_of(lambda: update_baseline(tmp_path / name, tmp_path / "main"))
    assert (issue.code, issue.where) == ("no-record", str(tmp_path / name))
    assert not (tmp_path / "main").exists()


def damaged(run: Path) -> None:
    change_table(run, "update rows0 set code0 = 9")


def interrupted(run: Path) -> None:
    file = run / "run.json"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"complete": true', '"complete": false'), encoding="utf-8")


def without_rows(run: Path) -> None:
    (run / "run.db").unlink()


@pytest.mark.parametrize("harm", [damaged, interrupted, without_rows])
def test_a_run_that_is_not_whole_leaves_the_baseline_as_it_was(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    good, bad, place = run_of(tmp_path, "one", [1]), run_of(tmp_path, "two", [2]), tmp_path / "main"
    update_baseline(good, place)
    before = files_in(place)
    harm(bad)
    with pytest.raises(Problems):
        update_baseline(bad, place)
    assert files_in(place) == before


def test_links_of_a_run_folder_are_left_out(tmp_path: Path) -> None:
    run, secret = run_of(tmp_path, "one", [1]), tmp_path / "secret"
    secret.write_text("secret", encoding="utf-8")
    (run / "suite" / "more.yaml").symlink_to(secret)
    update_baseline(run, tmp_path / "main")
    assert "suite/more.yaml" not in files_in(tmp_path / "main")


def test_a_place_that_cannot_be_written_is_the_environments_fault(tmp_path: Path) -> None:
    run = run_of(tmp_path, "one", [1])
    (tmp_path / "file").write_text("", encoding="utf-8")
    issue = problem_of(lambda: update_baseline(run, tmp_path / "file" / "main"))
    assert (issue.code, issue.blame) == ("unwritten", Blame.ENVIRONMENT)
    assert issue.message.startswith("the baseline cannot be written: ")


def test_a_suite_without_a_baseline_says_what_to_write(tmp_path: Path) -> None:
    assert problem_of(lambda: baseline_of(load(SUITE))) == Issue(
        "no-baseline", Blame.CONFIG, "the suite names no baseline", "suite",
        "add compare: {baseline: baselines/main}, or name a BASE to compare with",
    )  # fmt: skip
