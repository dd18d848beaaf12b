"""Programs on a page: a Python block with a file name `with_….py`, and the text block behind it, which is what it prints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.docs.blocks import blocks

ROOT = Path(__file__).parents[2]


def examples(page: Path) -> dict[str, str]:
    """What each program of a page prints, by its file."""
    found: dict[str, str] = {}
    before: str | None = None
    for block in blocks(page):
        if block.language == "text" and before is not None:
            found[before] = block.text
        named = block.language == "python" and (block.file or "").startswith("with_")
        before = block.file if named else None
    return found


def run_example(page: Path, name: str, folder: Path) -> str:
    """What a program of a page prints, run beside the files of the page."""
    for block in blocks(page):
        if block.file is not None and block.language != "console":
            (folder / block.file).write_text(block.text, encoding="utf-8")
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, name], cwd=folder, env=variables, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
