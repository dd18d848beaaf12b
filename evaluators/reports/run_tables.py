"""The tables of a run: fields with the lowest accuracy, labels, and columns of numbers. Those of gates and evaluators are in `tables`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from evaluators.builtin._scored_fields import CHOICE
from evaluators.fields.empty_values import EMPTY_RATES
from evaluators.reports.document import Head, Item, Listing, PageTable, Paragraph, Section, dense, heads
from evaluators.reports.mistakes import Mistake
from evaluators.run.intervals import wilson
from evaluators.run.metrics import (
    counted,
    full_name,
    interval_text,
    more_text,
    percent_text,
    quantity_interval_text,
    quantity_text,
    rows_text,
    score_text,
    with_variant,
)
from evaluators.run.result import (
    ConfusionMatrix,
    Counts,
    EvaluatorStats,
    FieldStats,
    LabelCell,
    LabelMetrics,
    MetricStats,
    NumericColumnStats,
    RunResult,
)
from evaluators.values.quoting import first_ones


def lowest_section(result: RunResult, most: int) -> tuple[Section, ...]:
    """At most that many fields, the weakest first, and the fields that no row measured.

    The order is that of the upper end of the 95 % CI: a field that is wrong in its only row stands behind one that
    is wrong in a hundred of two hundred.
    """
    fields = _fields(result)
    if not fields:
        return ()
    weak, unmeasured = weak_fields(result), unmeasured_fields(result)
    blocks: list[Paragraph | PageTable] = []
    if weak and most:
        blocks.append(_weak_table(weak[:most]))
    if len(weak) > most:
        blocks.append(Paragraph(f"{more_text(len(weak) - max(most, 0), 'field')} below 1.0000; run.json has all."))
    metrics = [field.accuracy for _, field in weak[:most] if field.accuracy is not None]
    if metrics != sorted(metrics):
        blocks.append(Paragraph(_ORDER))
    broken = any(field.counts.not_judged for _, field in fields)
    if not weak and not broken and any(field.counts.n for _, field in fields):
        blocks.append(Paragraph("Every field that was measured is right in every row.", "good"))
    if unmeasured:
        blocks.append(Paragraph(f"Measured in no row: {first_ones(unmeasured, 10)}.", "warning"))
    blocks.extend(
        Paragraph(
            f"{full_name(stats)}: {counted(stats.fields_not_listed, 'more path')} counted in the score, not listed."
        )
        for stats in result.evaluators
        if stats.fields_not_listed
    )
    return (Section("Fields with the lowest accuracy", tuple(blocks), id="fields"),) if blocks else ()


def empty_section(result: RunResult) -> tuple[Section, ...]:
    """How often fields have something where nothing is expected, and nothing where something is, with what all fields come to;
    nothing where neither happens."""
    rows: list[tuple[str, ...]] = []
    for stats in result.evaluators:
        listed = [one for one in stats.fields if one.invented_rate or one.left_empty_rate][:MOST_WEAK]
        if listed:
            rows += (_empty_cells(stats, one.path, one) for one in listed)
            rows.append(_empty_cells(stats, None, stats))
    if not rows:
        return ()
    table = PageTable(_EMPTY_COLUMNS, tuple(rows))
    said = Paragraph(
        'Empty is absent, null, "", [] or {}, and what the suite calls absent, whatever `nulls` says.', "note"
    )
    return (Section("Invented, and left empty", (dense(table, _EMPTY_KEPT), said), id="empty"),)


_EMPTY_COLUMNS: Final = (
    Head("evaluator"), Head("variant"), Head("field"), Head("invented rate", True), Head("95 % CI", True), Head("n", True),
    Head("left empty rate", True), Head("its 95 % CI", True), Head("its n", True),
)  # fmt: skip
_EMPTY_KEPT: Final = tuple(one.head for one in _EMPTY_COLUMNS if one.head != "variant")


def _empty_cells(stats: EvaluatorStats, path: str | None, one: EvaluatorStats | FieldStats) -> tuple[str, ...]:
    cis = (stats.metric_ci(path, metric) for metric in EMPTY_RATES)
    invented, left_empty = (interval_text(known.ci if known is not None else None) for known in cis)
    return (
        stats.name, stats.variant or "", "all fields" if path is None else path,
        percent_text(one.invented_rate), invented, f"{one.expected_empty:,}",
        percent_text(one.left_empty_rate), left_empty, f"{one.expected_filled:,}",
    )  # fmt: skip


def mistake_section(found: Sequence[Mistake], until: int | None) -> tuple[Section, ...]:
    """The most frequent mistakes, at most 50 of them; nothing where none is known."""
    if not found:
        return ()
    several = len({(one.evaluator, one.variant) for one in found}) > 1
    items = [
        Item(
            f"{one.count:,} × {mistake_place(one, several)}, {'rows' if one.in_rows > 1 else 'row'} {mistake_rows(one)}: {one.said}"
        )
        for one in found[:MOST_MISTAKES]
    ]
    if len(found) > MOST_MISTAKES:
        items.append(Item(f"and {counted(len(found) - MOST_MISTAKES, 'less frequent mistake')} not listed", tone="note"))
    title = "Most frequent mistakes" + (f" up to row {until:,}" if until is not None else "")
    return (Section(title, (Listing(tuple(items)),), id="mistakes"),)


def mistake_place(one: Mistake, several: bool) -> str:
    """The field of a mistake; its evaluator, too, where mistakes of several are listed."""
    variant = f"{one.variant}: " if one.variant is not None else ""
    if not one.field:
        return f"{variant}{one.evaluator}"
    return f"{variant}{one.evaluator}: {one.field}" if several else f"{variant}{one.field}"


def mistake_rows(one: Mistake) -> str:
    """The first rows of a mistake."""
    rows = ", ".join(f"{row:,}" for row in one.rows)
    return f"{rows} …" if one.in_rows > len(one.rows) else rows


def weak_fields(result: RunResult) -> list[tuple[EvaluatorStats, FieldStats]]:
    """The fields that are not always right, the weakest first, each with its evaluator."""
    weak = [(stats, field) for stats, field in _fields(result) if field.accuracy is not None and field.accuracy < 1]
    return sorted(weak, key=lambda pair: weakness(*pair))


def unmeasured_fields(result: RunResult) -> list[str]:
    """The fields that no row measured, each with its evaluator."""
    return [f"{full_name(stats)} → {field.path}" for stats, field in _fields(result) if _is_unmeasured(field)]


def _fields(result: RunResult) -> list[tuple[EvaluatorStats, FieldStats]]:
    return [(stats, field) for stats in result.evaluators for field in stats.fields]


MOST_WEAK: Final = 100
"""Fields that the page with every table lists."""
MOST_MISTAKES: Final = 50
"""Mistakes that it lists."""
_ORDER: Final = "A low metric from few rows may be chance, so it comes after a surer one."


def _is_unmeasured(field: FieldStats) -> bool:
    """Whether a field was measured in no row, though it is not optional, not only skipped, and not an aligned array."""
    counts = field.counts
    only_skipped = counts.skipped > 0 and counts.not_measured == counts.not_judged == 0
    return counts.n == 0 and not field.optional and not only_skipped and field.array is None


def weakness(stats: EvaluatorStats, field: FieldStats) -> tuple[float, float, str, str, str]:
    """What fields are sorted by, the weakest first: the upper end of the interval, since wrong once in one row may be chance."""
    likely = wilson(field.counts.match, field.counts.n)
    return likely.high if likely else 1.0, field.accuracy or 0.0, stats.name, stats.variant or "", field.path


def _weak_table(weak: Sequence[tuple[EvaluatorStats, FieldStats]]) -> PageTable:
    table = PageTable(
        (*heads("evaluator", "variant", "field", "#accuracy"), *_STATUS_COLUMNS),
        tuple(
            (stats.name, stats.variant or "", field.path, score_text(field.accuracy), *_status_cells(field.counts))
            for stats, field in weak
        ),
    )
    return dense(table, ("evaluator", "field", "accuracy", "n", "right", "wrong", "missing", "extra"))


_STATUS_COLUMNS: Final = heads("#n", "#right", "#wrong", "#missing", "#extra", "#error", "#not judged")


def _status_cells(counts: Counts) -> tuple[str, ...]:
    found = (
        counts.n, counts.match, counts.mismatch, counts.omission, counts.hallucination, counts.error, counts.not_judged,
    )  # fmt: skip
    return tuple(f"{count:,}" for count in found)


def field_section(stats: EvaluatorStats) -> Section:
    """Every field of one evaluator, with its counts and ratios."""
    table = PageTable(
        (*heads("field", "#accuracy"), *_STATUS_COLUMNS, *heads("#skipped", "#not measured", "#precision", "#recall", "#F1")),
        tuple(_field_row(field) for field in stats.fields),
    )  # fmt: skip
    more = (Paragraph(f"{counted(stats.fields_not_listed, 'more path')} counted in the score, not listed."),)
    metrics = (
        f"{stats.type}; mean score {score_text(stats.mean)}, {stats.scored:,} of {rows_text(stats.rows)} scored; "
        f"precision {score_text(stats.micro_precision)}, recall {score_text(stats.micro_recall)}, F1 {score_text(stats.micro_f1)}"
    )
    if stats.minimum_detectable_effect is not None:
        metrics += f"; two runs of so many rows would show a difference of means from about {score_text(stats.minimum_detectable_effect)}"
    return Section(full_name(stats), (Paragraph(metrics), table, *(more if stats.fields_not_listed else ())))


def _field_row(field: FieldStats) -> tuple[str, ...]:
    return (
        field.path, score_text(field.accuracy), *_status_cells(field.counts), f"{field.counts.skipped:,}",
        f"{field.counts.not_measured:,}", score_text(field.precision), score_text(field.recall), score_text(field.f1),
    )  # fmt: skip


def choice_table(result: RunResult) -> PageTable:
    """How many rows a judge gave each of its choices, by evaluator and variant."""
    return PageTable(
        heads("judge's choice", "evaluator", "#rows", "#share", "#95 % CI", "#n"),
        tuple(
            _choice_row(stats, one, clustered=result.cluster is not None)
            for stats in result.evaluators
            for one in stats.metrics
            if one.name.startswith(CHOICE)
        ),
    )


def choice_sections(result: RunResult) -> tuple[Section, ...]:
    """What judges chose; nothing where none has choices."""
    table = choice_table(result)
    return (Section("Choices", (table,)),) if table.rows else ()


def _choice_row(stats: EvaluatorStats, one: MetricStats, clustered: bool) -> tuple[str, ...]:
    """A panel's choices count in part, and the rows of a cluster together: neither has an interval of a rate."""
    rows = (one.mean or 0.0) * one.n
    interval = None if clustered or stats.metric("agreement") is not None else wilson(round(rows), one.n)
    share = percent_text(one.mean)
    return (
        one.name.removeprefix(CHOICE),
        full_name(stats),
        quantity_text(rows),
        share,
        interval_text(interval),
        f"{one.n:,}",
    )


