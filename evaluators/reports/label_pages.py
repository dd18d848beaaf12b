"""The sections about labels: which outputs stood where which labels were expected, and the figures of each label."""

from __future__ import annotations

from typing import Final

from evaluators.reports.document import Head, Item, Listing, PageTable, Paragraph, Section
from evaluators.run.figures import counted, score_text
from evaluators.run.result import ConfusionMatrix, LabelCell, LabelFigures, RunResult

MOST_COLUMNS: Final = 25
"""Labels of which the whole table is shown; of more, the confusions that occur most."""
MOST_CONFUSIONS: Final = 10


def label_sections(result: RunResult) -> tuple[Section, ...]:
    """A section for each evaluator that has labels, by variant."""
    return tuple(_section(table) for table in result.confusion_matrices)


def label_title(table: ConfusionMatrix) -> str:
    """The title of the section of a table."""
    name = f"{table.evaluator} ({table.variant})" if table.variant else table.evaluator
    return f"Confusion matrix: {name}"


def _section(table: ConfusionMatrix) -> Section:
    blocks: list[PageTable | Paragraph | Listing] = []
    if len(table.labels) <= MOST_COLUMNS:
        blocks += [Paragraph("Rows expect the label on the left; their outputs are in the columns."), _confusions(table)]
    blocks.append(_figures(table))
    wrong = sorted((one for one in table.cells if one.expected != one.output), key=lambda one: -one.count)
    if wrong:
        shown = tuple(Item(_cell_text(one)) for one in wrong[:MOST_CONFUSIONS])
        blocks.append(Paragraph("What was taken for what:"))
        blocks.append(Listing(shown))
        if len(wrong) > MOST_CONFUSIONS:
            blocks.append(Paragraph(f"{counted(len(wrong) - MOST_CONFUSIONS, 'more kind')} in run.json."))
    return Section(label_title(table), tuple(blocks))


def _confusions(table: ConfusionMatrix) -> PageTable:
    counts = {(one.expected, one.output): one.count for one in table.cells}
    rows = [one.label for one in table.labels]
    rows += [one for one in dict.fromkeys(cell.expected for cell in table.cells) if one not in rows]
    return PageTable(
        (Head("expected"), *(Head(one, True) for one in table.columns)),
        tuple((row, *(f"{counts.get((row, column), 0):,}" for column in table.columns)) for row in rows),
    )


def _figures(table: ConfusionMatrix) -> PageTable:
    heads = ("support", "predicted", "right", "precision", "recall", "F1")
    return PageTable(
        (Head("label"), *(Head(one, True) for one in heads)),
        (*map(_figure_row, table.labels), *(_figure_row(one, " average") for one in table.averages)),
    )


def _figure_row(one: LabelFigures, average: str = "") -> tuple[str, ...]:
    figures = map(score_text, (one.precision, one.recall, one.f1))
    return f"{one.label}{average}", f"{one.support:,}", f"{one.predicted:,}", f"{one.right:,}", *figures


def _cell_text(cell: LabelCell) -> str:
    rows = ", ".join(f"{row} ({name})" if name and name != str(row) else f"{row}" for row, name in cell.first_rows)
    more = f" and {cell.count - len(cell.first_rows):,} more" if cell.count > len(cell.first_rows) else ""
    return (
        f"{cell.expected} → {cell.output}: {counted(cell.count, 'row')}; row{'' if cell.count == 1 else 's'} {rows}{more}"
    )
