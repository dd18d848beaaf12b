"""Runs whose folder and files go to a store, and run folders that are in one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluators import load
from evaluators.api.execute import finish
from evaluators.api.run_options import RunOptions
from evaluators.model.issues import Blame, Problems
from tests.kit import cli
from tests.testsets.memory_store import InMemory, memory_store

SUITE = "evaluators: [exact_match, {json_diff_match: {name: diff}}]\n"
ROWS = 'id,output,expected\na,"{""x"": 1}","{""x"": 1}"\nb,"{""x"": 2}","{""x"": 1}"\n'


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> type[InMemory]:
    """A store for `mem://`, and a folder with a suite and rows."""
    monkeypatch.chdir(tmp_path)
    Path("suite.yaml").write_text(SUITE, encoding="utf-8")
    Path("rows.csv").write_text(ROWS, encoding="utf-8")
    return memory_store(monkeypatch)


def test_a_run_folder_in_a_store_is_the_one_that_is_written_here(store: type[InMemory]) -> None:
    assert cli("run", "suite.yaml", "rows.csv", "--name", "first").exit_code == 0
    done = cli("run", "suite.yaml", "rows.csv", "--results", "mem://bucket/runs", "--name", "first")
    assert done.exit_code == 0, done.output
    assert "mem://bucket/runs/first: the run folder" in done.output
    assert "/tmp" not in done.output
    here = {file.relative_to("runs/first").as_posix(): file.read_bytes() for file in Path("runs/first").rglob("*.*")}
    there = {place.removeprefix("mem://bucket/runs/first/"): data for place, data in store.held.items()}
    assert there.keys() == here.keys()
    for name in here:
        assert name == "environment.json" or there[name] == here[name]
    assert list(store.held)[-1] == "mem://bucket/runs/first/run.json"


def test_a_run_in_a_store_is_never_replaced_unasked(store: type[InMemory]) -> None:
    words = ("run", "suite.yaml", "rows.csv", "--results", "mem://bucket/runs", "--name", "first")
    assert cli(*words).exit_code == 0
    before = dict(store.held)
    again = cli(*words)
    assert again.exit_code == 0, again.output
    assert "mem://bucket/runs/first is there already, so this run is in mem://bucket/runs/first-2" in again.output
    assert json.loads(store.held["mem://bucket/runs/first-2/run.json"])["folder"] == "first-2"
    assert {place: data for place, data in store.held.items() if "first-2" not in place} == before
    store.held["mem://bucket/runs/first/old.txt"] = b""
    assert cli(*words, "--force").exit_code == 0
    assert {place for place in store.held if "first-2" not in place} == before.keys()


def test_files_that_are_asked_for_go_to_a_store(store: type[InMemory]) -> None:
    files = ["mem://bucket/out/rows.jsonl", "mem://bucket/out/page.html", "here.json"]
    options = [word for file in files for word in ("-o", file)]
    done = cli("run", "suite.yaml", "rows.csv", "--no-results", *options)
    assert done.exit_code == 0, done.output
    assert sorted(store.held) == sorted(files[:2])
    assert [json.loads(line)["id"] for line in store.held[files[0]].splitlines()] == ["a", "b"]
    assert all(file in done.output for file in files)
    assert Path("here.json").is_file()


def test_a_store_that_takes_nothing_is_found_out_before_the_first_row(store: type[InMemory]) -> None:
    store.refused = "mem://bucket/"
    scored: list[int] = []
    for asked in (RunOptions(results="mem://bucket/runs"), RunOptions(files=("mem://bucket/a.json",))):
        with pytest.raises(Problems) as found:
            finish(load("suite.yaml"), "rows.csv", progress=lambda rows, share: scored.append(rows), **asked)
        (issue,) = found.value.issues
        assert issue.blame is Blame.ENVIRONMENT
        assert "mem://bucket" in (issue.where or "")
    assert scored == []
    assert store.held == {}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--results", "nowhere://bucket/runs"], "nowhere://bucket/runs: no store is known"),
        (["--no-results", "-o", "nowhere://bucket/a.json"], "nowhere://bucket: no store is known"),
        (["--results", "https://example.org/runs"], "https://example.org/runs: nothing is written to a web server"),
    ],
)
def test_a_place_that_takes_no_results_is_called_as_people_called_it(
    store: type[InMemory], words: list[str], named: str
) -> None:
    done = cli("run", "suite.yaml", "rows.csv", *words)
    assert done.exit_code == 2
    assert done.output.startswith(named)


def test_what_a_store_does_not_take_in_the_end_is_not_lost(store: type[InMemory]) -> None:
    store.refused = "mem://bucket/runs/first/run.db"
    finished = finish(load("suite.yaml"), "rows.csv", results="mem://bucket/runs", name="first")
    (issue,) = finished.refused
    assert (issue.blame, finished.result.exit_code) == (Blame.ENVIRONMENT, 3)
    assert "mem://bucket/runs/first/run.json" not in store.held
    kept = Path((issue.hint or "").rpartition(" ")[2])
    assert (kept / "run.json").is_file()
    assert not any(place.endswith(".claim") for place in store.held)


def test_run_folders_in_a_store_are_read(store: type[InMemory]) -> None:
    for name in ("first", "second"):
        words = ("run", "suite.yaml", "rows.csv", "--results", "mem://bucket/runs", "--name", name)
        assert cli(*words).exit_code == 0
    report = cli("report", "mem://bucket/runs/first")
    assert report.exit_code == 0, report.output
    assert "2 rows of rows.csv" in report.output
    sent = cli("report", "mem://bucket/runs/first", "-o", "mem://bucket/out/first.html")
    assert (sent.exit_code, sent.output) == (0, "mem://bucket/out/first.html\n")
    assert store.held["mem://bucket/out/first.html"].startswith(b"<!doctype html>")
    compared = cli("compare", "mem://bucket/runs/first", "mem://bucket/runs/second", "-o", "mem://bucket/c.json")
    assert compared.exit_code == 0, compared.output
    assert "mem://bucket/c.json" in store.held
    assert cli("advice", "mem://bucket/runs/first").exit_code == 0
    page = cli("view", "--no-open", "mem://bucket/runs/first")
    assert page.exit_code == 0
    assert Path(page.output.strip()).is_file()
    missing = cli("report", "mem://bucket/runs/none")
    assert missing.exit_code == 2
    assert "mem://bucket/runs/none: there is no such run folder" in missing.output


def test_names_in_a_store_do_not_lead_out_of_the_folder_that_is_fetched(store: type[InMemory], tmp_path: Path) -> None:
    assert cli("run", "suite.yaml", "rows.csv", "--results", "mem://bucket/runs", "--name", "first").exit_code == 0
    store.held["mem://bucket/runs/first/../../../../../../../../../../../../" + str(tmp_path).strip("/") + "/x"] = b"x"
    assert cli("report", "mem://bucket/runs/first").exit_code == 0
    assert not (tmp_path / "x").exists()


def test_to_look_at_a_suite_or_at_a_run_opens_no_address(store: type[InMemory]) -> None:
    store.held["mem://bucket/rows.csv"] = ROWS.encode()
    Path("remote.yaml").write_text(f"{SUITE}test_set: 'mem://bucket/rows.csv'\n", encoding="utf-8")
    for words in (("check", "remote.yaml"), ("explain", "remote.yaml")):
        assert cli(*words).exit_code == 0
        assert store.asked == []
    assert cli("run", "remote.yaml", "--name", "first").exit_code == 0
    assert store.asked != []
    store.asked.clear()
    for command_ in ("report", "advice"):
        assert cli(command_, "runs/first").exit_code == 0
    assert store.asked == []


@pytest.mark.parametrize(
    "test_set",
    [
        "mem://bucket/rows.csv",
        "{expected: mem://bucket/gold, output: out}",
        "{file: rows.csv, attach: {s: mem://bucket/x}}",
    ],
)
def test_addresses_of_a_suite_may_be_forbidden(
    store: type[InMemory], monkeypatch: pytest.MonkeyPatch, test_set: str
) -> None:
    store.held["mem://bucket/rows.csv"] = ROWS.encode()
    monkeypatch.setenv("EVALUATORS_ADDRESSES", "named")
    Path("remote.yaml").write_text(f"{SUITE}test_set: {test_set}\n", encoding="utf-8")
    for words in (("run", "remote.yaml"), ("check", "remote.yaml", "--with-data"), ("try", "remote.yaml")):
        done = cli(*words)
        assert done.exit_code == 2, done.output
        assert "EVALUATORS_ADDRESSES allows only those of the command line" in done.output
    assert store.asked == []
    assert cli("run", "suite.yaml", "mem://bucket/rows.csv", "--no-results").exit_code == 0


def test_results_of_a_suite_may_be_forbidden_to_go_elsewhere(
    store: type[InMemory], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("remote.yaml").write_text(f"{SUITE}results: {{folder: mem://bucket/runs, name: first}}\n", encoding="utf-8")
    assert cli("run", "remote.yaml", "rows.csv").exit_code == 0
    assert "mem://bucket/runs/first/run.json" in store.held
    store.held.clear()
    monkeypatch.setenv("EVALUATORS_ADDRESSES", "named")
    assert cli("run", "remote.yaml", "rows.csv").exit_code == 2
    assert store.held == {}
    assert cli("run", "remote.yaml", "rows.csv", "--results", "mem://bucket/runs").exit_code == 0
