"""What is on the page of a comparison: its sections as other formats have them, and its rows with the values of both runs."""

from __future__ import annotations

from msgspec.structs import replace

from evaluators.reports.comparison_page import comparison_page, headline
from evaluators.reports.html.compared_rows import ComparedRows
from evaluators.reports.html.payload import WORDS, page_payload
from evaluators.reports.html.rows import Encoded
from evaluators.reports.sections.verdict import MOST_VARIANTS, VERDICT
from evaluators.runs.compare.comparison import CHANGES, RunComparison


def comparison_payload(comparison: RunComparison, rows: ComparedRows | None = None) -> Encoded:
    """The page of a comparison as data for its script. With `rows`, these stand in place of the sections that list rows."""
    page = comparison_page(comparison)
    replaced = {VERDICT, *(f"{change}-rows" for change in CHANGES if rows is not None)}
    sections = tuple(section for section in page.sections if section.id not in replaced)
    payload = page_payload(replace(page, sections=sections), headline(comparison))
    return {
        **payload,
        "verdict": list(comparison.answer[:MOST_VARIANTS]),
        "words": WORDS,
        "compared": rows.index if rows is not None else None,
    }
