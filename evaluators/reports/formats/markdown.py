"""Markdown with pipe tables, for a pull request or a CI page: `-o FILE.md`.

In a run folder, `formats: [markdown]` is `fields.md`, a page of its own.
"""

from __future__ import annotations

from evaluators.reports.document import Page
from evaluators.reports.format import PageFormat
from evaluators.reports.markdown import page_markdown


class MarkdownFormat(PageFormat):
    """Markdown."""

    suffixes = (".md", ".markdown")

    def text(self, page: Page) -> str:
        """The page with its tables between pipes."""
        return page_markdown(page)
