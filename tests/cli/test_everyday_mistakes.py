"""The mistakes that people make most, each with its message, and commands that do what they are asked. The tables are for
everyone to extend.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from evaluators.model.registry import suggestion
from tests.kit import cli, read_yaml

TABLE, COMMANDS = (read_yaml(Path(__file__).with_name(name)) for name in ("everyday_mistakes.yaml", "commands.yaml"))
RIGHT = "output,expected\nParis,Paris\nRome,Rome\n"


def plain(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("entry", [*TABLE, *COMMANDS], ids=lambda entry: entry["it"])
def test_a_command_says_and_writes_what_it_should(
    entry: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("suite.yaml").write_text(entry.get("suite", "evaluators: [exact_match]\n"), encoding="utf-8")
    rows = entry.get("rows", RIGHT)
    if rows is not None:
        Path("rows.csv").write_text(rows, encoding="utf-8")
    for name, text in entry.get("files", {}).items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    for words in entry.get("before", ()):
        cli(*words)
    usual = ["run", "suite.yaml", *(["rows.csv"] if rows is not None else [])]
    before = sorted(tmp_path.rglob("*"))
    done = cli(*entry.get("command", usual))
    printed = f"{done.stdout}{done.stderr}".replace(str(tmp_path), "FOLDER")
    page = "\nExit code " in printed  # whose lines are broken where they are full
    assert entry["says"] in printed or (page and plain(entry["says"]) in plain(printed)), printed
    assert entry.get("never_says", "\0") not in printed, printed
    assert done.exit_code == entry["exit"]
    assert "Traceback" not in printed
    writes = entry.get("writes", {})
    if writes == "nothing":
        assert (done.stdout, sorted(tmp_path.rglob("*"))) == ("", before)
        return
    for name, text in writes.items():
        assert text in Path(name).read_text(encoding="utf-8-sig"), name


def test_every_mistake_is_another_one() -> None:
    assert len({entry["it"] for entry in [*TABLE, *COMMANDS]}) == len(TABLE) + len(COMMANDS) >= 40


def test_thousands_of_mistakes_get_hints_as_far_as_they_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def counted(word: str, known: Iterable[str]) -> str | None:
        asked.append(word)
        return suggestion(word, known)

    monkeypatch.setattr("evaluators.suites.config.suggestion", counted)
    suite = tmp_path / "suite.yaml"
    suite.write_text("evaluators:\n" + "".join(f"  - exact_mach{number}\n" for number in range(500)), encoding="utf-8")
    done = cli("check", str(suite))
    assert done.stderr.count('did you mean "exact_match"?') == 200
    assert "and 300 more problems" in done.stderr
    assert len(asked) < 210
