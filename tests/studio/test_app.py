"""Who may ask a studio, what it may read and write, and what an answer lets a browser do."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit import write_files
from tests.studio.serving import Page, serving

SUITE = "test_set: {file: rows.csv}\nevaluators: [exact_match]\n"
FILES = {
    "inside/suite.yaml": SUITE,
    "inside/rows.csv": "output,expected\na,a\nb,c\n",
    "secret.csv": "output,expected\nx,x\n",
}


@pytest.fixture
def page(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    """A studio of the folder `inside`, beside which a file stands."""
    write_files(folder, FILES)
    monkeypatch.chdir(folder / "inside")
    with serving(folder / "inside") as found:
        yield found


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Host": "evil.example"}, 403, "host"),
        ({"Host": "evil.example:80", "Origin": "http://evil.example:80"}, 403, "host"),
        ({"Host": "localhost:80/static/?", "X_Studio_Token": ""}, 403, "host"),
        ({"Host": "[::1]/static/?", "X_Studio_Token": ""}, 403, "host"),
        ({"Host": "localhost/static/", "X_Studio_Token": ""}, 403, "host"),
        ({"Host": "localhost:80", "X_Studio_Token": ""}, 401, "token"),
        ({"Host": "[::1]:80", "X_Studio_Token": ""}, 401, "token"),
        ({"Origin": "http://evil.example"}, 403, "origin"),
        ({"Origin": "null"}, 403, "origin"),
        ({"X_Studio_Token": ""}, 401, "token"),
        ({"X_Studio_Token": "another"}, 401, "token"),
    ],
)
def test_only_the_page_of_the_studio_is_answered(page: Page, headers: dict[str, str], status: int, code: str) -> None:
    found = page.ask("start", {}, **headers)
    assert (found[0], found[1]["code"]) == (status, code)
    assert page.ask("start", {}, Origin=page.address)[0] == 200


@pytest.mark.parametrize(
    "path", ["/runs/runs/one/report", "/compare?base=a&new=b", "/compare?base=a&new=b&token=another"]
)
def test_pages_of_runs_want_the_token_in_their_address(page: Page, path: str) -> None:
    assert page.send("GET", path)[0] == 401


def test_a_token_in_the_address_is_not_one_of_a_request(page: Page) -> None:
    assert page.send("POST", "/api/start?token=a-token-for-tests", b"{}", X_Studio_Token="")[0] == 401


@pytest.mark.parametrize(
    "path", ["/", "/static/studio.js", "/static/codemirror.js", "/static/studio.css", "/static/report.css"]
)
def test_the_page_may_load_what_is_its_own_and_nothing_else(page: Page, path: str) -> None:
    status, headers, body = page.send("GET", path, X_Studio_Token="")
    policy = dict(rule.strip().split(" ", 1) for rule in headers["content-security-policy"].split(";"))
    assert (status, bool(body)) == (200, True)
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path", ["/static/app.py", "/static/../app.py", "/static/%2e%2e/app.py", "/static/script%2fmain.js", "/x"]
)
def test_other_files_of_the_package_are_not_given(page: Page, path: str) -> None:
    assert page.send("GET", path)[0] in (401, 404)


@pytest.mark.parametrize(
    "path", ["../secret.csv", "/etc/passwd", "link.csv", "linked/secret.csv", "a/../../secret.csv", "\0"]
)
def test_nothing_outside_of_the_folder_is_opened(page: Page, folder: Path, path: str) -> None:
    os.symlink(folder / "secret.csv", folder / "inside" / "link.csv")
    os.symlink(folder, folder / "inside" / "linked")
    for name, asked in (("open", {}), ("draft", {}), ("save", {"text": SUITE, "base": ""})):
        status, answer = page.ask(name, {"path": path, **asked})
        assert (status, answer["code"]) == (403, "outside"), name


@pytest.mark.parametrize("file", ["../secret.csv", "/etc/passwd", "link.csv", "linked/*.csv"])
def test_a_suite_leads_to_no_rows_outside_of_the_folder(page: Page, folder: Path, file: str) -> None:
    os.symlink(folder / "secret.csv", folder / "inside" / "link.csv")
    os.symlink(folder, folder / "inside" / "linked")
    text = SUITE.replace("rows.csv", file)
    status, answer = page.ask("score", {"text": text, "path": "suite.yaml", "tab": "one"})
    assert status == 422
    assert "x,x" not in json.dumps(answer)
    (folder / "inside" / "foreign.yaml").write_text(text)
    assert page.ask("run", {"path": "foreign.yaml"})[0] == 422
    assert page.done("open", {"path": "foreign.yaml"})["data"] is None


@pytest.mark.parametrize("setting", ["extends: ../other.yaml", "schema: ../other.json"])
def test_a_suite_leads_to_no_settings_outside_of_the_folder(page: Page, folder: Path, setting: str) -> None:
    write_files(folder, {"other.yaml": "name: secret\n", "other.json": "{}"})
    text = f"{setting}\n{SUITE}" if "extends" in setting else f"evaluators:\n  - schema_match: {{{setting}}}\n"
    answer = page.done("read", {"text": text, "path": "suite.yaml"})
    assert answer["form"] is None
    assert "outside of the folder" in json.dumps(answer["problems"])


def test_only_suites_are_written(page: Page, folder: Path) -> None:
    status, answer = page.ask("save", {"path": "rows.csv", "text": "gone", "base": ""})
    assert (status, answer["code"]) == (422, "not-a-suite")
    assert all((folder / name).read_text() == FILES[name] for name in ("inside/rows.csv", "inside/suite.yaml"))


def test_a_file_that_changed_underneath_is_shown_and_not_written_over(page: Page, folder: Path) -> None:
    file = folder / "inside" / "suite.yaml"
    read = page.done("open", {"path": "suite.yaml"})["suite"]
    assert page.done("state", {"paths": ["suite.yaml", "none.yaml"]})["hashes"] == {
        "suite.yaml": read["hash"],
        "none.yaml": "",
    }
    file.write_text(theirs := SUITE + "# theirs\n")
    status, answer = page.ask("save", {"path": "suite.yaml", "text": "# mine\n", "base": read["hash"]})
    assert (status, answer["code"], answer["text"]) == (409, "changed", theirs)
    assert file.read_text() == theirs
    saved = page.done("save", {"path": "suite.yaml", "text": "# both\n", "base": answer["hash"]})
    assert file.read_text() == "# both\n"
    assert page.ask("save", {"path": "suite.yaml", "text": "# an older tab\n", "base": answer["hash"]})[0] == 409
    assert page.done("state", {"paths": ["suite.yaml"]})["hashes"]["suite.yaml"] == saved["hash"]


def test_a_new_suite_is_not_written_over_one_that_is_there(page: Page) -> None:
    assert page.ask("save", {"path": "suite.yaml", "text": "# new\n", "base": ""})[0] == 409
    assert page.ask("save", {"path": "new.yaml", "text": "# new\n", "base": ""})[0] == 200


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("rows.csv", "rows-2.csv"),
        ("../../up.csv", "up.csv"),
        ("sub/deep.jsonl", "deep.jsonl"),
        ("a:b.csv", "a_b.csv"),
        ("suite.yaml", "suite-2.yaml"),
    ],
)
def test_a_file_is_added_beside_the_others(page: Page, folder: Path, name: str, saved: str) -> None:
    status, _, body = page.send("POST", f"/api/upload?name={name}", b"output\na\n")
    assert (status, json.loads(body)) == (200, {"path": saved})
    assert (folder / "inside" / saved).read_text() == "output\na\n"
    assert (folder / "inside" / "rows.csv").read_text() == FILES["inside/rows.csv"]


@pytest.mark.parametrize("name", ["", "run.json/..", "run.py", ".csv", "x"])
def test_what_holds_no_rows_and_is_no_suite_is_not_added(page: Page, folder: Path, name: str) -> None:
    before = sorted((folder / "inside").iterdir())
    assert page.send("POST", f"/api/upload?name={name}", b"output\na\n")[0] == 422
    assert sorted((folder / "inside").iterdir()) == before


def test_what_is_no_request_is_said(page: Page) -> None:
    assert page.ask("nothing", {})[0] == 404
    assert page.send("POST", "/api/open", b"{")[0] == 400
    assert page.ask("open", {"path": 5})[0] == 400
    assert page.send("GET", "/api/open")[0] == 405
    assert page.send("POST", "/api/open", b" " * (8 * 1024 * 1024 + 1))[0] == 413


def test_suites_and_rows_are_listed_and_runs_are_not(page: Page, folder: Path) -> None:
    hidden = {
        f"inside/{name}": "a\n1\n" for name in (".hidden/x.csv", "runs/one/run.json", "runs/one/rows.csv", "notes.txt")
    }
    write_files(folder, hidden)
    found = page.done("start", {})
    assert [(one["path"], one["kind"]) for one in found["files"]] == [("suite.yaml", "suite"), ("rows.csv", "data")]
    assert (found["folder"], found["opened"]) == ("inside", "")
