"""Sending runs from the command line: with `run`, and later with `track`; a tracker that fails loses nothing."""

from __future__ import annotations

import base64
import json
import re
import shutil
import signal
import zlib
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.execute import finish
from evaluators.api.loading import load, loads
from evaluators.model.issues import Problems
from evaluators.reports.tracking.sending import with_progress
from evaluators.reports.tracking.tracker import TRACKERS, Link, RowProgress, RowTracker, Tracker, no_progress
from evaluators.runs.reader import Run
from tests.gallery import GALLERY
from tests.kit import cli, tables_of


class Refusing(Tracker):
    """A platform that is not there."""

    def send(self, record: Run, progress: RowProgress = no_progress) -> Link:
        raise ConnectionError("nobody answers")


class Lacking(Tracker):
    """A platform whose client is not installed."""

    packages = ("json", "no_such_package.client")

    def send(self, record: Run, progress: RowProgress = no_progress) -> Link:
        raise AssertionError("it was used")


class Tracing(RowTracker):
    """A platform that shows rows, by an address."""

    def send(self, record: Run, progress: RowProgress = no_progress) -> Link:
        return Link("tracing", f"https://tracking.example/{self.trace_rows}/{int(self.environment)}", "1")


class Slow(RowTracker):
    """A platform that takes rows one by one, and an interruption after the second one."""

    def send(self, record: Run, progress: RowProgress = no_progress) -> Link:
        for number, _ in enumerate(with_progress(range(5), 5, progress)):
            if number == 2:
                signal.raise_signal(signal.SIGINT)
        raise AssertionError("it was not ended")


