"""One HTML file to read in a browser: `-o FILE.html`."""

from __future__ import annotations

from evaluators.compare.comparison import RunComparison
from evaluators.reports.document import Page
from evaluators.reports.format import RowsPageFormat
from evaluators.reports.headline import Options
from evaluators.reports.html.page import page
from evaluators.reports.html.payload import page_payload, run_payload
from evaluators.reports.html.rows import embedded
from evaluators.run.reader import Run
from evaluators.run.result import RunResult


class Html(RowsPageFormat):
    """A self-contained page with figures, filters and every row side by side."""

    words = ("html",)
    suffixes = (".html", ".htm")

    def page(self, document: Page) -> str:
        """Any page: what it says, without rows."""
        return page(page_payload(document))

    def compared(self, comparison: RunComparison) -> str:
        """The page of a comparison, with how it ended below its name."""
        from evaluators.reports.comparison_page import (  # a run has no use for it, and starts sooner
            comparison_page,
            headline,
        )

        return page(page_payload(comparison_page(comparison), headline(comparison)))

    def render(self, result: RunResult, options: Options) -> str:
        """The figures of the run, without rows."""
        return page(run_payload(result, options))

    def render_rows(self, record: Run, options: Options) -> str:
        """The figures and the rows of the run."""
        rows = embedded(record, options.label_rules)
        return page(run_payload(record.result, options, record.facts, rows), rows.elements)