MOST_COLUMNS: Final = 25
"""Labels of which the whole table is shown; of more, the confusions that occur most."""
MOST_CONFUSIONS: Final = 10


def label_sections(result: RunResult) -> tuple[Section, ...]:
    """A section for each evaluator that has labels, by variant."""
    said = "Rows expect the label on the left; their outputs are in the columns."
    return tuple(
        label_section(table, f"Confusion matrix: {with_variant(table.evaluator, table.variant)}", said, label_id(index))
        for index, table in enumerate(result.confusion_matrices)
    )


def label_id(index: int) -> str:
    """What formats know the section of a table by, from its place among those of the run."""
    return f"labels-{index}"


def label_section(table: ConfusionMatrix, title: str, said: str, id_: str = "") -> Section:
    """A confusion matrix, what it says, the metrics of its labels, and what was taken for what."""
    blocks: list[PageTable | Paragraph | Listing] = []
    if len(table.labels) <= MOST_COLUMNS:
        blocks += [Paragraph(said), _confusions(table)]
    blocks.append(_label_metrics(table))
    wrong = sorted((one for one in table.cells if one.expected != one.output), key=lambda one: -one.count)
    if wrong:
        shown = tuple(Item(_cell_text(one)) for one in wrong[:MOST_CONFUSIONS])
        blocks.append(Paragraph("What was taken for what:"))
        blocks.append(Listing(shown))
        if len(wrong) > MOST_CONFUSIONS:
            blocks.append(Paragraph(f"{counted(len(wrong) - MOST_CONFUSIONS, 'more kind')} in run.json."))
    return Section(title, tuple(blocks), id=id_)


