"""Plain text with aligned tables: `-o FILE.txt`.

It has every table, and says of a schema what extract-bench's report says, in its words and lines. The run folder's `summary.txt` is the
summary that is printed, and is always there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from msgspec.structs import replace

from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.reports.run_page import run_page
from evaluators.reports.text import page_text
from evaluators.run.reader import Run

if TYPE_CHECKING:
    from evaluators.compare.comparison import RunComparison


class TextFormat(Format):
    """Plain text."""

    suffixes = (".txt",)
    shows_mistakes = True

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Every table of the run, as they stand in a file."""
        page = run_page(run.result, options)
        sections = [section.in_summary or (section,) for section in page.sections]
        stream.write(page_text(replace(page, sections=tuple(one for several in sections for one in several))))

    def write_comparison(self, comparison: RunComparison, stream: TextIO) -> None:
        """The page of the comparison."""
        from evaluators.reports.comparison_page import comparison_page  # a run has no use for it, and starts sooner

        stream.write(page_text(comparison_page(comparison)))
