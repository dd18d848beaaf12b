"""How far confidences can be trusted, as tables for spreadsheets: `confidence.bins.csv` and `confidence.accept.csv`."""

from __future__ import annotations

from evaluators.reports.data_tables import CONFIDENCE
from evaluators.reports.format import TableFormat


class ConfidenceTables(TableFormat):
    """The reliability table, and what comes of accepting rows from a confidence on."""

    suffixes = (".confidence.csv",)
    file = "confidence.csv"
    tables = CONFIDENCE
    section = "confidence"
    lacking = "is about a confidence, and the suite names none"
    hint = "add it to the suite: confidence: row.COLUMN, or to a field: {compare: exact, confidence: PATH}"
