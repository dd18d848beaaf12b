"""A comparison of two runs as a page, in the order of questions: may it go in, what got better or worse, which rows.

Every difference stands beside its interval, and what is called better or worse is what chance does not explain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from evaluators.compare.comparison import (
    Change,
    ChangedRow,
    Difference,
    GuardResult,
    LabelDifference,
    MeasureDifference,
    Ranking,
    RunComparison,
)
from evaluators.reports.document import Head, Item, Listing, Page, PageTable, Paragraph, Section, Tone, dense, listed
from evaluators.run.figures import UNDEFINED, counted, mean_interval_text, more_text, quantity_text, rows_text, score_text
from evaluators.run.result import Interval
from evaluators.words import plain_word

MOST_ROWS: Final = 20
"""Broken rows, and fixed rows, that a page lists; all of them are in the JSON file."""
MOST_CHANGES: Final = 5
"""Fields of such a row that a page lists; all of them are in the JSON file."""
MOST_FIELDS: Final = 20
"""Fields that a page lists, the worst first; all of them are in the JSON file."""

Cell = TypeVar("Cell")
_FINDING_TONES: Final[dict[str, Tone]] = {
    "better": "good", "worse": "bad", "no clear difference": "plain", "the same": "plain",
    "not measured": "warning",
}  # fmt: skip
_GUARD_TONES: Final[dict[str, Tone]] = {"passed": "good", "failed": "bad", "undecided": "warning"}
_GUARD_WORDS: Final = {"passed": "passed", "failed": "FAILED", "undecided": "UNDECIDED"}


def comparison_page(comparison: RunComparison, files: Sequence[str] = ()) -> Page:
    """The page of a comparison. `files` are lines about what was written."""
    sections = (
        _opening(comparison),
        *_why_not(comparison),
        *_guards(comparison),
        *_evaluators(comparison),
        *_fields(comparison),
        *_labels(comparison),
        *_measures(comparison),
        *_rankings(comparison),
        *_rows("Broken rows", comparison, "broken"),
        *_rows("Lost rows", comparison, "lost"),
        *_rows("Fixed rows", comparison, "fixed"),
        *_rows("Gained rows", comparison, "gained"),
        *_rows("Settled rows", comparison, "settled"),
        *listed("Notes", (Item(note, tone="note") for note in comparison.notes)),
        _ending(comparison, files),
    )
    return Page(f"{comparison.name}: {headline(comparison)}", sections, _tone(comparison))


def headline(comparison: RunComparison) -> str:
    """How the comparison ended, in a few words."""
    if comparison.incomparable:
        return "the runs cannot be compared"
    if comparison.exit_code:
        return "FAILED" if comparison.exit_code == 1 else "not everything could be compared"
    if not comparison.evaluators:
        return f"{counted(len(_ranked_variants(comparison.rankings)), 'variant')} compared"
    found = [one.verdict for one in (*comparison.evaluators, *comparison.fields)]
    if "worse" in found:
        return "better and worse" if "better" in found else "clearly worse"
    if "better" in found:
        return "clearly better"
    return "no clear difference" if comparison.changed or "no clear difference" in found else "no difference"


def comparison_line(comparison: RunComparison) -> str:
    """The comparison in one line, with the first cause."""
    cause = f" ({comparison.causes[0]})" if comparison.causes else ""
    changed = f"{comparison.fixed:,} fixed, {comparison.broken:,} broken" + (
        f", {comparison.lost:,} lost" if comparison.lost else ""
    )
    counts = (
        "" if comparison.incomparable or not comparison.evaluators else f"; {changed} of {rows_text(comparison.rows)}"
    )
    return f"{comparison.name}: {headline(comparison)}{counts}{cause}"


def signed(value: float | None) -> str:
    """A difference with its sign: `+0.0625`."""
    if value is None:
        return UNDEFINED
    return "0" if value == 0 else f"{'-' if value < 0 else '+'}{score_text(abs(value))}"


def chance(p: float | None) -> str:
    """A p-value: `0.0312`, `<0.0001`."""
    if p is None:
        return UNDEFINED
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def _between(interval: Interval | None) -> str:
    return UNDEFINED if interval is None else f"[{signed(interval.low)}, {signed(interval.high)}]"


def _tone(comparison: RunComparison) -> Tone:
    if comparison.exit_code:
        return "bad" if comparison.exit_code == 1 else "warning"
    worse = any(one.verdict == "worse" for one in (*comparison.evaluators, *comparison.fields))
    return "warning" if worse else "good"


def _opening(comparison: RunComparison) -> Section:
    if comparison.rankings and not comparison.evaluators:
        rows = f"{rows_text(comparison.rows)} that every ranked variant has"
        return Section(None, (Paragraph(f"Variants: {comparison.base}, {comparison.new}"), Paragraph(rows)))
    places = Paragraph(f"Base: {comparison.base}. New: {comparison.new}.")
    if comparison.incomparable:
        return Section(None, (places,))
    counts = [f"{comparison.fixed:,} fixed", f"{comparison.broken:,} broken", f"{comparison.unchanged:,} unchanged"]
    further = (
        (comparison.lost, "lost"), (comparison.gained, "gained"), (comparison.settled, "settled"),
        (comparison.never_measured, "never measured"),
    )  # fmt: skip
    counts += [f"{count:,} {word}" for count, word in further if count]
    both = comparison.rows - comparison.one_sided
    rows = (
        f"{rows_text(comparison.rows)}, {both:,} of them in both runs"
        if comparison.one_sided
        else f"{rows_text(both)} in both runs"
    )
    return Section(None, (places, Paragraph(f"{rows}: {', '.join(counts)}")))


def _why_not(comparison: RunComparison) -> tuple[Section, ...]:
    if not comparison.incomparable:
        return ()
    items = tuple(Item(reason, tone="warning") for reason in comparison.incomparable)
    hint = Paragraph("With --common, what both runs have in common is compared all the same.")
    return (Section("What differs", (Listing(items), *((hint,) if comparison.rows else ()))),)


def _guards(comparison: RunComparison) -> tuple[Section, ...]:
    if not comparison.guards:
        return ()
    order = ("failed", "undecided", "passed")
    guards = sorted(comparison.guards, key=lambda guard: order.index(guard.verdict))
    table = PageTable(
        (Head("guard"), Head("of"), Head("variant"), Head("verdict"), Head("found")),
        tuple(_guard_row(guard) for guard in guards),
        tuple(_GUARD_TONES[guard.verdict] for guard in guards),
    )
    return (Section("Guards", (dense(table, ("guard", "verdict", "found")),)),)


def _guard_row(guard: GuardResult) -> tuple[str, ...]:
    return guard.rule, guard.target or "", guard.variant or "", _GUARD_WORDS[guard.verdict], guard.message


_FIGURES: Final = (
    Head("base", True), Head("new", True), Head("difference", True), Head("95 % CI", True),
    Head("p-value", True), Head("verdict"), Head("fixed", True), Head("broken", True), Head("pairs", True),
    Head("MDE", True), Head("lost", True), Head("gained", True), Head("settled", True),
)  # fmt: skip
_DETECTABLE: Final = 9
_KEPT: Final = ("evaluator", "field", *(column.head for column in _FIGURES[: _DETECTABLE + 1]))


def _figures(one: Difference) -> tuple[str, ...]:
    return (
        score_text(one.base), score_text(one.new), signed(one.difference), _between(one.ci), chance(one.p_value_corrected),
        one.verdict, f"{one.fixed:,}", f"{one.broken:,}", f"{one.pairs:,}", score_text(one.minimum_detectable_effect),
        f"{one.lost:,}", f"{one.gained:,}", f"{one.settled:,}",
    )  # fmt: skip


def _evaluators(comparison: RunComparison) -> tuple[Section, ...]:
    if not comparison.evaluators:
        return ()
    table = PageTable(
        (Head("evaluator"), Head("variant"), *_FIGURES),
        tuple((one.evaluator, one.variant or "", *_figures(one)) for one in comparison.evaluators),
        tuple(_FINDING_TONES[one.verdict] for one in comparison.evaluators),
    )
    return (Section("Evaluators", (dense(table, _KEPT), Listing(tuple(_legend(comparison))))),)


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
            "lost: rows that the base scored and the new run did not; for guards they are broken where the base passed"
        )
    if any(one.gained for one in comparison.evaluators):
        yield Item("gained: rows that the new run scored and the base did not")
    if any(one.settled for one in comparison.evaluators):
        yield Item("settled: rows in which nothing is there to score any more, neither expected nor in the output")


def _labels(comparison: RunComparison) -> tuple[Section, ...]:
    if not comparison.labels:
        return ()
    found = _by_label(comparison.labels)
    moved = [one for one in found if any(each.difference or each.base != each.new for each in one)]
    moved.sort(key=lambda one: (one[-1].average, one[-1].difference is None, one[-1].difference or 0.0))
    table = PageTable(
        (
            Head("evaluator"), Head("variant"), Head("label"), Head("expected", True), Head("F1 in base", True),
            Head("F1 in new", True), Head("difference", True), Head("precision", True), Head("recall", True),
        ),
        tuple(_label_row(*one) for one in moved[:MOST_FIELDS]),
    )  # fmt: skip
    kept = tuple(column.head for column in table.columns if column.head != "variant")
    blocks: list[PageTable | Paragraph] = [dense(table, kept)] if moved else []
    if len(moved) > MOST_FIELDS:
        blocks.append(Paragraph(f"{more_text(len(moved) - MOST_FIELDS, 'label')} in the JSON file."))
    same = sum(not one[0].average for one in found) - sum(not one[0].average for one in moved)
    if same:
        blocks.append(Paragraph(f"{counted(same, 'label')} {'has' if same == 1 else 'have'} the same figures."))
    blocks.append(
        Paragraph("Each over all rows of its run. Whether chance explains a difference is tested for evaluators only.")
    )
    return (Section("Labels", tuple(blocks)),)


def _by_label(labels: Sequence[LabelDifference]) -> list[tuple[LabelDifference, LabelDifference, LabelDifference]]:
    """Precision, recall and F1 of each label side by side."""
    figures = {figure: [one for one in labels if one.metric == figure] for figure in ("precision", "recall", "f1")}
    return list(zip(figures["precision"], figures["recall"], figures["f1"], strict=True))


def _label_row(precision: LabelDifference, recall: LabelDifference, f1: LabelDifference) -> tuple[str, ...]:
    return (
        f1.evaluator, f1.variant or "", f"{f1.label} average" if f1.average else f1.label, f"{f1.support:,}",
        score_text(f1.base), score_text(f1.new), signed(f1.difference), _moved(precision), _moved(recall),
    )  # fmt: skip


def _moved(one: LabelDifference) -> str:
    before, after = score_text(one.base), score_text(one.new)
    return before if before == after else f"{before} → {after}"


def _measures(comparison: RunComparison) -> tuple[Section, ...]:
    if not comparison.measures:
        return ()
    table = PageTable(
        (
            Head("measure"), Head("variant"), Head("figure"), Head("base", True), Head("new", True),
            Head("difference", True), Head("change", True),
        ),
        tuple(_measure_row(one) for one in comparison.measures),
    )  # fmt: skip
    said = Paragraph(
        "Each over all rows of its run. A measure is not better or worse by itself: a gate can say what it may be."
    )
    return (Section("Measures", (dense(table, ("measure", "figure", "base", "new", "difference", "change")), said)),)


def _measure_row(one: MeasureDifference) -> tuple[str, ...]:
    change = one.difference / abs(one.base) if one.difference is not None and one.base else None
    return (
        one.measure, one.variant or "", one.metric, quantity_text(one.base), quantity_text(one.new),
        _quantity_signed(one.difference), UNDEFINED if change is None else f"{change:+.1%}".replace("%", " %"),
    )  # fmt: skip


def _quantity_signed(value: float | None) -> str:
    return UNDEFINED if value is None else f"{'+' if value > 0 else ''}{quantity_text(value)}"


def _fields(comparison: RunComparison) -> tuple[Section, ...]:
    changed = [one for one in comparison.fields if one.fixed or one.broken or one.unpaired or one.difference]
    same = len(comparison.fields) - len(changed)
    if not comparison.fields:
        return ()
    ordered = sorted(changed, key=lambda one: (one.difference is None, one.difference or 0.0))
    shown = ordered[:MOST_FIELDS]
    table = PageTable(
        (Head("evaluator"), Head("field"), Head("variant"), *_without_detectable(_FIGURES)),
        tuple(_field_row(one) for one in shown),
        tuple(_FINDING_TONES[one.verdict] for one in shown),
    )
    blocks: list[PageTable | Paragraph] = [dense(table, _KEPT)] if shown else []
    if len(changed) > len(shown):
        blocks.append(Paragraph(f"{more_text(len(changed) - len(shown), 'field')} in the JSON file."))
    if same:
        blocks.append(Paragraph(f"{counted(same, 'field')} {'is' if same == 1 else 'are'} the same in every row."))
    tests = sum(one.p_value is not None for one in comparison.fields)
    if shown and tests > 1:
        blocks.append(Paragraph(f"Here, chance is corrected for the {tests:,} fields (Holm)."))
    if any(one.unit == "values" for one in shown):
        blocks.append(
            Paragraph(
                "base and new: of all values of a field, the share that is right, as in the report of each run. A row may "
                "have several values of a field; fixed, broken and pairs count rows, in which all values are right or not."
            )
        )
    return (Section("Fields", tuple(blocks)),)


def _field_row(one: Difference) -> tuple[str, ...]:
    return one.evaluator, one.field or "", one.variant or "", *_without_detectable(_figures(one))


def _without_detectable(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    return (*cells[:_DETECTABLE], *cells[_DETECTABLE + 1 :])


def _ranked_variants(rankings: Sequence[Ranking]) -> tuple[str, ...]:
    names = [[*(one.variant for one in each.variants), *(one.variant for one in each.unranked)] for each in rankings]
    return tuple(dict.fromkeys(name for each in names for name in each))


def _rankings(comparison: RunComparison) -> tuple[Section, ...]:
    if not comparison.rankings:
        return ()
    table = PageTable(
        (
            Head("evaluator"), Head("rank", True), Head("variant"), Head("mean score", True),
            Head("95 % CI", True), Head("passed", True), Head("cannot be told apart from"),
        ),
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
        Item("cannot be told apart from: chance explains the difference (every two are tested, corrected after Holm)"),
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


def _rows(title: str, comparison: RunComparison, change: Change) -> tuple[Section, ...]:
    rows = [row for row in comparison.changed if row.change == change]
    if not rows:
        return ()
    more = len(rows) - MOST_ROWS
    items = Listing(tuple(_row(row) for row in rows[:MOST_ROWS]))
    rest = (Paragraph(f"{more_text(more, 'row')} in the JSON file."),) if more > 0 else ()
    return (Section(title, (items, *rest)),)


def _row(row: ChangedRow) -> Item:
    named = "" if row.id in ("", str(row.number)) else f" ({row.id})"
    variant = f", variant {row.variant}" if row.variant else ""
    became = (
        ("broken", row.broken), ("lost", [_reasoned(row, name) for name in row.lost]), ("fixed", row.fixed),
        ("gained", [_reasoned(row, name, "was ") for name in row.gained]), ("settled", row.settled),
    )  # fmt: skip
    said = [f"{word}: {', '.join(names)}" for word, names in became if names]
    more = len(row.fields) - MOST_CHANGES
    fields = tuple(map(_plain_change, row.fields))
    details = (*fields[:MOST_CHANGES], f"and {more:,} more fields") if more > 1 else fields
    return Item(f"row {row.number}{named}{variant}: {'; '.join(said)}", details, tone=_CHANGE_TONES[row.change])


def _reasoned(row: ChangedRow, name: str, was: str = "") -> str:
    return f"{name} ({was}{row.reasons[name]})"


_CHANGE_TONES: Final[dict[Change, Tone]] = {
    "broken": "bad", "lost": "warning", "fixed": "good", "gained": "note", "settled": "note", "unchanged": "plain",
    "never measured": "plain",
}  # fmt: skip


def _plain_change(change: str) -> str:
    """What became of a field, in the words for people: `header.total: right → wrong`."""
    place, _, statuses = change.rpartition(": ")
    return f"{place}: {' → '.join(map(plain_word, statuses.split(' → ')))}"


_EXIT_WORDS: Final = {
    0: "no guard failed",
    1: "a guard failed",
    3: "something could not be compared",
    4: "the runs cannot be compared",
}


def _ending(comparison: RunComparison, files: Sequence[str]) -> Section:
    words = _EXIT_WORDS.get(comparison.exit_code, "see the causes")
    if comparison.exit_code == 0 and not comparison.guards:
        words = "no guard was asked for, so no difference is too large"
    blocks: list[Paragraph | Listing] = [Paragraph(f"Exit code {comparison.exit_code}: {words}.", _tone(comparison))]
    if comparison.causes and not comparison.incomparable:
        blocks.append(Listing(tuple(Item(cause) for cause in comparison.causes)))
    if files:
        blocks.append(Paragraph("The files:"))
        blocks.append(Listing(tuple(Item(file) for file in files)))
    return Section("Result", tuple(blocks))
