"""The command `studio`: which folder may be read, and when a browser is opened."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path

import pytest

from evaluators.cli.studio import folder_and_file, open_browser
from tests.kit import cli, problem_of, write_files


@pytest.mark.parametrize(
    ("named", "inside", "file"),
    [
        (None, "here", ""),
        ("rows.csv", "here", "rows.csv"),
        ("deep/suite.yaml", "here", "deep/suite.yaml"),
        ("deep", "here/deep", ""),
        ("../elsewhere/rows.csv", "elsewhere", "rows.csv"),
        ("..", "", ""),
    ],
)
def test_the_folder_is_where_the_command_stands_unless_the_file_is_elsewhere(
    named: str | None, inside: str, file: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(folder, {"here/rows.csv": "", "here/deep/suite.yaml": "", "elsewhere/rows.csv": ""})
    monkeypatch.chdir(folder / "here")
    assert folder_and_file(named) == ((folder / inside).resolve(), file)


def test_a_file_that_is_not_there_is_said(folder: Path) -> None:
    assert problem_of(lambda: folder_and_file("none.csv")).code == "no-file"
    assert cli("studio", "none.csv").exit_code == 2


@pytest.mark.parametrize(
    ("variables", "opened"), [({"DISPLAY": ":0"}, 1), ({}, 0), ({"DISPLAY": ":0", "SSH_CONNECTION": "1 2 3 4"}, 0)]
)
@pytest.mark.skipif("sys.platform in ('darwin', 'win32')")
def test_a_browser_is_opened_where_somebody_sees_it(
    variables: dict[str, str], opened: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    found: list[str] = []
    monkeypatch.setattr(webbrowser, "open", found.append)
    open_browser("http://127.0.0.1:1/#token=x")
    assert len(found) == opened


def test_an_address_that_no_machine_has_is_no_taken_port(folder: Path) -> None:
    done = cli("studio", "--no-open", "--host", "192.0.2.1")
    assert done.exit_code != 0
    assert "cannot listen on 192.0.2.1" in done.output
    assert "hint: --host" in done.output


def test_the_process_is_left_as_it_was(folder: Path) -> None:
    before = Path.cwd(), tempfile.tempdir
    assert cli("studio", "--no-open", "--host", "192.0.2.1").exit_code != 0
    assert (Path.cwd(), tempfile.tempdir) == before


def test_a_folder_of_documents_of_both_sides_is_data_and_one_with_a_suite_is_a_folder(folder: Path) -> None:
    for side in ("expected", "output"):
        write_files(folder, {f"forms/{side}/1.json": "{}"})
    assert folder_and_file("forms") == (folder, "forms")
    write_files(folder, {"forms/suite.yaml": ""})
    assert folder_and_file("forms") == (folder / "forms", "")
