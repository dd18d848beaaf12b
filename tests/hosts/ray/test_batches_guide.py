"""The guide to batches: what its program for Ray Data prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.examples import ROOT, examples, run_example

GUIDE = ROOT / "docs" / "integrations" / "batches.md"


def test_the_example_prints_what_the_guide_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "local")  # a cluster of its own, whatever else runs here
    assert run_example(GUIDE, "with_ray.py", tmp_path).endswith(examples(GUIDE)["with_ray.py"])
