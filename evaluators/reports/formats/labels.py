"""The metrics of labels, and of the averages over them, as a table for spreadsheets: `labels.csv`."""

from __future__ import annotations

from evaluators.reports.data_tables import LABELS
from evaluators.reports.format import TableFormat


class LabelTable(TableFormat):
    """One line per label and average of every evaluator that has labels."""

    suffixes = (".labels.csv",)
    file = "labels.csv"
    tables = LABELS
    section = "confusion_matrices"
    lacking = "is about labels, and no evaluator here has any"
    hint = "exact_match has labels by itself where few texts are expected often; labels: [...] lists them"
