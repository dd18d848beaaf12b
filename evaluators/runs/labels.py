"""Labels: how often which output stood where which label was expected, for each evaluator that compares texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from evaluators.runs.columns import Cells, Columns
from evaluators.runs.label_pairs import (
    NO_LABELS,
    SPECIAL,
    FirstRow,
    LabelPair,
    is_label,
    too_many_for_labels,
)
from evaluators.runs.metric_table import LABEL_METRICS, compute_metrics
from evaluators.runs.result import ConfusionMatrix, LabelCell, LabelMetrics
from evaluators.scoring.plan.graph import EvaluatorLine
from evaluators.scoring.values.confusion import Confusion

ROWS_PER_LABEL: Final = 2
"""Answers are labels by themselves only where so many rows share one, on average."""
_SHOWN_ROWS: Final = 3
_AVERAGED: Final = {
    metric.name: metric.made for metric in LABEL_METRICS if metric.kind == "score" and metric.made is not None
}
"""How the metrics are computed that averages over labels have."""


class PairCount(Struct):
    """How often a pair was met, and its first rows."""

    times: int = 0
    rows: tuple[FirstRow, ...] = ()


class LabelPairs(Struct):
    """The pairs of one evaluator; none where its expected texts are no labels."""

    pairs: dict[LabelPair, PairCount] = field(default_factory=dict)
    unlisted: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The first expected answers that are none of the listed labels, each with its first row."""


def label_pairs_of(columns: Columns, evaluator: int, listed: bool, unlisted: Mapping[str, tuple[int, ...]]) -> LabelPairs:
    """The (expected, output) pairs of an evaluator, counted, with their first rows; no pairs where so many differ that they are no labels.

    `listed`: the suite lists the labels. `unlisted`: the expected answers outside that list. Codes below 0 are rows without a pair.
    """
    times, first = Counter[int](), dict[int, tuple[FirstRow, ...]]()
    for rows, ids, codes in columns.read(["row", "id", f"pair{evaluator}"]):
        times.update(codes)
        if NO_LABELS in times:
            return LabelPairs(unlisted=unlisted)
        _note_rows(first, codes, rows, ids)
    known = columns.pairs(evaluator)
    pair_counts = {known[code]: PairCount(n, first[code]) for code, n in times.items() if code >= 0}
    no_labels = not listed and too_many_for_labels(len({expected for expected, _ in pair_counts}), len(pair_counts))
    return LabelPairs({} if no_labels else pair_counts, unlisted)


def _note_rows(first: dict[int, tuple[FirstRow, ...]], codes: Cells, rows: Cells, ids: Cells) -> None:
    """Adds the numbers and ids of rows to `first`, under the code of their pair, until a pair has `_SHOWN_ROWS` of them."""
    lacking = {code for code in set(codes) if code >= 0 and len(first.get(code, ())) < _SHOWN_ROWS}
    for code, row, name in zip(codes, rows, ids, strict=True):
        if code in lacking:
            first[code] = (*first.get(code, ()), (row, name or ""))
            if len(first[code]) == _SHOWN_ROWS:
                lacking.discard(code)
                if not lacking:
                    return


def label_tables(
    lines: Sequence[EvaluatorLine], pairs: Sequence[LabelPairs | None], variant: str | None
) -> Iterator[ConfusionMatrix]:
    """Yields the confusion matrix of each evaluator that has labels, in the order of the suite. `pairs` are the counted pairs of each
    evaluator; answers that the suite does not list as labels are labels only where enough rows share each."""
    for line, label_pairs in zip(lines, pairs, strict=False):
        rule = line.settings.label_rule()
        if label_pairs is None or rule is None or not label_pairs.pairs:
            continue
        rows = sum(count.times for count in label_pairs.pairs.values())
        labels = sorted({expected[1:] for expected, _ in label_pairs.pairs if is_label(expected)})
        if rule.labels is None and (len(labels) < 2 or rows < ROWS_PER_LABEL * len(labels)):
            continue
        table = confusion_matrix(
            line.name, rule.labels if rule.labels is not None else tuple(labels), label_pairs.pairs, variant
        )
        yield _without_metrics(table) if label_pairs.unlisted else table


