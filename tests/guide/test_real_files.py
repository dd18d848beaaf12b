"""Kinds of files that people have, from end to end: what `init` writes or says, and what a run of the suite gives."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any, Final

import openpyxl
import pytest
import yaml

from evaluators import load
from evaluators.cli.init import command
from tests.kit import cli, read_yaml

CASES: Final = read_yaml(Path(__file__).with_name("real_files.yaml"))


@pytest.mark.parametrize("case", CASES, ids=[case["it"] for case in CASES])
def test_files_that_people_have(case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in case["files"].items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode(case.get("encoding", "utf-8")))
    suite = Path(case.get("to", "suite.yaml"))
    suite.parent.mkdir(exist_ok=True)
    if "suite" in case:
        suite.write_text(case["suite"], encoding="utf-8")
    else:
        made = cli("init", *shlex.split(case["init"]), "--suite", str(suite))
        assert made.exit_code == case.get("exit", 0), made.output
        for part in case.get("says", []):
            assert part in flat(made.output)
        for part in case.get("silent", []):
            assert part not in flat(made.output)
        if made.exit_code:
            assert not suite.exists()
            hold_lines_of_init(made.output)
            return
        as_written(suite.read_text(encoding="utf-8"), case)
    ran = cli("run", str(suite), "--no-results")
    assert ran.exit_code == case.get("ends", 0), ran.output
    for part in case.get("shows", []):
        assert part in flat(ran.output)
    if ran.exit_code == 2:  # the suite is refused
        return
    scores = {one.name: one for one in load(str(suite)).run().result.evaluators}
    assert {name: scores[name].mean for name in case.get("scores", {})} == case.get("scores", {})
    passed = case.get("passed", {})
    assert {name: [scores[name].passed, scores[name].scored] for name in passed} == passed


def test_two_sheets_with_expected_answers_and_outputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_workbook(
        Path("r.xlsx"),
        {
            "Ground truth": [["id", "vendor", "total"], ["1", "Acme", 5], ["2", "Bo", 6]],
            "Predictions": [["id", "vendor", "total"], ["2", "Bo", 7], ["1", "Acme", 5]],
        },
    )
    made = cli("init", "r.xlsx", "--suite", "suite.yaml")
    assert made.exit_code == 0, made.output
    assert 'sheet "Ground truth" has the expected answers, and "Predictions" the outputs' in flat(made.output)
    assert load("suite.yaml").run()["fields"].mean == 0.75


def test_sheets_that_have_both_sides_are_not_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    both = [["id", "expected", "output"], ["1", "a", "a"]]
    write_workbook(Path("r.xlsx"), {"Gold": both, "Model": both})
    made = cli("init", "r.xlsx", "--suite", "suite.yaml")
    assert 'of the sheets "Gold" is read' in flat(made.output)


def write_workbook(file: Path, sheets: dict[str, list[list[Any]]]) -> None:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(file)


def hold_lines_of_init(text: str) -> None:
    """Hold each line `evaluators init …` of a hint against the options that the command has."""
    for line in re.findall(r"evaluators (init .*?)(?:, or |; | then|`|$)", text, re.MULTILINE):
        command.make_context("init", shlex.split(line)[1:])


def flat(text: str) -> str:
    return " ".join(text.split())


def as_written(text: str, case: dict[str, Any]) -> None:
    """Hold the suite against what the case says of it."""
    suite = yaml.safe_load(text)
    assert suite["test_set"] == case.get("test_set", suite["test_set"])
    assert suite["evaluators"] == case.get("evaluators", suite["evaluators"])
    for part in case.get("suite_has", []):
        assert part in text
    if "fields" in case:
        (fields,) = [one["fields"] for one in suite["evaluators"] if isinstance(one, dict) and "fields" in one]
        assert fields == case["fields"]
