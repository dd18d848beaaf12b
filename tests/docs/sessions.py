"""Pages that are run from top to bottom: their files are written, their commands run, and what is printed is compared."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.commands import program
from tests.docs.blocks import agrees, blocks, commands, plain

ROOT: Final = Path(__file__).parents[2]
SETS_UP: Final = ("pip ", "python3 -m venv", ". .venv", "git ", "pytest", "cd ")
"""Commands that change the machine: the continuous integration runs those of the README."""


def prepare(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with the gallery in it, and the command `evaluators` and those beside this Python on the path."""
    shutil.copytree(ROOT / "configs", folder / "here" / "configs")
    programs = folder / "bin"
    programs.mkdir()
    program(programs)
    python = programs / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    path = [str(programs), os.environ["PATH"], str(Path(sys.executable).parent)]
    monkeypatch.setenv("PATH", os.pathsep.join(path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("COLUMNS", raising=False)
    return folder / "here"


def run_page(page: Path, place: Path, left_out: tuple[str, ...] = SETS_UP) -> None:
    """Runs a page in a folder. Fails where a command prints other lines than the page shows."""
    for block in blocks(page):
        if block.file is not None and block.language != "console":
            target = place / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        if block.language != "console":
            continue
        for command in commands(block):
            steps = [step for step in command.text.split(" && ") if not step.strip().startswith(left_out)]
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
