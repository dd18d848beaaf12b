"""The step summary of GitHub Actions: a page that is shown on the run's own page."""

from __future__ import annotations

import os
from typing import Final

from evaluators.reports.document import Document
from evaluators.reports.formats.markdown import MarkdownFormat

VARIABLE: Final = "GITHUB_STEP_SUMMARY"
MOST_BYTES: Final = 1_000_000
"""GitHub refuses a summary of more than 1 MiB."""


def add_to_step_summary(page: Document) -> None:
    """Add a page to the step summary; nothing outside GitHub Actions."""
    place = os.environ.get(VARIABLE)
    if not place:
        return
    text = MarkdownFormat().page(page).encode()
    if len(text) > MOST_BYTES:
        text = text[:MOST_BYTES].rpartition(b"\n")[0] + b"\n\nThe rest is too long for a step summary.\n"
    with open(place, "ab") as summary:
        summary.write(text)
