"""The measures of a run as a table for spreadsheets: `measures.csv`."""

from __future__ import annotations

from evaluators.reports.data_tables import MEASURES
from evaluators.reports.format import TableFormat


class MeasureTable(TableFormat):
    """One line per measure, variant and slice."""

    suffixes = (".measures.csv",)
    file = "measures.csv"
    tables = MEASURES
    section = "measures"
    lacking = "is about measures, and the suite names none"
    hint = "add it to the suite: measures: {NAME: row.COLUMN}"
