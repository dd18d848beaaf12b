"""The guide to batches: its programs print what it shows. Those that need an engine are run where it is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.examples import ROOT, examples, run_example

GUIDE = ROOT / "docs" / "integrations" / "batches.md"


@pytest.mark.slow
def test_the_example_prints_what_the_guide_shows(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    assert run_example(GUIDE, "with_arrow.py", tmp_path) == examples(GUIDE)["with_arrow.py"]


def test_every_other_example_is_run_with_its_engine() -> None:
    ran = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests" / "hosts").rglob("test_*guide.py"))
    assert "with_spark.py" in examples(GUIDE)
    for name in examples(GUIDE).keys() - {"with_arrow.py"}:
        assert f'"{name}"' in ran, name
