"""Plain text with aligned tables: `-o FILE.txt`.

It has every table, and says of a schema what extract-bench's report says, in its words and lines. The run folder's `summary.txt` is the
summary that is printed, and is always there.
"""

from __future__ import annotations

from msgspec.structs import replace

from evaluators.reports.document import Page
from evaluators.reports.format import PageFormat
from evaluators.reports.text import page_text


class TextFormat(PageFormat):
    """Plain text."""

    suffixes = (".txt",)

    def text(self, page: Page) -> str:
        """The page in lines, as they stand in a file."""
        sections = tuple(part for section in page.sections for part in section.in_summary or (section,))
        return page_text(replace(page, sections=sections))
