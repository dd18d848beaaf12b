"""The confusion matrices of a run, and what judges chose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.reports.display import clip, visible
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
from evaluators.reports.parts import ALWAYS, WIDEST, Brief, likely_at_most, metric_columns, metric_texts
from evaluators.runs.intervals import wilson
from evaluators.runs.metric_table import LABEL_METRICS
from evaluators.runs.metrics import (
    count_text,
    full_name,
    mean_interval_text,
    quantity_text,
    rows_text,
    score_text,
    with_variant,
)
from evaluators.runs.result import ConfusionMatrix, EvaluatorStats, LabelCell, MetricStats, RunResult
from evaluators.scoring.evaluators._scored_fields import CHOICE
from evaluators.scoring.values.quoting import first_texts, quote

MOST_COLUMNS: Final = 25
"""Labels of which a page shows the whole matrix; of more, the confusions that occur most."""
MOST_COLUMNS_IN_SUMMARY: Final = 8
MOST_CONFUSIONS: Final = 10
MOST_IN_SUMMARY: Final = 3
"""Evaluators with labels, or with choices, that the summary has a line of."""


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
    """The id of a matrix's section, from its index among those of the run."""
    return f"labels-{index}"


def label_section(matrix: ConfusionMatrix, title: str, legend: str, id_: str = "") -> Section:
    """The section of a confusion matrix: the matrix itself below its `legend`, unless it has too many labels; the metrics of its labels;
    and what was most often taken for what."""
    averages = {id(average) for average in matrix.averages}
    columns = (
        text_column("label", lambda label: f"{label.label} average" if id(label) in averages else label.label),
        *metric_columns(LABEL_METRICS, ALWAYS),
    )
    whole: list[Block] = [Paragraph(legend), _matrix(matrix)] if len(matrix.labels) <= MOST_COLUMNS else []
    blocks: list[Block] = [*whole, table_of((*matrix.labels, *matrix.averages), columns)]
    if confusions := _confusions(matrix):
        items = tuple(Item(_confusion_text(cell)) for cell in confusions[:MOST_CONFUSIONS])
        blocks += [Paragraph("What was taken for what:"), Listing(items)]
        if len(confusions) > MOST_CONFUSIONS:
            blocks.append(Paragraph(f"{count_text(len(confusions) - MOST_CONFUSIONS, 'more kind')} in run.json."))
    return Section(title, tuple(blocks), id=id_)


def average_lines(matrix: ConfusionMatrix) -> Iterator[str]:
    """The averages over labels, a line each: `macro average of labels: precision 0.9, recall 0.8, F1 0.8471`."""
    shown = [metric for metric in LABEL_METRICS if metric.kind == "score"]
    for average in () if matrix.withheld else matrix.averages:
        yield f"{average.label} average of labels: {metric_texts(shown, average)}"


def _matrix(matrix: ConfusionMatrix) -> PageTable:
    """The table of a confusion matrix: a row for each expected label, a column for each output, and in the cells how often they met."""
    counts = {(cell.expected, cell.output): cell.count for cell in matrix.cells}
    expected = dict.fromkeys([*(label.label for label in matrix.labels), *(cell.expected for cell in matrix.cells)])

    def column(output: str) -> Column:
        return Column(output, lambda label: f"{counts.get((label, output), 0):,}")

    return table_of(expected, (text_column("expected", str), *map(column, matrix.columns)))


def _confusions(matrix: ConfusionMatrix) -> list[LabelCell]:
    """The cells of confused labels, the most frequent first."""
    return sorted((cell for cell in matrix.cells if cell.expected != cell.output), key=lambda cell: -cell.count)


def _confusion_text(cell: LabelCell) -> str:
    """A confusion in words: expected and given label, how often, and the first rows."""
    rows = ", ".join(f"{row} ({name})" if name and name != str(row) else f"{row}" for row, name in cell.first_rows)
    more = f" and {cell.count - len(cell.first_rows):,} more" if cell.count > len(cell.first_rows) else ""
    return f"{cell.expected} → {cell.output}: {count_text(cell.count, 'row')}; row{'' if cell.count == 1 else 's'} {rows}{more}"


def worst_label(matrix: ConfusionMatrix) -> str:
    """The label that is most surely taken for others, and for which most: `returns (2 of 4 right), mostly "billing"`; empty where every
    label is right."""
    confused = [label for label in matrix.labels if label.right < label.support]
    if not confused or matrix.withheld:
        return ""
    worst = min(confused, key=lambda label: (likely_at_most(label.right, label.support), label.right / label.support))
    wrong = worst.support - worst.right
    first = next(cell for cell in _confusions(matrix) if cell.expected == worst.label)
    output = quote(first.output) if matrix.metrics(first.output) is not None else first.output
    mostly = f", mostly {output}" if first.count >= max(2, wrong / 2) else ""
    return f"{visible(worst.label)} ({worst.right:,} of {rows_text(worst.support)} right){mostly}"


