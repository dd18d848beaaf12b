"""The guide to batches: what its program for Spark prints."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.docs.examples import ROOT, examples, run_example

GUIDE = ROOT / "docs" / "integrations" / "batches.md"


def test_the_example_prints_what_the_guide_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # workers are started with whatever python3 is first on the path
    assert examples(GUIDE)["with_spark.py"].strip() in run_example(GUIDE, "with_spark.py", tmp_path)
