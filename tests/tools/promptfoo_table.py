"""promptfoo itself scores the table: `python -m tests.tools.promptfoo_table [FOLDER]`.

It needs Node.js and npm, and is run by hand: promptfoo takes 1.4 GB. FOLDER is where it is installed, or was before; without one, it goes
away again. No model is asked: promptfoo's provider `echo` gives back the recorded outputs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.hosts.__main__ import QUIET
from tests.hosts.environments import ROOT
from tests.hosts.table import SUITE, Found, assert_same_rows, figures
from tests.hosts.table.rows import table_rows

PROMPTFOO: Final = "promptfoo@0.121.20"
ASSERT: Final = """from tests.hosts.table import register
register()
from evaluators.integrations.harnesses.promptfoo import get_assert
"""


def main(folder: Path) -> None:
    """Installs promptfoo where it is not there yet, and compares what it says of every row with `evaluators run`."""
    if not (folder / "node_modules" / ".bin" / "promptfoo").exists():
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), PROMPTFOO], check=True)
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        ours = figures(place)
        rows = results(folder, place)
        found = {
            row["vars"]["id"]: {
                name: Found(row["namedScores"].get(name), name in errors(row)) for name in ours.evaluators
            }
            for row in rows
        }
        assert_same_rows(found, ours)
        passed = {row["vars"]["id"]: row["success"] for row in rows}
        assert passed == {id: row["overall"].passed is True for id, row in ours.rows.items()}
    print(f"{PROMPTFOO}: {len(rows)} rows, each with the scores of `evaluators run`")


def results(folder: Path, place: Path) -> list[dict[str, Any]]:
    """What promptfoo says of each row."""
    check = {"type": "python", "value": "file://suite_assert.py", "config": {"suite": str(SUITE)}}
    config = {
        "prompts": ["{{output}}"], "providers": ["echo"], "tests": [{"vars": row} for row in table_rows()],
        "defaultTest": {"assert": [check]},
    }  # fmt: skip
    (place / "suite_assert.py").write_text(ASSERT, encoding="utf-8")
    (place / "promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
    variables = {
        **os.environ, **QUIET, "PROMPTFOO_PYTHON": sys.executable, "PYTHONPATH": str(ROOT),
        "PROMPTFOO_CONFIG_DIR": str(place / "own"),
    }  # fmt: skip
    command = [str(folder / "node_modules" / ".bin" / "promptfoo"), "eval", "--no-cache", "--no-table"]
    subprocess.run(
        [*command, "-c", "promptfooconfig.json", "-o", "out.json"], cwd=place, env=variables, check=False, timeout=300
    )
    read: list[dict[str, Any]] = json.loads((place / "out.json").read_text(encoding="utf-8"))["results"]["results"]
    return read


def errors(row: Mapping[str, Any]) -> set[str]:
    """The evaluators that could not measure a row."""
    parts = [
        part["reason"] for one in row["gradingResult"]["componentResults"] for part in one.get("componentResults", [one])
    ]
    return {reason.partition(": error: ")[0] for reason in parts if ": error: " in reason}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]).resolve())
    else:
        with tempfile.TemporaryDirectory() as passing:
            main(Path(passing))
