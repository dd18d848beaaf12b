"""The guide to harnesses: what its programs print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.examples import ROOT, examples, run_example

GUIDE = ROOT / "docs" / "integrations" / "harnesses.md"


@pytest.mark.parametrize("name", ["with_pydantic_evals.py", "with_deepeval.py", "with_braintrust.py"])
def test_an_example_prints_what_the_guide_shows(name: str, tmp_path: Path) -> None:
    printed = run_example(GUIDE, name, tmp_path)
    assert printed.endswith(examples(GUIDE)[name])
