"""The confusion matrices of a run, and what judges chose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.reports.display import clipped, visible
from evaluators.reports.document import (
    Block,
    Column,
    Item,
    Listing,
    PageTable,
    Paragraph,
    Section,
    table_of,
    table_width,
    text_column,
)
from evaluators.reports.parts import ALWAYS, WIDEST, list_part, metric_columns, metric_texts, table_part
from evaluators.runs.intervals import wilson
from evaluators.runs.metric_table import LABEL_METRICS
from evaluators.runs.metrics import (
    counted,
    full_name,
    mean_interval_text,
    quantity_text,
    rows_text,
    score_text,
    with_variant,
)
from evaluators.runs.result import ConfusionMatrix, EvaluatorStats, LabelCell, MetricStats, RunResult
from evaluators.scoring.evaluators._scored_fields import CHOICE

MOST_COLUMNS: Final = 25
"""Labels of which a page shows the whole matrix; of more, the confusions that occur most."""
MOST_COLUMNS_IN_SUMMARY: Final = 8
MOST_CONFUSIONS: Final = 10


def label_sections(result: RunResult) -> tuple[Section, ...]:
    """A section for each evaluator that has labels, by variant."""
    legend = "Rows expect the label on the left; their outputs are in the columns."
    return tuple(
        label_section(
            matrix, f"Confusion matrix: {with_variant(matrix.evaluator, matrix.variant)}", legend, label_id(index)
        )
        for index, matrix in enumerate(result.confusion_matrices)
    )


def label_id(index: int) -> str:
    """What formats know the section of a matrix by, from its place among those of the run."""
    return f"labels-{index}"


def label_section(matrix: ConfusionMatrix, title: str, legend: str, id_: str = "") -> Section:
    """A confusion matrix, what it says, the metrics of its labels, and what was taken for what."""
    averages = {id(average) for average in matrix.averages}
    columns = (
        text_column("label", lambda one: f"{one.label} average" if id(one) in averages else one.label),
        *metric_columns(LABEL_METRICS, ALWAYS),
    )
    whole: list[Block] = [Paragraph(legend), _matrix(matrix)] if len(matrix.labels) <= MOST_COLUMNS else []
    blocks: list[Block] = [*whole, table_of((*matrix.labels, *matrix.averages), columns)]
    if confusions := _confusions(matrix):
        items = tuple(Item(_confusion_text(one)) for one in confusions[:MOST_CONFUSIONS])
        blocks += [Paragraph("What was taken for what:"), Listing(items)]
        if len(confusions) > MOST_CONFUSIONS:
            blocks.append(Paragraph(f"{counted(len(confusions) - MOST_CONFUSIONS, 'more kind')} in run.json."))
    return Section(title, tuple(blocks), id=id_)


def average_lines(matrix: ConfusionMatrix) -> Iterator[str]:
    """The averages over labels, a line each: `macro average of labels: precision 0.9, recall 0.8, F1 0.8471`."""
    shown = [one for one in LABEL_METRICS if one.kind == "score"]
    for average in () if matrix.withheld else matrix.averages:
        yield f"{average.label} average of labels: {metric_texts(shown, average)}"


def _matrix(matrix: ConfusionMatrix, widest: int | None = None) -> PageTable:
    """How often each output was given where each label is expected; labels are cut to so many columns of a terminal."""
    counts = {(one.expected, one.output): one.count for one in matrix.cells}
    expected = dict.fromkeys([*(one.label for one in matrix.labels), *(one.expected for one in matrix.cells)])

    def cut(label: str, columns: int | None) -> str:
        return label if columns is None else clipped(visible(label), columns)

    def column(output: str) -> Column:
        return Column(cut(output, widest), lambda label: f"{counts.get((label, output), 0):,}")

    first = text_column("expected", lambda label: cut(label, None if widest is None else 12))
    return table_of(expected, (first, *map(column, matrix.columns)))


def _confusions(matrix: ConfusionMatrix) -> list[LabelCell]:
    """What was taken for something else, the most frequent first."""
    return sorted((one for one in matrix.cells if one.expected != one.output), key=lambda one: -one.count)


def _confusion_text(cell: LabelCell) -> str:
    """A confusion in words: expected and given label, how often, and the first rows."""
    rows = ", ".join(f"{row} ({name})" if name and name != str(row) else f"{row}" for row, name in cell.first_rows)
    more = f" and {cell.count - len(cell.first_rows):,} more" if cell.count > len(cell.first_rows) else ""
    return (
        f"{cell.expected} → {cell.output}: {counted(cell.count, 'row')}; row{'' if cell.count == 1 else 's'} {rows}{more}"
    )


def label_part(matrix: ConfusionMatrix) -> tuple[Section, ...]:
    """The confusion matrix, whole; the confusions that occur most where there are many labels, or it has no room."""
    title = with_variant(matrix.evaluator, matrix.variant)
    average = matrix.average("macro").f1 if matrix.averages else None
    f1 = "" if average is None else f"; macro F1 {score_text(average)}"

    def line(text: str) -> Paragraph:
        return Paragraph(clipped(visible(text), WIDEST))

    texts = [[line(f"{one.expected} → {one.output}: {rows_text(one.count)}")] for one in _confusions(matrix)]
    confusions = list_part(texts, 4, line(f"{title}: what was taken for what{f1}").text)
    if not 0 < len(matrix.labels) <= MOST_COLUMNS_IN_SUMMARY:
        return confusions
    table = _matrix(matrix)
    if table_width(table) > WIDEST:
        table = _matrix(matrix, max(3, (WIDEST - 14) // len(matrix.columns) - 2))
    if table_width(table) > WIDEST:
        return confusions
    return (Section(None, (line(f"{title}: outputs in the columns{f1}"), table)),)


def choice_sections(result: RunResult) -> tuple[Section, ...]:
    """How many rows a judge gave each of its choices, by evaluator and variant; nothing where none has choices."""
    choices = _choices(result)
    return (Section("Choices", (table_of(choices, _choice_columns(result)),)),) if choices else ()


def choice_part(result: RunResult) -> tuple[Section, ...]:
    """The choices of judges."""
    return table_part(_choices(result), 6, _choice_columns(result))


def _choices(result: RunResult) -> list[tuple[EvaluatorStats, MetricStats]]:
    return [(stats, one) for stats in result.evaluators for one in stats.metrics if one.name.startswith(CHOICE)]


def _choice_columns(result: RunResult) -> tuple[Column, ...]:
    """The columns of the table of choices, whose items are pairs of an evaluator and the metric of one choice."""

    def rows(pair: tuple[EvaluatorStats, MetricStats]) -> float:
        return (pair[1].mean or 0.0) * pair[1].n

    def interval(pair: tuple[EvaluatorStats, MetricStats]) -> str:
        """A panel's choices count in part, and the rows of a cluster together: neither has an interval of a rate."""
        has_none = result.cluster is not None or pair[0].metric("agreement") is not None
        return mean_interval_text(None if has_none else wilson(round(rows(pair)), pair[1].n))

    return (
        text_column("judge's choice", lambda pair: pair[1].name.removeprefix(CHOICE)),
        text_column("evaluator", lambda pair: full_name(pair[0])),
        Column("rows", lambda pair: quantity_text(rows(pair))),
        Column("share", lambda pair: score_text(pair[1].mean)),
        Column("95 % CI", interval),
        Column("n", lambda pair: f"{pair[1].n:,}"),
    )
