"""The tables of a comparison: evaluators, fields, labels, measures, and variants in their order. Every difference stands beside its
interval, and what is called better or worse has a p-value below 0.05."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from evaluators.compare.comparison import (
    Difference,
    LabelDifference,
    NumericColumnDifference,
    RunComparison,
)
from evaluators.reports.document import Item, Listing, PageTable, Paragraph, Section, Tone, dense, heads
from evaluators.run.metrics import (
    UNDEFINED,
    counted,
    difference_interval_text,
    mean_interval_text,
    more_text,
    p_value_text,
    percent_text,
    quantity_text,
    rows_text,
    score_text,
    signed,
)

MOST_FIELDS: Final = 20
"""Fields that a page lists, the worst first; all of them are in the JSON file."""

Cell = TypeVar("Cell")
_FINDING_TONES: Final[dict[str, Tone]] = {
    "better": "good", "worse": "bad", "no clear difference": "plain", "the same": "plain",
    "not measured": "warning",
}  # fmt: skip


_METRICS: Final = heads(
    "#base", "#new", "#difference", "#95 % CI", "#p-value", "verdict", "#fixed", "#broken", "#pairs", "#MDE", "#lost",
    "#gained", "#settled",
)  # fmt: skip
_DETECTABLE: Final = 9
_KEPT: Final = ("evaluator", "field", *(column.head for column in _METRICS[: _DETECTABLE + 1]))


def _metrics(one: Difference) -> tuple[str, ...]:
    return (
        score_text(one.base), score_text(one.new), signed(one.difference), difference_interval_text(one.ci),
        p_value_text(one.p_value_corrected), one.verdict, f"{one.fixed:,}", f"{one.broken:,}", f"{one.pairs:,}",
        score_text(one.minimum_detectable_effect), f"{one.lost:,}", f"{one.gained:,}", f"{one.settled:,}",
    )  # fmt: skip


def evaluator_section(comparison: RunComparison) -> tuple[Section, ...]:
    """The evaluators: what became better or worse, and its p-value."""
    if not comparison.evaluators:
        return ()
    table = PageTable(
        (*heads("evaluator", "variant"), *_METRICS),
        tuple((one.evaluator, one.variant or "", *_metrics(one)) for one in comparison.evaluators),
        tuple(_FINDING_TONES[one.verdict] for one in comparison.evaluators),
    )
    noise = [Paragraph(text) for one in comparison.evaluators for text in _noise(one)]
    return (Section("Evaluators", (dense(table, _KEPT), *noise, Listing(tuple(_legend(comparison))))),)


def _noise(one: Difference) -> Iterable[str]:
    """How many of the changes the model's own noise makes, where the suite knows of several outputs of one question."""
    if one.noise is not None and one.pairs:
        changed = one.fixed + one.broken
        yield (
            f"{one.evaluator}{f' ({one.variant})' if one.variant else ''}: {changed:,} of {counted(one.pairs, 'pair')} changed "
            f"({percent_text(changed / one.pairs)}). Outputs of one question within a run differ in {percent_text(one.noise)} "
            f"of pairs: that would be {one.noise * one.pairs:,.1f} without any change. " + _beyond_noise(one)
        )


def _beyond_noise(one: Difference) -> str:
    if one.verdict in ("better", "worse"):
        return f"By groups, the new run is {one.verdict}."
    if one.verdict == "the same":
        return "Every row scores what it scored before."
    if one.changed_groups == 0:
        return "Every group comes to what it came to before: there is no change beyond that noise."
    return "By groups, no change can be told from that noise."


