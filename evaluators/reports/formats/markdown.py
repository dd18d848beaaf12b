"""Markdown with pipe tables, for a pull request or a CI page: `-o FILE.md`.

In a run folder, `formats: [markdown]` is `fields.md`, a page of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.reports.markdown import page_markdown
from evaluators.reports.run_page import run_page
from evaluators.run.reader import Run

if TYPE_CHECKING:
    from evaluators.compare.comparison import RunComparison


class MarkdownFormat(Format):
    """Markdown."""

    suffixes = (".md", ".markdown")
    shows_mistakes = True

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """The page of the run, with every table."""
        stream.write(page_markdown(run_page(run.result, options)))

    def write_comparison(self, comparison: RunComparison, stream: TextIO) -> None:
        """The page of the comparison."""
        from evaluators.reports.comparison_page import comparison_page  # a run has no use for it, and starts sooner

        stream.write(page_markdown(comparison_page(comparison)))
