"""The evaluators of a run, and its slices: every metric beside its counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from evaluators.model.words import ROW_WORDS
from evaluators.reports.document import (
    Block,
    Column,
    Item,
    Listing,
    Paragraph,
    Section,
    table_of,
    text_column,
)
from evaluators.reports.parts import Brief, likely_at_most, metric_columns
from evaluators.runs.metric_table import EVALUATOR_METRICS, Metric
from evaluators.runs.metrics import (
    USUAL,
    count_text,
    coverage_of,
    full_name,
    mean_interval_text,
    more_text,
    rows_text,
    score_text,
)
from evaluators.runs.result import EvaluatorStats, RunResult

MOST_SLICES: Final = 20
"""Slices that a page lists; all of them are in run.json."""


def _mark_partial(stats: EvaluatorStats, metric: str) -> str:
    """A metric, marked where the data or the environment kept out so many rows that it is not that of the whole."""
    return f"{metric} ({rows_text(stats.scored)})" if stats.scored and coverage_of(stats).short_of(USUAL) else metric


_PLACES: Final = ("always", "if any")
_VARIANT: Final = text_column("variant", optional=True)
_MEAN: Final = Column("mean score", lambda stats: _mark_partial(stats, score_text(stats.mean)))
_PASS_RATE: Final = (
    Column("pass rate", lambda stats: _mark_partial(stats, score_text(stats.pass_rate))),
    Column("95 % CI", lambda stats: mean_interval_text(stats.pass_rate_ci)),
    Column("scored", lambda stats: f"{stats.scored:,} of {stats.rows:,}"),
)
_MEAN_CI: Final = Column("its 95 % CI", lambda stats: mean_interval_text(stats.mean_ci))
_PASSED: Final = Column("passed", lambda stats: f"{stats.passed:,} of {stats.scored:,}")
_PLAIN_MEAN: Final = Column("mean score", lambda stats: score_text(stats.mean))
_NAME: Final = text_column("evaluator", lambda stats: stats.name)
_SLICE: Final = text_column("slice", lambda stats: slice_text(stats.slice))


def _has_own_ci(stats: EvaluatorStats) -> bool:
    """Whether the interval of the mean is not that of the pass rate."""
    return stats.mean_ci is not None and stats.mean_ci != stats.pass_rate_ci


def evaluator_section(result: RunResult) -> tuple[Section, ...]:
    """The section with a table of the evaluators, each with its mean, pass rate, interval and counts, with warnings and remarks, and with
    what the words mean; empty without evaluators."""
    if not result.evaluators:
        return ()
    own = [_MEAN_CI] if any(map(_has_own_ci, result.evaluators)) else []
    columns = (_NAME, _VARIANT, _MEAN, *own, *_PASS_RATE, *metric_columns(EVALUATOR_METRICS, _PLACES))
    items = (*_partial_warnings(result), *_remarks(result), *_legend(result))
    blocks: list[Block] = [table_of(result.evaluators, columns), *([Listing(items)] if items else [])]
    return (Section("Evaluators", tuple(blocks), id="evaluators"),)


def _partial_warnings(result: RunResult) -> Iterator[Item]:
    """A warning for each evaluator that measured some rows, and fewer than the usual coverage asks for."""
    for stats in result.evaluators:
        coverage = coverage_of(stats)
        if coverage.measured and coverage.short_of(USUAL):
            text = "its metrics are those of these rows, and not of the whole test set"
            yield Item(f"{full_name(stats)}: {coverage.sentence}; {text}", tone="warning")


def _remarks(result: RunResult) -> Iterator[Item]:
    """A note for each evaluator and each reason why scored rows count 0 or measure nothing, with how many, and what stands beside its
    metrics."""
    for stats in result.evaluators:
        unread, blocked = "had an output that could not be read", "was blocked by an evaluator that it needs"
        no_answer = "had an empty expected answer, which measures nothing"
        for count, singular, several in (
            (stats.unreadable, f"{unread}: it scores 0", f"{unread}: they score 0"),
            (stats.blocked, f"{blocked}: it scores 0", "were blocked by an evaluator that they need: they score 0"),
            (stats.empty_expected, no_answer, no_answer),
        ):
            if count:
                text = f"{count:,} of the {stats.scored:,} scored rows {singular if count == 1 else several}"
                yield Item(f"{full_name(stats)}: {text}", tone="note")
        for text in extra_rates(stats):
            yield Item(f"{full_name(stats)}: {text}", tone="note")
        if stats.extra_items is not None and stats.metric("mean_f1") is None:
            yield Item(f"{full_name(stats)}: {extra_items_text(stats)}", tone="note")


def _legend(result: RunResult) -> Iterator[Item]:
    """The meaning of the intervals and the metrics in the tables, where the run has them."""
    if any(stats.pass_rate_ci for stats in result.evaluators):
        if any(map(_has_own_ci, result.evaluators)):
            yield Item(mean_interval_legend(result))
        yield Item(f"95 % CI: where the pass rate would likely be with many more rows like these{clusters_text(result)}")
    for metric in EVALUATOR_METRICS:
        if metric.place in _PLACES and any(map(metric.value, result.evaluators)):
            yield Item(metric_meaning(metric))


def metric_meaning(metric: Metric) -> str:
    """The word of a metric and what it means."""
    return f"{metric.word}: {metric.meaning}"


def metric_text(metric: Metric, stats: EvaluatorStats) -> str:
    """A metric of an evaluator with its interval, and how many values it is of."""
    watched = stats.metric_ci(None, metric.name)
    interval = metric.interval(stats) or (watched.ci if watched is not None else None)
    of = f" of {count_text(getattr(stats, metric.over), 'value')}" if metric.over else ""
    return f"{metric.text(stats)}{f' {mean_interval_text(interval)}' if interval is not None else ''}{of}"


def mean_interval_legend(result: RunResult) -> str:
    """The meaning of the interval of a mean score."""
    return f"its 95 % CI: where the mean score would likely be with many more rows like these{clusters_text(result)}"


def clusters_text(result: RunResult) -> str:
    """What a legend of intervals ends with where rows of a cluster belong together; empty elsewhere."""
    return f"; rows of one {result.cluster} count as one" if result.cluster else ""


def extra_rates(stats: EvaluatorStats) -> Iterator[str]:
    """Texts on the rates that an evaluator has which looks values up in a source: how many are found by chance, and how many of fields
    that are not given; nothing for others."""
    for name, text in (("chance_rate", "found by chance"), ("not_given_rate", "of fields not given")):
        if (metric := stats.metric(name)) is not None and metric.mean is not None:
            yield f"{score_text(metric.mean)} {text} ({rows_text(metric.n)})"


def extra_items_text(stats: EvaluatorStats) -> str:
    """A text on how many extra list items there are, and whether they lower the scores, with the setting for that; empty where that was not
    counted."""
    extra = stats.extra_items
    if extra is None:
        return ""
    by_schema = stats.metric("mean_f1") is not None
    metrics = "the overall score, the field score and the overall pass rate" if by_schema else "the score"
    values = f" ({count_text(extra.values, 'value')})" if extra.values is not None else ""
    text = f"extra list items: {extra.items:,}{values} in {rows_text(extra.rows)}"
    if extra.penalized:
        return f"{text}; they lower {metrics}"
    return f"{text}; they cost nothing in {metrics}, and `extra_items: penalize` counts them"


def evaluator_summary(result: RunResult) -> tuple[Section, ...]:
    """The part of the summary with a table of the evaluators: score, interval and rows that pass; below it, in words, how many rows were
    not simply scored. Empty without evaluators."""
    if not result.evaluators:
        return ()
    columns = (_NAME, _VARIANT, _PLAIN_MEAN, _MEAN_CI, _PASSED)
    texts = [f"{full_name(stats)}: {text}" for stats in result.evaluators for text in _notes(stats)]
    table = table_of(result.evaluators, columns)
    return (Section(None, (table, *(Paragraph(text, "note", "  ") for text in texts))),)


def _notes(stats: EvaluatorStats) -> Iterator[str]:
    """Texts on an evaluator: how many rows were not simply scored, what stood in for a judge, and what items cost that only the output
    has."""
    if text := _others_text(stats):
        yield text
    yield from (f"{count_text(count, 'field')} scored by {what}" for what, count in stats.fallbacks.items())
    if stats.extra_items is not None:
        yield extra_items_text(stats)


def _others_text(stats: EvaluatorStats) -> str:
    """An evaluator's further rates, and the counts of rows that did not simply pass or fail, in words; behind them how much was measured,
    where that is little."""
    counts = [(getattr(stats, name), f"{ROW_WORDS[name].plain}, scored 0") for name in ("unreadable", "blocked")]
    counts.append((stats.empty_expected, "with an empty expected answer"))
    counts += [
        (getattr(stats, name), ROW_WORDS[name].plain) for name in ("skipped", "not_measured", "invalid", "unjudged")
    ]
    counts.append((stats.bugs, f"{ROW_WORDS['bug'].plain}{'' if stats.bugs == 1 else 's'}"))
    text = "; ".join([*extra_rates(stats), *(f"{count:,} {word}" for count, word in counts if count)])
    coverage = coverage_of(stats)
    if coverage.kept_out and not coverage.measured:
        return f"{text}: nothing was measured"
    return f"{text}: only {coverage.of_text} measured" if coverage.short_of(USUAL) else text


def slice_section(result: RunResult) -> tuple[Section, ...]:
    """The section with a table of the slices, of many only the lowest; empty without slices."""
    if not result.slices:
        return ()
    lowest = _lowest_slices(result)[:MOST_SLICES]
    shown = [stats for stats in result.slices if any(stats is low for low in lowest)]
    rest = len(result.slices) - len(shown)
    more = (Paragraph(f"The lowest {len(shown)}; {more_text(rest, 'slice')} in run.json."),) if rest else ()
    return (Section("Slices", (table_of(shown, (_SLICE, _NAME, _VARIANT, _MEAN, *_PASS_RATE)), *more), id="slices"),)


def slice_brief(result: RunResult) -> Brief:
    """The slice that is most surely low, in a line; none where every row of it has a full score."""
    if not result.slices:
        return Brief()
    slices = count_text(len(result.slices), "slice")
    worst = _lowest_slices(result)[0]
    if worst.mean in (None, 1):
        return Brief(more=slices)
    passed = f"{worst.passed:,} of {rows_text(worst.scored)} passed"
    line = f"lowest slice: {slice_text(worst.slice)} ({full_name(worst)}: mean {score_text(worst.mean)}, {passed})"
    return Brief((line,), slices)


def _lowest_slices(result: RunResult) -> list[EvaluatorStats]:
    """The slices, those first whose rows most surely fail."""
    return sorted(result.slices, key=lambda stats: (likely_at_most(stats.passed, stats.scored), stats.mean or 0.0))


def slice_text(slice_: tuple[str, str] | None) -> str:
    """A slice as pages name it: `supplier = Acme`; empty where there is none."""
    return f"{slice_[0].removeprefix('row.')} = {slice_[1]}" if slice_ else ""