def _legend(comparison: RunComparison) -> Iterable[Item]:
    tests = sum(one.p_value is not None for one in comparison.evaluators)
    aside = any(one.lost or one.gained or one.settled for one in comparison.evaluators)
    which = "that neither run lost" if aside else "that both runs scored"
    yield Item(f"difference: mean score of the new run less that of the base, over the rows {which}")
    yield Item(
        "95 % CI: where the difference would likely be with many more rows like these"
        + (f"; rows of one {comparison.cluster} count as one" if comparison.cluster else "")
    )
    yield Item(
        "p-value: how often a coin toss would make a difference as large"
        + (f", corrected for {counted(tests, 'test')} (Holm)" if tests > 1 else "")
        + "; below 0.05 the verdict is better or worse"
    )
    unknown = (
        "; unknown with fewer than 6 changes"
        if any(one.minimum_detectable_effect is None for one in comparison.evaluators)
        else ""
    )
    yield Item(
        f"MDE (minimum detectable effect): a true difference smaller than this would often go unseen with so many rows{unknown}"
    )
    if any(one.lost for one in comparison.evaluators):
        yield Item(
            "lost: rows that the base scored and the new run did not; for regression checks they are broken where the base passed"
        )
    if any(one.gained for one in comparison.evaluators):
        yield Item("gained: rows that the new run scored and the base did not")
    if any(one.settled for one in comparison.evaluators):
        yield Item("settled: rows in which nothing is there to score any more, neither expected nor in the output")


def label_section(comparison: RunComparison) -> tuple[Section, ...]:
    """The labels whose metrics changed, the worst first."""
    if not comparison.labels:
        return ()
    found = _by_label(comparison.labels)
    moved = [one for one in found if any(each.difference or each.base != each.new for each in one)]
    moved.sort(key=lambda one: (one[-1].average, one[-1].difference is None, one[-1].difference or 0.0))
    table = PageTable(
        heads("evaluator", "variant", "label", "#expected", "#F1 in base", "#F1 in new", "#difference", "#precision", "#recall"),
        tuple(_label_row(*one) for one in moved),
    )  # fmt: skip
    blocks = _first_of(table, [column.head for column in table.columns if column.head != "variant"], "label")
    same = sum(not one[0].average for one in found) - sum(not one[0].average for one in moved)
    if same:
        blocks.append(Paragraph(f"{counted(same, 'label')} {'has' if same == 1 else 'have'} the same metrics."))
    blocks.append(
        Paragraph("Each over all rows of its run. Differences of evaluators have p-values, those of labels have none.")
    )
    return (Section("Labels", tuple(blocks)),)


def _first_of(table: PageTable, kept: Sequence[str], noun: str) -> list[PageTable | Paragraph]:
    """The first rows of a table, and how many more there are."""
    first = PageTable(table.columns, table.rows[:MOST_FIELDS], table.tones[:MOST_FIELDS])
    more = len(table.rows) - MOST_FIELDS
    rest = [Paragraph(f"{more_text(more, noun)} in the JSON file.")] if more > 0 else []
    return [*([dense(first, kept)] if table.rows else []), *rest]


def _by_label(labels: Sequence[LabelDifference]) -> list[tuple[LabelDifference, LabelDifference, LabelDifference]]:
    """Precision, recall and F1 of each label side by side."""
    metrics = {metric: [one for one in labels if one.metric == metric] for metric in ("precision", "recall", "f1")}
    return list(zip(metrics["precision"], metrics["recall"], metrics["f1"], strict=True))


def _label_row(precision: LabelDifference, recall: LabelDifference, f1: LabelDifference) -> tuple[str, ...]:
    return (
        f1.evaluator, f1.variant or "", f"{f1.label} average" if f1.average else f1.label, f"{f1.support:,}",
        score_text(f1.base), score_text(f1.new), signed(f1.difference), _moved(precision), _moved(recall),
    )  # fmt: skip


def _moved(one: LabelDifference) -> str:
    before, after = score_text(one.base), score_text(one.new)
    return before if before == after else f"{before} → {after}"