def _confusions(table: ConfusionMatrix) -> PageTable:
    counts = {(one.expected, one.output): one.count for one in table.cells}
    rows = [one.label for one in table.labels]
    rows += [one for one in dict.fromkeys(cell.expected for cell in table.cells) if one not in rows]
    return PageTable(
        (Head("expected"), *(Head(one, True) for one in table.columns)),
        tuple((row, *(f"{counts.get((row, column), 0):,}" for column in table.columns)) for row in rows),
    )


def _label_metrics(table: ConfusionMatrix) -> PageTable:
    heads = ("support", "predicted", "right", "precision", "recall", "F1")
    return PageTable(
        (Head("label"), *(Head(one, True) for one in heads)),
        (*map(_metric_row, table.labels), *(_metric_row(one, " average") for one in table.averages)),
    )


def _metric_row(one: LabelMetrics, average: str = "") -> tuple[str, ...]:
    metrics = map(score_text, (one.precision, one.recall, one.f1))
    return f"{one.label}{average}", f"{one.support:,}", f"{one.predicted:,}", f"{one.right:,}", *metrics


def _cell_text(cell: LabelCell) -> str:
    rows = ", ".join(f"{row} ({name})" if name and name != str(row) else f"{row}" for row, name in cell.first_rows)
    more = f" and {cell.count - len(cell.first_rows):,} more" if cell.count > len(cell.first_rows) else ""
    return (
        f"{cell.expected} → {cell.output}: {counted(cell.count, 'row')}; row{'' if cell.count == 1 else 's'} {rows}{more}"
    )


