"""A run as a page of Markdown that a platform shows beside its figures."""

from __future__ import annotations

from typing import Final

from evaluators.reports.document import Page, Section
from evaluators.reports.format import FORMATS, PageFormat
from evaluators.reports.run_page import run_page
from evaluators.run.reader import Run

_CUT: Final = "\n\nThe rest is in the run's report.\n"


def note_of(record: Run, most: int) -> str:
    """The summary of a run in at most `most` characters: whole sections, the first ones that have room."""
    page = run_page(record.result)
    kept: list[Section] = []
    for section in page.sections:
        longer = [*kept, section]
        if len(_text(page, longer)) > most - len(_CUT):
            return (_text(page, kept).rstrip() + _CUT)[:most]
        kept = longer
    return _text(page, kept)


def _text(page: Page, sections: list[Section]) -> str:
    markdown = FORMATS.find("markdown")()
    assert isinstance(markdown, PageFormat)
    return markdown.page(Page(page.title, tuple(sections), page.tone))
