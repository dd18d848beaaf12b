"""The sections for evaluators that score by a schema: their metrics, their arrays, and what failed first.

`-o FILE.txt` has them in the words and lines of extract-bench's report, too. Where a run has one row, they are that report's sections on
the document. Where it has several, scores are means over the rows, and counts are those of all rows together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from evaluators.model.rows import Outcome, RowStatus
from evaluators.model.words import FIELD_WORDS
from evaluators.reports.document import (
    Column,
    Item,
    Listing,
    PageTable,
    Paragraph,
    Section,
    heads,
    table_of,
    text_column,
)
from evaluators.reports.names import row_name
from evaluators.reports.outcomes import evaluators_by_schema, failed_outcomes, rows_by_schema
from evaluators.reports.sections.evaluators import extra_items_text
from evaluators.runs.metrics import count_text, full_name, rows_text, score_text
from evaluators.runs.reader import RecordedRow, Run
from evaluators.runs.result import ArrayStats, Counts, EvaluatorStats, RunResult
from evaluators.scoring.fields.outcomes import ListOutcome

FailedField: TypeAlias = tuple[EvaluatorStats, RecordedRow, Outcome]
MOST_FAILED: Final = 10
"""Failed fields that a summary lists."""
MOST_ROWS: Final = 10_000
"""Rows that are looked at for them."""

_MEANS: Final = (
    ("mean_precision", "mean precision", "of what the output of a row gave, the share that is right"),
    ("mean_recall", "mean recall", "of what a row expects, the share that is there and right"),
    ("mean_f1", "mean F1", "precision and recall of a row in one number"),
)
_TOTALS: Final = (
    ("mean_field_score", "mean field score", "the mean over a row's fields, with weights"),
    ("overall_score", "overall score", "a list weighs as much as it has expected items"),
    ("field_score", "field score", "a list weighs as much as any field"),
    ("overall_pass_rate", "overall pass rate", "the share of fields, and of whole lists, that pass"),
)


def schema_sections(result: RunResult) -> tuple[Section, ...]:
    """A section with the metrics of each evaluator that scores by a schema, then one with the arrays of all of them; empty without any."""
    scored = [stats for stats in result.evaluators if stats.metric("mean_f1") is not None]
    return (*(_metric_section(stats, len(scored) > 1) for stats in scored), *_array_section(scored))


def evaluation_sections(stats: EvaluatorStats) -> tuple[Section, ...]:
    """The section with the metrics of one evaluator, and the one with its arrays, where it has some."""
    return _metric_section(stats), *_array_section([stats])


def array_table(stats: Iterable[EvaluatorStats]) -> PageTable | None:
    """A table of every array of some evaluators, with the counts of its items; None without any."""
    lists = [
        (evaluator_stats, field)
        for evaluator_stats in stats
        for field in evaluator_stats.fields
        if field.array is not None
    ]
    columns = (
        text_column("evaluator", lambda item: item[0].name),
        text_column("variant", lambda item: item[0].variant or "", optional=True),
        text_column("array", lambda item: item[1].path),
        *item_columns(lambda item: item[1].array),
    )
    return table_of(lists, columns) if lists else None


def item_columns(of: Callable[[Any], ArrayStats | ListOutcome | None]) -> tuple[Column, ...]:
    """Columns with how many items of a list are right, wrong, missing and extra, and with its ratios. `of` finds the list of a table's
    item; cells are empty where that gives None."""

    def count(place: int) -> Callable[[Any], str]:
        """A function for a column: the count at this place of `item_counts`."""
        return lambda item: "" if (array := of(item)) is None else f"{item_counts(array)[place]:,}"

    def ratio(name: str) -> Callable[[Any], str]:
        """A function for a column: the ratio of this name of an item's list, empty where the item is no list."""

        def cell(item: Any) -> str:
            array = of(item)
            value = None if array is None else getattr(array, name)
            return "" if array is None else score_text(None if value is None else float(value))

        return cell

    statuses = ("match", "mismatch", "omission", "hallucination")
    counts = (Column(FIELD_WORDS[name].plain, count(place)) for place, name in enumerate(statuses))
    return (
        *counts,
        *(Column(word, ratio(name)) for name, word in (("precision", "precision"), ("recall", "recall"), ("f1", "F1"))),
    )