def measure_section(comparison: RunComparison) -> tuple[Section, ...]:
    """The columns of numbers."""
    if not comparison.measures:
        return ()
    table = PageTable(
        heads("measure", "variant", "metric", "#base", "#new", "#difference", "#change"),
        tuple(_measure_row(one) for one in comparison.measures),
    )  # fmt: skip
    said = Paragraph(
        "Each over all rows of its run. A measure is not better or worse by itself: a gate can say what it may be."
    )
    return (Section("Measures", (dense(table, ("measure", "metric", "base", "new", "difference", "change")), said)),)


def _measure_row(one: NumericColumnDifference) -> tuple[str, ...]:
    change = one.difference / abs(one.base) if one.difference is not None and one.base else None
    return (
        one.measure, one.variant or "", one.metric, quantity_text(one.base), quantity_text(one.new),
        _quantity_signed(one.difference), UNDEFINED if change is None else f"{change:+.1%}".replace("%", " %"),
    )  # fmt: skip


def _quantity_signed(value: float | None) -> str:
    return UNDEFINED if value is None else f"{'+' if value > 0 else ''}{quantity_text(value)}"


def field_section(comparison: RunComparison) -> tuple[Section, ...]:
    """The fields that changed, the worst first."""
    changed = [one for one in comparison.fields if one.fixed or one.broken or one.unpaired or one.difference]
    same = len(comparison.fields) - len(changed)
    if not comparison.fields:
        return ()
    changed.sort(key=lambda one: (one.difference is None, one.difference or 0.0))
    table = PageTable(
        (*heads("evaluator", "field", "variant"), *_without_detectable(_METRICS)),
        tuple(
            (one.evaluator, one.field or "", one.variant or "", *_without_detectable(_metrics(one))) for one in changed
        ),
        tuple(_FINDING_TONES[one.verdict] for one in changed),
    )
    blocks, shown = _first_of(table, _KEPT, "field"), changed[:MOST_FIELDS]
    if same:
        blocks.append(Paragraph(f"{counted(same, 'field')} {'is' if same == 1 else 'are'} the same in every row."))
    tests = sum(one.p_value is not None for one in comparison.fields)
    if shown and tests > 1:
        blocks.append(Paragraph(f"Here, p-values are corrected for the {tests:,} fields (Holm)."))
    if any(one.unit == "values" for one in shown):
        blocks.append(
            Paragraph(
                "base and new: of all values of a field, the share that is right, as in the report of each run. A row may "
                "have several values of a field; fixed, broken and pairs count rows, in which all values are right or not."
            )
        )
    return (Section("Fields", tuple(blocks)),)


def _without_detectable(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    return (*cells[:_DETECTABLE], *cells[_DETECTABLE + 1 :])


def ranking_section(comparison: RunComparison) -> tuple[Section, ...]:
    """The variants in their order, for each evaluator."""
    if not comparison.rankings:
        return ()
    table = PageTable(
        heads("evaluator", "#rank", "variant", "#mean score", "#95 % CI", "#passed", "cannot be told apart from"),
        tuple(
            (
                ranking.evaluator, str(one.rank), one.variant, score_text(one.mean), mean_interval_text(one.ci),
                f"{one.passed:,} of {ranking.rows:,}", ", ".join(one.alike),
            )
            for ranking in comparison.rankings
            for one in ranking.variants
        ),
    )  # fmt: skip
    legend = [
        Item("rank: 1 + the number of variants that are clearly better, by the rows that every ranked variant has"),
        Item("95 % CI: where the mean score would likely be with many more rows like these"),
        Item(
            "cannot be told apart from: the p-value of the difference is 0.05 or more (every two are tested, corrected after Holm)"
        ),
    ]
    blocks: list[PageTable | Listing] = [table] if table.rows else []
    aside = tuple(
        Item(
            f"{ranking.evaluator}, {one.variant}: not ranked: {one.lacking:,} of {rows_text(one.others)} that others have are missing",
            tone="warning",
        )
        for ranking in comparison.rankings
        for one in ranking.unranked
    )
    return (Section("Variants", (*blocks, *((Listing(aside),) if aside else ()), Listing(tuple(legend)))),)
