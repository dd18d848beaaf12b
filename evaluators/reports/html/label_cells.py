"""Which cell of a label table a row is in, read again from the cells that the run kept: a page leads from the count to the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from evaluators.runs.label_pairs import OTHER, is_label, label_pair
from evaluators.runs.reader import RecordedRow, Run
from evaluators.runs.result import ConfusionMatrix
from evaluators.scoring.evaluators._texts import LabelRule

NO_CELL: Final = -1
"""The row has no score, or its cells were not kept."""
CellReader: TypeAlias = Callable[[RecordedRow], int]
"""The place of a row's cell in a label table, or NO_CELL."""


def label_readers(record: Run, rules: Mapping[str, LabelRule], variant: str | None) -> dict[int, CellReader]:
    """A function for each label table of a variant, by the place of the table in the run: it finds the cell that a row is in.

    `rules` say how evaluators read labels, by name; tables of other evaluators have no function.
    """
    return {
        place: _reader(record, table, rules[table.evaluator])
        for place, table in enumerate(record.result.confusion_matrices)
        if table.variant == variant and table.evaluator in rules
    }


def _reader(record: Run, table: ConfusionMatrix, rule: LabelRule) -> CellReader:
    """A function that gives the place of a row's cell in a label table, read with the rule of the evaluator."""
    output, expected = record.compared_columns(table.evaluator)
    evaluator = [evaluator.name for evaluator in record.facts.evaluators].index(table.evaluator)
    listed = frozenset(rule.labels) if rule.labels is not None else None
    labels = {label.label for label in table.labels}
    places = {(cell.expected, cell.output): place for place, cell in enumerate(table.cells)}

    def cell_of(row: RecordedRow) -> int:
        """The place of the row's cell; `NO_CELL` where the run did not keep its cells, or where it is in none."""
        cells = row.cells
        if cells is None:
            return NO_CELL
        pair = label_pair(rule, listed, cells.get(expected), cells.get(output), row.verdicts[evaluator].status)
        if pair is None:
            return NO_CELL
        wanted, actual = pair
        column = actual.removeprefix("=")
        known = OTHER if is_label(actual) and column not in labels else column
        return places.get((wanted.removeprefix("="), known), NO_CELL)

    return cell_of
