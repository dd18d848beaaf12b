"""A comparison of two runs as a page, in the order of questions: may it go in, what got better or worse, which rows.

Every difference stands beside its interval, and what is called better or worse has a p-value below 0.05.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from evaluators.model.exit_words import EXIT_WORDS, exit_meaning
from evaluators.model.words import plain_word
from evaluators.reports.document import (
    Block,
    Column,
    Item,
    Listing,
    Page,
    Paragraph,
    Section,
    Tone,
    count_columns,
    list_section,
    table_of,
    text_column,
)
from evaluators.reports.names import row_name
from evaluators.reports.sections.gates import VERDICTS
from evaluators.reports.sections.verdict import MOST_VARIANTS, VERDICT
from evaluators.runs.compare.comparison import (
    Change,
    ChangedRow,
    Difference,
    FieldExample,
    LabelDifference,
    RunComparison,
    count_tests,
)
from evaluators.runs.exit_code import INCOMPARABLE
from evaluators.runs.metric_table import LABEL_METRICS
from evaluators.runs.metrics import (
    UNDEFINED,
    count_text,
    difference_interval_text,
    mean_interval_text,
    more_text,
    p_value_text,
    quantity_text,
    rows_text,
    score_text,
    signed_text,
    with_variant,
)
from evaluators.scoring.values.paths import path_for_people
from evaluators.scoring.values.quoting import first_texts

MOST_ROWS: Final = 20
"""Broken rows, fixed rows, fields or labels that a page lists; all of them are in the JSON file."""
MOST_CHANGES: Final = 5
"""Fields of such a row that a page lists."""

_ROW_SECTIONS: Final[dict[Change, tuple[str, Tone]]] = {
    "broken": ("Broken rows", "bad"), "lost": ("Lost rows", "warning"), "fixed": ("Fixed rows", "good"),
    "gained": ("Gained rows", "note"), "settled": ("Settled rows", "note"),
    "unchanged": ("Unchanged rows with changed values", "plain"),
}  # fmt: skip
_VERDICT_TONES: Final[dict[str, Tone]] = {"better": "good", "worse": "bad", "not measured": "warning"}


def comparison_page(comparison: RunComparison, files: Sequence[str] = ()) -> Page:
    """The page of a comparison. `files` are lines about what was written."""
    sections = (
        *_answer_section(comparison),
        _opening_section(comparison),
        *_incomparable_section(comparison),
        *_check_section(comparison),
        *_evaluator_section(comparison),
        *_field_section(comparison),
        *_label_section(comparison),
        *_measure_section(comparison),
        *_variant_section(comparison),
        *(section for change in _ROW_SECTIONS for section in _row_section(comparison, change)),
        *list_section("Notes", (Item(note, tone="note") for note in comparison.notes)),
        _ending_section(comparison, files),
    )
    return Page(f"{comparison.name}: {headline(comparison)}", sections, _tone(comparison))


def headline(comparison: RunComparison) -> str:
    """How the comparison ended, in a few words."""
    known = EXIT_WORDS[INCOMPARABLE if comparison.incomparable else comparison.exit_code]
    if comparison.incomparable or comparison.exit_code:
        return known.compared_headline or known.headline
    if not comparison.evaluators:
        ranked = {variant.variant for ranking in comparison.rankings for variant in ranking.variants}
        ranked |= {ranked.variant for ranking in comparison.rankings for ranked in ranking.unranked}
        return f"{count_text(len(ranked), 'variant')} compared"
    if comparison.unpaired:
        return "metrics compared, rows not paired"
    verdicts = _verdicts(comparison)
    if "worse" in verdicts:
        return "better and worse" if "better" in verdicts else "clearly worse"
    if "better" in verdicts:
        return "clearly better"
    return "no clear difference" if comparison.changed or "no clear difference" in verdicts else "no difference"


def comparison_line(comparison: RunComparison) -> str:
    """The comparison in one line, with the first cause."""
    counts = f"; {comparison.fixed:,} fixed, {comparison.broken:,} broken"
    counts += f", {comparison.lost:,} lost" if comparison.lost else ""
    counts += f" of {rows_text(comparison.rows)}"
    if comparison.incomparable or comparison.unpaired or not comparison.evaluators:
        counts = ""
    cause = f" ({comparison.causes[0]})" if comparison.causes else ""
    return f"{comparison.name}: {headline(comparison)}{counts}{cause}"


def _verdicts(comparison: RunComparison) -> set[str]:
    return {difference.verdict for difference in (*comparison.evaluators, *comparison.fields)}


def _tone(comparison: RunComparison) -> Tone:
    if comparison.exit_code:
        return "bad" if comparison.exit_code == 1 else "warning"
    return "warning" if "worse" in _verdicts(comparison) else "good"


def _answer_section(comparison: RunComparison) -> tuple[Section, ...]:
    """The first section: whether the new run is better. Nothing where the runs cannot be compared."""
    lines = tuple(map(Paragraph, comparison.answer[:MOST_VARIANTS]))
    return (Section(None, lines, id=VERDICT),) if lines else ()


def _opening_section(comparison: RunComparison) -> Section:
    """The section on how many rows the two runs share, and how many of them were fixed, broken and so on; then the names of the runs.

    Only the runs are named where they cannot be compared or are not paired; of a ranking alone, its variants and rows.
    """
    if comparison.rankings and not comparison.evaluators:
        rows = f"{rows_text(comparison.rows)} that every ranked variant has"
        return Section(None, (Paragraph(f"Variants: {comparison.base}, {comparison.new}"), Paragraph(rows)))
    runs = Paragraph(f"Base: {comparison.base}. New: {comparison.new}.")
    if comparison.incomparable or comparison.unpaired:
        return Section(None, (runs,))
    counts = [f"{comparison.fixed:,} fixed", f"{comparison.broken:,} broken", f"{comparison.unchanged:,} unchanged"]
    if changed_values := sum(row.change == "unchanged" for row in comparison.changed):
        counts[2] += f" ({changed_values:,} with changed values)"
    for change in ("lost", "gained", "settled", "never_measured"):
        if count := getattr(comparison, change):
            counts.append(f"{count:,} {change.replace('_', ' ')}")
    rows = f"{rows_text(comparison.rows - comparison.one_sided)} in both runs"
    if comparison.one_sided:
        both = comparison.rows - comparison.one_sided
        rows = f"{rows_text(comparison.rows)}, {both:,} of them in both runs"
    return Section(None, (Paragraph(f"{rows}: {', '.join(counts)}"), runs))


def _incomparable_section(comparison: RunComparison) -> Iterator[Section]:
    """The reasons why the runs cannot be compared, as a section; none where they can."""
    if comparison.incomparable:
        blocks: list[Block] = [Listing(tuple(Item(reason, tone="warning") for reason in comparison.incomparable))]
        if comparison.rows:
            blocks.append(Paragraph("With --common, what both runs have in common is compared all the same."))
        yield Section("What differs", tuple(blocks))


def _check_section(comparison: RunComparison) -> Iterator[Section]:
    """A table of the regression checks, sorted by verdict in the order of `VERDICTS`; no section where none was asked for."""
    columns = (
        text_column("regression check", lambda check: check.rule),
        text_column("of", lambda check: check.target or "", optional=True),
        text_column("variant", optional=True),
        text_column("verdict", lambda check: VERDICTS[check.verdict][0]),
        text_column("found", lambda check: check.message),
    )
    if comparison.regression_checks:
        checks = sorted(comparison.regression_checks, key=lambda check: list(VERDICTS).index(check.verdict))
        yield Section("Regression checks", (table_of(checks, columns, lambda check: VERDICTS[check.verdict][1]),))


_ABOUT_METRICS: Final = (
    Column("base", lambda difference: score_text(difference.base)),
    Column("new", lambda difference: score_text(difference.new)),
    Column("difference", lambda difference: signed_text(difference.difference)),
    Column("95 % CI", lambda difference: difference_interval_text(difference.ci)),
)
_ABOUT_ROWS: Final = (
    *_ABOUT_METRICS,
    Column("p-value", lambda difference: p_value_text(difference.p_value_corrected)),
    text_column("verdict"),
    *count_columns("fixed", "broken"),
)
_DETECTABLE: Final = Column("MDE", lambda difference: score_text(difference.minimum_detectable_effect))
_ROWS_WITHOUT_PAIR: Final = count_columns("lost", "gained", "settled", optional=True)


def _difference_columns(differences: Sequence[Difference], comparison: RunComparison) -> tuple[Column, ...]:
    """The columns of a table of differences; with the pairs of rows where these are not the rows of the comparison."""
    if comparison.unpaired:
        return _ABOUT_METRICS
    pairs = count_columns("pairs") if {difference.pairs for difference in differences} != {comparison.rows} else ()
    return (*_ABOUT_ROWS, *pairs)


def _verdict_tone(difference: Difference) -> Tone:
    return _VERDICT_TONES.get(difference.verdict, "plain")


def _evaluator_section(comparison: RunComparison) -> Iterator[Section]:
    """The section with the difference of each evaluator, its noise, and what the columns mean; none without evaluators."""
    columns = (
        text_column("evaluator"), text_column("variant", optional=True), *_difference_columns(comparison.evaluators, comparison),
        *(() if comparison.unpaired else (_DETECTABLE, *_ROWS_WITHOUT_PAIR)),
    )  # fmt: skip
    if comparison.evaluators:
        table = table_of(comparison.evaluators, columns, _verdict_tone)
        noise = (
            Paragraph(_noise_text(difference))
            for difference in comparison.evaluators
            if difference.noise is not None and difference.pairs
        )
        yield Section("Evaluators", (table, *noise, Listing(tuple(map(Item, _legend_lines(comparison))))))


def _noise_text(difference: Difference) -> str:
    """Words on how many of an evaluator's changes the model's own noise would make, and whether there is a change beyond it.

    Noise is known where the suite says which rows are outputs of one question.
    """
    changed, noise = difference.fixed + difference.broken, difference.noise or 0.0
    if difference.verdict in ("better", "worse"):
        beyond = f"By groups, the new run is {difference.verdict}."
    elif difference.verdict == "the same":
        beyond = "Every row scores what it scored before."
    elif difference.changed_groups == 0:
        beyond = "Every group comes to what it came to before: there is no change beyond that noise."
    else:
        beyond = "By groups, no change can be told from that noise."
    return (
        f"{with_variant(difference.evaluator, difference.variant)}: {changed:,} of {count_text(difference.pairs, 'pair')} changed "
        f"({score_text(changed / difference.pairs)}). Outputs of one question within a run differ in {score_text(noise)} "
        f"of pairs: that would be {noise * difference.pairs:,.1f} without any change. {beyond}"
    )


def _legend_lines(comparison: RunComparison) -> Iterator[str]:
    """The meaning of each column in the table of evaluators, a line each; of counts such as lost rows only where there are some."""
    evaluators = comparison.evaluators
    if comparison.unpaired:
        yield "difference: mean score of the new run less that of the base, each over all rows of its run"
        yield "95 % CI: where the difference would likely be with many more rows of both"
        return
    tests = count_tests(evaluators)
    lost, gained, settled = (
        any(getattr(difference, name) for difference in evaluators) for name in ("lost", "gained", "settled")
    )
    which = "that neither run lost" if lost or gained or settled else "that both runs scored"
    clusters = f"; rows of one {comparison.cluster} count as one" if comparison.cluster else ""
    corrected = f", corrected for the {tests:,} tests of evaluators (Holm)" if tests > 1 else ""
    unknown = any(difference.minimum_detectable_effect is None for difference in evaluators)
    few = "; unknown with fewer than 6 changes" if unknown else ""
    yield f"difference: mean score of the new run less that of the base, over the rows {which}"
    yield f"95 % CI: where the difference would likely be with many more rows like these{clusters}"
    yield (
        f"p-value: how often a coin toss would make a difference as large{corrected}; "
        "below 0.05 the verdict is better or worse"
    )
    yield from _shared_test_text(evaluators)
    yield (
        "MDE (minimum detectable effect): a true difference smaller than this would often go unseen "
        f"with so many rows{few}"
    )
    if lost:
        yield (
            "lost: rows that the base scored and the new run did not; "
            "for regression checks they are broken where the base passed"
        )
    if gained:
        yield "gained: rows that the new run scored and the base did not"
    if settled:
        yield "settled: rows in which nothing is there to score any more, neither expected nor in the output"


def _shared_test_text(differences: Sequence[Difference]) -> Iterator[str]:
    """A sentence on differences that are the same in every row, and so count once among the tests; none without such differences."""
    same = [f"{difference.name} and {difference.same_as}" for difference in differences if difference.same_as is not None]
    if same:
        yield f"one test, since they say the same in every row: {first_texts(list(dict.fromkeys(same)), 5)}"


def _field_section(comparison: RunComparison) -> Iterator[Section]:
    """The section with a table of the fields that changed, those that lost most first, and with examples; none without fields."""
    if not comparison.fields:
        return
    several = len({difference.evaluator for difference in comparison.fields}) > 1
    columns = (
        *([text_column("evaluator")] if several else []), text_column("field", lambda difference: path_for_people(difference.field or "")),
        text_column("variant", optional=True), *_difference_columns(comparison.fields, comparison),
        *(() if comparison.unpaired else _ROWS_WITHOUT_PAIR),
    )  # fmt: skip
    changed = [
        difference
        for difference in comparison.fields
        if difference.fixed or difference.broken or difference.unpaired or difference.difference
    ]
    changed.sort(key=_by_difference)
    shown = [difference for difference in changed if difference.same_as is None]
    blocks = [
        *_first_items(shown, columns, "field", _verdict_tone),
        *(
            Paragraph(f"{text}.")
            for difference in shown[:MOST_ROWS]
            for text in _same_fields_text(difference, changed, several)
        ),
        *_unchanged_fields(len(comparison.fields) - len(changed), comparison),
    ]
    if comparison.examples:
        blocks += [
            Paragraph("For example, from base to new:"),
            Listing(tuple(_example_item(example, several) for example in comparison.examples)),
        ]
    tests = count_tests(comparison.fields)
    if changed and tests > 1:
        blocks.append(Paragraph(f"Here, p-values are corrected for the {tests:,} fields (Holm)."))
    if any(difference.unit == "values" for difference in shown[:MOST_ROWS]):
        blocks.append(
            Paragraph(
                "base and new: of all values of a field, the share that is right, as in the report of each run. A row may "
                "have several values of a field; fixed, broken and pairs count rows, in which all values are right or not."
            )
        )
    yield Section("Fields", tuple(blocks))


def _same_fields_text(shown: Difference, fields: Sequence[Difference], several: bool) -> Iterator[str]:
    """A sentence that names the other fields that the line of the `shown` one stands for, since they say the same in every row; none where
    it stands alone. `several` evaluators are told apart by name."""
    others = [other for other in fields if other is not shown and other.test == shown.test]
    if others:
        names = [other.name if several else path_for_people(other.field or "") for other in others]
        line = shown.name if several else path_for_people(shown.field or "")
        yield f"As {line} in every row, and one test with it: {first_texts(names, MOST_ROWS)}"


def _example_item(example: FieldExample, several: bool) -> Item:
    """An example of a changed field as an item: the row and its values; where `several` evaluators have fields, with the name of the
    evaluator."""
    place = f"{example.evaluator}: {path_for_people(example.path)}" if several else path_for_people(example.path)
    return Item(f"{place}, {row_name(example.row, example.id, example.variant)}: {example.values}")


def _unchanged_fields(count: int, comparison: RunComparison) -> Iterator[Paragraph]:
    if count:
        where = "over all rows" if comparison.unpaired else "in every row"
        yield Paragraph(f"{count_text(count, 'field')} {'is' if count == 1 else 'are'} the same {where}.")


def _by_difference(difference: Difference | LabelDifference) -> tuple[bool, float]:
    """A sort key: the greatest losses first, unknown differences last."""
    return difference.difference is None, difference.difference or 0.0


def _first_items(items: Sequence[Any], columns: Sequence[Column], noun: str, tone: Any = None) -> Iterator[Block]:
    """A table of the first `MOST_ROWS` items, and a sentence on how many more there are; nothing without items."""
    if items:
        yield table_of(items[:MOST_ROWS], columns, tone)
    if len(items) > MOST_ROWS:
        yield Paragraph(f"{more_text(len(items) - MOST_ROWS, noun)} in the JSON file.")


def _label_section(comparison: RunComparison) -> Iterator[Section]:
    """The section with a table of the labels whose metrics changed, those that lost most first; none without labels. Each has its
    precision, recall and F1 side by side."""
    if not comparison.labels:
        return

    metrics = {metric.name: metric for metric in LABEL_METRICS if metric.compared}
    main, *others = sorted(metrics, key=lambda name: name != "f1")

    def metric_column(name: str) -> Column:
        """A column of a metric of a label: its value, or both values with an arrow where they differ."""

        def cell(label: Mapping[str, LabelDifference]) -> str:
            before, after = score_text(label[name].base), score_text(label[name].new)
            return before if before == after else f"{before} → {after}"

        return Column(metrics[name].word, cell)

    columns = (
        text_column("evaluator", lambda label: label[main].evaluator),
        text_column("variant", lambda label: label[main].variant or "", optional=True),
        text_column("label", lambda label: f"{label[main].label} average" if label[main].average else label[main].label),
        Column("expected", lambda label: f"{label[main].support:,}"),
        Column("F1 in base", lambda label: score_text(label[main].base)),
        Column("F1 in new", lambda label: score_text(label[main].new)),
        Column("difference", lambda label: signed_text(label[main].difference)),
        *map(metric_column, others),
    )
    by_label: dict[tuple[object, ...], dict[str, LabelDifference]] = {}
    for difference in comparison.labels:
        by_label.setdefault((difference.evaluator, difference.variant, difference.average, difference.label), {})[
            difference.metric
        ] = difference
    labels = list(by_label.values())
    changed = [
        label
        for label in labels
        if any(difference.difference or difference.base != difference.new for difference in label.values())
    ]
    changed.sort(key=lambda label: (label[main].average, *_by_difference(label[main])))
    blocks = list(_first_items(changed, columns, "label"))
    if same := sum(not label[main].average for label in labels) - sum(not label[main].average for label in changed):
        blocks.append(Paragraph(f"{count_text(same, 'label')} {'has' if same == 1 else 'have'} the same metrics."))
    blocks.append(
        Paragraph("Each over all rows of its run. Differences of evaluators have p-values, those of labels have none.")
    )
    yield Section("Labels", tuple(blocks))


def _measure_section(comparison: RunComparison) -> Iterator[Section]:
    """The section with a table of the measures, which are columns of numbers: each metric in both runs, and how it changed; none without
    measures."""

    def difference_text(metric: Any) -> str:
        return f"{'+' if (metric.difference or 0) > 0 else ''}{quantity_text(metric.difference)}"

    def share_text(metric: Any) -> str:
        """The difference in percent of the base."""
        known = metric.difference is not None and metric.base
        return f"{metric.difference / abs(metric.base):+.1%}".replace("%", " %") if known else UNDEFINED

    columns = (
        text_column("measure"),
        text_column("variant", optional=True),
        text_column("metric"),
        Column("base", lambda difference: quantity_text(difference.base)),
        Column("new", lambda difference: quantity_text(difference.new)),
        Column("difference", difference_text),
        Column("change", share_text),
    )
    legend = "Each over all rows of its run. A measure is not better or worse by itself: a gate can say what it may be."
    if comparison.measures:
        yield Section("Measures", (table_of(comparison.measures, columns), Paragraph(legend)))


def _variant_section(comparison: RunComparison) -> Iterator[Section]:
    """A table of the variants by rank, for each evaluator, and those that lack too many rows to be ranked."""
    columns = (
        text_column("evaluator", lambda pair: pair[0].evaluator),
        Column("rank", lambda pair: str(pair[1].rank)),
        text_column("variant", lambda pair: pair[1].variant),
        Column("mean score", lambda pair: score_text(pair[1].mean)),
        Column("95 % CI", lambda pair: mean_interval_text(pair[1].ci)),
        Column("passed", lambda pair: f"{pair[1].passed:,} of {pair[0].rows:,}"),
        text_column("cannot be told apart from", lambda pair: ", ".join(pair[1].alike)),
    )
    if not comparison.rankings:
        return
    ranked = [(ranking, variant) for ranking in comparison.rankings for variant in ranking.variants]
    unranked = tuple(
        Item(
            f"{ranking.evaluator}, {ranked.variant}: not ranked: "
            f"{ranked.lacking:,} of {rows_text(ranked.others)} that others have are missing",
            tone="warning",
        )
        for ranking in comparison.rankings
        for ranked in ranking.unranked
    )
    legend = (
        Item("rank: 1 + the number of variants that are clearly better, by the rows that every ranked variant has"),
        Item("95 % CI: where the mean score would likely be with many more rows like these"),
        Item(
            "cannot be told apart from: the p-value of the difference is 0.05 or more (every two are tested, corrected after Holm)"
        ),
    )
    table = [table_of(ranked, columns)] if ranked else []
    yield Section("Variants", (*table, *([Listing(unranked)] if unranked else []), Listing(legend)))


def _row_section(comparison: RunComparison, change: Change) -> Iterator[Section]:
    """The rows that changed in one way, as a section of at most `MOST_ROWS`; none where there are none."""
    title, tone = _ROW_SECTIONS[change]
    rows = [row for row in comparison.changed if row.change == change]
    evaluators = {f"{difference.evaluator}." for difference in comparison.evaluators}
    only = evaluators.pop() if len(evaluators) == 1 else ""
    if rows:
        blocks: list[Block] = [Listing(tuple(_row_item(row, tone, only) for row in rows[:MOST_ROWS]))]
        if len(rows) > MOST_ROWS:
            blocks.append(Paragraph(f"{more_text(len(rows) - MOST_ROWS, 'row')} in the JSON file."))
        yield Section(title, tuple(blocks), id=f"{change}-rows")


def _row_item(row: ChangedRow, tone: Tone, only: str) -> Item:
    """A changed row as an item: its evaluators by how they changed, and below them its changed fields and why evaluators broke. `only` is
    what names of fields begin with where there is one evaluator, such as `fields.`; it is left out."""
    verdicts = (
        ("broken", row.broken),
        ("lost", [f"{name} ({row.reasons[name]})" for name in row.lost]),
        ("fixed", row.fixed),
        ("gained", [f"{name} (was {row.reasons[name]})" for name in row.gained]),
        ("settled", row.settled),
    )
    changes = [f"{change}: {', '.join(names)}" for change, names in verdicts if names] or ["passes or fails as before"]
    fields = [_field_change_text(field.removeprefix(only)) for field in row.fields]
    if (more := len(fields) - MOST_CHANGES) > 1:
        fields = [*fields[:MOST_CHANGES], f"and {more:,} more fields"]
    why = [f"{'' if only else f'{name}: '}{row.reasons[name]}" for name in row.broken if row.reasons.get(name)]
    return Item(f"{row_name(row.number, row.id, row.variant)}: {'; '.join(changes)}", (*fields, *why), tone=tone)


def _field_change_text(change: str) -> str:
    """The change of a field, in the words for people: `header.total: right → wrong`."""
    path, _, statuses = change.rpartition(": ")
    was, now = map(plain_word, statuses.split(" → "))
    return f"{path_for_people(path)}: {f'{was} → {now}' if was != now else f'{was} as before, with another value'}"


def _ending_section(comparison: RunComparison, files: Sequence[str]) -> Section:
    """The last section: what the exit code means, its causes, and the files that were written."""
    words = exit_meaning(comparison.exit_code, "compare")
    if comparison.exit_code == 0 and not comparison.regression_checks:
        words = "no regression check was asked for, so no difference is too large"
    blocks: list[Block] = [Paragraph(f"Exit code {comparison.exit_code}: {words}.", _tone(comparison))]
    if comparison.causes and not comparison.incomparable:
        blocks.append(Listing(tuple(map(Item, comparison.causes))))
    if files:
        blocks += [Paragraph("The files:"), Listing(tuple(map(Item, files)))]
    return Section("Result", tuple(blocks))
