"""The fields of a run: those with the lowest accuracy, how often they are invented or left empty, and the most frequent mistakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from evaluators.reports.document import (
    Block,
    Column,
    Item,
    Paragraph,
    Section,
    list_section,
    table_of,
    text_column,
)
from evaluators.reports.headline import Options
from evaluators.reports.mistakes import Mistake
from evaluators.reports.parts import likely_at_most, metric_columns, table_part
from evaluators.reports.suggestions import WHOLE_OUTPUT
from evaluators.runs.metric_table import FIELD_METRICS, Place
from evaluators.runs.metrics import (
    count_text,
    full_name,
    mean_interval_text,
    more_text,
    rows_text,
    score_text,
    with_variant,
)
from evaluators.runs.result import EvaluatorStats, FieldStats, RunResult
from evaluators.scoring.fields.empty_values import EMPTY_RATES
from evaluators.scoring.values.paths import path_for_people
from evaluators.scoring.values.quoting import first_texts

MOST_WEAK: Final = 100
"""Fields that the page with every table lists."""
MOST_MISTAKES: Final = 50
"""Mistakes that it lists."""
MOST_MISTAKES_IN_SUMMARY: Final = 5
_SHOWN_ROWS: Final = 3
"""Rows of a mistake that are named."""


def _columns(*places: Place) -> tuple[Column, ...]:
    """The metrics of fields that have one of these places, the accuracy first."""

    def field(item: Any) -> FieldStats:
        """A field that stands alone or beside its evaluator."""
        stats: FieldStats = item[1] if isinstance(item, tuple) else item
        return stats

    first = sorted(FIELD_METRICS, key=lambda metric: metric.name != "accuracy")
    return metric_columns(first, places, field)


def lowest_section(result: RunResult, most: int) -> tuple[Section, ...]:
    """The section with a table of at most `most` fields, the weakest first, and with the fields that no row measured; empty where there is
    nothing to say.

    The order is that of the upper end of the 95 % CI: a field that is wrong in its only row stands behind one that
    is wrong in a hundred of two hundred.
    """
    columns = (
        text_column("evaluator", lambda pair: pair[0].name),
        text_column("variant", lambda pair: pair[0].variant or "", optional=True),
        text_column("field", lambda pair: path_for_people(pair[1].path)),
        *_columns("always", "if any"),
    )
    fields, weak, unmeasured = _fields(result), weak_fields(result), unmeasured_fields(result)
    blocks: list[Block] = [table_of(weak[:most], columns)] if weak and most else []
    if len(weak) > most:
        blocks.append(Paragraph(f"{more_text(len(weak) - max(most, 0), 'field')} below 1.0000; run.json has all."))
    metrics = [field.accuracy or 0.0 for _, field in weak[:most]]
    if metrics != sorted(metrics):
        blocks.append(Paragraph("A low metric from few rows may be chance, so it comes after a surer one."))
    measured = any(field.counts.n for _, field in fields)
    if measured and not weak and not any(field.counts.not_judged for _, field in fields):
        blocks.append(_all_right(result))
    if unmeasured:
        blocks.append(Paragraph(f"Measured in no row: {first_texts(unmeasured, 10)}.", "warning"))
    if fields:
        blocks += [
            _unlisted_paragraph(stats, f"{full_name(stats)}: ") for stats in result.evaluators if stats.fields_not_listed
        ]
    return (Section("Fields with the lowest accuracy", tuple(blocks), id="fields"),) if blocks else ()


def _all_right(result: RunResult) -> Paragraph:
    """The sentence that no field is wrong, with the evaluators that nevertheless gave a row less than a full score."""
    in_part = [
        f"{full_name(stats)} {score_text(stats.mean)}"
        for stats in result.evaluators
        if stats.fields and stats.mean is not None and stats.failed > stats.blocked
    ]
    if not in_part:
        return Paragraph("Every field that was measured is right in every row.", "good")
    return Paragraph(
        f"Every field that was measured counts as right in every row, some with a part of the score: mean {first_texts(in_part, 10)}."
    )


def _unlisted_paragraph(stats: EvaluatorStats, name: str = "") -> Paragraph:
    """The sentence on how many paths of an evaluator have no line of their own, behind its `name` where that is needed."""
    return Paragraph(f"{name}{count_text(stats.fields_not_listed, 'more path')} counted in the score, not listed.")


def weak_part(result: RunResult, most: int) -> tuple[Section, ...]:
    """The part of the summary with a table of at most `most` fields, the weakest first, with how often each went wrong in which way."""
    weak = weak_fields(result)
    several = len({full_name(stats) for stats, _ in weak}) > 1
    columns = (
        text_column(
            "worst fields",
            lambda pair: (
                f"{full_name(pair[0])}: {path_for_people(pair[1].path)}" if several else path_for_people(pair[1].path)
            ),
        ),
        *(
            replace(column, optional=column.head not in ("accuracy", "n"))
            for column in _columns("always", "if any")
            if column.head != "right"
        ),
    )
    return table_part(weak, most, columns)


def weak_fields(result: RunResult) -> list[tuple[EvaluatorStats, FieldStats]]:
    """The fields that are not always right, the weakest first, each with its evaluator."""
    weak = [(stats, field) for stats, field in _fields(result) if field.accuracy is not None and field.accuracy < 1]
    return sorted(weak, key=lambda pair: weakness(*pair))


def weakness(stats: EvaluatorStats, field: FieldStats) -> tuple[bool, bool, float, float, str, str, str]:
    """A key to sort fields by, the weakest first: by the upper end of the 95 % interval of their accuracy. One that no answer expects comes
    after the other wrong ones."""
    counts = field.counts
    is_right, never_expected = counts.match == counts.n, counts.n == counts.hallucination
    likely = likely_at_most(counts.match, counts.n)
    return is_right, never_expected, likely, field.accuracy or 0.0, stats.name, stats.variant or "", field.path


def unmeasured_fields(result: RunResult) -> list[str]:
    """The names of the fields that no row measured, each behind its evaluator. Fields that may be absent, or that were only skipped, and
    lists whose items are paired are left out."""

    def is_unmeasured(field: FieldStats) -> bool:
        counts = field.counts
        only_skipped = counts.skipped > 0 and counts.not_measured == counts.not_judged == 0
        return counts.n == 0 and not field.optional and not only_skipped and field.array is None

    return [
        f"{full_name(stats)} → {path_for_people(field.path)}" for stats, field in _fields(result) if is_unmeasured(field)
    ]


def _fields(result: RunResult) -> list[tuple[EvaluatorStats, FieldStats]]:
    return [(stats, field) for stats in result.evaluators for field in stats.fields]


def empty_section(result: RunResult) -> tuple[Section, ...]:
    """The section on how often fields have something where nothing is expected, and nothing where something is, with what all fields of the
    evaluator come to; empty where neither happens."""
    invented, left_empty = EMPTY_RATES

    def interval(metric: str, item: tuple[EvaluatorStats, str | None, Any]) -> str:
        """The interval of this metric of a field, empty where there is none."""
        stats, path, _ = item
        known = stats.metric_ci(path, metric)
        return mean_interval_text(known.ci if known is not None else None)

    columns = (
        text_column("evaluator", lambda item: item[0].name),
        text_column("variant", lambda item: item[0].variant or "", optional=True),
        text_column("field", lambda item: "all fields" if item[1] is None else item[1]),
        Column("invented rate", lambda item: score_text(item[2].invented_rate)),
        Column("95 % CI", partial(interval, invented)),
        Column("n", lambda item: f"{item[2].expected_empty:,}"),
        Column("left empty rate", lambda item: score_text(item[2].left_empty_rate)),
        Column("its 95 % CI", partial(interval, left_empty)),
        Column("its n", lambda item: f"{item[2].expected_filled:,}"),
    )
    rows: list[tuple[EvaluatorStats, str | None, EvaluatorStats | FieldStats]] = []
    for stats in result.evaluators:
        fields = [field for field in stats.fields if field.invented_rate or field.left_empty_rate][:MOST_WEAK]
        rows += [(stats, field.path, field) for field in fields]
        rows += [(stats, None, stats)] if fields else []
    legend = 'Empty is absent, null, "", [] or {}, and what the suite calls absent, whatever `nulls` says.'
    blocks = (table_of(rows, columns), Paragraph(legend, "note"))
    return (Section("Invented, and left empty", blocks, id="empty"),) if rows else ()


def field_section(stats: EvaluatorStats) -> Section:
    """The section with a table of every field of one evaluator, with its counts and ratios, below the metrics of the evaluator."""
    columns = (
        text_column("field", lambda field: path_for_people(field.path)),
        *(replace(column, optional=False) for column in _columns("always", "if any", "all fields")),
    )
    metrics = (
        f"{stats.type}; mean score {score_text(stats.mean)}, {stats.scored:,} of {rows_text(stats.rows)} scored; "
        f"precision {score_text(stats.micro_precision)}, recall {score_text(stats.micro_recall)}, F1 {score_text(stats.micro_f1)}"
    )
    if stats.minimum_detectable_effect is not None:
        metrics += f"; two runs of so many rows would show a difference of means from about {score_text(stats.minimum_detectable_effect)}"
    more = (_unlisted_paragraph(stats),) if stats.fields_not_listed else ()
    return Section(full_name(stats), (Paragraph(metrics), table_of(stats.fields, columns), *more))


def mistake_section(mistakes: Sequence[Mistake], until: int | None) -> tuple[Section, ...]:
    """The section that lists the most frequent mistakes, up to the row `until` where not all rows were looked at; empty where none is
    known."""
    return list_section(_mistakes_title(until, "Most"), _mistake_items(mistakes), "mistakes")


def _mistake_items(mistakes: Sequence[Mistake]) -> Iterator[Item]:
    """The first mistakes as items, and how many more there are."""
    several = _are_of_several(mistakes)
    for mistake in mistakes[:MOST_MISTAKES]:
        rows = f"{'rows' if len(mistake.rows) > 1 else 'row'} {_rows_text(mistake)}"
        yield Item(f"{mistake.count:,} × {_place_text(mistake, several)}, {rows}: {mistake.listed or mistake.said}")
    if len(mistakes) > MOST_MISTAKES:
        yield Item(f"and {count_text(len(mistakes) - MOST_MISTAKES, 'less frequent mistake')} not listed", tone="note")


def mistake_part(result: RunResult, options: Options) -> tuple[Section, ...]:
    """The part of the summary with a table of the most frequent mistakes: how many of the wrong values of a field each is, where, and below
    it the setting that would forgive it."""
    several = _are_of_several(options.mistakes[:MOST_MISTAKES_IN_SUMMARY])
    title = _mistakes_title(options.mistakes_until, "most")
    columns = (
        Column("times", lambda mistake: mistake_count(result, options, mistake)),
        text_column("where", lambda mistake: _place_text(mistake, several)),
        Column(title, lambda mistake: mistake.said, number=False, caption=True),
        text_column("rows", _rows_text),
    )
    return table_part(
        options.mistakes, MOST_MISTAKES_IN_SUMMARY, columns, lambda mistake: _forgiven_below(options, mistake), title
    )


def mistake_count(result: RunResult, options: Options, mistake: Mistake) -> str:
    """How often a mistake is met, as text. Where all rows were looked at, also of how many wrong values of its field, or failed rows of its
    evaluator: `19 of 20`."""
    by_name = {(stats.name, stats.variant): stats for stats in result.evaluators}
    stats = by_name.get((mistake.evaluator, mistake.variant))
    field = next((field for field in stats.fields if field.path == mistake.field), None) if stats is not None else None
    if stats is None or (field is None and mistake.field) or options.mistakes_until is not None:
        return f"{mistake.count:,}"
    return f"{mistake.count:,} of {stats.failed if field is None else field.counts.n - field.counts.match:,}"


def _forgiven_below(options: Options, mistake: Mistake) -> str:
    return f"  forgiven by {switch}" if (switch := forgiven_by(options, mistake)) else ""


def forgiven_by(options: Options, mistake: Mistake) -> str:
    """The change to the suite, `case: ignore`, that would make one of the first rows of a mistake right, and turns the fewest values; empty
    where none is known."""
    subject, first_rows = (mistake.evaluator, mistake.variant, mistake.field), set(mistake.rows[:_SHOWN_ROWS])
    fitting = []
    for suggestion in options.suggestions:
        field = "" if suggestion.field == WHOLE_OUTPUT else suggestion.field
        same_subject = (suggestion.evaluator, suggestion.variant, field) == subject
        if same_subject and not suggestion.named and first_rows & set(suggestion.rows):
            fitting.append(suggestion)
    return min(fitting, key=lambda suggestion: suggestion.turned).switch if fitting else ""


def _mistakes_title(until: int | None, most: str) -> str:
    return f"{most} frequent mistakes" + (f" up to row {until:,}" if until is not None else "")


def _are_of_several(mistakes: Sequence[Mistake]) -> bool:
    """Whether mistakes are of several evaluators or variants."""
    return len({(mistake.evaluator, mistake.variant) for mistake in mistakes}) > 1


def _place_text(mistake: Mistake, several: bool) -> str:
    """The field of a mistake; its evaluator, too, where mistakes of several are listed."""
    name, field = with_variant(mistake.evaluator, mistake.variant), path_for_people(mistake.field)
    return ": ".join(filter(None, (name, field))) if several or not field else field


def _rows_text(mistake: Mistake) -> str:
    """The numbers of the first rows of a mistake, with `…` where there are more."""
    rows = ", ".join(f"{row:,}" for row in mistake.rows[:_SHOWN_ROWS])
    return f"{rows} …" if len(mistake.rows) > _SHOWN_ROWS else rows
