"""Pages that need a server: the shell commands of a page, run in a folder that has its files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.docs.blocks import blocks
from tests.hosts.environments import ROOT

INTEGRATIONS: Final = ROOT / "docs" / "integrations"


def run_shell(page: str, folder: Path, variable: str, address: str) -> str:
    """Runs the `sh` block of a page, with a variable that names a server of ours. Gives what it printed."""
    found = list(blocks(INTEGRATIONS / page))
    for block in found:
        if block.file is not None:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text, encoding="utf-8")
    (session,) = (block for block in found if block.language == "sh")
    commands = [line for line in session.text.splitlines() if not line.startswith(f"export {variable}=")]
    assert len(commands) < len(session.text.splitlines()), f"the page does not set {variable}"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", "\n".join(commands)], cwd=folder, env={**os.environ, variable: address, "PATH": path},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout
