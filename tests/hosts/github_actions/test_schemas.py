"""The action and the workflows of the guides fit the schemas that GitHub's editors use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks
from tests.hosts.environments import ROOT

GUIDE = ROOT / "docs" / "how-to" / "gates-in-ci.md"
WORKFLOWS = [block for block in blocks(GUIDE) if (block.file or "").startswith(".github/workflows/")]


def check(schema: str, file: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file)]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def test_the_action_fits_the_schema_of_actions() -> None:
    done = check("vendor.github-actions", ROOT / "action.yml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_schema_would_find_a_mistake(tmp_path: Path) -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8").replace("using: composite", "using: composed")
    (tmp_path / "action.yml").write_text(text, encoding="utf-8")
    assert check("vendor.github-actions", tmp_path / "action.yml").returncode == 1


@pytest.mark.parametrize("block", WORKFLOWS, ids=lambda block: str(block.file))
def test_the_workflows_of_the_guide_fit_the_schema_of_workflows(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "workflow.yml"
    file.write_text(block.text, encoding="utf-8")
    done = check("vendor.github-workflows", file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(WORKFLOWS) >= 2
