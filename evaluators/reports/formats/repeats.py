"""Several outputs of one question as tables for spreadsheets: `repeats.groups.csv`, `repeats.passes.csv` and `repeats.flips.csv`."""

from __future__ import annotations

from evaluators.reports.data_tables import REPEATS
from evaluators.reports.format import TableFormat


class RepeatTables(TableFormat):
    """The groups, what k outputs of a question come to, and the fields that flip."""

    suffixes = (".repeats.csv",)
    file = "repeats.csv"
    tables = REPEATS
    section = "repeats"
    lacking = "lists the outputs of one question, and the suite does not say which rows those are"
    hint = "add it to the suite: repeats: row.COLUMN, or repeats: id"
