"""The guide to batches: what its program for Dask prints."""

from __future__ import annotations

from pathlib import Path

from tests.docs.examples import ROOT, examples, run_example

GUIDE = ROOT / "docs" / "integrations" / "batches.md"


def test_the_example_prints_what_the_guide_shows(tmp_path: Path) -> None:
    assert run_example(GUIDE, "with_dask.py", tmp_path) == examples(GUIDE)["with_dask.py"]
