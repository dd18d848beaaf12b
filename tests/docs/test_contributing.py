"""The pages for contributors name files that are there, and every decision says whether it holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import blocks, generated

ROOT = Path(__file__).parents[2]
PAGES = [
    page
    for page in [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs" / "contributing").rglob("*.md"))]
    if not generated(page)
]
DECISIONS = sorted((ROOT / "docs" / "contributing" / "decisions").glob("0*.md"))
FILE = re.compile(r"`((?:\w+/)+\w+\.(?:py|yaml|toml|yml))`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    made = {block.file for block in blocks(page) if block.file}
    text = page.read_text(encoding="utf-8")
    for name in FILE.findall(text):
        known = name in made or any(
            (ROOT / place / name).is_file() for place in (".", "evaluators", "evaluators/scoring/judges")
        )
        assert known or "NAME" in name, f"{page.name} names {name}"


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.name)
def test_a_decision_has_a_status_and_a_line_in_the_list(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    number = int(page.name[:4])
    assert text.startswith(f"# {number}. ")
    status = re.search(r"^\*\*Status:\*\* (accepted|withdrawn|superseded by \d{4})\b", text, re.M)
    assert status
    listed = (page.parent / "index.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| {number} \| \[.+\]\({page.name}\) \| {status[1]}", listed, re.M)
