"""The Python guides run from top to bottom and print what they show."""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.docs.blocks import blocks

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["how-to/python-and-pandas.md", "how-to/own-comparators.md", "switching/orbiter.md"])
def test_a_python_guide_prints_what_it_shows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "guide"}
    printed, shown = [], []
    for block in blocks(DOCS / name):
        if block.language == "python":
            out = StringIO()
            with redirect_stdout(out):
                exec(compile(block.text, f"{name}:{block.line}", "exec", dont_inherit=True), names)
            if out.getvalue():
                printed.append(out.getvalue())
        elif block.language == "text":
            shown.append(block.text)
    assert printed == shown


def test_the_example_of_the_readme_prints_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = [block for block in blocks(DOCS.parent / "README.md") if block.language == "python"]
    exec(compile(example.text, "README.md", "exec", dont_inherit=True), {"__name__": "readme"})
    assert capsys.readouterr().out == '0.0 "Rome" differs from "Roma"\n'
