"""A run of a studio is the run of the command line; its folder, its list, its pages and its end are those of the other commands."""

from __future__ import annotations

import base64
import json
import re
import signal
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluators.runs.reader import Run
from evaluators.studio.folder import Folder
from evaluators.studio.runs import Runs, Started
from tests.kit import cli, write_files
from tests.reports.html.test_page import parts
from tests.studio.serving import SECRET, Page, serving
from tests.waiting import PATIENCE

SUITE = "test_set: rows.csv\nevaluators: [exact_match]\ngates:\n  exact_match: {fail_below: 0.9}\n"
ROWS = "id,output,expected\na,x,x\nb,y,z\n"


@pytest.fixture
def page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    write_files(folder, {"suite.yaml": SUITE, "rows.csv": ROWS})
    monkeypatch.chdir(folder)
    with serving(folder) as found:
        yield found


def ended(page: Page, **asked: Any) -> Any:
    state = page.done("run", asked)
    while not state["done"]:
        state = page.done("run/state", {"id": state["id"]})
    return state


def test_a_run_ends_as_the_command_ends(page: Page, folder: Path) -> None:
    state = ended(page, path="suite.yaml", name="one")
    done = cli(*state["command"].split()[1:-1], "two")
    assert (state["command"], state["exit_code"]) == ("evaluators run suite.yaml --name one", 1)
    assert state["ended"] == "a gate failed"
    assert done.exit_code == 1
    assert state["said"].replace("runs/one", "runs/two") == done.output
    assert state["name"] == "runs/one"
    first, second = (Run(folder / "runs" / name).result for name in ("one", "two"))
    assert first.evaluators == second.evaluators


def test_a_run_whose_suite_is_wrong_does_not_start(page: Page, folder: Path) -> None:
    write_files(folder, {"wrong.yaml": "evaluators: [exact]\n"})
    assert page.ask("run", {"path": "wrong.yaml"})[0] == 422
    assert page.ask("run", {"path": "none.yaml"})[0] == 422
    assert page.ask("run/state", {"id": "none"})[1]["code"] == "no-run"


def test_a_run_that_is_stopped_can_be_gone_on_with(page: Page, folder: Path) -> None:
    with (folder / "rows.csv").open("a") as file:
        file.write("".join(f"{number},x,x\n" for number in range(400_000)))
    state = page.done("run", {"path": "suite.yaml", "name": "long"})
    while not state["done"] and not (state["share"] or 0) > 0:
        state = page.done("run/state", {"id": state["id"]})
    page.done("run/stop", {"id": state["id"]})
    while not state["done"]:
        state = page.done("run/state", {"id": state["id"]})
    if state["exit_code"] == 130:  # else it was quicker
        assert "--resume" in state["said"]
        assert cli("run", "suite.yaml", "--name", "long", "--resume").exit_code == 0


def test_two_runs_at_once_are_told_apart(page: Page) -> None:
    started = {name: page.done("run", {"path": "suite.yaml", "name": name})["id"] for name in ("b", "a")}
    states = {name: page.done("run/state", {"id": id}) for name, id in started.items()}
    while not all(state["done"] for state in states.values()):
        states = {name: page.done("run/state", {"id": id}) for name, id in started.items()}
    assert {name: state["name"] for name, state in states.items()} == {"a": "runs/a", "b": "runs/b"}


def test_runs_are_listed_with_a_trend_for_each_evaluator(page: Page, folder: Path) -> None:
    assert page.done("runs", {})["runs"] == []
    ended(page, path="suite.yaml", name="one")
    (folder / "rows.csv").write_text(ROWS.replace("y,z", "z,z"))
    ended(page, path="suite.yaml", name="two")
    found = page.done("runs", {"path": "suite.yaml"})
    by_name = {one["name"]: (one["means"], one["passed"], one["rows"]) for one in found["runs"]}
    assert by_name == {"runs/one": ({"exact_match": 0.5}, False, 2), "runs/two": ({"exact_match": 1.0}, True, 2)}
    (trend,) = found["trends"]
    assert dict(zip(trend["runs"], trend["means"], strict=True)) == {"runs/one": 0.5, "runs/two": 1.0}
    assert [one["name"] for one in found["runs"]] == [*reversed(trend["runs"])]
    assert found["command"] == "evaluators runs"
    assert page.done("runs", {"path": "not-saved-yet.yaml"}) == page.done("runs", {})


def test_a_run_is_shown_as_its_report_and_two_are_compared(page: Page, folder: Path) -> None:
    ended(page, path="suite.yaml", name="one")
    (folder / "rows.csv").write_text(ROWS.replace("y,z", "z,z"))
    ended(page, path="suite.yaml", name="two")
    status, headers, body = page.send("GET", f"/runs/runs/one/report?token={SECRET}", X_Studio_Token="")
    assert cli("report", "runs/one", "-o", "report.html").exit_code == 0
    assert (status, headers["content-type"].partition(";")[0]) == (200, "text/html")
    assert body.decode() == Path("report.html").read_text()
    found = page.done("compare", {"base": "runs/one", "new": "runs/two"})
    assert found["command"] == "evaluators compare runs/one runs/two"
    assert cli("compare", "runs/one", "runs/two", "-o", "compared.html").exit_code == 0
    embedded = parts(Path("compared.html").read_text())
    assert found["head"]["sections"] == embedded["head"]["sections"]
    lines = zlib.decompress(base64.b64decode(found["lines"]["compared"])).splitlines()
    assert [json.loads(line)["change"] for line in lines] == ["fixed"]
    assert page.ask("compare", {"base": "runs/one", "new": "../two"})[0] == 403
    assert page.send("GET", f"/runs/..%2fruns/report?token={SECRET}")[0] in (403, 422)


def test_runs_of_two_settings_are_compared_in_what_they_have_in_common(page: Page, folder: Path) -> None:
    ended(page, path="suite.yaml", name="one")
    write_files(folder, {"suite.yaml": SUITE.replace("[exact_match]", "[{exact_match: {forgive: [case]}}]")})
    ended(page, path="suite.yaml", name="two")
    both = {"base": "runs/one", "new": "runs/two"}
    refused, common = (page.done("compare", {**both, "common": one}) for one in (False, True))
    assert (refused["refused"], common["refused"]) == (True, False)
    assert ("cannot be compared" in str(refused["head"]), "cannot be compared" in str(common["head"])) == (True, False)
    assert ("2 rows in both runs" in str(common["head"]), "has other settings" in str(common["head"])) == (True, True)


def test_a_run_that_does_not_end_is_ended_with_the_studio(folder: Path) -> None:
    """Who is interrupted and goes on is not waited for without limit."""
    deaf = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print(1, flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", deaf], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        runs = Runs(Folder(folder), end_seconds=0.2)
        runs.started["deaf"] = Started(process, folder / "out", [], folder, frozenset())
        runs.close()
        assert process.poll() == -signal.SIGKILL


def test_the_command_prints_an_address_with_a_token_and_ends_when_it_is_interrupted(folder: Path) -> None:
    write_files(folder, {"suite.yaml": SUITE, "rows.csv": ROWS})
    command = [sys.executable, "-m", "evaluators", "studio", "--no-open", "suite.yaml"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#token=([\w-]{32})", address)
        assert found is not None
        status, _, body = Page(int(found[1])).send("POST", "/api/start", b"{}", X_Studio_Token=found[2])
        assert (status, b'"opened":"suite.yaml"' in body) == (200, True)
        assert Page(int(found[1])).ask("start", {})[0] == 401
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        assert process.returncode in (0, 130)
