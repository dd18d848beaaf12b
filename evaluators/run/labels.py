"""Labels: which output stood where which label was expected, counted for each evaluator that compares texts.

A pair of texts is counted as it is met; what is a label is known once all rows are. An evaluator has labels by itself where at most
MOST_LABELS different short texts are expected. Counting ends for good as soon as a part of the rows shows more: any part of
the rows that shows it is a part of a whole that does, so whether there are labels never depends on how rows are cut. Where the suite
lists the labels, every other text is counted as one thing at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from operator import itemgetter
from typing import Any, Final, TypeAlias

from msgspec import field
from msgspec.structs import replace

from evaluators.builtin._texts import LabelRule
from evaluators.model import MISSING, Result, RowStatus
from evaluators.needs import column_of
from evaluators.run.exact_sums import FIRST_ROWS, Sum, plus
from evaluators.run.result import ConfusionMatrix, LabelCell, LabelMetrics
from evaluators.suite.graph import EvaluatorLine
from evaluators.values.confusion import Confusion, Ratio
from evaluators.values.json_text import to_text

MOST_LABELS: Final = 50
"""Different expected texts that are labels without the suite listing them."""
LONGEST: Final = 64
"""Characters of a label."""
MOST_PAIRS: Final = 10_000
"""Different pairs of an expected text and an output that are counted."""
MOST_UNLISTED: Final = 5
"""Expected answers outside the list that are named, the first ones."""
OTHER: Final = "(no label)"
UNREADABLE: Final = "(unreadable)"
MISSING_OUTPUT: Final = "(missing)"
BLOCKED: Final = "(blocked)"
SPECIAL: Final = (OTHER, UNREADABLE, MISSING_OUTPUT, BLOCKED)
"""The columns for outputs that are no label, in order."""


LabelKey: TypeAlias = str
"""What stands on one side: a label behind `=`, or one of SPECIAL."""
LabelPair: TypeAlias = tuple[LabelKey, LabelKey]


FirstRow: TypeAlias = tuple[int, str]
"""A row of a pair: its offset in the split, later its number, and its id."""
ROWS_PER_LABEL: Final = 2
"""Answers are labels by themselves only where so many rows share one, on average."""
_SHOWN_ROWS: Final = 3
_METRICS: Final[tuple[Ratio, ...]] = ("precision", "recall", "f1")


class PairCount(Sum):
    """How often a pair was met, and the first rows."""

    times: int = 0
    rows: tuple[FirstRow, ...] = ()


class LabelSums(Sum):
    """The pairs of one evaluator over some rows. `given_up` says that its expected texts are no labels."""

    pairs: dict[str, dict[str, PairCount]] = field(default_factory=dict)
    """By the keys of what is expected and of the output."""
    given_up: bool = False
    listed: bool = False
    """The suite lists the labels."""
    unlisted: dict[str, tuple[FirstRow, ...]] = field(default_factory=dict)
    """The first expected answers that are none of the listed labels, each with its first row."""

    def limit(self) -> None:
        """Gives up where there is too much; a suite that lists labels never has too much."""
        too_many = len(self.pairs) > MOST_LABELS or sum(map(len, self.pairs.values())) > MOST_PAIRS
        if self.given_up or (too_many and not self.listed):
            self.give_up()
        self.unlisted = {text: rows[:1] for text, rows in self.unlisted.items()}
        if len(self.unlisted) > MOST_UNLISTED:
            kept = sorted(self.unlisted.items(), key=itemgetter(1))[:MOST_UNLISTED]
            self.unlisted = dict(kept)

    def give_up(self) -> None:
        """Forgets everything, for good."""
        self.pairs, self.given_up = {}, True

    def counted(self) -> Iterator[tuple[LabelKey, LabelKey, PairCount]]:
        """Every pair: what is expected, the output, and how often."""
        for expected, outputs in self.pairs.items():
            for output, count in outputs.items():
                yield expected, output, count


def is_label(key: LabelKey) -> bool:
    """Whether it is a label, and none of SPECIAL."""
    return key.startswith("=")


class LabelCounts:
    """The labels of one evaluator in one split, counted chunk by chunk."""

    def __init__(self, rule: LabelRule, columns: Sequence[str], of_parts: bool = False) -> None:
        """`of_parts`: labels are parts of cells, and not cells."""
        self._rule, self.of_parts = rule, of_parts
        self._output, self._expected = columns
        self._listed = frozenset(rule.labels) if rule.labels is not None else None
        self.sums = LabelSums(listed=rule.labels is not None)

    def parts(self, outputs: Sequence[Any], expected: Sequence[Any]) -> dict[str, Sequence[Any]]:
        """The parts of cells as the columns to add."""
        return {self._expected: expected, self._output: outputs}

    def add(
        self,
        columns: Mapping[str, Sequence[Any]],
        codes: Sequence[int],
        verdicts: Sequence[Result],
        offsets: Sequence[int],
        ids: Sequence[str] | None,
    ) -> None:
        """Some rows: their cells, and the verdicts that they have. Nothing more is counted where these are no labels."""
        if self.sums.given_up:
            return
        nothing = [MISSING] * len(codes)
        expected, outputs = columns.get(self._expected) or nothing, columns.get(self._output) or nothing
        try:
            found = Counter(keys := list(zip(expected, outputs, codes, strict=True)))
        except TypeError:  # a cell holds a list or an object: what is expected are no texts
            self.sums.give_up()
            return
        odd: dict[tuple[Any, Any, int], PairCount] = {}
        """Pairs of which few rows are named yet."""

        def row(index: int) -> FirstRow:
            return offsets[index], ids[index] if ids is not None else ""

        for key, times in found.items():
            pair = label_pair(self._rule, self._listed, key[0], key[1], verdicts[key[2]].status)
            if pair is None:
                continue
            if pair[0] == "=" and self._listed is None:
                self.sums.give_up()
                return
            counted = self.sums.pairs.setdefault(pair[0], {}).setdefault(pair[1], PairCount())
            counted.times += times
            if not is_label(pair[0]) and not self._rule.other and len(self.sums.unlisted) < MOST_UNLISTED:
                text = key[0] if key[0].__class__ is str else to_text(key[0])
                self.sums.unlisted.setdefault(text, (row(keys.index(key)),))
            if len(counted.rows) < FIRST_ROWS:
                odd[key] = counted
        self.sums.limit()
        for index, key in enumerate(keys if odd and not self.sums.given_up else ()):
            if key in odd and len(odd[key].rows) < FIRST_ROWS:
                odd[key].rows += (row(index),)


def label_pair(
    rule: LabelRule, listed: frozenset[str] | None, expected: Any, output: Any, status: RowStatus
) -> LabelPair | None:
    """What a row counts as; None for a row without a score, and an empty expected text where it is no label.

    `listed` are the labels that every other text is told from; None where any short text may be a label.
    """
    if not status.scored:
        return None
    wanted = rule.read(expected) if expected.__class__ is str else ""
    if listed is not None:
        one = f"={wanted}" if wanted in listed else OTHER
    else:
        one = "=" if _is_long(wanted) else f"={wanted}"
    return one, _given(rule, listed, output, status)


def _given(rule: LabelRule, listed: frozenset[str] | None, output: Any, status: RowStatus) -> LabelKey:
    if output is None or output is MISSING or (output.__class__ is str and not output.strip()):
        return MISSING_OUTPUT
    if status is RowStatus.BLOCKED:
        return BLOCKED
    if status is RowStatus.UNREADABLE:
        return UNREADABLE
    text = rule.read(output) if output.__class__ is str else ""
    if not text or _is_long(text) or (listed is not None and text not in listed):
        return OTHER
    return f"={text}"


def _is_long(cell: Any) -> bool:
    return cell.__class__ is str and (len(cell) > LONGEST or "\n" in cell.strip())


def labels_of(line: EvaluatorLine, roles: Mapping[str, str]) -> LabelCounts | None:
    """What counts the labels of an evaluator; None for one that has none."""
    rule = line.settings.label_rule()
    if rule is None:
        return None
    columns = [column for need in line.settings.needs()[:2] if (column := column_of(need)) is not None]
    return LabelCounts(rule, [column.spelled(roles) for column in columns], any(column.at for column in columns))


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
        table = confusion_matrix(line.name, rule.labels if rule.labels is not None else tuple(found), sums, variant)
        yield _without_metrics(table) if sums.unlisted else table


def _without_metrics(table: ConfusionMatrix) -> ConfusionMatrix:
    """The table as it was counted, without metrics: rows that belong to an unknown label would be in none of them."""

    def counted(metrics: Sequence[LabelMetrics]) -> tuple[LabelMetrics, ...]:
        return tuple(replace(one, precision=None, recall=None, f1=None) for one in metrics)

    return replace(table, labels=counted(table.labels), averages=counted(table.averages))


def confusion_matrix(name: str, labels: Sequence[str], sums: LabelSums, variant: str | None) -> ConfusionMatrix:
    """What was counted, as a table with the metrics of each label and their averages."""
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
        labels=tuple(_metrics(one, confusion) for one, confusion in counts.items()),
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


def _metrics(label: str, counts: Confusion) -> LabelMetrics:
    metrics = [counts.rounded(metric) for metric in _METRICS]
    return LabelMetrics(label, counts.right + counts.missing, counts.right + counts.extra, counts.right, *metrics)


def _averages(counts: Sequence[Confusion]) -> Iterator[LabelMetrics]:
    """Each label alike; all rows together; each label by its rows. Labels that no row has on either side are in none."""
    pooled = Confusion(
        sum(one.right for one in counts), 0, sum(one.missing for one in counts), sum(one.extra for one in counts)
    )
    whole = _metrics("", pooled)
    for name, weights in (("macro", [1] * len(counts)), ("weighted", [one.right + one.missing for one in counts])):
        means = [_mean([one.exact(metric) for one in counts], weights) for metric in _METRICS]
        yield LabelMetrics(name, whole.support, whole.predicted, whole.right, *means)
        if name == "macro":
            yield _metrics("micro", pooled)


def _mean(values: Sequence[Fraction | None], weights: Sequence[int]) -> float | None:
    known = [(value, weight) for value, weight in zip(values, weights, strict=True) if value is not None]
    whole = sum(weight for _, weight in known)
    return float(sum((value * weight for value, weight in known), Fraction(0)) / whole) if whole else None
