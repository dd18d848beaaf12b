"""One HTML file to read in a browser: `-o FILE.html`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.reports.html.page import page
from evaluators.reports.html.payload import page_payload, run_payload
from evaluators.reports.html.rows import embedded
from evaluators.run.reader import Run

if TYPE_CHECKING:
    from evaluators.compare.comparison import RunComparison


class Html(Format):
    """A self-contained page with metrics, filters and every row side by side."""

    suffixes = (".html", ".htm")
    file = "report.html"
    shows_cells = True
    shows_mistakes = True

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """The metrics and the rows of the run."""
        rows = embedded(run, options.label_rules)
        stream.write(page(run_payload(run.result, options, run.facts, rows), rows.elements))

    def write_comparison(self, comparison: RunComparison, stream: TextIO) -> None:
        """The page of a comparison, with how it ended below its name."""
        from evaluators.reports.comparison_page import (  # a run has no use for it, and starts sooner
            comparison_page,
            headline,
        )

        stream.write(page(page_payload(comparison_page(comparison), headline(comparison))))
