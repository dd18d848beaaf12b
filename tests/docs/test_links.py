"""Every link of a page leads to a file that is there, and to a heading that is in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit import read_yaml

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


def test_a_page_of_the_site_links_to_pages_of_the_site() -> None:
    docs = ROOT / "docs"
    for page in docs.rglob("*.md"):
        for link in LINK.finditer(re.sub(r"`[^`\n]+`", "code", prose(page))):
            file = link["target"].partition("#")[0]
            inside = "://" in file or (page.parent / file).resolve().is_relative_to(docs)
            assert inside, f"{page.relative_to(ROOT)}: {link[0]} is not on the site; name the file in words"


def test_the_site_lists_every_page_once() -> None:
    site = read_yaml(ROOT / "mkdocs.yml")
    listed = sorted(names_in(site["nav"]))
    unlisted = [folder.removesuffix("*") for folder in site["not_in_nav"].split()]
    every = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert listed == sorted(page for page in every if not page.startswith(tuple(unlisted))), "see nav in mkdocs.yml"


def names_in(nav: object) -> Iterator[str]:
    """The pages that a list of the site names, at every depth."""
    if isinstance(nav, str):
        yield nav
    else:
        for entry in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
            yield from names_in(entry)
