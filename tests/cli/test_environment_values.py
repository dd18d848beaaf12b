"""What the environment fills in to a suite is never printed and never written. The table is for everyone to extend."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.kit import cli, read_yaml

TABLE: list[dict[str, Any]] = read_yaml(Path(__file__).with_name("environment_values.yaml"))
ROWS = "id,output,expected\n1,Paris,Paris\n2,Oslo,Rome\n"
VALUES = {"SECRET1": "Qxv7Hidden", "SECRET2": "zzk9covert"}
COMMANDS: tuple[list[str], ...] = (
    ["check", "suite.yaml"],
    ["check", "suite.yaml", "--with-data"],
    ["explain", "suite.yaml"],
    ["explain", "suite.yaml", "--steps"],
    ["explain", "suite.yaml", "--format", "json"],
    ["run", "suite.yaml", "--dry-run"],
    ["try", "suite.yaml", "--output", "Oslo", "--expected", "Rome"],
    ["run", "suite.yaml", "--name", "first", "--track", "files", "-o", "more.html", "--hardest", "2",
     "--formats", "csv,html,markdown,json,junit,text"],
    ["run", "suite.yaml", "--name", "second", "--workers", "2", "--format", "github"],
    ["run", "suite.yaml", "--format", "json", "--no-results"],
    ["report", "runs/first", "-o", "again.html", "-o", "again.md", "-o", "again.csv", "-o", "again.report.json"],
    ["report", "runs/first"],
    ["view", "runs/first", "--row", "2"],
    ["compare", "runs/first", "runs/second"],
    ["advice", "runs/first"],
    ["--traceback", "check", "suite.yaml", "--with-data"],
    ["--traceback", "run", "suite.yaml", "--no-results", "-q"],
    ["--traceback", "run", "suite.yaml", "no-rows.csv"],
    ["--traceback", "explain", "suite.yaml"],
    ["--traceback", "try", "suite.yaml"],
    ["--traceback", "infer-schema", "suite.yaml"],
    ["--traceback", "check-expected", "suite.yaml"],
    ["--traceback", "compare", "runs/first", "--suite", "suite.yaml"],
    ["--traceback", "report", "runs/none"],
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry["it"])
def test_no_value_of_the_environment_gets_out(
    entry: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in VALUES.items():
        monkeypatch.setenv(name, value)
    Path("suite.yaml").write_text(entry["suite"], encoding="utf-8")
    Path("rows.csv").write_text(entry.get("rows", ROWS), encoding="utf-8")
    for name, text in entry.get("files", {}).items():
        place = Path(_filled(name))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    ours = set(Path().rglob("*"))
    printed = {" ".join(words): _printed(words) for words in COMMANDS}
    written = {str(path): path.read_text("utf-8", "replace") for path in set(Path().rglob("*")) - ours if path.is_file()}
    leaks = [
        f"{where}: …{text[max(0, at - 80) : at + 40]!r}…"
        for where, text in {**printed, **written, "names of files": "\n".join(written)}.items()
        for value in VALUES.values()
        if (at := text.lower().find(value.lower())) >= 0
    ]
    assert not leaks, "\n".join(leaks)
    everything = "\n".join([*printed.values(), *written.values()])
    for said in entry.get("says", ()):
        assert said in everything


def _filled(text: str) -> str:
    return text.replace("@1", VALUES["SECRET1"]).replace("@2", VALUES["SECRET2"])


def _printed(words: list[str]) -> str:
    done = cli(*words)
    assert done.exit_code != 70, done.stderr
    return f"{done.stdout}{done.stderr}"
