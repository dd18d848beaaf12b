"""The rows of the table, as a program holds them."""

from __future__ import annotations

import csv
from collections.abc import Collection
from pathlib import Path

import evaluators
from evaluators.integrations.harnesses._row_scores import RowScores
from evaluators.reports.tracking.metrics import Number, metrics_of
from tests.hosts.table import ROWS, SUITE, Found


def table_rows() -> list[dict[str, str]]:
    """The cells of each row, by column."""
    with open(ROWS, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def inputs_of(row: dict[str, str]) -> dict[str, str]:
    """What a model is given in a row: neither its output nor the expected answer."""
    return {name: cell for name, cell in row.items() if name not in ("output", "expected")}


def answers() -> dict[str, str]:
    """The output of each row by its question: a model that was asked before."""
    return {row["question"]: row["output"] for row in table_rows()}


def found_in(scores: RowScores) -> dict[str, Found]:
    """What our own scores say of a row, by evaluator."""
    return {one.evaluator: Found(one.score, one.error is not None) for one in scores.evaluators
            if one.evaluator is not None and one.path is None}  # fmt: skip


def metrics_without(ids: Collection[str], folder: Path) -> dict[str, Number]:
    """The metrics of `evaluators run` over the table without some of its rows."""
    rows = [row for row in table_rows() if row["id"] not in ids]
    with open(folder / "rows.csv", "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return metrics_of(evaluators.load(SUITE).run(folder / "rows.csv").result)
