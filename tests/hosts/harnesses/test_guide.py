"""The guide to harnesses: what its programs print."""

from __future__ import annotations

from pathlib import Path

from tests.docs.examples import ROOT, examples, run_example

GUIDE = ROOT / "docs" / "integrations" / "harnesses.md"


def test_the_example_prints_what_the_guide_shows(tmp_path: Path) -> None:
    printed = run_example(GUIDE, "with_deepeval.py", tmp_path)
    assert printed.endswith(examples(GUIDE)["with_deepeval.py"])