def label_part(result: RunResult) -> tuple[Section, ...]:
    """The part of the summary with the first confusion matrix, whole, where no evaluator compares values; empty where it has too many
    labels or no room."""
    whole = _whole_matrix(result)
    if whole is None:
        return ()
    matrix, table = whole
    title = f"{with_variant(matrix.evaluator, matrix.variant)}: outputs in the columns{_macro_f1(matrix)}"
    return (Section(None, (Paragraph(clip(visible(title), WIDEST)), table)),)


def label_brief(result: RunResult) -> Brief:
    """Lines on what was most often taken for what, one for each of the first matrices that are not shown whole."""
    whole = _whole_matrix(result)
    rest = [matrix for matrix in result.confusion_matrices if whole is None or matrix is not whole[0]]
    lines = [line for matrix in rest[:MOST_IN_SUMMARY] if (line := _brief_text(matrix))]
    return Brief(tuple(lines), f"confusion {'matrix' if len(rest) == 1 else 'matrices'}" if rest else "")


def _whole_matrix(result: RunResult) -> tuple[ConfusionMatrix, PageTable] | None:
    """The confusion matrix that the summary shows whole, and its table; None where it shows none."""
    if not result.confusion_matrices or any(stats.counts is not None for stats in result.evaluators):
        return None
    matrix = result.confusion_matrices[0]
    if not 0 < len(matrix.labels) <= MOST_COLUMNS_IN_SUMMARY:
        return None
    table = _matrix(matrix)
    return (matrix, table) if table_width(table) <= WIDEST else None


def _brief_text(matrix: ConfusionMatrix) -> str:
    """A matrix in a line: `label: billing → returns in 2 rows, other → billing in 1 row; macro F1 0.9`; empty without a confusion."""
    texts = [
        f"{clip(visible(cell.expected), 20)} → {clip(visible(cell.output), 20)} in {rows_text(cell.count)}"
        for cell in _confusions(matrix)
    ]
    name = with_variant(matrix.evaluator, matrix.variant)
    return f"{name}: {first_texts(texts, 1)}{_macro_f1(matrix)}" if texts else ""


def _macro_f1(matrix: ConfusionMatrix) -> str:
    """The macro F1 of a matrix behind a semicolon; empty where it has none."""
    average = matrix.average("macro").f1 if matrix.averages else None
    return "" if average is None else f"; macro F1 {score_text(average)}"


def choice_sections(result: RunResult) -> tuple[Section, ...]:
    """The section with a table of how many rows a judge gave each of its choices, by evaluator and variant; empty where none has
    choices."""
    choices = _choices(result)
    return (Section("Choices", (table_of(choices, _choice_columns(result)),)),) if choices else ()


def choice_brief(result: RunResult) -> Brief:
    """The choices of judges, a line for each evaluator: `tone, choices in 7 rows: kind 5, curt 2`."""
    texts: dict[str, list[str]] = {}
    for stats, choice in _choices(result):
        text = f"{choice.name.removeprefix(CHOICE)} {quantity_text(_rows_of_choice(choice))}"
        texts.setdefault(f"{full_name(stats)}, choices in {rows_text(choice.n)}", []).append(text)
    lines = [f"{name}: {', '.join(choices)}" for name, choices in texts.items()]
    return Brief(tuple(lines[:MOST_IN_SUMMARY]), "choices" if lines else "")


def _choices(result: RunResult) -> list[tuple[EvaluatorStats, MetricStats]]:
    """Each choice of a judge as the metric that counts it, with its evaluator."""
    return [(stats, metric) for stats in result.evaluators for metric in stats.metrics if metric.name.startswith(CHOICE)]


def _rows_of_choice(choice: MetricStats) -> float:
    """The number of rows to which a judge gave a choice. A row that two of three judges of a panel gave it counts as two thirds."""
    return (choice.mean or 0.0) * choice.n


def _choice_columns(result: RunResult) -> tuple[Column, ...]:
    """The columns of the table of choices, whose items are pairs of an evaluator and the metric of one choice."""

    def interval(pair: tuple[EvaluatorStats, MetricStats]) -> str:
        """The interval of a choice's share; none for a panel, whose choices count in part, and none where rows of a cluster count
        together."""
        has_none = result.cluster is not None or pair[0].metric("agreement") is not None
        return mean_interval_text(None if has_none else wilson(round(_rows_of_choice(pair[1])), pair[1].n))

    return (
        text_column("judge's choice", lambda pair: pair[1].name.removeprefix(CHOICE)),
        text_column("evaluator", lambda pair: full_name(pair[0])),
        Column("rows", lambda pair: quantity_text(_rows_of_choice(pair[1]))),
        Column("share", lambda pair: score_text(pair[1].mean)),
        Column("95 % CI", interval),
        Column("n", lambda pair: f"{pair[1].n:,}"),
    )