def failed_section(record: Run) -> tuple[Section, ...]:
    """The section that lists the first wrong fields, each with its comparator, its score and the reason; empty without any.

    Rows whose output cannot be read are counted in one line.
    """
    evaluators = evaluators_by_schema(record)
    several = len(evaluators) > 1
    first = list(islice(_failed_fields(record, evaluators), MOST_FAILED + 1))
    listed = first[:MOST_FAILED]
    unread = tuple(
        Paragraph(f"{f'{full_name(stats)}: ' if several else ''}{rows_text(stats.unreadable)} not listed: {_UNREAD}.")
        for stats in evaluators
        if stats.unreadable
    )
    if not listed:
        return (Section("Failed fields", unread, id="failed"),) if unread else ()
    items = tuple(_failed_item(*each, several) for each in listed)
    cut = len(first) > MOST_FAILED or any(_wrong_count(stats) and stats.rows > MOST_ROWS for stats in evaluators)
    title = f"Failed fields (first {len(listed)})" if cut else "Failed fields"
    lines = _report_section(
        f"FAILED FIELDS (first {len(listed)})", (line for each in listed for line in _failed_lines(*each, several))
    )
    return (Section(title, (Listing(items), *unread), (replace(lines, blocks=(*lines.blocks, *unread)),), "failed"),)


_UNREAD: Final = "the output could not be read, so every field is missing"


def _metric_section(stats: EvaluatorStats, several: bool = False) -> Section:
    """The metrics of one evaluator as a section, and as lines for the summary.

    `several` puts the evaluator's name in the title of those lines.
    """
    rows = [
        *(_mean_row(stats, *words) for words in _MEANS),
        *_micro_rows(stats),
        *(_mean_row(stats, *words) for words in _TOTALS),
    ]
    columns = heads("metric", "#value", "#n", "what it says")
    paragraphs = [Paragraph(_counts_text(stats.counts or Counts()))]
    paragraphs += [
        Paragraph(
            f"{count_text(count, 'field')} {'was' if count == 1 else 'were'} scored by a substitute: {what}.", "note"
        )
        for what, count in stats.fallbacks.items()
    ]
    if stats.extra_items is not None:
        text = extra_items_text(stats)
        paragraphs.append(Paragraph(f"{text[0].upper()}{text[1:]}.", "note"))
    section = Section(f"Metrics of {full_name(stats)}", (PageTable(columns, tuple(rows)), *paragraphs), id="metrics")
    return replace(
        section,
        in_summary=(
            section,
            _report_section(f"OVERALL RESULTS{f' of {full_name(stats)}' if several else ''}", _totals_lines(stats)),
        ),
    )


def _mean_row(stats: EvaluatorStats, metric: str, name: str, says: str) -> tuple[str, ...]:
    """A row of the table of metrics: name, mean, over how many rows, meaning; no value and 0 rows where the metric is not there."""
    result = stats.metric(metric)
    if result is None:
        return name, score_text(None), rows_text(0), says
    return name, score_text(result.mean), rows_text(result.n), says


def _micro_rows(stats: EvaluatorStats) -> Iterator[tuple[str, ...]]:
    """Rows of the table for micro precision, recall and F1, each with the number of fields that it is over."""
    counts = stats.counts or Counts()
    right = counts.match + counts.mismatch + counts.error
    in_output, wanted = right + counts.hallucination, right + counts.omission
    yield (
        "micro precision",
        score_text(stats.micro_precision),
        count_text(in_output, "field"),
        "precision over all fields of all rows",
    )
    yield (
        "micro recall",
        score_text(stats.micro_recall),
        count_text(wanted, "field"),
        "recall over all fields of all rows",
    )
    yield "micro F1", score_text(stats.micro_f1), count_text(counts.n, "field"), "both of these in one number"


def _counts_text(counts: Counts) -> str:
    """A sentence on how many fields are right, wrong, missing and extra; errors and fields not judged only where there are some."""
    kinds = ("match", "mismatch", "omission", "hallucination")
    text = ", ".join(f"{getattr(counts, kind):,} {FIELD_WORDS[kind].plain}" for kind in kinds)
    errors = f", {count_text(counts.error, 'error')}" if counts.error else ""
    unchecked = f" {count_text(counts.not_judged, 'more field')} could not be judged." if counts.not_judged else ""
    return f"{count_text(counts.n, 'field')}: {text}{errors}.{unchecked}"


def _array_section(scored: Sequence[EvaluatorStats]) -> tuple[Section, ...]:
    """The table of lists as a section, with lines for the summary; none where no evaluator has a list."""
    table = array_table(scored)
    if table is None:
        return ()
    lines = (
        line
        for stats in scored
        for field in stats.fields
        if field.array is not None
        for line in _array_lines(
            f"{full_name(stats)}: {field.path}" if len(scored) > 1 else field.path, field.array, stats
        )
    )
    return (Section("Array breakdown", (table, Listing(_ARRAY_LEGEND)), (_report_section("ARRAY BREAKDOWN", lines),)),)


_ARRAY_LEGEND: Final = (
    Item("right: expected items that are in the output, with everything in them right"),
    Item("wrong: items that have a partner, with something in them that is not right"),
    Item("missing: expected items without a partner; extra: items of the output without one"),
    Item("recall: right of all expected items; it is the score of the list"),
)