class Nameless(Tracker):
    """A platform without addresses."""

    room: str = "first"

    def send(self, record: Run, progress: RowProgress = no_progress) -> Link:
        return Link("nameless", None, self.room)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the suite of the gallery for replies, in which the commands run, and two trackers of this program."""
    monkeypatch.setattr(TRACKERS, "_registered", {})  # what a test registers goes with it
    TRACKERS.register("refusing", Refusing)
    TRACKERS.register("nameless", Nameless)
    TRACKERS.register("lacking", Lacking)
    TRACKERS.register("tracing", Tracing)
    TRACKERS.register("slow", Slow)
    shutil.copytree(GALLERY / "support_replies", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def add(here: Path, text: str) -> None:
    with open(here / "suite.yaml", "a", encoding="utf-8") as suite:
        suite.write(text)


def invoke(*words: str) -> tuple[int, str, str]:
    ended = cli(*words)
    return ended.exit_code, ended.stdout, ended.stderr


def contents(folder: Path) -> dict[str, object]:
    return {
        str(file.relative_to(folder)): tables_of(file) if file.name == "run.db" else file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and file.name not in ("environment.json", "links.json")
    }


def links(run: Path) -> Any:
    return json.loads((run / "links.json").read_text(encoding="utf-8"))


def test_a_run_goes_to_the_tracker_that_is_named(here: Path) -> None:
    plain, _, _ = invoke("run", "suite.yaml", "--name", "plain", "-q")
    code, _, said = invoke("run", "suite.yaml", "--name", "x", "--track", "files")
    (link,) = links(here / "runs" / "x")
    assert code == plain
    assert said == f"sent to files: metrics (run {link['run_id']})\n"
    assert (link["platform"], link["url"]) == ("files", "metrics")
    assert {*contents(here / "metrics")} == {"metrics.json", "params.yaml", "dvc.yaml", "plots/fields.csv"}
    assert contents(here / "runs" / "x") == contents(here / "runs" / "plain")
    assert not (here / "runs" / "plain" / "links.json").exists()


def test_links_are_private_like_the_rest_of_the_folder(here: Path) -> None:
    invoke("run", "suite.yaml", "--name", "x", "--track", "files")
    assert (here / "runs" / "x" / "links.json").stat().st_mode & 0o077 == 0


def test_the_suite_names_trackers_with_their_settings(here: Path) -> None:
    add(here, "tracking: [{files: {folder: kept/figures}}, nameless]\n")
    _, _, said = invoke("run", "suite.yaml", "--name", "x")
    assert [line.partition(" (")[0] for line in said.splitlines()] == [
        "sent to files: kept/figures", "sent to nameless: no address",
    ]  # fmt: skip
    assert [(link["platform"], link["url"]) for link in links(here / "runs" / "x")] == [
        ("files", "kept/figures"), ("nameless", None),
    ]  # fmt: skip


def test_a_named_tracker_takes_the_place_of_the_suites_and_has_its_settings(here: Path) -> None:
    add(here, "tracking: [nameless, {files: {folder: kept}}]\n")
    _, _, said = invoke("run", "suite.yaml", "--name", "x", "--track", "files", "--track", "files")
    assert [line.partition(" (")[0] for line in said.splitlines()] == ["sent to files: kept"]


def test_the_word_none_sends_a_run_nowhere(here: Path) -> None:
    add(here, "tracking: [files]\n")
    _, _, said = invoke("run", "suite.yaml", "--no-results", "--track", "none")
    assert said == ""
    assert not (here / "metrics").exists()


def test_a_finished_run_is_sent_later_with_the_settings_of_its_own_suite(here: Path, tmp_path: Path) -> None:
    add(here, 'tracking: [{files: {folder: "${KEPT:-kept}"}}]\n')
    invoke("run", "suite.yaml", "--name", "x")
    first = contents(here / "kept")
    shutil.rmtree(here / "kept")
    (here / "suite.yaml").unlink()
    moved = shutil.move(here / "runs" / "x", here / "elsewhere")
    for _ in range(2):
        code, said, _ = invoke("track", str(moved), "--to", "files")
        assert (code, said.partition(" (")[0]) == (0, "sent to files: kept")
        assert contents(here / "kept") == first
        assert len(links(here / "elsewhere")) == 1


@pytest.mark.parametrize("words", [["--track", "files"], []])
def test_a_tracker_without_a_run_folder_is_refused_before_the_first_row(here: Path, words: list[str]) -> None:
    add(here, "tracking: [files]\n")
    code, out, said = invoke("run", "suite.yaml", "--no-results", *words)
    assert (code, out) == (2, "")
    assert 'the tracker "files" needs the run folder, and none is written' in said
    assert not (here / "metrics").exists()


def test_a_program_that_keeps_nothing_sends_nothing_unasked(here: Path) -> None:
    add(here, "tracking: [files]\n")
    assert finish(load("suite.yaml")).sent is None
    with pytest.raises(Problems, match="needs the run folder"):
        finish(load("suite.yaml"), track=("files",))


def test_an_unknown_tracker_is_refused_before_the_first_row(here: Path) -> None:
    code, out, said = invoke("run", "suite.yaml", "--track", "fils")
    assert (code, out) == (2, "")
    assert 'unknown tracker "fils"' in said
    assert 'did you mean "files"?' in said
    assert not (here / "runs").exists()


@pytest.mark.parametrize("quiet", [[], ["-q"], ["--format", "json"]])
def test_a_tracker_that_fails_loses_nothing(here: Path, quiet: list[str]) -> None:
    invoke("run", "suite.yaml", "--name", "plain", "-q")
    code, _, said = invoke(
        "run", "suite.yaml", "--name", "x", "--track", "refusing", "--track", "files", *quiet
    )  # fmt: skip
    assert code == 3
    assert 'the run could not be sent to "refusing": ConnectionError: nobody answers' in said
    assert f"`evaluators track {Path('runs') / 'x'} --to refusing` sends it again" in said
    assert contents(here / "runs" / "x") == contents(here / "runs" / "plain")
    assert [link["platform"] for link in links(here / "runs" / "x")] == ["files"]
    sent, plain = (
        invoke("report", f"runs/{name}")[1].replace(f"runs/{name}", "RUN").splitlines() for name in ("x", "plain")
    )
    (link,) = links(here / "runs" / "x")
    assert [line for line in sent if line not in plain and not line.startswith("Every ")] == [
        "Where it was sent", "-" * 17, f"- files: metrics (run {link['run_id']})",
    ]  # fmt: skip


def test_the_verdict_comes_first_and_a_failed_tracker_is_told_after_it(here: Path) -> None:
    ended = cli("run", "suite.yaml", "--name", "x", "--track", "refusing", "--track", "slow")
    assert ended.stdout == invoke("run", "suite.yaml", "--name", "x", "--force")[1]
    assert ended.output.startswith(ended.stdout)
    assert ended.stdout.startswith("support replies: passed\n")
    assert "- runs/x: the run folder" in ended.stdout
    assert 'the run could not be sent to "refusing"' in ended.stderr


def test_the_first_interrupt_ends_the_sending_and_names_the_command_for_the_rest(here: Path) -> None:
    code, page, said = invoke(
        "run",
        "suite.yaml",
        "--name",
        "x",
        "--track",
        "files",
        "--track",
        "slow",
        "--track",
        "nameless",
        "--trace-rows",
        "5",
    )
    assert code == 130
    assert page.startswith("support replies: passed\n")
    told = [line for line in said.splitlines() if "sent to files" not in line]
    assert told == [
        "sending to slow: 0 of 5 rows", 'the sending to "slow" and "nameless" was ended before its end',
        "  hint: what arrived stays there; `evaluators track runs/x --to slow --to nameless --trace-rows 5` sends the rest",
        "1 problem found.",
    ]  # fmt: skip
    assert [link["platform"] for link in links(here / "runs" / "x")] == ["files"]
    assert json.loads((here / "runs" / "x" / "run.json").read_text(encoding="utf-8"))["exit_code"] == 0
    assert invoke("track", "runs/x", "--to", "slow", "--trace-rows", "5")[0] == 130


def test_a_quiet_run_does_not_say_how_far_the_sending_is(here: Path) -> None:
    code, page, said = invoke("run", "suite.yaml", "--name", "x", "--track", "slow", "--quiet")
    assert (code, page, "sending to slow:" in said) == (130, "support replies: passed\n", False)


def test_the_command_that_sends_a_run_again_has_the_settings_and_the_words_of_a_shell(here: Path) -> None:
    _, _, said = invoke(
        "run", "suite.yaml", "--name", "x y", "--results", "new runs", "--track", "refusing", "--trace-rows", "7"
    )
    assert "`evaluators track 'new runs/x y' --to refusing --trace-rows 7` sends it again" in said


def test_a_password_in_an_address_is_not_told(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: Tracker, record: Run, progress: RowProgress) -> Link:
        raise ConnectionError("no answer of http://ann:top@secret@127.0.0.1:9/api (ask ann@example.com)")

    monkeypatch.setattr(Refusing, "send", refused)
    code, page, said = invoke("run", "suite.yaml", "--name", "x", "--track", "refusing")
    assert code == 3
    assert "ConnectionError: no answer of http://127.0.0.1:9/api (ask ann@example.com)" in said
    assert "secret" not in page + said


def test_a_failed_gate_wins_over_a_tracker_that_fails(here: Path) -> None:
    suite = loads("evaluators: [{exact_match: {name: same}}]\ngates: {same: {fail_below: 1}}\n")
    (here / "two.csv").write_text("id,output,expected\n1,a,a\n2,b,c\n", encoding="utf-8")
    done = finish(suite, test_set="two.csv", results=here / "runs", name="x", track=("refusing",))
    assert done.result.exit_code == 1
    assert done.result.causes[0].startswith("gate same failed")
    assert done.result.causes[1].startswith('the run could not be sent to "refusing"')


def test_what_could_not_be_sent_is_sent_by_track(here: Path) -> None:
    (here / "metrics").mkdir()
    (here / "metrics" / "metrics.json").write_text("{}", encoding="utf-8")
    code, _, said = invoke("run", "suite.yaml", "--name", "x", "--track", "files")
    assert code == 3
    assert "there is a metrics.json that this tracker did not write" in said
    assert invoke("track", "runs/x", "--to", "files")[0] == 3
    (here / "metrics" / "metrics.json").unlink()
    assert invoke("track", "runs/x", "--to", "files")[0] == 0
    assert [link["platform"] for link in links(here / "runs" / "x")] == ["files"]


def test_track_says_what_is_no_run_and_what_is_no_tracker(here: Path) -> None:
    invoke("run", "suite.yaml", "--name", "x", "-q")
    assert invoke("track", "nothing", "--to", "files")[0] == 2
    code, _, said = invoke("track", "runs/x", "--to", "fils")
    assert code == 2
    assert 'unknown tracker "fils"' in said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("files", "tracking must be a list of trackers"),
        ("[fils]", 'unknown tracker "fils"'),
        ("[{files: {foldr: x}}]", 'did you mean "folder"?'),
        ("[{files: x}]", 'the options of "files" must be a map'),
        ("[{files: {}, nameless: {}}]", "a tracker is a word or a map with one key"),
        ('[files, {files: {folder: ""}}]', "folder"),
    ],
)
def test_a_mistake_in_the_section_is_placed(here: Path, written: str, said: str) -> None:
    with pytest.raises(Problems) as caught:
        loads(f"evaluators: [exact_match]\ntracking: {written}\n")
    (issue,) = caught.value.issues
    assert said in str(issue)
    assert (issue.where or "").startswith("suite.yaml:2:")


def test_a_nearer_suite_replaces_the_trackers_of_the_one_it_extends(here: Path) -> None:
    (here / "far.yaml").write_text("evaluators: [exact_match]\ntracking: [files]\n", encoding="utf-8")
    (here / "near.yaml").write_text("extends: far.yaml\ntracking: [nameless]\n", encoding="utf-8")
    assert [one.name for one in load("near.yaml").tracking] == ["nameless"]
    assert [one.name for one in load("far.yaml").tracking] == ["files"]


def test_a_package_that_is_missing_is_said_before_the_first_row(here: Path) -> None:
    code, out, said = invoke("run", "suite.yaml", "--name", "x", "--track", "lacking")
    assert (code, out) == (2, "")
    assert 'the tracker "lacking" needs a package that is not installed' in said
    assert 'hint: pip install "path/to/structured-evaluators[lacking]"' in said
    assert not (here / "runs").exists()
    add(here, "tracking: [lacking]\n")
    assert invoke("run", "suite.yaml", "--name", "x")[0] == 2
    assert invoke("run", "suite.yaml", "--name", "x", "--track", "none")[0] == 0
    assert invoke("track", "runs/x", "--to", "lacking")[0] == 2


@pytest.mark.parametrize(("words", "rows"), [((), 3), (("--trace-rows", "7"), 7), (("--trace-rows", "0"), 0)])
def test_the_command_line_says_how_many_rows_are_sent_one_by_one(here: Path, words: tuple[str, ...], rows: int) -> None:
    add(here, "tracking: [files, tracing: {trace_rows: 3, environment: true}]\n")
    invoke("run", "suite.yaml", "--name", "x", *words)
    assert {link["platform"]: link["url"] for link in links(here / "runs" / "x")} == {
        "files": "metrics", "tracing": f"https://tracking.example/{rows}/1",
    }  # fmt: skip
    assert f"https://tracking.example/{rows}/1" in invoke("track", "runs/x", "--to", "tracing", *words)[1]


def test_pages_say_where_the_run_was_sent(here: Path) -> None:
    words = ("run", "suite.yaml", "--formats", "html", "-o", "page.html", "-o", "page.json")
    invoke(*words, "--name", "plain")
    assert not sent_in(here / "page.html")
    plain = (here / "page.json").read_bytes()
    invoke(*words, "--name", "x", "--track", "tracing")
    for page in (here / "page.html", here / "runs" / "x" / "report.html"):
        assert sent_in(page) == [("tracing: https://tracking.example/100/0 (run 1)", "https://tracking.example/100/0")]
    assert (here / "page.json").read_bytes() == plain


def sent_in(page: Path) -> list[tuple[str, str]]:
    """What a page says of where the run was sent: lines, each with its address."""
    packed = re.search(r'id="head">([^<]+)<', page.read_text(encoding="utf-8"))
    assert packed is not None
    head = json.loads(zlib.decompress(base64.b64decode(packed[1])))
    found = [section for section in head["sections"] if section["title"] == "Where it was sent"]
    return [(item["text"], item["link"]) for section in found for item in section["blocks"][0]["items"]]
