"""Rows of platforms: what is said before a platform is asked. Fetching itself is tested against real servers, in `tests/hosts`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from evaluators.api.loading import loads
from evaluators.model.issues import Blame, Problems, extra_hint
from evaluators.runs.preparing import prepare
from evaluators.scoring.needs import ROLES
from evaluators.testsets.platforms.fetching import PlatformRows, row_cells
from tests.kit import problem_of


@pytest.mark.parametrize("platform", ["{mlflow: {run: x}}", "{phoenix: {dataset: x}}"])
def test_a_package_that_is_missing_is_named(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("mlflow", "phoenix", "phoenix.client"):
        monkeypatch.setitem(sys.modules, module, None)
    name = platform[1:].partition(":")[0]
    issue = problem_of(lambda: prepare(loads(f"test_set: {platform}\nevaluators: [exact_match]\n")))
    assert issue.blame is Blame.CONFIG
    assert issue.message == f'"{name}" needs a package that is not installed'
    assert issue.hint == extra_hint(name)


def test_a_password_in_an_address_is_not_told() -> None:
    class Refusing(PlatformRows):
        platform = "mlflow"

        def source(self) -> Any:
            raise ConnectionError("no answer of http://ann:top@secret@127.0.0.1:9/api (ask ann@example.com)")

    issue = problem_of(lambda: Refusing().fetch())
    assert issue.message.endswith("ConnectionError: no answer of http://127.0.0.1:9/api (ask ann@example.com)")


def test_a_file_on_the_command_line_takes_the_place_of_a_platform(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("id,output,expected\n1,a,a\n", encoding="utf-8")
    suite = loads("test_set: {mlflow: {run: x}}\nevaluators: [exact_match]\n")
    assert prepare(suite, str(rows)).test_set.header == ("id", "output", "expected")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{mlflow: {run: x}, file: rows.csv}", 'the rows are named twice: "file" and "mlflow"'),
        ("{mlflow: {run: x}, phoenix: {dataset: y}}", 'the rows are named twice: "mlflow" and "phoenix"'),
        ("{mlflow: {rum: x}}", 'did you mean "run"?'),
        ("{mlflow: {traces: x, table: y}}", '"table" and "traces" cannot be together'),
        ("{phoenix: {dataset: x, limit: 3}}", '"limit" belongs to "traces"'),
    ],
)
def test_a_mistake_is_placed(written: str, said: str) -> None:
    with pytest.raises(Problems) as caught:
        loads(f"evaluators: [exact_match]\ntest_set: {written}\n")
    issue = caught.value.issues[0]
    assert said in str(issue)
    assert (issue.where or "").startswith("suite.yaml:2:")


def test_parts_of_an_input_are_columns_where_no_column_is_there_yet() -> None:
    row = row_cells(
        {"id": "1", "input": {"id": "2", "question": "?"}, "output": None, "expected": "a"}, {"expected": "b", "tag": 3}
    )
    assert row == {"id": "1", "input": {"id": "2", "question": "?"}, "expected": "a", "question": "?", "tag": 3}

    class Fetched(PlatformRows):
        platform = "x"

        def source(self) -> Any:
            return "x", (row,), ROLES

    found = Fetched().fetch()
    assert found.roles == {"id": "id", "input": "input", "expected": "expected"}
    assert Path(found.file).read_text(encoding="utf-8").count("\n") == 1
