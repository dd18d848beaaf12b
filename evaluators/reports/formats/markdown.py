"""Markdown with pipe tables: `-o FILE.md` for a pull request or a CI page, and `fields.md` in the run folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluators.reports.document import Page
from evaluators.reports.format import PageFormat
from evaluators.reports.headline import Options
from evaluators.reports.markdown import page_markdown
from evaluators.reports.outcome_format import OpenFile, OutcomesFormat
from evaluators.reports.outcome_table import MOST_OUTCOMES, with_outcomes
from evaluators.reports.outcomes import ReportPart
from evaluators.reports.run_page import fields_page
from evaluators.run.result import RunResult


class MarkdownFormat(PageFormat, OutcomesFormat):
    """Markdown."""

    words = ("markdown", "md")
    suffixes = (".md", ".markdown")

    def page(self, document: Page) -> str:
        """The page as Markdown."""
        return page_markdown(document)

    def folder_files(self, result: RunResult, options: Options) -> Mapping[str, str]:
        """`fields.md`, with every field."""
        return {"fields.md": self.page(fields_page(result))}

    def folder_outcomes(self, result: RunResult, parts: Sequence[ReportPart], open_file: OpenFile) -> None:
        """`fields.md` once more, with every outcome below the fields, where there are few."""
        if sum(part.outcomes for part in parts) <= MOST_OUTCOMES:
            with open_file("fields.md") as stream:
                stream.write(self.page(with_outcomes(fields_page(result), parts)))
