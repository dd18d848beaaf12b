"""Which cell of a label table a row is in, read again from the cells that the run kept: a page leads from the count to the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from evaluators.builtin._texts import LabelRule
from evaluators.run.labels import OTHER, is_label, label_pair
from evaluators.run.reader import RecordedRow, Run
from evaluators.run.result import ConfusionMatrix

NO_CELL: Final = -1
"""The row has no score, or its cells were not kept."""


class LabelReader(Struct, frozen=True):
    """One label table of a run, and how its evaluator reads a row."""

    table: int
    """Its place among the label tables of the run."""
    evaluator: int
    rule: LabelRule
    listed: frozenset[str] | None
    labels: frozenset[str]
    cells: Mapping[tuple[str, str], int]
    """The place of each cell in the table, by its two labels."""
    output: str
    expected: str
    """The columns."""

    def cell_of(self, row: RecordedRow) -> int:
        """The place of the row's cell in the table, or NO_CELL."""
        if row.cells is None:
            return NO_CELL
        expected, output = row.cells.get(self.expected), row.cells.get(self.output)
        pair = label_pair(self.rule, self.listed, expected, output, row.verdicts[self.evaluator].status)
        if pair is None:
            return NO_CELL
        wanted, given = pair
        column = given.removeprefix("=")
        if is_label(given) and column not in self.labels:
            column = OTHER
        return self.cells.get((wanted.removeprefix("="), column), NO_CELL)


def label_readers(record: Run, rules: Mapping[str, LabelRule], variant: str | None) -> Sequence[LabelReader]:
    """A reader for each label table of a variant whose rule is known."""
    places = {one.name: index for index, one in enumerate(record.facts.evaluators)}
    return [
        _reader(record, index, table, places[table.evaluator], rules[table.evaluator])
        for index, table in enumerate(record.result.confusion_matrices)
        if table.variant == variant and table.evaluator in rules
    ]


def _reader(record: Run, index: int, table: ConfusionMatrix, evaluator: int, rule: LabelRule) -> LabelReader:
    output, expected = record.compared_columns(table.evaluator)
    return LabelReader(
        index,
        evaluator,
        rule,
        frozenset(rule.labels) if rule.labels is not None else None,
        frozenset(one.label for one in table.labels),
        {(cell.expected, cell.output): at for at, cell in enumerate(table.cells)},
        output,
        expected,
    )
