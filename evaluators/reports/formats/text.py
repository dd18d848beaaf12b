"""Plain text with aligned tables: `summary.txt`, and `-o FILE.txt`.

`summary.txt` is the summary that is printed. `-o FILE.txt` has every table, and says of a schema what extract-bench's report says, in
its words and lines.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from evaluators.reports.document import Page
from evaluators.reports.format import PageFormat
from evaluators.reports.headline import Options
from evaluators.reports.summary import summary
from evaluators.reports.text import page_text
from evaluators.run.result import RunResult


class TextFormat(PageFormat):
    """Plain text."""

    words = ("text",)
    suffixes = (".txt",)

    def page(self, document: Page) -> str:
        """The page as aligned plain text."""
        return page_text(document)

    def render(self, result: RunResult, options: Options) -> str:
        """Every table of the run, as they stand in a file."""
        from evaluators.reports.run_page import run_page  # most runs write their summary alone

        document = run_page(result, options)
        sections = [section.in_summary or (section,) for section in document.sections]
        return self.page(replace(document, sections=tuple(one for several in sections for one in several)))

    def folder_files(self, result: RunResult, options: Options) -> Mapping[str, str]:
        """`summary.txt`."""
        return {"summary.txt": self.page(summary(result, options))}
