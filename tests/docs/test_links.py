"""Every link of a page leads to a file that is there, and to a heading that is in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^(?P<marks>```+)[^\n]*\n.*?^(?P=marks)\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]\n]*(?:\n[^\]\n]*)?\]\((?P<target>[^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(?P<title>.+?) *$", re.MULTILINE)


def prose(page: Path) -> str:
    """The page without its code."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """The names that links give to the headings of a page: lower case, marks taken away, a dash for each space."""
    found: dict[str, int] = {}
    for heading in HEADING.finditer(prose(page)):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading["title"].replace("\\", ""))
        name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found[name] = found.get(name, 0) + 1
    return {name if not number else f"{name}-{number}" for name, count in found.items() for number in range(count)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    code_aside = re.sub(r"`[^`\n]+`", "code", prose(page))
    for link in LINK.finditer(code_aside):
        if "://" in link["target"]:
            continue
        file, _, anchor = link["target"].partition("#")
        target = page.parent / file if file else page
        assert target.exists(), f"{page.relative_to(ROOT)}: {link[0]} leads to no file"
        if anchor:
            assert anchor in anchors(target), f"{page.relative_to(ROOT)}: {link[0]} leads to no heading of {target.name}"


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").rglob("*.md"):
        path = page.relative_to(ROOT / "docs")
        listed_elsewhere = path.parts[0] == "reference" and len(path.parts) > 2
        if not listed_elsewhere and path.name != "index.md":
            assert f"({path.as_posix()})" in index, f"docs/index.md does not name {path}"
