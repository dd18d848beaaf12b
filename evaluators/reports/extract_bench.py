"""The sections that summary.txt has in the words and lines of extract-bench's report.

Where a run has one row, they are that report's sections on the document. Where it has several, scores are means over the
rows, and counts are those of all rows together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from evaluators.model import Outcome
from evaluators.reports.document import Paragraph, Section
from evaluators.reports.outcomes import ReportPart
from evaluators.reports.tables import full_name
from evaluators.run.reader import RecordedRow
from evaluators.run.result import ArrayStats, EvaluatorStats

_SCORES: Final = (
    ("overall_score", "Overall Score", "item-weighted"),
    ("field_score", "Field Score", "flat average"),
)


def overall_results(stats: EvaluatorStats, several: bool) -> Section:
    """The totals of one evaluator; `several` says that there are others."""
    return Section(f"OVERALL RESULTS{f' of {full_name(stats)}' if several else ''}", _lines(_totals(stats)))


def array_breakdown(scored: Sequence[EvaluatorStats]) -> Section:
    """Every array of some evaluators, with its items."""
    lines = (
        line
        for stats in scored
        for field in stats.fields
        if field.array is not None
        for line in _array(f"{full_name(stats)}: {field.path}" if len(scored) > 1 else field.path, field.array, stats)
    )
    return Section("ARRAY BREAKDOWN", _lines(lines))


def failed_fields(found: Sequence[tuple[ReportPart, RecordedRow, Outcome]], several: bool) -> Section:
    """Some fields that failed, each with its metric, its score and the code of the reason."""
    return Section(
        f"FAILED FIELDS (first {len(found)})", _lines(line for each in found for line in _failed(*each, several))
    )


def _totals(stats: EvaluatorStats) -> Iterator[str]:
    for name, word, how in _SCORES:
        figure = stats.metric(name)
        rows = figure.n if figure is not None else 0
        mean = f", mean of {rows:,} rows" if rows > 1 else ""
        yield f"  {word}: {_three(figure.mean if figure is not None else None)} ({how}{mean})"
    rate = stats.metric("overall_pass_rate")
    share = rate.mean if rate is not None else None
    mean = f" (mean of {rate.n:,} rows)" if rate is not None and rate.n > 1 else ""
    yield f"  Pass Rate: {'–' if share is None else f'{share:.1%}'}{mean}"
    failed = stats.results - stats.results_passed
    yield f"  Evaluated: {stats.results:,} fields ({stats.results_passed:,} passed, {failed:,} failed)"


def _array(name: str, array: ArrayStats, stats: EvaluatorStats) -> Iterator[str]:
    surplus = array.extra - (array.paired - array.matched)
    free = stats.extra_items is None or not stats.extra_items.penalized
    whole = array.matched + array.missing + (0 if free else surplus)
    score = array.matched / whole if whole else 0.0
    passed = array.results == array.results_passed if array.results else whole == array.matched > 0
    yield f"  {name} [{'PASS' if passed else 'FAIL'}] score={score:.3f}"
    yield f"    Items: {array.matched:,} matched, {array.missing:,} missed, {array.extra:,} spurious"
    yield f"    P={_three(array.precision)} R={_three(array.recall)} F1={_three(array.f1)}"


def _failed(part: ReportPart, row: RecordedRow, outcome: Outcome, several: bool) -> Iterator[str]:
    evaluator = f"{full_name(part.stats)}, " if several else ""
    named = "" if row.id in ("", str(row.number)) else f" ({row.id})"
    place = f"row {row.number}{named}: " if part.stats.rows > 1 else ""
    yield f"  {evaluator}{place}{outcome.path}"
    yield f"    Metric: {outcome.metric}, Score: {_three(outcome.score)}"
    yield f"    Reason: {outcome.code}"


def _three(figure: float | None) -> str:
    """A figure with three decimals that is 1 only where it is 1."""
    if figure is None:
        return "–"
    return "0.999" if figure < 1 and f"{figure:.3f}" == "1.000" else f"{figure:.3f}"


def _lines(lines: Iterator[str]) -> tuple[Paragraph, ...]:
    return tuple(map(Paragraph, lines))
