"""The parts of a guide that need a server: the commands of a section, run in a folder that has the files of the page."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.docs.blocks import Block, blocks
from tests.hosts.environments import ROOT

TRACKING: Final = ROOT / "docs" / "integrations" / "tracking.md"


def run_section(title: str, folder: Path, variable: str, address: str) -> str:
    """Runs the `sh` block of a section of the guide, with a variable that names a server of ours. Gives what it printed."""
    found = list(blocks(TRACKING))
    for block in found:
        if block.file is not None:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text, encoding="utf-8")
    (session,) = (block for block in found if block.language == "sh" and _heading(block) == title)
    commands = [line for line in session.text.splitlines() if not line.startswith(f"export {variable}=")]
    assert len(commands) < len(session.text.splitlines()), f"the guide does not set {variable}"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", "\n".join(commands)], cwd=folder, env={**os.environ, variable: address, "PATH": path},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def _heading(block: Block) -> str:
    """The heading of the section that a block is in."""
    above = TRACKING.read_text(encoding="utf-8").splitlines()[: block.line]
    return next(line.removeprefix("## ") for line in reversed(above) if line.startswith("## "))
