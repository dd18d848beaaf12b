"""The labels of a run as figures: the table of expected labels and outputs, precision, recall and F1, and their averages.

An output that is no label, cannot be read or is not there stays in the recall of the label that was expected: it was not found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from msgspec.structs import replace

from evaluators.issues import Blame, Issue
from evaluators.registry import suggestion
from evaluators.run.exact_sums import plus
from evaluators.run.label_counts import SPECIAL, LabelPair, LabelSums, PairCount, is_label
from evaluators.run.result import ConfusionMatrix, LabelCell, LabelFigures
from evaluators.suite.evaluator_line import EvaluatorLine
from evaluators.values.confusion import Confusion, Ratio
from evaluators.values.quoting import quote

ROWS_PER_LABEL: Final = 2
"""Answers are labels by themselves only where so many rows share one, on average."""
_SHOWN_ROWS: Final = 3
_SHOWN_LABELS: Final = 10
_FIGURES: Final[tuple[Ratio, ...]] = ("precision", "recall", "f1")


def label_tables(
    lines: Sequence[EvaluatorLine], counted: Sequence[LabelSums | None], variant: str | None
) -> Iterator[ConfusionMatrix]:
    """The table of each evaluator that has labels, in the order of the suite."""
    for line, sums in zip(lines, counted, strict=False):
        rule = line.settings.label_rule()
        if sums is None or rule is None or sums.given_up or not sums.pairs:
            continue
        rows = sum(one.times for _, _, one in sums.counted())
        found = sorted({expected[1:] for expected, _, _ in sums.counted() if is_label(expected)})
        if rule.labels is None and (len(found) < 2 or rows < ROWS_PER_LABEL * len(found)):
            continue
        table = _table(line.name, rule.labels if rule.labels is not None else tuple(found), sums, variant)
        yield _without_figures(table) if sums.unlisted else table


def unlisted_labels(
    lines: Sequence[EvaluatorLine],
    counted: Sequence[LabelSums | None],
    place: Callable[[int, str], str],
    roles: Mapping[str, str],
) -> Iterator[tuple[Issue, int]]:
    """Expected answers that are none of the labels that the suite lists, and for the first of an evaluator how many rows have one.

    `place` is where a cell stands, by the number of its row and its column.
    """
    for line, sums in zip(lines, counted, strict=False):
        rule = line.settings.label_rule()
        if sums is None or rule is None or rule.labels is None or not sums.unlisted:
            continue
        column = line.settings.column("expected").spelled(roles)
        rows = sum(one.times for expected, _, one in sums.counted() if not is_label(expected))
        for text, ((first, _), *_) in sums.unlisted.items():
            near = suggestion(text, rule.labels) or f"the labels are {', '.join(rule.labels[:_SHOWN_LABELS])};"
            message = f'"{line.name}": the expected answer {quote(text)} is none of the labels, so labels have no figures'
            hint = f"{near} `other: true` beside `labels` says that such answers are meant"
            yield Issue("unlisted-label", Blame.TESTSET, message, place(first, column), hint), rows
            rows = 0


def _without_figures(table: ConfusionMatrix) -> ConfusionMatrix:
    """The table as it was counted, without figures: rows that belong to an unknown label would be in none of them."""

    def counted(figures: Sequence[LabelFigures]) -> tuple[LabelFigures, ...]:
        return tuple(replace(one, precision=None, recall=None, f1=None) for one in figures)

    return replace(table, labels=counted(table.labels), averages=counted(table.averages))


def _table(name: str, labels: Sequence[str], sums: LabelSums, variant: str | None) -> ConfusionMatrix:
    cells: dict[LabelPair, PairCount] = {}
    order = [*(f"={label}" for label in labels), *SPECIAL]
    known = frozenset(order)
    for expected, output, counted in sums.counted():
        plus(cells.setdefault((expected, output if output in known else SPECIAL[0]), PairCount()), counted)
    rows, columns = Counter[str](), Counter[str]()
    for (expected, output), cell in cells.items():
        rows[expected] += cell.times
        columns[output] += cell.times
    counts = {}
    for label, key in zip(labels, order, strict=False):
        right = cells[key, key].times if (key, key) in cells else 0
        # a row that has a label on one side only is one that lacks it, or one that has it too much
        counts[label] = Confusion(right, 0, rows[key] - right, columns[key] - right)
    return ConfusionMatrix(
        evaluator=name,
        rows=rows.total(),
        labels=tuple(_figures(one, confusion) for one, confusion in counts.items()),
        averages=tuple(_averages(list(counts.values()))),
        cells=tuple(
            LabelCell(expected.removeprefix("="), output.removeprefix("="), met.times, met.rows[:_SHOWN_ROWS])
            for expected in order
            for output in order
            if (met := cells.get((expected, output))) is not None
        ),
        columns=tuple(one.removeprefix("=") for one in order if is_label(one) or one in columns),
        variant=variant,
    )


def _figures(label: str, counts: Confusion) -> LabelFigures:
    figures = [counts.rounded(figure) for figure in _FIGURES]
    return LabelFigures(label, counts.right + counts.missing, counts.right + counts.invented, counts.right, *figures)


def _averages(counts: Sequence[Confusion]) -> Iterator[LabelFigures]:
    """Each label alike; all rows together; each label by its rows. Labels that no row has on either side are in none."""
    pooled = Confusion(
        sum(one.right for one in counts), 0, sum(one.missing for one in counts), sum(one.invented for one in counts)
    )
    whole = _figures("", pooled)
    for name, weights in (("macro", [1] * len(counts)), ("weighted", [one.right + one.missing for one in counts])):
        means = [_mean([one.exact(figure) for one in counts], weights) for figure in _FIGURES]
        yield LabelFigures(name, whole.support, whole.predicted, whole.right, *means)
        if name == "macro":
            yield _figures("micro", pooled)


def _mean(values: Sequence[Fraction | None], weights: Sequence[int]) -> float | None:
    known = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
    whole = sum(weight for _, weight in known)
    return float(sum((value * weight for value, weight in known), Fraction(0)) / whole) if whole else None