def _without_metrics(table: ConfusionMatrix) -> ConfusionMatrix:
    """The table as it was counted, without metrics: rows that belong to an unknown label would be in none of them."""

    def without_metrics(metrics: Sequence[LabelMetrics]) -> tuple[LabelMetrics, ...]:
        return tuple(replace(metric, **dict.fromkeys(_AVERAGED)) for metric in metrics)

    return replace(table, labels=without_metrics(table.labels), averages=without_metrics(table.averages))


def confusion_matrix(
    name: str, labels: Sequence[str], pairs: Mapping[LabelPair, PairCount], variant: str | None
) -> ConfusionMatrix:
    """The confusion matrix of the counted pairs, with the metrics of each label and their averages."""
    cells: dict[LabelPair, PairCount] = {}
    order = [*(f"={label}" for label in labels), *SPECIAL]
    known = frozenset(order)
    for (expected, output), count in pairs.items():
        pair = expected, output if output in known else SPECIAL[0]
        before = cells.get(pair, PairCount())
        cells[pair] = PairCount(before.times + count.times, tuple(sorted(before.rows + count.rows)[:_SHOWN_ROWS]))
    rows, columns = Counter[str](), Counter[str]()
    for (expected, output), count in cells.items():
        rows[expected] += count.times
        columns[output] += count.times
    counts = {}
    for label, key in zip(labels, order, strict=False):
        right = cells[key, key].times if (key, key) in cells else 0
        # a row that has a label on one side only is one that lacks it, or one that has it too much
        counts[label] = Confusion(right, 0, rows[key] - right, columns[key] - right)
    return ConfusionMatrix(
        evaluator=name,
        rows=rows.total(),
        labels=tuple(_label_metrics(label, confusion) for label, confusion in counts.items()),
        averages=tuple(_averages(list(counts.values()))),
        cells=tuple(
            LabelCell(expected.removeprefix("="), output.removeprefix("="), cell.times, cell.rows)
            for expected in order
            for output in order
            if (cell := cells.get((expected, output))) is not None
        ),
        columns=tuple(label.removeprefix("=") for label in order if is_label(label) or label in columns),
        variant=variant,
    )


def _label_metrics(label: str, counts: Confusion) -> LabelMetrics:
    """The metrics of one label from its counts."""
    return LabelMetrics(label, **compute_metrics(LABEL_METRICS, counts))


def _averages(counts: Sequence[Confusion]) -> Iterator[LabelMetrics]:
    """Yields the metrics over all labels, in this order: `macro` counts each label alike, `micro` all rows together, `weighted` each
    label by its rows. Labels that no row has on either side are in none."""
    pooled = Confusion(
        sum(count.right for count in counts),
        0,
        sum(count.missing for count in counts),
        sum(count.extra for count in counts),
    )
    whole = _label_metrics("", pooled)
    for name, weights in (("macro", [1] * len(counts)), ("weighted", [count.right + count.missing for count in counts])):
        means = {metric: _weighted_mean([made(count) for count in counts], weights) for metric, made in _AVERAGED.items()}
        yield replace(whole, label=name, **means)
        if name == "macro":
            yield _label_metrics("micro", pooled)


def _weighted_mean(values: Sequence[float | Fraction | None], weights: Sequence[int]) -> float | None:
    """The mean of the values that are defined, each as often as its weight; None without any weight."""
    known = [(Fraction(value), weight) for value, weight in zip(values, weights, strict=True) if value is not None]
    whole = sum(weight for _, weight in known)
    return float(sum((value * weight for value, weight in known), Fraction(0)) / whole) if whole else None
