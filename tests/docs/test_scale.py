"""The page about scale: its sums are worked out as it shows them."""

from __future__ import annotations

from pathlib import Path

from tests.docs.examples import ROOT, examples, run_example

PAGE = ROOT / "docs" / "contributing" / "scale.md"


def test_the_sums_of_the_page_are_right(tmp_path: Path) -> None:
    assert run_example(PAGE, "with_scale.py", tmp_path) == examples(PAGE)["with_scale.py"]
