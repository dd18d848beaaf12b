"""The rows of the table, as a program holds them."""

from __future__ import annotations

import csv

from evaluators.harnesses._scores import RowScores
from tests.hosts.table import ROWS, Found


def table_rows() -> list[dict[str, str]]:
    """The cells of each row, by column."""
    with open(ROWS, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def found_in(scores: RowScores) -> dict[str, Found]:
    """What our own scores say of a row, by evaluator."""
    return {one.evaluator: Found(one.score, one.error is not None) for one in scores.evaluators
            if one.evaluator is not None and one.path is None}  # fmt: skip