def item_counts(array: ArrayStats | ListOutcome) -> tuple[int, int, int, int]:
    """The items of an array that are right, wrong, missing and extra. A pair that is not right is one wrong item."""
    wrong = array.paired - array.matched
    return array.matched, wrong, array.missing - wrong, array.extra - wrong


def _failed_fields(record: Run, evaluators: Iterable[EvaluatorStats]) -> Iterator[FailedField]:
    """Each failed field, with its evaluator and its row, from at most `MOST_ROWS` rows of an evaluator; unreadable outputs are left out."""
    for stats in filter(_wrong_count, evaluators):
        for row, verdict, outcomes in islice(rows_by_schema(record, stats), MOST_ROWS):
            if outcomes is not None and verdict.status is not RowStatus.UNREADABLE:
                yield from ((stats, row, outcome) for outcome in failed_outcomes(outcomes))


def _wrong_count(stats: EvaluatorStats) -> int:
    """How many values of an evaluator are not right, or could not be judged; lists are not counted as values."""
    counts = stats.counts or Counts()
    return counts.n + counts.not_judged - counts.match


def _failed_item(stats: EvaluatorStats, row: RecordedRow, outcome: Outcome, several: bool) -> Item:
    """A failed field as an item of a page; `several` puts the evaluator before its row."""
    place = f"{full_name(stats)}, " if several else ""
    text = f"{outcome.status.plain}, {outcome.metric}, score {score_text(outcome.score)}"
    return Item(
        f"{place}{row_name(row.number, row.id)}: {outcome.path}",
        (f"{text}: {outcome.reason}" if outcome.reason else text,),
    )


_SCORES: Final = (
    ("overall_score", "Overall Score", "item-weighted"),
    ("field_score", "Field Score", "flat average"),
)


def _report_section(title: str, lines: Iterable[str]) -> Section:
    """A section in the words and lines of extract-bench's report."""
    return Section(title, tuple(map(Paragraph, lines)))


def _totals_lines(stats: EvaluatorStats) -> Iterator[str]:
    """The scores, the pass rate and how many fields were evaluated, as lines of the summary."""
    for name, word, how in _SCORES:
        metric = stats.metric(name)
        rows = metric.n if metric is not None else 0
        mean = f", mean of {rows:,} rows" if rows > 1 else ""
        yield f"  {word}: {_three_decimals(metric.mean if metric is not None else None)} ({how}{mean})"
    rate = stats.metric("overall_pass_rate")
    share = rate.mean if rate is not None else None
    mean = f" (mean of {rate.n:,} rows)" if rate is not None and rate.n > 1 else ""
    yield f"  Pass Rate: {'–' if share is None else f'{share:.1%}'}{mean}"
    failed = stats.results - stats.results_passed
    yield f"  Evaluated: {stats.results:,} fields ({stats.results_passed:,} passed, {failed:,} failed)"


def _array_lines(name: str, array: ArrayStats, stats: EvaluatorStats) -> Iterator[str]:
    """The lines of the summary for one list, called `name`: whether it passed and its score, its items, and its metrics.

    Extra items lower the score only where the evaluator penalizes them.
    """
    surplus = array.extra - (array.paired - array.matched)
    free = stats.extra_items is None or not stats.extra_items.penalized
    whole = array.matched + array.missing + (0 if free else surplus)
    score = array.matched / whole if whole else 0.0
    passed = array.results == array.results_passed if array.results else whole == array.matched > 0
    yield f"  {name} [{'PASS' if passed else 'FAIL'}] score={score:.3f}"
    yield f"    Items: {array.matched:,} matched, {array.missing:,} missed, {array.extra:,} spurious"
    yield f"    P={_three_decimals(array.precision)} R={_three_decimals(array.recall)} F1={_three_decimals(array.f1)}"


def _failed_lines(stats: EvaluatorStats, row: RecordedRow, outcome: Outcome, several: bool) -> Iterator[str]:
    """The lines of the summary for one failed field; the row is named where the run has several."""
    evaluator = f"{full_name(stats)}, " if several else ""
    place = f"{row_name(row.number, row.id)}: " if stats.rows > 1 else ""
    yield f"  {evaluator}{place}{outcome.path}"
    yield f"    Metric: {outcome.metric}, Score: {_three_decimals(outcome.score)}"
    yield f"    Reason: {outcome.code}"


def _three_decimals(metric: float | None) -> str:
    """A metric with three decimals that is 1 only where it is 1."""
    if metric is None:
        return "–"
    return "0.999" if metric < 1 and f"{metric:.3f}" == "1.000" else f"{metric:.3f}"
