"""Every page is run: its files are written, its commands are executed, and what they print is compared."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from evaluators.api.loading import load
from evaluators.issues import Issue, Problems
from tests.docs.blocks import agrees, blocks, commands, plain

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    if "reference" not in page.parts and "decisions" not in page.parts
)
RUN_ELSEWHERE = {ROOT / "docs" / "guides" / "command-line.md"}
"""Pages with a test of their own: `tests/cli/test_guide.py`."""
SETS_UP = ("pip ", "python3 -m venv", ". .venv", "git ", "pytest", "cd ")
"""Commands that change the machine: the continuous integration runs those of the README."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the gallery in it, and the command `evaluators` on the path."""
    shutil.copytree(ROOT / "configs", tmp_path / "here" / "configs")
    shim = tmp_path / "bin" / "evaluators"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m evaluators "$@"\n')
    shim.chmod(shim.stat().st_mode | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path / "here"


@pytest.mark.parametrize("page", sorted({*PAGES} - RUN_ELSEWHERE), ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_shows_is_what_happens(page: Path, place: Path) -> None:
    for block in blocks(page):
        if block.file is not None and block.language != "console":
            target = place / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        if block.language != "console":
            continue
        for command in commands(block):
            steps = [step for step in command.text.split(" && ") if not step.strip().startswith(SETS_UP)]
            if not steps:
                continue
            done = subprocess.run(
                ["bash", "-c", " && ".join(steps)],
                cwd=place,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                check=False,
            )
            printed, shown = plain(done.stdout), plain("\n".join(command.printed))
            assert agrees(printed, shown), "\n".join(
                [f"{page.name}:{command.line}: $ {command.text}", "-- printed:", *printed, "-- the page shows:", *shown]
            )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_suite_on_a_page_is_valid(page: Path, tmp_path: Path) -> None:
    for block in blocks(page):
        if block.file is not None and block.language != "console":
            (tmp_path / block.file).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        whole = block.language == "yaml" and "evaluators:" in block.text and "# part of a suite" not in block.text
        if not whole or (block.file and not block.file.endswith((".yaml", ".yml"))) or "# a mistake" in block.text:
            continue
        suite = tmp_path / "the suite.yaml"
        suite.write_text(block.text, encoding="utf-8")
        found = problems_of(suite)
        assert {issue.code for issue in found} <= {"no-such-file", "no-such-schema"}, f"{page.name}:{block.line}\n{found}"


def problems_of(suite: Path) -> tuple[Issue, ...]:
    """What is wrong with a suite, as far as the file itself tells."""
    try:
        load(suite)
    except Problems as error:
        return error.issues
    return ()


def test_the_continuous_integration_runs_the_commands_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    wanted = [
        step
        for block in blocks(ROOT / "README.md")
        if block.language == "console"
        for command in commands(block)
        if " && " in command.text
        for step in command.text.split(" && ")
    ]
    assert wanted
    for step in wanted:
        said = step.replace("pip install", "pip install --quiet")
        assert any(line.startswith((step, said)) for line in script.splitlines()), step
