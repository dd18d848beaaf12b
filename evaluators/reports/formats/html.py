"""One HTML file to read in a browser: `-o FILE.html`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from evaluators.reports.format import Format
from evaluators.reports.headline import Options
from evaluators.reports.html.page import page
from evaluators.reports.html.payload import run_payload
from evaluators.reports.html.rows import embed_rows
from evaluators.runs.reader import Run

if TYPE_CHECKING:
    from evaluators.reports.html.compared_rows import ComparedRuns
    from evaluators.runs.compare.comparison import RunComparison


class Html(Format):
    """A self-contained page with metrics, filters and every row side by side."""

    suffixes = (".html", ".htm")
    file = "report.html"
    shows_cells = True
    shows_mistakes = True

    def write(self, run: Run, stream: TextIO, options: Options) -> None:
        """Writes the page of the run, with its metrics and its rows."""
        rows = embed_rows(run, options.label_rules)
        stream.write(page(run_payload(run.result, options, run.facts, rows), rows.elements))

    def write_comparison(self, comparison: RunComparison, stream: TextIO) -> None:
        """Writes the page of a comparison, without values of rows."""
        from evaluators.reports.html.comparison import comparison_payload  # a run has no use for it, and starts sooner

        stream.write(page(comparison_payload(comparison)))

    def write_compared(self, comparison: RunComparison, runs: Callable[[], ComparedRuns], stream: TextIO) -> None:
        """Writes the page of a comparison, with the values of both runs in the rows that changed. `runs` reads the runs, and is called only
        where rows changed."""
        from evaluators.reports.html.compared_rows import compared_rows
        from evaluators.reports.html.comparison import comparison_payload

        rows = compared_rows(comparison, runs()) if comparison.changed else None
        stream.write(page(comparison_payload(comparison, rows), rows.elements if rows is not None else {}))
