"""The pages stay short: what people have written, code and examples included, counted as `wc -w` counts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import generated
from tests.docs.sessions import ROOT

DOCS = ROOT / "docs"
WRITTEN = re.compile(
    r"<!-- (?:table: )?(?P<name>[\w-]+)(?:: written by [^>]*)? -->.*?<!-- (?:/|end: )(?P=name) -->", re.DOTALL
)
MOST_OF_THE_SITE = 45_000
MOST_OF_A_HOW_TO = 900


def words(page: Path) -> int:
    """Tables that a program writes into a page, between two marks, are not counted."""
    return len(WRITTEN.sub("", page.read_text(encoding="utf-8")).split())


def test_the_site_stays_readable() -> None:
    counted = {page.relative_to(DOCS): words(page) for page in DOCS.rglob("*.md") if not generated(page)}
    longest = sorted(counted.items(), key=lambda item: -item[1])[:5]
    assert sum(counted.values()) <= MOST_OF_THE_SITE, f"the longest pages: {longest}"


@pytest.mark.parametrize("page", sorted((DOCS / "how-to").glob("*.md")), ids=lambda page: page.stem)
def test_a_how_to_is_short(page: Path) -> None:
    assert words(page) <= MOST_OF_A_HOW_TO
