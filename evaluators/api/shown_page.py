"""Pages of a run as a notebook and an interpreter show them."""

from __future__ import annotations

import tempfile
from html import escape
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from evaluators.reports.document import Page

_HEIGHT: Final = 720
"""Pixels of the frame that a notebook shows a report in."""


class ShownPage(Struct, frozen=True):
    """A page: as text where it is printed, as HTML in a notebook."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


def page_to_show(page: Page) -> ShownPage:
    """A page of a report as text, which a notebook shows as it is."""
    from evaluators.reports.text import WIDTH, page_text

    text = page_text(page, WIDTH, apart=True)
    return ShownPage(text, f"<pre>{escape(text)}</pre>")


def shown_report(place: Path) -> ShownPage:
    """The report of the run in a folder: its summary as text, and the HTML page in a frame, so that it touches nothing else of a
    notebook."""
    from evaluators.api.finished_run import options_of, write_again
    from evaluators.reports.summary import summary
    from evaluators.reports.text import page_text
    from evaluators.runs.reader import Run

    record = Run(place)
    with tempfile.TemporaryDirectory(prefix="evaluators-") as folder:
        (file,) = write_again(place, [Path(folder) / "report.html"])
        page = file.read_text(encoding="utf-8")
    frame = (
        f'<iframe srcdoc="{escape(page)}" sandbox="allow-scripts allow-popups" width="100%" height="{_HEIGHT}"></iframe>'
    )
    return ShownPage(page_text(summary(record.result, replace(options_of(record), run=str(place)))), frame)
