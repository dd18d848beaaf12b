"""The page with every difference from the other systems is up to date."""

from __future__ import annotations

from tests.tools.pages.differences import COMMAND, PAGE, SYSTEMS, page


def test_the_page_of_differences_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), f"out of date; write it anew: {COMMAND}"


def test_every_system_has_a_page_that_links_to_its_differences() -> None:
    for _, link in SYSTEMS.values():
        assert "every-difference.md" in (PAGE.parent / link).read_text(encoding="utf-8"), link