MOST_SLICES: Final = 20
"""Slices that a summary lists for all measures together; all of them are in run.json."""

_MEASURE_COLUMNS: Final = heads(
    "measure", "slice", "variant", "#mean", "#95 % CI", "#median", "#p95", "#min", "#max", "#sum", "#n", "#missing",
    "#unreadable",
)  # fmt: skip
_ALWAYS: Final = ("measure", "mean", "95 % CI", "median", "p95", "sum", "min", "max", "n")


def measure_section(result: RunResult) -> tuple[Section, ...]:
    """The measures with their metrics and counts, then those of slices; nothing without measures."""
    if not result.measures:
        return ()
    whole = result.whole_measures
    slices = [one for one in result.measures if one.slice is not None]
    table = dense(PageTable(_MEASURE_COLUMNS, tuple(map(_measure_row, whole))), _ALWAYS)
    blocks: list[PageTable | Listing | Paragraph] = [table, Listing(tuple(_measure_remarks(result, whole)))]
    if slices:
        blocks.append(Paragraph("By slice:"))
        blocks.append(
            dense(PageTable(_MEASURE_COLUMNS, tuple(map(_measure_row, slices[:MOST_SLICES]))), (*_ALWAYS, "slice"))
        )
        if len(slices) > MOST_SLICES:
            rest = len(slices) - MOST_SLICES
            blocks.append(Paragraph(f"The first {MOST_SLICES}; {more_text(rest, 'slice')} in run.json."))
    return (Section("Measures", tuple(blocks)),)


def _measure_row(one: NumericColumnStats) -> tuple[str, ...]:
    about = f"{one.slice[0].removeprefix('row.')} = {one.slice[1]}" if one.slice else ""
    metrics = (one.median, one.p95, one.min, one.max)
    total = quantity_text(one.sum, 7)
    return (
        one.name, about, one.variant or "", quantity_text(one.mean), quantity_interval_text(one.mean_ci),
        *map(quantity_text, metrics), total, f"{one.n:,} of {one.rows:,}", f"{one.missing:,}", f"{one.unreadable:,}",
    )  # fmt: skip


def _measure_remarks(result: RunResult, whole: tuple[NumericColumnStats, ...]) -> Iterator[Item]:
    for one in whole:
        if one.missing and one.of_judges:
            yield Item(f"{one.name}: the {one.column} of {rows_text(one.missing)} is not known", tone="warning")
        elif one.missing:
            cells = counted(one.missing, "cell")
            yield Item(f"{one.name}: {cells} of {one.column} {'is' if one.missing == 1 else 'are'} empty", tone="note")
        if one.unreadable:
            cells = counted(one.unreadable, "cell")
            are = "is not a number" if one.unreadable == 1 else "are not numbers"
            yield Item(f"{one.name}: {cells} of {one.column} {are}", tone="warning")
        if one.digits is not None:
            text = f"median and p95 are cut after {counted(one.digits, 'significant digit')}"
            yield Item(f"{one.name}: it has too many different numbers to keep, so its {text}", tone="note")
    together = f"; rows of one {result.cluster} count as one" if result.cluster else ""
    yield Item(f"95 % CI: where the mean would likely be with many more rows like these{together}")
    yield Item("p95: at least 95 % of the numbers are no greater than this")
