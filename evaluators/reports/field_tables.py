"""The tables of fields: the weakest of a run, and all of an evaluator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evaluators.reports.document import Head, PageTable, Paragraph, Section, dense
from evaluators.reports.tables import full_name
from evaluators.run.figures import counted, more_text, rows_text, score_text
from evaluators.run.intervals import wilson
from evaluators.run.result import Counts, EvaluatorStats, FieldStats, RunResult


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
        blocks.append(Paragraph(f"{more_text(len(weak) - max(most, 0), 'field')} below 1.0000."))
    figures = [field.accuracy for _, field in weak[:most] if field.accuracy is not None]
    if figures != sorted(figures):
        blocks.append(Paragraph(_ORDER))
    broken = any(field.counts.not_judged for _, field in fields)
    if not weak and not broken and any(field.counts.n for _, field in fields):
        blocks.append(Paragraph("Every field that was measured is right in every row.", "good"))
    if unmeasured:
        blocks.append(Paragraph(f"Measured in no row: {_some(unmeasured)}.", "warning"))
    blocks.extend(
        Paragraph(
            f"{full_name(stats)}: {counted(stats.fields_not_listed, 'more path')} counted in the score, not listed."
        )
        for stats in result.evaluators
        if stats.fields_not_listed
    )
    return (Section("Fields with the lowest accuracy", tuple(blocks)),) if blocks else ()


def weak_fields(result: RunResult) -> list[tuple[EvaluatorStats, FieldStats]]:
    """The fields that are not always right, the weakest first, each with its evaluator."""
    return sorted(((stats, field) for stats, field in _fields(result) if _below_one(field)), key=_weakness)


def unmeasured_fields(result: RunResult) -> list[str]:
    """The fields that no row measured, each with its evaluator."""
    return [f"{full_name(stats)} → {field.path}" for stats, field in _fields(result) if _gap(field)]


def _fields(result: RunResult) -> list[tuple[EvaluatorStats, FieldStats]]:
    return [(stats, field) for stats in result.evaluators for field in stats.fields]


_ORDER: Final = "A low figure from few rows may be chance, so it comes after a surer one."


def _gap(field: FieldStats) -> bool:
    """No row measured it, and nothing says that this is as it should be."""
    counts = field.counts
    only_skipped = counts.skipped > 0 and counts.not_measured == counts.not_judged == 0
    return counts.n == 0 and not field.optional and not only_skipped and field.array is None


def _below_one(field: FieldStats) -> bool:
    return field.accuracy is not None and field.accuracy < 1


def _weakness(pair: tuple[EvaluatorStats, FieldStats]) -> tuple[float, float, str, str, str]:
    stats, field = pair
    likely = wilson(field.counts.match, field.counts.n)
    return likely.high if likely else 1.0, field.accuracy or 0.0, stats.name, stats.variant or "", field.path


def _weak_table(weak: Sequence[tuple[EvaluatorStats, FieldStats]]) -> PageTable:
    table = PageTable(
        (Head("evaluator"), Head("variant"), Head("field"), Head("accuracy", True), *_STATUS_COLUMNS),
        tuple(
            (stats.name, stats.variant or "", field.path, score_text(field.accuracy), *_status_cells(field.counts))
            for stats, field in weak
        ),
    )
    return dense(table, ("evaluator", "field", "accuracy", "n", "right", "wrong", "missing", "extra"))


_STATUS_COLUMNS: Final = (
    Head("n", True), Head("right", True), Head("wrong", True), Head("missing", True),
    Head("extra", True), Head("error", True), Head("not judged", True),
)  # fmt: skip


def _status_cells(counts: Counts) -> tuple[str, ...]:
    found = (
        counts.n, counts.match, counts.mismatch, counts.omission, counts.hallucination, counts.error, counts.not_judged,
    )  # fmt: skip
    return tuple(f"{count:,}" for count in found)


def field_section(stats: EvaluatorStats) -> Section:
    """Every field of one evaluator, with its counts and ratios."""
    table = PageTable(
        (
            Head("field"), Head("accuracy", True), *_STATUS_COLUMNS, Head("skipped", True),
            Head("not measured", True), Head("precision", True), Head("recall", True), Head("F1", True),
        ),
        tuple(_field_row(field) for field in stats.fields),
    )  # fmt: skip
    more = (Paragraph(f"{counted(stats.fields_not_listed, 'more path')} counted in the score, not listed."),)
    figures = (
        f"{stats.type}; mean score {score_text(stats.mean)}, {stats.scored:,} of {rows_text(stats.rows)} scored; "
        f"precision {score_text(stats.micro_precision)}, recall {score_text(stats.micro_recall)}, F1 {score_text(stats.micro_f1)}"
    )
    if stats.minimum_detectable_effect is not None:
        figures += f"; two runs of so many rows would show a difference of means from about {score_text(stats.minimum_detectable_effect)}"
    return Section(full_name(stats), (Paragraph(figures), table, *(more if stats.fields_not_listed else ())))


def _field_row(field: FieldStats) -> tuple[str, ...]:
    return (
        field.path, score_text(field.accuracy), *_status_cells(field.counts), f"{field.counts.skipped:,}",
        f"{field.counts.not_measured:,}", score_text(field.precision), score_text(field.recall), score_text(field.f1),
    )  # fmt: skip


def _some(names: Sequence[str], most: int = 10) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown
